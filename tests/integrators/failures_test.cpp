/// What a step leaves behind when it fails, what is said then, and where fixed steps end.
#include <gtest/gtest.h>

#include <stdexcept>

#include "chasles/integrators/events.hpp"
#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {

Model slider(double mass = 1) {
  return compile(MechanismBuilder("slider")
                     .body("mass", ground, joints::prismatic({1, 0, 0}))
                     .inertia(mass, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}
State on_slider(double q, double v, double t = 0) {
  return {t, Eigen::VectorXd::Constant(1, q), Eigen::VectorXd::Constant(1, v)};
}

/// Whatever is thrown in whichever evaluation of a step, by the system, the state is where it was.
TEST(Step, that_throws_leaves_the_state_where_it_was) {
  const test::Motion m = test::heavy_top();
  for (const MethodInfo& info : methods())
    for (const bool first_step_given : {true, false})
      for (int good = 0; good < 14; ++good) {
        ModelSystem system(m.model);
        int calls = 0;
        bool armed = false;
        const auto call = [&] {
          if (armed && ++calls > good) throw std::domain_error("out of paper");
        };
        system.set_forces([&](double, const VelocityKinematics&, JointForces&) { call(); },
                          [&](ForceExpansion&) { call(); });
        IntegratorOptions options = test::steps_of(0.04, info);
        if (!first_step_given) options.first_step = {};
        const auto integrator = make_integrator(system, options);
        armed = true;
        integrator->reset(m.start);
        State last = m.start;
        bool thrown = false;
        for (int k = 0; k < 20 && !thrown; ++k) try {
            integrator->step(10);
            last = integrator->state();
          } catch (const std::domain_error&) {
            thrown = true;
          }
        ASSERT_TRUE(thrown) << info.name;
        EXPECT_EQ(integrator->state().t, last.t) << info.name << " " << good;
        EXPECT_EQ(integrator->state().q, last.q) << info.name << " " << good;
        EXPECT_EQ(integrator->state().v, last.v) << info.name << " " << good;
        armed = false;  // and it can go on from there
        while (integrator->state().t < 1) integrator->step(1);
        EXPECT_TRUE(integrator->state().v.allFinite());
      }
}

TEST(Integrator, wants_a_start_first) {
  const test::Motion m = test::three_spheres();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
    State out;
    const Vector q = m.start.q, v = m.start.v;
    EXPECT_SAYS(integrator->step(1), "reset", std::string(info.name).c_str());
    EXPECT_SAYS(integrator->retry(1), "reset", std::string(info.name).c_str());
    EXPECT_SAYS(integrator->replace(q, v), "reset", std::string(info.name).c_str());
    EXPECT_SAYS(integrator->interpolate(0, out), "reset", std::string(info.name).c_str());
  }
  ModelSystem system(m.model);
  const auto form = make_integrator(system, {.method = "mk4", .step = 0.1, .momentum_form = true});
  EXPECT_SAYS(form->step(1), "reset");
}

/// x'' = -x / sqrt(1 - x^2) is not defined beyond x = 1, where trial stages may come, the motion not.
TEST(StepControl, a_trial_outside_of_what_a_force_knows_is_a_step_too_long) {
  const Model model = slider();
  for (const char* name : {"dop853", "dp54", "bs32", "cf43"}) {
    ModelSystem system(model);
    long outside = 0;
    system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
      const double x = kin.q()[0];
      if (std::abs(x) >= 1) ++outside;
      out.tau[0] = -x / std::sqrt(1 - x * x);
    });
    const auto integrator =
        make_integrator(system, {.method = name, .tolerance = 1e-8, .first_step = 10});
    const State end = test::run(*integrator, on_slider(0, 1.2), 3);
    EXPECT_GT(outside, 0) << name;
    // v^2 / 2 - sqrt(1 - x^2) is kept.
    EXPECT_NEAR(end.v[0] * end.v[0] / 2 - std::sqrt(1 - end.q[0] * end.q[0]), 0.72 - 1, 1e-5)
        << name;
    EXPECT_GT(integrator->statistics().rejected, 0) << name;
  }
}

/// The same with a force that says so by an exception.
TEST(StepControl, a_trial_that_throws_a_state_error_is_a_step_too_long) {
  const Model model = slider();
  ModelSystem system(model);
  system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
    if (std::abs(kin.q()[0]) > 1.5) throw StateError("the spring is torn");
    out.tau[0] = -kin.q()[0];
  });
  const auto integrator = make_integrator(system, {.method = "dop853", .first_step = 100});
  EXPECT_NEAR(test::run(*integrator, on_slider(0, 1), 3).q[0], std::sin(3), 1e-8);
  const auto torn = make_integrator(system, {.method = "dop853"});
  torn->reset(on_slider(0, 2));
  const auto tear = [&] {
    while (torn->state().t < 3) torn->step(3);
  };
  EXPECT_SAYS(tear(), "the spring is torn", "collapsed", "t = 0.848");
  EXPECT_NEAR(torn->state().q[0], 1.5, 1e-6);
}

/// A spring that the step is far too long for: every state is larger than the one before, until
/// something in the dynamics gives up. It is the motion that diverged.
TEST(Step, of_a_motion_that_diverges_says_so) {
  const Model chain = compile(MechanismBuilder("chain")
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0, 0, -1}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("slide", "upper", joints::prismatic({1, 0, 0}))
                                  .inertia(1, {0, 0, -1}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .build());
  for (const MethodInfo& info : methods()) {
    if (info.adaptive) continue;
    ModelSystem system(chain);
    system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau[1] = -1e4 * kin.q()[1] + 300 * kin.v()[1];
    });
    IntegratorOptions options = test::steps_of(0.1, info);
    const auto integrator = make_integrator(system, options);
    integrator->reset({0, Eigen::VectorXd{{0.1, 0.1}}, Eigen::VectorXd{{0, 0.1}}});
    const std::string text = test::message([&] {
      while (integrator->state().t < 1000) integrator->step(1000);
    });
    // Implicit methods may rather find no solution.
    if (text.find("converge") != text.npos || text.find("settle") != text.npos) continue;
    for (const char* part : {"diverged", "t = ", "joint '", "is "})
      EXPECT_NE(text.find(part), text.npos) << info.name << ": " << text;
    EXPECT_EQ(text.find("inertia"), text.npos) << info.name << ": " << text;
    EXPECT_EQ(text.find("forces"), text.npos) << info.name << ": " << text;
    EXPECT_TRUE(integrator->state().q.allFinite() && integrator->state().v.allFinite());
  }
}

TEST(FixedSteps, end_on_their_grid_whatever_cuts_them_short) {
  const test::Motion m = test::double_pendulum();
  const double h = 0.01, t0 = 0.37;
  for (const MethodInfo& info : methods()) {
    if (info.adaptive) continue;
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, test::steps_of(h, info));
    State start = m.start;
    start.t = t0;
    integrator->reset(start);
    Events events({{"turn", [](const State& s) { return s.v[0]; }}});
    events.start(*integrator);
    int found = 0, cut = 0;
    const auto advance = [&](double until) {
      events.advance(*integrator, until, [&](const IntegratorEvent&, const State&) { ++found; });
    };
    while (integrator->state().t < t0 + 1) {
      if (++cut % 7 == 0) advance(integrator->state().t + 0.3 * h);
      advance(t0 + 1);
    }
    EXPECT_GT(found, 0) << info.name;
    integrator->step(100);
    EXPECT_NEAR(integrator->state().t, t0 + 1 + h, 1e-15) << info.name;
    for (int k = 102; k < 200; ++k) {
      integrator->step(100);
      ASSERT_EQ(integrator->state().t, t0 + k * h) << info.name;
    }
    EXPECT_LE(integrator->statistics().largest, h) << info.name;
  }
}

TEST(Statistics, count_a_step_that_is_taken_again_once) {
  const test::Motion m = test::double_pendulum();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
    integrator->reset(m.start);
    for (int k = 0; k < 5; ++k) integrator->step(10);
    const long evaluations = integrator->statistics().evaluations;
    integrator->retry(0.047);
    integrator->retry(0.043);
    EXPECT_EQ(integrator->statistics().steps, 5) << info.name;
    EXPECT_EQ(integrator->statistics().rejected, 0) << info.name;
    // Power series are there already.
    const bool evaluates = info.order > 1 && info.needs != Needs::expansion;
    EXPECT_GE(integrator->statistics().evaluations, evaluations + evaluates) << info.name;
    EXPECT_NEAR(integrator->statistics().smallest, 0.003, 1e-15) << info.name;
  }
}

TEST(Integrator, refuses_times_that_doubles_cannot_tell_apart) {
  const Model model = slider();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(model);
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
    integrator->reset(on_slider(0, 1, 1e17));
    EXPECT_THROW(while (integrator->state().t < 1.0001e17) integrator->step(1.0001e17), StepError)
        << info.name;
    EXPECT_EQ(integrator->state().t, 1e17);
    EXPECT_THROW(integrator->reset(on_slider(0, 1, HUGE_VAL)), Error) << info.name;
  }
}

/// A rotor in strong friction, driven slowly: after the first moment accuracy would allow long steps.
TEST(StepControl, stiff_motions_are_named) {
  const Model model = slider();
  for (const char* name : {"dop853", "dp54", "bs32", "cf43"}) {
    ModelSystem system(model);
    double c = 1e4;
    system.set_forces([&](double t, const VelocityKinematics& kin, JointForces& out) {
      out.tau[0] = -c * (kin.v()[0] - std::sin(t));
    });
    const auto stiff = make_integrator(system, {.method = name, .tolerance = 1e-6});
    test::run(*stiff, on_slider(0, 1), 2);
    EXPECT_TRUE(stiff->statistics().is_stiff())
        << name << " " << stiff->statistics().stiff << " of " << stiff->statistics().steps;
    c = 1;
    const auto soft = make_integrator(system, {.method = name, .tolerance = 1e-6});
    test::run(*soft, on_slider(0, 1), 200);
    EXPECT_EQ(soft->statistics().stiff, 0) << name;
    // Fast, but accuracy is what holds the steps: an undamped spring.
    system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau[0] = -1e6 * kin.q()[0];
    });
    const auto fast = make_integrator(system, {.method = name, .tolerance = 1e-6});
    test::run(*fast, on_slider(0, 1), 1);
    EXPECT_FALSE(fast->statistics().is_stiff())
        << name << " " << fast->statistics().stiff << " of " << fast->statistics().steps;
  }
}

}  // namespace
}  // namespace chasles
