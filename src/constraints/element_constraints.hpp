/// Parts of the elements of a description that pages of the browser need as well.
#pragma once

#include "chasles/math/space_curve.hpp"
#include "chasles/mechanism/constraint_element.hpp"

namespace chasles {

/// @throws Error as SpaceCurve
SpaceCurve space_curve_of(const CurveElement& element);

}  // namespace chasles
