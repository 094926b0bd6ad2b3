// Included by the units of isa/ and by tests: the kernel table of this instruction set.
#pragma once

#include "kernels/dynamics.inl"

namespace {

#include "kernels/vectors/transpose.inl"

template <class Sp>
std::size_t no_bytes(const Tree<typename Sp::Real>&) {
  return 0;
}
template <class Sp>
std::size_t motion_bytes(const Tree<typename Sp::Real>& tree) {
  return motion_work<Sp>(tree.links.size(), tree.nq);
}
template <class Sp>
std::size_t d_forward_dynamics_bytes(const Tree<typename Sp::Real>& tree) {
  return d_forward_dynamics_work<Sp>(tree);
}
template <class Sp>
constexpr AlgorithmKernel<typename Sp::Real> inverse_derivatives{run_d_inverse_dynamics<Sp>,
                                                                 InverseDerivatives<Sp>::bytes};
template <class Sp>
constexpr AlgorithmKernel<typename Sp::Real> forward_derivatives{run_d_forward_dynamics<Sp>,
                                                                 d_forward_dynamics_bytes<Sp>};

/// All kernels; -Wswitch checks that the list is complete.
template <class Sp>
constexpr AlgorithmKernel<typename Sp::Real> kernel_of(Algorithm algorithm) {
  using Of = Tree<typename Sp::Real>;
  switch (algorithm) {
    case inverse_dynamics:
      return {run_inverse_dynamics<Sp>,
              [](const Of& tree) { return inverse_dynamics_work<Sp>(tree.links.size(), tree.nq); }};
    case forward_dynamics:
      return {run_forward_dynamics<Sp>, [](const Of& tree) {
                return ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv);
              }};
    case mass_matrix:
      return {run_mass_matrix<Sp>, [](const Of& tree) { return mass_matrix_work<Sp>(tree); }};
    case mass_matrix_inverse:
      return {run_mass_matrix_inverse<Sp>,
              [](const Of& tree) { return mass_matrix_inverse_work<Sp>(tree); }};
    case totals:
      return {run_totals<Sp>,
              [](const Of& tree) { return totals_work<Sp>(tree.links.size(), tree.nq); }};
    case coriolis_matrix:
      return {run_coriolis_matrix<Sp>, [](const Of& tree) {
                return coriolis_work<Sp>(tree.links.size(), tree.nq, tree.nv);
              }};
    case regressor:
      return {run_regressor<Sp>, [](const Of& tree) {
                return regressor_work<Sp>(tree.links.size(), tree.nq, tree.nv);
              }};
    case centroidal:
      return {run_centroidal<Sp>, [](const Of& tree) {
                return centroidal_work<Sp>(tree.links.size(), tree.nq, tree.nv);
              }};
    case positions:
      return {run_motion<Sp, 0>, motion_bytes<Sp>};
    case velocities:
      return {run_motion<Sp, 1>, motion_bytes<Sp>};
    case accelerations:
      return {run_motion<Sp, 2>, motion_bytes<Sp>};
    case jacobian:
      return {run_jacobian<Sp>,
              [](const Of& tree) { return jacobian_work<Sp>(tree.links.size(), tree.nq); }};
    case frame_poses:
      return {run_frames<Sp, 0>, no_bytes<Sp>};
    case frame_twists:
      return {run_frames<Sp, 1>, no_bytes<Sp>};
    case frame_accelerations:
      return {run_frames<Sp, 2>, no_bytes<Sp>};
    case d_inverse_dynamics:
      return inverse_derivatives<Sp>;
    case d_forward_dynamics:
      return forward_derivatives<Sp>;
  }
  return {};
}
template <class Sp>
constexpr KernelTable<typename Sp::Real> table = [] {
  KernelTable<typename Sp::Real> all;
  all.lanes = Sp::lanes;
  for (int a = 0; a < algorithm_count; ++a) all.of[a] = kernel_of<Sp>(static_cast<Algorithm>(a));
  all.block_width = takes_four<Sp> ? block_width : 0;
  all.gather = Transposition<Sp>::gather;
  all.scatter = Transposition<Sp>::scatter;
  return all;
}();

template <class Real>
constexpr DirectionalKernels directional_table{
    inverse_derivatives<Lanes<Dual<Pack<Real, directions>>, Real>>,
    forward_derivatives<Lanes<Dual<Pack<Real, directions>>, Real>>};

}  // namespace
