/// Tendons: springs, dampers and friction along a length that depends on several joints, or on several points.
///
///     l = sum c_k q_k                     of joints, or                                             (1)
///     l = sum w_i |x_{i+1} - x_i|         through points, in straight segments                      (2)
///     f = -k(l - l_0) - d(l') - friction sign(l'),    Q = f dl/dq                                   (3)
///     k(x) = stiffness x + k_2 x^2 + k_3 x^3,    d(v) = damping v + d_2 v |v| + d_3 v^3             (4)
///
/// l_0 is the length within `rest` that is next to l: between its two ends the spring is slack. (2) is a spring in a
/// cable over frictionless pulleys; with two points it is point_spring_damper (simulation/forces.hpp). Every run applies
/// tendons (Scenario::joint_dynamics; simulation/forces.hpp regularizes the sign), and actuators may pull at them.
///
/// A segment that wraps around a sphere or cylinder is the shortest path around it, if the straight one passes through
/// it: two tangents and a great arc or helix (docs/theory/tendons.md).
///
///     Tendon cable{.name = "cable", .points = {{"hook"}, {"pulley"}, {"load"}}, .stiffness = 800, .rest = {1, 1}};
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/mechanism/actuator.hpp"

namespace chasles CHASLES_API {

struct Tendon {
  /// What a segment wraps around: a sphere about the origin of a frame, or an endless cylinder about its z axis.
  struct Wrap {
    enum Shape : unsigned char { sphere, cylinder };
    std::string frame;  // or a body
    Shape shape = cylinder;
    double radius = 0;  // [m]
    /// A frame outside of it: where it lies opposite to both ends, the path runs around the back, on its side; empty, or
    /// elsewhere: the shorter one.
    std::string side{};
  };
  struct Point {
    std::string frame;  // a body, its origin, or a frame
    double weight =
        1;  // of the segment to the next point; 0: none, as between the parts of a tackle
    std::optional<Wrap> wrap{};  // of that segment
  };
  std::string name;
  std::vector<Actuator::Term> terms{};  // (1)
  std::vector<Point> points{};          // (2), at least two; either (1) or (2)
  double stiffness = 0;                 // [N/m], or in the units of (1)
  double damping = 0;                   // [N s/m]
  std::array<double, 2> rest{};         // least and largest l at which the spring is slack [m]
  std::array<double, 2> stiffening{};   // k_2, k_3 of (4) [N/m^2, N/m^3]
  std::array<double, 2> drag{};         // d_2, d_3 [N s^2/m^2, N s^3/m^3]
  double friction = 0;                  // [N]
  /// Least and largest l; runs treat them like the limits of a joint: reported, or enforced by soft stops.
  std::optional<std::array<double, 2>> range{};
  std::string where{};  // "file:line", if read from a file

  /// Whether (3) is a force at all.
  bool acts() const {
    return stiffness != 0 || damping != 0 || friction != 0 ||
           stiffening != std::array<double, 2>{} || drag != std::array<double, 2>{};
  }
};

}  // namespace CHASLES_API
