/// Curves in space with three derivatives by their parameter, for points that move along them: splines through points,
/// expressions, functions.
///
///     SpaceCurve wire = SpaceCurve::through({{0, 0, 0}, {0.1, 0, 0.05}, {0.2, 0.1, 0}});
///     SpaceCurve circle = SpaceCurve::expressions("0.3*cos(s)", "0.3*sin(s)", "0", 0, 2 * M_PI, true);
///     double s = circle.nearest({1, 1, 0});                                     // pi / 4
#pragma once

#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/math/linalg.hpp"

namespace chasles CHASLES_API {

/// A point of a curve [m], and its derivatives by the parameter.
struct SpaceCurveValue {
  Vec3 c, d1, d2, d3;
};

/// Immutable; copies share their data.
class SpaceCurve {
 public:
  using Function = std::function<SpaceCurveValue(double)>;

  /// The cubic spline through points [m] in their order, whose parameter is the length of the chords [m]; natural ends,
  /// or a closed curve, which returns from the last point to the first. Beyond its ends every curve that is not closed
  /// is a straight line.
  /// @throws Error naming the point: fewer than two (closed: three), not finite, two equal ones in succession
  static SpaceCurve through(std::vector<Vec3> points, bool closed = false);
  /// Three expressions of the variable s [m]. Closed: the end is the beginning, with the same derivatives.
  /// @throws Error naming the coordinate and the column of a mistake; otherwise as `of`
  static SpaceCurve expressions(std::string_view x, std::string_view y, std::string_view z,
                                double from, double to, bool closed = false);
  /// A function, which threads may call at the same time.
  /// @throws Error if the interval is empty, the curve not finite or without tangent (naming the parameter), or not
  ///         closed
  static SpaceCurve of(Function function, double from, double to, bool closed = false);

  SpaceCurveValue operator()(double s) const;
  bool closed() const;
  double from() const;
  double to() const;
  /// The parameter of the point nearest to y: c'(s) . (c(s) - y) = 0. The search starts from the nearest of samples along
  /// the curve, four on each piece of a spline, 256 on a function.
  double nearest(const Vec3& y) const;
  /// A unit vector perpendicular to the tangent, and its first two derivatives (d2, d3 of the result are the second
  /// derivative and zero). It moves along the curve with as little rotation as possible, smoothly, and returns to itself on a
  /// closed curve.
  SpaceCurveValue normal(double s) const;

 private:
  struct Data;
  explicit SpaceCurve(std::shared_ptr<const Data> data) : data_(std::move(data)) {}
  std::shared_ptr<const Data> data_;
};

}  // namespace CHASLES_API
