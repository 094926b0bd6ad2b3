/// What a run does that its joints cannot: positions, velocities and efforts beyond the limits of the
/// description (JointLimits), and mimic relations that do not hold. None is enforced; the summary of
/// the run names them.
///
///     BoundsMonitor monitor(model, forces);
///     monitor.start(integrator->state());
///     integrator->step(until), monitor.watch(*integrator);
///     for (const Violation& v : monitor.violations()) std::puts(v.text().c_str());
#pragma once

#include <span>

#include "chasles/export.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

class MaximalJoints;

/// One kind of bound of one joint that was passed. Units are those of q, v or tau of the joint.
struct Violation {
  enum Kind { position, velocity, effort, mimic };
  std::string joint;
  Kind kind;
  double bound = 0;       // what the worst value is beyond; of a mimic relation 0
  long count = 0;         // how often it was passed, from within to beyond
  double first = 0;       // when it was passed for the first time [s]
  double worst = 0;       // value; of a mimic relation q - (multiplier q_other + offset)
  double worst_time = 0;  // [s]
  std::string_view unit;

  std::string_view name() const;  // "position", ...
  /// "joint 'elbow': position 1.93 rad at t = 2.1 s, beyond 1.57 rad; 3 times, first at t = 0.52 s"
  std::string text() const;
};

/// Effort is what motors give: every force that is not `passive`.
class BoundsMonitor {
 public:
  /// @param forces  must outlive the monitor
  /// @param limits  false: looks at mimic relations only
  /// @param absolute  states that are given are in maximal coordinates, and model and forces those of the joints;
  ///                  null: states are those of the model
  BoundsMonitor(const Model& model, const Forces& forces, bool limits = true,
                std::shared_ptr<MaximalJoints> absolute = {});

  void start(const State& state);
  /// The last step: its ends and, where a bound is near, points between, on the interpolant; efforts
  /// six times in every step. It does not allocate, but when a bound is passed for the first time.
  void watch(const Integrator& integrator);
  /// A state within the last step that is recorded: the worst value is at least as bad as the worst sample.
  void sample(const State& state);
  /// Those that were passed, in the order of the joints.
  std::vector<Violation> violations() const;

 private:
  struct Watched {
    Violation seen;
    double lower, upper;
    int q, v, other;  // in q and v of the model; other: q of the joint that is mimicked
    double multiplier, offset;
    double excess = 0;    // the worst
    double looked = 0;    // when, last [s]
    bool beyond = false;  // then
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
  bool efforts_ = false;  // there are motors, and limits for them
  VelocityKinematics kin_;
  JointForces motors_;
  State between_, before_, inside_, after_;
  std::shared_ptr<MaximalJoints> absolute_;
};

}  // namespace CHASLES_API
