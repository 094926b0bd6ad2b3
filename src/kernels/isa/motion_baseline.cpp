#include "kernels/motion.hpp"

#pragma GCC diagnostic ignored "-Wpsabi"  // vectors are never passed between units

namespace chasles::kernels::baseline {
#include "kernels/motion.inl"
}  // namespace chasles::kernels::baseline
