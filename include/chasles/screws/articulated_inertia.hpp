/// Articulated-body inertia: the apparent inertia of a body that carries further joints. Symmetric like a rigid
/// inertia, but with 21 numbers instead of 10, since its apparent mass depends on direction.
///
///     P = [[A, B], [B^T, C]]         on twists (w; v): the wrench (A w + B v; B^T w + C v)
///
/// 002 calls it P, Featherstone I^A.
#pragma once

#include "chasles/export.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles CHASLES_API {
namespace lie {

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

/// For (1): P with B' and with A' = A + F^T + G, which is symmetric.
template <class S>
constexpr ArticulatedInertia<S> shifted(const ArticulatedInertia<S>& P, const Mat3<S>& B,
                                        const Mat3<S>& F, const Mat3<S>& G) {
  const Sym3<S> sum{F.c0.x + G.c0.x, F.c0.y + G.c1.x, F.c0.z + G.c2.x,
                    F.c1.y + G.c1.y, F.c1.z + G.c2.y, F.c2.z + G.c2.z};
  return {P.A + sum, B, P.C};
}
/// [[1, K], [0, 1]] P [[1, 0], [K^T, 1]]: with K = s~ it is Ad_r^T P Ad_r, r = -s, which moves the reference point from
/// s to the origin.
///
///     B' = B + K C,      A' = A + (K B^T)^T + K B'^T                                           (1)
template <class S>
constexpr ArticulatedInertia<S> shift(const Mat3<S>& K, const ArticulatedInertia<S>& P) {
  const Mat3<S> B = P.B + K * matrix(P.C);
  return shifted(P, B, K * transpose(P.B), K * transpose(B));
}
/// (1) with K = s~, by cross products: column j of s~ B^T is s x (row j of B).
template <class S>
constexpr ArticulatedInertia<S> shift(const Vec3<S>& s, const ArticulatedInertia<S>& P) {
  const auto cross_each = [&](const Mat3<S>& m) {
    return Mat3<S>{cross(s, m.c0), cross(s, m.c1), cross(s, m.c2)};
  };
  const Mat3<S> B = P.B + cross_each(matrix(P.C));
  return shifted(P, B, cross_each(transpose(P.B)), cross_each(transpose(B)));
}
/// Rotates all axes by R.
template <class S>
constexpr ArticulatedInertia<S> rotate(const Mat3<S>& R, const ArticulatedInertia<S>& P) {
  return {rotate(R, P.A), R * P.B * transpose(R), rotate(R, P.C)};
}
/// Rotates the axes of the angular parts by R.
template <class S>
constexpr ArticulatedInertia<S> rotate_angular(const Mat3<S>& R, const ArticulatedInertia<S>& P) {
  return {rotate(R, P.A), R * P.B, P.C};
}
/// Ad_C^-T P Ad_C^-1: from the frame with the pose C to the reference frame.
template <class S>
constexpr ArticulatedInertia<S> transform(const SE3<S>& C, const ArticulatedInertia<S>& P) {
  return shift(C.r, rotate(C.R.matrix(), P));
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using ArticulatedInertia = lie::ArticulatedInertia<double>;
}  // namespace CHASLES_API
