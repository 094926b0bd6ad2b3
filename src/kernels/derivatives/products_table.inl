// Included by the units isa/*_products.cpp: products with derivatives, apart from the other kernels, as
// they are of one state only.
#pragma once

#include "kernels/dynamics.inl"

namespace {

#include "kernels/derivatives/forward_products.inl"

template <class Sp>
constexpr ProductKernels product_table{run_inverse_tangent<Sp>, run_inverse_adjoint<Sp>,
                                       run_forward_tangent<Sp>, run_forward_adjoint<Sp>,
                                       product_work<Sp>};

}  // namespace
