/// The work of nonconservative forces, W of forces.hpp (1), and of the actuators, per coordinate: quadrature of power
/// along the interpolant of every step,
///
///     W(t1) = W(t0) + (t1 - t0) sum_i w_i P(t0 + x_i (t1 - t0))      Gauss-Legendre                 (1)
///
/// at least of the order of the method, or of its interpolant plus one if that is less (mk10, gauss): whole steps of such
/// a method are integrated by its own stages, as one more differential equation W' = P,
///
///     W(t + h) = W(t) + h sum_i b_i P(t_i, q_i, v_i)                                                (2)
#pragma once

#include <array>

#include "chasles/simulation/scenario.hpp"
#include "chasles/systems/constrained_system.hpp"

namespace chasles {

/// The scenario must outlive it. After construction no call allocates.
class WorkAccount {
 public:
  /// @param closed  whose constraints with time do work; may be null
  WorkAccount(const Scenario& scenario, ConstrainedSystem* closed);

  /// Adds the work of the last step of the integrator.
  void add_step(const Integrator& integrator);
  /// Adds the change of kinetic energy by an impulse.
  void add_impulse(double work) { work_ += work; }
  double work() const { return work_; }                         // [J]
  const Vector& motor_energy() const { return motor_energy_; }  // [J] nv; zero unless recorded
  /// The same at a time within the last step.
  double work_at(const Integrator& integrator, double t);
  void motor_energy_at(const Integrator& integrator, double t, Vector& out);

 private:
  double work_between(const Integrator& integrator, double t0, double t1);
  void add_motor_energy(const Integrator& integrator, double t0, double t1, Vector& energy);
  /// Calls f(t, weight) with the state in between_ and kin_ at the nodes of (1), or of (2).
  template <class F>
  void for_nodes(const Integrator& integrator, double t0, double t1, const F& f);

  double driver_power(double t);

  const Scenario& scenario_;
  ConstrainedSystem* closed_;  // null: no constraint depends on time
  bool works_, motors_;        // there are nonconservative forces; actuator energy is recorded
  bool by_stages_;             // (2)
  std::vector<std::array<double, 2>> quadrature_;  // nodes and weights on [0, 1]
  double work_, work_before_ = 0;
  Vector motor_energy_, energy_before_;
  State between_;
  VelocityKinematics kin_;
  JointForces scratch_;
  Vector a_, time_rate_;
};

}  // namespace chasles
