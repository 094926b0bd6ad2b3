#include "kernels/motion.hpp"
#include "kernels/tree.hpp"

namespace chasles::kernels {

#define CHASLES_KERNELS(isa)                       \
  namespace isa {                                  \
  extern const KernelTable<double>&single, &lanes; \
  extern const KernelTable<float>& float_lanes;    \
  }
CHASLES_KERNELS(baseline)
CHASLES_KERNELS(x86_64_v3)
CHASLES_KERNELS(x86_64_v4)
#undef CHASLES_KERNELS

namespace {

bool has_x86_64_v3() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
#else
  return false;
#endif
}
bool has_x86_64_v4() {
#if defined(__x86_64__)
  return has_x86_64_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

const InstructionSet& best() {
  static const InstructionSet& chosen = []() -> const InstructionSet& {
    const InstructionSet* last = nullptr;
    for (const InstructionSet& set : instruction_sets())
      if (set.available) last = &set;
    return *last;
  }();
  return chosen;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  static const InstructionSet sets[] = {
      {"baseline", true, &baseline::single, &baseline::lanes, &baseline::float_lanes},
      {"x86-64-v3", has_x86_64_v3(), &x86_64_v3::single, &x86_64_v3::lanes,
       &x86_64_v3::float_lanes},
      {"x86-64-v4", has_x86_64_v4(), &x86_64_v4::single, &x86_64_v4::lanes,
       &x86_64_v4::float_lanes}};
  return sets;
}

const KernelTable<double>& single_kernels() { return *best().single; }
template <>
const KernelTable<double>& lane_kernels<double>() {
  return *best().lanes;
}
template <>
const KernelTable<float>& lane_kernels<float>() {
  return *best().float_lanes;
}

MotionKernel motion_kernel(int level) {
  static const bool v3 = has_x86_64_v3();
  return v3 ? x86_64_v3::motion_kernel(level) : baseline::motion_kernel(level);
}

}  // namespace chasles::kernels
