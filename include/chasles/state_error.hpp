/// Errors that belong to a state rather than to a call.
#pragma once

#include "chasles/error.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// The equations of motion cannot be evaluated at a state: numbers that are not finite, a singular mass
/// matrix, constraints that cannot be met nearby. Adaptive integrators take it as a trial step that was too
/// long, and try a shorter one; every other exception of a force, a constraint or a system ends the step and
/// reaches the caller unchanged. A force that is undefined at some states throws it there, or gives NaN.
class StateError : public Error {
  using Error::Error;
};

}  // namespace CHASLES_API
