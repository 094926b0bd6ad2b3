// For every machine of the architecture.
#include "kernels/tables.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline_second_order {
#include "kernels/second_order_table.inl"

extern const SecondOrderKernels& second_order;
const SecondOrderKernels& second_order = second_order_table<Lanes<Pack<double, 1>, double>>;
}  // namespace chasles::kernels::baseline_second_order
