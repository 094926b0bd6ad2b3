/// Ends diverging runs early. A run is ended if
///
///     |v_i| > 1e8 rad/s or m/s                                                                  (1)
///     |T + U - W - (T + U - W)_0| > 1e3 (T_0 + |U_0| + max |W| + E_1)                           (2)
///     T grows at least 16-fold from sample to sample of a controller, five times in a row, to
///         more than T_0 + |U_0| + E_1; or twice, to 1000 (T_0 + E_1), and gains are unstable    (3)
///     a joint rotates by more than 1000 rad between samples of a controller, and T > 1000 T_0   (4)
///     a million attempted steps cover less than a thousandth of the duration, with steps below
///         a thousandth of the longest, or limited by stability                                  (5)
///     10,000 attempted steps cover less than 1e-12 of the duration, or a million less than 1e-7  (6)
///
/// E_1 = tr M / 2: the kinetic energy with joints at 1 rad/s and 1 m/s. (1): no mechanism moves so fast. (2): the
/// method creates energy; forces cannot, since their work is included in W. (3): motion that starts smoothly from
/// rest, v ~ t^m, grows from the k-th to the next sample by (1 + 1/k)^(2 m): for m = 4 by 256, 25.6, 10; so five times
/// 16-fold is a loop with an eigenvalue beyond 4. (4): with samples so far apart a controller has no information about
/// the joint. (5): long steady runs continue, since steps are counted, not time. (6): as
/// where a stiffness is 1e308 N/m; no computer takes 1e13 steps.
#pragma once

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/simulation/invariants.hpp"
#include "simulation/likely_cause.hpp"

namespace chasles {

/// The scenario must outlive it. After construction no call allocates, except to report an error.
class RunWatch {
 public:
  explicit RunWatch(const Scenario& scenario);

  void start(const State& state, const Invariants& at);
  /// After a step. @throws Error naming the joint and the likely cause
  /// @param reciprocal_condition  of the constraints
  void step(const Integrator& integrator, const Invariants& at, double reciprocal_condition);
  /// @throws Error naming the force whose potential or power is not a number
  void require_finite(const Invariants& at, const State& state) const;
  /// Call when a step ended at a break of the forces, where controllers sample the state.
  void sampled(const State& state, const Invariants& at, const StepStatistics& statistics);

 private:
  void watch_velocities(Symptoms seen) const;
  void watch_loop(Symptoms seen, const Invariants& at);
  void watch_turns(const Symptoms& seen, double period) const;  // (4)
  bool has_gained(const Invariants& at) const;
  void watch_progress(const Symptoms& seen);

  const Scenario& scenario_;
  MassMatrix mass_;
  double unit_energy_ = 0;               // E_1
  double start_energy_ = 0, scale_ = 0;  // (T + U - W)_0; T_0 + |U_0| + E_1
  double start_kinetic_ = 0;
  double most_work_ = 0;  // max |W| so far
  double sampled_time_ = 0, sampled_kinetic_ = 0;
  int growing_ = 0;                           // samples in a row with (3)
  bool analyzed_ = false, unstable_ = false;  // the gains of sampled loops
  double window_time_ = 0;   // start of the present window of a thousandth of the duration
  long window_trials_ = 0;   // attempted steps at that time
  std::vector<bool> turns_;  // nv: which coordinates are angles
};

}  // namespace chasles
