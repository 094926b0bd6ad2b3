#include "chasles/mechanism/builder.hpp"

#include "chasles/screws/screw.hpp"

namespace chasles {
namespace joints {

Joint of(JointType type, const Vec3& axis, const Vec3& point, DescribedIn in) {
  Joint joint;
  joint.type = type;
  joint.geometry = AxisGeometry{axis, point, {}, in};
  return joint;
}
Joint revolute(const Vec3& axis, const Vec3& point, DescribedIn in) {
  return of(JointType::revolute, axis, point, in);
}
Joint prismatic(const Vec3& axis, DescribedIn in) { return of(JointType::prismatic, axis, {}, in); }
Joint helical(const Vec3& axis, const Vec3& point, double pitch, DescribedIn in) {
  Joint joint = of(JointType::helical, axis, point, in);
  joint.pitch = pitch;
  return joint;
}
Joint spherical(const Vec3& point, DescribedIn in) {
  return of(JointType::spherical, {0, 0, 1}, point, in);
}
Joint floating(FloatingGroup group) {
  Joint joint = of(JointType::floating, {0, 0, 1});
  joint.group = group;
  return joint;
}
Joint fixed() { return {}; }
Joint between(JointType type, const SE3& on_parent, const SE3& on_body, const Vec3& axis) {
  Joint joint;
  joint.type = type;
  joint.geometry = FramesGeometry{on_parent, on_body, axis, {}};
  return joint;
}
Joint custom(std::vector<ScrewData> screws, Parameterization parameterization, DescribedIn in) {
  Joint joint = of(JointType::custom, {0, 0, 1}, {}, in);
  joint.screws = std::move(screws);
  joint.parameterization = parameterization;
  return joint;
}
Joint of_screw(const Twist& X, DescribedIn in) {
  const ScrewAxis s = screw_axis(X);
  if (!is_finite(X.w) || !is_finite(X.v) || !(std::abs(s.magnitude - 1) <= lie::rotation_tolerance))
    throw Error("the screw " + tuple_text(coordinates(X)) + " has the length " +
                to_text(s.magnitude) +
                "; give a unit screw (w; v): |w| = 1, or w = 0 and |v| = 1 for a translation");
  if (std::isinf(s.pitch)) return prismatic(s.axis, in);
  if (std::abs(s.pitch) <= 1e-9) return revolute(s.axis, s.point, in);
  return helical(s.axis, s.point, s.pitch, in);
}
Joint constant_velocity(const Vec3& axis, const Vec3& point, DescribedIn in, const Vec3& x) {
  const Vec3 e = lie::unit_axis(axis);
  const Vec3 any = std::abs(e.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 across = max_abs(x) > 0 ? x - dot(x, e) * e : any - dot(any, e) * e;
  if (!(max_abs(across) > 1e-6 * max_abs(x)) || !is_finite(across))
    throw Error("constant velocity joint: the direction " + tuple_text(coordinates(x)) +
                " is not across the axis " + tuple_text(coordinates(axis)) +
                "; give one that is perpendicular to it");
  const Vec3 first = lie::unit_axis(across);
  return custom({{first, point, 0}, {cross(e, first), point, 0}}, Parameterization::sum, in);
}

}  // namespace joints

MechanismBuilder& MechanismBuilder::gravity(const Vec3& g) {
  mechanism_.gravity = g;
  return *this;
}
MechanismBuilder& MechanismBuilder::body(std::string name, std::string_view parent, Joint joint) {
  mechanism_.bodies.push_back({std::move(name), std::string(parent), std::move(joint), {}, {}, {}});
  return *this;
}
Body& MechanismBuilder::last() {
  if (mechanism_.bodies.empty())
    throw Error("the builder of '" + mechanism_.name + "' has no body yet; call body() first");
  return mechanism_.bodies.back();
}
MechanismBuilder& MechanismBuilder::joint_name(std::string name) {
  last().joint.name = std::move(name);
  return *this;
}
MechanismBuilder& MechanismBuilder::x_axis(const Vec3& x) {
  std::visit([&](auto& geometry) { geometry.x_axis = x; }, last().joint.geometry);
  return *this;
}
MechanismBuilder& MechanismBuilder::limits(double lower, double upper) {
  JointLimits& limits = last().joint.limits.emplace(last().joint.limits.value_or(JointLimits{}));
  limits.lower = lower, limits.upper = upper;
  return *this;
}
MechanismBuilder& MechanismBuilder::velocity_effort_limits(double velocity, double effort) {
  JointLimits& limits = last().joint.limits.emplace(last().joint.limits.value_or(JointLimits{}));
  limits.velocity = velocity, limits.effort = effort;
  return *this;
}
MechanismBuilder& MechanismBuilder::dynamics(double damping, double friction) {
  last().joint.dynamics.damping = damping;
  last().joint.dynamics.friction = friction;
  return *this;
}
MechanismBuilder& MechanismBuilder::spring(double stiffness, std::vector<double> rest) {
  last().joint.dynamics.stiffness = stiffness;
  last().joint.dynamics.rest = std::move(rest);
  return *this;
}
MechanismBuilder& MechanismBuilder::armature(double inertia) {
  last().joint.armature = inertia;
  return *this;
}
MechanismBuilder& MechanismBuilder::rotor(const Rotor& rotor) {
  last().joint.rotor = rotor;
  return *this;
}
MechanismBuilder& MechanismBuilder::pose(const SE3& C, DescribedIn in) {
  if (std::holds_alternative<FramesGeometry>(last().joint.geometry))
    throw Error("body '" + last().name +
                "': its pose follows from the two frames of its joint; leave pose() out, or move "
                "the frame on the parent");
  last().pose = {C, in};
  return *this;
}
MechanismBuilder& MechanismBuilder::inertia(double mass, const Vec3& com, const Sym3& tensor) {
  last().inertia = BodyInertia{mass, com, tensor, true, true};
  return *this;
}
MechanismBuilder& MechanismBuilder::frame(std::string name, std::string body, const SE3& pose) {
  mechanism_.frames.push_back({std::move(name), std::move(body), pose, {}});
  return *this;
}
MechanismBuilder& MechanismBuilder::loop(Loop loop) {
  mechanism_.loops.push_back(std::move(loop));
  return *this;
}
MechanismBuilder& MechanismBuilder::coupling(Coupling coupling) {
  mechanism_.couplings.push_back(std::move(coupling));
  return *this;
}
Mechanism MechanismBuilder::build() const {
  check(mechanism_);
  return mechanism_;
}

}  // namespace chasles
