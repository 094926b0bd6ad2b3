/// Step control, and what is refused.
#include <gtest/gtest.h>

#include <set>

#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {

TEST(Methods, are_found_by_name) {
  EXPECT_EQ(method_info("dop853").order, 8);
  EXPECT_TRUE(method_info("dop853").adaptive);
  EXPECT_TRUE(method_info("gauss2").symmetric);
  std::set<std::string_view> names;
  for (const MethodInfo& info : methods()) {
    EXPECT_FALSE(info.description.empty()) << info.name;
    EXPECT_TRUE(names.insert(info.name).second) << info.name << " is there twice";
  }
}

TEST(MakeIntegrator, refuses_bad_options) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const auto make = [&](const IntegratorOptions& options) { make_integrator(system, options); };
  EXPECT_SAYS(make({.method = "dop835"}), "dop835", "did you mean 'dop853'?");
  EXPECT_SAYS(make({.method = "mk4"}), "mk4", "fixed steps", "give step");
  EXPECT_SAYS(make({.method = "mk4", .step = 0}), "mk4", "step is 0 s", "positive");
  EXPECT_SAYS(make({.method = "mk4", .step = -0.1}), "-0.1");
  EXPECT_SAYS(make({.method = "mk4", .step = std::nan("")}), "nan");
  EXPECT_SAYS(make({.method = "mk4", .step = HUGE_VAL}), "inf");
  EXPECT_SAYS(make({.method = "dp54", .tolerance = 1e-16}), "1e-16", "1e-15");
  EXPECT_SAYS(make({.method = "dp54", .tolerance = -1}), "-1");
  EXPECT_SAYS(make({.method = "dp54", .first_step = -1}), "first_step", "-1");
  EXPECT_SAYS(make({.method = "dp54", .max_step = 0}), "max_step", "0");
  EXPECT_SAYS(make({.method = "abm", .step = 0.1, .order = 13}), "13", "1 to 12");
  EXPECT_SAYS(make({.method = "taylor", .order = 1}), "order 1", "2 to 40");
  EXPECT_SAYS(make({.method = "taylor", .order = 41}), "order 41", "2 to 40");
  EXPECT_SAYS(make({.method = "cf4", .step = 0.1, .chart = Chart::cayley}), "cf4", "'chart'",
              "it takes step");
}

TEST(Integrator, checks_sizes_and_times) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = 0.1});
  EXPECT_THROW(integrator->reset({0, Eigen::VectorXd::Zero(3), m.start.v}), SizeError);
  EXPECT_THROW(integrator->reset({0, m.start.q, Eigen::VectorXd::Zero(1)}), SizeError);
  integrator->reset(m.start);
  EXPECT_SAYS(integrator->step(0), "beyond t = 0");
  EXPECT_SAYS(integrator->step(-1), "-1");
  EXPECT_SAYS(integrator->step(std::nan("")), "nan");
}

TEST(Integrator, other_coordinates_need_a_system_that_has_them) {
  test::HandmadeTop top(1, {0, 0, 0.5}, {0.55, 0.6, 0.2});
  const auto integrator =
      make_integrator(top, {.method = "mk4", .step = 0.1, .chart = Chart::cayley});
  integrator->reset(test::heavy_top().start);
  EXPECT_SAYS(integrator->step(1), "exponential");
  EXPECT_SAYS(make_integrator(top, {.method = "variational", .step = 0.1}), "ModelSystem");
}

/// A force that grows beyond all bounds: the step collapses, and the last state is kept.
TEST(StepControl, collapse_is_an_error_with_the_time) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  system.set_forces([](double t, const VelocityKinematics&, JointForces& out) {
    out.tau[0] = 1 / (0.5 - t) / (0.5 - t);
  });
  for (const char* name : {"dop853", "dp54", "bs32", "cf43"}) {
    const auto integrator = make_integrator(system, {.method = name, .tolerance = 1e-6});
    integrator->reset(m.start);
    const std::string text = test::message([&] {
      while (integrator->state().t < 1) integrator->step(1);
    });
    EXPECT_NE(text.find("collapsed"), std::string::npos) << text;
    EXPECT_NE(text.find("t = 0.5"), std::string::npos) << text;
    EXPECT_NEAR(integrator->state().t, 0.5, 1e-4);
    EXPECT_TRUE(integrator->state().v.allFinite());
  }
}

/// Rates that depend on time alone: the embedded estimate of cf43 vanishes there, and steps would grow beyond any period.
TEST(StepControl, sees_forces_that_depend_on_time_alone) {
  const Model model = compile(MechanismBuilder("slide")
                                  .gravity({})
                                  .body("mass", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  ModelSystem system(model);
  system.set_forces(
      [](double t, const VelocityKinematics&, JointForces& out) { out.tau[0] = std::cos(7 * t); });
  for (const char* name : {"dop853", "dp54", "bs32", "cf43"})
    for (const double tolerance : {1e-5, 1e-8}) {
      const auto integrator = make_integrator(system, {.method = name, .tolerance = tolerance});
      integrator->reset({0, Vector(1), Vector(1)});
      while (integrator->state().t < 10) integrator->step(10);
      EXPECT_NEAR(integrator->state().v[0], std::sin(70) / 7, 30 * tolerance) << name;
      EXPECT_NEAR(integrator->state().q[0], (1 - std::cos(70)) / 49, 300 * tolerance) << name;
    }
}

TEST(StepControl, forces_that_are_not_numbers) {
  const test::Motion m = test::double_pendulum();
  for (const MethodInfo& info : methods()) {
    if (info.needs == Needs::expansion) continue;  // taylor_test.cpp
    ModelSystem system(m.model);
    system.set_forces([](double t, const VelocityKinematics&, JointForces& out) {
      if (t > 0.3) out.tau[0] = std::nan("");
    });
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
    integrator->reset(m.start);
    EXPECT_THROW(while (integrator->state().t < 1) integrator->step(1), StepError) << info.name;
    EXPECT_TRUE(integrator->state().q.allFinite() && integrator->state().v.allFinite());
    EXPECT_LE(integrator->state().t, 0.31);
  }
}

TEST(StepControl, a_full_turn_within_a_step) {
  test::Motion m = test::free_body();
  m.start.v << 0, 0, 70, 0, 0, 0;
  ModelSystem system(m.model);
  const auto fixed = make_integrator(system, {.method = "mk4", .step = 0.1});
  fixed->reset(m.start);
  EXPECT_SAYS(fixed->step(1), "mk4", "7 rad", "step below", "cf4");
  const auto controlled = make_integrator(system, {.method = "dp54", .tolerance = 1});
  const State end = test::run(*controlled, m.start, 1);
  EXPECT_LE(controlled->statistics().largest, 2.1 / 70);
  EXPECT_TRUE(end.v.allFinite());
  test::run(*make_integrator(system, {.method = "cf4", .step = 0.1}), m.start, 1);
}

TEST(StepControl, implicit_stages_that_do_not_converge) {
  test::Motion m = test::double_pendulum();
  for (const char* name : {"gauss2", "midpoint", "variational", "verlet"}) {
    ModelSystem system(m.model);
    system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau = -1e9 * kin.v().array().cube().matrix() - 1e8 * kin.q().array().sin().matrix();
    });
    const auto integrator = make_integrator(system, {.method = name, .step = 0.5});
    integrator->reset(m.start);
    EXPECT_THROW(for (int k = 0; k < 5; ++k) integrator->step(10), StepError) << name;
    EXPECT_TRUE(integrator->state().v.allFinite());
  }
}

TEST(StepControl, error_follows_the_tolerance) {
  const test::Motion m = test::three_spheres();
  ModelSystem system(m.model);
  const auto exact = make_integrator(system, {.method = "mk8", .step = 0.01});
  const State end = test::run(*exact, m.start, 2);
  for (const char* name : {"dop853", "dp54", "bs32", "cf43", "taylor"})
    for (const double tolerance : {1e-5, 1e-7, 1e-9}) {
      const auto integrator = make_integrator(system, {.method = name, .tolerance = tolerance});
      const double error = test::distance(system, test::run(*integrator, m.start, 2), end);
      EXPECT_LE(error, 300 * tolerance) << name;
      EXPECT_LE(integrator->statistics().rejected, integrator->statistics().steps / 4 + 2);
    }
}

/// Within a step, from where it began: the interpolants beyond the cubic.
TEST(Interpolation, has_an_error_of_the_order_of_the_method) {
  const test::Motion m = test::heavy_top();
  ModelSystem system(m.model);
  const auto error = [&](const std::string& name, double h) {
    const auto integrator = make_integrator(system, test::steps_of(h, method_info(name)));
    const auto exact = make_integrator(system, {.method = "mk8", .step = h / 4});
    integrator->reset(m.start);
    State out;
    double most = 0;
    for (int k = 0; k < 24; ++k) {
      integrator->step(10);
      if (k < 12) continue;
      for (const double s : {0.25, 0.6}) {
        integrator->interpolate(integrator->before().t + s * h, out);
        most = std::max(
            most, test::distance(system, out, test::run(*exact, integrator->before(), out.t)));
      }
    }
    return most;
  };
  const struct {
    const char* name;
    double order, h;
  } cases[] = {{"mk4", 4, 0.02}, {"dp54", 5, 0.04},  {"mk6", 6, 0.08},   {"gauss3", 6, 0.05},
               {"mk8", 8, 0.3},  {"dop853", 8, 0.3}, {"taylor", 5, 0.04}};
  for (const auto& c : cases)
    EXPECT_GE(std::log2(error(c.name, c.h) / error(c.name, c.h / 2)), c.order - 0.3) << c.name;
  EXPECT_LE(error("dop853", 0.02), 1e-12);
  EXPECT_LE(error("mk8", 0.02), 1e-12);
}

}  // namespace
}  // namespace chasles
