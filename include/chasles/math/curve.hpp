/// Functions of one variable with their first two derivatives, for couplings and prescribed motions: polynomials, and
/// cubic splines through points.
///
///     Curve lift = Curve::spline({{0, 0}, {1, 0.02}, {2, 0.02}, {3, 0}, {6.28, 0}}, Curve::Ends::periodic);
///     auto [f, df, ddf] = lift(0.3);
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// A value f(x) with f'(x) and f''(x).
struct CurveValue {
  double f = 0, df = 0, ddf = 0;
};

/// Immutable; copies share their data.
class Curve {
 public:
  /// Natural: f'' = 0 at the ends; clamped: f' = 0; periodic: f, f' and f'' agree at both ends.
  enum class Ends : unsigned char { natural, clamped, periodic };
  using Point = std::array<double, 2>;

  /// f(x) = x.
  Curve() = default;
  /// c_0 + c_1 x + c_2 x^2 + ...
  /// @throws Error if there is no coefficient, or one is not finite
  static Curve polynomial(std::vector<double> coefficients);
  /// The cubic spline through the points (x_i, y_i): f, f' and f'' are continuous. Beyond the ends it is a straight
  /// line, or continues with the period x_n - x_0.
  ///
  ///     h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 (d_i - d_{i-1})             (1)
  ///
  /// with interval lengths h, difference quotients d and m = f'' at the points. Natural ends: m = 0; clamped ends:
  /// 2 h m_0 + h m_1 = 6 d_0, and the mirror image at the last point; periodic ends: (1) with indices modulo n.
  /// @throws Error naming the point: fewer than two (four if periodic), not finite, x not increasing, y_0 and y_n of a
  ///         periodic spline not equal
  static Curve spline(std::vector<Point> points, Ends ends = Ends::natural);

  CurveValue operator()(double x) const;
  bool is_identity() const { return !data_; }
  /// The coefficients, for other programs. Piece i of a spline, from x_i on, is y + b s + c s^2 + d s^3 with
  /// s = x - x_i. Both lists are empty for f(x) = x.
  struct Coefficients {
    std::vector<double> polynomial;
    std::vector<std::array<double, 5>> pieces;  // x, y, b, c, d
    double end = 0;                             // of the last piece
    bool periodic = false;
  };
  Coefficients coefficients() const;

 private:
  struct Data;
  std::shared_ptr<const Data> data_;
};

/// The description of a curve in a file: at most one of both lists; neither: f(x) = x.
struct CurveData {
  std::vector<double> polynomial{};  // coefficients, the constant one first
  std::vector<Curve::Point> table{};
  Curve::Ends ends = Curve::Ends::natural;
  bool operator==(const CurveData&) const = default;
};
/// @throws Error as above, or if both lists are given
Curve make_curve(const CurveData& data);

}  // namespace CHASLES_API
