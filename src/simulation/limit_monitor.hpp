/// Finds violations of joint limits while a run goes on.
///
///     LimitMonitor monitor(model, forces);
///     monitor.start(integrator->state());
///     integrator->step(until), monitor.watch(*integrator);
///     for (const Violation& v : monitor.violations()) std::puts(v.text().c_str());
#pragma once

#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/simulation/violation.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles {

class MaximalJoints;

/// Effort counts the actuators: every force with Force::actuator. Saturations of actuators are found as well.
class LimitMonitor {
 public:
  /// @param forces  must outlive the monitor
  /// @param limits  false: checks mimic relations only
  /// @param absolute  converts states from maximal coordinates to those of the joints, to which model and forces refer;
  ///                  null: states are those of the model
  LimitMonitor(const Model& model, const Forces& forces, bool limits = true,
               std::shared_ptr<MaximalJoints> absolute = {});

  void start(const State& state);
  /// Checks the last step: its ends and, near a limit, points of the interpolant between them; efforts six times per
  /// step. Allocates only when a limit is passed for the first time.
  void watch(const Integrator& integrator);
  /// A recorded state within the last step: the reported extreme is at least as bad as the worst sample.
  void sample(const State& state);
  /// All violations, in the order of the joints.
  std::vector<Violation> violations() const;

 private:
  struct Watched {
    Violation seen;
    double lower, upper;
    int q, v, other;  // indices in q and v of the model; other: index in q of the mimicked joint
    double multiplier, offset;
    double excess = 0;                   // largest so far
    double looked = 0;                   // time of the last check [s]
    bool beyond = false;                 // result of the last check
    const Saturation* demand = nullptr;  // of an actuator
    std::optional<forces::TendonLength> tendon{};
    bool needs_forces() const { return seen.kind == Violation::effort || demand != nullptr; }
    double excess_of(double value) const;
    bool is_beyond(double value) const;
  };
  const State& of_joints(const State& state) const;
  double value(const Watched& w, const State& state) const;
  bool may_pass(const Watched& w, const State& a, const State& b) const;
  void look(Watched& w, double t, double value, const Integrator* integrator);
  void take_worst(Watched& w, double t, double value);
  void look_at(const State& state, const Integrator* integrator, bool efforts);
  void take_efforts(double t, const State& state);
  double passing(const Watched& w, double inside, double beyond, const Integrator& integrator);

  Model model_;
  const Forces* forces_;
  std::vector<Watched> list_;
  bool efforts_ = false;  // whether there are motors with effort limits, or with ranges
  double at_ = 0;         // time of the last efforts
  VelocityKinematics kin_;
  mutable PositionKinematics places_;  // scratch
  JointForces motors_;
  State between_, before_, inside_, after_;
  std::shared_ptr<MaximalJoints> absolute_;
};

}  // namespace chasles
