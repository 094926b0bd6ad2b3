/// The method of power series: its orders, its steps, what it needs of forces, and closed forms.
#include <gtest/gtest.h>

#include "chasles/simulation/forces.hpp"
#include "support/errors.hpp"
#include "support/exact_motions.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

double error_at(const test::ExactMotion& exact, const IntegratorOptions& options, double T,
                StepStatistics* statistics = nullptr) {
  ModelSystem system(exact.motion.model);
  const auto integrator = make_integrator(system, options);
  const State end = test::run(*integrator, exact.motion.start, T);
  if (statistics) *statistics = integrator->statistics();
  return test::distance(system, end, test::Solution(exact.rate, exact.motion.start).at(T));
}

/// The error of one step falls with h^(p+1).
TEST(Taylor, has_the_order_that_is_asked_for) {
  for (const test::ExactMotion& m :
       {test::exact_heavy_top(), test::exact_free_body(), test::exact_double_pendulum()})
    for (int p = 2; p <= 14; ++p) {
      const auto error = [&](double h) {
        return error_at(
            m, {.method = "taylor", .tolerance = 1e3, .first_step = h, .max_step = h, .order = p},
            h);
      };
      double h = 0.4;
      while (error(h) > 1e-7) h *= 0.8;
      EXPECT_NEAR(std::log2(error(h) / error(h / 2)), p + 1, 0.5)
          << m.motion.name << ", order " << p << ", h " << h;
    }
}

/// At every order the error follows the tolerance, down to rounding, without rejected steps.
TEST(Taylor, keeps_the_tolerance) {
  for (const test::ExactMotion& m :
       {test::exact_heavy_top(), test::exact_free_body(), test::exact_double_pendulum()})
    for (const int p : {8, 16, 30})
      for (const double tolerance : {1e-6, 1e-9, 1e-13}) {
        StepStatistics statistics;
        const double error =
            error_at(m, {.method = "taylor", .tolerance = tolerance, .order = p}, 4, &statistics);
        EXPECT_LE(error, 50 * tolerance + 1e-11) << m.motion.name << ", order " << p;
        EXPECT_EQ(statistics.rejected, 0) << m.motion.name;
        EXPECT_EQ(statistics.stiff, 0) << m.motion.name;
      }
}

/// Every joint type, with gravity: the extrapolation method of the tests.
TEST(Taylor, moves_mechanisms_of_all_joint_types) {
  for (const int seed : {1, 2, 3, 4}) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
    const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
    const State start{0, test::random_configuration(model, generator, 0.5),
                      test::random_vector(model.nv(), generator, 0.3)};
    const double T = 0.04;
    const State truth = test::Solution(test::coordinate_rates(model), start, 0.005L, 7).at(T);
    ModelSystem system(model);
    const auto integrator = make_integrator(system, {.method = "taylor", .tolerance = 1e-12});
    const State end = test::run(*integrator, start, T);
    EXPECT_LE(test::distance(system, end, truth) / (1 + truth.v.norm()), 1e-9) << seed;
    EXPECT_LE(integrator->statistics().steps, 60) << seed;
  }
}

/// Within a step the series is as good as at its end.
TEST(Taylor, interpolates_to_its_tolerance) {
  const test::ExactMotion m = test::exact_free_body();
  ModelSystem system(m.motion.model);
  const auto integrator = make_integrator(system, {.method = "taylor", .tolerance = 1e-12});
  integrator->reset(m.motion.start);
  test::Solution truth(m.rate, m.motion.start);
  State out;
  while (integrator->state().t < 3) {
    integrator->step(3);
    const double t0 = integrator->before().t, h = integrator->state().t - t0;
    for (const double s : {0.2, 0.6, 0.9}) {
      integrator->interpolate(t0 + s * h, out);
      EXPECT_LE(test::distance(system, out, truth.at(out.t)), 1e-11);
    }
  }
}

/// Constant torques and wrenches, springs and dampers: dop853 has the same motion from the same forces.
TEST(Taylor, expands_forces_that_are_constant_or_linear) {
  std::mt19937_64 generator(5);
  const Model model = compile(MechanismBuilder("arm")
                                  .body("base", ground, joints::floating())
                                  .inertia(3, {0.1, 0, 0}, Sym3::diagonal(0.3, 0.2, 0.4))
                                  .body("upper", "base", joints::revolute({0, 1, 0}, {0.2, 0, 0}))
                                  .inertia(1, {0.1, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("ball", "upper", joints::spherical())
                                  .inertia(1, {0.3, 0.1, -0.2}, Sym3::diagonal(0.1, 0.15, 0.12))
                                  .build());
  const std::string upper = model.joints()[1].name, ball = model.joints()[2].name;
  Forces forces;
  forces.add(joint_spring_damper(model, upper, 20, 0.4, {0.3}));
  forces.add(joint_spring_damper(model, upper, 5, 0, {-0.2}));
  forces.add(pd_hold(model, upper, 3, 0.1, {0.7}));
  forces.add(joint_torque(model, upper, {0.5}));
  forces.add(joint_torque(model, ball, {0.1, -0.2, 0.3}));
  forces.add(joint_friction(model, ball, {.viscous = 0.2}));
  for (const Representation rep : {Representation::body, Representation::spatial,
                                   Representation::hybrid, Representation::mixed})
    forces.add(body_wrench(model, {"ball", {0.1, 0.2, 0.3}}, {0.1, 0.2, -0.3, 1, -2, 1.5}, rep));
  ModelSystem system(model);
  system.set_forces(forces.function(), forces.expansion());
  State start{0, model.neutral(), test::random_vector(model.nv(), generator)};
  const State taylor = test::run(*make_integrator(system, {.method = "taylor", .tolerance = 1e-12}),
                                 start, 2),
              want = test::run(*make_integrator(system, {.method = "dop853", .tolerance = 1e-13}),
                               start, 2);
  EXPECT_LE(test::distance(system, taylor, want), 1e-9);

  // A function without expansion.
  ModelSystem opaque(model);
  opaque.set_forces([](double, const VelocityKinematics&, JointForces&) {});
  EXPECT_SAYS(make_integrator(opaque, {.method = "taylor"}), "set_forces", "dop853");
  EXPECT_SAYS(make_integrator(opaque, {.method = "taylor", .step = 0.1}), "first_step");
}

/// A hook that changes the state: the next series begins there, and the interpolant leads there.
TEST(Taylor, goes_on_from_what_a_hook_left) {
  struct Push : StepHook {
    void reached(State& state) override { state.v[0] += 1e-3; }
  };
  const test::Motion m = test::heavy_top();
  ModelSystem system(m.model);
  const auto pushed =
      make_integrator(system, {.method = "taylor", .hook = std::make_shared<Push>()});
  const auto plain = make_integrator(system, {.method = "taylor"});
  pushed->reset(m.start), plain->reset(m.start);
  State out;
  for (int k = 0; k < 5; ++k) {
    pushed->step(10);
    plain->reset(pushed->before());
    plain->step(pushed->state().t);
    EXPECT_NEAR(pushed->state().v[0] - plain->state().v[0], 1e-3, 1e-9);
    const double t0 = pushed->before().t, t1 = pushed->state().t;
    pushed->interpolate(std::nextafter(t1, t0), out);
    EXPECT_LE(test::distance(system, out, pushed->state()), 1e-9);
  }
}

/// Nothing moves: one step leads to the end.
TEST(Taylor, steps_over_rest_at_once) {
  const Model model = compile(MechanismBuilder("rest")
                                  .gravity({})
                                  .body("body", ground, joints::floating())
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  ModelSystem system(model);
  const auto integrator = make_integrator(system, {.method = "taylor"});
  const State start{0, model.neutral(), Eigen::VectorXd::Zero(6)};
  const State end = test::run(*integrator, start, 1e3);
  EXPECT_EQ(end.q, start.q);
  EXPECT_EQ(integrator->statistics().steps, 1);
}

/// A pendulum that starts horizontally: its angle has the powers t^2, t^6, t^10, ... only, its velocity t, t^5, t^9, ...
/// Of every order two neighboring coefficients of the state vanish; steps must be found from the others.
TEST(Taylor, sees_motions_whose_coefficients_vanish_in_pairs) {
  const Model model = compile(MechanismBuilder("pendulum")
                                  .gravity({0, -9.81, 0})
                                  .body("bob", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {-1, 0, 0}, {})
                                  .build());
  ModelSystem system(model);
  const State start{0, model.neutral(), Eigen::VectorXd::Zero(1)};
  for (int order = 5; order <= 24; ++order) {
    const auto integrator =
        make_integrator(system, {.method = "taylor", .tolerance = 1e-10, .order = order});
    const State end = test::run(*integrator, start, 10);
    // By Jacobi's elliptic functions: examples/verification/iftomm_a01_pendulum.yaml.
    EXPECT_NEAR(std::cos(end.q[0]), 0.27508746257611686, 1e-8) << order;
    EXPECT_NEAR(std::sin(end.q[0]), 0.9614192050991251, 1e-8) << order;
  }
}

/// Friction that is far too strong for any explicit method holds its steps down, and is named.
TEST(Taylor, names_stiff_motions) {
  const Model model = compile(MechanismBuilder("slider")
                                  .gravity({1, 0, 0})
                                  .body("mass", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  Forces forces;
  forces.add(joint_friction(model, model.joints()[0].name, {.viscous = 1e4}));
  ModelSystem system(model);
  system.set_forces(forces.function(), forces.expansion());
  const auto integrator = make_integrator(system, {.method = "taylor", .tolerance = 1e-6});
  const State end =
      test::run(*integrator, {0, Eigen::VectorXd::Zero(1), Eigen::VectorXd::Ones(1)}, 1);
  EXPECT_NEAR(end.v[0], 1e-4, 1e-8);
  EXPECT_TRUE(integrator->statistics().is_stiff());
}

}  // namespace
}  // namespace chasles
