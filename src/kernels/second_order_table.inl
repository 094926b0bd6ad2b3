// Included by units of isa/, like dynamics_table.inl: kernels for second derivatives.
#pragma once

#include "kernels/dynamics.inl"

namespace {

#include "kernels/derivatives/d2_inverse_dynamics.inl"
//
#include "kernels/derivatives/d2_contracted.inl"
//
#include "kernels/derivatives/d2_forward_dynamics.inl"

template <class Sp>
constexpr SecondOrderKernels second_order_table{
    run_d2_inverse_dynamics<Sp>,   run_d2_contracted<Sp>,    run_d2_forward_dynamics<Sp>,
    run_d2_forward_contracted<Sp>, SecondInverse<Sp>::bytes, ContractedInverse<Sp>::bytes,
    SecondForward<Sp>::bytes};

}  // namespace
