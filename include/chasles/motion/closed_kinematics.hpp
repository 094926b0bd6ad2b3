/// Kinematics of mechanisms with constraints, in as many velocities as they have degrees of freedom.
///
/// Of the entries of v, `mobility` are independent (u); the others follow from B v = 0:
///
///     v = N u,            N = [1; -B_d^-1 B_i]  in the rows of u, of the others               (1)
///     vd = N ud + Nd u,   Nd = [0; -B_d^-1 Bd N]                                              (2)
///     V = J N u,          d/dt (J N) = Jd N + J Nd            of a body or frame              (3)
///
/// B_d, the columns of the dependent entries, is square after redundant rows are left out.
///
///     ClosedKinematics closed(system);
///     closed.at(q, v);
///     Matrix J = closed.jacobian(model.frame("coupler"), Representation::hybrid);  // 6 x mobility
#pragma once

#include "chasles/export.hpp"
#include "chasles/kinematics/inverse_kinematics.hpp"
#include "chasles/motion/constrained_system.hpp"

namespace chasles CHASLES_API {

/// Workspace and result, one per thread. Sizes are those of matrices: not for hot loops.
class ClosedKinematics {
 public:
  /// @param independent  entries of v, `mobility` of them; empty: those that the analysis found
  /// @throws Error if there are not as many as degrees of freedom, or an entry is not one of v
  explicit ClosedKinematics(const ConstrainedSystem& system, std::vector<int> independent = {});

  /// (1) at q and (2) along v. q: nq, assembled; v: nv, consistent.
  /// @throws SingularError naming the joints, where u does not move the rest
  void at(ConstVectorRef q, ConstVectorRef v);
  const std::vector<int>& independent() const { return independent_; }
  const Model& model() const { return kin_.model(); }
  // All below are where `at` was called last, and throw an Error before, and after a call that threw.
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

/// The configuration near options.q0 in which a body or frame has a given pose and all constraints hold:
/// the method of inverse_kinematics.hpp over both, from q0 and random starts. Weights and tolerances as
/// there; limits of joints are not kept.
/// @throws as `inverse_kinematics`
IkResult inverse_kinematics(Constraints& constraints, const Frame& frame, const SE3& target,
                            const IkOptions& options = {});

}  // namespace CHASLES_API
