/// Stops: what keeps joints within the limits of their positions (JointLimits), if a run wants it.
///
///     scenario.limits = LimitMode::soft;                      // stops of every joint that has limits
///     forces.add(joint_stop(model, "elbow", {.stiffness = 1e4, .damping = 10}));
///
/// A stop is a spring and a damper that push only. With x how far the joint is beyond its limit,
///
///     e = stiffness x,   b = damping s(x / depth) x',   s(u) = 3 u^2 - 2 u^3 up to u = 1
///     f = e + b on the way in (b >= 0),   e^2 / (e - b) on the way out                        (1)
///
/// The damper comes in smoothly over `depth`, so that f does not jump when the stop is met. On the way
/// out e + b might pull; what is taken instead agrees with it for small b and never does.
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

/// What a run does about limits of joints: nothing; it says which were passed; it has stops at them, and
/// says how far joints went into them; or these are rigid.
enum class LimitMode : unsigned char { ignore, warn, soft, rigid };

/// Stops that do not give way: a joint that meets its limit with the velocity v leaves it with -restitution v,
/// by an impulse of the joint that all others feel; if that is slower than `rest_velocity` it stays there,
/// until it is drawn away. What impacts take counts as work. docs/theory/stops.md.
struct RigidStops {
  double restitution = 0;       // 0 to 1
  double rest_velocity = 1e-3;  // [rad/s] or [m/s]
  /// @throws Error naming the entry that is out of range
  void check() const;
};

/// Of a stop (1).
struct Stop {
  double stiffness = 0, damping = 0;  // [N m/rad, N m s/rad] or [N/m, N s/m]
  double depth = 1e-3;                // [rad] or [m]
};
/// The stops of a joint at its limits. U = stiffness x^2 / 2; what the damper takes is power.
/// @throws Error naming the joint without limits of position, or the entry that is negative
Force joint_stop(const Model& model, std::string_view joint, const Stop& stop);

/// Stops for all joints. What is not given follows from the inertia I that a joint feels, the others
/// being free to move: stiffness = I / time^2, damping = 2 ratio sqrt(stiffness I).
struct SoftStops {
  double time = 0.01;  // [s]
  double ratio = 1;    // 1: no bounce, 0: all of it
  std::optional<double> stiffness{}, damping{};
  double depth = Stop{}.depth;
};
/// @param q  where the inertias are taken, nq
/// @throws Error naming the entry that is out of range; SingularError
std::vector<Force> soft_stops(const Model& model, ConstVectorRef q, const SoftStops& stops = {});

}  // namespace CHASLES_API
