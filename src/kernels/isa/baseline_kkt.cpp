// For every machine of the architecture.
#include "kernels/constraints/kkt_factorization.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline_elimination {
namespace {
#include "kernels/constraints/kkt_sweep.inl"
}  // namespace

extern const KktKernels& elimination;
const KktKernels& elimination = kkt_table<Lanes<Pack<double, 1>, double>>;
}  // namespace chasles::kernels::baseline_elimination
