#include "kernels/constraints/elimination.hpp"

namespace chasles::kernels {

#define CHASLES_KERNELS(isa)                       \
  namespace isa {                                  \
  extern const KernelTable<double>&single, &lanes; \
  extern const KernelTable<float>& float_lanes;    \
  }
CHASLES_KERNELS(baseline)
#ifdef __x86_64__
CHASLES_KERNELS(x86_64_v3)
CHASLES_KERNELS(x86_64_v4)
#endif
#undef CHASLES_KERNELS
namespace baseline_directional {
extern const DirectionalKernels& directional;
}
namespace baseline_second_order {
extern const SecondOrderKernels& second_order;
}
namespace baseline_products {
extern const ProductKernels& products;
}
namespace baseline_elimination {
extern const EliminationKernels& elimination;
}
#ifdef __x86_64__
namespace x86_64_v3_products {  // of one state, which four numbers hold
extern const ProductKernels& products;
}
namespace x86_64_v3_elimination {
extern const EliminationKernels& elimination;
}
namespace x86_64_v3_directional {  // four numbers fill its registers
extern const DirectionalKernels& directional;
}
namespace x86_64_v3_second_order {
extern const SecondOrderKernels& second_order;
}
#endif

namespace {

#ifdef __x86_64__
bool has_x86_64_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
bool has_x86_64_v4() {
  return has_x86_64_v3() && __builtin_cpu_supports("avx512f") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd");
}
#endif

const InstructionSet& best() {
  static const InstructionSet& chosen = []() -> const InstructionSet& {
    const InstructionSet* last = &instruction_sets().front();  // every machine has the baseline
    for (const InstructionSet& set : instruction_sets())
      if (set.available) last = &set;
    return *last;
  }();
  return chosen;
}

}  // namespace

std::span<const InstructionSet> instruction_sets() {
  static const InstructionSet sets[] = {
      {"baseline", true, &baseline::single, &baseline::lanes, &baseline::float_lanes,
       &baseline_directional::directional, &baseline_second_order::second_order,
       &baseline_products::products, &baseline_elimination::elimination},
#ifdef __x86_64__
      {"x86-64-v3", has_x86_64_v3(), &x86_64_v3::single, &x86_64_v3::lanes, &x86_64_v3::float_lanes,
       &x86_64_v3_directional::directional, &x86_64_v3_second_order::second_order,
       &x86_64_v3_products::products, &x86_64_v3_elimination::elimination},
      {"x86-64-v4", has_x86_64_v4(), &x86_64_v4::single, &x86_64_v4::lanes, &x86_64_v4::float_lanes,
       &x86_64_v3_directional::directional, &x86_64_v3_second_order::second_order,
       &x86_64_v3_products::products, &x86_64_v3_elimination::elimination},
#endif
  };
  return sets;
}

const KernelTable<double>& single_kernels() { return *best().single; }
const DirectionalKernels& directional_kernels() { return *best().directional; }
const SecondOrderKernels& second_order_kernels() { return *best().second_order; }
const ProductKernels& product_kernels() { return *best().products; }
const EliminationKernels& elimination_kernels() { return *best().elimination; }
template <>
const KernelTable<double>& lane_kernels<double>() {
  return *best().lanes;
}
template <>
const KernelTable<float>& lane_kernels<float>() {
  return *best().float_lanes;
}

}  // namespace chasles::kernels
