// Included by the units of isa/ and by tests: the kernels of this instruction set.
#pragma once

#include "kernels/dynamics.inl"

namespace {

#include "kernels/vectors/transpose.inl"

template <class Sp>
std::size_t work_bytes(Algorithm algorithm, const Tree<typename Sp::Real>& tree) {
  switch (algorithm) {
    case inverse_dynamics:
      return inverse_dynamics_work<Sp>(tree.links.size(), tree.nq);
    case forward_dynamics:
      return ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv);
    case mass_matrix:
      return mass_matrix_work<Sp>(tree.links.size(), tree.nq, tree.nv);
    case mass_matrix_inverse:
      return mass_matrix_inverse_work<Sp>(tree);
    case totals:
      return totals_work<Sp>(tree.links.size(), tree.nq);
    case positions:
    case velocities:
    case accelerations:
      return motion_work<Sp>(tree.links.size(), tree.nq);
    case jacobian:
      return jacobian_work<Sp>(tree.links.size(), tree.nq);
    case place_poses:
    case place_twists:
    case place_accelerations:
      break;
  }
  return 0;
}

template <class Sp>
constexpr KernelTable<typename Sp::Real> table{
    Sp::lanes,
    {run_inverse_dynamics<Sp>, run_forward_dynamics<Sp>, run_mass_matrix<Sp>,
     run_mass_matrix_inverse<Sp>, run_totals<Sp>, run_motion<Sp, 0>, run_motion<Sp, 1>,
     run_motion<Sp, 2>, run_jacobian<Sp>, run_places<Sp, 0>, run_places<Sp, 1>, run_places<Sp, 2>},
    work_bytes<Sp>,
    Transposition<Sp>::gather,
    Transposition<Sp>::scatter};

}  // namespace
