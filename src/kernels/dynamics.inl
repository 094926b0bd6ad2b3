// Included by one translation unit per instruction set, inside a namespace of its own and after
// kernels/tree.hpp. Nothing here is shared between units: a shared function could be linked with the
// instructions of the wrong unit. So all .inl files of this folder are included here, in one anonymous
// namespace; each includes, once per unit, the .inl files it needs, and none includes a header.
#pragma once

namespace {

#include "kernels/inverse_dynamics.inl"
//
#include "kernels/forward_dynamics.inl"
//
#include "kernels/matrices/composite.inl"
//
#include "kernels/matrices/joint_blocks.inl"
//
#include "kernels/matrices/mass_matrix_blocks.inl"
//
#include "kernels/matrices/mass_matrix.inl"
//
#include "kernels/matrices/coriolis.inl"
//
#include "kernels/matrices/regressor.inl"
//
#include "kernels/matrices/centroidal.inl"
//
#include "kernels/matrices/factored_inverse.inl"
//
#include "kernels/matrices/mass_matrix_inverse.inl"
//
#include "kernels/totals.inl"
//
#include "kernels/kinematics/jacobian.inl"
//
#include "kernels/kinematics/frames.inl"
//
#include "kernels/derivatives/d_inverse_dynamics.inl"
//
#include "kernels/derivatives/d_forward_dynamics.inl"

}  // namespace
