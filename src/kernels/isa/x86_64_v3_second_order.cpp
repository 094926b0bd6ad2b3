// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#include "kernels/tables.hpp"

#ifdef __x86_64__

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3_second_order {
#include "kernels/second_order_table.inl"

extern const SecondOrderKernels& second_order;
const SecondOrderKernels& second_order = second_order_table<Quad<double>>;
}  // namespace chasles::kernels::x86_64_v3_second_order

#endif
