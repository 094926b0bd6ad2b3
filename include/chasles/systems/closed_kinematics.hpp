/// Kinematics of mechanisms with constraints, in independent velocities.
///
/// Of the entries of v, `mobility` are independent (u); the others follow from B v = 0:
///
///     v = N u,            N = [1; -B_d^-1 B_i]  (rows of u; rows of the dependent entries)    (1)
///     vd = N ud + Nd u,   Nd = [0; -B_d^-1 Bd N]                                              (2)
///     V = J N u,          d/dt (J N) = Jd N + J Nd            of a body or frame              (3)
///
/// B_i, B_d: columns of the independent and dependent entries; B_d is square after removal of redundant rows.
///
///     ClosedKinematics closed(system);
///     closed.at(q, v);
///     Matrix J = closed.jacobian(model.frame("coupler"), Representation::hybrid);  // 6 x mobility
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/inverse_kinematics.hpp"
#include "chasles/systems/constrained_system.hpp"

namespace chasles CHASLES_API {

/// Workspace and result, one per thread. Uses dense matrices: not for inner loops.
class ClosedKinematics {
 public:
  /// @param independent  `mobility` entries of v; empty: those found by the analysis
  /// @throws Error if their number is not that of the degrees of freedom, or an index is out of range
  explicit ClosedKinematics(const ConstrainedSystem& system, std::vector<int> independent = {});

  /// Evaluates (1) at q and (2) along v. q: nq, assembled; v: nv, consistent.
  /// @throws SingularError naming the joints, where u does not determine the dependent velocities
  void at(ConstVectorRef q, ConstVectorRef v);
  const std::vector<int>& independent() const { return independent_; }
  const Model& model() const { return kin_.model(); }
  // The results below are those of the last call of `at`; they throw an Error before it, or if it threw.
  const Vector& q() const { return require_evaluated(), kin_.q(); }      // nq
  const Matrix& N() const { return require_evaluated(), N_; }            // nv x mobility
  const Matrix& N_rate() const { return require_evaluated(), N_rate_; }  // nv x mobility
  /// J N and its rate, 6 x mobility.
  Matrix jacobian(const Frame& frame, Representation rep) const;
  Matrix jacobian_rate(const Frame& frame, Representation rep) const;

 private:
  void require_evaluated() const;
  ConstrainedSystem system_;
  std::vector<int> independent_, dependent_;
  VelocityKinematics kin_;
  Matrix B_, B_rate_, N_, N_rate_;
  bool evaluated_ = false;
};

/// Inverse kinematics with constraints: the configuration near options.q0 in which a body or frame has a given pose
/// and all constraints hold. The method is that of inverse_kinematics.hpp applied to both, from q0 and random starts.
/// Weights and tolerances as there; joint limits are not enforced.
/// @throws as `inverse_kinematics`
IkResult inverse_kinematics(Constraints& constraints, const Frame& frame, const SE3& target,
                            const IkOptions& options = {});

}  // namespace CHASLES_API
