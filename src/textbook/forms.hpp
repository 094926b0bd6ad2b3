/// The recursions of dynamics in each representation. A form relates the quantities of link i and of its
/// parent p; the recursions of recursive_core.hpp use nothing else.
///
///     V_i = T V_p + X v_i                                                                  (1)
///     Vd_i = T Vd_p + X vd_i + zeta,    zeta = Td V_p + Xd v_i                             (2)
///     W_p += T^T W_i                                                                       (3)
///     W_i = M Vd_i + gyroscopic terms of V_i       the Newton-Euler equations              (4)
///
///              X          T                             zeta                      000
///     body     X          Ad_{C_ip}                     ad_V u                    (66), (67)
///     spatial  Ad_C X     I                             ad_V u                    (70), (71)
///     hybrid   Ad_R X     Ad_r                          ad_rd V_p + ad_w u        (75), (76)
///     mixed    (w; R v)   diag(R^T, 1) Ad_r diag(R_p, 1)  (w x u_w; as hybrid)   003 (52)
///
/// with u = X v_i, r = r_p - r_i, rd = v_p - v_i, w of link i, and X the body-fixed screw on the right. If
/// that depends on q, Xd v_i of the body form is converted like X. In the mixed form R^T R_p is taken from
/// the relative pose: products of absolute rotations would accumulate rounding errors over long chains.
#pragma once

#include "chasles/screws/articulated_inertia.hpp"
#include "chasles/screws/representation.hpp"

namespace chasles::textbook {

/// Poses used by a form: of the link in the world and in its parent, and of the parent.
template <class S>
struct LinkPose {
  const lie::SE3<S>& C;      // in the world
  const lie::SE3<S>& C_rel;  // in the parent
  const lie::SE3<S>* C_p;    // of the parent; null: ground

  lie::Vec3<S> from_parent() const { return C_p ? C.r - C_p->r : C.r; }  // r_i - r_p
};

template <class S>
struct BodyForm {
  const LinkPose<S> pose;
  using Twist = lie::Twist<S>;
  using Wrench = lie::Wrench<S>;

  Twist screw(const Twist& X_b) const { return X_b; }
  Wrench wrench(const Wrench& W_b) const { return W_b; }
  lie::Inertia<S> inertia(const lie::Inertia<S>& M_b) const { return M_b; }
  lie::ArticulatedInertia<S> articulated(const lie::Inertia<S>& M) const {
    return lie::ArticulatedInertia<S>(M);
  }
  Twist from_parent(const Twist& V_p) const { return Ad_inv(pose.C_rel, V_p); }
  Wrench to_parent(const Wrench& W) const { return Ad_inv_dual(pose.C_rel, W); }
  lie::ArticulatedInertia<S> to_parent(const lie::ArticulatedInertia<S>& P) const {
    return transform(pose.C_rel, P);
  }
  Twist zeta(const Twist& V, const Twist&, const Twist& u) const { return ad(V, u); }
  Wrench product(const lie::Inertia<S>& M, const Twist& A) const { return M * A; }
  Wrench gyroscopic(const lie::Inertia<S>& M, const Twist& V) const {
    return -ad_dual(V, M * V);  // 000 (41)
  }
};

template <class S>
struct SpatialForm {
  const LinkPose<S> pose;
  using Twist = lie::Twist<S>;
  using Wrench = lie::Wrench<S>;

  Twist screw(const Twist& X_b) const { return Ad(pose.C, X_b); }
  Wrench wrench(const Wrench& W_b) const { return Ad_inv_dual(pose.C, W_b); }
  lie::Inertia<S> inertia(const lie::Inertia<S>& M_b) const { return transform(pose.C, M_b); }
  lie::ArticulatedInertia<S> articulated(const lie::Inertia<S>& M) const {
    return lie::ArticulatedInertia<S>(M);
  }
  const Twist& from_parent(const Twist& V_p) const { return V_p; }
  const Wrench& to_parent(const Wrench& W) const { return W; }
  const lie::ArticulatedInertia<S>& to_parent(const lie::ArticulatedInertia<S>& P) const {
    return P;
  }
  Twist zeta(const Twist& V, const Twist&, const Twist& u) const { return ad(V, u); }
  Wrench product(const lie::Inertia<S>& M, const Twist& A) const { return M * A; }
  Wrench gyroscopic(const lie::Inertia<S>& M, const Twist& V) const {
    return -ad_dual(V, M * V);  // 000 (38)
  }
};

template <class S>
struct HybridForm {
  const LinkPose<S> pose;
  using Twist = lie::Twist<S>;
  using Wrench = lie::Wrench<S>;

  Twist screw(const Twist& X_b) const { return {pose.C.R * X_b.w, pose.C.R * X_b.v}; }
  Wrench wrench(const Wrench& W_b) const { return {pose.C.R * W_b.t, pose.C.R * W_b.f}; }
  lie::Inertia<S> inertia(const lie::Inertia<S>& M_b) const {
    return {M_b.m, pose.C.R * M_b.mc, rotate(pose.C.R.matrix(), M_b.I)};
  }
  lie::ArticulatedInertia<S> articulated(const lie::Inertia<S>& M) const {
    return lie::ArticulatedInertia<S>(M);
  }
  Twist from_parent(const Twist& V_p) const {
    return {V_p.w, V_p.v + cross(V_p.w, pose.from_parent())};
  }
  Wrench to_parent(const Wrench& W) const { return {W.t + cross(pose.from_parent(), W.f), W.f}; }
  lie::ArticulatedInertia<S> to_parent(const lie::ArticulatedInertia<S>& P) const {
    return shift(pose.from_parent(), P);
  }
  Twist zeta(const Twist& V, const Twist& V_p, const Twist& u) const {
    return {cross(V.w, u.w), cross(V_p.v - V.v, V_p.w) + cross(V.w, u.v)};
  }
  Wrench product(const lie::Inertia<S>& M, const Twist& A) const { return M * A; }
  /// 000 (55): t = I wd + mc x rdd + w x I w,  f = m rdd + wd x mc + w x (w x mc)
  Wrench gyroscopic(const lie::Inertia<S>& M, const Twist& V) const {
    return {cross(V.w, M.I * V.w), cross(V.w, cross(V.w, M.mc))};
  }
};

template <class S>
struct MixedForm {
  const LinkPose<S> pose;
  using Twist = lie::Twist<S>;
  using Wrench = lie::Wrench<S>;

  Twist screw(const Twist& X_b) const { return {X_b.w, pose.C.R * X_b.v}; }
  Wrench wrench(const Wrench& W_b) const { return {W_b.t, pose.C.R * W_b.f}; }
  lie::Inertia<S> inertia(const lie::Inertia<S>& M_b) const { return M_b; }
  /// diag(1, R) M_b diag(1, R^T)
  lie::ArticulatedInertia<S> articulated(const lie::Inertia<S>& M_b) const {
    return {M_b.I, hat(M_b.mc) * transpose(pose.C.R.matrix()),
            lie::Sym3<S>::diagonal(M_b.m, M_b.m, M_b.m)};
  }
  Twist from_parent(const Twist& V_p) const {
    return {inverse_times(pose.C_rel.R, V_p.w), V_p.v + cross(to_world(V_p), pose.from_parent())};
  }
  Wrench to_parent(const Wrench& W) const {
    const lie::Vec3<S> shifted = cross(pose.from_parent(), W.f);
    return {pose.C_rel.R * W.t + (pose.C_p ? inverse_times(pose.C_p->R, shifted) : shifted), W.f};
  }
  lie::ArticulatedInertia<S> to_parent(const lie::ArticulatedInertia<S>& P) const {
    // Ad_r^T, with its torque rows in the axes of the parent: R_p^T (r_i - r_p)~.
    const lie::Mat3<S> shifted = hat(pose.from_parent());
    return shift(pose.C_p ? transpose_times(pose.C_p->R.matrix(), shifted) : shifted,
                 rotate_angular(pose.C_rel.R.matrix(), P));
  }
  Twist zeta(const Twist& V, const Twist& V_p, const Twist& u) const {
    return {cross(V.w, u.w), cross(V_p.v - V.v, to_world(V_p)) + cross(pose.C.R * V.w, u.v)};
  }
  /// 000 (56), (57): the torque in body axes, the force in those of the world. M is body-fixed.
  Wrench product(const lie::Inertia<S>& M, const Twist& A) const {
    return {M.I * A.w + cross(M.mc, inverse_times(pose.C.R, A.v)),
            M.m * A.v + pose.C.R * cross(A.w, M.mc)};
  }
  Wrench gyroscopic(const lie::Inertia<S>& M, const Twist& V) const {
    return {cross(V.w, M.I * V.w), pose.C.R * cross(V.w, cross(V.w, M.mc))};
  }

 private:
  lie::Vec3<S> to_world(const Twist& V_p) const { return pose.C_p ? pose.C_p->R * V_p.w : V_p.w; }
};

}  // namespace chasles::textbook
