/// A linear system that does not fit into memory says how large it is.
#include <gtest/gtest.h>

#include "chasles/linearization/linear_system.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/model_system.hpp"
#include "support/allocation.hpp"
#include "support/errors.hpp"

namespace linearize_memory_test {

using namespace chasles;

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(LinearSystemMemory, that_runs_out_names_the_size) {
  MechanismBuilder builder("chain");
  for (int i = 0; i < 20; ++i)
    builder
        .body("b" + std::to_string(i), i == 0 ? std::string(ground) : "b" + std::to_string(i - 1),
              joints::revolute({0, 1, 0}, {1.0 * i, 0, 0}))
        .inertia(1, {i + 0.5, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1));
  const Model model = compile(builder.build());
  ModelSystem system(model);
  const Vector q = model.neutral(), v = Vector::Zero(20);
  linearize(system, 0, q, v);  // what it keeps is allocated
  const long before = test::allocations;
  linearize(system, 0, q, v);
  const long calls = test::allocations - before;
  ASSERT_GT(calls, 3);
  for (long call = 1; call <= calls; ++call) {
    test::failing_allocation = test::allocations + call;
    EXPECT_SAYS(linearize(system, 0, q, v),
                "not enough memory to linearize a mechanism with nv = 20",
                "A alone is 40 x 40 numbers");
    test::failing_allocation = -1;
  }
}
#endif

}  // namespace linearize_memory_test
