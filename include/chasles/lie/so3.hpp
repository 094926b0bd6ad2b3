/// SO(3), the group of rotations. Elements map coordinates of a body frame to those of the
/// reference frame: p_0 = R p_b.
///
///     R1 * R2, inverse(R), R * p  composition, inverse, action on a point or direction
///     hat(w), vee(W)              R^3 and skew matrices (math/linalg.hpp)
///     exp(w), log(R)              R = exp(w~); |log R| <= pi
///     Ad(R, w) = R w              and ad(w, y) = w x y, with their duals
///     dexp(w), dexp_inv(w)        d/dt exp(w) = hat(dexp(w)(wdot)) exp(w), 000 (89)
///
///     SO3 R = exp(Vec3{0, 0, M_PI / 2});
///     R * Vec3{1, 0, 0};                   // (0, 1, 0)
#pragma once

#include <utility>

#include "chasles/error.hpp"
#include "chasles/export.hpp"
#include "chasles/lie/group.hpp"
#include "chasles/lie/isotropic.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// The largest entry of |R^T R - I|, as a measure of non-orthogonality.
template <class S>
Real<S> orthogonality_defect(const Mat3<S>& R) {
  const Mat3<S> D = transpose_times(R, R) - Mat3<S>::identity();
  return max_abs(Vec3<Real<S>>{max_abs(D.c0), max_abs(D.c1), max_abs(D.c2)});
}

/// Largest defect |R^T R - I| of a given matrix that is attributed to rounding (to six decimals) and removed.
inline constexpr double rotation_tolerance = 5e-6;

/// @paper 001 (2)
template <class S>
class SO3 {
 public:
  using Scalar = S;
  using Tangent = Vec3<S>;
  using Cotangent = Vec3<S>;

  /// The identity.
  constexpr SO3() : R_(Mat3<S>::identity()) {}

  /// A rotation from its matrix. A defect |R^T R - I| up to rotation_tolerance is removed; a
  /// larger one, or a reflection, is an error.
  /// @throws Error `not a rotation: |R^T R - I| = 0.3`; nearest_rotation (screws/projection.hpp)
  /// projects any matrix
  explicit SO3(const Mat3<S>& R);

  /// A rotation from a matrix that is known to be orthogonal: not checked.
  static constexpr SO3 unchecked(const Mat3<S>& R) {
    SO3 r;
    r.R_ = R;
    return r;
  }
  static constexpr SO3 identity() { return {}; }

  constexpr const Mat3<S>& matrix() const { return R_; }
  constexpr bool operator==(const SO3&) const = default;

  /// The nearest rotation, for a matrix that has drifted: one polar Newton step R (3 I - R^T R) / 2, which squares the
  /// defect d = |R^T R - I| (to at most 3 d^2). A product of n rotations drifts by at most 4 n epsilon: below 1e-9
  /// after 1e6 compositions; 1e-10 is typical for repeated factors, whose rounding errors accumulate.
  SO3 normalized() const {
    return unchecked(R_ * (S(0.5) * (S(3) * Mat3<S>::identity() - transpose_times(R_, R_))));
  }

  friend constexpr SO3 operator*(const SO3& a, const SO3& b) { return unchecked(a.R_ * b.R_); }
  friend constexpr Vec3<S> operator*(const SO3& a, const Vec3<S>& p) { return a.R_ * p; }

 private:
  Mat3<S> R_;
};

template <class S>
SO3<S>::SO3(const Mat3<S>& R) : R_(R) {
  const Real<S> defect = orthogonality_defect(R),
                tolerance = std::max(Real<S>(rotation_tolerance), 64 * epsilon<S>);
  const bool reflection = real_part(determinant(R)) < 0;
  if (!(defect <= tolerance) || reflection) {
    const std::string value = " (rows " +
                              tuple_text(coordinates(Vec3<Real<S>>{
                                  real_part(R(0, 0)), real_part(R(0, 1)), real_part(R(0, 2))})) +
                              tuple_text(coordinates(Vec3<Real<S>>{
                                  real_part(R(1, 0)), real_part(R(1, 1)), real_part(R(1, 2))})) +
                              tuple_text(coordinates(Vec3<Real<S>>{
                                  real_part(R(2, 0)), real_part(R(2, 1)), real_part(R(2, 2))})) +
                              ")";
    throw Error("not a rotation: " +
                (reflection && defect <= tolerance
                     ? std::string("the determinant is -1, a reflection")
                     : "|R^T R - I| = " + to_short_text(static_cast<double>(defect))) +
                value +
                "; give an orthogonal matrix with determinant 1 or project with nearest_rotation");
  }
  if (defect > 16 * epsilon<S>) *this = normalized().normalized();
}

template <class S>
constexpr SO3<S> inverse(const SO3<S>& C) {
  return SO3<S>::unchecked(transpose(C.matrix()));
}
/// C^-1 p without forming the inverse.
template <class S>
constexpr Vec3<S> inverse_times(const SO3<S>& C, const Vec3<S>& p) {
  return transpose_times(C.matrix(), p);
}
template <class S>
constexpr const Mat3<S>& matrix(const SO3<S>& C) {
  return C.matrix();
}

/// c0 I + c1 w~ + c2 w w^T.
template <class S>
constexpr Mat3<S> rodrigues(const Vec3<S>& w, const S& c0, const S& c1, const S& c2) {
  const Vec3<S> s = c1 * w, u = c2 * w;
  return {{c0 + u.x * w.x, u.x * w.y + s.z, u.x * w.z - s.y},
          {u.x * w.y - s.z, c0 + u.y * w.y, u.y * w.z + s.x},
          {u.x * w.z + s.y, u.y * w.z - s.x, c0 + u.z * w.z}};
}

/// exp(w) = c0 I + c1 w~ + c2 w w^T, 001 (12): rotation by the angle |w| [rad] about w.
/// @paper 001 (11)-(14)
/// @paper 003 (64)-(66)
/// @paper 004 (8)
template <class S>
SO3<S> exp(const Vec3<S>& rotation) {
  const auto [w, x, dx] = rotation_vector(rotation);
  const auto c = stumpff(x, dx);
  return SO3<S>::unchecked(rodrigues(w, c[0], c[1], c[2]));
}

/// Unit quaternion (scalar; vector) of a rotation, computed from the largest of its four components to avoid
/// cancellation.
template <class S>
struct Quaternion {
  S w{}, x{}, y{}, z{};
  constexpr bool operator==(const Quaternion&) const = default;
};
template <class S>
[[gnu::always_inline]] inline Quaternion<S> quaternion(const SO3<S>& C) {
  using std::sqrt;
  const Mat3<S>& R = C.matrix();
  const Vec3<S> d{R.c0.x, R.c1.y, R.c2.z}, skew = S(2) * vee(R);
  const Vec3<S> sym{R.c1.z + R.c2.y, R.c2.x + R.c0.z, R.c0.y + R.c1.x};
  const S sum = d.x + d.y + d.z;
  const Real<S> x = real_part(d.x), y = real_part(d.y), z = real_part(d.z);
  // q = sqrt(a)/2 of the largest component, the others by f = 1/(4 q).
  const auto root = [](const S& a) {
    const S q = S(0.5) * sqrt(a);
    return std::pair{q, q / a};
  };
  if (real_part(sum) > x && real_part(sum) > y && real_part(sum) > z) {
    const auto [q, f] = root(S(1) + sum);
    return {q, f * skew.x, f * skew.y, f * skew.z};
  }
  if (x > y && x > z) {
    const auto [q, f] = root(S(1) + (d.x - d.y - d.z));
    return {f * skew.x, q, f * sym.z, f * sym.y};
  }
  if (y > z) {
    const auto [q, f] = root(S(1) + (d.y - d.z - d.x));
    return {f * skew.y, f * sym.z, q, f * sym.x};
  }
  const auto [q, f] = root(S(1) + (d.z - d.x - d.y));
  return {f * skew.z, f * sym.y, f * sym.x, q};
}

/// Intermediate results of log for a rotation by t in [0, pi] about n: v = sin(t/2) n, c = cos(t/2) and
/// k = (t/2) / sin(t/2), so that the rotation vector is 2 k v and (t/2) cot(t/2) = k c.
template <class S>
struct HalfAngle {
  Vec3<S> v;
  S c, k;
};
template <class S>
[[gnu::always_inline]] inline HalfAngle<S> half_angle(const SO3<S>& C) {
  const Quaternion<S> q = quaternion(C);
  constexpr Real<S> noise = 4 * epsilon<S>, zero = Real<S>(1e-8);
  bool other_sign = real_part(q.w) < 0;
  if (std::abs(real_part(q.w)) < noise) [[unlikely]] {  // a rotation by pi
    for (const Real<S> n : {real_part(q.z), real_part(q.y), real_part(q.x)})
      if (std::abs(n) > zero) other_sign = n < 0;
  }
  const S sign(other_sign ? -1 : 1), c = sign * q.w;
  return {sign * Vec3<S>{q.x, q.y, q.z}, c, angle_over_sine(c)};
}
/// The rotation vector of least length, |w| <= pi. At the angle pi (within rounding), where w and -w are the same
/// rotation, the first nonzero component of the axis is positive, so that the sign does not depend on rounding.
template <class S>
Vec3<S> log(const SO3<S>& C) {
  const auto [v, c, k] = half_angle(C);
  return (k + k) * v;
}

/// Ad_R w = R w. The dual of R^3 is R^3 with the dot product, so Ad_dual(R, t) = R^T t.
template <class S>
constexpr Vec3<S> Ad(const SO3<S>& C, const Vec3<S>& w) {
  return C * w;
}
template <class S>
constexpr Vec3<S> Ad_inv(const SO3<S>& C, const Vec3<S>& w) {
  return inverse_times(C, w);
}
template <class S>
constexpr Vec3<S> Ad_dual(const SO3<S>& C, const Vec3<S>& t) {
  return inverse_times(C, t);
}
template <class S>
constexpr Vec3<S> Ad_inv_dual(const SO3<S>& C, const Vec3<S>& t) {
  return C * t;
}
template <class S>
constexpr Vec3<S> ad(const Vec3<S>& w, const Vec3<S>& y) {
  return cross(w, y);
}
template <class S>
constexpr Vec3<S> ad_dual(const Vec3<S>& w, const Vec3<S>& t) {
  return cross(t, w);
}

/// A linear operator on so(3) of the form f0 I + f1 w~ + f2 w~^2.
template <class S>
struct SO3Map {
  Isotropic<S> A;
  constexpr Vec3<S> operator()(const Vec3<S>& y) const { return A.apply(y); }
  constexpr Vec3<S> dual(const Vec3<S>& t) const { return A.transposed().apply(t); }
};

/// @paper 001 (18)
template <class S>
SO3Map<S> dexp(const Vec3<S>& w) {
  return {dexp_isotropic<0>(w)};
}
/// @paper 001 (15), (19)
/// @paper 004 (10)
template <class S>
SO3Map<S> dexp_inv(const Vec3<S>& w) {
  return {dexp_inv_isotropic<0>(w)};
}
/// d/ds dexp(w + s v) y at s = 0.
template <class S>
Vec3<S> d_dexp(const Vec3<S>& w, const Vec3<S>& v, const Vec3<S>& y) {
  return dexp_isotropic<1>(w).derivative(v, y);
}
/// d/ds dexp_inv(w + s v) y at s = 0.
template <class S>
Vec3<S> d_dexp_inv(const Vec3<S>& w, const Vec3<S>& v, const Vec3<S>& y) {
  return dexp_inv_isotropic<1>(w).derivative(v, y);
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using SO3 = lie::SO3<double>;
using Quaternion = lie::Quaternion<double>;
}  // namespace CHASLES_API
