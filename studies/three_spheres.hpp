/// The example of 001 section VI: three spheres of 10 kg and 4 kg m^2 in a chain that floats freely.
///
///     sphere 1  (0, 0, 0)     floating; the base
///     sphere 2  (2, 0, 0)     joint 1 revolute about z through the center of sphere 1
///     sphere 3  (2, 0, -2)    joint 2 revolute about x through the center of sphere 2
///
/// centers at q = 0 [m], no gravity. The figure of the paper shows the geometry only in part; this
/// one gives all printed digits of Tables VI to VIII. As a file: examples/three_spheres.yaml.
///
///     ModelSystem system(compile(studies::three_spheres()));
///     integrator->reset(studies::three_spheres_start());
#pragma once

#include "chasles/systems/system.hpp"

namespace chasles::studies {

/// @paper 001 section VI, Figure 3
Mechanism three_spheres();

/// At q = 0, with 0.4 rad/s in both joints.
/// @param V  of the base, body-fixed; at rest in Tables VI to VIII
State three_spheres_start(const Twist& V = {});

/// V of the base in the runs over 200 s, figures 7 and 8 [rad/s, m/s].
inline constexpr Twist tumbling{{0.3, 0.3, 0.3}, {0.1, 0.1, 0.1}};

}  // namespace chasles::studies
