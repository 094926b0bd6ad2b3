/// Tendons: springs and dampers along a length that depends on several joints, or on several points.
///
///     l = sum c_k q_k                     of joints, or                                             (1)
///     l = sum w_i |x_{i+1} - x_i|         through points, in straight segments                      (2)
///     f = -stiffness (l - l_0) - damping dl/dt,    Q = f dl/dq                                      (3)
///
/// l_0 is the length within `rest` that is next to l: between its two ends the spring is slack. (2) is a spring in a
/// cable over frictionless pulleys; with two points it is point_spring_damper (simulation/forces.hpp). Every run applies
/// tendons (Scenario::joint_dynamics), and actuators may pull at them.
///
///     Tendon cable{.name = "cable", .points = {{"hook"}, {"pulley"}, {"load"}}, .stiffness = 800, .rest = {1, 1}};
#pragma once

#include <array>
#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/mechanism/actuator.hpp"

namespace chasles CHASLES_API {

struct Tendon {
  struct Point {
    std::string frame;  // a body, its origin, or a frame
    double weight =
        1;  // of the segment to the next point; 0: none, as between the parts of a tackle
  };
  std::string name;
  std::vector<Actuator::Term> terms{};  // (1)
  std::vector<Point> points{};          // (2), at least two; either (1) or (2)
  double stiffness = 0;                 // [N/m], or in the units of (1)
  double damping = 0;                   // [N s/m]
  std::array<double, 2> rest{};         // least and largest l at which the spring is slack [m]
  std::string where{};                  // "file:line", if read from a file
};

}  // namespace CHASLES_API
