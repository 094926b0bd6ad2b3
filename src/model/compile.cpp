#include <unordered_map>

#include "chasles/model/model.hpp"
#include "chasles/screws/screw.hpp"
#include "mechanism/rotor_parts.hpp"
#include "model/assembly.hpp"
#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// The rotation that takes z to the axis of an elementary motion: a cyclic permutation, so exact.
SO3 to_z(ElementaryMotion motion) {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  switch (motion) {
    case ElementaryMotion::rotation_x:
    case ElementaryMotion::translation_x:
      return SO3::unchecked({y, z, x});
    case ElementaryMotion::translation_y:
      return SO3::unchecked({z, x, y});
    default:
      return {};
  }
}

LinkMotion link_motion(ElementaryMotion motion) {
  switch (motion) {
    case ElementaryMotion::rotation_z:
    case ElementaryMotion::rotation_x:
      return LinkMotion::revolute;
    case ElementaryMotion::helical_z:
      return LinkMotion::helical;
    case ElementaryMotion::spherical:
      return LinkMotion::spherical;
    case ElementaryMotion::floating_se3:
      return LinkMotion::floating_se3;
    case ElementaryMotion::floating_so3xr3:
      return LinkMotion::floating_so3xr3;
    default:
      return LinkMotion::prismatic;
  }
}

/// One elementary motion of a joint: its frame in the world at q = 0.
struct Step {
  LinkMotion motion;
  double pitch;
  SE3 F;
  std::vector<Twist> screws;  // custom, in F
  SO3 Q{};                    // floating_so3xr3: the axes of the parent body, in F
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
    for (const ElementaryMotion motion : motions_of(joint))
      if (motion != ElementaryMotion::none)
        list.push_back({link_motion(motion),
                        motion == ElementaryMotion::helical_z ? joint.pitch : 0.0,
                        J * SE3{to_z(motion), {}},
                        {},
                        motion == ElementaryMotion::floating_so3xr3
                            ? (inverse(J.R) * parent).normalized()
                            : SO3{}});
    return list;
  }
  const std::string what =
      describe(body.where, "joint", joint.name.empty() ? body.name : joint.name);
  if (joint.parameterization == Parameterization::sum) {
    Step step{LinkMotion::custom, 0, J, {}, {}};
    for (const ScrewData& s : joint.screws) step.screws.push_back(custom_screw(s, what));
    return {step};
  }
  for (const ScrewData& s : joint.screws) {
    custom_screw(s, what);
    const bool slide = std::isinf(s.pitch);
    list.push_back({slide          ? LinkMotion::prismatic
                    : s.pitch != 0 ? LinkMotion::helical
                                   : LinkMotion::revolute,
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
    case LinkMotion::revolute:
    case LinkMotion::helical:
      return {turn};
    case LinkMotion::prismatic:
      return {slide};
    case LinkMotion::spherical:
      return {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}}};
    case LinkMotion::floating_so3xr3:
      return {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}},
              {{}, Q.c0},      {{}, Q.c1},      {{}, Q.c2}};
    case LinkMotion::floating_se3:
      return {{{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{0, 0, 1}, {}},
              {{}, {1, 0, 0}}, {{}, {0, 1, 0}}, {{}, {0, 0, 1}}};
    case LinkMotion::custom:
      break;
  }
  return step.screws;
}

}  // namespace

/// Builds the links, body after body; parents come first.
class Compiler {
 public:
  Compiler(const Mechanism& mechanism, detail::ModelData& model)
      : mechanism_(mechanism), model_(model), geometry_(reference_geometry(mechanism)) {}

  void run() {
    model_.name = mechanism_.name;
    model_.gravity = mechanism_.gravity;
    for (const int i : depth_first(mechanism_)) add(static_cast<std::size_t>(i));
    for (const FrameDescription& frame : mechanism_.frames) {
      model_.frames.push_back(
          {frame.name, frame.body == ground ? -1 : position_.at(frame.body), {}});
      parts_.frames.push_back(frame.pose);
    }
    close_subtrees();
    for (const Loop& loop : mechanism_.loops) add(loop);
    detail::ModelAssembly assembly{
        std::make_shared<detail::ModelAssembly::Geometry>(std::move(parts_)), std::move(inertias_)};
    model_.assembly = std::make_shared<const detail::ModelAssembly>(std::move(assembly));
    assemble(model_);
    for (const Coupling& coupling : mechanism_.couplings) add(coupling);
    for (const ModelJoint& joint : model_.joints) add_mimic(joint);
    model_.constraints = mechanism_.constraints;
    model_.tendons = mechanism_.tendons;
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
                     body.joint.mimic,
                     body.joint.armature,
                     body.joint.rotor};
    const SO3 parent_axes = parent < 0 ? SO3{} : axes_[static_cast<std::size_t>(parent)];
    axes_.push_back(geometry_.A[i].R);
    const double armature = body.joint.armature + add_rotor(i, parent);
    int link = parent < 0 ? -1 : model_.bodies[static_cast<std::size_t>(parent)].frame.link;
    for (const Step& step : steps(body, geometry_.J[i], parent_axes)) {
      const std::vector<Twist> X = screws_of(step);
      link = add_link(link, step, static_cast<int>(X.size()), armature);
      for (const Twist& x : X) {
        joint.Y.push_back(Ad(step.F, x));
        joint.X.push_back(Ad_inv(geometry_.A[i], joint.Y.back()));
      }
    }
    joint.nq = model_.nq - joint.q_index;
    joint.nv = model_.nv - joint.v_index;
    if (body.joint.type != JointType::fixed) {
      model_.joints.push_back(std::move(joint));
      model_.joint_frames.push_back(inverse(geometry_.A[i]) * geometry_.J[i]);
    }

    const SE3 frame = link < 0 ? SE3{} : frames_[static_cast<std::size_t>(link)];
    parts_.offset.push_back(inverse(frame) * geometry_.A[i]);
    inertias_.push_back(body.inertia);
    position_.emplace(body.name, static_cast<int>(model_.bodies.size()));
    description_.push_back(i);
    model_.bodies.push_back({body.name, parent, {link, {}, model_.id}, {}});
  }

  /// (2) of mechanism/rotor.hpp: the inertia of the rotor of body i, which is added next, on it and its parent.
  /// Returns the armature.
  double add_rotor(std::size_t i, int parent) {
    parts_.rotors.emplace_back();
    parts_.own_rotors.emplace_back();
    const std::optional<Rotor>& rotor = mechanism_.bodies[i].joint.rotor;
    if (!rotor) return 0;
    const auto [inertia, n] = *rotor;
    const Vec3 axis = geometry_.J[i].R * Vec3{0, 0, 1};
    const Sym3 own = about_axis(n * inertia, inverse_times(geometry_.A[i].R, axis));
    parts_.rotors.back() = parts_.own_rotors.back() = own;
    if (parent >= 0) {
      const Vec3 a = inverse_times(axes_[static_cast<std::size_t>(parent)], axis);
      Sym3& of_parent = parts_.rotors[static_cast<std::size_t>(parent)];
      of_parent = of_parent + disc(inertia, a) + about_axis(-n * inertia, a);
    }
    return n * (n - 1) * inertia;
  }

  /// The frames of a loop on both bodies, and its joint.
  void add(const Loop& loop) {
    const std::string what = describe(loop.where, "loop", loop.name);
    const auto body = [&](std::size_t k) {
      return loop.bodies[k] == ground ? -1 : position_.at(loop.bodies[k]);
    };
    const auto at_zero = [&](int i) {
      return i < 0 ? SE3{} : geometry_.A[description_[static_cast<std::size_t>(i)]];
    };
    const SE3 A[] = {at_zero(body(0)), at_zero(body(1))};
    SE3 ends[2];
    if (const auto* f = std::get_if<FramesGeometry>(&loop.geometry)) {
      const SE3 J = joint_frame(f->axis, {}, f->x_axis, what);
      ends[0] = f->parent * J, ends[1] = f->child * J;
    } else {
      const auto& a = std::get<AxisGeometry>(loop.geometry);
      const SE3 in = a.in == DescribedIn::world ? SE3{} : A[a.in == DescribedIn::parent ? 0 : 1];
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
    model_.loops.push_back({loop.name, loop.type, loop.bodies, {}, {}, compile(alone)});
    parts_.loops.push_back({{body(0), body(1)}, {ends[0], ends[1]}});
  }

  void add(const Coupling& coupling) {
    ModelCoupling made{coupling.name, {}, coupling.offset, false};
    for (const Coupling::Term& term : coupling.terms) {
      const ModelJoint& joint = *model_.joint_named.at(term.joint);
      made.terms.push_back({joint.q_index + term.coordinate, joint.v_index + term.coordinate,
                            term.coefficient, make_curve(term.function)});
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

  /// Coordinates of the joint whose links are added next.
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

  int add_link(int parent, const Step& step, int nv, double armature) {
    const SE3 before = parent < 0 ? SE3{} : frames_[static_cast<std::size_t>(parent)];
    // Normalized, so that rounding in a long chain of frames does not change lengths.
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
                            armature,
                            {},
                            {},
                            {},
                            step.Q});
    model_.screws.insert(model_.screws.end(), step.screws.begin(), step.screws.end());
    model_.link_of_v.insert(model_.link_of_v.end(), static_cast<std::size_t>(nv), number);
    model_.nq += nq;
    model_.nv += nv;
    parts_.P.push_back(placed);
    frames_.push_back(step.F);
    return number;
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
  detail::ModelData& model_;
  const ReferenceGeometry geometry_;
  std::vector<SE3> frames_;  // of the links, in the world at q = 0
  detail::ModelAssembly::Geometry parts_;
  std::vector<std::optional<BodyInertia>> inertias_;  // of the bodies, in the order of the model
  std::vector<SO3> axes_;                             // of the bodies, in the same order
  std::unordered_map<std::string, int> position_;     // of the bodies in the model, by name
  std::vector<std::size_t> description_;  // the index in the description of each body of the
                                          // model
};

Model compile(const Mechanism& described) {
  const Mechanism mechanism = with_sliding_rotors(described);
  check(mechanism);
  const auto data = std::make_shared<detail::ModelData>();
  Compiler(mechanism, *data).run();
  return Model(data);
}

}  // namespace chasles
