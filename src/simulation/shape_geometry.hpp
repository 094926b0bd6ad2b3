/// Points of contact of two collision shapes, for numbers and for numbers with derivatives (math/jet.hpp).
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "chasles/lie/se3.hpp"
#include "chasles/mechanism/collision.hpp"

namespace chasles::contacts {

template <class S>
using V3 = lie::Vec3<S>;

/// The pose of a link, in world axes.
template <class S>
struct LinkPose {
  lie::Mat3<S> R;
  V3<S> r;
  V3<S> point(const Vec3& p) const { return r + turn(p); }
  V3<S> turn(const Vec3& p) const { return R * V3<S>{S(p.x), S(p.y), S(p.z)}; }
};

/// A point of contact: where the force acts, the normal from the second shape to the first, the penetration.
template <class S>
struct ContactPoint {
  V3<S> P, n;
  S x;
};

/// A shape in the frame of its link. Spheres, capsules and boxes are points with a radius.
struct LinkShape {
  CollisionShape::Kind kind = CollisionShape::sphere;
  std::vector<Vec3> points{};  // centers, ends of axes, corners
  double radius = 0;
  SE3 pose{};
  Vec3 half{};        // box: half edges; ellipsoid: semiaxes
  Vec3 normal{};      // plane; cylinder: its axis
  double reach = 0;   // distance of its farthest point from the origin of the link
  double extent = 0;  // radius of a sphere about `pose.r` that contains it
};

/// Width of the tilt in which the point of contact of a disc moves through the disc [rad].
inline constexpr double disc_tilt = 0.01;

template <class S>
V3<S> constant(const Vec3& a) {
  return {S(a.x), S(a.y), S(a.z)};
}

/// (1) of shape_contact.hpp.
template <class S, class Visit>
void touch_plane(const LinkShape& a, const LinkPose<S>& A, const LinkShape& plane,
                 const LinkPose<S>& B, double margin, const Visit& visit) {
  using std::sqrt;
  const V3<S> n = B.turn(plane.normal), origin = B.point(plane.points[0]);
  if (a.kind == CollisionShape::ellipsoid) {
    const V3<S> c = A.point(a.pose.r);
    const Mat3& axes = a.pose.R.matrix();
    V3<S> g{};  // D^2 n in world axes, D n in those of the shape
    S square(0);
    for (int k = 0; k < 3; ++k) {
      const V3<S> e = A.turn(axes.column(k));
      const S component = S(a.half[k]) * dot(e, n);
      g += (S(a.half[k]) * component) * e;
      square = square + component * component;
    }
    const S h = sqrt(square);
    return visit(ContactPoint<S>{c - g / h, n, h + S(margin) - dot(n, c - origin)});
  }
  for (const Vec3& center : a.points) {
    const V3<S> c = A.point(center);
    const S below = S(margin) - dot(n, c - origin);
    if (a.kind == CollisionShape::cylinder) {
      const V3<S> axis = A.turn(a.normal), s = n - dot(n, axis) * axis;
      const S q = sqrt(dot(s, s) + S(disc_tilt * disc_tilt));
      visit(
          ContactPoint<S>{c - (S(a.radius) / q) * s, n, S(a.radius) * (q - S(disc_tilt)) + below});
    } else {
      visit(ContactPoint<S>{c - S(a.radius) * n, n, S(a.radius) + below});
    }
  }
}

/// Thrown if two cores coincide, so that they have no normal.
struct NoNormal {};

template <class S, class Visit>
void touch_cores(const V3<S>& c_a, double radius_a, const V3<S>& c_b, double radius_b,
                 const Visit& visit) {
  const V3<S> way = c_a - c_b;
  if (!(max_abs(way) > 0)) throw NoNormal{};
  const S d = norm(way);
  const V3<S> n = way / d;
  visit(ContactPoint<S>{c_a - S(radius_a) * n, n, S(radius_a + radius_b) - d});
}

/// A number between 0 and 1.
template <class S>
S clamped(const S& t) {
  const double x = lie::real_part(t);
  return x < 0 ? S(0) : x > 1 ? S(1) : t;
}
/// Nearest points of two segments, each of which may be a point.
template <class S>
std::pair<V3<S>, V3<S>> nearest(const V3<S>& a, const V3<S>& u, const V3<S>& b, const V3<S>& v) {
  const V3<S> w = a - b;
  const S uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), uw = dot(u, w), vw = dot(v, w);
  const double length_u = lie::real_part(uu), length_v = lie::real_part(vv);
  const S crossed = uu * vv - uv * uv;
  S s(0), t(0);
  if (length_u > 0 && lie::real_part(crossed) > 1e-12 * length_u * length_v)
    s = clamped((uv * vw - uw * vv) / crossed);
  else if (length_u > 0 && !(length_v > 0))
    s = clamped(-uw / uu);
  else if (length_u > 0)
    s = S(0.5);  // parallel
  if (length_v > 0) {
    t = clamped((uv * s + vw) / vv);
    if (length_u > 0) s = clamped((uv * t - uw) / uu);
  }
  return {a + s * u, b + t * v};
}

/// A sphere and a box: the nearest point of the box, or the nearest face if the center is inside.
template <class S, class Visit>
void touch_box(const LinkShape& a, const LinkPose<S>& A, const LinkShape& box, const LinkPose<S>& B,
               double margin, const Visit& visit) {
  const V3<S> c = A.point(a.points[0]), center = B.point(box.pose.r);
  const Mat3& axes = box.pose.R.matrix();
  V3<S> at = center;
  bool inside = true;
  int face = 0;
  double least = HUGE_VAL;
  for (int k = 0; k < 3; ++k) {
    const V3<S> e = B.turn(axes.column(k));
    const S y = dot(e, c - center);
    const double beyond = std::abs(lie::real_part(y)) - box.half[k];
    if (-beyond < least) least = -beyond, face = k;
    if (beyond > 0) inside = false;
    at += (beyond > 0 ? S(std::copysign(box.half[k], lie::real_part(y))) : y) * e;
  }
  if (!inside)
    return touch_cores(c, a.radius + margin, at, 0, [&](ContactPoint<S> point) {
      point.P = point.P + S(margin) * point.n;
      visit(point);
    });
  V3<S> n = B.turn(axes.column(face));
  if (lie::real_part(dot(n, c - center)) < 0) n = -n;
  visit(ContactPoint<S>{c - S(a.radius) * n, n,
                        S(a.radius + margin + box.half[face]) - dot(n, c - center)});
}

/// Calls `visit` with each point of contact, touching or not.
template <class S, class Visit>
void touch(const LinkShape& a, const LinkPose<S>& A, const LinkShape& b, const LinkPose<S>& B,
           double margin, const Visit& visit) {
  if (b.kind == CollisionShape::plane) return touch_plane(a, A, b, B, margin, visit);
  if (b.kind == CollisionShape::box) return touch_box(a, A, b, B, margin, visit);
  const V3<S> p = A.point(a.points[0]), q = B.point(b.points[0]);
  const auto [c_a, c_b] = nearest(p, A.point(a.points.back()) - p, q, B.point(b.points.back()) - q);
  touch_cores(c_a, a.radius, c_b, b.radius + margin, visit);
}

}  // namespace chasles::contacts
