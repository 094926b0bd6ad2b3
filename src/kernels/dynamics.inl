// Included by one translation unit per instruction set, inside its own namespace.

namespace {

#include "kernels/pack.inl"
//
#include "kernels/lanes.inl"
//
#include "kernels/quad.inl"
//
#include "kernels/joints.inl"
//
#include "kernels/inverse_dynamics.inl"
//
#include "kernels/articulated.inl"
//
#include "kernels/forward_dynamics.inl"
//
#include "kernels/composite.inl"
//
#include "kernels/joint_blocks.inl"
//
#include "kernels/mass_matrix_blocks.inl"
//
#include "kernels/mass_matrix.inl"
//
#include "kernels/coriolis.inl"
//
#include "kernels/regressor.inl"
//
#include "kernels/centroidal.inl"
//
#include "kernels/factored_inverse.inl"
//
#include "kernels/mass_matrix_inverse.inl"
//
#include "kernels/totals.inl"

}  // namespace
