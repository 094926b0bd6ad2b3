/// The inertia of a body that carries joints, as felt at its own joint: symmetric like a rigid
/// inertia, but with 21 numbers instead of 10, since its mass depends on the direction of the push.
///
///     P = [[A, B], [B^T, C]]         on twists (w; v): the wrench (A w + B v; B^T w + C v)
///
/// 002 calls it P; elsewhere: articulated-body inertia.
#pragma once

#include "chasles/lie/inertia.hpp"

namespace chasles::lie {

template <class S>
struct ArticulatedInertia {
  using Scalar = S;
  Sym3<S> A;
  Mat3<S> B;
  Sym3<S> C;

  constexpr ArticulatedInertia() = default;
  constexpr ArticulatedInertia(const Sym3<S>& a, const Mat3<S>& b, const Sym3<S>& c)
      : A(a), B(b), C(c) {}
  /// A rigid body: A = I, B = m c~, C = m 1.
  constexpr explicit ArticulatedInertia(const Inertia<S>& M)
      : A(M.I), B(hat(M.mc)), C(Sym3<S>::diagonal(M.m, M.m, M.m)) {}

  constexpr ArticulatedInertia& operator+=(const ArticulatedInertia& b) {
    A = A + b.A, B = B + b.B, C = C + b.C;
    return *this;
  }
  friend constexpr Wrench<S> operator*(const ArticulatedInertia& P, const Twist<S>& V) {
    return {P.A * V.w + P.B * V.v, transpose_times(P.B, V.w) + P.C * V.v};
  }
  /// P - U G^T, where the product is symmetric.
  constexpr void subtract(const Wrench<S>& U, const Wrench<S>& G) {
    A.xx = A.xx - U.t.x * G.t.x, A.xy = A.xy - U.t.x * G.t.y, A.xz = A.xz - U.t.x * G.t.z;
    A.yy = A.yy - U.t.y * G.t.y, A.yz = A.yz - U.t.y * G.t.z, A.zz = A.zz - U.t.z * G.t.z;
    C.xx = C.xx - U.f.x * G.f.x, C.xy = C.xy - U.f.x * G.f.y, C.xz = C.xz - U.f.x * G.f.z;
    C.yy = C.yy - U.f.y * G.f.y, C.yz = C.yz - U.f.y * G.f.z, C.zz = C.zz - U.f.z * G.f.z;
    B = B - outer(U.t, G.f);
  }
};

/// Ad_r^T P Ad_r with r = -s: from the point at s to the origin.
///
///     B' = B + s~ C,      A' = A + (s~ B^T)^T + s~ B'^T
template <class S>
constexpr ArticulatedInertia<S> shift(const Vec3<S>& s, const ArticulatedInertia<S>& P) {
  const Mat3<S> s_hat_C{cross(s, Vec3<S>{P.C.xx, P.C.xy, P.C.xz}),
                        cross(s, Vec3<S>{P.C.xy, P.C.yy, P.C.yz}),
                        cross(s, Vec3<S>{P.C.xz, P.C.yz, P.C.zz})};
  const Mat3<S> B = P.B + s_hat_C;
  // Columns j of s~ B^T are s x (row j of B).
  const Mat3<S> E = transpose(P.B), F = transpose(B);
  const Mat3<S> K{cross(s, E.c0), cross(s, E.c1), cross(s, E.c2)};
  const Mat3<S> L{cross(s, F.c0), cross(s, F.c1), cross(s, F.c2)};
  const Sym3<S> sum{K.c0.x + L.c0.x, K.c0.y + L.c1.x, K.c0.z + L.c2.x,
                    K.c1.y + L.c1.y, K.c1.z + L.c2.y, K.c2.z + L.c2.z};
  return {P.A + sum, B, P.C};
}
/// All axes turned by R.
template <class S>
constexpr ArticulatedInertia<S> rotate(const Mat3<S>& R, const ArticulatedInertia<S>& P) {
  return {rotate(R, P.A), R * P.B * transpose(R), rotate(R, P.C)};
}
/// The axes of the angular parts turned by R.
template <class S>
constexpr ArticulatedInertia<S> rotate_angular(const Mat3<S>& R, const ArticulatedInertia<S>& P) {
  return {rotate(R, P.A), R * P.B, P.C};
}
/// Ad_C^-T P Ad_C^-1: from the frame with the pose C to the reference frame.
template <class S>
constexpr ArticulatedInertia<S> transform(const SE3<S>& C, const ArticulatedInertia<S>& P) {
  return shift(C.r, rotate(C.R.matrix(), P));
}

}  // namespace chasles::lie

namespace chasles {
using ArticulatedInertia = lie::ArticulatedInertia<double>;
}  // namespace chasles
