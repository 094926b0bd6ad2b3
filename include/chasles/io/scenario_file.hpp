/// Scenario files, the input of `chasles simulate`. YAML (JSON is a subset), SI units:
///
///     chasles: 1
///     model: arm.yaml                 .yaml, .json or .urdf; the path is relative to this file
///     floating_base: false            URDF only
///     model_name: arm                 SDF only: one model of several
///     packages: {my_robot: ../my_robot}   folders of package://my_robot
///     allow_outside: false            the model may name files outside of its folder
///     gravity: [0, 0, -9.81]          instead of the model's
///     initial:                        by joint; default: neutral, or zero
///       q: {shoulder: 0.3, base: [1, 0, 0, 0, 0, 0, 0]}
///       v: {shoulder: 0.4}
///       near: {elbow: 1}              loops: of several ways to close them, the nearest to this
///       keyframe: home                a keyframe of the model; q and v above override it
///       from: run.csv                 a recorded run to continue: its last state, or that at
///       at: 2.5                       a time [s]; q and v above override it
///     loops: closed                   closed or open; for models with loops or couplings
///     mimic: true                     mimic relations hold
///     coordinates: minimal            or maximal: every body floating, every joint a constraint
///     group: auto                     for maximal coordinates: se3, so3xr3 or auto, or {body: se3, ..}
///     stabilization: projection       of constraints: projection, none, or {baumgarte: [alpha, beta]}
///     integrator: {method: dop853, tolerance: 1e-10}      or {method: mk4, step: 0.05}
///     duration: 10
///     forces:                         see simulation/forces.hpp
///       - {type: joint_spring_damper, joint: shoulder, stiffness: 10, damping: 0.1, rest: 0}
///       - {type: joint_friction, joint: shoulder, viscous: 0.1, coulomb: 0.5, velocity: 1e-3}
///       - {type: pd_hold, joint: shoulder, stiffness: 100, damping: 10, target: 0.5}
///       - {type: joint_torque, joint: shoulder, value: {amplitude: 1, frequency: 0.5}}
///       - {type: body_wrench, body: hand, wrench: [0, 0, 0, 0, 0, -5], point: [0, 0, 0.1],
///          representation: hybrid}
///       - {type: point_spring_damper, a: {body: hand, point: [0, 0, 0]}, b: {body: ground},
///          stiffness: 100, damping: 1, length: 0.5}
///     drivers:                        prescribed motions, see simulation/driver.hpp
///       - {joint: crank, speed: 10}   or position, table, sine, harmonics, step, polynomial
///       - {frame: tip, axis: x, sine: {amplitude: 0.1, frequency: 2}}
///     joint_dynamics: true            damping, friction and springs of the model's joints, and its tendons act
///     record: {every: 0.01, quantities: [energy, pose:hand]}
///
/// A value, a target and each entry of a wrench is a number, {amplitude, frequency, phase, offset} or {times: [..],
/// values: [..]}; for joints with several coordinates, a list of these. A time given twice is a jump. A wrench without
/// representation is hybrid.
///
/// The integrator may have `order`, `max_step` and `chart: exponential | cayley | second_kind`.
#pragma once

#include <variant>

#include "chasles/export.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/simulation/simulation.hpp"

namespace chasles CHASLES_API {

/// @param path      "-": standard input; paths in it are then relative to the current folder
/// @param warnings  receives warnings about the model; null: discarded
/// @param files     receives the names of the files read: the scenario, the model, the run that is continued;
///                  null: discarded
/// @param changes   overrides applied to the document before it is read, "integrator.tolerance=1e-8"; list elements by
///                  index from 0: "forces.0.stiffness=5". Missing keys are created.
/// Checks everything that does not require building the run; a Simulation checks the rest, such as loops that cannot
/// be closed.
/// @throws Error that begins with the source location, `swing.yaml:7:11: ...`
Scenario read_scenario(const std::filesystem::path& path,
                       std::vector<std::string>* warnings = nullptr,
                       std::vector<std::filesystem::path>* files = nullptr,
                       std::span<const std::string> changes = {});

/// The scenario or mechanism in a file: a scenario is YAML with the key `model`.
/// @param options  for a mechanism; a scenario has its own key `floating_base`
/// @param changes  of a scenario, as for read_scenario
/// @throws Error with its source location, if it is neither
std::variant<Scenario, Mechanism> read_scenario_or_mechanism(
    const std::filesystem::path& path, const ReadOptions& options = {},
    std::vector<std::filesystem::path>* files = nullptr, std::span<const std::string> changes = {});

/// The scenario of a model alone: free motion under gravity for 5 s, from the neutral configuration; or from its keyframe
/// `home`, or the first one, if a joint would start beyond its limits.
struct DefaultScenario {
  std::string text;  // as a file beside the model
  Scenario scenario;
  std::string keyframe{};  // that it starts from; empty: none
};
/// @param model  its file
/// Other arguments as for read_scenario.
DefaultScenario default_scenario(const std::filesystem::path& model,
                                 std::vector<std::string>* warnings = nullptr,
                                 std::vector<std::filesystem::path>* files = nullptr,
                                 std::span<const std::string> changes = {});

/// Gives joints that move no mass an armature, with a warning, so that their accelerations are determined. Reading a
/// scenario does it.
/// @param file    its name, for warnings; @param closed  loops, couplings and constraints hold
void hold_massless_joints(Mechanism& mechanism, const std::string& file, bool closed = true,
                          std::vector<std::string>* warnings = nullptr);

/// The types of forces in scenario files.
std::vector<std::string_view> force_type_names();

/// A state as the `initial` of a scenario; reads back as the same numbers.
std::string write_initial(const Model& model, const State& state);
/// The same for a state of a run; in maximal coordinates it is expressed in the joints of the scenario.
/// @param scenario  that of a Simulation
std::string write_initial(const Scenario& scenario, const State& state);

}  // namespace CHASLES_API
