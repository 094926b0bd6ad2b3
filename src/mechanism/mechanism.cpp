#include "chasles/mechanism/mechanism.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "chasles/screws/physical.hpp"
#include "chasles/screws/screw.hpp"
#include "chasles/suggest.hpp"
#include "mechanism/joint_name.hpp"
#include "mechanism/named_parts.hpp"
#include "utf8.hpp"

namespace chasles {
namespace {

using Index = std::unordered_map<std::string_view, int>;

Index body_index(const Mechanism& mechanism) {
  Index index;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
    index.emplace(mechanism.bodies[i].name, static_cast<int>(i));
  return index;
}

std::string joint_text(const Body& body) { return describe(body.where, "joint", joint_name(body)); }

bool is_finite(const SE3& C) {
  return is_finite(C.r) && is_finite(C.R.matrix().c0) && is_finite(C.R.matrix().c1) &&
         is_finite(C.R.matrix().c2);
}
void require_finite(bool finite, const std::string& what, const char* part) {
  if (!finite) throw Error(what + ": " + part + " is not finite; give finite numbers");
}

[[noreturn]] void unknown_body(const std::string& what, const std::string& name,
                               const Mechanism& mechanism) {
  std::vector<std::string_view> names{ground};
  for (const Body& body : mechanism.bodies) names.push_back(body.name);
  throw Error(what + ": there is no body '" + name + "'" + did_you_mean(name, names));
}

void check_geometry(const JointGeometry& geometry, const std::string& what) {
  if (const auto* frames = std::get_if<FramesGeometry>(&geometry))
    require_finite(is_finite(frames->parent) && is_finite(frames->child), what, "a joint frame");
  if (const auto* axis = std::get_if<AxisGeometry>(&geometry))
    require_known(axis->in, DescribedIn::body, ("frame of " + what).c_str());
}

void check_pitch(double pitch, JointType type, const std::string& what) {
  if (!std::isfinite(pitch))
    throw Error(what + ": pitch " + to_text(pitch) + " is not finite; give meters per radian");
  if (pitch != 0 && !joint_type_info(type).takes_pitch)
    throw Error(what + ": a " + std::string(joint_type_info(type).name) + " joint has no pitch (" +
                to_text(pitch) + " given); use helical");
}

bool has_one_coordinate(const Joint& joint) {
  const std::vector<CoordinateKind> kinds = coordinate_kinds(joint);
  return kinds.size() == 1 && coordinate_kind_info(kinds[0]).is_scalar;
}
/// "a planar joint"
std::string type_text(const Joint& joint) {
  return "a " + std::string(joint_type_info(joint.type).name) + " joint";
}

void check_limits(const Joint& joint, const std::string& what) {
  if (!joint.limits) return;
  const JointLimits& limits = *joint.limits;
  for (const auto& limit : {limits.lower, limits.upper, limits.velocity, limits.effort})
    require_finite(!limit || std::isfinite(*limit), what, "a limit");
  if (!has_one_coordinate(joint))
    throw Error(what + ": limits are for joints of one coordinate, which " + type_text(joint) +
                " is not; leave them out");
  if (limits.lower && limits.upper && *limits.lower > *limits.upper)
    throw Error(what + ": the lower limit " + to_text(*limits.lower) +
                " is above the upper limit " + to_text(*limits.upper));
  const std::pair<const char*, std::optional<double>> sizes[] = {{"velocity", limits.velocity},
                                                                 {"effort", limits.effort}};
  for (const auto& [name, limit] : sizes)
    if (limit && *limit < 0)
      throw Error(what + ": the " + name + " limit " + to_text(*limit) +
                  " is negative; it bounds the size, give 0 or more");
}

void check_rest(const Joint& joint, const std::vector<CoordinateKind>& kinds,
                const std::string& what) {
  const std::vector<double>& rest = joint.dynamics.rest;
  if (rest.empty()) return;
  std::size_t n = 0;
  for (const CoordinateKind kind : kinds) {
    const auto size = static_cast<std::size_t>(coordinate_kind_info(kind).nq);
    double square = 0;
    for (std::size_t k = n; k < std::min(n + size, rest.size()); ++k) square += rest[k] * rest[k];
    if (kind == CoordinateKind::quaternion && !(std::abs(square - 1) <= 1e-6))
      throw Error(what + ": rest " + tuple_text(rest) +
                  " is not a unit quaternion; give (w, x, y, z)");
    n += size;
  }
  if (rest.size() != n)
    throw Error(what + ": rest has " + std::to_string(rest.size()) + " numbers, and " +
                type_text(joint) + " has " + std::to_string(n) + " entries of q");
  for (const double x : rest) require_finite(std::isfinite(x), what, "rest");
}

void check_dynamics(const Joint& joint, const std::string& what) {
  const std::pair<const char*, double> parts[] = {{"damping", joint.dynamics.damping},
                                                  {"friction", joint.dynamics.friction},
                                                  {"stiffness", joint.dynamics.stiffness}};
  const std::vector<CoordinateKind> kinds = coordinate_kinds(joint);
  const bool has_none =
      kinds.empty() || std::ranges::find(kinds, CoordinateKind::position) != kinds.end();
  for (const auto& [name, value] : parts) {
    if (!(value >= 0 && std::isfinite(value)))
      throw Error(what + ": " + name + " " + to_text(value) +
                  " would drive the joint; give a finite number, 0 or more");
    if (value > 0 && has_none)
      throw Error(what + ": " + type_text(joint) + " has no " + name + " (" + to_text(value) +
                  " given); leave it out");
  }
  check_rest(joint, kinds, what);
  if (!joint.dynamics.is_progressive()) return;
  if (!has_one_coordinate(joint))
    throw Error(what + ": springs and dampers with terms of higher order are for joints of one " +
                "coordinate, which " + type_text(joint) + " is not; give one number");
  check_polynomials(joint.dynamics.damping, joint.dynamics.stiffening, joint.dynamics.drag, what);
}

void check_rotor(const Joint& joint, const std::string& what) {
  if (!joint.rotor) return;
  const auto [inertia, ratio] = *joint.rotor;
  if (!has_one_coordinate(joint) || joint.type == JointType::custom)
    throw Error(what + ": a rotor needs a joint that turns or slides along one axis, and this is " +
                type_text(joint) + "; describe the rotor as a body with a coupling");
  if (!(inertia > 0 && std::isfinite(inertia)))
    throw Error(what + ": the inertia " + to_text(inertia) +
                " kg m^2 of its rotor is not positive; give that about the axis of the motor");
  if (!(ratio != 0 && std::isfinite(ratio)))
    throw Error(what + ": the ratio " + to_text(ratio) +
                " of its rotor is not that of a gear; give how far the rotor turns when the joint "
                "moves by 1, such as 100");
}

/// The velocity of a floating joint on SE(3) is in the axes of the body, which turn: there I_a v is not a momentum.
void check_armature(const Joint& joint, const std::string& what) {
  if (joint.armature == 0) return;
  if (!(joint.armature > 0 && std::isfinite(joint.armature)))
    throw Error(what + ": the armature " + to_text(joint.armature) +
                " is not an inertia; give a positive number [kg m^2] or [kg], or 0");
  if (joint.type == JointType::fixed)
    throw Error(what + ": has the armature " + to_text(joint.armature) +
                ", but is fixed; leave it out, or choose another type");
  if (joint.type == JointType::floating && joint.group == FloatingGroup::se3)
    throw Error(
        what + ": the armature " + to_text(joint.armature) +
        " of a floating joint belongs to the velocity of its position; add 'group: so3xr3', "
        "which has it as a coordinate");
}

/// Checks each relation by itself; cycles are found by check_mimic_cycles.
void check_mimic(const Mechanism& mechanism, const Body& body, const Index& joints) {
  const Joint& joint = body.joint;
  if (!joint.mimic) return;
  const std::string what = joint_text(body);
  const std::string& other = joint.mimic->joint;
  const auto found = joints.find(other);
  if (found == joints.end()) {
    std::vector<std::string_view> names;
    for (const auto& entry : joints) names.push_back(entry.first);
    throw Error(what + ": mimics the joint '" + other + "', which does not exist" +
                did_you_mean(other, names));
  }
  if (other == joint_name(body)) throw Error(what + ": mimics itself; name another joint");
  const Joint& mimicked = mechanism.bodies[static_cast<std::size_t>(found->second)].joint;
  if (const Joint* wrong = !has_one_coordinate(joint)      ? &joint
                           : !has_one_coordinate(mimicked) ? &mimicked
                                                           : nullptr)
    throw Error(what + ": mimics '" + other + "', but " + type_text(*wrong) +
                " does not have one coordinate, as both must");
  require_finite(std::isfinite(joint.mimic->multiplier) && std::isfinite(joint.mimic->offset), what,
                 "the mimic relation");
}
void check_mimic_cycles(const Mechanism& mechanism, const Index& joints) {
  std::vector<int> reached_from(mechanism.bodies.size(), -1);  // the body that a walk started from
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    for (std::size_t k = i; mechanism.bodies[k].joint.mimic;) {
      if (reached_from[k] == static_cast<int>(i))
        throw Error(joint_text(mechanism.bodies[i]) +
                    ": the joints that mimic each other form a cycle; one must be free to move");
      if (reached_from[k] >= 0) break;
      reached_from[k] = static_cast<int>(i);
      k = static_cast<std::size_t>(joints.at(mechanism.bodies[k].joint.mimic->joint));
    }
  }
}

/// Number of coordinates with v = dq/dt; 0 for joints with quaternions
int vector_coordinates(const Joint& joint) {
  const std::vector<CoordinateKind> kinds = coordinate_kinds(joint);
  const bool is_vector = std::ranges::all_of(
      kinds, [](CoordinateKind kind) { return coordinate_kind_info(kind).is_scalar; });
  return is_vector ? static_cast<int>(kinds.size()) : 0;
}

void check_function(const Coupling::Term& term, const std::string& what) {
  const CurveData& f = term.function;
  const std::string of = what + ": the function of '" + term.joint + "': ";
  try {
    make_curve(f);
  } catch (const Error& error) {
    throw Error(of + error.what());
  }
  const bool varies = std::ranges::any_of(f.polynomial.begin() + (f.polynomial.empty() ? 0 : 1),
                                          f.polynomial.end(), [](double c) { return c != 0; });
  if (!f.polynomial.empty() && !varies)
    throw Error(of + "the polynomial is the constant " + to_text(f.polynomial[0]) +
                "; leave the joint out and move the constant into the offset");
}

void check_coupling(const Mechanism& mechanism, const Coupling& coupling, const Index& joints) {
  const std::string what = describe(coupling.where, "coupling", coupling.name);
  if (coupling.terms.empty()) throw Error(what + ": couples no joints; name them");
  require_finite(std::isfinite(coupling.offset), what, "the offset");
  std::set<std::pair<std::string_view, int>> coupled;
  for (const Coupling::Term& term : coupling.terms) {
    const auto found = joints.find(term.joint);
    if (found == joints.end()) {
      std::vector<std::string_view> names;
      for (const auto& entry : joints) names.push_back(entry.first);
      throw Error(what + ": couples the joint '" + term.joint + "', which does not exist" +
                  did_you_mean(term.joint, names));
    }
    if (!std::isfinite(term.coefficient) || term.coefficient == 0)
      throw Error(what + ": the coefficient of '" + term.joint + "' is " +
                  to_text(term.coefficient) + "; give a number that is not zero");
    const Joint& joint = mechanism.bodies[static_cast<std::size_t>(found->second)].joint;
    if (const int flat = vector_coordinates(joint); term.coordinate < 0 || term.coordinate >= flat)
      throw Error(
          what + ": couples coordinate " + std::to_string(term.coordinate) + " of '" + term.joint +
          "', but " + type_text(joint) +
          (flat == 0 ? " has no coordinates that can be coupled" : " has " + std::to_string(flat)));
    if (!coupled.emplace(term.joint, term.coordinate).second)
      throw Error(what + ": couples '" + term.joint + "' twice; add the coefficients");
    check_function(term, what);
  }
}

void check_screws(const Joint& joint, const std::string& what) {
  require_known(joint.parameterization, Parameterization::sum,
                ("parameterization of " + what).c_str());
  if (joint.type == JointType::custom && joint.screws.empty())
    throw Error(what + ": a custom joint needs at least one screw");
  if (joint.type == JointType::custom && joint.screws.size() > 6)
    throw Error(what + ": " + std::to_string(joint.screws.size()) +
                " screws, but a joint has at most 6 degrees of freedom");
  if (joint.type != JointType::custom && !joint.screws.empty())
    throw Error(what + ": only custom joints have a list of screws");
}

void check_joint(const Body& body) {
  const Joint& joint = body.joint;
  const std::string what = joint_text(body);
  check_geometry(joint.geometry, what);
  if (std::holds_alternative<FramesGeometry>(joint.geometry) &&
      (body.pose.C != SE3{} || body.pose.in != DescribedIn::world))
    throw Error(describe(body.where, "body", body.name) +
                ": its pose follows from the two frames of its joint; leave one of them out");
  check_pitch(joint.pitch, joint.type, what);
  check_screws(joint, what);
  require_known(joint.group, FloatingGroup::so3xr3, ("group of " + what).c_str());
  if (joint.type != JointType::floating && joint.group != FloatingGroup::se3)
    throw Error(what + ": only floating joints move on SO(3) x R^3");
  check_limits(joint, what);
  check_dynamics(joint, what);
  check_rotor(joint, what);
  check_armature(joint, what);
}

void check_inertia(const Body& body) {
  if (!body.inertia) return;
  const BodyInertia& I = *body.inertia;
  const std::string what = describe(body.where, "body", body.name);
  require_finite(std::isfinite(I.mass), what, "the mass");
  require_finite(is_finite(I.com), what, "the center of mass");
  const Sym3& t = I.tensor;
  require_finite(is_finite(Vec3{t.xx, t.xy, t.xz}) && is_finite(Vec3{t.yy, t.yz, t.zz}), what,
                 "the inertia tensor");
  if (!I.physical) return;
  const Inertia M = I.about_com ? lie::compose_inertia(I.mass, I.com, I.tensor)
                                : Inertia{I.mass, I.mass * I.com, I.tensor};
  if (const std::string defect = lie::physical_defect(M); !defect.empty())
    throw Error(what + ": no body can have this inertia: " + defect +
                "; to use it all the same say 'physical: false' in its inertia");
}

/// As for joints, whose geometry is checked when their frames are computed.
void check_loop_geometry(const Loop& loop, const std::string& what) {
  check_geometry(loop.geometry, what);
  check_pitch(loop.pitch, loop.type, what);
  const auto* axis = std::get_if<AxisGeometry>(&loop.geometry);
  const auto* frames = std::get_if<FramesGeometry>(&loop.geometry);
  if (axis) require_finite(is_finite(axis->point), what, "the point");
  if (!joint_type_info(loop.type).takes_axis) return;
  if (axis) joint_frame(axis->axis, axis->point, axis->x_axis, what);
  if (frames) joint_frame(frames->axis, {}, frames->x_axis, what);
}

void require_printable(const std::string& name, const std::string& what) {
  if (!is_one_line(name))
    throw Error(what + ": the name has characters that cannot be printed; give one line of UTF-8");
}

template <class Element>
void check_frame_or_loop_name(const Element& element, const char* kind,
                              std::unordered_set<std::string>& names) {
  if (element.name.empty())
    throw Error((element.where.empty() ? "" : element.where + ": ") + "a " + kind + " has no name");
  if (!names.insert(element.name).second)
    throw Error(describe(element.where, kind, element.name) + ": the name is used twice");
  require_printable(element.name, describe(element.where, kind, element.name));
}

}  // namespace

std::string describe(const std::string& where, std::string_view kind, const std::string& name) {
  return (where.empty() ? "" : where + ": ") + std::string(kind) + " '" + name + "'";
}

Joint joint_of(const Loop& loop) {
  return {.name = loop.name,
          .type = loop.type,
          .geometry = loop.geometry,
          .pitch = loop.pitch,
          .screws = loop.screws,
          .parameterization = loop.parameterization};
}

int find_body(const Mechanism& mechanism, std::string_view name) {
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i)
    if (mechanism.bodies[i].name == name) return static_cast<int>(i);
  return -1;
}

std::vector<int> depth_first(const Mechanism& mechanism) {
  const auto n = mechanism.bodies.size();
  const Index index = body_index(mechanism);
  std::vector<std::vector<int>> children(n + 1);  // the last: children of ground
  for (std::size_t i = 0; i < n; ++i) {
    const Body& body = mechanism.bodies[i];
    const std::string what = describe(body.where, "body", body.name);
    if (body.name.empty())
      throw Error((body.where.empty() ? "" : body.where + ": ") + "body " + std::to_string(i + 1) +
                  " has no name");
    if (body.name == ground) throw Error(what + ": 'ground' is the name of the fixed world");
    if (index.at(body.name) != static_cast<int>(i)) throw Error(what + ": the name is used twice");
    if (body.parent == ground) {
      children[n].push_back(static_cast<int>(i));
    } else {
      const auto parent = index.find(body.parent);
      if (parent == index.end()) unknown_body(what + ", parent", body.parent, mechanism);
      children[static_cast<std::size_t>(parent->second)].push_back(static_cast<int>(i));
    }
  }
  std::vector<int> order, stack;
  const auto push = [&](const std::vector<int>& list) {
    for (auto i = list.rbegin(); i != list.rend(); ++i) stack.push_back(*i);
  };
  push(children[n]);
  while (!stack.empty()) {
    const int i = stack.back();
    stack.pop_back();
    order.push_back(i);
    push(children[static_cast<std::size_t>(i)]);
  }
  if (order.size() != n) {
    std::vector<bool> reached(n);
    for (const int i : order) reached[static_cast<std::size_t>(i)] = true;
    for (std::size_t i = 0; i < n; ++i)
      if (!reached[i])
        throw Error(describe(mechanism.bodies[i].where, "body", mechanism.bodies[i].name) +
                    ": its parents form a cycle that never reaches ground");
  }
  return order;
}

SE3 joint_frame(const Vec3& axis, const Vec3& point, const std::optional<Vec3>& x_axis,
                const std::string& what) {
  if (!is_finite(axis) || max_abs(axis) == 0)
    throw Error(what + ": axis " + tuple_text(coordinates(axis)) +
                " has no direction; give a nonzero axis");
  require_finite(is_finite(point), what, "the point on the axis");
  const Vec3 z = lie::unit_axis(axis);
  Vec3 x = x_axis ? *x_axis : std::abs(z.z) > 0.9 ? Vec3{1, 0, 0} : Vec3{0, 0, 1};
  if (x_axis) {
    if (!is_finite(x) || max_abs(x) == 0)
      throw Error(what + ": x_axis " + tuple_text(coordinates(x)) +
                  " has no direction; give a nonzero axis");
    x = lie::unit_axis(x);
    if (const double c = dot(x, z); std::abs(c) > 1e-6)
      throw Error(what + ": x_axis " + tuple_text(coordinates(*x_axis)) +
                  " is not across the axis: their cosine is " + to_short_text(c) +
                  "; give orthogonal axes, or use a custom joint");
  }
  x = lie::unit_axis(x - dot(x, z) * z);
  return {SO3::unchecked({x, cross(z, x), z}).normalized(), point};
}

ReferenceGeometry reference_geometry(const Mechanism& mechanism) {
  const std::vector<int> order = depth_first(mechanism);
  const Index index = body_index(mechanism);
  ReferenceGeometry g{std::vector<SE3>(order.size()), std::vector<SE3>(order.size())};
  for (const int number : order) {
    const auto i = static_cast<std::size_t>(number);
    const Body& body = mechanism.bodies[i];
    const SE3 parent =
        body.parent == ground ? SE3{} : g.A[static_cast<std::size_t>(index.at(body.parent))];
    const std::string what = joint_text(body);
    require_finite(is_finite(body.pose.C), describe(body.where, "body", body.name), "the pose");
    check_geometry(body.joint.geometry, what);
    if (const auto* f = std::get_if<FramesGeometry>(&body.joint.geometry)) {
      g.A[i] = parent * f->parent * inverse(f->child);
      g.J[i] = parent * f->parent * joint_frame(f->axis, {}, f->x_axis, what);
      continue;
    }
    require_known(body.pose.in, DescribedIn::body,
                  ("frame of the pose of the body of " + what).c_str());
    if (body.pose.in == DescribedIn::body)
      throw Error(describe(body.where, "body", body.name) +
                  ": a pose is given in the world or in the parent, not in the body itself");
    g.A[i] = body.pose.in == DescribedIn::parent ? parent * body.pose.C : body.pose.C;
    const auto& a = std::get<AxisGeometry>(body.joint.geometry);
    const SE3 frame = a.in == DescribedIn::world    ? SE3{}
                      : a.in == DescribedIn::parent ? parent
                                                    : g.A[i];
    const JointTypeInfo& type = joint_type_info(body.joint.type);
    if (type.takes_axis) {
      g.J[i] = frame * joint_frame(a.axis, a.point, a.x_axis, what);
    } else if (type.takes_point) {
      require_finite(is_finite(a.point), what, "the point");
      g.J[i] = {g.A[i].R, frame * a.point};
    } else {
      g.J[i] = body.joint.type == JointType::custom ? frame : g.A[i];
    }
  }
  return g;
}

void check(const Mechanism& mechanism) {
  require_printable(mechanism.name, "mechanism '" + mechanism.name + "'");
  if (!is_finite(mechanism.gravity))
    throw Error("gravity " + tuple_text(coordinates(mechanism.gravity)) +
                " is not finite; give three numbers in m/s^2");
  depth_first(mechanism);
  check_collisions(mechanism);
  Index joints;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& body = mechanism.bodies[i];
    const std::string& name = body.joint.name.empty() ? body.name : body.joint.name;
    require_printable(body.name, describe(body.where, "body", body.name));
    require_printable(name, joint_text(body));
    if (!joints.emplace(name, static_cast<int>(i)).second)
      throw Error(joint_text(body) + ": the name is used twice");
  }
  for (const Body& body : mechanism.bodies) {
    check_joint(body);
    check_mimic(mechanism, body, joints);
    check_inertia(body);
  }
  check_mimic_cycles(mechanism, joints);
  const Index bodies = body_index(mechanism);
  const auto require_body = [&](const std::string& name, const std::string& what) {
    if (name != ground && !bodies.contains(name)) unknown_body(what, name, mechanism);
  };
  std::unordered_set<std::string> names;
  for (const FrameDescription& frame : mechanism.frames) {
    check_frame_or_loop_name(frame, "frame", names);
    const std::string what = describe(frame.where, "frame", frame.name);
    if (frame.name == ground) throw Error(what + ": 'ground' is the name of the fixed world");
    if (bodies.contains(frame.name)) throw Error(what + ": a body has this name");
    require_body(frame.body, what);
    require_finite(is_finite(frame.pose), what, "the pose");
  }
  names.clear();
  for (const Loop& loop : mechanism.loops) {
    check_frame_or_loop_name(loop, "loop", names);
    const std::string what = describe(loop.where, "loop", loop.name);
    for (const std::string& body : loop.bodies) require_body(body, what);
    if (loop.bodies[0] == loop.bodies[1])
      throw Error(what + ": both ends are on '" + loop.bodies[0] + "'; a loop joins two bodies");
    if (loop.type == JointType::floating)
      throw Error(what + ": a floating joint binds nothing; give another type");
    check_screws(joint_of(loop), what);
    check_loop_geometry(loop, what);
  }
  names.clear();
  for (const Coupling& coupling : mechanism.couplings) {
    check_frame_or_loop_name(coupling, "coupling", names);
    check_coupling(mechanism, coupling, joints);
  }
  check_constraints(mechanism);
  check_tendons(mechanism);
  check_actuators(mechanism);
  check_keyframes(mechanism);
}

}  // namespace chasles
