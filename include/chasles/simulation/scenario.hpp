/// The description of a run: mechanism, initial state, forces, integrator and recorded quantities.
///
///     Scenario scenario = read_scenario("swing.yaml");           // io/scenario_file.hpp
///
/// or in C++:
///
///     Scenario scenario{.model = compile(mechanism), .start = {0, q, v}, .duration = 10};
#pragma once

#include <filesystem>

#include "chasles/constraints/constraints.hpp"
#include "chasles/export.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/simulation/run_event.hpp"
#include "chasles/simulation/stops.hpp"

namespace chasles {
class MaximalJoints;  // internal, not exported
}

namespace chasles CHASLES_API {

struct Scenario {
  std::string name{};
  Model model;
  State start;  // a start time other than 0 continues a run
  /// Closed mechanisms, nv each: entries of q and v that are fixed when the initial state is made consistent; the
  /// others move to the nearest values that close the loops. Empty: none is fixed.
  std::vector<bool> kept_q{}, kept_v{};
  double duration = 0;  // [s]
  Forces forces{};
  bool joint_inputs = false;  // joint forces are set by Simulation::set_joint_forces as well
  /// Maximal coordinates, where `model` is the result of `to_maximal_coordinates`: the tree to whose joints forces,
  /// limits and events refer. Empty: they refer to the joints of `model`. Rigid stops, impacts and friction with
  /// sticking require minimal coordinates.
  Model joints{};
  Vector joints_q{};      // of `joints`, near the start: fixes the number of full revolutions
  Forces joint_forces{};  // on `joints`; a Simulation adds them to `forces`, as wrenches
  std::shared_ptr<MaximalJoints> absolute{};  // made by a Simulation
  LimitMode limits = LimitMode::warn;         // joint limits: ignored, reported or enforced
  SoftStops stops{};   // with LimitMode::soft; inertias are taken at the start
  RigidStops rigid{};  // with LimitMode::rigid; rest_velocity also applies to impacts of events
  bool joint_dynamics = true;  // damping, friction, springs, tendons act
  bool loops = true;           // loops are closed and couplings hold; false: the tree without them
  ConstraintOptions constraints{};  // mimic relations, user-defined constraints
  /// In maximal coordinates: the same constraints on `joints`, for events that set velocities of joints.
  ConstraintOptions joint_constraints{};
  /// Closed mechanisms: joints with motors, for the quantity inverse_dynamics, whose efforts alone would produce the
  /// motion of the run. Empty: inverse_dynamics is `tau`.
  std::vector<std::string> actuators{};
  IntegratorOptions integrator{};
  std::vector<RunEvent> events{};         // events during the run
  double every = 0;                       // sampling interval [s]; 0: a 200th of the duration
  std::vector<std::string> quantities{};  // from quantity_list(); q and v always
  /// To continue a run from its last state: the state of its step control, and its work [J] so far
  /// (Summary::checkpoint, Summary::end).
  std::optional<Checkpoint> checkpoint{};
  double work = 0;
  /// To resume an interrupted run: its start time, and q of its joints there. Samples are at multiples of `every` after
  /// that time, and soft stops use the inertias there. None: the start.
  struct Origin {
    double t;
    Vector q;
  };
  std::optional<Origin> origin{};
  /// Of a scenario read from a file: the file, its text, and the appearance of the bodies. For records and reports.
  std::filesystem::path file{};
  std::string source{};
  Appearance appearance{};
};

/// Checks everything that does not require building the run: sizes, times, the method and its options, stops, names
/// of quantities and contacts. A Simulation calls it, and checks the rest: loops that cannot be closed, a method
/// that does not support constraints.
/// @throws Error naming the value and the remedy
void check(const Scenario& scenario);

}  // namespace CHASLES_API
