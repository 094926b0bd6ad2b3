/// Errors of a state rather than of a call.
#pragma once

#include "chasles/error.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// The equations of motion cannot be evaluated at a state: non-finite numbers, a singular mass matrix, constraints that
/// cannot be satisfied nearby. Adaptive integrators reject the trial step and retry with a shorter one; every other
/// exception of a force, a constraint or a system ends the step and reaches the caller unchanged. A force that is
/// undefined at some states should throw it there, or return NaN.
class StateError : public Error {
  using Error::Error;
};

}  // namespace CHASLES_API
