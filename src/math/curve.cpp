#include "chasles/math/curve.hpp"

#include "chasles/error.hpp"
#include "math/spline.hpp"

namespace chasles {
namespace {

/// A tridiagonal system by elimination without pivots: the matrices of splines are diagonally dominant. `right` becomes
/// the solution.
void solve_tridiagonal(const std::vector<double>& below, std::vector<double> diagonal,
                       const std::vector<double>& above, std::vector<double>& right) {
  const std::size_t n = diagonal.size();
  for (std::size_t i = 1; i < n; ++i) {
    const double factor = below[i] / diagonal[i - 1];
    diagonal[i] -= factor * above[i - 1];
    right[i] -= factor * right[i - 1];
  }
  right[n - 1] /= diagonal[n - 1];
  for (std::size_t i = n - 1; i-- > 0;)
    right[i] = (right[i] - above[i] * right[i + 1]) / diagonal[i];
}

/// (1) with indices modulo n. The corners of the cyclic matrix are a change of rank one, u v^T with
/// u = (g, 0, ..., corner), v = (1, 0, ..., corner / g): Sherman and Morrison's formula.
void solve_periodic(CubicSpline& spline) {
  const std::size_t n = spline.x.size() - 1;
  std::vector<double> below(n), diagonal(n), above(n), right(n), u(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t before = i == 0 ? n - 1 : i - 1;
    below[i] = spline.h(before), above[i] = spline.h(i), diagonal[i] = 2 * (below[i] + above[i]);
    right[i] = 6 * (spline.slope(i) - spline.slope(before));
  }
  const double corner = below[0], g = -diagonal[0];
  diagonal[0] -= g, diagonal[n - 1] -= corner * corner / g;
  u[0] = g, u[n - 1] = corner;
  solve_tridiagonal(below, diagonal, above, right);
  solve_tridiagonal(below, diagonal, above, u);
  const double factor = (right[0] + corner / g * right[n - 1]) / (1 + u[0] + corner / g * u[n - 1]);
  spline.m.resize(n + 1);
  for (std::size_t i = 0; i < n; ++i) spline.m[i] = right[i] - factor * u[i];
  spline.m[n] = spline.m[0];
}

}  // namespace

void CubicSpline::solve(Curve::Ends ends) {
  const std::size_t n = x.size();
  m.assign(n, 0);
  if (n < 2) return;
  if (ends == Curve::Ends::periodic) return solve_periodic(*this);
  std::vector<double> diagonal(n, 1), above(n, 0), below(n, 0);
  if (ends == Curve::Ends::clamped) {
    diagonal[0] = 2 * h(0), above[0] = h(0), m[0] = 6 * slope(0);
    diagonal[n - 1] = 2 * h(n - 2), below[n - 1] = h(n - 2), m[n - 1] = -6 * slope(n - 2);
  }
  for (std::size_t i = 1; i + 1 < n; ++i) {
    below[i] = h(i - 1), diagonal[i] = 2 * (h(i - 1) + h(i)), above[i] = h(i);
    m[i] = 6 * (slope(i) - slope(i - 1));
  }
  solve_tridiagonal(below, diagonal, above, m);
}

struct Curve::Data {
  std::vector<double> coefficients;  // of a polynomial; empty: a spline
  CubicSpline spline;
  bool periodic = false;
};

namespace {

/// Horner's scheme for the value and two derivatives.
CurveValue polynomial_at(const std::vector<double>& c, double x) {
  CurveValue out;
  double half = 0;  // f'' / 2
  for (std::size_t k = c.size(); k-- > 0;) {
    half = half * x + out.df;
    out.df = out.df * x + out.f;
    out.f = out.f * x + c[k];
  }
  out.ddf = 2 * half;
  return out;
}

CurveValue spline_at(const CubicSpline& spline, bool periodic, double x) {
  const double first = spline.x.front(), last = spline.x.back();
  if (periodic) {
    const double period = last - first;
    return spline.inside(x - period * std::floor((x - first) / period));
  }
  if (x >= first && x <= last) return spline.inside(x);
  const CurveValue end = spline.inside(x < first ? first : last);
  const double s = x - (x < first ? first : last);
  return {end.f + s * end.df, end.df, 0};
}

void check_points(const std::vector<Curve::Point>& points, Curve::Ends ends) {
  require_known(ends, Curve::Ends::periodic, "end of a spline");
  const bool periodic = ends == Curve::Ends::periodic;
  if (points.size() < (periodic ? 4U : 2U))
    throw Error("a table has " + std::to_string(points.size()) + " points; give at least " +
                (periodic ? "four, the last one at the end of the period" : "two"));
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i][0]) || !std::isfinite(points[i][1]))
      throw Error("point " + std::to_string(i) + " of a table is " + tuple_text(points[i]) +
                  "; give finite numbers");
    if (i > 0 && !(points[i - 1][0] < points[i][0]))
      throw Error("a table does not increase: " + to_text(points[i][0]) + " after " +
                  to_text(points[i - 1][0]) + "; sort it by its first column, each value once");
  }
  if (periodic && points.front()[1] != points.back()[1])
    throw Error("a periodic table begins with the value " + to_text(points.front()[1]) +
                " and ends with " + to_text(points.back()[1]) +
                "; the last point is the first one, a period later");
}

}  // namespace

Curve Curve::polynomial(std::vector<double> coefficients) {
  if (coefficients.empty()) throw Error("a polynomial has no coefficients; give [c_0, c_1, ...]");
  for (const double c : coefficients)
    if (!std::isfinite(c))
      throw Error("a coefficient of a polynomial is " + to_text(c) + "; give finite numbers");
  Curve out;
  out.data_ = std::make_shared<const Data>(Data{std::move(coefficients), {}});
  return out;
}

Curve Curve::spline(std::vector<Point> points, Ends ends) {
  check_points(points, ends);
  Data data;
  data.periodic = ends == Ends::periodic;
  for (const Point& point : points) {
    data.spline.x.push_back(point[0]);
    data.spline.y.push_back(point[1]);
  }
  data.spline.solve(ends);
  if (!data.spline.is_finite())
    throw Error(
        "the spline of a table leaves the range of numbers between its points: its values are too "
        "large, or its points too close");
  Curve out;
  out.data_ = std::make_shared<const Data>(std::move(data));
  return out;
}

CurveValue Curve::operator()(double x) const {
  if (!data_) return {x, 1, 0};
  if (!data_->coefficients.empty()) return polynomial_at(data_->coefficients, x);
  if (!std::isfinite(x)) return {x, x, x};
  return spline_at(data_->spline, data_->periodic, x);
}

Curve::Coefficients Curve::coefficients() const {
  Coefficients out;
  if (!data_) return out;
  out.polynomial = data_->coefficients;
  out.periodic = data_->periodic;
  const CubicSpline& s = data_->spline;
  for (std::size_t i = 0; i + 1 < s.x.size(); ++i)
    out.pieces.push_back(
        {s.x[i], s.y[i], s.start_slope(i), s.m[i] / 2, (s.m[i + 1] - s.m[i]) / (6 * s.h(i))});
  if (!s.x.empty()) out.end = s.x.back();
  return out;
}

Curve make_curve(const CurveData& data) {
  if (!data.polynomial.empty() && !data.table.empty())
    throw Error("both a polynomial and a table are given; one of them is the function");
  if (!data.polynomial.empty()) return Curve::polynomial(data.polynomial);
  if (!data.table.empty()) return Curve::spline(data.table, data.ends);
  return {};
}

}  // namespace chasles
