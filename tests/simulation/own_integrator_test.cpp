/// Integrators of one's own, made from the public interface, in integrations and in runs.
#include <gtest/gtest.h>

#include <cmath>

#include "chasles/simulation/simulation.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/errors.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace own_integrator_test {

/// Explicit Runge-Kutta methods on the group with fixed steps; `stages` 1: Euler, 4: the classical tableau in the
/// algebra (Munthe-Kaas).
template <int stages>
class Mine : public Integrator {
 public:
  Mine(DynamicalSystem& system, const IntegratorOptions& options)
      : system_(system), h_(options.step.value()), hook_(options.hook) {
    for (Vector* x : {&x_, &w_, &v_, &V_}) x->setZero(system.nv());
    for (auto& k : k_x_) k.setZero(system.nv());
    for (auto& k : k_v_) k.setZero(system.nv());
    q_.setZero(system.nq());
  }
  void reset(const State& start) override {
    now_ = before_ = start;
    statistics_ = {};
  }
  void step(double until) override {
    before_ = now_;
    to(std::min(until, before_.t + h_ * (1 + 1e-9) >= until ? until : before_.t + h_));
    ++statistics_.steps;
  }
  void retry(double until) override {
    now_ = before_;
    to(until);
  }
  void replace(ConstVectorRef q, ConstVectorRef v) override { now_.q = q, now_.v = v; }
  /// On the geodesic between both ends: second order.
  void interpolate(double t, State& out) const override {
    const double s = (t - before_.t) / (now_.t - before_.t);
    Vector x(system_.nv());
    system_.group().minus(now_.q, before_.q, x);
    x *= s;
    system_.group().plus(before_.q, x, out.q);
    out.v = (1 - s) * before_.v + s * now_.v;
    out.t = t;
  }

 private:
  void to(double end) {
    static constexpr double c[] = {0, 0.5, 0.5, 1}, b[] = {1, 2, 2, 1};
    const double h = end - before_.t;
    const Group& group = system_.group();
    Vector sum_x(system_.nv()), sum_v(system_.nv());
    double weights = 0;
    for (int i = 0; i < stages; ++i) {
      x_ = i == 0 ? Vector(system_.nv()) : Vector(c[i] * h * k_x_[i - 1]);
      v_ = before_.v;
      if (i > 0) v_ += c[i] * h * k_v_[i - 1];
      group.plus(before_.q, x_, q_);
      system_.rates(before_.t + c[i] * h, q_, v_, V_, k_v_[i]);
      group.dexp_inv(x_, V_, k_x_[i]);
      ++statistics_.evaluations;
      const double weight = stages == 1 ? 1 : b[i];
      sum_x += weight * k_x_[i], sum_v += weight * k_v_[i], weights += weight;
    }
    x_ = h / weights * sum_x;
    group.plus(before_.q, x_, now_.q);
    now_.v = before_.v + h / weights * sum_v;
    now_.t = end;
    if (hook_) hook_->reached(now_);
  }
  DynamicalSystem& system_;
  double h_;
  std::shared_ptr<StepHook> hook_;
  Vector x_, w_, v_, V_, q_;
  std::array<Vector, 4> k_x_, k_v_;
};
using MyEuler = Mine<1>;
using MyRk4 = Mine<4>;

template <class Method>
IntegratorOptions mine(double step, int order) {
  IntegratorOptions options{.step = step};
  options.own = own_method<Method>({.name = "mine", .order = order});
  return options;
}
State end_of(const Scenario& scenario) {
  Simulation simulation(scenario);
  Trajectory path;
  simulation.run(path);
  EXPECT_EQ(simulation.summary().method,
            scenario.integrator.own ? "mine" : scenario.integrator.method);
  return simulation.state();
}
double distance(const Model& model, const State& a, const State& b) {
  Vector x(model.nv());
  minus(model, a.q, b.q, x);
  return std::hypot(x.norm(), (a.v - b.v).norm());
}

TEST(OwnIntegrator, runs_a_simulation_at_its_order) {
  const auto swing = [](const IntegratorOptions& options) {
    Scenario s = test::swing(options);
    s.duration = 1;
    return s;
  };
  const State exact = end_of(swing({.method = "dop853", .tolerance = 1e-13}));
  const auto error = [&](const IntegratorOptions& options) {
    const Scenario s = swing(options);
    return distance(s.model, end_of(s), exact);
  };
  const double e1 = error(mine<MyEuler>(1e-4, 1)), e2 = error(mine<MyEuler>(5e-5, 1));
  EXPECT_NEAR(std::log2(e1 / e2), 1, 0.05);
  const double r1 = error(mine<MyRk4>(0.01, 4)), r2 = error(mine<MyRk4>(0.005, 4));
  EXPECT_NEAR(std::log2(r1 / r2), 4, 0.15);
  EXPECT_LT(r2, 1e-7);
  // The same tableau in the list gives the same states, but for rounding.
  EXPECT_LT(distance(test::pendulum(), end_of(swing(mine<MyRk4>(0.01, 4))),
                     end_of(swing({.method = "mk4", .step = 0.01}))),
            1e-12);
}

/// States of closed mechanisms are projected by the hook.
TEST(OwnIntegrator, keeps_loops_closed_by_the_hook) {
  Scenario s{.model = compile(studies::four_bar()), .start = {}};
  s.start = {0, s.model.neutral(), Vector(s.model.nv())};
  s.start.v[0] = 1;
  s.duration = 0.3;
  s.integrator = mine<MyRk4>(0.001, 4);
  const State found = end_of(s);
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  EXPECT_LT(distance(s.model, found, end_of(s)), 1e-8);
}

/// Events end its steps, and samples are on its interpolant.
TEST(OwnIntegrator, stops_at_events_and_is_recorded) {
  Scenario s = test::spring();
  s.integrator = mine<MyRk4>(0.002, 4);
  s.every = 0.0107;
  s.events.push_back({.event = {"through", [](const State& x) { return x.q[0]; }}});
  s.events.back().action = RunEvent::stop;
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_NEAR(simulation.state().t, M_PI / 4, 1e-9);  // cos(2 t) = 0
  for (const State& x : path.states) EXPECT_NEAR(x.q[0], std::cos(2 * x.t), 3e-6);
  EXPECT_GT(path.states.size(), 70u);
}

TEST(OwnIntegrator, is_checked_like_others) {
  ModelSystem system(test::slide());
  const auto made = [&](IntegratorOptions options) { return make_integrator(system, options); };
  IntegratorOptions options = mine<MyEuler>(1e-3, 1);
  EXPECT_EQ(method_info(options).order, 1);
  EXPECT_NO_THROW(made(options));
  options.tolerance = 1e-6;
  EXPECT_SAYS(made(options), "mine does not use 'tolerance'");
  options = mine<MyEuler>(1e-3, 1);
  options.step.reset();
  EXPECT_SAYS(made(options), "mine: has fixed steps; give step");
  options = mine<MyEuler>(-1, 1);
  EXPECT_SAYS(made(options), "mine: step is -1");
  EXPECT_SAYS(check_options(options, 1), "mine: step is -1");
  options = mine<MyEuler>(1e-3, 1);
  options.keep_invariants = true;
  EXPECT_SAYS(made(options), "mine: momentum form and kept invariants are for methods of the list");
  options = mine<MyEuler>(1e-3, 1);
  options.own = std::make_shared<OwnMethod>(OwnMethod{{.name = "mine"}, {}});
  EXPECT_SAYS(made(options), "mine: has no function that makes it");
  options.own =
      std::make_shared<OwnMethod>(OwnMethod{{.name = "mine"}, [](auto&&...) { return nullptr; }});
  EXPECT_SAYS(made(options), "mine: the function of OwnMethod made no integrator");
  options.own = own_method<MyEuler>({});
  EXPECT_SAYS(made(options), "a method of one's own: has no name");
}

}  // namespace own_integrator_test
}  // namespace chasles
