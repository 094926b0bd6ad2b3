/// Parallel robots and a differential: examples of closed loops and couplings.
#pragma once

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::studies {

/// A Stewart platform of six legs, universal - prismatic - spherical. Feet in pairs on a circle of 0.5 m on
/// ground, 12 degrees either side of 0, 120 and 240; heads on a circle of 0.25 m, 0.6 m above, 12
/// degrees either side of 60, 180 and 300. Platform 10 kg, each leg two halves of 1 and 0.6 kg. The
/// platform floats in the tree, each leg ends in a loop: 6 + 6 x 3 - 6 x 3 = 6 degrees of freedom. As a
/// file: examples/stewart.yaml.
Mechanism stewart();

/// A delta robot: three arms of 0.3 m on revolute joints on a circle of 0.2 m, each carrying two parallel
/// bars to a platform 0.6 m below, its joints on a circle of 0.06 m. Arms 0.5 kg, bars 0.1 kg, 0.1 m apart,
/// platform 0.4 kg. Bars have universal joints on the arms and spherical joints on the platform, so that none
/// spins about its axis: 6 + 3 + 6 x 2 - 6 x 3 = 3 degrees of freedom, in which the platform keeps its
/// orientation. As a file: examples/delta.yaml.
Mechanism delta();

/// A differential as couplings: a shaft drives the cage 4 : 1, wheels turn with the cage on average, and
/// the pinion in the cage, half as large as the gears of the wheels, turns by their difference.
///
///     shaft - 4 cage = 0,     left + right - 2 cage = 0,     pinion - 2 (left - cage) = 0
///
/// Shaft about x, cage and wheels about y, pinion about z of the cage. Two degrees of freedom. As a file:
/// examples/differential.yaml.
Mechanism differential();

}  // namespace chasles::studies
