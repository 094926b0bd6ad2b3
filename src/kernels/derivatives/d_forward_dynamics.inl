// Included by dynamics.inl. The derivatives of forward dynamics a(q, v, tau) from those of inverse dynamics
// at its result:
//
//   da/dq = -M^-1 dtau/dq,   da/dv = -M^-1 dtau/dv,   da/dtau = M^-1
//
// with the articulated-body factors of M: articulated_columns.inl. Forward dynamics, which runs before,
// leaves them in the workspace if Pass::keep_factors is set. For several states of shallow trees, factors of
// M itself: factored_columns.inl.
#pragma once

#include "kernels/derivatives/articulated_columns.inl"
#include "kernels/derivatives/d_inverse_dynamics.inl"
#include "kernels/derivatives/factored_columns.inl"
#include "kernels/vectors/dual.inl"

template <class Sp>
CHASLES_FLATTEN int run_by_factors(const Pass<typename Sp::Real>& arguments) {
  using S = typename Sp::S;
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  const auto& tree = *pass.tree;
  char* work = reinterpret_cast<char*>(pass.work);
  Result<Sp>*out = reinterpret_cast<Result<Sp>*>(pass.out), *M = out + 2 * tree.nv * tree.nv;
  InverseDerivatives<Sp>(pass, work).template run<true>(out);
  const FactoredInverse<Sp> inverse(
      tree, reinterpret_cast<S*>(work + InverseDerivatives<Sp>::bytes(tree)), M);
  if (const int link = inverse.factor_M(); link >= 0) return link;
  factored_solve(inverse, out);
  factored_solve(inverse, out + tree.nv * tree.nv);
  inverse.complete();
  return -1;
}
template <class Sp>
CHASLES_FLATTEN int run_d_forward_dynamics(const Pass<typename Sp::Real>& arguments) {
  using Out = Result<Sp>;
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  const auto& tree = *pass.tree;
  const int nv = tree.nv;
  if constexpr (!takes_four<Sp>)
    if (factors_columns<Sp>(tree)) return run_by_factors<Sp>(arguments);
  const ArticulatedWork<Sp> work(pass.work, tree.links.size(), nv);
  char* rest = reinterpret_cast<char*>(pass.work) +
               in_lines(ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, nv));
  Out* out = reinterpret_cast<Out*>(pass.out);
  if (!pass.keep_factors) {
    articulated_frames(pass, work, Angles<Sp>(pass, work.angles));
    if (const int i = articulated_inward<Sp, false>(pass, arguments, work); i >= 0) return i;
  }
  InverseDerivatives<Sp>(pass, rest).template run<false>(out);
  ArticulatedColumns<Sp> columns(tree, work, rest + InverseDerivatives<Sp>::bytes(tree));
  columns.list_joints(pass.keep_factors);
  columns.inverse(out + 2 * nv * nv);
  columns.minus_solve(out, out + nv * nv);
  return -1;
}
template <class Sp>
std::size_t d_forward_dynamics_work(const Tree<typename Sp::Real>& tree) {
  if (factors_columns<Sp>(tree))
    return InverseDerivatives<Sp>::bytes(tree) +
           FactoredInverse<Sp>::memory(tree) * sizeof(typename Sp::S);
  return in_lines(ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv)) +
         InverseDerivatives<Sp>::bytes(tree) + ArticulatedColumns<Sp>::bytes(tree);
}
