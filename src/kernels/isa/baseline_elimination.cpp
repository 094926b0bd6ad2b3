// For every machine of the architecture.
#include "kernels/constraints/elimination.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline_elimination {
namespace {
#include "kernels/constraints/elimination_sweep.inl"
}  // namespace

extern const EliminationKernels& elimination;
const EliminationKernels& elimination = elimination_table<Lanes<Pack<double, 1>, double>>;
}  // namespace chasles::kernels::baseline_elimination
