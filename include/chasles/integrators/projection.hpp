/// A free mechanism on which nothing acts keeps energy E, linear momentum P and angular momentum L.
/// Bringing every step back to them must not change what is right. Errors of the pose of the base
/// (they grow, since a pose is an integral) must not be fed back into the joints; so the invariants
/// are divided into those that do not know the pose, functions of (q_J, v) alone,
///
///     E,   |p|,   p . l,   |l_c|        p, l, l_c: momenta in the frame of the base,          (1)
///                                       l_c about the centre of mass
///
/// and the pose itself. First the velocity is moved by the least change to the values (1) has at
/// the start, Newton's method with v -= G^T (G G^T)^+ g. Then the pose is rebuilt: the attitude
/// that turns l_c to L_c and p to P, and the position from
///
///     r_c(t) = r_c(0) + P t / m                                                               (2)
///
/// so that E, P, L and the motion of the centre of mass are exact, whatever the method.
#pragma once

#include "chasles/integrators/momentum_form.hpp"

namespace chasles {

class ProjectedIntegrator : public Integrator {
 public:
  /// @throws Error if the mechanism is not on one free joint, or weight or forces act on it
  ProjectedIntegrator(ModelSystem& system, const IntegratorOptions& options);
  void reset(const State& start) override;
  void step(double until) override;
  void retry(double until) override;
  void replace(ConstVectorRef q, ConstVectorRef v) override;
  void interpolate(double t, State& out) const override;

 private:
  struct Body {  // in the frame of the base link
    Vec3 p, l_c, c;
    double E;
  };
  Body measure(ConstVectorRef q, ConstVectorRef v);  // leaves M in mass_
  void remember();
  void project();
  SE3 base(ConstVectorRef q) const;

  ModelSystem* system_;
  std::unique_ptr<Integrator> inner_;
  MassMatrix mass_;
  Eigen::VectorXd v_;               // nv
  Eigen::Matrix<double, 4, -1> G_;  // gradients of (1)
  double t_0_ = 0, E_ = 0;
  Vec3 P_, L_c_, r_c_;  // at the start
};

}  // namespace chasles
