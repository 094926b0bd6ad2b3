/// What a mechanism shows besides its visuals: collision shapes, and tendons through points.
#pragma once

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io {

void complete_appearance(Mechanism& mechanism);

}  // namespace chasles::io
