#include "kernels/tree.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline {
extern const KernelTable<double>&single, &lanes;
extern const KernelTable<float>& float_lanes;
#include "kernels/dynamics.inl"
//
#include "kernels/dynamics_table.inl"
}  // namespace chasles::kernels::baseline
