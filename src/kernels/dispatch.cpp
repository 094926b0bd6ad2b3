#include "kernels/motion.hpp"

namespace chasles::kernels {
namespace {

bool has_x86_64_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}

}  // namespace

MotionKernel motion_kernel(int level) {
  static const bool v3 = has_x86_64_v3();
  return v3 ? x86_64_v3::motion_kernel(level) : baseline::motion_kernel(level);
}

}  // namespace chasles::kernels
