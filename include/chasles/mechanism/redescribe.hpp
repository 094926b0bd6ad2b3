/// Converts between three equivalent descriptions of a mechanism (003 sections 2.2 to 2.4):
///
///     world   screws Y_i and body poses A_i in the world at q = 0
///     body    screws iX_i in the body, body poses B_i in the parent
///     frames  two joint frames S_{i-1,i}, S_{i,i} and the axis z in them
///
/// Body frames, joint coordinates, inertias, limits, mimic, loops and frames are unchanged. Elements already in the
/// requested form are copied bit for bit.
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

enum class Description : unsigned char { world, body, frames };

/// The same mechanism in another description; the reference geometry is equal up to rounding. A spherical or floating
/// joint whose coordinates are not along the axes of its body keeps its two frames, since an axis and a point cannot
/// express it.
/// @throws Error as reference_geometry
/// @paper 000 section 4.4
/// @paper 003 section 2.2, section 2.3, section 2.4, Remark 6
Mechanism redescribe(const Mechanism& mechanism, Description description);

}  // namespace CHASLES_API
