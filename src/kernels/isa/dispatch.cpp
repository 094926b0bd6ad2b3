#include <string>

#include "chasles/error.hpp"
#include "kernels/constraints/kkt_factorization.hpp"

namespace chasles::kernels {

// Which sets were compiled: see CMakeLists.txt.
#ifndef __x86_64__
#undef CHASLES_x86_64_v3
#undef CHASLES_x86_64_v4
#endif

#define CHASLES_KERNELS(isa)                       \
  namespace isa {                                  \
  extern const KernelTable<double>&single, &lanes; \
  extern const KernelTable<float>& float_lanes;    \
  }
// Kernels for one state use registers of four numbers: v4 reuses those of v3.
#define CHASLES_FOUR_NUMBERS(isa)                  \
  namespace isa##_directional {                    \
    extern const DirectionalKernels& directional;  \
  }                                                \
  namespace isa##_second_order {                   \
    extern const SecondOrderKernels& second_order; \
  }                                                \
  namespace isa##_products {                       \
    extern const ProductKernels& products;         \
  }                                                \
  namespace isa##_elimination {                    \
    extern const KktKernels& elimination;          \
  }
#ifdef CHASLES_baseline
CHASLES_KERNELS(baseline)
CHASLES_FOUR_NUMBERS(baseline)
#endif
#ifdef CHASLES_x86_64_v3
CHASLES_KERNELS(x86_64_v3)
CHASLES_FOUR_NUMBERS(x86_64_v3)
#endif
#ifdef CHASLES_x86_64_v4
CHASLES_KERNELS(x86_64_v4)
#endif
#undef CHASLES_KERNELS
#undef CHASLES_FOUR_NUMBERS

namespace {

#ifdef CHASLES_x86_64_v3
bool has_x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
#endif
#ifdef CHASLES_x86_64_v4
bool has_x86_64_v4() {
  return has_x86_64_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}
#endif

const InstructionSet& best() {
  static const InstructionSet& chosen = []() -> const InstructionSet& {
    const InstructionSet* last = nullptr;
    for (const InstructionSet& set : instruction_sets())
      if (set.available) last = &set;
    if (!last)
      throw Error("this build of Chasles is for processors with " +
                  std::string(instruction_sets().front().name) +
                  ", which this one is not; build it with -D CHASLES_ALL_KERNELS=ON");
    return *last;
  }();
  return chosen;
}

}  // namespace

#define CHASLES_SET(name, available, isa, four)                               \
  InstructionSet {                                                            \
    name, available, &isa::single, &isa::lanes, &isa::float_lanes,            \
        &four##_directional::directional, &four##_second_order::second_order, \
        &four##_products::products, &four##_elimination::elimination          \
  }
std::span<const InstructionSet> instruction_sets() {
  static const InstructionSet sets[] = {
#ifdef CHASLES_baseline
      CHASLES_SET("baseline", true, baseline, baseline),
#endif
#ifdef CHASLES_x86_64_v3
      CHASLES_SET("x86-64-v3", has_x86_64_v3(), x86_64_v3, x86_64_v3),
#endif
#ifdef CHASLES_x86_64_v4
      CHASLES_SET("x86-64-v4", has_x86_64_v4(), x86_64_v4, x86_64_v3),
#endif
  };
  return sets;
}
#undef CHASLES_SET

const KernelTable<double>& single_kernels() { return *best().single; }
const DirectionalKernels& directional_kernels() { return *best().directional; }
const SecondOrderKernels& second_order_kernels() { return *best().second_order; }
const ProductKernels& product_kernels() { return *best().products; }
const KktKernels& kkt_kernels() { return *best().elimination; }
template <>
const KernelTable<double>& lane_kernels<double>() {
  return *best().lanes;
}
template <>
const KernelTable<float>& lane_kernels<float>() {
  return *best().float_lanes;
}

}  // namespace chasles::kernels
