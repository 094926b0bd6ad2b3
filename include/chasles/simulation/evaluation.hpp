/// Several quantities at one moment after another: what `eval` and `record` have in common.
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

/// One per thread. After the first moment no call allocates, unless a quantity does.
class Evaluation {
 public:
  /// @throws Error as `quantity`
  Evaluation(const Model& model, std::span<const std::string> names, QuantitySource source);

  /// The values at a moment, of which the caller gives t, q, v and, of a state, what else there is.
  /// In a run the caller gives `work`, `motor_energy` and `forces` too; what acts and `a` follow from the forces.
  /// Brings `moment` up to date as far as the quantities need it, and no further.
  /// @throws Error that begins with the name of the quantity; ForceError; SingularError
  void at(EvaluationState& moment);

  std::span<const Quantity> quantities() const { return quantities_; }
  std::span<const Matrix> values() const { return values_; }  // one per quantity
  /// Not a number, all of them.
  void forget();

 private:
  void act(EvaluationState& moment);
  void accelerate(EvaluationState& moment);

  QuantitySource source_;
  QuantityStage stage_ = QuantityStage::history;  // the highest that is needed
  bool motors_ = false;                           // a quantity is of motors
  std::vector<Quantity> quantities_;
  std::vector<Matrix> values_;
  ForwardDynamics forward_;
};

}  // namespace CHASLES_API
