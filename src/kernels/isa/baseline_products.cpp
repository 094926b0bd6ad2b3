// For every machine of the architecture.
#include "kernels/tables.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline_products {
#include "kernels/derivatives/products_table.inl"

extern const ProductKernels& products;
const ProductKernels& products = product_table<Lanes<Pack<double, 1>, double>>;
}  // namespace chasles::kernels::baseline_products
