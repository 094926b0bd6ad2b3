/// The arguments of a kernel, and the numbers that it writes. The kernels are scalar-generic (lanes.inl,
/// quad.inl): one state in the registers of a machine (Real = double), or one state in each SIMD lane: as
/// many as a register of the machine has, 2, 4 or 8 (Real = double), 4, 8 or 16 (float).
#pragma once

#include "kernels/tree.hpp"

namespace chasles::kernels {

/// Every number stands for `lanes` numbers, one per state, lane after lane.
template <class Real>
struct Pass {
  const Tree<Real>* tree;
  const Real *q, *v;
  const Real* force;   // joint forces of forward dynamics, else accelerations (null: zero)
  const Real* wrench;  // on `places`, 6 each; null: none
  const Real*
      group;  // of motions given as data: pose R (by columns), r; bias Xdot v; screws X; Xdot; for
              // derivatives dX_k/dq_l and d(X a + Xdot v)/dq_l
  Real* work;
  Real* out;

  // Of kinematics. The place_ kernels read them and write, per place, to `out`; the Jacobian, 6 x nv by
  // columns, goes to `out`, and the pose of its place to `pose` unless that is null.
  Real* pose = nullptr;          // R (by columns), r: 12 per link
  Real* twist = nullptr;         // hybrid, 6 per link
  Real* acceleration = nullptr;  // hybrid, 6 per link; joint accelerations are `force`
  const FrameConstants<Real>* frames = nullptr;  // of wrenches and results; of the Jacobian one
  int frame_count = 0;

  // Of matrices of joints, rows one after the other:
  bool zeroed = false;    // entries of joints on no common path are zero already
  bool lower = false;     // mass_matrix: what is above the diagonal may be anything
  Real* out_M = nullptr;  // coriolis_matrix: the mass matrix as well; null: not
  // forward_dynamics: `work` is left for what is solved with M; d_forward_dynamics: it was.
  bool keep_factors = false;
  // Of SecondOrderKernels: weights of the joint forces; da/dq, da/dv, M^-1, one after the other.
  const Real *weights = nullptr, *first = nullptr;
};
/// Numbers of one motion in Pass::group.
constexpr int group_data(int nv) { return 18 + 12 * nv + 6 * nv * (nv + 1); }

/// Products with derivatives of one state, and with their transposes: derivatives/inverse_tangent.inl.
struct ProductPass : Pass<double> {
  const double *dq = nullptr, *dv = nullptr, *du = nullptr;  // a direction
  double* product = nullptr;                                 // what it makes of it
  const double* lambda = nullptr;
  double *grad_q = nullptr, *grad_v = nullptr,
         *on_u = nullptr;        // what the transposes make of lambda
  const double* zero = nullptr;  // nv
};
/// Totals: T, U, (L; P).
inline constexpr int totals_size = 8;
/// Where the results of `centroidal` begin. Without v only the center of mass, the mass and A.
inline constexpr int centroidal_com = 0,  // 3, in the world
    centroidal_mass = 3,                  // of all that moves
    centroidal_h = 4,                     // (L; P) = A v
    centroidal_bias = 10,                 // Adot v
    centroidal_A = 16;                    // 6 x nv, column after column; then Adot in the same way
/// Numbers that a kernel writes to Pass::out per state, but for Output::places.
template <class Real>
int output_size(Algorithm algorithm, const Tree<Real>& tree) {
  switch (traits(algorithm).output) {
    case Output::vector:
      return tree.nv;
    case Output::matrix:
      return tree.nv * tree.nv;
    case Output::derivatives:
      return 3 * tree.nv * tree.nv;
    case Output::totals:
      return totals_size;
    case Output::regressor:
      return tree.nv * 10 * static_cast<int>(tree.links.size());
    case Output::centroidal:
      return centroidal_A + 12 * tree.nv;
    case Output::jacobian:
      return 6 * tree.nv;
    case Output::frames:
      break;
  }
  return 0;
}

}  // namespace chasles::kernels
