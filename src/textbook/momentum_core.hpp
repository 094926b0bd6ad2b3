/// The momentum form of dynamics over any scalar and the body-fixed, spatial and hybrid forms: from (q, p, Q) to v and
/// pd, without accelerations. With P, U, D, G of recursive_core.hpp (7), (8),
///
///     inward   eps = p - X^T z,  z_p += T^T (z + G eps)                                       (1)
///     outward  v_i = D^-1 eps - G^T T V_p,  V_i = T V_p + X v_i,  h_i = M_i V_i               (2)
///     inward   pd_k = Q_k + X_k^T (f_i + ad_{V_i}^T h_i),  h_p += T^T h_i,  f_p += T^T f_i      (3)
///
/// f_i: weight of the subtree. (3) is (4) of dynamics/momentum.hpp.
#pragma once

#include "textbook/recursive_core.hpp"

namespace chasles::textbook {

/// @param g(i)  the acceleration of gravity in the axes of the form
/// Returns the index in v of a joint with singular inertia, or -1. f: links, scratch.
template <template <class> class Form, class S, class Gravity>
int momentum_recursion(Recursion<S>& r, const S* p, S* v, S* p_dot, lie::Wrench<S>* f,
                       const Gravity& g) {
  const std::size_t n = r.links.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Form<S> form{r.pose(i)};
    const Link& link = r.links[i];
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) r.X[k] = form.screw(r.X_b[k]);
    r.M[i] = form.inertia(r.M_b[i]);
    r.W[i] = {};
  }
  if (const int pivot = articulated_inertias<Form>(r); pivot >= 0) return pivot;
  for (std::size_t i = n; i-- > 0;) {
    const Link& link = r.links[i];
    for (int k = link.v_index; k < link.v_index + link.nv; ++k)
      r.eps[k] = p[k] - dot(r.W[i], r.X[k]);
    const lie::Wrench<S> z = r.W[i] + r.combine(r.G, r.eps, link);
    if (link.parent >= 0) r.W[link.parent] += Form<S>{r.pose(i)}.to_parent(z);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const Link& link = r.links[i];
    const Form<S> form{r.pose(i)};
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) v[k] = r.eps[k];
    ldl_solve(r.D + r.D_index[i], link.nv, v + link.v_index);
    if (link.parent >= 0) {
      const lie::Twist<S> before = form.from_parent(r.V[link.parent]);
      for (int k = link.v_index; k < link.v_index + link.nv; ++k) v[k] = v[k] - dot(r.G[k], before);
      r.V[i] = before + r.combine(r.X, v, link);
    } else {
      r.V[i] = r.combine(r.X, v, link);
    }
    r.W[i] = form.product(r.M[i], r.V[i]);
    const lie::Vec3<S> weight = g(i);
    f[i] = {cross(r.M[i].mc, weight), r.M[i].m * weight};
  }
  for (std::size_t i = n; i-- > 0;) {
    const Link& link = r.links[i];
    const lie::Wrench<S> force = f[i] + ad_dual(r.V[i], r.W[i]);
    for (int k = link.v_index; k < link.v_index + link.nv; ++k)
      p_dot[k] = r.tau[k] + dot(force, r.X[k]);
    if (link.parent < 0) continue;
    const Form<S> form{r.pose(i)};
    r.W[link.parent] += form.to_parent(r.W[i]);
    f[link.parent] += form.to_parent(f[i]);
  }
  return -1;
}

}  // namespace chasles::textbook
