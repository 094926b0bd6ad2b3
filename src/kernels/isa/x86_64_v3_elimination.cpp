// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#include "kernels/constraints/elimination.hpp"

#ifdef __x86_64__

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3_elimination {
namespace {
#include "kernels/constraints/elimination_sweep.inl"
}  // namespace

extern const EliminationKernels& elimination;
const EliminationKernels& elimination = elimination_table<Quad<double>>;
}  // namespace chasles::kernels::x86_64_v3_elimination

#endif
