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

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/integrators/integrator.hpp"
#include "integrators/invariants/free_base.hpp"

namespace chasles {

class InvariantKeeper : public StepHook {
 public:
  /// @throws Error if the mechanism is not on one free joint, or weight or forces act on it
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
  Vector v_;  // nv
  Matrix G_;  // 4 x nv: gradients of (1)
  double t_0_ = 0, E_ = 0;
  Vec3 P_, L_c_, r_c_;  // at the start
};

}  // namespace chasles
