/// Overhead of a step beyond its evaluations, and CPU time for a given accuracy.
///
///     integrators [--quick]
///
/// 1. Time of a step of fixed-step methods on a 7-joint arm, beside that of the forward dynamics it
///    needs. 2. Chains of 250, 500 and 1000 bodies: time per step and body. 3. Work and precision on
///    three spheres that tumble freely for 200 s (001 section VI, with a spin), beside Simbody's
///    Runge-Kutta-Merson where Simbody is installed. 4. Error and time of adaptive methods and of power
///    series on smooth trees.
#include <fmt/format.h>

#include <string_view>

#include "chasles/integrators/integrator.hpp"
#include "models.hpp"
#include "studies/drift.hpp"
#include "studies/three_spheres.hpp"
#include "timer.hpp"
#ifdef BENCH_SIMBODY_RUN
#include "peers/simbody_run.hpp"
#endif

namespace {

using namespace chasles;

void overhead(double seconds) {
  const Model model = compile(chain(7));
  ModelSystem system(model);
  Eigen::VectorXd q = Eigen::VectorXd::Constant(7, 0.3), v = Eigen::VectorXd::Constant(7, 0.2),
                  velocity(7), a(7);
  const double f = least_ns(
      64,
      [&](std::size_t i) {
        q[0] = 0.01 * static_cast<double>(i);
        system.rates(0, q, v, velocity, a);
      },
      seconds);
  fmt::print("7-joint arm: forward dynamics {:.0f} ns\n{:>8}{:>14}{:>12}{:>12}\n", f, "method",
             "evaluations", "ns/step", "overhead");
  const struct {
    const char* name;
    int evaluations;
  } methods[] = {{"euler", 1}, {"mk2", 2},  {"mk4", 4}, {"cf4", 4},
                 {"cg4", 5},   {"mk8", 12}, {"abm", 2}};
  for (const auto& m : methods) {
    const auto integrator = make_integrator(system, {.method = m.name, .step = 1e-4});
    integrator->reset({0, Eigen::VectorXd::Constant(7, 0.3), Eigen::VectorXd::Constant(7, 0.2)});
    const double ns = least_ns(
        64, [&](std::size_t) { integrator->step(1e9); }, seconds);
    fmt::print("{:>8}{:>14}{:>12.0f}{:>11.0f}%\n", m.name, m.evaluations, ns,
               100 * (ns / (m.evaluations * f) - 1));
  }
}

void growth(double seconds) {
  fmt::print("\nchains, mk4 and variational, ns per step and body:\n");
  for (const int n : {250, 500, 1000}) {
    const Model model = compile(chain(n));
    ModelSystem system(model);
    fmt::print("{:>8}", n);
    for (const char* name : {"mk4", "variational"}) {
      const auto integrator = make_integrator(system, {.method = name, .step = 1e-5});
      integrator->reset({0, Eigen::VectorXd::Constant(n, 0.1), Eigen::VectorXd::Constant(n, 0.01)});
      fmt::print("{:>12.0f}", least_ns(
                                  4, [&](std::size_t) { integrator->step(1e9); }, seconds) /
                                  n);
    }
    fmt::print("\n");
  }
}

void tumbling(int repeats) {
  const Model model = compile(studies::three_spheres());
  constexpr double duration = 200;
  const State start = studies::three_spheres_start(studies::tumbling);
  fmt::print("\nthree spheres, 200 s\n{:>12}{:>12}{:>12}{:>10}{:>12}{:>12}{:>12}\n", "method",
             "step or tol", "evaluations", "ms", "energy", "linear", "angular");
  double best = 1e300;  // [ms] of ours with an energy drift of 1e-6 at most
  std::string best_name;
  const IntegratorOptions rows[] = {
      {.method = "rk4", .step = 0.05},          {.method = "mk4", .step = 0.05},
      {.method = "cf4", .step = 0.05},          {.method = "mk4", .step = 0.02},
      {.method = "mk6", .step = 0.1},           {.method = "mk8", .step = 0.25},
      {.method = "mk8", .step = 0.2},           {.method = "dp54", .tolerance = 1e-9},
      {.method = "dop853", .tolerance = 1e-8},  {.method = "dop853", .tolerance = 1e-9},
      {.method = "dop853", .tolerance = 1e-10}, {.method = "abm", .step = 0.1, .order = 8},
      {.method = "abm", .step = 0.08},          {.method = "abm", .step = 0.05},
      {.method = "gauss3", .step = 0.2},        {.method = "variational", .step = 0.05}};
  for (const IntegratorOptions& options : rows) {
    ModelSystem system(model);
    const auto integrator = make_integrator(system, options);
    const double ms =
        1e-6 *
        least_ns(
            1, [&](std::size_t) { studies::run(*integrator, start, duration); }, 0.01 * repeats);
    const Drift drift = studies::drift(model, start, integrator->state());
    const bool fixed = !method_info(options.method).adaptive;
    fmt::print("{:>12}{:>12.3g}{:>12}{:>10.2f}{:>12.1e}{:>12.1e}{:>12.1e}\n", options.method,
               fixed ? *options.step : *options.tolerance, integrator->statistics().evaluations, ms,
               drift.energy, drift.linear_momentum, drift.angular_momentum_com);
    if (drift.energy <= 1e-6 && ms < best) best = ms, best_name = options.method;
  }
#ifdef BENCH_SIMBODY_RUN
  // Its accuracy setting is not the drift: tightened until the drift meets the same bound.
  for (double accuracy = 1e-6, drift = 1; drift > 1e-6 && accuracy > 1e-12; accuracy /= 10) {
    const SimbodyRun theirs = simbody_three_spheres(duration, accuracy);
    drift = theirs.energy_drift;
    fmt::print("{:>12}{:>12.3g}{:>12}{:>10.2f}{:>12.1e}   {} takes {:.0f} times less CPU\n",
               "Simbody RKM", accuracy, theirs.evaluations, theirs.ms, drift, best_name,
               theirs.ms / best);
  }
#else
  fmt::print("{} is the fastest with an energy drift of 1e-6 at most: {:.2f} ms\n", best_name,
             best);
#endif
}

/// Final errors against power series of order 24 at the smallest tolerance.
void precision(double seconds) {
  const struct {
    const char* name;
    Model model;
    double duration;
  } cases[] = {{"three spheres", compile(studies::three_spheres()), 20},
               {"chain of 7", compile(chain(7)), 1},
               {"tree of 15", compile(binary_tree(4)), 1},
               {"humanoid", compile(humanoid()), 0.5}};
  for (const auto& c : cases) {
    State start{0, c.model.neutral(), Eigen::VectorXd::Constant(c.model.nv(), 0.3)};
    ModelSystem system(c.model);
    const auto run = [&](const IntegratorOptions& options) {
      return make_integrator(system, options);
    };
    const State truth = studies::run(*run({.method = "taylor", .tolerance = 1e-15, .order = 24}),
                                     start, c.duration);
    fmt::print("\n{}, {} s\n{:>12}{:>12}{:>8}{:>12}{:>12}\n", c.name, c.duration, "method",
               "step or tol", "steps", "ms", "error");
    std::vector<IntegratorOptions> rows;
    for (const double tolerance : {1e-6, 1e-9, 1e-12, 1e-14})
      rows.push_back({.method = "dop853", .tolerance = tolerance});
    for (const int n : {50, 200}) rows.push_back({.method = "mk8", .step = c.duration / n});
    for (const int n : {200, 800})
      rows.push_back({.method = "abm", .step = c.duration / n, .order = 12});
    for (const int order : {10, 13, 16, 20, 25})
      for (const double tolerance : {1e-6, 1e-9, 1e-12, 1e-14})
        rows.push_back({.method = "taylor", .tolerance = tolerance, .order = order});
    for (const IntegratorOptions& options : rows) {
      const auto integrator = run(options);
      const double ms =
          1e-6 *
          least_ns(
              1, [&](std::size_t) { studies::run(*integrator, start, c.duration); }, seconds);
      Eigen::VectorXd x(c.model.nv());
      system.group().minus(integrator->state().q, truth.q, x);
      fmt::print("{:>12}{:>12.3g}{:>8}{:>12.3f}{:>12.1e}\n",
                 options.method + (options.order ? std::to_string(*options.order) : ""),
                 options.step ? *options.step : *options.tolerance, integrator->statistics().steps,
                 ms, x.norm());
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  overhead(quick ? 0.02 : 0.3);
  growth(quick ? 0.02 : 0.3);
  tumbling(quick ? 1 : 30);
  precision(quick ? 0.01 : 0.2);
}
