/// Actuators of a mechanism as forces of a run.
///
///     Actuator servo{.name = "servo", .terms = {{"elbow"}}, .gain = {80, 0, 0}, .bias = {0, -80, -4}};
///     forces.add(actuator_force(model, servo, 0.3));
///
/// The law is (1) of mechanism/actuator.hpp.
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/actuator.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

/// @param control  u(t), limited to control_range
/// @throws Error naming a joint or frame that the model does not have, or a joint without such a coordinate
Force actuator_force(const Model& model, const Actuator& actuator, Signal control);

}  // namespace CHASLES_API
