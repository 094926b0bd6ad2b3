// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#include "kernels/tables.hpp"

#ifdef __x86_64__

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3 {
#include "kernels/dynamics_table.inl"

extern const KernelTable<double>& single;
extern const KernelTable<double>& lanes;
extern const KernelTable<float>& float_lanes;
const KernelTable<double>& single = table<Quad<double>>;
const KernelTable<double>& lanes = table<Lanes<Pack<double, 4>, double>>;
const KernelTable<float>& float_lanes = table<Lanes<Pack<float, 8>, float>>;
}  // namespace chasles::kernels::x86_64_v3

#endif
