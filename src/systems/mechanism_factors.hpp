/// The workspaces of a MechanismState: the factors of the saddle point, link wrenches, derivatives.
#pragma once

#include <optional>

#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/dynamics/factorization.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/dynamics/momentum.hpp"
#include "chasles/systems/mechanism_state.hpp"
#include "constraints/kkt_factorization.hpp"
#include "math/decompositions.hpp"
#include "systems/force_tangent.hpp"
#include "systems/tree_newton.hpp"

namespace chasles {

/// Least acceptable pivots of early factors: relative to the usual pivots, and relative to the sizes of rows.
inline constexpr double well_conditioned = 0.1, usually_regular = 0.01;

/// The KKT matrix as one dense matrix, for massless bodies that only constraints determine.
struct DenseSaddle {
  Matrix M, B, U;
  Eigen::MatrixXd A;
  Eigen::VectorXd b, scale;
  FullyPivotedLu lu;
  double pivot = 1, usual = 0;  // least pivot at this state; largest during calibration
};

/// Workspace for operational-space inertias and joint reactions.
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
  KktFactorization whole;  // loops are eliminated at the nearest common ancestor of their ends
  std::optional<KktFactorization> early;  // earlier, if some loops allow it and none is redundant
  bool is_early = false;                  // the last factorization is `early`
  DenseSaddle dense;
  bool is_dense = false;  // the last factorization is `dense`
  ForwardDynamics forward;
  InverseDynamics inverse;
  MassMatrix mass;
  MomentumDynamics momenta;
  std::optional<InverseDynamicsDerivatives> derivatives;  // made on first use
  std::optional<ForceTangentAssembly> force_tangents;     // made on first use
  std::optional<TaskSpace> task_space;                    // made on first use
  VelocityKinematics moving;        // scratch, at other velocities than those of the state
  std::vector<Wrench> F;            // links
  Vector dx, plus, minus;           // nv
  std::vector<KeptEquations> kept;  // constraint blocks

  Factors(const Model& of, const Constraints& constraints, const MobilityReport& mobility);
  InverseDynamicsDerivatives& derivatives_of(const Model& of);
  ForceTangentAssembly& force_tangents_of(const Model& of);

  /// The factorization that was computed last.
  KktFactorization& elimination() { return is_early ? *early : whole; }
  const KktFactorization& elimination() const { return is_early ? *early : whole; }
  /// Calls run(factorization) with `early` if it is well conditioned at this state, else with `whole`.
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
  /// Decides whether `early` may be used; after both were calibrated.
  void judge_early() {
    if (early && !(early->usual_early_pivot() > usually_regular)) early.reset();
  }

  /// F: the wrench that each link needs for its acceleration, minus the applied wrenches; in world axes at the origin
  /// of the link.
  void newton_euler(const AccelerationKinematics& kin, AppliedWrenches applied);
  /// Joint forces of F and of armatures; accumulates F toward ground.
  void project_on_joints(const AccelerationKinematics& kin, VectorRef out);

  /// The independent combinations of equations of each constraint block, as of the last factorization.
  std::span<const KeptEquations> kept_equations();
  /// The largest entry of c (Phi or B v), in the independent equations of the last factorization.
  double largest(ConstVectorRef c) const;
};

}  // namespace chasles
