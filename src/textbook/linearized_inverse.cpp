#include "access.hpp"
#include "math/not_computed.hpp"
#include "math/overlap.hpp"
#include "model/model_data.hpp"
#include "textbook/linearized_parts.hpp"
#include "textbook/momentum_matrix.hpp"

namespace chasles::textbook {

using namespace dynamics;
using Parts = LinearizedInverseDynamics::Parts;

InverseDynamicsMatrices::InverseDynamicsMatrices(const Model& model)
    : dtau_dq(not_computed<Matrix>(model.nv(), model.nv())),
      dtau_dv(dtau_dq),
      M(dtau_dq),
      model_(model) {}
void InverseDynamicsMatrices::fit(const Model& model) {
  require_model("the workspace", model_, model);
  for (Matrix* m : {&dtau_dq, &dtau_dv, &M}) m->resize(model.nv(), model.nv());
}

LinearizedInverseDynamics::LinearizedInverseDynamics(const Model& model)
    : model_(model), tau_(not_computed<Vector>(model.nv())), parts_(ValuePtr<Parts>::make(model)) {}

LinearizedInverseDynamics::Parts& LinearizedInverseDynamics::parts() {
  if (!ready_ || !parts_) throw Error("nothing was linearized yet; call linearize first");
  return *parts_;
}

namespace {

/// W and E of the applied wrenches, about the reference point.
void take_wrenches(const Model& model, const PositionKinematics& kin, AppliedWrenches applied,
                   const Vec3& reference_point, Parts& out) {
  std::fill(out.W.begin(), out.W.end(), Wrench{});
  std::fill(out.E.begin(), out.E.end(), Matrix6::Zero());
  for (const AppliedWrench& a : applied) {
    require_frame(a.frame, model);
    if (a.frame.link < 0) continue;
    const auto i = static_cast<std::size_t>(a.frame.link);
    const SE3 C = pose(kin, a.frame);
    const Wrench W = Ad_inv_dual(about(reference_point, C), lie::to_body(a.W, C, a.representation));
    out.W[i] -= W;
    if (a.representation == Representation::spatial) out.E[i] += momentum_matrix(W);
    if (!lie::at_moving_point_in_world_axes(a.representation)) continue;
    Mat3 torque = hat(C.r - reference_point) * hat(W.f);
    if (a.representation == Representation::hybrid) torque = torque + hat(a.W.t);
    out.E[i].topLeftCorner<3, 3>() += to_eigen(torque);
    out.E[i].bottomLeftCorner<3, 3>() += to_eigen(hat(W.f));
  }
}

/// Adds to (7), (8) of a link the terms of configuration-dependent screws; returns Ad_C Xd v.
Twist take_turning_screws(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
                          std::size_t i, Parts& out) {
  const Link& link = tree_links(model)[i];
  if (!links::screws_turn(link)) return {};
  const double *q = kin.q().data() + link.q_index, *v = kin.v().data() + link.v_index;
  const auto n = static_cast<std::size_t>(link.nv), first = static_cast<std::size_t>(link.v_index);
  Twist* partial = out.X_partial.data() + out.square[i];
  Twist rate;
  for (int l = 0; l < link.nv; ++l) {
    double e[6] = {};
    e[l] = 1;
    Twist Z;
    for (int k = 0; k < link.nv; ++k) {
      const Twist X_kl = Ad(out.C[i], links::screw_rate(model, link, q, e, k));
      partial[static_cast<std::size_t>(k) * n + static_cast<std::size_t>(l)] = X_kl;
      Z += v[k] * X_kl;
    }
    const std::size_t m = first + static_cast<std::size_t>(l);
    const Twist Zd =
        Ad(out.C[i], links::d_group_acceleration(model, link, q, v, a.data() + link.v_index, l));
    const Twist V_p = link.parent < 0 ? Twist{} : out.V[parent_of(link)];
    out.Psi[m] += Z;
    out.U[m] += Ad(out.C[i], links::screw_rate(model, link, q, v, l)) + Z;
    out.Psid[m] += ad(V_p, Z) + ad(out.V[i], Z) + Zd;
    rate += v[l] * Z;
  }
  return rate;
}

/// V, A, (7) and (8) of a link, outward.
void outward(const Model& model, const VelocityKinematics& kin, ConstVectorRef a, std::size_t i,
             Parts& out) {
  const Link& link = tree_links(model)[i];
  const auto first = static_cast<std::size_t>(link.v_index),
             last = static_cast<std::size_t>(link.v_index + link.nv);
  const bool on_ground = link.parent < 0;
  const Twist V_p = on_ground ? Twist{} : out.V[parent_of(link)],
              A_p = on_ground ? Twist{{}, -model.gravity()} : out.A[parent_of(link)];
  for (std::size_t k = first; k < last; ++k)
    out.H[k] = Ad(out.C[i], screw_of_v(model, link, kin.q(), k));
  const Twist u = combine(out.H, kin.v(), first, last);
  out.V[i] = V_p + u;
  for (std::size_t k = first; k < last; ++k) {
    out.Psi[k] = ad(V_p, out.H[k]);
    out.U[k] = out.Psi[k] + ad(out.V[i], out.H[k]);
    out.Psid[k] = ad(A_p, out.H[k]) + ad(V_p, out.Psi[k]);
  }
  out.A[i] = A_p + combine(out.H, a, first, last) + ad(out.V[i], u) +
             take_turning_screws(model, kin, a, i, out);
}

}  // namespace

void linearize(const Model& model, const VelocityKinematics& kin, ConstVectorRef a,
               LinearizedInverseDynamics& out, AppliedWrenches applied) {
  require_model("the workspace", out.model_, model);
  require_model("the kinematics", kin.model(), model);
  require_size("a", a, model.nv());
  out.ready_ = false;
  Parts& x = *out.parts_;
  const Vec3 origin = reference_point(kin);
  take_wrenches(model, kin, applied, origin, x);
  for_links(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    x.C[i] = about(origin, kin.C()[i]);
    x.M[i] = transform(x.C[i], link.inertia);
    outward(model, kin, a, i, x);
    x.W[i] += x.M[i] * x.A[i] - ad_dual(x.V[i], x.M[i] * x.V[i]);
  });
  for_links_inward(
      model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
          out.tau_[at(k)] = dot(x.W[i], x.H[k]) + link.armature * a[at(k)];
          x.F[k] = -ad_dual(x.H[k], x.W[i]);
        }
        for (int k = x.square[i]; k < x.square[i + 1]; ++k)
          x.K[static_cast<std::size_t>(k)] = dot(x.W[i], x.X_partial[static_cast<std::size_t>(k)]);
        if (link.parent >= 0) x.W[parent_of(link)] += x.W[i];
      });
  out.ready_ = true;
}

void LinearizedInverseDynamics::along(ConstVectorRef dq, ConstVectorRef dv, ConstVectorRef da,
                                      VectorRef dtau) {
  require_size("dq", dq, model_.nv());
  require_size("dv", dv, model_.nv());
  require_size("da", da, model_.nv());
  require_size("dtau", dtau, model_.nv());
  if (begins_in(dq, dtau)) [[unlikely]]  // dtau is written while dq is still being read
    return along(Vector(dq), dv, da, dtau);
  Parts& x = parts();
  for_links(model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const Twist eta = combine(x.H, dq, first, last),
                th = combine(x.H, dv, first, last) + combine(x.Psi, dq, first, last),
                xi = combine(x.H, da, first, last) + combine(x.U, dv, first, last) +
                     combine(x.Psid, dq, first, last);
    const bool on_ground = link.parent < 0;
    x.eta[i] = on_ground ? eta : x.eta[parent_of(link)] + eta;  // (1)
    x.th[i] = on_ground ? th : x.th[parent_of(link)] + th;      // (2)
    x.xi[i] = on_ground ? xi : x.xi[parent_of(link)] + xi;      // (3)
    x.y[i] = x.M[i] * x.xi[i] + x.N(i, x.th[i]) - times(x.E[i], x.eta[i]);
  });
  for_links_inward(model_,
                   [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
                     for (std::size_t k = first; k < last; ++k) {
                       double force = dot(x.y[i], x.H[k]) + link.armature * da[at(k)];  // (5)
                       for (std::size_t l = first; l < last; ++l)
                         force += x.K_of(i, link, k - first, l - first) * dq[at(l)];
                       dtau[at(k)] = force;
                     }
                     if (link.parent >= 0)
                       x.y[parent_of(link)] += x.y[i] + combine(x.F, dq, first, last);  // (4)
                   });
}

/// The transpose of (1) to (5): twists dual to y are propagated outward, wrenches dual to eta, th and xi
/// inward.
void LinearizedInverseDynamics::transposed(ConstVectorRef lambda, VectorRef grad_q,
                                           VectorRef grad_v, VectorRef grad_a) {
  require_size("lambda", lambda, model_.nv());
  require_size("on_q", grad_q, model_.nv());
  require_size("on_v", grad_v, model_.nv());
  require_size("on_a", grad_a, model_.nv());
  if (begins_in(lambda, grad_q) || begins_in(lambda, grad_v) || begins_in(lambda, grad_a))
      [[unlikely]]
    return transposed(Vector(lambda), grad_q, grad_v, grad_a);
  Parts& x = parts();
  std::vector<Twist>& dual_y = x.xi;
  for_links(model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
    const Twist before = link.parent < 0 ? Twist{} : dual_y[parent_of(link)];
    dual_y[i] = before + combine(x.H, lambda, first, last);
    for (std::size_t l = first; l < last; ++l) {
      grad_q[at(l)] = dot(x.F[l], before);
      for (std::size_t k = first; k < last; ++k)
        grad_q[at(l)] += x.K_of(i, link, k - first, l - first) * lambda[at(k)];
    }
    x.y[i] = x.M[i] * dual_y[i];
    x.y_th[i] = x.N_transposed(i, dual_y[i]);
    x.y_eta[i] = -transpose_times(x.E[i], dual_y[i]);
  });
  for_links_inward(model_, [&](const Link& link, std::size_t i, std::size_t first,
                               std::size_t last) {
    for (std::size_t k = first; k < last; ++k) {
      grad_a[at(k)] = dot(x.y[i], x.H[k]) + link.armature * lambda[at(k)];
      grad_v[at(k)] = dot(x.y[i], x.U[k]) + dot(x.y_th[i], x.H[k]);
      grad_q[at(k)] += dot(x.y[i], x.Psid[k]) + dot(x.y_th[i], x.Psi[k]) + dot(x.y_eta[i], x.H[k]);
    }
    if (link.parent < 0) return;
    const std::size_t p = parent_of(link);
    x.y[p] += x.y[i], x.y_th[p] += x.y_th[i], x.y_eta[p] += x.y_eta[i];
  });
}

namespace {

/// Algorithm 2: rows and columns of column a of link k, paired with column b of an ancestor or of the same
/// link.
struct Entries {
  const Parts& x;
  std::size_t a, local;
  InverseDynamicsMatrices& out;

  void before(std::size_t b) const {
    const Eigen::Index r = at(b), c = at(a);
    out.M(r, c) = out.M(c, r) = dot(x.X[local], x.H[b]);
    out.dtau_dv(r, c) = dot(x.XA[local], x.H[b]);
    out.dtau_dq(r, c) = dot(x.XB[local], x.H[b]);
  }
  void after(std::size_t b) const {
    const Eigen::Index r = at(a), c = at(b);
    out.dtau_dv(r, c) = dot(x.X[local], x.U[b]) + dot(x.XN[local], x.H[b]);
    out.dtau_dq(r, c) =
        dot(x.X[local], x.Psid[b]) + dot(x.XN[local], x.Psi[b]) + dot(x.XE[local], x.H[b]);
  }
};

}  // namespace

/// With R, RN, RE the sums of M, N, E over a subtree, a unit of da, dv, dq in its joint causes the wrenches
/// X, XA, XB; a unit of xi, th, eta before it the forces X, XN, XE.
const InverseDynamicsMatrices& LinearizedInverseDynamics::matrices(InverseDynamicsMatrices& out) {
  Parts& x = parts();
  detail::Access::fit(out, model_);
  for (Matrix* m : {&out.dtau_dq, &out.dtau_dv, &out.M}) m->setZero();
  x.R = x.M, x.RE = x.E;
  for (std::size_t i = 0; i < x.RN.size(); ++i) x.RN[i] = x.N(i);
  for_links_inward(
      model_, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
        for (std::size_t a = first; a < last; ++a) {
          const std::size_t s = a - first;
          x.X[s] = x.R[i] * x.H[a];
          x.XA[s] = x.R[i] * x.U[a] + times(x.RN[i], x.H[a]);
          x.XB[s] = x.R[i] * x.Psid[a] + times(x.RN[i], x.Psi[a]) - times(x.RE[i], x.H[a]);
          x.XN[s] = transpose_times(x.RN[i], x.H[a]);
          x.XE[s] = -transpose_times(x.RE[i], x.H[a]);
          for (std::size_t b = first; b < last; ++b) {
            Entries{x, a, s, out}.before(b);
            out.dtau_dq(at(b), at(a)) += x.K_of(i, link, b - first, s);
          }
          x.XB[s] += x.F[a];
        }
        if (link.parent < 0) return;
        const std::size_t p = parent_of(link);
        for_links_inward_from(model_, p, [&](const Link& j, std::size_t) {
          for (int b = j.v_index; b < j.v_index + j.nv; ++b)
            for (std::size_t a = first; a < last; ++a) {
              const Entries entries{x, a, a - first, out};
              entries.before(static_cast<std::size_t>(b));
              entries.after(static_cast<std::size_t>(b));
            }
        });
        x.R[p] += x.R[i], x.RN[p] += x.RN[i], x.RE[p] += x.RE[i];
      });
  add_armatures(model_, out.M);
  return out;
}

}  // namespace chasles::textbook
