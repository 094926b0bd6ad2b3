// For every machine of the architecture: SSE2, NEON, or no vectors at all.
#include "kernels/tables.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline {
#include "kernels/dynamics_table.inl"

extern const KernelTable<double>& single;
extern const KernelTable<double>& lanes;
extern const KernelTable<float>& float_lanes;
const KernelTable<double>& single = table<Lanes<Pack<double, 1>, double>>;
const KernelTable<double>& lanes = table<Lanes<Pack<double, 2>, double>>;
const KernelTable<float>& float_lanes = table<Lanes<Pack<float, 4>, float>>;
}  // namespace chasles::kernels::baseline
