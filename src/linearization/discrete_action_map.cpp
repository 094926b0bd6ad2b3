/// Variational integrators: variational and verlet (integrators/implicit/variational.hpp) and rattle
/// (integrators/constrained/rattlie.hpp). With the unknowns D, v_1 and the multipliers of both ends, a step solves
///
///     Pi_0(q_0, D) - (h/2) f_0 + B_0^T lambda_0 = M(q_0) v_0,        Phi(q_0 exp(h D)) = 0    (1)
///     M(q_1) v_1 + B_1^T lambda_1 = Pi_1(q_0, D) + (h/2) f_1,        B_1 v_1 + Phi_t = 0      (2)
///
/// Pi_0 = -D_1 L_d and Pi_1 = D_2 L_d are the discrete momenta at both ends and f the forces there, u among them. The
/// derivatives of (1) and (2) by D, v_1 and by the start are differences of order 8, accurate to about 1e-12; those of a
/// step follow as in implicit_map.hpp (2). A composition takes these steps one after another.
#include <cmath>

#include "chasles/dynamics/momentum.hpp"
#include "constraints/parts.hpp"
#include "dynamics/links.hpp"
#include "integrators/implicit/composition.hpp"
#include "linearization/step_map.hpp"
#include "math/central_difference.hpp"
#include "math/decompositions.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

using namespace dynamics;

constexpr int most_iterations = 40;
constexpr double slow = 0.05;  // contraction above which the matrix is taken anew

class DiscreteActionMap : public StepMap {
 public:
  DiscreteActionMap(MechanicalSystem& system, const IntegratorOptions& options)
      : StepMap(system), method_(options.method), weights_{1}, u_(n()) {
    for (Vector* x : {&f_, &Pi_, &force_, &back_, &turned_}) *x = Vector(n());
    if (const int order = options.order.value_or(2); order != 2)
      weights_ = composition_weights(
          method_, order,
          options.composition.value_or(order == 4 ? Composition::suzuki : Composition::kahan_li));
  }

  bool takes_parameters() const override { return false; }
  void take(double h, ConstVectorRef u, State& state, Vector&, Columns* along) override {
    const double t = state.t;
    for (const double w : weights_) sub_step(w * h, u, state, along);
    state.t = t + h;
  }

 protected:
  /// Left and right sides of (1) and (2) without v_0, v_1 and lambda: Pi_0 - (h/2) f_0 and Pi_1 + (h/2) f_1.
  virtual void sides(double h, const State& start, const Vector& q_1, const Vector& D,
                     const Vector& v_1, VectorRef left, VectorRef right) = 0;
  virtual bool is_constrained() const { return false; }

  std::string method_;
  Vector back_, turned_;  // nv

 private:
  Eigen::VectorXd residual(double h, const State& start, const Eigen::VectorXd& z) {
    const Eigen::Index k = kept_;
    const Vector D = z.head(n()), v_1 = z.segment(n() + k, n()), x = h * D;
    State end{start.t + h, Vector(system_->nq()), v_1};
    group().plus(start.q, x, end.q);
    Eigen::VectorXd out(2 * (n() + k));
    sides(h, start, end.q, D, v_1, Pi_, f_);
    system_->set(start);
    system_->mass_times(start.v, force_);
    out.head(n()) = Pi_ - 0.5 * h * u_ - force_;
    Vector lambda(m()), g(m());
    const auto pull = [&](Eigen::Index at, Eigen::Index row) {
      lambda = U_ * z.segment(at, k);
      system_->constraint_force(lambda, force_);
      out.segment(row, n()) += force_;
    };
    if (k > 0) pull(n(), 0);
    system_->set(end);
    system_->mass_times(v_1, force_);
    out.segment(n() + k, n()) = force_ - f_ - 0.5 * h * u_;
    if (k == 0) return out;
    pull(2 * n() + k, n() + k);
    system_->constraint_error(g);
    out.segment(n(), k) = U_.transpose() * g / h;
    system_->constraint_rate(g);
    out.tail(k) = U_.transpose() * g;
    return out;
  }
  Eigen::MatrixXd by_unknowns(double h, const State& start, const Eigen::VectorXd& z) {
    Eigen::MatrixXd A(z.size(), z.size());
    for (Eigen::Index k = 0; k < z.size(); ++k)
      A.col(k) = central_difference([&](double s) {
        Eigen::VectorXd near = z;
        near[k] += s;
        return residual(h, start, near);
      });
    if (!A.allFinite())
      throw Error(method_ + ": derivatives of the forces in the step of " + to_short_text(h) +
                  " s are not finite");
    return A;
  }
  Eigen::VectorXd solve(double h, const State& start, RowPivotedLu& lu) {
    Eigen::VectorXd z = Eigen::VectorXd::Zero(2 * (n() + kept_));
    z.head(n()) = z.segment(n() + kept_, n()) = start.v;
    double last = 0;
    bool fresh = false, small = false;
    for (int i = 0; i < most_iterations; ++i) {
      const Vector r = residual(h, start, z);
      if (!r.allFinite()) break;
      if (!fresh) {
        const Eigen::MatrixXd A = by_unknowns(h, start, z);
        lu = RowPivotedLu(A.rows());
        lu.compute(A);
      }
      Vector dz(r.size());
      lu.solve(r, dz);
      z -= dz;
      const double change = dz.cwiseAbs().maxCoeff();
      if (change == 0 || (small && change >= 0.1 * last)) return z;
      small = change <= 1e-10 * (1 + z.cwiseAbs().maxCoeff());
      fresh = i > 0 && change <= slow * last;
      last = change;
    }
    throw Error(method_ + ": the equations of the step of " + to_short_text(h) +
                " s are not solved by Newton's iteration; take a smaller step");
  }
  void sub_step(double h, ConstVectorRef u, State& state, Columns* along) {
    if (h == 0) throw Error(method_ + ": a step of length zero; give h in seconds");
    u_ = u;
    kept_ = is_constrained() ? m() : 0;
    if (kept_ > 0) {
      system_->set(state);
      system_->independent_equations(U_);
      kept_ = U_.cols();
    }
    RowPivotedLu lu;
    const State start = state;
    const Eigen::VectorXd z = solve(h, start, lu);
    const Vector x = h * z.head(n());
    if (along) differentiate(h, start, z, x, *along);
    group().plus(start.q, x, state.q);
    state.v = z.segment(n() + kept_, n());
    state.t += h;
  }
  void differentiate(double h, const State& start, const Eigen::VectorXd& z, const Vector& x,
                     Columns& along) {
    RowPivotedLu lu(z.size());
    lu.compute(by_unknowns(h, start, z));
    Eigen::MatrixXd by_start(z.size(), 2L * n());
    State near = start;
    Vector way(n());
    for (Eigen::Index k = 0; k < 2L * n(); ++k)
      by_start.col(k) = central_difference([&](double s) {
        way.setZero();
        near = start;
        if (k < n()) {
          way[k] = s;
          group().plus(start.q, way, near.q);
        } else {
          near.v[k - n()] += s;
        }
        return residual(h, near, z);
      });
    Eigen::MatrixXd right = -by_start.leftCols(n()) * along.e - by_start.rightCols(n()) * along.v;
    right.topRows(n()) += 0.5 * h * along.u;
    right.middleRows(n() + kept_, n()) += 0.5 * h * along.u;
    const Eigen::MatrixXd dz = lu.solve_columns(right);
    along.e = moved(x, along.e, h * dz.topRows(n()));
    along.v = dz.middleRows(n() + kept_, n());
  }

  std::vector<double> weights_;
  Eigen::Index kept_ = 0;
  Matrix U_;
  Vector u_, f_, Pi_, force_;
};

/// rattlie.hpp (1) to (3): forces at the velocity D.
class RattleMap final : public DiscreteActionMap {
 public:
  RattleMap(MechanicalSystem& system, const IntegratorOptions& options)
      : DiscreteActionMap(system, options), M_0_(n()), M_1_(n()), F_0_(n()), F_1_(n()) {
    if (system.position_constraint_count() < m())
      throw Error(
          "rattle: some rows of constraints bind velocities only, which no discrete action "
          "does; take generalized_alpha");
  }

 private:
  bool is_constrained() const override { return true; }
  void sides(double h, const State& start, const Vector& q_1, const Vector& D, const Vector&,
             VectorRef left, VectorRef right) override {
    const auto force = [&](double t, const Vector& q, Vector& MD, Vector& F) {
      system_->set(t, q, D);
      system_->mass_times(D, MD);
      system_->momentum_rate(F);
      group().ad_dual(D, MD, turned_);
      F -= turned_;
    };
    force(start.t, start.q, M_0_, F_0_);
    force(start.t + h, q_1, M_1_, F_1_);
    const Vector P = 0.5 * (M_0_ + M_1_), x = h * D;
    back_ = -x;
    group().dexp_inv_dual(back_, P, turned_);
    left = turned_ - 0.5 * h * F_0_;
    group().dexp_inv_dual(x, P, turned_);
    right = turned_ + 0.5 * h * F_1_;
  }
  Vector M_0_, M_1_, F_0_, F_1_;
};

/// variational.hpp (1): forces at the velocities of both ends.
class TreeActionMap final : public DiscreteActionMap {
 public:
  TreeActionMap(MechanismState& tree, const IntegratorOptions& options, bool of_links)
      : DiscreteActionMap(tree, options),
        tree_(&tree),
        of_links_(of_links),
        kin_0_(tree.model()),
        kin_1_(tree.model()),
        momenta_(tree.model()),
        mu_(tree_links(tree.model()).size()) {
    if (tree.constraint_count() > 0)
      throw Error(options.method + ": sensitivities of trees only; with loops take rattle");
    for (Vector* x : {&M_0_, &M_1_, &g_, &f_at_0_, &f_at_1_}) *x = Vector(n());
  }

 private:
  const Model& model() const { return tree_->model(); }
  void sides(double h, const State& start, const Vector& q_1, const Vector& D, const Vector& v_1,
             VectorRef left, VectorRef right) override {
    const auto force = [&](double t, const Vector& q, const Vector& v, VelocityKinematics& kin,
                           Vector& f) {
      forward_kinematics(model(), q, v, kin);
      const JointForces& acting = tree_->forces(t, kin);
      generalized_force(model(), kin, acting.tau, f, momenta_, acting.wrenches);
    };
    force(start.t, start.q, start.v, kin_0_, f_at_0_);
    force(start.t + h, q_1, v_1, kin_1_, f_at_1_);
    of_links_ ? link_momenta(h, D, left, right) : momenta(h, D, left, right);
    left -= 0.5 * h * f_at_0_;
    right += 0.5 * h * f_at_1_;
  }
  /// (4) and (5) of variational.hpp.
  void momenta(double h, const Vector& D, VectorRef left, VectorRef right) {
    const auto rate = [&](const VelocityKinematics& kin, Vector& MD) {
      free_momentum_rate(model(), kin, D, MD, g_, momenta_);
      group().ad_dual(D, MD, turned_);
      g_ -= turned_;
    };
    const Vector x = h * D;
    rate(kin_0_, M_0_);
    left = -0.5 * h * g_;
    rate(kin_1_, M_1_);
    right = 0.5 * h * g_;
    const Vector P = 0.5 * (M_0_ + M_1_);
    back_ = -x;
    group().dexp_inv_dual(back_, P, turned_);
    left += turned_;
    group().dexp_inv_dual(x, P, turned_);
    right += turned_;
  }
  /// (2) and (3) of variational.hpp, without forces.
  void link_momenta(double h, const Vector& D, VectorRef left, VectorRef right) {
    const auto& links = tree_links(model());
    for (std::size_t i = 0; i < mu_.size(); ++i) {
      const Twist h_V = log(inverse(kin_0_.C()[i]) * kin_1_.C()[i]);
      const Wrench mu = lie::dexp_inv(h_V).dual((1 / h) * (links[i].inertia * h_V));
      mu_[i] = {kin_0_.C()[i].R * mu.t, kin_0_.C()[i].R * mu.f};
    }
    for (std::size_t i = mu_.size(); i-- > 0;) {
      const Link& link = links[i];
      Wrench late = mu_[i];
      late.t += cross(kin_0_.C()[i].r - kin_1_.C()[i].r, late.f);
      for (int c = 0; c < link.nv; ++c) {
        const double rotor = link.armature * D[link.v_index + c];
        left[link.v_index + c] = dot(mu_[i], world_screw(kin_0_, i, c)) + rotor;
        right[link.v_index + c] = dot(late, world_screw(kin_1_, i, c)) + rotor;
      }
      if (link.parent < 0) continue;
      const Vec3 d = kin_0_.C()[i].r - kin_0_.C()[parent_of(link)].r;
      mu_[parent_of(link)] += {mu_[i].t + cross(d, mu_[i].f), mu_[i].f};
    }
  }

  MechanismState* tree_;
  bool of_links_;
  VelocityKinematics kin_0_, kin_1_;
  MomentumDynamics momenta_;
  std::vector<Wrench> mu_;
  Vector M_0_, M_1_, g_, f_at_0_, f_at_1_;
};

}  // namespace

std::unique_ptr<StepMap> discrete_action_map(MechanicalSystem& system,
                                             const IntegratorOptions& options) {
  if (options.method == "rattle") return std::make_unique<RattleMap>(system, options);
  const bool of_links = options.method == "variational";
  if (!of_links && options.method != "verlet") return nullptr;
  MechanismState* tree = system.mechanism();
  if (tree == nullptr)
    throw Error(options.method + " needs a mechanism with links, which this system is not");
  return std::make_unique<TreeActionMap>(*tree, options, of_links);
}

}  // namespace chasles
