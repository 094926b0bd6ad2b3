/// A run: a mechanism, where it starts, what acts on it, how it is integrated, what is recorded.
///
///     Scenario scenario = read_scenario("swing.yaml");           // io/scenario_file.hpp, or in C++:
///     Scenario scenario{.model = compile(mechanism), .start = {0, q, v}, .duration = 10};
///     Trajectory path;
///     Simulation simulation(scenario);
///     simulation.run(path);
///     double drift = simulation.summary().worst.energy;
#pragma once

#include <array>

#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/bounds.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/invariants.hpp"
#include "chasles/simulation/run_event.hpp"
#include "chasles/simulation/stops.hpp"

namespace chasles {

struct Scenario {
  std::string name{};
  Model model;
  State start;  // a start at another time than 0 continues a run
  /// Of closed mechanisms, nv: entries of q and of v that stay as they are given; the others are found,
  /// as near to the given ones as can be, so that loops are closed. Empty: none stays.
  std::vector<bool> kept_q{}, kept_v{};
  double duration = 0;  // [s]
  Forces forces{};
  LimitMode limits = LimitMode::warn;  // of joints: what a run does about them
  SoftStops stops{};                   // with LimitMode::soft; inertias are taken at the start
  RigidStops rigid{};  // with LimitMode::rigid; rest_velocity goes for impacts of events, too
  bool joint_dynamics = true;       // damping and friction of the description act as well
  bool loops = true;                // closed, couplings hold; false: the tree without them
  ConstraintOptions constraints{};  // mimic relations, constraints of one's own
  IntegratorOptions integrator{};
  std::vector<RunEvent> events{};         // what happens on the way
  double every = 0;                       // between samples [s]; 0: the 200th part of the duration
  std::vector<std::string> quantities{};  // of quantity_list(); q and v always
  /// Of a run that is continued from its last state: what its steps were like, and the work [J] until
  /// there (Summary::checkpoint, Summary::end).
  std::optional<Checkpoint> checkpoint{};
  double work = 0;
};

struct Sample {
  const State& state;
  std::span<const Quantity> quantities;
  std::span<const Matrix> values;  // one per quantity
};

/// What a run amounts to. Drifts are deviations from the start, taken after every step: the largest
/// of the run, and the last.
struct Summary {
  std::string method{};
  double time = 0;  // reached [s]
  double wall_seconds = 0;
  long samples = 0;
  bool finished = false;
  StepStatistics statistics{};
  Invariants start{}, end{};
  Drift worst{}, last{};
  /// What changes the momenta, and that about the centre of mass, from outside: momentum_causes.
  std::vector<std::string> momentum_causes{}, spin_causes{};
  std::vector<Violation> violations{};  // of the bounds of joints
  std::vector<Happened> events{};       // in order of time, the first 1000
  long event_count = 0;                 // of all
  /// Of loops and other constraints: the largest |Phi| and |B v| of the run, |Phi| at its end, and how
  /// near it came to a configuration where rows depend on each other (1: far, 0: there).
  double constraint_violation = 0, velocity_violation = 0, last_violation = 0, independence = 1;
  bool closed = false;
  int mobility = 0;  // the degrees of freedom that they leave; 0: nothing moves
  Checkpoint checkpoint{};
  /// As numbers with the names that files have: steps, evaluations, energy_drift, ...
  std::vector<std::pair<std::string, double>> entries() const;
};

/// Receives the samples of a run, one after the other.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const Scenario&, std::span<const Quantity>) {}
  virtual void sample(const Sample& sample) = 0;
  virtual void end(const Summary&) {}
};

/// A recorder that keeps the states.
class Trajectory : public Recorder {
 public:
  void sample(const Sample& sample) override { states.push_back(sample.state); }
  std::vector<State> states;
};

/// A run that cannot go on; says when, which joint, and why. The simulation has the last good state.
class RunError : public Error {
  using Error::Error;
};

class Switching;

class Simulation {
 public:
  /// Asked after every step, with the time that is reached; false ends the run.
  using Proceed = std::function<bool(double t)>;

  /// @throws Error for a start of wrong size, a duration that is not positive, an unknown quantity, ...
  explicit Simulation(const Scenario& scenario);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  ~Simulation();

  /// The scenario that runs: its forces have those of the joints, if they are wanted.
  const Scenario& scenario() const { return scenario_; }

  /// From the start to the end, or from where it was stopped: it goes on as if it had not been, and the
  /// recorder begins with that state. No step contains a break of a force (Force::next_break): runs
  /// stop there, also those of fixed steps, whose grid stays where it is; multistep methods start
  /// again. Samples are at multiples of `every` after the start and exactly at the end; between steps
  /// the method's interpolant gives them.
  /// @throws RunError, and what a force, a quantity or the recorder throws that is not an Error; after
  ///         the last good state was recorded and the recorder was ended
  /// @throws Error if the run has come to its end
  void run(Recorder& recorder, const Proceed& proceed = {});
  const State& state() const { return last_; }
  Summary summary() const;

 private:
  std::shared_ptr<System> make_system();
  void watch_constraints(const State& state);
  void start();
  void advance(double until);
  void pass_breaks(double end);
  void sample_forces(double t);
  void make_events();
  void take_step();
  void act_on_event();
  void begin_contact();
  void record_until(double t);
  void record(const State& state, double work);
  void evaluate(const State& state, double work);
  void add_motor_energy(double t0, double t1, Vector& energy);
  void deliver(const State& state);
  void end_early();
  double work_between(double t0, double t1);
  std::string fastest_joint();
  double sample_time() const;
  double snap() const;

  const Scenario scenario_;
  double smooth_from_, smooth_to_;  // the forces see no time outside of this: no break
  double stop_;                     // the break that ends it, or the end of the run
  ConstrainedSystem* closed_;       // the system, if loops are closed; or null
  std::unique_ptr<Switching>
      switching_;  // of stops that are rigid and friction that sticks; or null
  std::shared_ptr<System> system_;
  std::unique_ptr<Integrator> integrator_;
  Evaluation evaluation_;
  Moment moment_;
  VelocityKinematics kin_;
  JointForces scratch_;
  State last_, between_;
  InvariantMonitor monitor_;
  BoundsMonitor bounds_;
  double violation_ = 0, velocity_violation_ = 0, last_violation_ = 0, independence_ = 1;
  Invariants end_;
  Recorder* recorder_ = nullptr;
  bool motors_;                          // their energy is recorded
  Vector motor_energy_, energy_before_;  // nv; at the end of the last step and at its start
  std::vector<std::array<double, 2>> quadrature_;  // nodes and weights on [0, 1]
  double every_, work_, work_before_ = 0, wall_seconds_ = 0;
  double recorded_ = -std::numeric_limits<double>::infinity();  // the time of the last sample
  long samples_ = 0, next_sample_ = 0;  // delivered; of the next multiple of every_
  bool started_ = false, finished_ = false;
  std::optional<Events> events_;
  std::vector<const RunEvent*> happened_;  // at the end of the last step
  std::size_t touches_ = 0;      // events before this number are the scenario's and contacts
  bool touched_ = false;         // a contact began or ended there
  double soon_ = Signal::never;  // the next step ends there at the latest
  std::vector<Happened> log_;
  long event_count_ = 0;
  bool stopped_ = false;  // by an event
};

}  // namespace chasles
