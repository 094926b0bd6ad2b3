/// A mechanism as a System: forward dynamics with forces.
///
///     ModelSystem system(model);                                  // gravity only
///     system.set_forces([](double t, const VelocityKinematics& kin, JointForces& out) {
///       out.tau[0] -= 0.1 * kin.v[0];
///     });
#pragma once

#include <functional>

#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/motion/system.hpp"

namespace chasles {

/// What acts besides gravity at one moment. Zero and empty before every call.
struct JointForces {
  Eigen::VectorXd tau;                  // nv
  std::vector<AppliedWrench> wrenches;  // keeps its capacity
};
using ForceFunction =
    std::function<void(double t, const VelocityKinematics& kin, JointForces& out)>;

/// One per thread. The model must outlive it.
class ModelSystem : public System {
 public:
  explicit ModelSystem(const Model& model);
  /// Poses and velocities are computed for the function only if there is one.
  void set_forces(ForceFunction forces);
  const Model& model() const { return *model_; }
  bool has_forces() const { return static_cast<bool>(forces_); }
  /// Whether the last forces moved the momentum of the whole: a wrench, or a force in a joint to
  /// ground.
  bool acts_from_outside() const;
  /// What acts besides gravity, at the state of `kin`.
  const JointForces& forces(double t, const VelocityKinematics& kin);

  int nq() const override;
  int nv() const override;
  void acceleration(double t, ConstVectorRef q, ConstVectorRef v, Vector out) override;
  void plus(ConstVectorRef q, ConstVectorRef x, Vector out) const override;
  void minus(ConstVectorRef q1, ConstVectorRef q0, Vector out) const override;
  void dexp_inv(ConstVectorRef x, ConstVectorRef v, Vector out) const override;
  void dexp(ConstVectorRef x, ConstVectorRef u, Vector out) const override;
  double rotation(ConstVectorRef x) const override;
  /// Duals on momenta: dexp_{-x}^-T p, and ad_v^T p of the joints' groups.
  void dexp_inv_dual(ConstVectorRef x, ConstVectorRef p, Vector out) const;
  void ad_dual(ConstVectorRef v, ConstVectorRef p, Vector out) const;
  void chart_plus(LocalCoordinates kind, ConstVectorRef q, ConstVectorRef x,
                  Vector out) const override;
  void chart_rate(LocalCoordinates kind, ConstVectorRef x, ConstVectorRef v,
                  Vector out) const override;
  void coordinate_rate(ConstVectorRef q, ConstVectorRef v, Vector out) const override;
  void normalize(Vector q) const override;

 private:
  const Model* model_;
  ForceFunction forces_;
  ForwardDynamics work_;
  VelocityKinematics kin_;
  JointForces acting_;
  std::vector<int> groups_;  // links whose motion is not a vector space
};

}  // namespace chasles
