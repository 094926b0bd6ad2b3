#include "chasles/dynamics/momentum.hpp"

#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {

using namespace dynamics;

MomentumDynamics::MomentumDynamics(const Model& model) : model_(model) {
  const std::size_t n = tree_links(model).size();
  V_.resize(n), h_.resize(n), W_.resize(n);
}

namespace {

/// Rotates body-fixed vectors of a link to world axes; and back.
Twist turned(const SO3& R, const Twist& V) { return {R * V.w, R * V.v}; }
Wrench turned(const SO3& R, const Wrench& W) { return {R * W.t, R * W.f}; }
Twist turned_back(const SO3& R, const Twist& V) {
  return {inverse_times(R, V.w), inverse_times(R, V.v)};
}
Wrench turned_back(const SO3& R, const Wrench& W) {
  return {inverse_times(R, W.t), inverse_times(R, W.f)};
}

}  // namespace

struct MomentumDynamics::Sweeps {
  const Model& model;
  const PositionKinematics& kin;
  std::vector<Twist>& V;
  std::vector<Wrench>&h, &W;

  Sweeps(const Model& m, const PositionKinematics& k, MomentumDynamics& work)
      : model(m), kin(k), V(work.V_), h(work.h_), W(work.W_) {
    require_model("the workspace", work.model_, m);
    require_model("the kinematics", k.model(), m);
  }

  const double* q(const Link& link) const { return kin.q().data() + link.q_index; }
  /// Sums over subtrees.
  void accumulate(std::vector<Wrench>& Y) const {
    for_links_inward(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
      if (link.parent < 0) return;
      const std::size_t p = parent_of(link);
      Y[p] += Wrench{Y[i].t + cross(kin.C()[i].r - kin.C()[p].r, Y[i].f), Y[i].f};
    });
  }
  /// (1).
  void twists(ConstVectorRef x) const {
    for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t) {
      V[i] = turned(kin.C()[i].R, links::joint_twist(model, link, q(link), x.data() + first));
      if (link.parent < 0) return;
      const std::size_t p = parent_of(link);
      V[i] += Twist{V[p].w, V[p].v + cross(V[p].w, kin.C()[i].r - kin.C()[p].r)};
    });
  }
  /// (2) for twists in world axes, about the origins of the links.
  void momenta(const std::vector<Twist>& twists) const {
    for (std::size_t i = 0; i < h.size(); ++i) {
      const SO3& R = kin.C()[i].R;
      h[i] = turned(R, tree_links(model)[i].inertia * turned_back(R, twists[i]));
    }
    accumulate(h);
  }
  /// W of (4).
  void loads(AppliedWrenches applied) const {
    std::fill(W.begin(), W.end(), Wrench{});
    add_link_wrenches(model, kin, applied, W);
    for (std::size_t i = 0; i < W.size(); ++i) {
      const SO3& R = kin.C()[i].R;
      const Inertia& M = tree_links(model)[i].inertia;
      W[i] = turned(R, W[i]) + Wrench{cross(R * M.mc, model.gravity()), M.m * model.gravity()};
    }
    accumulate(W);
  }
  /// (3): H_k^T h_i + I_a x_k, which may overwrite x.
  void momenta_of_joints(ConstVectorRef x, VectorRef out) const {
    for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t last) {
      double p[6];
      links::project(model, link, q(link), turned_back(kin.C()[i].R, h[i]), p);
      for (std::size_t k = first; k < last; ++k) {
        const auto row = static_cast<Eigen::Index>(k);
        out[row] = p[k - first] + link.armature * x[row];
      }
    });
  }
  /// (4) at the velocity x and the resulting twists; tau null: no joint forces.
  void rates(const double* x, const std::vector<Twist>& twists, const double* tau,
             double* out) const {
    for_links(model, [&](const Link& link, std::size_t i, std::size_t first, std::size_t) {
      const SO3& R = kin.C()[i].R;
      Wrench Y = ad_dual(twists[i], h[i]);
      if (tau) Y += W[i];
      double rate[6];
      links::project(model, link, q(link), turned_back(R, Y), rate);
      if (links::screws_turn(link)) {
        const Wrench h_b = turned_back(R, h[i]);
        for (int k = 0; k < link.nv; ++k)
          rate[k] += dot(h_b, links::screw_rate(model, link, q(link), x + first, k));
      }
      for (std::size_t k = 0; k < static_cast<std::size_t>(link.nv); ++k)
        out[first + k] = tau ? tau[first + k] + rate[k] : rate[k];
    });
  }
};

void mass_times(const Model& model, const PositionKinematics& kin, ConstVectorRef x, VectorRef p,
                MomentumDynamics& work) {
  require_size("x", x, model.nv());
  require_size("p", p, model.nv());
  const MomentumDynamics::Sweeps sweeps(model, kin, work);
  sweeps.twists(x);
  sweeps.momenta(sweeps.V);
  sweeps.momenta_of_joints(x, p);
}

void generalized_force(const Model& model, const PositionKinematics& kin, ConstVectorRef tau,
                       VectorRef out, MomentumDynamics& work, AppliedWrenches applied) {
  require_size("tau", tau, model.nv());
  require_size("out", out, model.nv());
  const MomentumDynamics::Sweeps sweeps(model, kin, work);
  sweeps.loads(applied);
  double load[6];
  for_links(model, [&](const Link& link, std::size_t i, std::size_t, std::size_t) {
    links::project(model, link, sweeps.q(link), turned_back(kin.C()[i].R, sweeps.W[i]), load);
    for (int k = 0; k < link.nv; ++k) out[link.v_index + k] = tau[link.v_index + k] + load[k];
  });
}

void free_momentum_rate(const Model& model, const PositionKinematics& kin, ConstVectorRef x,
                        VectorRef p, VectorRef rate, MomentumDynamics& work) {
  require_size("x", x, model.nv());
  require_size("p", p, model.nv());
  require_size("rate", rate, model.nv());
  const MomentumDynamics::Sweeps sweeps(model, kin, work);
  sweeps.twists(x);
  sweeps.momenta(sweeps.V);
  sweeps.rates(x.data(), sweeps.V, nullptr, rate.data());
  sweeps.momenta_of_joints(x, p);
}

void momentum_rate(const Model& model, const VelocityKinematics& kin, ConstVectorRef tau,
                   VectorRef p_dot, MomentumDynamics& work, AppliedWrenches applied) {
  require_size("tau", tau, model.nv());
  require_size("p_dot", p_dot, model.nv());
  const MomentumDynamics::Sweeps sweeps(model, kin, work);
  sweeps.momenta(kin.V_h());
  sweeps.loads(applied);
  sweeps.rates(kin.v().data(), kin.V_h(), tau.data(), p_dot.data());
}

}  // namespace chasles
