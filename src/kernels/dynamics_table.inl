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
      return mass_matrix_work<Sp>(tree);
    case mass_matrix_inverse:
      return mass_matrix_inverse_work<Sp>(tree);
    case coriolis_matrix:
      return coriolis_work<Sp>(tree.links.size(), tree.nq, tree.nv);
    case regressor:
      return regressor_work<Sp>(tree.links.size(), tree.nq, tree.nv);
    case centroidal:
      return centroidal_work<Sp>(tree.links.size(), tree.nq, tree.nv);
    case totals:
      return totals_work<Sp>(tree.links.size(), tree.nq);
    case positions:
    case velocities:
    case accelerations:
      return motion_work<Sp>(tree.links.size(), tree.nq);
    case jacobian:
      return jacobian_work<Sp>(tree.links.size(), tree.nq);
    case d_inverse_dynamics:
      return InverseDerivatives<Sp>::bytes(tree);
    case d_forward_dynamics:
      return d_forward_dynamics_work<Sp>(tree);
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
     run_mass_matrix_inverse<Sp>, run_totals<Sp>, run_coriolis_matrix<Sp>, run_regressor<Sp>,
     run_centroidal<Sp>, run_motion<Sp, 0>, run_motion<Sp, 1>, run_motion<Sp, 2>, run_jacobian<Sp>,
     run_places<Sp, 0>, run_places<Sp, 1>, run_places<Sp, 2>, run_d_inverse_dynamics<Sp>,
     run_d_forward_dynamics<Sp>},
    work_bytes<Sp>,
    takes_four<Sp> ? block_width : 0,
    Transposition<Sp>::gather,
    Transposition<Sp>::scatter};

template <class Real>
constexpr DirectionalKernels directional_table{
    run_d_inverse_dynamics<Lanes<Dual<Pack<Real, directions>>, Real>>,
    run_d_forward_dynamics<Lanes<Dual<Pack<Real, directions>>, Real>>,
    work_bytes<Lanes<Dual<Pack<Real, directions>>, Real>>};

}  // namespace
