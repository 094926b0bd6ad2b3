#include "simulation/energy_allowance.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "integrators/automatic.hpp"

namespace chasles {
namespace {

constexpr double generous = 1000;
constexpr long looked_at = 32;  // steps between updates of m_ from the mass matrix

bool is_conservative(const Scenario& s) {
  const bool pushed = std::ranges::any_of(s.events, [](const RunEvent& e) {
    return e.action == RunEvent::set_velocity || e.action == RunEvent::impact;
  });
  const bool sticks =
      std::ranges::any_of(s.forces.list(), [](const Force& f) { return !f.sticks.empty(); });
  return !s.forces.works() && !pushed && !sticks && s.limits != LimitMode::rigid;
}

bool keeps_constraints(const Scenario& s) {
  return s.integrator.stabilization == Stabilization::projection || !s.loops;
}

}  // namespace

EnergyAllowance::EnergyAllowance(const Scenario& scenario)
    : scenario_(scenario),
      applies_(method_info(scenario.integrator).adaptive && !scenario.integrator.step &&
               is_conservative(scenario) && keeps_constraints(scenario)),
      tolerance_(scenario.integrator.tolerance.value_or(1e-10)),
      mass_(scenario.model),
      scales_(scenario.integrator.scales),
      m_(scenario.model.nv()) {
  if (scales_.size() == 0) {
    scales_.setZero(scenario.model.nv());
    scales_.setConstant(1);
  }
  const double height = scales_.size() > 0 ? scales_.maxCoeff() : 0;
  weight_ = scenario.model.mass() * norm(scenario.model.gravity()) * height;
}

/// For `auto` without a given tolerance: that of the method that made the step.
double EnergyAllowance::tolerance_of_step(const Integrator& integrator) {
  const long before = std::exchange(implicit_steps_, integrator.statistics().implicit_steps);
  return implicit_steps_ > before && !scenario_.integrator.tolerance ? Automatic::stiff_tolerance
                                                                     : tolerance_;
}

void EnergyAllowance::step(const Integrator& integrator, const Invariants& at, double drift) {
  if (!applies_) return;
  const State &now = integrator.state(), &before = integrator.before();
  if (steps_++ % looked_at == 0) {
    const auto& M = mass_matrix(scenario_.model, now.q, mass_);
    for (Eigen::Index i = 0; i < m_.size(); ++i)
      m_[i] = std::max(m_[i], std::sqrt(std::max(M(i, i), 0.0)));
  }
  const double h = now.t - before.t, twice_T = 2 * std::max(at.kinetic, 0.0);
  double b = 0, c = 0, d = 0;
  for (Eigen::Index i = 0; i < m_.size(); ++i) {
    b += m_[i] * (scales_[i] + std::max(std::abs(now.v[i]), std::abs(before.v[i])));
    c += m_[i] * std::abs(now.v[i] - before.v[i]) / h;
    d += m_[i] * scales_[i];
  }
  const double tolerance = tolerance_of_step(integrator);
  explained_ +=
      tolerance * ((std::sqrt(twice_T) + tolerance * b / 2) * b + (twice_T + c) * d);  // (2)
  rounding_ +=
      std::numeric_limits<double>::epsilon() * (at.kinetic + std::abs(at.potential) + weight_);
  if (drift <= generous * (explained_ + rounding_)) return;
  throw Error("the energy drifted by " + to_short_text(drift) +
              " J, more than 1000 times what steps of tolerance " + to_short_text(tolerance_) +
              " can explain (" + to_short_text(explained_ + rounding_) +
              " J): a force is not the gradient of its potential, or the motion is not smooth");
}

}  // namespace chasles
