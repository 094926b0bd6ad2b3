/// Inertias from collision shapes: <inertial auto="true">.
#pragma once

#include "io/sdf/frames.hpp"

namespace chasles::io::sdf {

/// The sum of the solids of the collision shapes of a link: box, sphere, cylinder, capsule, ellipsoid and cone. The density
/// is that of the shape, of the <inertial>, or 1000 kg/m^3; with a <mass> all are scaled to it. None: no shape with a
/// volume.
/// @throws Error naming a shape without a formula
std::optional<BodyInertia> inertia_of_shapes(const Element& link, const Element& inertial,
                                             int version);

}  // namespace chasles::io::sdf
