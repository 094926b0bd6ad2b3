/// Tables VI, VII and VIII of 001: drift of three spheres (three_spheres.hpp) within one second, from a base
/// at rest, by nine methods with steps of 1, 0.1, 0.01 and 0.001 s.
///
///     |T(1) - T(0)|,    |P(1) - P(0)|,    |L(1) - L(0)|,  L about the world's origin
///
/// At small steps the paper's own rounding is visible, some 1e-13, and in CG4 that of its coefficients.
#pragma once

#include <vector>

#include "studies/entry.hpp"

namespace chasles::studies::park_chung {

inline constexpr Table drift_titles[] = {{"VI", "kinetic energy"},
                                         {"VII", "linear momentum"},
                                         {"VIII", "angular momentum about the origin"}};
/// Rows: methods; columns: steps.
/// @paper 001 Table VI, Table VII, Table VIII, Figures 4-6
std::vector<Entry> drift_tables();

}  // namespace chasles::studies::park_chung
