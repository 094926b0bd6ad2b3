#include <unordered_map>

#include "chasles/mechanism/rotor.hpp"
#include "chasles/model/model.hpp"
#include "chasles/screws/screw.hpp"
#include "kernels/tree.hpp"
#include "model/groups.hpp"

namespace chasles {
namespace {

/// The rotation that brings z to the axis of an elementary motion: cyclic, so exact.
SO3 to_z(Motion motion) {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (motion) {
    case Motion::turn_x:
    case Motion::slide_x:
      return SO3::unchecked({y, z, x});
    case Motion::slide_y:
      return SO3::unchecked({z, x, y});
    default:
      return {};
  }
}

LinkMotion link_motion(Motion motion) {
  switch (motion) {
    case Motion::turn_z:
    case Motion::turn_x:
      return LinkMotion::turn;
    case Motion::screw_z:
      return LinkMotion::screw;
    case Motion::ball:
      return LinkMotion::ball;
    case Motion::rigid:
      return LinkMotion::rigid;
    case Motion::direct:
      return LinkMotion::direct;
    default:
      return LinkMotion::slide;
  }
}

/// One elementary motion of a joint: its frame in the world at q = 0.
struct Step {
  LinkMotion motion;
  double pitch;
  SE3 F;
  std::vector<Twist> screws;  // exponential, in F
  SO3 Q{};                    // direct: the axes of the parent body, in F
};

Twist custom_screw(const ScrewData& s, const std::string& what) {
  try {
    return screw(s.axis, s.point, s.pitch);
  } catch (const Error& e) {
    throw Error(what + ": " + e.what());
  }
}

std::vector<Step> steps(const Body& body, const SE3& J, const SO3& parent) {
  const Joint& joint = body.joint;
  std::vector<Step> list;
  if (joint.type != JointType::custom) {
    for (const Motion motion : motions_of(joint))
      if (motion != Motion::none)
        list.push_back({link_motion(motion),
                        motion == Motion::screw_z ? joint.pitch : 0.0,
                        J * SE3{to_z(motion), {}},
                        {},
                        motion == Motion::direct ? (inverse(J.R) * parent).normalized() : SO3{}});
    return list;
  }
  const std::string what =
      describe(body.where, "joint", joint.name.empty() ? body.name : joint.name);
  if (joint.coordinates == Coordinates::sum) {
    Step step{LinkMotion::exponential, 0, J, {}, {}};
    for (const ScrewData& s : joint.screws) step.screws.push_back(custom_screw(s, what));
    return {step};
  }
  for (const ScrewData& s : joint.screws) {
    custom_screw(s, what);
    const bool slide = std::isinf(s.pitch);
    list.push_back({slide          ? LinkMotion::slide
                    : s.pitch != 0 ? LinkMotion::screw
                                   : LinkMotion::turn,
                    slide ? 0 : s.pitch,
                    J * joint_frame(s.axis, s.point, {}, what),
                    {},
                    {}});
  }
  return list;
}

/// The screws of a link in its own frame at q = 0.
std::vector<Twist> screws_of(const Step& step) {
  const Mat3& Q = step.Q.matrix();
  const Twist turn{{0, 0, 1}, {0, 0, step.pitch}}, slide{{}, {0, 0, 1}};
  switch (step.motion) {
    case LinkMotion::turn:
    case LinkMotion::screw:
      return {turn};
    case LinkMotion::slide:
      return {slide};
    case LinkMotion::ball:
      return {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}}};
    case LinkMotion::direct:
      return {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}},
              {{}, Q.c0},      {{}, Q.c1},      {{}, Q.c2}};
    case LinkMotion::rigid:
      return {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}},
              {{}, {1, 0, 0}}, {{}, {0, 1, 0}}, {{}, {0, 0, 1}}};
    case LinkMotion::exponential:
      break;
  }
  return step.screws;
}

/// Bodies that move together, about their centre of mass.
struct CentralInertia {
  double m = 0;
  Vec3 com{};
  Sym3 I{};
  double masses = 0;  // the sum of the sizes of the masses
};
CentralInertia central_inertia(const Body& body) {
  if (!body.inertia) return {};
  const BodyInertia& I = *body.inertia;
  // Inertia about the frame with the mass somewhere else: what is left about the centre of mass.
  return {I.mass, I.mass == 0 ? Vec3{} : I.com,
          I.about_com ? I.tensor : I.tensor - lie::parallel_axis(I.mass * I.com, I.com),
          std::abs(I.mass)};
}
Inertia body_inertia(const Body& body) {
  if (!body.inertia) return {};
  const BodyInertia& I = *body.inertia;
  return I.about_com ? lie::compose_inertia(I.mass, I.com, I.tensor)
                     : Inertia{I.mass, I.mass * I.com, I.tensor};
}
CentralInertia transform(const SE3& C, const CentralInertia& a) {
  return {a.m, C * a.com, rotate(C.R.matrix(), a.I), a.masses};
}
/// Both as one. Masses of both signs may have a sum that is no mass: then there is no centre.
CentralInertia operator+(const CentralInertia& a, const CentralInertia& b) {
  const double m = a.m + b.m, masses = a.masses + b.masses;
  if (masses == 0) return {0, {}, a.I + b.I, 0};
  const Vec3 way = b.com - a.com;
  return {m, a.com + (b.m / m) * way, a.I + b.I + lie::parallel_axis((a.m * b.m / m) * way, way),
          masses};
}

}  // namespace

/// Builds the links of one body after the other; parents come first.
class Compiler {
 public:
  Compiler(const Mechanism& mechanism, Model::Data& model)
      : mechanism_(mechanism), model_(model), geometry_(reference_geometry(mechanism)) {}

  void run() {
    model_.name = mechanism_.name;
    model_.gravity = mechanism_.gravity;
    for (const int i : depth_first(mechanism_)) add(static_cast<std::size_t>(i));
    place_origins();
    for (const Frame& frame : mechanism_.frames) {
      const int body = frame.body == ground ? -1 : position_.at(frame.body);
      const Place place =
          body < 0 ? Place{-1, {}, model_.id} : model_.bodies[static_cast<std::size_t>(body)].place;
      model_.frames.push_back({frame.name, body, place.at(frame.pose)});
    }
    close_subtrees();
    for (const ModelBody& body : model_.bodies) model_.place_named.emplace(body.name, body.place);
    for (const ModelFrame& frame : model_.frames)
      model_.place_named.emplace(frame.name, frame.place);
    for (const ModelJoint& joint : model_.joints) model_.joint_named.emplace(joint.name, &joint);
    for (const Loop& loop : mechanism_.loops) add(loop);
    for (const Coupling& coupling : mechanism_.couplings) add(coupling);
    for (const ModelJoint& joint : model_.joints) add_mimic(joint);
  }

 private:
  void add(std::size_t i) {
    const Body& body = mechanism_.bodies[i];
    const int parent = body.parent == ground ? -1 : position_.at(body.parent);
    ModelJoint joint{body.joint.name.empty() ? body.name : body.joint.name,
                     body.joint.type,
                     body.joint.group,
                     parent,
                     static_cast<int>(model_.bodies.size()),
                     model_.nq,
                     0,
                     model_.nv,
                     0,
                     coordinates_of(body.joint),
                     {},
                     {},
                     body.joint.limits,
                     body.joint.dynamics,
                     body.joint.mimic};
    const SO3 parent_axes = parent < 0 ? SO3{} : axes_[static_cast<std::size_t>(parent)];
    axes_.push_back(geometry_.A[i].R);
    int link = parent < 0 ? -1 : model_.bodies[static_cast<std::size_t>(parent)].place.link;
    for (const Step& step : steps(body, geometry_.J[i], parent_axes)) {
      const std::vector<Twist> X = screws_of(step);
      link = add_link(link, step, static_cast<int>(X.size()));
      for (const Twist& x : X) {
        joint.Y.push_back(Ad(step.F, x));
        joint.X.push_back(Ad_inv(geometry_.A[i], joint.Y.back()));
      }
    }
    joint.nq = model_.nq - joint.q_index;
    joint.nv = model_.nv - joint.v_index;
    if (body.joint.type != JointType::fixed) model_.joints.push_back(std::move(joint));

    const SE3 frame = link < 0 ? SE3{} : frames_[static_cast<std::size_t>(link)];
    const Place place{link, inverse(frame) * geometry_.A[i], model_.id};
    const Inertia inertia = body_inertia(body);
    if (link >= 0) {
      CentralInertia& sum = inertias_[static_cast<std::size_t>(link)];
      sum = sum + transform(place.offset, central_inertia(body));
      require_mass(sum, link);
      model_.mass += inertia.m;
    }
    position_.emplace(body.name, static_cast<int>(model_.bodies.size()));
    description_.push_back(i);
    model_.bodies.push_back({body.name, parent, place, inertia});
  }

  /// Its frames on both bodies, and the joint by itself.
  void add(const Loop& loop) {
    const std::string what = describe(loop.where, "loop", loop.name);
    const auto body = [&](std::size_t k) {
      return loop.bodies[k] == ground ? -1 : position_.at(loop.bodies[k]);
    };
    const auto at_zero = [&](int i) {
      return i < 0 ? SE3{} : geometry_.A[description_[static_cast<std::size_t>(i)]];
    };
    const auto place = [&](int i, const SE3& offset) {
      return (i < 0 ? Place{-1, {}, model_.id} : model_.bodies[static_cast<std::size_t>(i)].place)
          .at(offset);
    };
    const SE3 A[] = {at_zero(body(0)), at_zero(body(1))};
    SE3 ends[2];
    if (const auto* f = std::get_if<FramesGeometry>(&loop.geometry)) {
      const SE3 J = joint_frame(f->axis, {}, f->x_axis, what);
      ends[0] = f->parent * J, ends[1] = f->child * J;
    } else {
      const auto& a = std::get<AxisGeometry>(loop.geometry);
      const SE3 in = a.in == In::world ? SE3{} : A[a.in == In::parent ? 0 : 1];
      SE3 J = in;
      if (joint_type_info(loop.type).takes_axis)
        J = in * joint_frame(a.axis, a.point, a.x_axis, what);
      else if (joint_type_info(loop.type).takes_point)
        J = in * SE3{{}, a.point};
      for (int k = 0; k < 2; ++k) ends[k] = inverse(A[k]) * J;
    }
    Mechanism alone{.name = loop.name};
    alone.bodies.push_back({.name = "body", .joint = joint_of(loop)});
    alone.bodies[0].joint.geometry = FramesGeometry{};
    model_.loops.push_back({loop.name, loop.type, loop.bodies, place(body(0), ends[0]),
                            place(body(1), ends[1]), compile(alone)});
  }

  void add(const Coupling& coupling) {
    ModelCoupling made{coupling.name, {}, coupling.offset, false};
    for (const Coupling::Term& term : coupling.terms) {
      const ModelJoint& joint = *model_.joint_named.at(term.joint);
      made.terms.push_back(
          {joint.q_index + term.coordinate, joint.v_index + term.coordinate, term.coefficient});
    }
    model_.couplings.push_back(std::move(made));
  }
  void add_mimic(const ModelJoint& joint) {
    if (!joint.mimic) return;
    const ModelJoint& other = *model_.joint_named.at(joint.mimic->joint);
    model_.couplings.push_back({joint.name,
                                {{joint.q_index, joint.v_index, 1},
                                 {other.q_index, other.v_index, -joint.mimic->multiplier}},
                                joint.mimic->offset,
                                true});
  }

  /// Of the joint whose links are added next.
  std::vector<JointCoordinate> coordinates_of(const Joint& joint) const {
    std::vector<JointCoordinate> list;
    int q = model_.nq, v = model_.nv;
    for (const CoordinateKind kind : coordinate_kinds(joint)) {
      const CoordinateKindInfo& info = coordinate_kind_info(kind);
      list.push_back({kind, q, info.nq, v, info.nv});
      q += info.nq, v += info.nv;
    }
    return list;
  }

  int add_link(int parent, const Step& step, int nv) {
    const SE3 before = parent < 0 ? SE3{} : frames_[static_cast<std::size_t>(parent)];
    // Normalised: errors of a long chain of frames would be errors of lengths.
    SE3 placed = inverse(before) * step.F;
    placed.R = placed.R.normalized();
    const JointGroup& group = group_of(step.motion);
    const int nq = group.flat ? nv : group.nq, number = static_cast<int>(model_.links.size());
    model_.links.push_back({parent,
                            number + 1,
                            model_.nq,
                            model_.nv,
                            nq,
                            nv,
                            static_cast<int>(model_.screws.size()),
                            step.motion,
                            step.pitch,
                            placed,
                            {},
                            {},
                            step.Q});
    model_.screws.insert(model_.screws.end(), step.screws.begin(), step.screws.end());
    model_.link_of_v.insert(model_.link_of_v.end(), static_cast<std::size_t>(nv), number);
    model_.nq += nq;
    model_.nv += nv;
    frames_.push_back(step.F);
    inertias_.emplace_back();
    return number;
  }

  /// The origin of a link that turns or screws may be anywhere on its axis, that of one that slides
  /// anywhere: where it is far from what the link carries at q = 0, compared with the radius of
  /// gyration of that, it goes to the point nearest to the centre of mass, so that no inertia drowns
  /// in that of the way between them. Then the inertias follow.
  void place_origins() {
    auto& links = model_.links;
    std::vector<CentralInertia> carried = inertias_;
    std::vector<Vec3> way(links.size());
    for (std::size_t i = links.size(); i-- > 0;) {
      const CentralInertia& all = carried[i];
      require_mass(all, static_cast<int>(i));
      if (one_angle(links[i].motion)) way[i].z = all.com.z;
      if (links[i].motion == LinkMotion::slide) way[i] = all.com;
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
      if (body.place.link >= 0)
        body.place.offset.r -= way[static_cast<std::size_t>(body.place.link)];
  }
  void require_mass(const CentralInertia& sum, int link) const {
    if (std::abs(sum.m) > 1e-12 * sum.masses || sum.masses == 0) return;
    const int v = model_.links[static_cast<std::size_t>(link)].v_index;
    std::string name;
    for (const ModelJoint& joint : model_.joints)
      if (joint.v_index <= v && v < joint.v_index + joint.nv) name = joint.name;
    throw Error("joint '" + name +
                "': masses of both signs among the bodies that it moves add up to nothing, so they "
                "have no centre of mass; change one of the masses");
  }

  void close_subtrees() {
    auto& links = model_.links;
    for (std::size_t i = links.size(); i-- > 0;)
      if (links[i].parent >= 0) {
        Link& parent = links[static_cast<std::size_t>(links[i].parent)];
        parent.end = std::max(parent.end, links[i].end);
      }
  }

  const Mechanism& mechanism_;
  Model::Data& model_;
  const ReferenceGeometry geometry_;
  std::vector<SE3> frames_;                        // of the links, in the world at q = 0
  std::vector<CentralInertia> inertias_;           // of the links, in these frames
  std::vector<SO3> axes_;                          // of the bodies, the same
  std::unordered_map<std::string, int> position_;  // of the bodies in the model
  std::vector<std::size_t> description_;           // and back
};

Model compile(const Mechanism& described) {
  const Mechanism mechanism = with_rotors(described);
  check(mechanism);
  const auto data = std::make_shared<Model::Data>();
  Compiler(mechanism, *data).run();
  data->trees = std::make_shared<const kernels::Trees>(data->links, data->gravity);
  return Model(data);
}

}  // namespace chasles
