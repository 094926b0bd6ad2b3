/// Linear state feedback as a controller, with gains such as those of lqr (linearization/linear_quadratic.hpp):
///
///     tau = effort - K (q - q_w; v - v_w)                                                       (1)
///
/// where (q_w, v_w) is the setpoint of the measured joints. If only some of this is measured, y = C x with x = (q - q_w;
/// v - v_w), an observer estimates the rest from sample to sample,
///
///     tau_k = effort - K z_k,     z_k+1 = A z_k - B K z_k + L (y_k - C z_k),     z_0 = 0                (2)
///
/// with A and B of `discretize` and L of sampled_kalman_filter.
///
///     StateFeedback law{.joints = {"cart"}, .measured = {"cart", "pole"}, .reference = {0, 0}, .K = K};
///     scenario.forces.add(control(state_feedback(model, law)));
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/control.hpp"

namespace chasles CHASLES_API {

/// (2).
struct Observer {
  std::vector<std::string> positions{}, velocities{};  // measured: the rows of C
  Matrix A, B, C, L;
  double period = 0;  // of A and B, and of the controller [s]
};

struct StateFeedback {
  std::vector<std::string> joints;    // with motors: the rows of K, one per coordinate
  std::vector<std::string> measured;  // the columns of K: all positions, then all velocities
  std::vector<Reference> reference;   // of each measured coordinate
  Matrix K;
  Vector effort{};  // efforts at the setpoint, one per row; empty: 0
  std::optional<Observer> observer{};
};
/// (1), or (2). Joints with quaternions are not supported. The observer does not know of saturation and delays, and
/// control_tangent leaves its state out.
/// @throws Error naming the mistake: no or unknown joints, joints with quaternions, a reference, gain or effort of
///         wrong size, a gain that is infinite; an observer of a joint that is not in `measured`, without period
Controller state_feedback(const Model& model, StateFeedback law);

}  // namespace CHASLES_API
