#include "simulation/work_account.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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

}  // namespace

WorkAccount::WorkAccount(const Scenario& scenario, ConstrainedSystem* closed)
    : scenario_(scenario),
      closed_(closed && closed->constraints().depends_on_time() ? closed : nullptr),
      works_(scenario.forces.works() || closed_ != nullptr),
      motors_(std::ranges::find(scenario.quantities, "motor_energy") != scenario.quantities.end()),
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

double WorkAccount::work_between(const Integrator& integrator, double t0, double t1) {
  double sum = 0;
  for (const auto& [node, weight] : quadrature_) {
    const double t = t0 + node * (t1 - t0);
    integrator.interpolate(t, between_);
    forward_kinematics(scenario_.model, between_.q, between_.v, kin_);
    sum += weight * (scenario_.forces.power(t, kin_, scratch_) + driver_power(t));
  }
  return (t1 - t0) * sum;
}

void WorkAccount::add_motor_energy(const Integrator& integrator, double t0, double t1,
                                   Vector& energy) {
  for (const auto& [node, weight] : quadrature_) {
    const double t = t0 + node * (t1 - t0);
    integrator.interpolate(t, between_);
    forward_kinematics(scenario_.model, between_.q, between_.v, kin_);
    scratch_.tau.setZero();
    scratch_.wrenches.clear();
    scenario_.forces.apply_motors(t, kin_, scratch_);
    energy += (t1 - t0) * weight * scratch_.tau.cwiseProduct(between_.v);
  }
}

}  // namespace chasles
