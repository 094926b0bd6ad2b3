/// Methods whose stages are a quadrature of their own order: what else is to be integrated along with a motion, W' =
/// g(t, q, v), needs no interpolant,
///
///     W(t + h) = W(t) + sum_i weight_i g(stage_i),     weight_i = h b_i                        (1)
#pragma once

#include "chasles/systems/system.hpp"

namespace chasles {

class StageQuadrature {
 public:
  virtual ~StageQuadrature() = default;
  /// Stage i of the last step and its weight.
  /// @returns false beyond the last one, and if there is no step
  virtual bool stage(int i, double& weight, State& out) const = 0;
};

}  // namespace chasles
