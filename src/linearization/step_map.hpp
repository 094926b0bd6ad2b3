/// A step of an integration method as a map of the state, with its derivative along any number of columns: the basis of
/// the maps that linearization/sensitivities.hpp differentiates, one class for each family of methods.
///
/// A column is a neighbor (e; dv) of the state, the numbers dm that the method carries along besides, a change du of the
/// forces and a change of the parameters. With the group operations of systems/group.hpp, q = q_0 exp(x),
///
///     e   = Ad_{exp(-x)} e_0 + dexp_{-x} dx = dexp_{-x} (dx + dexp_x^-1 e_0)                  (1)
///     dx  = dexp_{-x}^-1 e - dexp_x^-1 e_0                                                    (2)
///     v   = dexp_{-x} k   =>   dv = dexp_{-x} (dk - (D_{dx} dexp_{-x}^-1) v)                  (3)
///
/// and at a stage (t, q, v, a, lambda) of the equations r = M a - f - u + B^T lambda,
///
///     dr = (K + S) e + D dv + M da + B^T dlambda - du + P dp,      S = d(B^T lambda)/dq       (4)
#pragma once

#include <memory>

#include "chasles/integrators/integrator.hpp"
#include "chasles/linearization/sensitivities.hpp"

namespace chasles {

class StepMap {
 public:
  struct Columns {
    Eigen::MatrixXd e, v;      // nv x columns
    Eigen::MatrixXd memory;    // numbers carried along x columns
    Eigen::MatrixXd u;         // nv x columns: changes of the forces, constant
    Eigen::Index first_p = 0;  // columns from here on are parameters
    const DifferentiableStep::ParameterJacobian* jacobian = nullptr;
    Eigen::Index count() const { return e.cols(); }
  };

  explicit StepMap(MechanicalSystem& system);
  virtual ~StepMap() = default;
  StepMap(const StepMap&) = delete;
  StepMap& operator=(const StepMap&) = delete;

  /// Takes the step, and the columns along unless they are null.
  /// @param memory  what the method carries from step to step; empty: the step is the first
  virtual void take(double h, ConstVectorRef u, State& state, Vector& memory, Columns* along) = 0;
  /// Whether derivatives by parameters follow from those of the residual.
  virtual bool takes_parameters() const { return true; }

 protected:
  /// A state at which the equations of motion hold or are to hold.
  struct Stage {
    double t = 0;
    Vector q, v, a, lambda;
    Eigen::MatrixXd e, dv, da;  // columns
  };
  Stage make_stage() const;

  int n() const { return n_; }
  int m() const { return m_; }  // constraint equations
  const Group& group() const { return system_->group(); }

  // (1) to (3) for all columns.
  Eigen::MatrixXd moved(ConstVectorRef x, const Eigen::MatrixXd& e_0,
                        const Eigen::MatrixXd& dx) const;
  Eigen::MatrixXd displaced(ConstVectorRef x, const Eigen::MatrixXd& e_0,
                            const Eigen::MatrixXd& e) const;
  Eigen::MatrixXd velocities(ConstVectorRef x, ConstVectorRef v, const Eigen::MatrixXd& dx,
                             const Eigen::MatrixXd& dk) const;

  /// The accelerations and multipliers of a stage from its state, under additional forces u.
  void find_acceleration(Stage& s, ConstVectorRef u);
  /// Their derivatives da from e and dv: the KKT system for every column.
  void differentiate_acceleration(Stage& s, const Columns& along);

  /// K + S, D, M of (4) at a stage, into K_, D_, M_.
  void linearize(const Stage& s);
  /// (4) without da and dlambda.
  Eigen::MatrixXd residual_change(const Stage& s, const Eigen::MatrixXd& e,
                                  const Eigen::MatrixXd& dv, const Columns* along);
  /// Derivatives of s = B a + Bd v by q and v, and of B v + Phi_t by q. Those by v are exact, since Bd v is quadratic
  /// in v; those by q are differences of order 8.
  void acceleration_rows(const Stage& s, Eigen::MatrixXd& s_q, Eigen::MatrixXd& s_v);
  Eigen::MatrixXd velocity_rows(const Stage& s);

  /// Projects a state onto the constraints, and the columns with it: that of velocities is linear, that of positions and
  /// its effect on velocities are differences of order 8 along q.
  void project(State& state, Columns* along);

  MechanicalSystem* system_;
  Eigen::MatrixXd K_, D_, M_;  // of linearize

 private:
  int n_, m_;
  MechanicalSystem::Tangent tangent_;
  Matrix P_, S_;
  Vector f_, bias_;
};

// One class for each family of methods; each function returns null if the method is none of its family.
std::unique_ptr<StepMap> explicit_map(MechanicalSystem& system, const IntegratorOptions& options);
std::unique_ptr<StepMap> collocation_map(MechanicalSystem& system,
                                         const IntegratorOptions& options);
std::unique_ptr<StepMap> newmark_map(MechanicalSystem& system, const IntegratorOptions& options);
std::unique_ptr<StepMap> discrete_action_map(MechanicalSystem& system,
                                             const IntegratorOptions& options);

}  // namespace chasles
