// Compiled with -march=x86-64-v3 where the compiler has it: see CMakeLists.txt.
#include "kernels/tables.hpp"

#ifdef __x86_64__

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::x86_64_v3_products {
#include "kernels/derivatives/products_table.inl"

extern const ProductKernels& products;
const ProductKernels& products = product_table<Quad<double>>;
}  // namespace chasles::kernels::x86_64_v3_products

#endif
