/// Estimated errors of runs against true ones: closed forms, solutions in quadruple precision.
#include "chasles/simulation/error_estimate.hpp"

#include <gtest/gtest.h>

#include "chasles/io/scenario_file.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace error_estimate_test {

struct Estimated {
  RecordedSamples samples;
  ErrorEstimate estimate;
};
Estimated estimated(const Scenario& scenario) {
  Estimated out;
  Simulation simulation(scenario);
  simulation.run(out.samples);
  out.estimate = estimate_error(scenario, out.samples, simulation.summary());
  return out;
}
Scenario read(const std::string& name, const std::vector<std::string>& changes) {
  return read_scenario("examples/verification/scenarios/" + name + ".yaml", nullptr, nullptr,
                       changes);
}
const QuantityError& named(const ErrorEstimate& estimate, const std::string& name) {
  const auto& all = estimate.quantities;
  return *std::ranges::find(all, name, &QuantityError::name);
}

/// The angular velocity of Euler's top at 10 s, from elliptic functions.
TEST(ErrorEstimate, is_the_true_error_of_a_free_body) {
  const Vector exact{0.69698908507026183, -0.87418888993907908, -0.80068591110103440};
  for (const std::vector<std::string>& changes :
       {std::vector<std::string>{"integrator.method=bs32", "integrator.tolerance=1e-6"},
        {"integrator.method=dp54", "integrator.tolerance=1e-5"},
        {"integrator={method: mk2, step: 0.05}"},
        {"integrator={method: gauss2, step: 0.2}"},
        {"coordinates=maximal", "integrator.method=dp54", "integrator.tolerance=1e-5"}}) {
    const auto [samples, estimate] = estimated(read("free_body", changes));
    const Vector& v = samples.rows.back().state.v;
    const double error = (v.head(3) - exact).cwiseAbs().maxCoeff();
    ASSERT_GT(error, 1e-8) << changes[0];
    EXPECT_NEAR(named(estimate, "v").end / error, 1, 0.3) << changes[0];
    EXPECT_GE(named(estimate, "v").worst, named(estimate, "v").end);
    EXPECT_GE(estimate.runs.size(), 2U);
    EXPECT_FALSE(estimate.horizon) << changes[0];
  }
}

TEST(ErrorEstimate, closed_mechanisms_are_compared_with_half_explicit_steps) {
  const auto [samples, estimate] = estimated(read(
      "andrews", {"integrator={method: dp54, tolerance: 1e-7}", "record.quantities=[energy]"}));
  const ModelJoint& beta = read("andrews", {}).model.joint("beta");
  const double error = std::abs(samples.rows.back().state.q[beta.q_index] - 15.810771195153707);
  const QuantityError& q = named(estimate, "q");
  EXPECT_GT(error, 1e-9);
  EXPECT_LT(q.end / error, 4);
  EXPECT_GT(q.end / error, 0.5);
  EXPECT_NE(std::ranges::find(estimate.runs, "hedop5, tolerance 1e-08", &RepeatedRun::text),
            estimate.runs.end());
  EXPECT_EQ(estimate.quantities.size(), 3U);
  EXPECT_EQ(estimate.quantities[2].unit, "J");
}

/// A pendulum that falls through the vertical: the time of the event has the error of the run.
TEST(ErrorEstimate, of_the_end_of_a_run_that_an_event_ends) {
  const auto [samples, estimate] = estimated(
      read("pendulum", {"integrator={method: bs32, tolerance: 1e-5}",
                        "events=[{when: {joint: hinge}, crosses: 1.5707963267948966, do: stop}]"}));
  const double exact = 2.367841947576237 / 4;
  const double error = std::abs(samples.rows.back().state.t - exact);
  ASSERT_GT(error, 1e-9);
  EXPECT_NEAR(named(estimate, "end of the run").end / error, 1, 0.3);
}

/// The last samples are compared also where the time of a sample lies between the ends of the run and of its repetition.
TEST(ErrorEstimate, of_the_end_where_runs_have_different_numbers_of_samples) {
  const double exact = 2.367841947576237 / 4;
  const std::vector<std::string> changes{
      "integrator={method: bs32, tolerance: 1e-5}",
      "events=[{when: {joint: hinge}, crosses: 1.5707963267948966, do: stop}]"};
  Scenario scenario = read("pendulum", changes);
  Simulation once(scenario);
  RecordedSamples samples;
  once.run(samples);
  scenario.every = (exact + samples.rows.back().state.t) / 2 / 10;
  const auto [again, estimate] = estimated(scenario);
  const State& end = again.rows.back().state;
  const double error = std::abs(std::abs(end.v[0]) - std::sqrt(2 * 9.81));
  ASSERT_GT(error, 1e-8);
  EXPECT_NEAR(named(estimate, "v").end / error, 1, 0.3);
}

/// x'' + (L + 1) x' + L x = 0 has the solutions exp(-t) and exp(-L t). Explicit steps are small for stability and thus
/// accurate beyond their tolerance: the implicit method beside them needs a smaller one. And its own runs are
/// compared with an explicit method.
TEST(ErrorEstimate, is_the_true_error_of_a_stiff_motion) {
  const double L = 1e4;
  const Model model = compile(MechanismBuilder("point")
                                  .gravity({0, 0, 0})
                                  .body("mass", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3{})
                                  .build());
  for (const auto& [method, tolerance, other] : {std::tuple{"dop853", 1e-6, "radau5"},
                                                 {"dp54", 1e-6, "radau5"},
                                                 {"radau5", 1e-7, "dop853"}}) {
    Scenario scenario{
        .model = model, .start = {0, Vector{1}, Vector(1)}, .duration = 3, .every = 0.1};
    scenario.integrator = {.method = method, .tolerance = tolerance};
    scenario.forces.add(expression_force(model, "mass", {"-1e4*q.mass - 10001*v.mass"}));
    const auto [samples, estimate] = estimated(scenario);
    double q = 0, v = 0;
    for (const auto& row : samples.rows) {
      const double slow = std::exp(-row.state.t), fast = std::exp(-L * row.state.t);
      q = std::max(q, std::abs(row.state.q[0] - (L * slow - fast) / (L - 1)));
      v = std::max(v, std::abs(row.state.v[0] + L * (slow - fast) / (L - 1)));
    }
    EXPECT_GT(named(estimate, "q").worst / q, 0.5) << method;
    EXPECT_LT(named(estimate, "q").worst / q, 2) << method;
    EXPECT_GT(named(estimate, "v").worst / v, 0.5) << method;
    EXPECT_LT(named(estimate, "v").worst / v, 2) << method;
    ASSERT_EQ(estimate.runs.size(), 2U) << method;
    EXPECT_TRUE(estimate.runs[1].text.starts_with(other)) << estimate.runs[1].text;
  }
}

/// Errors of sampled controllers, too: between samples the motion is that of constant forces, on which both methods are
/// exact up to the tolerance.
TEST(ErrorEstimate, works_with_controllers) {
  Scenario scenario = read_scenario("examples/scenarios/puma560_hold.yaml");
  scenario.duration = 0.05, scenario.every = 0.01;
  const auto [samples, estimate] = estimated(scenario);
  EXPECT_LT(named(estimate, "q").worst, 1e-8);
  EXPECT_EQ(estimate.quantities.size(), 2 + samples.names.size());
}

TEST(ErrorEstimate, says_where_chaos_ends_prediction) {
  const auto [samples, estimate] = estimated(
      read("double_pendulum", {"integrator.tolerance=1e-7", "duration=40", "record.every=0.1",
                               "initial.q={upper: 2.5, lower: 0.5}"}));
  ASSERT_TRUE(estimate.horizon);
  EXPECT_GT(*estimate.horizon, 2);
  EXPECT_LT(*estimate.horizon, 40);
  ASSERT_TRUE(estimate.lyapunov_time);
  EXPECT_GT(*estimate.lyapunov_time, 0.1);
  EXPECT_LT(*estimate.lyapunov_time, 3);
  // A tenth of the tolerance predicts for some Lyapunov times longer.
  const auto [finer_samples, finer] = estimated(
      read("double_pendulum", {"integrator.tolerance=1e-10", "duration=40", "record.every=0.1",
                               "initial.q={upper: 2.5, lower: 0.5}"}));
  EXPECT_GT(finer.horizon.value_or(40), *estimate.horizon);
}

/// A large step is not chaos: neighbors of a pendulum separate linearly in time.
TEST(ErrorEstimate, tells_chaos_from_large_steps) {
  const auto [samples, estimate] =
      estimated(read("pendulum", {"integrator={method: euler, step: 0.01}"}));
  ASSERT_TRUE(estimate.horizon);
  EXPECT_FALSE(estimate.lyapunov_time);
}

/// x'' = k x from rest: neighbors separate as exp(sqrt(k) t), in closed form.
TEST(ErrorEstimate, lyapunov_time_of_a_repulsive_spring) {
  const Model model = compile(MechanismBuilder("point")
                                  .gravity({0, 0, 0})
                                  .body("mass", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3{})
                                  .build());
  Scenario scenario{
      .model = model, .start = {0, Vector(1), Vector(1)}, .duration = 4, .every = 0.1};
  scenario.forces.add(expression_force(model, "mass", {"6.25*q.mass"}));
  RecordedSamples samples;
  Simulation(scenario).run(samples);
  const std::optional<double> time = lyapunov_time(scenario, samples);
  ASSERT_TRUE(time);
  EXPECT_NEAR(*time, 1 / 2.5, 0.02);
}

TEST(ErrorEstimate, bad_input) {
  const Scenario scenario = read("pendulum", {});
  EXPECT_SAYS(estimate_error(scenario, {}, {}), "samples", "none");
  RecordedSamples samples;
  Simulation simulation(scenario);
  simulation.run(samples);
  const auto stop = [](double) { return false; };
  EXPECT_SAYS(estimate_error(scenario, samples, simulation.summary(), stop), "no repetition",
              "dop853", "stopped");
}

}  // namespace error_estimate_test
}  // namespace chasles
