/// <collision> of the links of SDF.
#pragma once

#include "io/urdf/xml.hpp"

namespace chasles::io::sdf {

/// Adds the collision shapes of a link to a body. One that cannot be read is named in a warning.
void read_sdf_collisions(const Element& link, const std::string& body, int version,
                         Mechanism& mechanism);

}  // namespace chasles::io::sdf
