/// Linear state feedback as a controller, with gains such as those of lqr (linearization/linear_quadratic.hpp):
///
///     tau = effort - K (q - q_w; v - v_w)                                                       (1)
///
/// where (q_w, v_w) is the setpoint of the measured joints.
///
///     StateFeedback law{.joints = {"cart"}, .measured = {"cart", "pole"}, .reference = {0, 0}, .K = K};
///     scenario.forces.add(control(state_feedback(model, law)));
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/control.hpp"

namespace chasles CHASLES_API {

struct StateFeedback {
  std::vector<std::string> joints;    // with motors: the rows of K, one per coordinate
  std::vector<std::string> measured;  // the columns of K: all positions, then all velocities
  std::vector<Reference> reference;   // of each measured coordinate
  Matrix K;
  Vector effort{};  // efforts at the setpoint, one per row; empty: 0
};
/// (1). Joints with quaternions are not supported.
/// @throws Error naming the mistake: no or unknown joints, joints with quaternions, a reference, gain or effort of
///         wrong size, a gain that is infinite
Controller state_feedback(const Model& model, StateFeedback law);

}  // namespace CHASLES_API
