// Included by products_table.inl. Products with the derivatives of forward dynamics, after forward_dynamics
// has run with Pass::keep_factors: its articulated-body factors are at the start of pass.work. From those of
// inverse dynamics at the resulting acceleration,
//
//   da = M^-1 (dtau - dtau/dq dq - dtau/dv dv)                                                     (1)
//   lambda^T da/dtau = mu^T,   lambda^T da/dq = -mu^T dtau/dq,   lambda^T da/dv = -mu^T dtau/dv,
//   mu = M^-1 lambda                                                                              (2)
//
// and M^-1 b with these factors: inward the wrenches F transmitted because of b, outward the accelerations P,
//
//   t = b - X.F,   x = D^-1 t,   F_p += F + u t;      x -= u.P_p,   P = P_p + X x                   (3)
#pragma once

#include "kernels/articulated.inl"
#include "kernels/derivatives/inverse_adjoint.inl"

/// (3); b and x may alias.
template <class Sp>
CHASLES_INLINE void articulated_solve(const Tree<typename Sp::Real>& tree,
                                      const ArticulatedWork<Sp>& work, const typename Sp::Real* b,
                                      typename Sp::Real* x) {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  const auto* links = tree.links.data();
  const int count = static_cast<int>(tree.links.size());
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  // Inward sums, then outward accelerations, of branching links.
  const auto kept = [&](int i) -> ArticulatedMotion<Sp>& { return work.motions[i]; };
  for (int i = 0; i < count; ++i)
    if (links[i].branches) kept(i).w = zero, kept(i).al = zero;
  Six<Sp> F{zero, zero};
  for (int i = count - 1; i >= 0; --i) {
    const auto& link = links[i];
    const ArticulatedLink<Sp>& at = work.links[i];
    if (!(i + 1 < count && links[i + 1].parent == i)) F = {zero, zero};
    if (link.branches) F.w += kept(i).w, F.v += kept(i).al;
    if (one_screw(link.motion)) {
      const S h(link.pitch());
      const S along = link.motion == LinkMotion::revolute    ? dot(at.z, F.w)
                      : link.motion == LinkMotion::prismatic ? dot(at.z, F.v)
                                                             : dot(at.z, F.w + h * F.v);
      const S t = Sp::load(b, link.v) - along;
      Sp::store(x, link.v, t * Sp::x(at.column));  // D^-1
      F.w += t * at.u.w, F.v += t * at.u.v;
    } else {
      const ArticulatedScrew<Sp>* screws = work.screws + link.v;
      S t[6];
      for (int k = 0; k < link.nv; ++k)
        t[k] = Sp::load(b, link.v + k) - (dot(screws[k].X.w, F.w) + dot(screws[k].X.v, F.v));
      if (link.parent < 0) {  // transmits only to ground
        Small<S> D;
        for (int k = 0; k < link.nv; ++k)
          for (int l = 0; l <= k; ++l) D.a[k][l] = screws[k].inverse[l];
        D.solve(link.nv, t);
        for (int k = 0; k < link.nv; ++k) Sp::store(x, link.v + k, t[k]);
        continue;
      }
      for (int k = 0; k < link.nv; ++k) {
        S sum = screws[k].inverse[0] * t[0];
        for (int l = 1; l < link.nv; ++l) sum = sum + screws[k].inverse[l] * t[l];
        Sp::store(x, link.v + k, sum);
        F.w += t[k] * screws[k].u.w, F.v += t[k] * screws[k].u.v;
      }
    }
    if (link.parent < 0) continue;
    F.w = Sp::plus_cross(F.w, at.d, F.v);
    if (link.parent != i - 1) kept(link.parent).w += F.w, kept(link.parent).al += F.v;
  }
  Six<Sp> P{zero, zero};
  for (int i = 0; i < count; ++i) {
    const auto& link = links[i];
    const ArticulatedLink<Sp>& at = work.links[i];
    if (link.parent < 0)
      P = {zero, zero};
    else if (link.parent != i - 1)
      P = {kept(link.parent).w, kept(link.parent).al};
    P.v = Sp::plus_cross(P.v, P.w, at.d);
    if (one_screw(link.motion)) {
      const S rate = Sp::load(x, link.v) - Sp::dot(at.u.w, P.w, at.u.v, P.v);
      Sp::store(x, link.v, rate);
      const Vec step = rate * at.z;
      if (link.motion != LinkMotion::prismatic) P.w += step;
      if (link.motion == LinkMotion::prismatic) P.v += step;
      if (link.motion == LinkMotion::helical) P.v += S(link.pitch()) * step;
    } else {
      const Six<Sp> before = P;
      for (int k = 0; k < link.nv; ++k) {
        const ArticulatedScrew<Sp>& screw = work.screws[link.v + k];
        const S rate = Sp::load(x, link.v + k) - Sp::dot(screw.u.w, before.w, screw.u.v, before.v);
        Sp::store(x, link.v + k, rate);
        P.w += rate * screw.X.w, P.v += rate * screw.X.v;
      }
    }
    if (link.branches) kept(i).w = P.w, kept(i).al = P.v;
  }
}

/// Start of the workspace for products with the derivatives of inverse dynamics.
template <class Sp>
CHASLES_INLINE std::size_t after_factors(const Tree<typename Sp::Real>& tree) {
  return in_lines(ArticulatedWork<Sp>::bytes(tree.links.size(), tree.nq, tree.nv));
}
/// (1) to pass.product; pass.force is the acceleration, pass.du is dtau, pass.out scratch of nv numbers.
template <class Sp>
CHASLES_FLATTEN int run_forward_tangent(const ProductPass& arguments) {
  ProductPass pass = arguments;
  const auto& tree = *pass.tree;
  pass.du = pass.zero;
  char* work = reinterpret_cast<char*>(pass.work);
  InverseTangent<Sp>(pass, work + after_factors<Sp>(tree)).run();
  for (int k = 0; k < tree.nv; ++k)
    Sp::store(pass.product, k, Sp::load(arguments.du, k) - Sp::load(pass.product, k));
  articulated_solve<Sp>(tree, ArticulatedWork<Sp>(pass.work, tree.links.size(), tree.nv),
                        pass.product, pass.product);
  return -1;
}
/// (2) to pass.grad_q, grad_v and on_u.
template <class Sp>
CHASLES_FLATTEN int run_forward_adjoint(const ProductPass& arguments) {
  ProductPass pass = arguments;
  const auto& tree = *pass.tree;
  articulated_solve<Sp>(tree, ArticulatedWork<Sp>(pass.work, tree.links.size(), tree.nv),
                        arguments.lambda, arguments.on_u);
  // The last result, M mu, is just lambda: discarded.
  pass.lambda = arguments.on_u, pass.on_u = pass.product;
  InverseAdjoint<Sp>(pass, reinterpret_cast<char*>(pass.work) + after_factors<Sp>(tree)).run();
  for (int k = 0; k < tree.nv; ++k) {
    Sp::store(pass.grad_q, k, -Sp::load(pass.grad_q, k));
    Sp::store(pass.grad_v, k, -Sp::load(pass.grad_v, k));
  }
  return -1;
}
template <class Sp>
std::size_t product_work(bool forward, const Tree<typename Sp::Real>& tree) {
  const std::size_t a = InverseTangent<Sp>::bytes(tree), b = InverseAdjoint<Sp>::bytes(tree);
  return (a > b ? a : b) + (forward ? after_factors<Sp>(tree) : 0);
}
