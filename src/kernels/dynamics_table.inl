// Included after dynamics.inl by the units of the library: the kernels of this instruction set.

namespace {

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
      break;
  }
  return totals_work<Sp>(tree.links.size(), tree.nq);
}

template <class Sp>
constexpr KernelTable<typename Sp::Real> table{
    Sp::lanes,
    {run_inverse_dynamics<Sp>, run_forward_dynamics<Sp>, run_mass_matrix<Sp>,
     run_mass_matrix_inverse<Sp>, run_totals<Sp>, run_coriolis_matrix<Sp>, run_regressor<Sp>,
     run_centroidal<Sp>},
    work_bytes<Sp>,
    takes_four<Sp> ? block_width : 0};

}  // namespace
