/// The workspaces of a MechanismState: the factors of the saddle point, link wrenches, derivatives.
#pragma once

#include <optional>

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/dynamics/factorization.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/momentum.hpp"
#include "chasles/motion/mechanism_state.hpp"
#include "constraints/kkt_factorization.hpp"
#include "math/decompositions.hpp"
#include "motion/force_tangent.hpp"
#include "motion/tree_newton.hpp"

namespace chasles {

/// Early factors lose no more digits than these pivots, as parts of usual ones and of the sizes of rows, say.
inline constexpr double well_conditioned = 0.1, usually_regular = 0.01;

/// The saddle point as one matrix, for massless bodies that constraints hold.
struct DenseSaddle {
  Matrix M, B, U;
  Eigen::MatrixXd A;
  Eigen::VectorXd b, scale;
  FullyPivotedLu lu;
  double pivot = 1, usual = 0;  // least_pivot here, and the largest where it was calibrated
};

/// For operational-space inertias and joint reactions.
struct MechanismState::TaskSpace {
  MassFactorization mass;
  long serial = -1;  // MechanicalSystem::serial at which it was factorized
  Matrix6X J;
  Vector force, column, none, lambda, v_dot;
  JointForces binding;  // constraint forces
  explicit TaskSpace(const Model& model, int rows)
      : mass(model),
        J(6, model.nv()),
        force(model.nv()),
        column(model.nv()),
        none(rows),
        lambda(rows),
        v_dot(model.nv()),
        binding{Vector(model.nv()), {}} {}
};

struct MechanismState::Factors {
  Model model;
  KktFactorization whole;  // loops are eliminated where their ends meet
  std::optional<KktFactorization>
      early;              // before that, if there are such loops and none is redundant
  bool is_early = false;  // the last factors are `early`
  DenseSaddle dense;
  bool is_dense = false;  // the last factors are `dense`
  ForwardDynamics forward;
  InverseDynamics inverse;
  MassMatrix mass;
  MomentumDynamics momenta;
  std::optional<InverseDynamicsDerivatives> derivatives;  // when they are first asked for
  std::optional<ForceTangentAssembly> force_tangents;     // likewise
  std::optional<TaskSpace> task_space;                    // likewise
  VelocityKinematics moving;        // at velocities other than those of the state
  std::vector<Wrench> F;            // links
  Vector dx, plus, minus;           // nv
  std::vector<KeptEquations> kept;  // constraint blocks

  Factors(const Model& of, const Constraints& constraints, const MobilityReport& mobility);
  InverseDynamicsDerivatives& derivatives_of(const Model& of);
  ForceTangentAssembly& force_tangents_of(const Model& of);

  /// The one with the last factors.
  KktFactorization& elimination() { return is_early ? *early : whole; }
  const KktFactorization& elimination() const { return is_early ? *early : whole; }
  /// run(elimination) with the early one if it is well conditioned here, else with the other.
  template <class F>
  void eliminate(const F& run) {
    is_early = early.has_value();
    if (is_early) {
      run(*early);
      if (!(early->least_pivot() < well_conditioned)) return;
      is_early = false;
    }
    run(whole);
  }
  /// After both were calibrated.
  void judge_early() {
    if (early && !(early->usual_early_pivot() > usually_regular)) early.reset();
  }

  /// The wrench that each link needs for its accelerations, minus the applied ones: F, in world axes at the
  /// origin of the link.
  void newton_euler(const AccelerationKinematics& kin, AppliedWrenches applied);
  /// Joint forces of F, which it adds up on the way to ground.
  void project_on_joints(const PositionKinematics& kin, VectorRef out);

  /// Of each constraint block the combinations of equations that are kept, at the last factors.
  std::span<const KeptEquations> kept_equations();
  /// The largest entry of Phi or B v by the equations of the last factors.
  double largest(ConstVectorRef c) const;
};

}  // namespace chasles
