#include "simulation/work_account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrators/stage_quadrature.hpp"

namespace chasles {
namespace {

/// Gauss-Legendre on [0, 1] with n nodes, order 2 n, by Newton's method on Legendre's polynomial.
std::vector<std::array<double, 2>> gauss_legendre(int n) {
  std::vector<std::array<double, 2>> rule;
  for (int i = 0; i < n; ++i) {
    double x = std::cos(M_PI * (i + 0.75) / (n + 0.5)), slope = 0;
    for (int k = 0; k < 10; ++k) {
      double p = x, before = 1;
      for (int j = 2; j <= n; ++j)
        before = std::exchange(p, ((2 * j - 1) * x * p - (j - 1) * before) / j);
      slope = n * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    rule.push_back({0.5 * (1 - x), 1 / ((1 - x * x) * slope * slope)});
  }
  return rule;
}
std::vector<std::array<double, 2>> quadrature_for(const IntegratorOptions& options) {
  const int order = options.order.value_or(method_info(options).order);
  return gauss_legendre(std::max(4, (order + 1) / 2));
}
/// Whether the interpolant is not accurate enough for the work of whole steps.
bool needs_stages(const IntegratorOptions& options) {
  const MethodInfo& info = method_info(options);
  return info.dense_order > 0 && info.dense_order + 1 < options.order.value_or(info.order);
}

}  // namespace

WorkAccount::WorkAccount(const Scenario& scenario, ConstrainedSystem* closed)
    : scenario_(scenario),
      closed_(closed && closed->constraints().depends_on_time() ? closed : nullptr),
      works_(scenario.forces.works() || closed_ != nullptr),
      motors_(std::ranges::find(scenario.quantities, "motor_energy") != scenario.quantities.end()),
      by_stages_(needs_stages(scenario.integrator)),
      quadrature_(quadrature_for(scenario.integrator)),
      work_(scenario.work),
      motor_energy_(scenario.model.nv()),
      energy_before_(scenario.model.nv()),
      between_(scenario.start),
      kin_(scenario.model),
      scratch_{Vector(scenario.model.nv()), {}},
      a_(scenario.model.nv()),
      time_rate_(closed_ ? closed_->constraint_count() : 0) {}

void WorkAccount::add_step(const Integrator& integrator) {
  const double t0 = integrator.before().t, t1 = integrator.state().t;
  work_before_ = work_;
  if (works_) work_ += work_between(integrator, t0, t1);
  if (!motors_) return;
  energy_before_ = motor_energy_;
  add_motor_energy(integrator, t0, t1, motor_energy_);
}

double WorkAccount::work_at(const Integrator& integrator, double t) {
  return work_before_ + (works_ ? work_between(integrator, integrator.before().t, t) : 0);
}
void WorkAccount::motor_energy_at(const Integrator& integrator, double t, Vector& out) {
  out = energy_before_;
  if (motors_) add_motor_energy(integrator, integrator.before().t, t, out);
}

/// The power of constraints with time at between_: -lambda . B v = lambda . Phi_t.
double WorkAccount::driver_power(double t) {
  if (closed_ == nullptr) return 0;
  closed_->set(t, between_.q, between_.v);
  closed_->acceleration(a_);
  closed_->constraint_time_rate(time_rate_);
  return closed_->multipliers().dot(time_rate_);
}

template <class F>
void WorkAccount::for_nodes(const Integrator& integrator, double t0, double t1, const F& f) {
  const auto at_node = [&](double weight) {
    forward_kinematics(scenario_.model, between_.q, between_.v, kin_);
    f(between_.t, weight);
  };
  if (by_stages_ && t0 == integrator.before().t && t1 == integrator.state().t)
    if (const auto* method = dynamic_cast<const StageQuadrature*>(&integrator)) {
      double weight = 0;
      int i = 0;
      for (; method->stage(i, weight, between_); ++i) at_node(weight);
      if (i > 0) return;
    }
  for (const auto& [node, weight] : quadrature_) {
    integrator.interpolate(t0 + node * (t1 - t0), between_);
    at_node((t1 - t0) * weight);
  }
}

double WorkAccount::work_between(const Integrator& integrator, double t0, double t1) {
  double sum = 0;
  for_nodes(integrator, t0, t1, [&](double t, double weight) {
    sum += weight * (scenario_.forces.power(t, kin_, scratch_) + driver_power(t));
  });
  return sum;
}

void WorkAccount::add_motor_energy(const Integrator& integrator, double t0, double t1,
                                   Vector& energy) {
  for_nodes(integrator, t0, t1, [&](double t, double weight) {
    scratch_.tau.setZero();
    scratch_.wrenches.clear();
    scenario_.forces.apply_motors(t, kin_, scratch_);
    energy += weight * scratch_.tau.cwiseProduct(between_.v);
  });
}

}  // namespace chasles
