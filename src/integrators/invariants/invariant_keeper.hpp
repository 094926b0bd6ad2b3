/// Projects the steps of a free-floating mechanism without external forces onto its invariants: energy E, linear
/// momentum P and angular momentum L. Errors of the base pose, which grow since a pose is an integral, must not be fed
/// back into the joints; so the invariants are split into those independent of the pose, functions of (q_J, v) alone,
///
///     E,   p = R^T P,   l_c = R^T L_c   p, l_c: momenta in the frame of the base, the second  (1)
///                                       about the center of mass
///
/// with R the attitude that best aligns p and l_c with P and L_c, and the pose itself. First the velocity is moved by
/// the least change to (1), v -= G^T (G G^T)^-1 g, which is linear except for E. (|p|, p . l_c, |l_c| would be
/// equivalent, but have no gradients at zero momenta: errors of 1e-7 remained.) Then the pose is rebuilt: the attitude
/// R, and the position from
///
///     r_c(t) = r_c(0) + P t / m                                                               (2)
///
/// so that E, P, L and the motion of the center of mass are exact with every method.
#pragma once

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/integrators/integrator.hpp"
#include "integrators/invariants/free_base.hpp"

namespace chasles {

class InvariantKeeper : public StepHook {
 public:
  /// @throws Error if the mechanism is not on one floating joint, or weight or forces act on it
  explicit InvariantKeeper(const ModelSystem& system);
  void start(const State& state) override;
  void reached(State& state) override;

 private:
  struct Body {  // in the frame of the base link
    Vec3 p, l_c, c;
    double E;
  };
  Body measure(ConstVectorRef q, ConstVectorRef v);  // leaves M in mass_
  void move_velocity(const State& state);            // (1), into v_
  SO3 attitude(const SO3& R, const Body& b) const;

  Model model_;
  FreeBase base_;
  MassMatrix mass_;
  Vector v_, gradient_;  // nv; gradient of E
  Matrix G_;             // 6 x nv: derivatives of p and l_c by v
  double t_0_ = 0, E_ = 0;
  double radius2_ = 1;  // [m^2] squared radius of gyration: weight of rotation against translation
  Vec3 P_, L_c_, r_c_;  // at the start
};

}  // namespace chasles
