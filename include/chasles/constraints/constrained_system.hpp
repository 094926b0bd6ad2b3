/// A mechanism with closed loops, couplings and constraints of one's own as a system:
///
///     M(q) vd = f(t, q, v) - B(q)^T lambda,     Phi(q) = 0,     B v = 0                       (1)
///
/// Redundant rows are allowed: at every configuration the dominant combinations of all rows are the
/// constraints, as many as the rank that constraints/analysis.hpp found; the others hold by themselves, and are
/// watched. Implicit methods get rows that were independent where it was assembled. Accelerations and
/// multipliers come from elimination along the tree, in O(n) for loops that are small compared with the
/// tree and for chains in absolute coordinates (docs/theory/loops.md).
///
///     ConstrainedSystem system(model);                       // finds a configuration that closes
///     State state{0, system.assembled(), Vector(model.nv())};
///     auto integrator = make_integrator(system, {.method = "dop853"});
#pragma once

#include <optional>

#include "chasles/constraints/analysis.hpp"
#include "chasles/motion/model_system.hpp"

namespace chasles {

class Elimination;

/// One per thread; copies are independent of each other.
class ConstrainedSystem : public MechanicalSystem {
 public:
  /// @param near  nq: where to look for the configuration at which loops are closed; empty: q = 0
  /// @param kept  nv: what may not move on the way there; empty: all may
  /// @throws Error naming the loop that cannot be closed and its gap
  explicit ConstrainedSystem(const Model& model, const ConstraintOptions& options = {},
                             const Vector& near = {}, const std::vector<bool>& kept = {});

  const Model& model() const { return tree_.model(); }
  /// The tree without its constraints, which has the forces.
  ModelSystem& tree() { return tree_; }
  const ModelSystem& tree() const { return tree_; }
  void set_forces(ForceFunction forces) { tree_.set_forces(std::move(forces)); }
  /// All rows, and what was found out about them.
  Constraints& constraints() { return constraints_; }
  const MobilityReport& mobility() const { return mobility_; }
  /// A configuration near the given one at which all loops are closed.
  const Vector& assembled() const { return assembled_; }

  /// The largest |Phi| and |B v| of all rows [rad, m; 1/s of that].
  double violation(ConstVectorRef q);
  double velocity_violation(ConstVectorRef q, ConstVectorRef v);
  /// Constrained forward dynamics: (1) for the joint forces tau and the wrenches, which replace those of
  /// set_forces. O(n) as above.
  /// @returns vd, nv; the multipliers are `multipliers_of_all`
  const Vector& forward_dynamics(ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
                                 AppliedWrenches applied = {});
  /// lambda of the last forward_dynamics or rates by row of `constraints`; of redundant rows of a
  /// block those of least norm.
  const Vector& multipliers_of_all() const { return all_lambda_; }
  /// The same forces by the independent rows, `rows` of them.
  void independent_multipliers(ConstVectorRef q, VectorRef lambda);
  /// What the constraints do, -B^T lambda, by the last multipliers: wrenches on bodies, of both ends of
  /// each loop in the frame of its second end, two for each loop in their order; and joint forces of all
  /// else.
  void constraint_forces(ConstVectorRef q, JointForces& out);

  /// How far the rows were from depending on each other where (2) of mechanical_system.hpp was solved
  /// last: 1 far, 0 they do.
  double independence() const { return independence_; }

  const Group& group() const override { return tree_.group(); }
  int rows() const override { return static_cast<int>(mobility_.independent_rows.size()); }
  int position_rows() const override { return position_rows_; }
  /// By (2) of mechanical_system.hpp. Near configurations at which rows depend on each other, v' is that
  /// of the nearest state with Phi = 0 and B v = 0: a motion then passes through them.
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;
  void mass_times(ConstVectorRef q, ConstVectorRef x, VectorRef out) override;
  void mass_matrix(ConstVectorRef q, Matrix& M) override;
  void imbalance(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                 VectorRef out) override;
  void momentum_rate(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) override;
  void prepare(Tangent& out) override;
  void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) override;
  void residual(ConstVectorRef q, VectorRef Phi) override;
  void constraint_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) override;
  void constraint_force(ConstVectorRef q, ConstVectorRef lambda, VectorRef out) override;
  void constraint_bias(ConstVectorRef q, ConstVectorRef v, VectorRef out) override;
  void constraint_matrix(ConstVectorRef q, Matrix& B) override;
  void constraint_stiffness(ConstVectorRef q, ConstVectorRef lambda, Matrix& S) override;
  void solve(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
             VectorRef lambda) override;
  void tangent(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
               Tangent& out) override;
  /// The nearest state in the metric of M: q <- q exp(d), d = -M^-1 B^T (B M^-1 B^T)^-1 Phi, until
  /// Phi = 0; then v the same way once.
  /// @throws Error naming the constraint that cannot be met, and by how much
  void project(State& state) override;

 private:
  struct Dense;
  bool is_factored_at(ConstVectorRef q) const;
  void factorize_at(ConstVectorRef q);
  bool factorize_dense(ConstVectorRef q);
  void end_factors(const PositionKinematics& kin);
  bool is_regular() const;
  bool accelerate(AppliedWrenches applied, ConstVectorRef tau, VectorRef v_dot, VectorRef lambda);
  const PositionKinematics& positions_at(ConstVectorRef q);
  void move_at(ConstVectorRef q, ConstVectorRef v);
  void solve_once(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  void solve_all(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
                 VectorRef lambda);
  void rates_by_solution(double t, ConstVectorRef q, ConstVectorRef v, VectorRef v_dot);
  bool across_singularity(double t, VectorRef v_dot);
  double gap_of(ConstVectorRef Phi) const;
  bool rows_are_kept() const;
  void pick(ConstVectorRef all, VectorRef some) const;
  void spread(ConstVectorRef lambda, Vector& all) const;

  ModelSystem tree_;
  Constraints constraints_;
  Vector assembled_;
  MobilityReport mobility_;
  int position_rows_ = 0;
  PositionKinematics kin_;
  AccelerationKinematics moving_;
  Hidden<Elimination> elimination_;
  Hidden<Elimination> chosen_;        // of independent rows only
  bool independent_are_kept_ = true;  // they are all that elimination_ works with
  Hidden<Dense> dense_;               // where M is singular
  bool is_dense_ = false;
  double independence_ = 1;
  State on_it_;
  bool is_factored_ = false;
  Vector factored_at_;       // nq
  Vector all_, all_lambda_;  // of all rows, as those that end with `all`
  Vector c_all_, change_all_, more_all_, scratch_all_;
  Vector zero_;  // rows
  InverseDynamics inverse_;
  Vector a_;                // nv
  Vector still_;            // nv, zeros
  Vector step_, more_, q_;  // nv, nv, nq
};

}  // namespace chasles
