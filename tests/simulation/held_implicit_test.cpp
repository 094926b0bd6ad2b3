/// Joints that are held, by implicit methods: rigid stops and friction that sticks in stiff mechanisms, open and closed,
/// against dop853.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"
#include "support/allocation.hpp"
#include "support/motions.hpp"
#include "support/system_cases.hpp"

namespace chasles {
namespace held_implicit_test {

using test::End, test::run, test::small_tensor;

/// Two links that swing; the second one rests against its stop for a while, its joint has a strong damper.
Scenario leaning(const IntegratorOptions& options) {
  Scenario s{.model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0.5, 0, 0}, Sym3::diagonal(0.02, 0.1, 0.1))
                                  .body("lower", "upper", joints::revolute({0, 1, 0}, {1, 0, 0}))
                                  .limits(-0.2, 0.3)
                                  .inertia(0.5, {1.4, 0, 0}, Sym3::diagonal(0.01, 0.04, 0.04))
                                  .build()),
             .start = {0, Vector{0, 0}, Vector{0, 0}}};
  s.limits = LimitMode::rigid;
  s.rigid.restitution = 0;
  s.duration = 1.5;
  s.integrator = options;
  s.forces.add(joint_spring_damper(s.model, "upper", 4, 0.2, {0.0}));
  return s;
}

TEST(Held, a_link_against_its_stop_moves_as_by_dop853) {
  const End want = run(leaning({.method = "dop853", .tolerance = 1e-11}));
  for (const auto& [options, error] :
       {std::pair{IntegratorOptions{.method = "radau5", .tolerance = 1e-9}, 2e-6},
        std::pair{IntegratorOptions{.method = "radau5", .step = 0.002}, 2e-6},
        std::pair{IntegratorOptions{.method = "generalized_alpha", .step = 5e-4}, 2e-4},
        std::pair{IntegratorOptions{.method = "blied2", .step = 5e-4}, 1e-3},
        std::pair{IntegratorOptions{.method = "gauss2", .step = 0.002}, 2e-6},
        std::pair{IntegratorOptions{.method = "auto", .tolerance = 1e-9}, 2e-6}}) {
    const End end = run(leaning(options));
    EXPECT_GT(end.summary.event_count, 0) << options.method;
    EXPECT_LE((end.state.q - want.state.q).norm(), error) << options.method;
    EXPECT_LE((end.state.v - want.state.v).norm(), 10 * error) << options.method;
  }
}

/// A block that sticks, with a hand of little inertia in a strong damper on it: stiff while it is held.
TEST(Held, a_stiff_mechanism_is_not_followed_by_short_steps) {
  const auto scenario = [](const IntegratorOptions& options) {
    Scenario s{.model = compile(MechanismBuilder("sled")
                                    .gravity({})
                                    .body("block", ground, joints::prismatic({1, 0, 0}))
                                    .inertia(2, {}, small_tensor)
                                    .body("hand", "block", joints::revolute({0, 1, 0}))
                                    .inertia(0.01, {}, Sym3::diagonal(1e-4, 1e-4, 1e-4))
                                    .build()),
               .start = {0, Vector{0, 0}, Vector{0, 2}}};
    s.duration = 1;
    s.integrator = options;
    s.forces.add(joint_friction(s.model, "block", {.coulomb = 3, .stick = true}));
    s.forces.add(joint_spring_damper(s.model, "hand", 300, 100, {0.0}));
    s.forces.add(joint_torque(s.model, "hand", {signals::constant(2)}));
    return s;
  };
  const End stiff = run(scenario({.method = "radau5", .tolerance = 1e-6})),
            automatic = run(scenario({.method = "auto"}));
  for (const End& end : {stiff, automatic}) {
    EXPECT_EQ(end.state.q[0], 0);  // it is held throughout
    EXPECT_EQ(end.state.v[0], 0);
    EXPECT_NEAR(end.state.q[1], 2. / 300 * (1 - std::exp(-3.0)), 1e-5);  // 100 q' = 2 - 300 q
  }
  EXPECT_LT(stiff.summary.statistics.steps, 200);
  EXPECT_GT(automatic.summary.statistics.implicit_steps, 0);
}

/// A closed mechanism whose joints hold each other: more are held than the loop leaves free.
TEST(Held, joints_of_a_closed_mechanism_may_hold_each_other) {
  const test::SystemCase of = test::closed_case("four_bar", compile(studies::four_bar()));
  for (const char* method : {"radau5", "generalized_alpha", "gauss2"}) {
    HeldSystem system(of.make());
    const std::pair<int, int> held[] = {{0, 0}, {1, 1}, {2, 2}};
    system.hold(held, of.start.q);
    State start = of.start;
    start.v.setZero();
    system.project(start);
    const auto integrator = make_integrator(system, {.method = method, .step = 0.01});
    integrator->reset(start);
    for (int k = 0; k < 20; ++k) integrator->step(10);
    EXPECT_EQ(system.independent().size(), 1u) << method;
    EXPECT_LE((integrator->state().q - start.q).norm(), 1e-12) << method;
    EXPECT_LE(integrator->state().v.norm(), 1e-12) << method;
  }
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(Held, steps_allocate_nothing) {
  for (const test::SystemCase& of : test::system_cases()) {
    if (!of.name.starts_with("held_1")) continue;
    for (const MethodInfo& info : methods()) {
      if (info.needs >= Needs::masses && !info.newton) continue;
      const auto system = of.make();
      const auto integrator = make_integrator(*system, test::steps_of(0.002, info));
      integrator->reset(of.start);
      for (int k = 0; k < 3; ++k) integrator->step(10);
      const long before = test::allocations;
      for (int k = 0; k < 10; ++k) integrator->step(10);
      EXPECT_EQ(test::allocations - before, 0) << of.name << " " << info.name;
    }
  }
}
#endif

}  // namespace held_implicit_test
}  // namespace chasles
