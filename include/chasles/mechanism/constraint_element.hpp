/// Constraints on points of bodies as parts of a description: rods, cables, points on planes, lines and curves, rolling.
/// Every computation with the model obeys them, like its loops; constraints/point_constraints.hpp has their equations.
///
///     mechanism.constraints = {{"rod", CableElement{{{"hand"}, {"ground", {0, 0, 1}}}, 0.3}}};
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/math/linalg.hpp"

namespace chasles CHASLES_API {

/// A point of a body or frame, given in its axes; the body may be `ground`.
struct ConstraintPoint {
  std::string body;
  Vec3 point{};  // [m]
};

/// A rod between two points, or a cable of constant length through more. One equation.
struct CableElement {
  std::vector<ConstraintPoint> points{};
  std::optional<double> length{};  // [m]; none: that at q = 0
};
/// `at` stays in the plane through `plane` with the normal, in axes of the plane's body. One equation.
struct PlaneElement {
  ConstraintPoint at, plane{"ground"};
  Vec3 normal{0, 0, 1};
};
/// `at` stays on the line through `line` with the direction, in axes of the line's body. Two equations.
struct LineElement {
  ConstraintPoint at, line{"ground"};
  Vec3 direction{0, 0, 1};
};
/// `at` stays on a curve in axes of the body of `origin`: a spline through points, or expressions of s. Two equations; a
/// flat curve stands for all lines parallel to z through it, and has one.
struct CurveElement {
  ConstraintPoint at, origin{"ground"};
  std::vector<Vec3> points{};                // [m]; none: by expressions
  std::array<std::string, 3> expressions{};  // x, y, z of s [m]; empty: 0
  double from = 0, to = 0;                   // of s
  bool closed = false, flat = false;
};
/// A wheel (thin disk with an axis) or ball (without one) on a plane of ground.
struct RollingWheel {
  ConstraintPoint center;
  std::optional<Vec3> axis{};     // in axes of the body; none: a ball
  double radius = 0;              // [m]
  Vec3 plane{}, normal{0, 0, 1};  // a point of the plane, and its normal, in the world
};
/// It rolls without slip: two nonholonomic equations; `contact`: its lowest point stays in the plane, too, NAME contact.
struct RollingElement {
  RollingWheel wheel;
  bool contact = true;
};

struct ConstraintElement {
  std::string name;
  std::variant<CableElement, PlaneElement, LineElement, CurveElement, RollingElement> data{};
  std::string where{};  // "file:line", if read from a file
};

/// The points that it binds, and those that they are bound to.
std::vector<ConstraintPoint> points_of(const ConstraintElement& element);

}  // namespace CHASLES_API
