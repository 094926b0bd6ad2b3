/// <collision> of the links of URDF.
#pragma once

#include "io/urdf/xml.hpp"

namespace chasles::io {

/// Adds the collision shapes of all links. One that cannot be read is named in a warning.
void read_urdf_collisions(const Element& robot, Mechanism& mechanism);

}  // namespace chasles::io
