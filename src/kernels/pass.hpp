/// Arguments and results of a kernel. Kernels are generic in the scalar (lanes.inl, quad.inl): one state in
/// SIMD registers (Real = double), or one state per SIMD lane: 2, 4 or 8 (double), 4, 8 or 16 (float), by
/// register width.
#pragma once

#include "kernels/tree.hpp"

namespace chasles::kernels {

/// Each number below stands for `lanes` numbers, one per state, stored consecutively.
template <class Real>
struct Pass {
  const Tree<Real>* tree;
  const Real *q, *v;
  const Real* force;   // forward dynamics: joint forces; otherwise joint accelerations (null: zero)
  const Real* wrench;  // at `frames`, 6 each; null: none
  const Real* group;   // data of custom joints: pose R (by columns), r; bias Xdot v; X; Xdot; for
                       // derivatives dX_k/dq_l and d(X a + Xdot v)/dq_l
  Real* work;
  Real* out;

  // Kinematics. The frame_ kernels read these arrays and write their result per frame to `out`. The Jacobian,
  // 6 x nv by columns, goes to `out`, the pose of its frame to `pose` unless that is null.
  Real* pose = nullptr;          // R (by columns), r: 12 per link
  Real* twist = nullptr;         // hybrid, 6 per link
  Real* acceleration = nullptr;  // hybrid, 6 per link; joint accelerations are `force`
  const FrameConstants<Real>* frames =
      nullptr;  // of applied wrenches and of results; one for the Jacobian
  int frame_count = 0;

  // Joint-by-joint matrices, stored by rows:
  bool zeroed = false;    // structural zeros are already set
  bool lower = false;     // mass_matrix: the part above the diagonal need not be written
  Real* out_M = nullptr;  // coriolis_matrix: also writes the mass matrix here, unless null
  // forward_dynamics: leave the factors of M in `work`; d_forward_dynamics: they are there.
  bool keep_factors = false;
  // SecondOrderKernels. weights: of the joint forces; first: da/dq, da/dv, M^-1, consecutively.
  const Real *weights = nullptr, *first = nullptr;
};
/// Size of the data of one joint in Pass::group.
constexpr int group_data(int nv) { return 18 + 12 * nv + 6 * nv * (nv + 1); }

/// Products of derivatives at one state with a vector, and of their transposes:
/// derivatives/inverse_tangent.inl.
struct ProductPass : Pass<double> {
  const double *dq = nullptr, *dv = nullptr, *du = nullptr;  // direction
  double* product = nullptr;                                 // derivative times direction
  const double* lambda = nullptr;
  double *grad_q = nullptr, *grad_v = nullptr,
         *on_u = nullptr;        // transposed derivatives times lambda
  const double* zero = nullptr;  // nv zeros
};
/// Totals: T, U, (L; P).
inline constexpr int totals_size = 8;
/// Offsets of the results of `centroidal`. Without v only com, mass and A are written.
inline constexpr int centroidal_com = 0,  // 3, in world axes
    centroidal_mass = 3,                  // total mass of all moving links
    centroidal_h = 4,                     // (L; P) = A v
    centroidal_bias = 10,                 // Adot v
    centroidal_A = 16;                    // 6 x nv, by columns, followed by Adot
/// Size of Pass::out per state, except for Output::frames.
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
