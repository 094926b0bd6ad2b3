/// Collision shapes as visuals of bodies that have none.
#pragma once

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io {

/// The appearance of a mechanism, completed by collision shapes: a capsule is a cylinder with two spheres.
Appearance appearance_of(const Mechanism& mechanism);

}  // namespace chasles::io
