/// Stiff systems: springs of 1e8 N/m and strong dampers, in steps that the motion itself needs.
#include <gtest/gtest.h>

#include "support/exact_motions.hpp"

namespace chasles {
namespace {

using test::Numbers;
using test::Real;

/// A mass of 1 kg on a rod of 1 m that turns, and stretches against a spring of 1e8 N/m.
Model elastic_rod() {
  return compile(MechanismBuilder("rod")
                     .body("turn", ground, joints::revolute({0, -1, 0}))
                     .body("stretch", "turn", joints::prismatic({0, 0, -1}))
                     .inertia(1, {0, 0, -1}, Sym3{})
                     .build());
}
void spring(double, const VelocityKinematics& kin, JointForces& out) {
  out.tau[1] = -1e8 * kin.q()[1];
}
State rigid_pendulum(double t) {
  return test::Solution(
             [](Real, const Numbers& y) {
               return Numbers{y[1], -9.81L * std::sin(y[0])};
             },
             {0, Vector{1.0}, Vector{0.0}})
      .at(static_cast<Real>(t));
}
State hanging(double stretch) { return {0, Vector{1.0, stretch}, Vector{0, 0}}; }

/// At the stretch of the weight the spring does not vibrate, and the rod moves as a rigid one. The
/// period of the vibration is 0.6 ms: explicit methods would need ten thousand steps a second.
TEST(Stiff, a_spring_of_1e8_newtons_per_metre) {
  const Model model = elastic_rod();
  const State want = rigid_pendulum(2);
  const auto error = [&](const IntegratorOptions& options, StepStatistics& statistics) {
    ModelSystem system(model);
    system.set_forces(spring);
    const auto integrator = make_integrator(system, options);
    const State end = test::run(*integrator, hanging(9.81 * std::cos(1.) / 1e8), 2);
    statistics = integrator->statistics();
    return std::abs(end.q[0] - want.q[0]) + std::abs(end.v[0] - want.v[0]);
  };
  StepStatistics s;
  for (const char* name : {"generalized_alpha", "blied2"}) {
    const double coarse = error({.method = name, .step = 0.01}, s),
                 fine = error({.method = name, .step = 0.005}, s);
    EXPECT_EQ(s.steps, 400);
    EXPECT_LE(fine, 2e-3) << name;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << name;
    // Kept factors contract by 5e-6, then by 1e-2: a rate below 0.02 is not believed, which takes one more.
    EXPECT_LE(s.iterations, 4 * s.steps) << name;
    RecordProperty(
        std::string(name) + "_iterations_per_step",
        std::to_string(static_cast<double>(s.iterations) / static_cast<double>(s.steps)));
  }
  EXPECT_LE(error({.method = "generalized_alpha", .tolerance = 1e-6}, s), 2e-3);
  EXPECT_LE(s.steps, 500);
  EXPECT_LE(s.iterations, 4 * (s.steps + s.rejected));
}

/// Pulled by a millimetre and let go: 1e5 N. A fixed step does not see the vibration, and must not
/// be thrown off by it.
TEST(Stiff, a_spring_that_is_let_go) {
  const Model model = elastic_rod();
  for (const char* name : {"generalized_alpha", "blied2"}) {
    ModelSystem system(model);
    system.set_forces(spring);
    const auto integrator = make_integrator(system, {.method = name, .step = 0.005});
    integrator->reset(hanging(1e-3));
    const State want = rigid_pendulum(2);
    double most = 0;
    while (integrator->state().t < 2) {
      integrator->step(2);
      most = std::max(most, std::abs(integrator->state().q[1]));
    }
    EXPECT_LE(most, 1e-3) << name;
    EXPECT_LE(std::abs(integrator->state().q[0] - want.q[0]), 0.01) << name;
    EXPECT_LE(std::abs(integrator->state().q[1]), 1e-6) << name;
  }
}

/// An arm with a light hand in a damper of 100 N m s/rad: time constant 1 us.
TEST(Stiff, a_viscous_wrist) {
  const Model model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(5, {0, 0, -0.3}, Sym3::diagonal(.1, .1, .1))
                                  .body("fore", "upper", joints::revolute({0, 1, 0}, {0, 0, -0.5}))
                                  .pose({{}, {0, 0, -0.5}})
                                  .inertia(2, {0, 0, -.2}, Sym3::diagonal(.02, .02, .02))
                                  .body("hand", "fore", joints::revolute({0, 0, 1}, {0, 0, -0.4}))
                                  .pose({{}, {0, 0, -0.4}})
                                  .inertia(.1, {0.01, 0, -.02}, Sym3::diagonal(1e-4, 1e-4, 1e-4))
                                  .build());
  const State start{0, Vector{1, 0.5, 0.3}, Vector{0, 0, 2}};
  const auto run = [&](const IntegratorOptions& options, StepStatistics& s) {
    ModelSystem system(model);
    system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau[2] = -100 * kin.v()[2];
    });
    const auto integrator = make_integrator(system, options);
    State end = test::run(*integrator, start, 1);
    s = integrator->statistics();
    return end;
  };
  StepStatistics s;
  ModelSystem system(model);
  const State want = run({.method = "generalized_alpha", .tolerance = 1e-9}, s);
  for (const IntegratorOptions& options :
       std::initializer_list<IntegratorOptions>{{.method = "generalized_alpha", .step = 0.005},
                                                {.method = "generalized_alpha", .tolerance = 1e-5},
                                                {.method = "blied2", .step = 0.0025}}) {
    const State end = run(options, s);
    EXPECT_LE(test::distance(system, end, want), 0.02) << options.method;
    EXPECT_LE(s.steps, 500) << options.method;
    EXPECT_LE(s.iterations, 5 * (s.steps + s.rejected)) << options.method;
    RecordProperty(options.method + "_" + std::to_string(s.steps) + "_steps_iterations",
                   std::to_string(s.iterations));
  }
}

}  // namespace
}  // namespace chasles
