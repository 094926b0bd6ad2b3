#include "model/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/suggest.hpp"
#include "kernels/tree.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// Bodies fixed to each other, about their common center of mass.
struct CentralInertia {
  double m = 0;
  Vec3 com{};
  Sym3 I{};
  double masses = 0;  // sum of the absolute values of the masses
};
CentralInertia central_inertia(const std::optional<BodyInertia>& given) {
  if (!given) return {};
  const BodyInertia& I = *given;
  // Inertia given about the frame origin with an offset mass: converted to the center of mass.
  return {I.mass, I.mass == 0 ? Vec3{} : I.com,
          I.about_com ? I.tensor : I.tensor - lie::parallel_axis(I.mass * I.com, I.com),
          std::abs(I.mass)};
}
Inertia body_inertia(const std::optional<BodyInertia>& given) {
  if (!given) return {};
  const BodyInertia& I = *given;
  return I.about_com ? lie::compose_inertia(I.mass, I.com, I.tensor)
                     : Inertia{I.mass, I.mass * I.com, I.tensor};
}
CentralInertia transform(const SE3& C, const CentralInertia& a) {
  return {a.m, C * a.com, rotate(C.R.matrix(), a.I), a.masses};
}
/// The sum. Positive and negative masses may cancel: then there is no center of mass.
CentralInertia operator+(const CentralInertia& a, const CentralInertia& b) {
  const double m = a.m + b.m, masses = a.masses + b.masses;
  if (masses == 0) return {0, {}, a.I + b.I, 0};
  const Vec3 way = b.com - a.com;
  return {m, a.com + (b.m / m) * way, a.I + b.I + lie::parallel_axis((a.m * b.m / m) * way, way),
          masses};
}

/// Computes the links from the inertias of the bodies.
class Assembler {
 public:
  explicit Assembler(detail::ModelData& model)
      : model_(model), parts_(*model.assembly->geometry), inertias_(model.links.size()) {}

  void run() {
    model_.link_count = static_cast<int>(model_.links.size());
    for (std::size_t i = 0; i < model_.links.size(); ++i) model_.links[i].P = parts_.P[i];
    add_inertias();
    frame_origins();
    for (std::size_t i = 0; i < model_.frames.size(); ++i)
      model_.frames[i].frame = frame(model_.frames[i].body, parts_.frames[i]);
    for (std::size_t i = 0; i < model_.loops.size(); ++i) {
      const auto& [body, offset] = parts_.loops[i];
      model_.loops[i].from = frame(body[0], offset[0]);
      model_.loops[i].to = frame(body[1], offset[1]);
    }
    for (const ModelBody& body : model_.bodies) model_.frame_named.emplace(body.name, body.frame);
    for (const ModelFrame& frame : model_.frames)
      model_.frame_named.emplace(frame.name, frame.frame);
    for (const ModelJoint& joint : model_.joints) model_.joint_named.emplace(joint.name, &joint);
    model_.trees = std::make_shared<const kernels::Trees>(model_.links, model_.gravity);
  }

 private:
  Frame frame(int body, const SE3& offset) const {
    return (body < 0 ? Frame{-1, {}, model_.id}
                     : model_.bodies[static_cast<std::size_t>(body)].frame)
        .at(offset);
  }
  /// Inertias of the links, and the total mass.
  void add_inertias() {
    for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
      ModelBody& body = model_.bodies[i];
      const std::optional<BodyInertia>& given = model_.assembly->inertia[i];
      body.frame.offset = parts_.offset[i];
      body.frame.model = model_.id;
      body.inertia = body_inertia(given);
      body.inertia.I = body.inertia.I + parts_.rotors[i];
      if (body.frame.link < 0) continue;
      CentralInertia& sum = inertias_[static_cast<std::size_t>(body.frame.link)];
      CentralInertia own = central_inertia(given);
      own.I = own.I + parts_.rotors[i];
      sum = sum + transform(body.frame.offset, own);
      require_mass(sum, body.frame.link);
      model_.mass += body.inertia.m;
    }
  }
  /// The origin of a revolute or helical link may be anywhere on its axis, that of a prismatic link anywhere.
  /// If it is far from the subtree at q = 0, compared with the subtree's radius of gyration, it is moved to
  /// the point nearest to the center of mass, so that inertias are not lost to cancellation with the
  /// parallel-axis terms. The link inertias are updated.
  void frame_origins() {
    auto& links = model_.links;
    std::vector<CentralInertia> carried = inertias_;
    std::vector<Vec3> way(links.size());
    for (std::size_t i = links.size(); i-- > 0;) {
      const CentralInertia& all = carried[i];
      require_mass(all, static_cast<int>(i));
      if (one_angle(links[i].motion)) way[i].z = all.com.z;
      if (links[i].motion == LinkMotion::prismatic) way[i] = all.com;
      if (!(all.m * dot(way[i], way[i]) > 16 * (trace(all.I) / 2))) way[i] = {};
      if (links[i].parent < 0) continue;
      CentralInertia& to = carried[static_cast<std::size_t>(links[i].parent)];
      to = to + transform(links[i].P, all);
    }
    for (std::size_t i = 0; i < links.size(); ++i) {
      Link& link = links[i];
      link.P.r += link.P.R * way[i];
      if (link.parent >= 0) link.P.r -= way[static_cast<std::size_t>(link.parent)];
      const CentralInertia& own = inertias_[i];
      link.inertia = lie::compose_inertia(own.m, own.com - way[i], own.I);
      link.I_com = own.I;
    }
    for (ModelBody& body : model_.bodies)
      if (body.frame.link >= 0)
        body.frame.offset.r -= way[static_cast<std::size_t>(body.frame.link)];
  }
  void require_mass(const CentralInertia& sum, int link) const {
    if (std::abs(sum.m) > 1e-12 * sum.masses || sum.masses == 0) return;
    const int v = model_.links[static_cast<std::size_t>(link)].v_index;
    std::string name;
    for (const ModelJoint& joint : model_.joints)
      if (joint.v_index <= v && v < joint.v_index + joint.nv) name = joint.name;
    throw Error("joint '" + name +
                "': total mass of the subtree is zero (positive and negative masses cancel), so it "
                "has no center of mass; change one of the masses");
  }

  detail::ModelData& model_;
  const detail::ModelAssembly::Geometry& parts_;
  std::vector<CentralInertia> inertias_;  // of the links, in frames at parts_.P
};

/// Copies the parts that `assemble` does not compute.
std::shared_ptr<detail::ModelData> copy(const detail::ModelData& from) {
  auto to = std::make_shared<detail::ModelData>();
  to->name = from.name;
  to->gravity = from.gravity;
  to->nq = from.nq, to->nv = from.nv;
  to->links = from.links;
  to->screws = from.screws;
  to->link_of_v = from.link_of_v;
  to->joint_frames = from.joint_frames;
  to->bodies = from.bodies;
  to->joints = from.joints;
  to->frames = from.frames;
  to->loops = from.loops;
  to->couplings = from.couplings;
  to->constraints = from.constraints;
  to->tendons = from.tendons;
  to->assembly = from.assembly;
  return to;
}

}  // namespace

void assemble(detail::ModelData& data) { Assembler(data).run(); }

Model Model::with_gravity(const Vec3& gravity) const {
  check(Mechanism{.name = name(), .gravity = gravity});
  const auto changed = copy(detail::data_of(*this));
  changed->gravity = gravity;
  assemble(*changed);
  return Model(changed);
}

Model Model::with_inertia(std::string_view body, const BodyInertia& inertia) const {
  const std::vector<ModelBody>& all = bodies();
  const auto found = std::ranges::find(all, body, &ModelBody::name);
  if (found == all.end()) {
    std::vector<std::string_view> known;
    for (const ModelBody& each : all) known.push_back(each.name);
    throw Error("model '" + name() + "' has no body '" + std::string(body) + "'" +
                did_you_mean(body, known));
  }
  Mechanism alone{.name = name()};
  alone.bodies.emplace_back().name = found->name;
  alone.bodies.back().inertia = inertia;
  check(alone);
  const auto changed = copy(detail::data_of(*this));
  detail::ModelAssembly assembly = *detail::data_of(*this).assembly;
  assembly.inertia[static_cast<std::size_t>(found - all.begin())] = inertia;
  changed->assembly = std::make_shared<const detail::ModelAssembly>(std::move(assembly));
  assemble(*changed);
  return Model(changed);
}

}  // namespace chasles
