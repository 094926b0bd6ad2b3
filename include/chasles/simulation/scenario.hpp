/// The description of a run: a mechanism, where it starts, what acts on it, how it is integrated, what is
/// recorded.
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

namespace chasles CHASLES_API {

class MaximalJoints;

struct Scenario {
  std::string name{};
  Model model;
  State start;  // a start at another time than 0 continues a run
  /// Of closed mechanisms, nv: entries of q and of v that stay as they are given; the others are found,
  /// as near to the given ones as can be, so that loops are closed. Empty: none stays.
  std::vector<bool> kept_q{}, kept_v{};
  double duration = 0;  // [s]
  Forces forces{};
  bool joint_inputs = false;  // joint forces are set by Simulation::set_joint_forces as well
  /// In maximal coordinates, where `model` is what `to_maximal_coordinates` makes of the mechanism: the tree whose joints forces,
  /// limits and events are about. None: these are the joints of `model`. Rigid stops, impacts and friction that sticks
  /// are for minimal coordinates only.
  Model joints{};
  Vector joints_q{};      // of `joints`, near to the start: it counts turns
  Forces joint_forces{};  // on `joints`; a Simulation adds them to `forces`, as wrenches
  std::shared_ptr<MaximalJoints> absolute{};  // made by a Simulation
  LimitMode limits = LimitMode::warn;         // of joints: what a run does about them
  SoftStops stops{};   // with LimitMode::soft; inertias are taken at the start
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
  /// Of a run that was cut off and goes on: where it had started, and q of its joints there. Samples are at multiples
  /// of `every` after that, and soft stops have the inertias of there. None: at the start.
  struct Origin {
    double t;
    Vector q;
  };
  std::optional<Origin> origin{};
  /// Of a scenario that was read from a file: the file, its text, and what the bodies of its model look like. For
  /// records and reports.
  std::filesystem::path file{};
  std::string source{};
  Appearance appearance{};
};

/// Checks what can be checked without building the run: sizes, times, the method and its options, stops, names
/// of quantities and contacts. A Simulation does it by itself, and finds what is left: loops that cannot be
/// closed, a method that does not know constraints.
/// @throws Error naming the value and the remedy
void check(const Scenario& scenario);

}  // namespace CHASLES_API
