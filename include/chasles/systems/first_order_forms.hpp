/// The equations of motion as first-order systems in other variables than (q, v), 000 section 5.1, for every explicit
/// integrator: trees and closed mechanisms, with the forces of the system that they are made from.
///
/// Twists of all n moving bodies beside q, nq + 6n numbers, (78) with (111):
///
///     (q, V^b):   v_i = X_i^+ (V_i - Ad_{C_ip} V_p),   Vd^b = J vd + Jd v                         (1)
///
/// with vd of the equations of motion at (q, v). It is block triangular: v_i needs the body and its parent only. Twists
/// that no motion of the joints has are fitted joint by joint; exact solutions stay consistent, and `inconsistency`
/// measures what integration adds.
///
/// Generalized momenta p = M v instead, nq + nv numbers:
///
///     [M  B^T] [v    ]   [p]
///     [B   0 ] [sigma] = [0],       pd = f + Md v + Bd^T sigma                                     (2)
///
/// f + Md v is the rate of M v without constraint forces (systems/mechanical_system.hpp). For a tree, (2) is Hamilton's
/// form. With constraints p - B^T sigma = M v is the momentum, and lambda = d/dt sigma: p differs from M v by the impulse
/// of the constraint forces since the start, and B v = 0 holds at every evaluation without accelerations or Bd v.
///
///     CanonicalForm form(system);                              // ConstrainedSystem or ModelSystem
///     State state = form.state({0, q, v});                     // its v is p
///     auto integrator = make_integrator(form, {.method = "dop853"});
#pragma once

#include "chasles/export.hpp"
#include "chasles/systems/mechanism_state.hpp"

namespace chasles CHASLES_API {

/// (1), as a system on the group of the mechanism times R^6n: State::q is (q, V), and State::v is zero.
/// @paper 000 section 5.1, (78), (111)
class TwistForm : public DynamicalSystem {
 public:
  /// The system must outlive this.
  explicit TwistForm(MechanismState& system);

  /// The state of this system at a state of the mechanism, and back.
  State state(const State& of) const;
  State mechanism_state(const State& state) const;
  /// The largest entry of V - J v, in the twists of the bodies [rad/s, m/s].
  double inconsistency(const State& state) const;

  const Group& group() const override;
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;

 private:
  struct Parts;
  std::vector<Twist> twists_of(ConstVectorRef x) const;
  MechanismState* system_;
  std::shared_ptr<Parts> parts_;
};

/// (2): State::v is p.
/// @paper 000 section 5.1, (79)
class CanonicalForm : public DynamicalSystem {
 public:
  /// The system must outlive this.
  explicit CanonicalForm(MechanicalSystem& system);

  /// p = M v, and v of (2).
  State state(const State& of);
  State mechanism_state(const State& state);

  const Group& group() const override { return system_->group(); }
  void rates(double t, ConstVectorRef q, ConstVectorRef p, VectorRef velocity,
             VectorRef p_dot) override;

 private:
  void solve(double t, ConstVectorRef q, ConstVectorRef p);
  MechanicalSystem* system_;
  Vector v_, sigma_, c_;
  Matrix S_;
};

}  // namespace CHASLES_API
