/// The recursions of recursive.hpp over any scalar and any form of forms.hpp.
///
/// Inverse dynamics, equations as in recursive.hpp:
///
///     outward  V_i = T V_p + X v_i,  Vd_i = T Vd_p + X vd_i + zeta_i                    (1), (2)
///              W_i = M_i Vd_i + gyroscopic(M_i, V_i) - W_app,i                               (3)
///     inward   Q_i = X^T W_i + I_a vd_i,  W_p += T^T W_i                                (4), (5)
///
/// Forward dynamics:
///
///     outward  V_i, zeta_i,  z_i = gyroscopic(M_i, V_i) - W_app,i                            (6)
///     inward   U = P X,  D = X^T U + I_a,  G = U D^-1,  eps = Q - X^T (z + P zeta)            (7)
///              P_p += T^T (P - U G^T) T,  z_p += T^T (z + P zeta + G eps)                     (8)
///     outward  vd_i = D^-1 eps - G^T T Vd_p                                                   (9)
///              Vd_i = T Vd_p + X vd_i + zeta_i,  W_i = P Vd_i + z_i                          (10)
#pragma once

#include <algorithm>
#include <limits>
#include <span>

#include "chasles/model/model.hpp"
#include "dynamics/ldl.hpp"
#include "model/model_data.hpp"
#include "textbook/forms.hpp"

namespace chasles::textbook {

using dynamics::ldl_factor;
using dynamics::ldl_solve;

/// Inputs and outputs of the recursions; the arrays belong to the caller.
template <class S>
struct Recursion {
  std::span<const Link> links;
  // Inputs.
  const lie::SE3<S>* C;           // links, in the world
  const lie::SE3<S>* C_rel;       // links, in the parent
  const lie::Twist<S>* X_b;       // nv: screws, body-fixed
  const lie::Twist<S>* X_rate_v;  // links: Xd v, body-fixed; null: zero
  const lie::Inertia<S>* M_b;     // links, body-fixed
  const lie::Wrench<S>* W_app;    // links, body-fixed; null: none
  lie::Vec3<S> gravity;
  const S* v;  // nv
  // Acceleration and force: inverse dynamics reads a and writes tau, forward dynamics vice versa.
  S* a;    // nv
  S* tau;  // nv
  // Outputs, in the representation.
  lie::Twist<S>* X;            // nv
  lie::Inertia<S>* M;          // links
  lie::Twist<S>*V, *A, *zeta;  // links; A includes the acceleration of the ground
  lie::Wrench<S>* W;           // links
  // Forward dynamics only.
  lie::ArticulatedInertia<S>* P;    // links
  lie::Wrench<S>*U, *G;             // nv
  S *D, *eps;                       // sum of the squares of Link::nv; nv
  const int* D_index;               // links
  const lie::Real<S>* least_pivot;  // nv, `singular` times the diagonal of M; null: zero
  lie::Real<S>* sizes;  // links: largest traces of the blocks A and C of P, growth of errors

  LinkPose<S> pose(std::size_t i) const {
    const int p = links[i].parent;
    return {C[i], C_rel[i], p < 0 ? nullptr : C + p};
  }
  lie::Twist<S> twist_of_parent(std::size_t i) const {
    return links[i].parent < 0 ? lie::Twist<S>{} : V[links[i].parent];
  }
  /// The ground accelerates upward, so that weight needs no term.
  lie::Twist<S> acceleration_of_parent(std::size_t i) const {
    return links[i].parent < 0 ? lie::Twist<S>{{}, -gravity} : A[links[i].parent];
  }
  /// sum_k x_k y_k of the degrees of freedom of a link.
  template <class Y>
  Y combine(const Y* y, const S* x, const Link& link) const {
    Y sum = x[link.v_index] * y[link.v_index];
    for (int k = link.v_index + 1; k < link.v_index + link.nv; ++k) sum += x[k] * y[k];
    return sum;
  }
};

/// (1), and zeta of (2).
template <template <class> class Form, class S>
void outward_velocities(Recursion<S>& r, std::size_t i, const Form<S>& form) {
  const Link& link = r.links[i];
  for (int k = link.v_index; k < link.v_index + link.nv; ++k) r.X[k] = form.screw(r.X_b[k]);
  r.M[i] = form.inertia(r.M_b[i]);
  const lie::Twist<S> u = r.combine(r.X, r.v, link);
  if (link.parent < 0)
    r.V[i] = u;
  else
    r.V[i] = form.from_parent(r.V[link.parent]) + u;
  r.zeta[i] = form.zeta(r.V[i], r.twist_of_parent(i), u);
  if (r.X_rate_v) r.zeta[i] += form.screw(r.X_rate_v[i]);
}

template <template <class> class Form, class S>
void inverse_recursion(Recursion<S>& r) {
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    const Form<S> form{r.pose(i)};
    outward_velocities<Form>(r, i, form);
    r.A[i] =
        form.from_parent(r.acceleration_of_parent(i)) + r.combine(r.X, r.a, r.links[i]) + r.zeta[i];
    r.W[i] = form.product(r.M[i], r.A[i]) + form.gyroscopic(r.M[i], r.V[i]);
    if (r.W_app) r.W[i] -= form.wrench(r.W_app[i]);
  }
  for (std::size_t i = r.links.size(); i-- > 0;) {
    const Link& link = r.links[i];
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) {
      r.tau[k] = dot(r.W[i], r.X[k]);
      if (link.armature != 0) r.tau[k] = r.tau[k] + S(link.armature) * r.a[k];
    }
    if (link.parent >= 0) r.W[link.parent] += Form<S>{r.pose(i)}.to_parent(r.W[i]);
  }
}

/// The scale of the numbers from which a pivot of screw k is computed: X^T P X without cancellation, with the
/// largest traces of the blocks A and C of P so far.
template <class S>
lie::Real<S> pivot_size(const Recursion<S>& r, std::size_t i, int k) {
  const lie::Twist<S>& X = r.X[k];
  return lie::real_part(dot(X.w, X.w)) * r.sizes[3 * i] +
         lie::real_part(dot(X.v, X.v)) * r.sizes[3 * i + 1];
}
/// Lower bound for the pivots of link i: the threshold for zero, and their rounding errors, which grow when a
/// pivot is much smaller than the numbers it is computed from.
template <class S>
void least_pivots(Recursion<S>& r, std::size_t i, lie::Real<S>* least) {
  using Real = lie::Real<S>;
  Real* size = r.sizes + 3 * i;
  size[0] = std::max(size[0], lie::real_part(trace(r.P[i].A)));
  size[1] = std::max(size[1], lie::real_part(trace(r.P[i].C)));
  const Real error = 32 * std::numeric_limits<Real>::epsilon() * size[2];
  for (int k = 0; k < r.links[i].nv; ++k) {
    const int v = r.links[i].v_index + k;
    least[k] = std::max(r.least_pivot[v], error * pivot_size(r, i, v));
  }
}
/// Passes the scales and the error growth inward.
template <class S>
void hand_on_sizes(Recursion<S>& r, std::size_t i) {
  const Link& link = r.links[i];
  if (link.parent < 0) return;
  const lie::Real<S>* size = r.sizes + 3 * i;
  lie::Real<S>* to = r.sizes + 3 * link.parent;
  for (int k = 0; k < 3; ++k) to[k] = std::max(to[k], size[k]);
  for (int k = 0; k < link.nv; ++k)
    to[2] = std::max(to[2], pivot_size(r, i, link.v_index + k) /
                                lie::real_part(r.D[r.D_index[i] + k * (link.nv + 1)]));
}

/// (7) without eps: U, D, G of link i from its P. Returns the index of a failed pivot, or -1.
template <class S>
int factor_joint(Recursion<S>& r, std::size_t i) {
  const Link& link = r.links[i];
  const int n = link.nv, first = link.v_index;
  S* D = r.D + r.D_index[i];
  for (int k = 0; k < n; ++k) {
    r.U[first + k] = r.G[first + k] = r.P[i] * r.X[first + k];
    for (int j = 0; j <= k; ++j) D[k * n + j] = dot(r.U[first + k], r.X[first + j]);
    if (link.armature != 0) D[k * (n + 1)] = D[k * (n + 1)] + S(link.armature);
  }
  lie::Real<S> least[6] = {};
  if (r.least_pivot) least_pivots(r, i, least);
  const int pivot = ldl_factor(D, n, least);
  if (pivot >= 0) return pivot;
  ldl_solve(D, n, r.G + first);
  if (r.least_pivot) hand_on_sizes(r, i);
  return -1;
}

/// (7), (8) without forces: P of every link, and the factors of its joint. X and M must be set.
/// Returns the index in v of a pivot that is not positive, or -1.
template <template <class> class Form, class S>
int articulated_inertias(Recursion<S>& r) {
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    r.P[i] = Form<S>{r.pose(i)}.articulated(r.M[i]);
    if (r.sizes) r.sizes[3 * i] = r.sizes[3 * i + 1] = 0, r.sizes[3 * i + 2] = 1;
  }
  for (std::size_t i = r.links.size(); i-- > 0;) {
    const Link& link = r.links[i];
    if (const int pivot = factor_joint(r, i); pivot >= 0) return link.v_index + pivot;
    if (link.parent < 0) continue;
    lie::ArticulatedInertia<S> P = r.P[i];
    for (int k = link.v_index; k < link.v_index + link.nv; ++k) P.subtract(r.U[k], r.G[k]);
    r.P[link.parent] += Form<S>{r.pose(i)}.to_parent(P);
  }
  return -1;
}

/// Returns the index in v of a joint with singular inertia, or -1.
template <template <class> class Form, class S>
int forward_recursion(Recursion<S>& r) {
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    const Form<S> form{r.pose(i)};
    outward_velocities<Form>(r, i, form);
    r.W[i] = form.gyroscopic(r.M[i], r.V[i]);
    if (r.W_app) r.W[i] -= form.wrench(r.W_app[i]);
  }
  if (const int pivot = articulated_inertias<Form>(r); pivot >= 0) return pivot;
  for (std::size_t i = r.links.size(); i-- > 0;) {
    const Link& link = r.links[i];
    lie::Wrench<S> z = r.W[i] + r.P[i] * r.zeta[i];
    for (int k = link.v_index; k < link.v_index + link.nv; ++k)
      r.eps[k] = r.tau[k] - dot(z, r.X[k]);
    z += r.combine(r.G, r.eps, link);
    if (link.parent >= 0) r.W[link.parent] += Form<S>{r.pose(i)}.to_parent(z);
  }
  for (std::size_t i = 0; i < r.links.size(); ++i) {
    const Link& link = r.links[i];
    const lie::Twist<S> before = Form<S>{r.pose(i)}.from_parent(r.acceleration_of_parent(i));
    S* a = r.a + link.v_index;
    for (int k = 0; k < link.nv; ++k) a[k] = r.eps[link.v_index + k];
    ldl_solve(r.D + r.D_index[i], link.nv, a);
    for (int k = 0; k < link.nv; ++k) a[k] = a[k] - dot(r.G[link.v_index + k], before);
    r.A[i] = before + r.zeta[i] + r.combine(r.X, r.a, link);
    r.W[i] += r.P[i] * r.A[i];
  }
  return -1;
}

}  // namespace chasles::textbook
