/// Checks of the parts of a mechanism that refer to joints by name.
#pragma once

namespace chasles {

struct Mechanism;

/// @throws Error naming the tendon and the mistake
void check_tendons(const Mechanism& mechanism);
/// @throws Error naming the actuator and the mistake
void check_actuators(const Mechanism& mechanism);
/// @throws Error naming the keyframe and the mistake
void check_keyframes(const Mechanism& mechanism);

}  // namespace chasles
