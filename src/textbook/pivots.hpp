/// Lower bounds for the pivots of forward dynamics (dynamics::singular).
#pragma once

#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles::textbook {

/// `least`, nv: that fraction of the diagonal of the mass matrix, from composite bodies.
/// @param C_rel      links: poses in the parents
/// @param X          nv: body-fixed screws
/// @param composite  links: scratch; inertia of the subtree
inline void find_least_pivots(const Model& model, const std::vector<SE3>& C_rel,
                              const std::vector<Twist>& X, std::vector<Inertia>& composite,
                              double* least) {
  for (std::size_t i = 0; i < composite.size(); ++i) composite[i] = tree_links(model)[i].inertia;
  dynamics::for_links_inward(
      model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k)
          least[k] = dynamics::singular * (2 * kinetic_energy(composite[i], X[k]) + link.armature);
        if (link.parent >= 0)
          composite[dynamics::parent_of(link)] += transform(C_rel[i], composite[i]);
      });
}

}  // namespace chasles::textbook
