/// A mechanism at a state (t, q, v) with all quantities that depend on it, by stages. Each stage is computed on first
/// use; `set` invalidates all stages. A tree has no constraint equations.
///
///     position()       poses                          forces()        applied forces except gravity
///     velocity()       twists                         kinematics(a)   accelerations at v' = a
///     bias()           accelerations at v' = 0        acceleration()  forward dynamics, multipliers
///
///     MechanismState state(model);
///     state.set(t, q, v);
///     SE3 C = pose(state.position(), model.frame("hand"));
///     state.acceleration(v_dot);
///
/// For a controller: M, h, J, dJ/dt and the pose of a frame, from one kinematics pass.
///
///     const Frame hand = model.frame("hand");                             // once
///     state["elbow"].q = 0.3;                                             // or set(t, q, v)
///     state.force(h), h = -h;                                             // C v + g minus applied forces
///     state.mass_matrix(M);
///     jacobian(model, state.position(), hand, Representation::hybrid, J);
///     jacobian_rate(model, state.velocity(), hand, Representation::hybrid, J_rate);
///     state.operational_space_inertia(hand, Representation::hybrid, Lambda);
///
/// One per thread; copies are independent. Results are functions of (t, q, v) alone.
#pragma once

#include "chasles/constraints/analysis.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/joint_reactions.hpp"
#include "chasles/export.hpp"
#include "chasles/systems/joint_forces.hpp"
#include "chasles/systems/mechanical_system.hpp"
#include "chasles/systems/model_state.hpp"

namespace chasles CHASLES_API {

class KktFactorization;

class MechanismState : public MechanicalSystem {
 public:
  /// The tree, without loops and couplings.
  explicit MechanismState(const Model& model);
  ~MechanismState() override;
  MechanismState(const MechanismState&);
  MechanismState(MechanismState&&) noexcept;
  MechanismState& operator=(const MechanismState&);
  MechanismState& operator=(MechanismState&&) noexcept;

  const Model& model() const { return model_; }
  /// The entries of a joint in q and v; writing them is `set`: `state["elbow"].q = 0.3`. Lookup by name; a joint of
  /// `model().joints()` avoids the lookup.
  /// @throws Error with the nearest known name
  JointState<double> operator[](const ModelJoint& joint);
  JointState<const double> operator[](const ModelJoint& joint) const;
  JointState<double> operator[](std::string_view joint) { return (*this)[model_.joint(joint)]; }
  JointState<const double> operator[](std::string_view joint) const {
    return (*this)[model_.joint(joint)];
  }
  /// @param expand   the same forces as a Taylor expansion in time (for `taylor`); empty: not available
  /// @param tangent  their partial derivatives for implicit methods; empty: by differences
  /// These functions must use only their arguments, not this system.
  /// @throws Error if one of them calls it
  void set_forces(ForceFunction forces, ExpandFunction expand = {}, TangentFunction tangent = {});
  bool has_forces() const { return static_cast<bool>(forces_); }
  bool has_force_tangent() const { return !forces_ || tangent_; }
  /// The Taylor expansion of the forces: empty if there are no forces.
  /// @throws Error if a force has no expansion
  void expand_forces(ForceExpansion& out) const;

  // Stages of the state.
  const PositionKinematics& position() { return velocity(); }
  const VelocityKinematics& velocity();
  const AccelerationKinematics& bias() { return kinematics(still_); }
  const AccelerationKinematics& kinematics(ConstVectorRef a);
  /// Applied forces except gravity.
  const JointForces& forces();
  /// Partial derivatives of these forces; requires has_force_tangent.
  const ForceTangent& force_tangent();
  /// Number of kinematics passes so far, as a measure of work.
  long passes() const { return passes_; }

  /// Applied forces except gravity at another state.
  const JointForces& forces(double t, const VelocityKinematics& kin);

  /// The constraint equations.
  Constraints& constraints() { return constraints_; }
  const Constraints& constraints() const { return constraints_; }
  const MobilityReport& mobility() const { return mobility_; }
  /// Reciprocal condition of the constraint Jacobian at this state: 1 independent, 0 dependent equations. After
  /// `acceleration` or `solve`.
  double reciprocal_condition() const { return reciprocal_condition_; }
  /// Constrained forward dynamics with joint forces tau and wrenches instead of those of set_forces.
  /// O(n) for loops that are small compared with the tree.
  /// @returns vd, nv; its multipliers are `multipliers`
  const Vector& forward_dynamics(ConstVectorRef tau, AppliedWrenches applied = {});
  /// J M^-1 J^T of a frame (dynamics/operational_space.hpp), and its inverse, the operational-space inertia: O(n). With
  /// constraints both are those of the constrained mechanism: x of (2) with b = J^T, c = 0 in place of M^-1 J^T.
  /// @throws SingularError; for the inertia also if the frame cannot move in all six directions
  void inverse_operational_space_inertia(const Frame& frame, Representation rep, Matrix6Ref out);
  void operational_space_inertia(const Frame& frame, Representation rep, Matrix6Ref out);
  /// Wrenches transmitted by the joints at this state and its `acceleration`, under all forces and constraints.
  /// @returns out.W, dynamics/joint_reactions.hpp
  const std::vector<Wrench>& joint_reactions(Representation rep, JointReactions& out);

  /// Constraint forces -B^T lambda of the last multipliers: for each loop two wrenches on its bodies, in the frame of
  /// its second end, in the order of the loops; joint forces for all other constraints.
  void constraint_forces(JointForces& out);

  const Group& group() const override { return group_; }
  int constraint_count() const override { return constraints_.constraint_count(); }
  int position_constraint_count() const override {
    return constraints_.position_constraint_count();
  }
  void mass_times(ConstVectorRef x, VectorRef out) override;
  void mass_matrix(Matrix& M) override;
  void force(VectorRef out) override;
  void dynamics_residual(ConstVectorRef a, VectorRef out) override;
  void momentum_rate(VectorRef out) override;
  void constraint_error(VectorRef Phi) override;
  void constraint_times(ConstVectorRef x, VectorRef out) override;
  void constraint_force(ConstVectorRef lambda, VectorRef out) override;
  void constraint_time_rate(VectorRef out) override;
  void constraint_bias(VectorRef out) override;
  void constraint_matrix(Matrix& B) override;
  void independent_equations(Matrix& U) override;
  void constraint_stiffness(ConstVectorRef lambda, Matrix& S) override;
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) override;
  /// Forward dynamics. Near singular configurations of the constraints, v' is that of the nearest state with Phi = 0
  /// and B v = 0, so that a motion passes through them.
  void acceleration(VectorRef v_dot) override;
  /// Derivatives of inverse dynamics and of forces; forces without tangent are differentiated by central differences,
  /// accurate to about 1e-8 of the forces.
  void tangent(ConstVectorRef a, Tangent& out) override;
  void prepare(Tangent& out) override;
  /// Sparse along the tree, O(n), if all forces have a tangent; else dense.
  std::unique_ptr<NewtonMatrix> newton(ConstraintLevel level, int stages) override;
  /// The nearest state in the metric of M: q <- q exp(d), d = -M^-1 B^T (B M^-1 B^T)^-1 Phi, until Phi = 0; then one
  /// such step for v. B M^-1 B^T is the Delassus operator.
  /// @throws Error naming the constraint that cannot be satisfied, and its error
  void project(State& state) override;
  MechanismState* mechanism() override { return this; }

 protected:
  MechanismState(const Model& model, Constraints constraints, MobilityReport mobility);
  void before_set() const override { require_no_call(); }
  void invalidate() override;
  /// Takes the pivots at an assembled configuration as the reference for `reciprocal_condition`.
  void calibrate(ConstVectorRef q);

 private:
  friend class MechanismNewton;
  struct Factors;
  struct TaskSpace;
  enum class Pass : unsigned char { none, velocity, acceleration };

  TaskSpace& task_space();
  template <class Call>
  void call_forces(const Call& call) const;
  void require_no_call() const;
  void update_constraints();
  void factorize();
  void end_factors();
  bool factorize_dense();
  bool is_regular() const;
  void solve_once(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  bool accelerate(AppliedWrenches applied, ConstVectorRef tau, VectorRef v_dot, VectorRef lambda);
  void accelerate_by_projection(VectorRef v_dot);
  bool across_singularity(const State& on_it, VectorRef v_dot);
  void acting_force(ConstVectorRef q, ConstVectorRef v, VectorRef out);
  void difference_forces(Tangent& out);

  Model model_;
  ModelGroup group_;
  ForceFunction forces_;
  ExpandFunction expand_;
  TangentFunction tangent_;
  /// Whether a force function is being called; not set in copies made by it.
  struct Calling {
    bool now = false;
    Calling() = default;
    Calling(const Calling&) {}
    Calling& operator=(const Calling&) { return *this; }
  };
  mutable Calling calling_;
  Constraints constraints_;
  MobilityReport mobility_;

  // Cached results of the state.
  VelocityKinematics vel_;
  AccelerationKinematics kin_;
  Pass pass_ = Pass::none;  // the highest kinematics stage computed
  bool forces_known_ = false, tangent_known_ = false, constraints_known_ = false;
  bool factored_ = false;
  JointForces acting_;
  ForceTangent force_tangent_;
  double reciprocal_condition_ = 1;
  long passes_ = 0;

  ValuePtr<Factors> factors_;
  Vector kin_a_;                                // nv: v' of kin_
  Vector still_, step_, more_, a_;              // nv; the first is zero
  Vector Phi_, lambda_, change_, more_lambda_;  // m
  Vector q_;                                    // nq
};

}  // namespace CHASLES_API
