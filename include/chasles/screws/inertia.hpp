/// Spatial inertia of a rigid body as (m, m c, I): mass, first moment, rotational inertia, all about the origin of the
/// frame it is given in. As a matrix on twists, 000 (40):
///
///     M = [[I, m c~], [-m c~, m 1]]
///
/// It is linear in its ten parameters: rigidly connected bodies are combined by +.
///
///     Inertia M = inertia_about_com(2.0, {0, 0, 0.1}, Sym3::diagonal(0.02, 0.02, 0.01));
///     Wrench momentum = M * V;
///
/// (inertia_about_com checks its arguments: screws/physical.hpp.)
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// @paper 000 (40)
/// @paper 002 (2.2)
template <class S>
struct Inertia {
  using Scalar = S;
  S m{};       // mass [kg]
  Vec3<S> mc;  // mass times center of mass [kg m]
  Sym3<S> I;   // about the origin of the frame [kg m^2]
  constexpr bool operator==(const Inertia&) const = default;

  friend constexpr Inertia operator+(const Inertia& a, const Inertia& b) {
    return {a.m + b.m, a.mc + b.mc, a.I + b.I};
  }
  friend constexpr Inertia operator-(const Inertia& a, const Inertia& b) {
    return {a.m - b.m, a.mc - b.mc, a.I - b.I};
  }
  constexpr Inertia& operator+=(const Inertia& b) { return *this = *this + b; }

  /// Momentum (L; P) = M V.
  friend constexpr Wrench<S> operator*(const Inertia& M, const Twist<S>& V) {
    return {M.I * V.w + cross(M.mc, V.v), M.m * V.v - cross(M.mc, V.w)};
  }
};

/// Parallel-axis (Steiner) term: the rotational inertia about the origin of a point mass m at c, m (c.c 1 - c c^T),
/// with mc = m c. Added to an inertia about the center of mass, it gives that about the origin.
template <class S>
constexpr Sym3<S> parallel_axis(const Vec3<S>& mc, const Vec3<S>& c) {
  const S xx = mc.x * c.x, yy = mc.y * c.y, zz = mc.z * c.z;
  return {yy + zz, -(mc.x * c.y), -(mc.x * c.z), xx + zz, -(mc.y * c.z), xx + yy};
}
/// The inertia of a body of mass m with center of mass c and rotational inertia I_c about it.
/// Unchecked.
/// @paper 000 (39), (40)
template <class S>
constexpr Inertia<S> compose_inertia(const S& m, const Vec3<S>& c, const Sym3<S>& I_c) {
  const Vec3<S> mc = m * c;
  return {m, mc, I_c + parallel_axis(mc, c)};
}
/// Center of mass [m]; the origin for a massless body.
template <class S>
constexpr Vec3<S> center_of_mass(const Inertia<S>& M) {
  return real_part(M.m) == 0 ? Vec3<S>{} : M.mc / M.m;
}
/// Rotational inertia about the center of mass.
template <class S>
constexpr Sym3<S> central_inertia(const Inertia<S>& M) {
  return M.I - parallel_axis(M.mc, center_of_mass(M));
}

/// Ad_C^-T M Ad_C^-1: the inertia M, given in the frame whose pose is C, in the reference frame.
///
///     m' = m,   mc' = h + m r,   I' = R I R^T + 2 (k.r) 1 - (k r^T + r k^T)
///
/// with h = R mc and k = h + m r / 2.
/// @paper 000 (34)
/// @paper 002 (2.3)
template <class S>
constexpr Inertia<S> transform(const SE3<S>& C, const Inertia<S>& M) {
  const Vec3<S> h = C.R * M.mc, k = h + (S(0.5) * M.m) * C.r;
  // Parallel-axis theorem for an arbitrary origin: 2 (k.r) 1 - (k r^T + r k^T).
  const S xx = S(2) * k.x * C.r.x, yy = S(2) * k.y * C.r.y, zz = S(2) * k.z * C.r.z;
  const Sym3<S> shift{yy + zz, -(k.x * C.r.y + k.y * C.r.x), -(k.x * C.r.z + k.z * C.r.x),
                      xx + zz, -(k.y * C.r.z + k.z * C.r.y), xx + yy};
  return {M.m, h + M.m * C.r, rotate(C.R.matrix(), M.I) + shift};
}

/// Newton-Euler: the wrench for the acceleration A = Vdot at the twist V, W = M A - ad_V^T M V. All in one frame,
/// body-fixed 000 (41) or spatial 000 (38).
/// @paper 000 (38), (41)
template <class S>
constexpr Wrench<S> newton_euler(const Inertia<S>& M, const Twist<S>& V, const Twist<S>& A) {
  return M * A - ad_dual(V, M * V);
}
/// V^T M V / 2 [J].
template <class S>
constexpr S kinetic_energy(const Inertia<S>& M, const Twist<S>& V) {
  return S(0.5) * dot(M * V, V);
}

/// Binet (Euler) tensor about the frame origin, tr(I)/2 1 - I = integral of x x^T dm.
/// @paper 000 (87)
template <class S>
constexpr Sym3<S> binet(const Sym3<S>& I) {
  return (S(0.5) * trace(I)) * Sym3<S>::identity() - I;
}
/// Its inverse: I = tr(E) 1 - E.
template <class S>
constexpr Sym3<S> rotational_inertia(const Sym3<S>& binet_tensor) {
  return trace(binet_tensor) * Sym3<S>::identity() - binet_tensor;
}
/// Pseudo-inertia [[E, m c], [m c^T, m]], the integral of (x; 1)(x; 1)^T dm: positive semidefinite
/// for every real body.
template <class S>
constexpr Matrix<S, 4> pseudo_inertia(const Inertia<S>& M) {
  Matrix<S, 4> P;
  P.set_block(0, 0, matrix(binet(M.I)));
  P.set_column(0, 3, M.mc);
  for (int i = 0; i < 3; ++i) P(3, i) = M.mc[i];
  P(3, 3) = M.m;
  return P;
}
template <class S>
constexpr Inertia<S> inertia_from_pseudo(const Matrix<S, 4>& P) {
  return {P(3, 3),
          {P(0, 3), P(1, 3), P(2, 3)},
          rotational_inertia(Sym3<S>{P(0, 0), P(0, 1), P(0, 2), P(1, 1), P(1, 2), P(2, 2)})};
}

/// The ten inertial parameters (m, m cx, m cy, m cz, Ixx, Ixy, Ixz, Iyy, Iyz, Izz), I about the frame origin.
template <class S>
constexpr std::array<S, 10> parameters(const Inertia<S>& M) {
  return {M.m, M.mc.x, M.mc.y, M.mc.z, M.I.xx, M.I.xy, M.I.xz, M.I.yy, M.I.yz, M.I.zz};
}
template <class S>
constexpr Inertia<S> inertia_from_parameters(const std::array<S, 10>& p) {
  return {p[0], {p[1], p[2], p[3]}, {p[4], p[5], p[6], p[7], p[8], p[9]}};
}

/// The 6x6 matrix.
template <class S>
constexpr Matrix<S, 6> matrix(const Inertia<S>& M) {
  return matrix_of<Twist<S>>([&](const Twist<S>& V) { return M * V; });
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using Inertia = lie::Inertia<double>;
using lie::inertia_from_parameters;
using lie::inertia_from_pseudo;
}  // namespace CHASLES_API
