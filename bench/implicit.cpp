/// Implicit steps: cost, scaling, and CPU time for a given accuracy.
///
///     implicit [--quick]
///
/// 1. Chains of 10 and 40 bodies in maximal coordinates: a step of generalized_alpha on both groups.
/// 2. One Newton iteration (residual, linearization, factors, solution) on a chain of 100 revolute joints,
///    beside its forward dynamics. 3. Andrews' squeezer and a flyball governor in maximal coordinates, a
///    7-joint arm with radau5: time of a step. 4. A stiff 7-joint arm for 2 s: CPU time for errors of 1e-3,
///    1e-6 and 1e-9. bench/peers/stiff_arm.py has the same arm in other libraries.
#include <fmt/format.h>

#include <cmath>
#include <ctime>
#include <string_view>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "chasles/systems/model_system.hpp"
#include "models.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "support/overconstrained.hpp"
#include "systems/newton_matrix.hpp"
#include "timer.hpp"

namespace {

using namespace chasles;

/// The tree's state in maximal coordinates.
State absolute_start(const Model& tree, const Model& absolute, const State& start) {
  VelocityKinematics kin(tree);
  forward_kinematics(tree, start.q, start.v, kin);
  State out{0, Vector(absolute.nq()), Vector(absolute.nv())};
  maximal_state(kin, absolute, out.q, out.v);
  return out;
}

struct StepCost {
  double us, iterations;  // of a step
};
/// Average of the first `steps` steps.
StepCost step_cost(DynamicalSystem& system, const State& start, const IntegratorOptions& options,
                   int steps, double seconds) {
  const auto integrator = make_integrator(system, options);
  const auto run = [&](std::size_t) {
    integrator->reset(start);
    for (int k = 0; k < steps; ++k) integrator->step(1e9);
  };
  const double us = 1e-3 * least_ns(1, run, seconds) / steps;
  return {us, static_cast<double>(integrator->statistics().iterations) / steps};
}

void absolute_chains(double seconds) {
  fmt::print(
      "chains in maximal coordinates, generalized_alpha, h = 1 ms\n{:>10}{:>8}{:>12}{:>14}\n",
      "group", "bodies", "us/step", "iterations");
  const std::pair<const char*, BodyGroup> groups[] = {{"SE(3)", BodyGroup::se3},
                                                      {"SO(3)xR3", BodyGroup::so3xr3}};
  for (const auto& [name, group] : groups) {
    double first = 0, last = 0;
    for (const int n : {10, 40}) {
      const Model tree = compile(chain(n)),
                  model = compile(to_maximal_coordinates(chain(n), group));
      const State start = absolute_start(
          tree, model, {0, tree.neutral(), Vector(Eigen::VectorXd::Constant(n, 0.02))});
      ConstrainedSystem system(model, {}, start.q);
      const StepCost c =
          step_cost(system, start, {.method = "generalized_alpha", .step = 1e-3}, 20, seconds);
      fmt::print("{:>10}{:>8}{:>12.1f}{:>14.1f}\n", name, n, c.us, c.iterations);
      (n == 10 ? first : last) = c.us;
    }
    fmt::print("{:>18} ratio {:.2f} (goal: below 5), {:.2f} ms a step (goal: 2 at most)\n", "",
               last / first, 1e-3 * last);
  }
}

/// The parts of a Newton iteration, each timed together with those before it.
void newton_iteration(double seconds) {
  constexpr int n = 100;
  constexpr double h = 1e-3;
  const Model model = compile(chain(n));
  MechanismState system(model);
  const auto newton = system.newton(ConstraintLevel::velocity, 1);
  StageRelations relations(system.group(), 1);
  Vector q(n), v(Eigen::VectorXd::Constant(n, 0.2)), a(Eigen::VectorXd::Constant(n, 0.1)), tau(n),
      none;
  Matrix r(n, 1), g(0, 1), d(n, 1), dlambda(0, 1);
  const auto until = [&](int parts) {
    return 1e-3 * least_ns(
                      16,
                      [&](std::size_t i) {
                        q.setConstant(0.3 + 0.01 * static_cast<double>(i));
                        system.set(0, q, v);
                        system.dynamics_residual(a, r.col(0));
                        if (parts > 1) newton->linearize(0, a, none);
                        if (parts > 2) relations.newmark(v, 1 / h, 1 / (h * h));
                        if (parts > 2) newton->factorize(relations);
                        if (parts > 3) newton->solve(r, g, d, dlambda);
                      },
                      seconds);
  };
  ForwardDynamics forward(model);
  const double dynamics = 1e-3 * least_ns(
                                     16,
                                     [&](std::size_t i) {
                                       q.setConstant(0.3 + 0.01 * static_cast<double>(i));
                                       forward_dynamics(model, q, v, tau, forward);
                                     },
                                     seconds);
  double t[5] = {};
  for (int k = 1; k < 5; ++k) t[k] = until(k);
  fmt::print(
      "\nchain of {} revolute joints: forward dynamics {:.1f} us, a Newton iteration {:.1f} us\n"
      "    (residual {:.1f}, linearization {:.1f}, factors {:.1f}, solution {:.1f}): ratio "
      "{:.1f} (goal: 8 at most)\n",
      n, dynamics, t[4], t[1], t[2] - t[1], t[3] - t[2], t[4] - t[3], t[4] / dynamics);
}

void set_forces(MechanismState& system, const Forces& forces) {
  system.set_forces(forces.function(), {},
                    [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                      forces.tangent(t, kin, out);
                    });
}

void mechanisms(double seconds) {
  fmt::print("\ntime of a step\n{:>34}{:>12}{:>14}\n", "", "us/step", "iterations");
  const auto row = [](const std::string& name, const StepCost& c, const char* goal = "") {
    fmt::print("{:>34}{:>12.1f}{:>14.1f}  {}\n", name, c.us, c.iterations, goal);
  };
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3}) {
    const char* name = group == BodyGroup::se3 ? "SE(3)" : "SO(3)xR3";
    const Model tree = compile(studies::andrews());
    const Model model = compile(to_maximal_coordinates(studies::andrews(), group));
    const State start = absolute_start(tree, model, studies::andrews_start(tree));
    ConstrainedSystem system(model, {}, start.q);
    set_forces(system, studies::andrews_forces(model));
    row(fmt::format("Andrews, {}, alpha 50 us", name),
        step_cost(system, start, {.method = "generalized_alpha", .step = 5e-5}, 100, seconds),
        "(goal: below 258)");
    const Model governor = compile(to_maximal_coordinates(test::governor(), group));
    ConstrainedSystem turning(governor);
    State moving{0, turning.assembled(), Vector(governor.nv())};
    for (const int shaft : {0}) moving.v[shaft + 2] = 5;
    turning.project(moving);
    row(fmt::format("governor, {}, alpha 1 ms", name),
        step_cost(turning, moving, {.method = "generalized_alpha", .step = 1e-3}, 100, seconds));
  }
  const Model arm = compile(chain(7));
  ModelSystem system(arm);
  const State start{0, Vector(Eigen::VectorXd::Constant(7, 0.3)),
                    Vector(Eigen::VectorXd::Constant(7, 0.2))};
  row("7-joint arm, radau5 1 ms",
      step_cost(system, start, {.method = "radau5", .step = 1e-3}, 100, seconds));
  row("7-joint arm, radau5 1e-6",
      step_cost(system, start, {.method = "radau5", .tolerance = 1e-6}, 50, seconds));
}

/// Seven links of 0.3 m with revolute joints about z and y alternately; joints follow 0.5 sin(2 t + k) by
/// springs of
/// 2e4 N m/rad with dampers of 200 N m s/rad and 5 N m of smooth friction.
Mechanism stiff_arm() {
  MechanismBuilder b("stiff_arm");
  std::string last{ground};
  for (int k = 0; k < 7; ++k) {
    const Vec3 axis = k % 2 == 0 ? Vec3{0, 0, 1} : Vec3{0, 1, 0};
    const std::string name = "link" + std::to_string(k + 1);
    const double m = 8 - k;
    b.body(name, last, joints::revolute(axis, {}, DescribedIn::body))
        .pose({{}, {0, 0, k == 0 ? 0 : 0.3}}, DescribedIn::parent)
        .inertia(m, {0.02, 0, 0.15}, Sym3::diagonal(0.01 * m, 0.01 * m, 0.002 * m));
    last = name;
  }
  return b.build();
}

void stiff(int runs) {
  constexpr double duration = 2;
  const Model model = compile(stiff_arm());
  Forces forces;
  State start{0, Vector(7), Vector(7)};
  for (int k = 0; k < 7; ++k) {
    const std::string joint = "link" + std::to_string(k + 1);
    forces.add(pd_hold(model, joint, 2e4, 200,
                       {Signal([k](double t) { return 0.5 * std::sin(2 * t + k); })}));
    forces.add(joint_friction(model, joint, {.coulomb = 5, .velocity = 0.05}));
    start.q[k] = 0.5 * std::sin(k);
  }
  ModelSystem system(model);
  set_forces(system, forces);
  StepStatistics statistics;
  const auto end = [&](const IntegratorOptions& options) {
    const auto integrator = make_integrator(system, options);
    integrator->reset(start);
    while (integrator->state().t < duration) integrator->step(duration);
    statistics = integrator->statistics();
    return Vector(integrator->state().q);
  };
  const Vector truth = end({.method = "radau5", .tolerance = 1e-13});
  fmt::print("\nstiff 7-joint arm, 2 s; q at the end:");
  for (const double x : truth) fmt::print(" {:.10f}", x);
  fmt::print("\n{:>10}{:>10}{:>12}{:>8}{:>12}{:>12}\n", "method", "goal", "tolerance", "steps",
             "CPU ms", "error in q");
  for (const char* method : {"radau5", "auto"}) {
    double tolerance = 1e-1;
    for (const double goal : {1e-3, 1e-6, 1e-9}) {
      double error = 1;
      for (; tolerance > 1e-14; tolerance /= 3) {
        error = (end({.method = method, .tolerance = tolerance}) - truth).lpNorm<Eigen::Infinity>();
        if (error <= goal) break;
      }
      double least = 1e300;
      for (int k = 0; k < runs; ++k) {
        const std::clock_t begin = std::clock();
        end({.method = method, .tolerance = tolerance});
        least = std::min(least, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      }
      fmt::print("{:>10}{:>10.0e}{:>12.1e}{:>8}{:>12.2f}{:>12.1e}\n", method, goal, tolerance,
                 statistics.steps, least, error);
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool quick = argc > 1 && std::string_view(argv[1]) == "--quick";
  const double seconds = quick ? 0.05 : 0.5;
  absolute_chains(seconds);
  newton_iteration(seconds);
  mechanisms(seconds);
  stiff(quick ? 1 : 10);
}
