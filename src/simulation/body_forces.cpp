/// Wrenches on bodies, and springs between them.
#include "simulation/force_parts.hpp"

namespace chasles {
namespace {

Place place_of(const Model& model, const BodyPoint& at, const std::string& what) {
  if (!is_finite(at.point)) throw Error(what + ": the point on '" + at.body + "' is not finite");
  try {
    return model.place(at.body).at({SO3{}, at.point});
  } catch (const Error& error) {
    throw Error(what + ": " + error.what());
  }
}

/// The line between two points: d long, along u from a to b, growing with rate d_dot.
struct Line {
  double d, d_dot;
  Vec3 u;
};
double length_of(const PositionKinematics& kin, const Place& a, const Place& b) {
  return norm(pose(kin, b).r - pose(kin, a).r);
}
Line line(const VelocityKinematics& kin, const Place& a, const Place& b) {
  const Vec3 r = pose(kin, b).r - pose(kin, a).r;
  const Vec3 r_dot =
      twist(kin, b, Representation::hybrid).v - twist(kin, a, Representation::hybrid).v;
  const double d = norm(r);
  const Vec3 u = d > 0 ? (1 / d) * r : Vec3{};
  return {d, dot(u, r_dot), u};
}

}  // namespace

Force body_wrench(const Model& model, const BodyPoint& at, std::array<Signal, 6> wrench,
                  Representation representation) {
  const std::string what = "wrench on '" + at.body + "'";
  Force force{what, model,
              [place = place_of(model, at, what), wrench, representation](
                  double t, const VelocityKinematics&, JointForces& out) {
                out.wrenches.push_back({place,
                                        {{wrench[0](t), wrench[1](t), wrench[2](t)},
                                         {wrench[3](t), wrench[4](t), wrench[5](t)}},
                                        representation});
              }};
  force.next_break = forces::next_break_of(wrench);
  force.passive = true;  // no motor in a joint
  if (forces::all_constant(wrench))
    force.expand = [place = place_of(model, at, what), wrench,
                    representation](ForceExpansion& out) {
      out.wrenches.push_back(
          {place,
           {{wrench[0](0), wrench[1](0), wrench[2](0)}, {wrench[3](0), wrench[4](0), wrench[5](0)}},
           representation});
    };
  return force;
}

Force point_spring_damper(const Model& model, const BodyPoint& a, const BodyPoint& b,
                          double stiffness, double damping, double length) {
  const std::string what = "spring and damper between '" + a.body + "' and '" + b.body + "'";
  forces::require_not_negative(what, {{"stiffness", stiffness}, {"damping", damping}});
  if (!(length >= 0 && std::isfinite(length)))
    throw Error(what + ": length " + to_text(length) + " is not a length; give 0 or more");
  const Place at_a = place_of(model, a, what), at_b = place_of(model, b, what);
  if (at_a.link == at_b.link)
    throw Error(what + ": both points move together, so the spring does nothing");
  Force force{what, model, [=](double t, const VelocityKinematics& kin, JointForces& out) {
                const Line s = line(kin, at_a, at_b);
                if (s.d == 0 && length > 0)
                  throw ForceError("force '" + what + "': the points coincide at t = " +
                                   to_text(t) + ", so the spring has no direction");
                const double tension = stiffness * (s.d - length) + damping * s.d_dot;
                const Vec3 f = tension * s.u;
                out.wrenches.push_back({at_a, {{}, f}, Representation::hybrid});
                out.wrenches.push_back({at_b, {{}, -f}, Representation::hybrid});
              }};
  force.internal = at_a.link >= 0 && at_b.link >= 0;
  force.passive = true;
  force.potential = [=](const PositionKinematics& kin) {
    const double stretch = length_of(kin, at_a, at_b) - length;
    return stiffness * stretch * stretch / 2;
  };
  if (damping != 0)
    force.power = [=](double, const VelocityKinematics& kin) {
      const double d_dot = line(kin, at_a, at_b).d_dot;
      return -damping * d_dot * d_dot;
    };
  return force;
}

}  // namespace chasles
