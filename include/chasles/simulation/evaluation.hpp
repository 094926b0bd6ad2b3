/// Evaluates several quantities at a sequence of states: shared by `eval` and `record`.
///
///     Evaluation evaluation(model, names, QuantitySource::state);
///     EvaluationState moment(model);
///     moment.q = q, moment.v = v;
///     evaluation.at(moment);
///     const Matrix& com = evaluation.values()[0];
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/quantity.hpp"

namespace chasles CHASLES_API {

/// One per thread. After the first state no call allocates, unless a quantity does.
class Evaluation {
 public:
  /// @throws Error as `quantity`
  Evaluation(const Model& model, std::span<const std::string> names, QuantitySource source);

  /// Evaluates all quantities at a state. The caller sets t, q, v and, for a given state, its other inputs; in a run
  /// also `work`, `motor_energy` and `forces`, from which the acting forces and `a` follow.
  /// Updates `moment` only as far as the quantities need.
  /// @throws Error that begins with the name of the quantity; ForceError; SingularError
  void at(EvaluationState& moment);

  std::span<const Quantity> quantities() const { return quantities_; }
  std::span<const Matrix> values() const { return values_; }  // one per quantity
  /// Sets all values to NaN.
  void forget();

 private:
  void act(EvaluationState& moment);
  void accelerate(EvaluationState& moment);

  QuantitySource source_;
  QuantityStage stage_ = QuantityStage::history;  // the highest that any quantity needs
  bool motors_ = false;                           // a quantity needs motor efforts
  std::vector<Quantity> quantities_;
  std::vector<Matrix> values_;
  ForwardDynamics forward_;
};

}  // namespace CHASLES_API
