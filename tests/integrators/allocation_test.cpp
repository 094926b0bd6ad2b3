/// After reset no step allocates, whatever the method, nor interpolation. Counted at malloc, which
/// Eigen calls directly; sanitizers bring their own malloc, so the test is not in their builds.
#include <atomic>
#include <cstdlib>

#include "support/motions.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<long> allocations{0};
}

extern "C" {
void* __libc_malloc(std::size_t);
void* malloc(std::size_t size) {
  ++allocations;
  return __libc_malloc(size);
}
}

namespace chasles {
namespace {

TEST(Allocation, none_after_reset) {
  const test::Motion m = test::three_spheres();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(
        system, {.method = std::string(info.name), .step = 0.01, .tolerance = 1e-8});
    integrator->reset(m.start);
    State out = m.start;
    const long before = allocations;
    for (int k = 0; k < 20; ++k) {
      integrator->step(10);
      integrator->interpolate(0.5 * (integrator->before().t + integrator->state().t), out);
    }
    EXPECT_EQ(allocations - before, 0) << info.name;
  }
}

}  // namespace
}  // namespace chasles

#endif
