/// What a mechanism shows besides its visuals: collision shapes, tendons through points, rods and cables.
#pragma once

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io {

void complete_appearance(Mechanism& mechanism);

}  // namespace chasles::io
