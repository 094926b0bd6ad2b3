/// "Workspace and result: one per thread; after construction no call allocates", for every workspace of the library.

#include "house/workspaces.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "chasles/suggest.hpp"
#include "support/allocation.hpp"
#include "support/random_mechanism.hpp"

namespace workspaces_test {

using namespace chasles;
using house::At, house::Call, house::Row;

/// A tree with joints of every type, or of those whose second derivatives are closed formulas.
std::shared_ptr<At> tree(bool all_types) {
  std::mt19937_64 generator(5);
  using enum JointType;
  std::vector<test::JointKind> kinds;
  if (!all_types) kinds = {{free}, {revolute}, {spherical}, {prismatic}};
  const test::RandomMechanismOptions options{.bodies = 16, .tree = true, .kinds = kinds};
  return std::make_shared<At>(compile(test::random_mechanism(generator, options)));
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(Workspaces, do_not_allocate_after_the_first_call) {
  for (const Row& row : house::all_rows()) {
    if (row.allocates) continue;
    const bool second = std::string_view(row.name).starts_with("d2_");
    const Call call = row.make(tree(!second));
    call();
    const long before = test::allocations;
    call();
    EXPECT_EQ(test::allocations - before, 0) << row.name;
  }
  const long before = test::allocations;
  EXPECT_EQ(edit_distance("inof", "info"), 1u);
  EXPECT_EQ(test::allocations - before, 0);
  std::free(std::malloc(100));  // the count counts
  EXPECT_GE(test::allocations - before, 1);
}
#endif

/// A workspace on every thread, one model: the same bits as alone.
TEST(Workspaces, one_per_thread_gives_the_same_on_all) {
  const std::shared_ptr<At> shared = tree(true);
  for (const Row& row : house::all_rows()) {
    const auto own = [&] { return row.make(std::make_shared<At>(*shared)); };
    const double expected = own()();
    std::vector<double> results(4);
    std::vector<std::thread> threads;
    threads.reserve(results.size());
    for (double& result : results)
      threads.emplace_back([&] {
        const Call call = own();
        for (int k = 0; k < 20; ++k) result = call();
      });
    for (std::thread& thread : threads) thread.join();
    for (const double result : results) EXPECT_EQ(result, expected) << row.name;
    EXPECT_TRUE(std::isfinite(expected)) << row.name;
  }
}

}  // namespace workspaces_test
