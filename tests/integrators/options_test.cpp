/// Options: those of each method, scales, and integrations that are stopped and resumed.
#include <gtest/gtest.h>

#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {

/// Every option given to every method: taken if it is one of its own, refused by name otherwise.
TEST(Options, that_a_method_does_not_use_are_refused) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const struct {
    const char* name;
    void (*give)(IntegratorOptions&);
  } given[] = {{"step", [](IntegratorOptions& o) { o.step = 0.01; }},
               {"tolerance", [](IntegratorOptions& o) { o.tolerance = 1e-6; }},
               {"scales",
                [](IntegratorOptions& o) {
                  o.scales = Eigen::Vector2d{1, 2};
                }},
               {"first_step", [](IntegratorOptions& o) { o.first_step = 0.01; }},
               {"max_step", [](IntegratorOptions& o) { o.max_step = 0.01; }},
               {"order", [](IntegratorOptions& o) { o.order = 4; }},
               {"chart", [](IntegratorOptions& o) { o.chart = Chart::exponential; }},
               {"rho", [](IntegratorOptions& o) { o.rho = 0.5; }},
               {"index", [](IntegratorOptions& o) { o.index = 3; }}};
  for (const MethodInfo& info : methods()) {
    const auto own = options_of(info);
    for (const auto& option : given) {
      IntegratorOptions options{.method = std::string(info.name)};
      if (!info.adaptive) options.step = 0.02;
      option.give(options);
      const std::string text = test::message([&] { make_integrator(system, options); });
      if (std::find(own.begin(), own.end(), option.name) != own.end()) {
        EXPECT_EQ(text, "no error") << info.name << " " << option.name;
        continue;
      }
      for (const std::string& part :
           {std::string(info.name), "does not use '" + std::string(option.name) + "'",
            "takes " + std::string(own.front())})
        EXPECT_NE(text.find(part), text.npos) << part << " in: " << text;
    }
  }
  EXPECT_SAYS(make_integrator(system, {.method = "dop853", .step = 0.1}), "first_step");
}

TEST(Options, scales_must_fit) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  EXPECT_SAYS(make_integrator(system, {.scales = Eigen::VectorXd::Ones(3)}), "scales", "3");
  EXPECT_SAYS(make_integrator(system, {.scales = Eigen::Vector2d{1, 0}}), "scale is 0");
  EXPECT_SAYS(make_integrator(system, {.scales = Eigen::Vector2d{1, NAN}}), "scale is nan");
}

/// Two oscillators that know nothing of each other, one in meters, the other in micrometres. Without a
/// scale the small one is not seen; with it, it is as accurate as if it were alone and large.
TEST(Options, scales_are_what_counts_as_one) {
  const Model model = compile(MechanismBuilder("two")
                                  .body("large", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .body("small", ground, joints::prismatic({0, 1, 0}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  for (const char* name : {"dop853", "dp54", "bs32", "cf43"}) {
    ModelSystem system(model);
    system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau[0] = -kin.q()[0];
      out.tau[1] = -100 * kin.q()[1];
    });
    const State start{0, Eigen::VectorXd{{1, 1e-6}}, Eigen::VectorXd{{0, 0}}};
    const auto error = [&](const Vector& scales) {
      const auto integrator =
          make_integrator(system, {.method = name, .tolerance = 1e-6, .scales = scales});
      return std::abs(test::run(*integrator, start, 1).q[1] - 1e-6 * std::cos(10)) / 1e-6;
    };
    EXPECT_GT(error({}), 1e-4) << name;
    EXPECT_LT(error(Eigen::Vector2d{1, 1e-6}), 0.05 * error({})) << name;
    EXPECT_EQ(error(Eigen::Vector2d{1, 1}), error({})) << name;
  }
}

bool goes_on_bit_by_bit(const MethodInfo& info) {
  return info.name != "abm" && !info.constrained && !info.symmetric;  // integrator.hpp, Checkpoint
}

/// Stopped after any number of steps and resumed by another integrator, with a force that knows the
/// time, so that a grid that is off by a rounding error shows.
TEST(Checkpoint, goes_on_bit_by_bit) {
  const test::Motion m = test::three_spheres();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    if (info.needs != Needs::expansion)
      system.set_forces([](double t, const VelocityKinematics& kin, JointForces& out) {
        out.tau[6] = std::sin(3 * t) - 0.1 * kin.v()[6];
      });
    IntegratorOptions options{.method = std::string(info.name)};
    if (info.adaptive)
      options.tolerance = 1e-7;
    else
      options.step = 0.1;
    if (info.needs == Needs::expansion) options.order = 6;  // more than nine steps
    State start = m.start;
    start.t = 0.1;
    const double end = 7.3;
    const auto whole = make_integrator(system, options);
    whole->reset(start);
    for (int k = 0; k < 9; ++k) whole->step(end);
    const State stopped = whole->state();
    const Checkpoint checkpoint = whole->checkpoint();
    while (whole->state().t < end) whole->step(end);

    const auto rest = make_integrator(system, options);
    rest->resume(stopped, checkpoint);
    while (rest->state().t < end) rest->step(end);
    const long steps = rest->statistics().steps + 9, of_whole = whole->statistics().steps;
    EXPECT_EQ(steps, of_whole) << info.name;
    if (goes_on_bit_by_bit(info)) {
      EXPECT_EQ(rest->state().q, whole->state().q) << info.name;
      EXPECT_EQ(rest->state().v, whole->state().v) << info.name;
    } else {
      EXPECT_LE(test::distance(system, rest->state(), whole->state()),
                info.name == "abm" ? 1e-6 : 1e-11)
          << info.name;
    }
  }
}

TEST(Checkpoint, must_be_one) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {});
  EXPECT_SAYS(integrator->resume(m.start, {0, -1, 0}), "next_step", "-1");
  EXPECT_SAYS(integrator->resume(m.start, {NAN, 1, 0}), "origin", "nan");
  for (const char* name : {"generalized_alpha", "blied2"}) {
    const auto implicit = make_integrator(system, {.method = name, .step = 0.1});
    EXPECT_SAYS(implicit->resume(m.start, {0, 0, 0, {0.1, 2}}), name, "memory of 2 numbers");
    implicit->reset(m.start);
    EXPECT_TRUE(implicit->checkpoint().memory.empty());
    implicit->step(1);
    Checkpoint checkpoint = implicit->checkpoint();
    checkpoint.memory[0] = 0;
    EXPECT_SAYS(implicit->resume(m.start, checkpoint), name, "the first of them a step");
  }
}

/// Numbers that name no enumerator.
TEST(Options, enumerators_must_exist) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  for (const MethodInfo& info : methods()) {
    IntegratorOptions options = test::steps_of(0.01, info);
    options.stabilization = static_cast<Stabilization>(7);
    EXPECT_SAYS(make_integrator(system, options), std::string(info.name).c_str(),
                "stabilization is 7", "projection");
    if (!info.takes_chart) continue;
    options = test::steps_of(0.01, info);
    options.chart = static_cast<Chart>(9);
    EXPECT_SAYS(make_integrator(system, options), std::string(info.name).c_str(), "the chart is 9",
                "cayley");
  }
}

TEST(Checkpoints, must_be_finite) {
  const test::Motion m = test::double_pendulum();
  for (const MethodInfo& info : methods())
    for (const bool whole : {true, false}) {
      ModelSystem system(m.model);
      const auto integrator = make_integrator(system, test::steps_of(0.01, info));
      integrator->reset(m.start);
      for (int k = 0; k < 3; ++k) integrator->step(10);
      Checkpoint at = integrator->checkpoint();
      if (whole) at.origin = at.next_step = at.last_error = NAN;
      if (at.memory.empty()) at.memory.resize(2);
      for (double& x : at.memory) x = NAN;
      const State here = integrator->state();
      EXPECT_SAYS(integrator->resume(here, at), "checkpoint", "finite");
      integrator->reset(m.start);  // nothing is left of it
      integrator->step(10);
      EXPECT_TRUE(integrator->state().v.allFinite()) << info.name;
    }
}

TEST(Retry, needs_a_step) {
  const test::Motion m = test::double_pendulum();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
    integrator->reset(m.start);
    EXPECT_SAYS(integrator->retry(0.005), "no step yet", "call step first");
    integrator->step(10);
    EXPECT_SAYS(integrator->retry(NAN), "nan");
    EXPECT_SAYS(integrator->retry(HUGE_VAL), "inf");
    integrator->retry(0.005);
    EXPECT_EQ(integrator->state().t, 0.005) << info.name;
    const State here = integrator->state();
    integrator->replace(here.q, here.v);
    EXPECT_SAYS(integrator->retry(0.004), "no step yet");
  }
}

/// A hook may change q and v, but not the time, nor the number of coordinates.
TEST(Hooks, keep_time_and_sizes) {
  struct Hook : StepHook {
    void (*change)(State&) = nullptr;
    void reached(State& state) override {
      if (change) change(state);
    }
  };
  const struct {
    void (*change)(State&);
    std::vector<const char*> says;
  } wrong[] = {{[](State& s) { s.t = -5; }, {"hook", "time to -5 s"}},
               {[](State& s) { s.v[0] = NAN; }, {"hook", "not finite"}},
               {[](State& s) { s.q.setZero(3); }, {"hook", "3 numbers of q"}}};
  const test::Motion m = test::double_pendulum();
  const auto check = [&](DynamicalSystem& system, const State& start, IntegratorOptions options) {
    for (const auto& [change, says] : wrong) {
      const auto hook = std::make_shared<Hook>();
      options.hook = hook;
      const auto integrator = make_integrator(system, options);
      integrator->reset(start);
      integrator->step(10);
      const State before = integrator->state();
      hook->change = change;
      const std::string text = test::message([&] { integrator->step(10); });
      for (const char* part : says) EXPECT_NE(text.find(part), text.npos) << part << ": " << text;
      EXPECT_EQ(integrator->state().t, before.t) << options.method;
      EXPECT_EQ(integrator->state().q, before.q) << options.method;
      hook->change = nullptr;
      integrator->step(10);
      EXPECT_GT(integrator->state().t, before.t) << options.method;
    }
  };
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    check(system, m.start, test::steps_of(0.01, info));
  }
  const test::Motion free = test::free_body();
  ModelSystem system(free.model);
  check(system, free.start, {.method = "mk4", .step = 0.01, .momentum_form = true});
}

}  // namespace
}  // namespace chasles
