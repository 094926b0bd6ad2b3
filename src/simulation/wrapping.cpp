#include "simulation/wrapping.hpp"

#include <algorithm>
#include <cmath>

namespace chasles::forces {
namespace {

/// A vector of the plane.
struct Flat {
  double x, y;
};
double product(const Flat& a, const Flat& b) { return a.x * b.x + a.y * b.y; }
double size(const Flat& a) { return std::hypot(a.x, a.y); }

struct FlatPath {
  Flat first, second;  // where it touches
  double arc;          // [rad]
};

/// Whether the straight line meets the circle.
bool meets(const Flat& from, const Flat& to, double R) {
  const Flat way{to.x - from.x, to.y - from.y};
  const double square = product(way, way);
  const double s = square > 0 ? std::clamp(-product(from, way) / square, 0.0, 1.0) : 0;
  const Flat nearest{from.x + s * way.x, from.y + s * way.y};
  return product(nearest, nearest) < R * R;
}
/// a x b.
double turn(const Flat& a, const Flat& b) { return a.x * b.y - a.y * b.x; }
/// Whether s = -alpha a - beta b with alpha, beta > 0: it is opposite to the angle between a and b.
bool is_opposite(const Flat& s, const Flat& a, const Flat& b) {
  const double ab = turn(a, b);
  return turn(s, b) * ab < 0 && turn(a, s) * ab < 0;
}

/// (1); none: straight.
std::optional<FlatPath> around_circle(const Flat& from, const Flat& to, double R,
                                      const std::optional<Flat>& side) {
  const double r_0 = size(from), r_1 = size(to);
  if (!(r_0 > R && r_1 > R)) return std::nullopt;
  const bool back = side && is_opposite(*side, from, to);
  if (!back && !meets(from, to, R)) return std::nullopt;
  const double phi_0 = std::acos(R / r_0), phi_1 = std::acos(R / r_1);
  const double theta_0 = std::atan2(from.y, from.x);
  // From -pi to pi, the angle of the shorter way.
  const double angle = std::atan2(turn(from, to), product(from, to));
  double sense = (angle < 0) == back ? 1 : -1;
  if (side && std::abs(angle) > M_PI - 1e-12) sense = turn(from, *side) < 0 ? -1 : 1;
  const double Delta = back ? 2 * M_PI - std::abs(angle) : std::abs(angle);
  const double arc = Delta - phi_0 - phi_1;
  if (!(arc >= 0)) return std::nullopt;
  const double first = theta_0 + sense * phi_0, second = first + sense * arc;
  return FlatPath{{R * std::cos(first), R * std::sin(first)},
                  {R * std::cos(second), R * std::sin(second)},
                  arc};
}

std::optional<WrappedPath> around_sphere(double R, const Vec3& from, const Vec3& to,
                                         const std::optional<Vec3>& side) {
  const double r = norm(from);
  if (!(r > R)) return std::nullopt;
  const Vec3 e = (1 / r) * from;
  Vec3 across = to - dot(to, e) * e;
  if (!(norm(across) > 1e-12 * norm(to))) {  // through the center: any plane, or that of the side
    const Vec3 any = std::abs(e.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
    const Vec3 wanted = side ? *side - dot(*side, e) * e : Vec3{};
    across = norm(wanted) > 1e-12 * R ? wanted : any - dot(any, e) * e;
  }
  const Vec3 f = (1 / norm(across)) * across;
  const auto flat = [&](const Vec3& x) { return Flat{dot(x, e), dot(x, f)}; };
  const auto path =
      around_circle(flat(from), flat(to), R, side ? std::optional(flat(*side)) : std::nullopt);
  if (!path) return std::nullopt;
  const auto up = [&](const Flat& x) { return x.x * e + x.y * f; };
  return WrappedPath{up(path->first), up(path->second), R * path->arc};
}

std::optional<WrappedPath> around_cylinder(double R, const Vec3& from, const Vec3& to,
                                           const std::optional<Vec3>& side) {
  const Flat a{from.x, from.y}, b{to.x, to.y};
  const auto path =
      around_circle(a, b, R, side ? std::optional(Flat{side->x, side->y}) : std::nullopt);
  if (!path) return std::nullopt;
  const auto [p, q, angle] = *path;
  const double before = size({p.x - a.x, p.y - a.y}), on = R * angle,
               after = size({b.x - q.x, b.y - q.y}), all = before + on + after;
  const double rise = (to.z - from.z) / all;  // per length in the plane
  return WrappedPath{{p.x, p.y, from.z + rise * before},
                     {q.x, q.y, to.z - rise * after},
                     on * std::sqrt(1 + rise * rise)};
}

}  // namespace

std::optional<WrappedPath> wrapped_path(Tendon::Wrap::Shape shape, double radius, const Vec3& from,
                                        const Vec3& to, const std::optional<Vec3>& side) {
  return shape == Tendon::Wrap::sphere ? around_sphere(radius, from, to, side)
                                       : around_cylinder(radius, from, to, side);
}

}  // namespace chasles::forces
