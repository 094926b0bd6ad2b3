/// Mechanisms with loops: cost of constraints, and CPU time for a given accuracy.
///
///     constraints [--quick]
///
/// 1. Constrained forward dynamics compared with that of the tree alone. 2. Scaling: ladders of n
/// parallelograms, ropes of n floating bodies. 3. A four-bar for 20 s and 4. Andrews' squeezer for 0.03 s:
/// CPU time of each method at its cheapest setting that is accurate enough, compared with Simbody if
/// installed.
#include <fmt/format.h>

#include <ctime>
#include <random>
#include <string_view>

#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "timer.hpp"
#ifdef BENCH_SIMBODY_RUN
#include "model/model_data.hpp"
#include "peers/simbody_links.hpp"
#include "peers/simbody_loops.hpp"
#endif

namespace {

using namespace chasles;

struct Cost {
  double rates, tree;  // [us]
  int nv, rows, all_rows;
};
/// A moving state near the assembled configuration: far from it long ladders fold up.
Cost cost(const Model& model, const Vector& near, double seconds) {
  ConstrainedSystem system(model, {}, near);
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto draw = [&](double size) {
    return Vector(Eigen::VectorXd::NullaryExpr(
        model.nv(), [&](Eigen::Index) { return size * uniform(generator); }));
  };
  State moving{0, system.assembled(), draw(1)};
  plus(model, system.assembled(), draw(1e-3), moving.q);
  system.project(moving);
  // Alternates between two configurations, so that no result can be reused.
  Vector q[2] = {moving.q, moving.q}, velocity(model.nv()), v_dot(model.nv()), tau(model.nv());
  plus(model, q[0], draw(1e-9), q[1]);
  ForwardDynamics forward(model);
  const std::size_t calls = model.nv() > 300 ? 4 : 64;
  return {
      1e-3 * least_ns(
                 calls,
                 [&](std::size_t i) { system.rates(0, q[i % 2], moving.v, velocity, v_dot); },
                 seconds),
      1e-3 * least_ns(
                 calls,
                 [&](std::size_t i) { forward_dynamics(model, q[i % 2], moving.v, tau, forward); },
                 model.nv() > 300 ? 0 : seconds),
      model.nv(), system.constraint_count(), system.constraints().constraint_count()};
}
Cost cost(const Mechanism& mechanism, double seconds) {
  return cost(compile(mechanism), {}, seconds);
}

void forward(double seconds) {
  fmt::print("constrained forward dynamics [us]\n{:>12}{:>6}{:>12}{:>10}{:>10}{:>8}\n", "", "nv",
             "rows (all)", "rates", "tree", "ratio");
  const auto row = [](const char* name, const Cost& c) {
    fmt::print("{:>12}{:>6}{:>12}{:>10.2f}{:>10.2f}{:>8.1f}\n", name, c.nv,
               fmt::format("{} ({})", c.rows, c.all_rows), c.rates, c.tree, c.rates / c.tree);
  };
  row("four-bar", cost(studies::four_bar(), seconds));
  row("Bricard", cost(studies::bricard(), seconds));
  const Model andrews = compile(studies::andrews());
  row("Andrews", cost(andrews, studies::andrews_start(andrews).q, seconds));
  row("delta", cost(studies::delta(), seconds));
  row("Stewart", cost(studies::stewart(), seconds));
}

void growth(double seconds) {
  fmt::print("\n{:>24}{:>10}{:>12}{:>20}\n", "", "us", "us per n", "time(2n)/time(n)");
  const auto series = [&](const char* name, const auto& mechanism) {
    double before = 0;
    for (const int n : {125, 250, 500, 1000}) {
      const double us = cost(mechanism(n), seconds).rates;
      fmt::print("{:>18}{:>6}{:>10.0f}{:>12.3f}{:>20}\n", name, n, us, us / n,
                 before > 0 ? fmt::format("{:.2f}", us / before) : "");
      before = us;
    }
  };
  series("ladder, relative", studies::ladder);
  series("rope, absolute",
         [](int n) { return to_maximal_coordinates(studies::rope(n), BodyGroup::se3); });
}

/// Minimum CPU time of a call [ms].
template <class F>
double least_cpu_ms(int calls, const F& f) {
  double least = 1e300;
  for (int k = 0; k < calls; ++k) {
    const std::clock_t begin = std::clock();
    f();
    least = std::min(least, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

double energy(const Model& model, const State& state) {
  VelocityKinematics kin(model);
  forward_kinematics(model, state.q, state.v, kin);
  return kinetic_energy(model, kin) + potential_energy(model, kin);
}
double difference(const Vector& a, const Vector& b) { return (a - b).lpNorm<Eigen::Infinity>(); }
std::string setting(const IntegratorOptions& options) {
  return options.method + (options.order ? std::to_string(*options.order) : "") +
         fmt::format(" {:.3g}", options.step ? *options.step : *options.tolerance);
}

#ifdef BENCH_SIMBODY_RUN
/// A planar mechanism of revolute joints and revolute loops.
SimbodyLoops simbody_loops(const Model& model, const State& start) {
  const auto copy = [](const Vec3& from, double(&to)[3]) {
    to[0] = from.x, to[1] = from.y, to[2] = from.z;
  };
  SimbodyLoops out;
  out.links = simbody_links(model);
  copy(model.gravity(), out.gravity);
  for (const ModelLoop& loop : model.loops()) {
    SimbodyClosure closure;
    closure.from = loop.from.link, closure.to = loop.to.link;
    copy(loop.from.offset.r, closure.from_point);
    // Link frames have the common axis along z; ground has the axis of the first joint.
    copy(loop.from.link < 0 ? tree_links(model)[0].P.R.matrix().c2 : Vec3{0, 0, 1},
         closure.from_axis);
    copy(loop.to.offset.r, closure.to_point);
    out.closures.push_back(closure);
  }
  out.q.assign(start.q.begin(), start.q.end());
  out.v.assign(start.v.begin(), start.v.end());
  return out;
}
/// A run that throws counts as infinite time.
SimbodyLoopsRun try_simbody(const SimbodyLoops& loops, SimbodyMethod method, double duration,
                            double accuracy, double tolerance, int samples, int runs) {
  try {
    return simbody_run(loops, method, duration, accuracy, tolerance, samples, runs);
  } catch (const std::exception&) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    return {infinite, 0, infinite, infinite, std::vector<double>(loops.q.size(), infinite)};
  }
}
const char* name_of(SimbodyMethod method) {
  return method == SimbodyMethod::merson ? "Simbody, Merson" : "Simbody, CPodes";
}
#endif

/// Energy and gap are sampled once a second.
void four_bar(int runs) {
  constexpr int duration = 20;
  const Model model = compile(studies::four_bar());
  ConstrainedSystem system(model);
  State start{0, system.assembled(), Vector(3)};
  start.v[0] = 5;  // the crank; the other velocities follow from the constraints
  system.project(start);
  const double E = energy(model, start);
  fmt::print("\nfour-bar, 20 s\n{:>24}{:>13}{:>10}{:>12}{:>12}\n", "", "evaluations", "ms",
             "energy", "gap");
  double best = 1e300;
  std::string best_setting;
  std::vector<IntegratorOptions> all;
  for (const double tolerance : {1e-7, 1e-8, 3e-9, 1e-9, 1e-10})
    all.push_back({.method = "dop853", .tolerance = tolerance});
  for (const double step : {0.02, 0.0125, 0.01}) all.push_back({.method = "mk8", .step = step});
  for (const double step : {0.005, 0.004, 0.0025, 0.002})
    all.push_back({.method = "abm", .step = step});
  for (const IntegratorOptions& options : all) {
    const auto integrator = make_integrator(system, options);
    double error = 0, gap = 0;
    const double ms = least_cpu_ms(runs, [&] {
      error = gap = 0;
      integrator->reset(start);
      for (int t = 1; t <= duration; ++t) {
        while (integrator->state().t < t) integrator->step(t);
        error = std::max(error, std::abs(energy(model, integrator->state()) - E));
        gap = std::max(gap, system.violation(integrator->state().q));
      }
    });
    fmt::print("{:>24}{:>13}{:>10.2f}{:>12.1e}{:>12.1e}\n", setting(options),
               integrator->statistics().evaluations, ms, error, gap);
    if (error <= 1e-7 && gap <= 1e-9 && ms < best) best = ms, best_setting = setting(options);
  }
  fmt::print("cheapest with 1e-7 J and 1e-9: {}, {:.2f} ms\n", best_setting, best);
#ifdef BENCH_SIMBODY_RUN
  const SimbodyLoops theirs = simbody_loops(model, start);
  for (const SimbodyMethod method : {SimbodyMethod::merson, SimbodyMethod::cpodes})
    for (const double accuracy : {1e-8, 1e-9}) {
      const SimbodyLoopsRun run =
          try_simbody(theirs, method, duration, accuracy, 1e-9, duration, std::min(runs, 2));
      fmt::print("{:>24}{:>13}{:>10.2f}{:>12.1e}{:>12.1e}   {:.0f} times ours\n",
                 fmt::format("{} {:g}", name_of(method), accuracy), run.evaluations, run.ms,
                 run.energy_error, run.gap, run.ms / best);
    }
#endif
}

void andrews(int runs) {
  constexpr double duration = 0.03;
  const Model model = compile(studies::andrews());
  const State start = studies::andrews_start(model);
  ConstrainedSystem system(model, {}, start.q);
  system.set_forces(studies::andrews_forces(model).function());
  const auto end = [&](const IntegratorOptions& options, long& evaluations) {
    const auto integrator = make_integrator(system, options);
    integrator->reset(start);
    while (integrator->state().t < duration) integrator->step(duration);
    evaluations = integrator->statistics().evaluations;
    return integrator->state();
  };
  long evaluations = 0;
  const State truth = end({.method = "dop853", .tolerance = 1e-13}, evaluations);
  fmt::print("\nAndrews' squeezer, 0.03 s\n{:>24}{:>13}{:>10}{:>12}\n", "", "evaluations", "ms",
             "error in q");
  double best = 1e300;
  std::string best_setting;
  std::vector<IntegratorOptions> all;
  for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9})
    for (const char* method : {"dop853", "dp54"})
      all.push_back({.method = method, .tolerance = tolerance});
  for (const double step : {1e-4, 7.5e-5, 6e-5, 5e-5, 3e-5})
    for (const char* method : {"mk8", "abm"}) all.push_back({.method = method, .step = step});
  for (const IntegratorOptions& options : all) {
    State last;
    const double ms = least_cpu_ms(runs, [&] { last = end(options, evaluations); });
    const double error = difference(last.q, truth.q);
    fmt::print("{:>24}{:>13}{:>10.3f}{:>12.1e}\n", setting(options), evaluations, ms, error);
    if (error <= 1e-6 && ms < best) best = ms, best_setting = setting(options);
  }
  fmt::print("cheapest with 1e-6: {}, {:.3f} ms\n", best_setting, best);
#ifdef BENCH_SIMBODY_RUN
  SimbodyLoops theirs = simbody_loops(model, start);
  // The spring at D of K3 and C of ground, and the motor, of studies/mechanisms/andrews.cpp.
  const int K1 = model.frame("K1").link, K3 = model.frame("K3").link;
  theirs.springs.push_back({K3, {0.02, -0.018, 0}, {0.014, 0.072, 0}, 4530, 0.07785});
  theirs.motors.push_back({K1, 0.033});
  for (const SimbodyMethod method : {SimbodyMethod::merson, SimbodyMethod::cpodes}) {
    double error = 1;
    // CPodes fails at every accuracy.
    const double first = method == SimbodyMethod::merson ? 1e-6 : 1e-12;
    for (double accuracy = first; error > 1e-6 && accuracy > 1e-13; accuracy /= 10) {
      const SimbodyLoopsRun run =
          try_simbody(theirs, method, duration, accuracy, accuracy, 1, std::min(runs, 3));
      error = difference(Eigen::Map<const Eigen::VectorXd>(run.q.data(), model.nq()), truth.q);
      fmt::print("{:>24}{:>13}{:>10.3f}{:>12.1e}   {:.0f} times ours\n",
                 fmt::format("{} {:g}", name_of(method), accuracy), run.evaluations, run.ms, error,
                 run.ms / best);
    }
  }
#endif
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  forward(quick ? 0.02 : 0.3);
  growth(quick ? 0.02 : 0.3);
  four_bar(quick ? 1 : 5);
  andrews(quick ? 2 : 20);
}
