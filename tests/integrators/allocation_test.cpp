/// After reset no step allocates, whatever the method, nor interpolation.
#include "support/allocation.hpp"

#include "support/motions.hpp"

#ifdef CHASLES_COUNTS_ALLOCATIONS

namespace chasles {
namespace {

using test::allocations;

TEST(Allocation, none_after_reset) {
  const test::Motion m = test::three_spheres();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
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

TEST(Allocation, none_in_momentum_form_and_projection) {
  const test::Motion m = test::three_spheres();
  for (const bool form : {true, false}) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(
        system, {.method = "mk8", .step = 0.01, .momentum_form = form, .keep_invariants = !form});
    integrator->reset(m.start);
    const long before = allocations;
    for (int k = 0; k < 20; ++k) integrator->step(10);
    EXPECT_EQ(allocations - before, 0) << form;
  }
}

}  // namespace
}  // namespace chasles

#endif
