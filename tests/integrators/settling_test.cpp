/// Implicit methods end their iterations where rounding keeps them, also if the mass matrix makes that
/// far above the last digit; and not before.
#include <gtest/gtest.h>

#include "integrators/implicit/anderson.hpp"
#include "support/motions.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// How many of the changes are looked at before it stops; 0: never.
int stops_after(std::initializer_list<double> changes, double noise) {
  Settling settled(1);
  int count = 0;
  for (const double change : changes) {
    ++count;
    if (settled(change, [&](double goal) { return noise * goal; })) return count;
  }
  return 0;
}

TEST(Settling, is_at_the_goal_or_stalled_at_what_rounding_does) {
  EXPECT_EQ(stops_after({1e9, 1e3, 1, 1}, 0), 3);
  EXPECT_EQ(stops_after({1e9, 900, 800, 700, 600}, 0), 4);
  // Still on its way, slowly.
  EXPECT_EQ(stops_after({1e9, 9e8, 8e8, 7e8, 6e8, 5e8}, 1e4), 0);
  // The last values count, not the best one.
  EXPECT_EQ(stops_after({1e9, 500, 1e6, 1e6, 1e6, 900}, 0), 6);
  EXPECT_EQ(stops_after({1e9, 1e5, 2e5, 3e5, 1e5}, 0), 0);
  EXPECT_EQ(stops_after({1e9, 1e5, 2e5, 3e5, 1e5}, 1e4), 5);
  EXPECT_EQ(stops_after({1e9, 1e5, 2e5, 1.5e5}, 1e4), 4);
}

struct Case {
  const char* method;
  std::uint64_t seed;
  bool damped;
};

/// Trees whose accelerations are known to 10 digits only.
TEST(ImplicitMethods, settle_where_the_mass_matrix_is_badly_conditioned) {
  const Case cases[] = {{"midpoint", 28, false},
                        {"midpoint", 37, false},
                        {"midpoint", 59, false},
                        {"gauss2", 59, false},
                        {"gauss2", 59, true},
                        {"gauss3", 59, false},
                        {"gauss3", 59, true},
                        {"verlet", 53, true},
                        {"variational", 5, true},
                        {"rattle", 53, true},
                        {"rattle", 59, false},
                        {"generalized_alpha", 59, true},
                        {"generalized_alpha", 28, false},
                        {"blied2", 59, false},
                        {"blied2", 37, false}};
  const double T = 0.04;
  for (const Case& at : cases) {
    std::mt19937_64 generator(at.seed);
    const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
    const State start{0, test::random_configuration(model, generator, 0.5),
                      test::random_vector(model.nv(), generator, 0.3)};
    ModelSystem system(model);
    if (at.damped)
      system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
        out.tau = Vector(-0.001 * kin.v());
      });
    for (const int steps : {64, 128}) {
      const auto integrator = make_integrator(system, {.method = at.method, .step = T / steps});
      ASSERT_NO_THROW(test::run(*integrator, start, T)) << at.method << ", seed " << at.seed;
      EXPECT_LE(integrator->statistics().iterations, 10 * steps)
          << at.method << ", seed " << at.seed;
    }
  }
}

}  // namespace
}  // namespace chasles
