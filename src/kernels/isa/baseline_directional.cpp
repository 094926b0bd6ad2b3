// For every machine of the architecture. Without inlining: dual numbers would take minutes to compile.
#define CHASLES_SMALL
#include "kernels/tables.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline_directional {
#include "kernels/dynamics_table.inl"

extern const DirectionalKernels& directional;
const DirectionalKernels& directional = directional_table<double>;
}  // namespace chasles::kernels::baseline_directional
