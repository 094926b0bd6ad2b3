#include "chasles/math/space_curve.hpp"

#include <cmath>
#include <limits>

#include "chasles/error.hpp"
#include "math/expression.hpp"
#include "math/series_functions.hpp"
#include "math/spline.hpp"

namespace chasles {
namespace {

using S3 = Series<3>;

/// Three cubic splines over the same points.
struct VectorSpline {
  std::array<CubicSpline, 3> of{};

  void add(double s, const Vec3& p) {
    for (int k = 0; k < 3; ++k) {
      of[static_cast<std::size_t>(k)].x.push_back(s);
      of[static_cast<std::size_t>(k)].y.push_back(p[k]);
    }
  }
  void solve(Curve::Ends ends) {
    for (CubicSpline& one : of) one.solve(ends);
  }
  bool is_finite() const { return of[0].is_finite() && of[1].is_finite() && of[2].is_finite(); }
  SpaceCurveValue operator()(double s) const {
    const std::vector<double>& x = of[0].x;
    const auto after = std::upper_bound(x.begin(), x.end(), s) - x.begin();
    const auto last = static_cast<std::ptrdiff_t>(x.size()) - 2;
    const auto i = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(after - 1, 0, last));
    SpaceCurveValue out;
    for (int k = 0; k < 3; ++k) {
      const CubicSpline& one = of[static_cast<std::size_t>(k)];
      const CurveValue value = one.piece(i, s - x[i]);
      out.c[k] = value.f, out.d1[k] = value.df, out.d2[k] = value.ddf;
      out.d3[k] = (one.m[i + 1] - one.m[i]) / one.h(i);
    }
    return out;
  }
};

std::string point_text(const Vec3& p) { return tuple_text(std::array{p.x, p.y, p.z}); }

/// The rotation by the smallest angle that turns the unit vector a into b, applied to x, which is perpendicular to a.
Vec3 transported(const Vec3& x, const Vec3& a, const Vec3& b) {
  return x - (dot(b, x) / (1 + dot(a, b))) * (a + b);
}
Vec3 unit(const Vec3& x) { return (1 / norm(x)) * x; }

}  // namespace

struct SpaceCurve::Data {
  Function function;
  double from = 0, to = 0;
  bool closed = false;
  std::vector<double> s{};      // of the samples; a closed curve's last one is its first one
  std::vector<Vec3> samples{};  // their points
  VectorSpline guide{};         // vectors near the normals

  double inside(double at) const {
    return closed ? at - (to - from) * std::floor((at - from) / (to - from)) : at;
  }
  SpaceCurveValue at(double parameter) const { return straightened(function, inside(parameter)); }
  SpaceCurveValue guide_at(double parameter) const {
    return straightened(guide, inside(parameter));
  }
  /// A straight line beyond the ends.
  template <class Curve>
  SpaceCurveValue straightened(const Curve& curve, double parameter) const {
    const double end = std::clamp(parameter, from, to);
    const SpaceCurveValue value = curve(end);
    if (parameter == end) return value;
    return {value.c + (parameter - end) * value.d1, value.d1, {}, {}};
  }
  void sample(const std::vector<double>& parameters);
  void check_closed() const;
  void guide_normals();
};

void SpaceCurve::Data::sample(const std::vector<double>& parameters) {
  s = parameters;
  for (const double parameter : s) {
    const SpaceCurveValue value = function(parameter);
    for (const Vec3& x : {value.c, value.d1, value.d2, value.d3})
      if (!is_finite(x))
        throw Error("the curve or one of its derivatives is not finite at s = " +
                    to_text(parameter) + "; give another interval");
    if (!(max_abs(value.d1) > 0))
      throw Error("the curve has no tangent at s = " + to_text(parameter) +
                  ": its derivative is zero there; give another parameter, or end it before");
    samples.push_back(value.c);
  }
}

void SpaceCurve::Data::check_closed() const {
  const SpaceCurveValue a = function(from), b = function(to);
  double extent = 0;
  for (const Vec3& p : samples) extent = std::max(extent, max_abs(p - a.c));
  if (!(max_abs(b.c - a.c) <= 1e-9 * extent) || !(max_abs(b.d1 - a.d1) <= 1e-6 * max_abs(a.d1)))
    throw Error("the curve is not closed: it begins at " + point_text(a.c) +
                " with the derivative " + point_text(a.d1) + " and ends at " + point_text(b.c) +
                " with " + point_text(b.d1));
}

/// Transports a vector along the samples; on a closed curve the angle that is missing at the end is distributed.
void SpaceCurve::Data::guide_normals() {
  std::vector<Vec3> tangents, normals;
  for (const double at : s) tangents.push_back(unit(function(at).d1));
  const Vec3& t = tangents[0];
  const Vec3 least = std::abs(t.x) <= std::abs(t.y) && std::abs(t.x) <= std::abs(t.z)
                         ? Vec3{1, 0, 0}
                     : std::abs(t.y) <= std::abs(t.z) ? Vec3{0, 1, 0}
                                                      : Vec3{0, 0, 1};
  normals.push_back(unit(cross(t, least)));
  for (std::size_t k = 1; k < s.size(); ++k) {
    if (!(1 + dot(tangents[k - 1], tangents[k]) > 1e-6))
      throw Error("the curve turns around between s = " + to_text(s[k - 1]) + " and " +
                  to_text(s[k]) + "; give more points there");
    normals.push_back(unit(transported(normals.back(), tangents[k - 1], tangents[k])));
  }
  double missing = 0;
  if (closed)
    missing =
        std::atan2(dot(cross(normals.back(), normals[0]), t), dot(normals.back(), normals[0]));
  for (std::size_t k = 0; k < s.size(); ++k) {
    const double angle = missing * (s[k] - from) / (to - from);
    const bool end = closed && k + 1 == s.size();
    guide.add(s[k], end ? normals[0]
                        : std::cos(angle) * normals[k] +
                              std::sin(angle) * cross(tangents[k], normals[k]));
  }
  guide.solve(closed ? Curve::Ends::periodic : Curve::Ends::clamped);
}

SpaceCurve SpaceCurve::through(std::vector<Vec3> points, bool closed) {
  if (closed && points.size() > 1 && points.front() == points.back()) points.pop_back();
  if (points.size() < (closed ? 3U : 2U))
    throw Error("a curve has " + std::to_string(points.size()) + " points; give at least " +
                (closed ? "three" : "two"));
  if (closed) points.push_back(points.front());
  VectorSpline spline;
  double length = 0;
  std::vector<double> parameters;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!is_finite(points[i]))
      throw Error("point " + std::to_string(i) + " of a curve is " + point_text(points[i]) +
                  "; give finite numbers");
    const double step = i > 0 ? norm(points[i] - points[i - 1]) : 0;
    if (!std::isfinite(length + step))
      throw Error("points " + std::to_string(i - 1) + " and " + std::to_string(i) +
                  " of a curve are too far apart for numbers; give it in meters");
    if (i > 0 && !(step > 0 && length + step > length))
      throw Error("points " + std::to_string(i - 1) + " and " + std::to_string(i) +
                  " of a curve are both " + point_text(points[i]) + "; give each point once");
    for (int k = 1; i > 0 && k < 4; ++k) parameters.push_back(length + step * k / 4);
    parameters.push_back(length += step);
    spline.add(length, points[i]);
  }
  spline.solve(closed ? Curve::Ends::periodic : Curve::Ends::natural);
  if (!spline.is_finite()) throw Error("the spline of a curve leaves the range of numbers");
  auto data = std::make_shared<Data>();
  data->to = length, data->closed = closed;
  data->function = std::move(spline);
  data->sample(parameters);
  data->guide_normals();
  return SpaceCurve(std::move(data));
}

SpaceCurve SpaceCurve::of(Function function, double from, double to, bool closed) {
  constexpr int count = 256;
  if (!function) throw Error("a curve has no function");
  if (!(from < to && std::isfinite(to - from)))
    throw Error("a curve goes from " + to_text(from) + " to " + to_text(to) +
                "; give an interval that increases");
  auto data = std::make_shared<Data>();
  data->function = std::move(function);
  data->from = from, data->to = to, data->closed = closed;
  std::vector<double> parameters;
  for (int k = 0; k <= count; ++k)
    parameters.push_back(k == count ? to : from + (to - from) * k / count);
  data->sample(parameters);
  if (closed) data->check_closed();
  data->guide_normals();
  return SpaceCurve(std::move(data));
}

SpaceCurve SpaceCurve::expressions(std::string_view x, std::string_view y, std::string_view z,
                                   double from, double to, bool closed) {
  std::vector<Expression> list;
  const std::string_view texts[] = {x, y, z};
  const auto only_s = [](std::string_view name) {
    if (name != "s")
      throw Error("there is no variable '" + std::string(name.substr(0, 60)) +
                  "'; the parameter of a curve is s");
    return 0;
  };
  for (std::size_t k = 0; k < 3; ++k) try {
      list.emplace_back(texts[k], only_s);
    } catch (const ExpressionError& error) {
      throw Error(std::string(1, "xyz"[k]) + " of a curve, '" +
                  std::string(texts[k].substr(0, 60)) + "': " + error.what());
    }
  return of(
      [list = std::move(list)](double s) {
        SpaceCurveValue out;
        for (int k = 0; k < 3; ++k) {
          const Series<4> value = list[static_cast<std::size_t>(k)].series(s);
          out.c[k] = value.c[0], out.d1[k] = value.c[1];
          out.d2[k] = 2 * value.c[2], out.d3[k] = 6 * value.c[3];
        }
        return out;
      },
      from, to, closed);
}

SpaceCurveValue SpaceCurve::operator()(double s) const { return data_->at(s); }
bool SpaceCurve::closed() const { return data_->closed; }
double SpaceCurve::from() const { return data_->from; }
double SpaceCurve::to() const { return data_->to; }

/// Newton's method for f = c' . (c - y) between the neighbors of the nearest sample, with bisection where it leaves them.
/// The straight lines beyond the ends are nearest by their own distance: other parts of the curve may be nearer than its end.
double SpaceCurve::nearest(const Vec3& y) const {
  const Data& data = *data_;
  if (!is_finite(y)) return std::numeric_limits<double>::quiet_NaN();
  std::size_t k = 0;
  double least = HUGE_VAL;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const Vec3 way = data.samples[i] - y;
    if (const double square = dot(way, way); square < least) least = square, k = i;
  }
  const std::size_t last = data.samples.size() - 1;
  for (const std::size_t end : {std::size_t{0}, last}) {
    if (data.closed) break;
    const Vec3 way = y - data.samples[end],
               t = (end == 0 ? -1.0 : 1.0) * unit(data.at(data.s[end]).d1);
    const double along = dot(way, t);
    if (!(along > 0)) continue;
    const Vec3 across = way - along * t;
    if (const double square = dot(across, across); square < least) least = square, k = end;
  }
  const double span = data.to - data.from,
               beyond = data.closed ? data.s[1] - data.s[0] : 1e3 * span;
  double low = k > 0 ? data.s[k - 1] : data.from - beyond;
  double high = k < last ? data.s[k + 1] : data.to + beyond;
  double s = data.s[k];
  for (int n = 0; n < 100; ++n) {
    const SpaceCurveValue at = data.at(s);
    const double f = dot(at.d1, at.c - y), slope = dot(at.d1, at.d1) + dot(at.d2, at.c - y);
    (f > 0 ? high : low) = s;
    double next = s - f / slope;
    if (!(slope > 0 && next >= low && next <= high)) next = 0.5 * (low + high);
    const bool done = std::abs(next - s) <= 1e-15 * (std::abs(s) + span);
    s = next;
    if (done || f == 0) break;
  }
  return s;
}

/// e = (m - (m . t) t) / |..|, with the guide m.
SpaceCurveValue SpaceCurve::normal(double s) const {
  const SpaceCurveValue at = data_->at(s), m = data_->guide_at(s);
  lie::Vec3<S3> tangent, guide;
  for (int k = 0; k < 3; ++k) {
    tangent[k].c = {at.d1[k], at.d2[k], at.d3[k] / 2};
    guide[k].c = {m.c[k], m.d1[k], m.d2[k] / 2};
  }
  const lie::Vec3<S3> across = guide - (dot(guide, tangent) / dot(tangent, tangent)) * tangent;
  const lie::Vec3<S3> e = (S3(1) / sqrt(dot(across, across))) * across;
  SpaceCurveValue out;
  for (int k = 0; k < 3; ++k)
    out.c[k] = e[k].c[0], out.d1[k] = e[k].c[1], out.d2[k] = 2 * e[k].c[2];
  return out;
}

}  // namespace chasles
