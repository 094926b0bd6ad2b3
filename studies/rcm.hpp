/// The surgical device of 003, sections 2.5 and 3.6: five revolute joints, the last two with a
/// remote center of motion. The paper prints its screws, a pose and two Jacobians as formulas in
/// the lengths below, which it leaves open [m].
///
///     for (const Entry& e : rcm_formulas())
///       if (std::abs(e.printed - e.computed) > 1e-12) ...      // misprinted: 7 of 130
#pragma once

#include <vector>

#include "chasles/model/model.hpp"
#include "studies/entry.hpp"

namespace chasles::studies {

/// @paper 003 section 2.5, section 3.6, Figures 5-6
struct Rcm {
  /// Points on the axes 2 ... 5 of the joints at q = 0.
  double d2 = 0.4, d3 = 0.35, d4 = 0.45, h4 = 0.2, d5 = 0.6;
  /// Origins of the body frames 1 ... 5; [0] is not used.
  double x[6] = {0, 0.2, 0.05, 0.4, 0.5, 0.6}, z[6] = {0, 0.1, 0.02, 0.12, 0.16, 0.05};

  Mechanism mechanism() const;
};

/// The printed formulas compared with computed values, entry by entry, at one configuration: the screws Y and
/// X, C_3, the body-fixed Jacobian of body 3 and the spatial one of body 5.
std::vector<Entry> rcm_formulas(const Rcm& device = {});

}  // namespace chasles::studies
