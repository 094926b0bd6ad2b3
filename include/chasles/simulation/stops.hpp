/// Joint stops: enforce the position limits of joints (JointLimits), if a run asks for it.
///
///     scenario.limits = LimitMode::soft;                      // stops at all joints that have limits
///     forces.add(joint_stop(model, "elbow", {.stiffness = 1e4, .damping = 10}));
///
/// A stop is a unilateral spring-damper. With x the distance of the joint beyond its limit,
///
///     e = stiffness x,   b = damping s(x / depth) x',   s(u) = 3 u^2 - 2 u^3 up to u = 1
///     f = e + b on the way in (b >= 0),   e^2 / (e - b) on the way out                        (1)
///
/// The damping is blended in over `depth`, so that f is continuous at first contact. On the way out e + b could
/// pull; e^2 / (e - b) agrees with it to first order in b and is never negative.
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

/// Treatment of joint limits in a run: ignored; violations reported; compliant stops, with penetration reported; or
/// rigid stops.
enum class LimitMode : unsigned char { ignore, warn, soft, rigid };

/// Rigid stops: a joint that reaches its limit with velocity v leaves it with -restitution v, by an impulse in the
/// joint that acts on the whole mechanism; if that is slower than `rest_velocity` it rests at the stop until it is
/// pulled off. The energy lost in impacts counts as work. docs/theory/stops.md.
struct RigidStops {
  double restitution = 0;       // 0 to 1
  double rest_velocity = 1e-3;  // [rad/s] or [m/s]
  /// @throws Error naming the entry that is out of range
  void check() const;
};

/// Parameters of a stop (1).
struct Stop {
  double stiffness = 0, damping = 0;  // [N m/rad, N m s/rad] or [N/m, N s/m]
  double depth = 1e-3;                // [rad] or [m]
};
/// The stops of a joint at its limits. U = stiffness x^2 / 2; the damper dissipates power.
/// @throws Error naming the joint without limits of position, or the entry that is negative
Force joint_stop(const Model& model, std::string_view joint, const Stop& stop);
/// The stops of a tendon at the ends of its range, with x the length beyond.
/// @throws Error naming the tendon without a range, or the entry that is negative
Force tendon_stop(const Model& model, const Tendon& tendon, const Stop& stop);

/// Parameters of soft stops for all joints and tendons. Defaults follow from the apparent inertia I of each joint with all
/// others free, 1 / I = g^T M^-1 g along a tendon with g = dl/dq: stiffness = I / time^2, damping = 2 ratio sqrt(stiffness I).
struct SoftStops {
  double time = 0.01;  // [s]
  double ratio = 1;    // damping ratio; 1: no rebound, 0: full rebound
  std::optional<double> stiffness{}, damping{};
  double depth = Stop{}.depth;
};
/// @param q  configuration at which the inertias are taken, nq
/// @throws Error naming the entry that is out of range; SingularError
std::vector<Force> soft_stops(const Model& model, ConstVectorRef q, const SoftStops& stops = {});

}  // namespace CHASLES_API
