/// Batches of large models and of many states and threads; what float can deliver.
#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>

#include <Eigen/Core>
#include <climits>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/coriolis.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/regressor.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CHASLES_SANITIZED
#endif

namespace chasles {
namespace {

Model star(int leaves) {
  MechanismBuilder m("star");
  for (int k = 0; k < leaves; ++k)
    m.body("leaf" + std::to_string(k), ground, joints::revolute({0, 1, 0}, {0.1 * k, 0, 0}))
        .inertia(1, {0.1 * k, 0, 0.2}, Sym3::diagonal(0.01, 0.01, 0.01));
  return compile(m.build());
}
/// A chain of equal links: the condition of its mass matrix is about n^4.
Model chain(int links) {
  MechanismBuilder m("chain");
  for (int k = 0; k < links; ++k)
    m.body("link" + std::to_string(k),
           k == 0 ? std::string(ground) : "link" + std::to_string(k - 1),
           joints::revolute({0, 1, 0}, {0.2 * k, 0, 0}))
        .inertia(1, {0.2 * k + 0.1, 0, 0}, Sym3::diagonal(0.001, 0.004, 0.004));
  return compile(m.build());
}

#ifndef CHASLES_SANITIZED
/// Bytes in use.
std::size_t in_use() {
  const auto info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

/// Matrices of many entries need no block of them beside the results.
TEST(BatchLimits, memory_of_large_matrices) {
  constexpr int n = 1200;
  const Model model = star(n);
  constexpr std::size_t nn = std::size_t{n} * n;
  const auto check = [&](auto number, BatchLayout layout) {
    using Real = decltype(number);
    Batch<Real> batch(model);
    const int states = layout == BatchLayout::rows ? 1 : batch.lanes();
    struct alignas(64) Line {
      std::byte bytes[64];
    };
    const std::size_t numbers = static_cast<std::size_t>(states) * nn;
    std::vector<Real> q(static_cast<std::size_t>(states) * n, Real(0.3));
    std::vector<Line> lines(numbers * sizeof(Real) / sizeof(Line) + 1);
    const std::span<Real> M(reinterpret_cast<Real*>(lines.data()), numbers);
    const std::size_t before = in_use();
    batch.mass_matrix(states, q, M, layout);
    EXPECT_LE(in_use() - before, nn * sizeof(double) + 20'000'000);
    MassMatrix one(model);
    const double expected = mass_matrix(model, Vector::Constant(n, 0.3), one)(7, 7);
    const std::size_t at =
        layout == BatchLayout::rows ? 7 * n + 7 : (7 * n + 7) * static_cast<std::size_t>(states);
    EXPECT_NEAR(M[at], expected, 1e-7);
    EXPECT_EQ(M[layout == BatchLayout::rows ? 8 : 8 * static_cast<std::size_t>(states)], 0);
  };
  check(double(), BatchLayout::rows);
  check(float(), BatchLayout::rows);
  check(double(), BatchLayout::lanes);
}

/// What grows like a matrix is made when a matrix is asked for.
TEST(Limits, models_of_many_joints_are_small) {
  constexpr int n = 10000;
  const std::size_t before = in_use();
  const Model model = chain(n);
  ForwardDynamics forward(model);
  const Vector zero(n);
  EXPECT_TRUE(forward_dynamics(model, zero, zero, zero, forward).allFinite());
  EXPECT_LE(in_use() - before, std::size_t{n} * 20'000);
}

/// In a process of its own, which gets no memory for the stacks of threads.
TEST(BatchLimitsDeathTest, threads_that_the_system_does_not_give) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const Model model = star(2);
  EXPECT_EXIT(
      {
        rlimit limit{};
        getrlimit(RLIMIT_AS, &limit);
        limit.rlim_cur = rlim_t{2} << 30;
        setrlimit(RLIMIT_AS, &limit);
        const std::string text = test::message([&] { Batch<double> batch(model, 40000); });
        std::fprintf(stderr, "%s\n", text.c_str());
        std::exit(text.find("of 40000 threads the system gave") != std::string::npos ? 0 : 1);
      },
      testing::ExitedWithCode(0), "use fewer");
}
#endif

TEST(BatchLimits, states_near_the_largest_number) {
  Batch<double> batch(star(2));
  for (const int states : {INT_MAX, INT_MAX - 1})
    EXPECT_SAYS(batch.inverse_dynamics(states, {}, {}, {}, {}), std::to_string(states), "states");
  EXPECT_SAYS(batch.padded(INT_MAX), "2147483647 states");
  EXPECT_SAYS(batch.inverse_dynamics(INT_MAX / 4, {}, {}, {}, {}), "q has 0", "1073741822");
}

TEST(Limits, matrices_that_cannot_be_counted_are_refused) {
  const Model model = star(47000);
  EXPECT_SAYS(MassMatrix{model}, "47000", "O(n)");
  EXPECT_SAYS(MassMatrixInverse{model}, "47000");
  EXPECT_SAYS(CoriolisMatrix{model}, "47000");
  EXPECT_SAYS(TorqueRegressor{model}, "47000");
}

TEST(BatchLimits, float_says_what_it_can_deliver) {
  EXPECT_EQ(Batch<double>(chain(200)).forward_error(), 0);
  std::vector<float> x(200), M(40000);
  {
    Batch<float> batch(chain(7));
    EXPECT_LE(batch.forward_error(), 1e-3);
    EXPECT_GT(batch.forward_error(), 0);
    EXPECT_NO_THROW(batch.forward_dynamics(1, std::span(x).first(7), std::span(x).first(7),
                                           std::span(x).first(7), std::span(M).first(7)));
  }
  Batch<float> batch(chain(200));
  EXPECT_GT(batch.forward_error(), 0.1);
  EXPECT_SAYS(batch.forward_dynamics(1, x, x, x, std::span(M).first(200)), "float", "'chain'",
              "Batch<double>");
  EXPECT_SAYS(batch.mass_matrix_inverse(1, x, M), "float", "Batch<double>");
  EXPECT_NO_THROW(batch.inverse_dynamics(1, x, x, x, std::span(M).first(200)));
  EXPECT_NO_THROW(batch.mass_matrix(1, x, M));
}

}  // namespace
}  // namespace chasles
