// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#include "kernels/motion.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3 {
#include "kernels/motion.inl"
}  // namespace chasles::kernels::x86_64_v3
