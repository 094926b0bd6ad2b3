/// Rotors in the compiled model: mechanism/rotor.hpp (2).
#pragma once

#include "chasles/mechanism/mechanism.hpp"

namespace chasles {

/// Whether the angle of the joint is that of its rotor, divided by the ratio: revolute and helical joints.
inline bool turns_like_rotor(const Joint& joint) { return joint.type != JointType::prismatic; }

/// `inertia` times a a^T.
inline Sym3 about_axis(double inertia, const Vec3& a) {
  return {inertia * a.x * a.x, inertia * a.x * a.y, inertia * a.x * a.z,
          inertia * a.y * a.y, inertia * a.y * a.z, inertia * a.z * a.z};
}
/// Rotational inertia of the disc about the axis a.
inline Sym3 disc(double inertia, const Vec3& a) {
  return Sym3::diagonal(inertia / 2, inertia / 2, inertia / 2) + about_axis(inertia / 2, a);
}

/// The same mechanism with the rotors of prismatic joints as bodies and couplings.
Mechanism with_sliding_rotors(const Mechanism& mechanism);

}  // namespace chasles
