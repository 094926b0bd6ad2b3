// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#include "kernels/constraints/kkt_factorization.hpp"

#ifdef __x86_64__

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3_elimination {
namespace {
#include "kernels/constraints/kkt_sweep.inl"
}  // namespace

extern const KktKernels& elimination;
const KktKernels& elimination = kkt_table<Quad<double>>;
}  // namespace chasles::kernels::x86_64_v3_elimination

#endif
