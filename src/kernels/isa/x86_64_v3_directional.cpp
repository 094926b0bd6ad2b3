// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#define CHASLES_SMALL  // see baseline_directional.cpp
#include "kernels/tables.hpp"

#ifdef __x86_64__

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3_directional {
#include "kernels/dynamics_table.inl"

extern const DirectionalKernels& directional;
const DirectionalKernels& directional = directional_table<double>;
}  // namespace chasles::kernels::x86_64_v3_directional

#endif
