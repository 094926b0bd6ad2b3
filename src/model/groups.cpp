#include "model/groups.hpp"

#include <cmath>

#include "chasles/lie/cayley.hpp"
#include "chasles/lie/quaternion.hpp"
#include "model/model_data.hpp"

namespace chasles {

SO3 rotation_of(const double* q) {
  const Vec3 v{q[1], q[2], q[3]};
  const double vv = dot(v, v), ww = q[0] * q[0], s = 1 / (ww + vv);
  if (!(ww + vv > least_square && ww + vv < most_square)) [[unlikely]]
    if (const double m = max_abs(Vec3{max_abs(v), q[0], 0}); m > 0 && std::isfinite(m)) {
      const double scaled[] = {q[0] / m, q[1] / m, q[2] / m, q[3] / m};
      return rotation_of(scaled);
    }
  return SO3::unchecked(lie::rodrigues(v, (ww - vv) * s, 2 * q[0] * s, 2 * s));
}
void put_rotation(const SO3& R, double* q) {
  const Quaternion p = quaternion(R);
  const double sign = p.w < 0 ? -1 : 1;
  q[0] = sign * p.w, q[1] = sign * p.x, q[2] = sign * p.y, q[3] = sign * p.z;
}

void put_rotation_near(const double* other, const SO3& R, double* q) {
  const double o[4] = {other[0], other[1], other[2], other[3]};  // may alias q
  const Quaternion p = quaternion(R);
  const double sign = p.w * o[0] + p.x * o[1] + p.y * o[2] + p.z * o[3] < 0 ? -1 : 1;
  q[0] = sign * p.w, q[1] = sign * p.x, q[2] = sign * p.y, q[3] = sign * p.z;
}

namespace {

// Elements, tangents and cotangents of the groups as arrays of numbers.

template <class G>
struct Numbers {  // SE(3), SO(3) x R^3
  static constexpr int nq = 7, nv = 6;
  static G element(const double* q) { return {rotation_of(q), vec3_at(q + 4)}; }
  static typename G::Tangent tangent(const double* x) { return {vec3_at(x), vec3_at(x + 3)}; }
  static typename G::Cotangent cotangent(const double* p) { return {vec3_at(p), vec3_at(p + 3)}; }
  static void write_near(const double* other, const G& C, double* q) {
    put_rotation_near(other, C.R, q), put(C.r, q + 4);
  }
  static void write(const typename G::Tangent& x, double* out) { put(x.w, out), put(x.v, out + 3); }
  static void write(const typename G::Cotangent& p, double* out) {
    put(p.t, out), put(p.f, out + 3);
  }
};
template <>
struct Numbers<SO3> {
  static constexpr int nq = 4, nv = 3;
  static SO3 element(const double* q) { return rotation_of(q); }
  static Vec3 tangent(const double* x) { return vec3_at(x); }
  static Vec3 cotangent(const double* p) { return vec3_at(p); }
  static void write_near(const double* other, const SO3& R, double* q) {
    put_rotation_near(other, R, q);
  }
  static void write(const Vec3& x, double* out) { put(x, out); }
};

/// exp(x_1 e_1) exp(x_2 e_2) exp(x_3 e_3), and the rate of x at the angular velocity w: solves w = sum of the
/// axes, each rotated by the factors after it, times the rates.
SO3 second_kind(const Vec3& x) {
  return exp(Vec3{x.x, 0, 0}) * exp(Vec3{0, x.y, 0}) * exp(Vec3{0, 0, x.z});
}
Vec3 second_kind_rate(const Vec3& x, const Vec3& w) {
  const double c2 = std::cos(x.y), s2 = std::sin(x.y), c3 = std::cos(x.z), s3 = std::sin(x.z);
  const double d1 = (c3 * w.x - s3 * w.y) / c2;
  return {d1, s3 * w.x + c3 * w.y, w.z - s2 * d1};
}
// The translation is the first factor, so that in SE(3) its rate is R v.
SO3 second_kind_of(const Vec3& x, SO3*) { return second_kind(x); }
SE3 second_kind_of(const Twist& x, SE3*) { return {second_kind(x.w), x.v}; }
SO3xR3 second_kind_of(const MixedTwist& x, SO3xR3*) { return {second_kind(x.w), x.v}; }
Vec3 second_kind_rate_of(const Vec3& x, const Vec3& w) { return second_kind_rate(x, w); }
Twist second_kind_rate_of(const Twist& x, const Twist& V) {
  return {second_kind_rate(x.w, V.w), second_kind(x.w) * V.v};
}
MixedTwist second_kind_rate_of(const MixedTwist& x, const MixedTwist& V) {
  return {second_kind_rate(x.w, V.w), V.v};
}

// The rate of a position.
void position_rate(const double*, const double*, double*, SO3*) {}
void position_rate(const double* q, const double* v, double* out, SE3*) {
  put(rotation_of(q) * vec3_at(v + 3), out + 4);
}
void position_rate(const double*, const double* v, double* out, SO3xR3*) {
  put(vec3_at(v + 3), out + 4);
}

template <class G>
struct Row {
  using N = Numbers<G>;
  static void plus(const double* q, const double* x, double* out) {
    N::write_near(q, N::element(q) * exp(N::tangent(x)), out);
    // cos(|x|/2) is the dot product of both quaternions: negative for rotations beyond 180 degrees.
    const Vec3 w = vec3_at(x);
    if (const double angle_2 = dot(w, w);
        angle_2 > M_PI * M_PI && std::cos(0.5 * std::sqrt(angle_2)) < 0)
      for (int k = 0; k < 4; ++k) out[k] = -out[k];
  }
  static void minus(const double* q1, const double* q0, double* out) {
    N::write(lie::minus(N::element(q1), N::element(q0)), out);
  }
  static void dexp(const double* x, const double* u, double* out) {
    N::write(lie::dexp(-N::tangent(x))(N::tangent(u)), out);
  }
  static void dexp_inv(const double* x, const double* v, double* out) {
    N::write(lie::dexp_inv(-N::tangent(x))(N::tangent(v)), out);
  }
  static void d_dexp_inv(const double* x, const double* y, const double* v, double* out) {
    N::write(lie::d_dexp_inv(-N::tangent(x), -N::tangent(y), N::tangent(v)), out);
  }
  static void dexp_inv_dual(const double* x, const double* p, double* out) {
    N::write(lie::dexp_inv(-N::tangent(x)).dual(N::cotangent(p)), out);
  }
  static void ad_dual(const double* v, const double* p, double* out) {
    N::write(lie::ad_dual(N::tangent(v), N::cotangent(p)), out);
  }
  static void coordinate_rate(const double* q, const double* v, double* out) {
    const Vec3 w = vec3_at(v), p = vec3_at(q + 1);  // quaternion rate: q (0, w) / 2
    out[0] = -0.5 * dot(p, w);
    put(0.5 * (q[0] * w + cross(p, w)), out + 1);
    position_rate(q, v, out, static_cast<G*>(nullptr));
  }
  static void chart_plus(Chart chart, const double* q, const double* x, double* out) {
    switch (chart) {
      case Chart::exponential:
        return plus(q, x, out);
      case Chart::cayley:
        return N::write_near(q, N::element(q) * lie::cay(N::tangent(x)), out);
      case Chart::second_kind:
        return N::write_near(
            q, N::element(q) * second_kind_of(N::tangent(x), static_cast<G*>(nullptr)), out);
    }
  }
  static void chart_rate(Chart chart, const double* x, const double* v, double* out) {
    switch (chart) {
      case Chart::exponential:
        return dexp_inv(x, v, out);
      case Chart::cayley:
        return N::write(lie::dcay_inv(-N::tangent(x))(N::tangent(v)), out);
      case Chart::second_kind:
        return N::write(second_kind_rate_of(N::tangent(x), N::tangent(v)), out);
    }
  }
  static constexpr JointGroup group{
      N::nq,         N::nv,   false,           plus,       minus,     dexp, dexp_inv, d_dexp_inv,
      dexp_inv_dual, ad_dual, coordinate_rate, chart_plus, chart_rate};
};

constexpr JointGroup flat{0,       0,       true,    nullptr, nullptr, nullptr, nullptr,
                          nullptr, nullptr, nullptr, nullptr, nullptr, nullptr};

}  // namespace

const JointGroup& group_of(LinkMotion motion) {
  switch (motion) {
    case LinkMotion::spherical:
      return Row<SO3>::group;
    case LinkMotion::floating_se3:
      return Row<SE3>::group;
    case LinkMotion::floating_so3xr3:
      return Row<SO3xR3>::group;
    default:
      return flat;
  }
}

}  // namespace chasles
