/// Checks of the parts of a mechanism that refer to joints and bodies by name.
#pragma once

#include <array>
#include <string>

namespace chasles {

struct Mechanism;
struct Tendon;

/// @throws Error naming the constraint and the mistake
void check_constraints(const Mechanism& mechanism);
/// @throws Error naming the tendon and the mistake
void check_tendons(const Mechanism& mechanism);
/// The weights of its segments. @param what  "tendon 'cable'"
void check_weights(const Tendon& tendon, const std::string& what);
/// The numbers of its spring, damper and friction.
void check_spring(const Tendon& tendon, const std::string& what);
/// Whether damping + b s + c s^2 is negative at no speed s.
bool resists(double damping, const std::array<double, 2>& drag);
/// The terms of higher order of springs and dampers.
void check_polynomials(double damping, const std::array<double, 2>& stiffening,
                       const std::array<double, 2>& drag, const std::string& what);
/// @throws Error naming the actuator and the mistake
void check_actuators(const Mechanism& mechanism);
/// @throws Error naming the keyframe and the mistake
void check_keyframes(const Mechanism& mechanism);

}  // namespace chasles
