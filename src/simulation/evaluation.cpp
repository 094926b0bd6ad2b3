#include "chasles/simulation/evaluation.hpp"

#include <algorithm>

#include "math/not_computed.hpp"
#include "simulation/closed_quantities.hpp"
#include "simulation/holding.hpp"

namespace chasles {

Evaluation::Evaluation(const Model& model, std::span<const std::string> names,
                       QuantitySource source)
    : source_(source), forward_(model) {
  for (const std::string& name : names) {
    const Quantity& q = quantities_.emplace_back(quantity(model, name, source));
    values_.push_back(not_computed<Matrix>(q.rows, q.columns));
    stage_ = std::max(stage_, q.stage);
    motors_ = motors_ || q.stage == QuantityStage::motor;
  }
}

void Evaluation::at(EvaluationState& moment) {
  if (quantities_.empty()) return;
  require_model("the moment", moment.model, forward_.work.model());
  require_size("the moment's q", moment.q, moment.model.nq());
  for (const auto& [name, x] : {std::pair{"the moment's v", &moment.v},
                                {"the moment's a", &moment.a},
                                {"the moment's jerk", &moment.jerk},
                                {"the moment's snap", &moment.snap},
                                {"the moment's motors.tau", &moment.motors.tau},
                                {"the moment's motor_energy", &moment.motor_energy},
                                {"the moment's acting.tau", &moment.acting.tau}})
    require_size(name, *x, moment.model.nv());
  if (source_ == QuantitySource::run)
    act(moment);
  else if (moment.closed != nullptr && stage_ >= QuantityStage::acceleration)
    bind(moment);
  update(moment, stage_);
  for (std::size_t i = 0; i < quantities_.size(); ++i) {
    const auto named = [&](const Error& e) {
      return "quantity '" + quantities_[i].name + "': " + e.what();
    };
    try {
      quantities_[i].compute(moment, values_[i]);
    } catch (const SingularError& e) {
      throw SingularError(named(e));
    } catch (const Error& e) {
      throw Error(named(e));
    }
  }
}

/// The forces of the run, and the resulting acceleration.
void Evaluation::act(EvaluationState& m) {
  if (stage_ < QuantityStage::force) return;
  m.acting.tau.setZero();
  m.acting.wrenches.clear();
  if (m.forces != nullptr) {
    update(m, QuantityStage::velocity);
    m.forces->apply(m.t, m.kin, m.acting);
    if (motors_) {
      m.motors.tau.setZero();
      m.motors.wrenches.clear();
      m.forces->apply_motors(m.t, m.kin, m.motors);
    }
  }
  const bool held = m.held != nullptr && m.held->holds();
  if (stage_ < QuantityStage::acceleration && !held) return;
  accelerate(m);
  if (!held) return;
  m.held->set(m.t, m.q, m.v);
  m.held->add_forces(m.a, m.acting.tau);
  accelerate(m);
}
void Evaluation::accelerate(EvaluationState& m) {
  if (m.closed != nullptr) {
    m.closed->set(m.t, m.q, m.v);
    m.a = m.closed->forward_dynamics(m.acting.tau, m.acting.wrenches);
    m.multipliers = m.closed->multipliers();
    m.closed->constraint_forces(m.binding);
  } else
    m.a = forward_dynamics(m.model, m.q, m.v, m.acting.tau, forward_, m.acting.wrenches);
}

void Evaluation::forget() {
  for (Matrix& value : values_) value.setConstant(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace chasles
