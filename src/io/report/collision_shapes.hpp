/// What a mechanism shows besides its visuals: collision shapes, tendons through points, rods, cables and curves.
#pragma once

#include <span>

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io {

void complete_appearance(Mechanism& mechanism);
/// Rods and cables between their points, and curves as points of one frame.
void draw_constraints(std::span<const ConstraintElement> elements, std::vector<DrawnLine>& out);

}  // namespace chasles::io
