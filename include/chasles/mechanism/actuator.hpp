/// Actuators of a mechanism: motors, servos and dampers whose force f depends on the control u, on the length l of
/// their transmission, and on its rate.
///
///     u = control, within control_range
///     f = (gain_0 + gain_1 l + gain_2 dl/dt) u + bias_0 + bias_1 l + bias_2 dl/dt, within force_range   (1)
///     l = sum c_k q_k,   Q_k = c_k f         a transmission to joints                                (2)
///     W = f wrench                           or a wrench at a frame, in its axes; l = 0              (3)
///     Q = f dl/dq                            or along a tendon of length l (mechanism/tendon.hpp)    (4)
///
///     motor      gain (1, 0, 0)      bias (0, 0, 0)
///     position   gain (kp, 0, 0)     bias (0, -kp, -kv)     u is the length wanted
///     velocity   gain (kv, 0, 0)     bias (0, 0, -kv)       u is the rate wanted
///     damper     gain (0, 0, -kv)    bias (0, 0, 0)
///
/// A run applies an actuator if a controller names it (simulation/actuator_force.hpp).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct Mechanism;

struct Actuator {
  struct Term {
    std::string joint;
    double coefficient = 1;
    int coordinate = 0;  // index, for joints with several
  };
  using Range = std::array<double, 2>;

  std::string name;
  std::vector<Term> terms{};       // (2)
  std::string frame{};             // (3); empty: (2)
  std::array<double, 6> wrench{};  // (3), (torque; force) per unit of f
  std::array<double, 3> gain{1, 0, 0}, bias{};
  std::optional<Range> control_range{}, force_range{};
  std::string tendon{};  // (4)
  std::string where{};   // "file:line", if read from a file
};

/// @throws Error naming the actuator, with the nearest name
const Actuator& find_actuator(const Mechanism& mechanism, std::string_view name);

}  // namespace CHASLES_API
