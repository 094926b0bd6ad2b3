// Compiled with -march=x86-64-v4 where the compiler has it: see CMakeLists.txt.
#include "kernels/tree.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v4 {
extern const KernelTable<double>&single, &lanes;
extern const KernelTable<float>& float_lanes;
#include "kernels/dynamics.inl"
//
#include "kernels/dynamics_table.inl"
}  // namespace chasles::kernels::x86_64_v4
