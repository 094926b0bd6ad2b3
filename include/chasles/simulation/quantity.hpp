/// The list of named quantities that can be computed at a state or recorded in a run. `eval` and `record` read it;
/// their help and messages are made from it.
///
///     for (const QuantityInfo& row : quantity_list()) std::puts(form(row).c_str());
///     Quantity hand = quantity(model, "pose:hand", QuantitySource::run);                  // 4 x 4
///     Matrix C(hand.rows, hand.columns);
///     hand.compute(moment, C);                                    // evaluation.hpp does all this
#pragma once

#include <span>

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"
#include "chasles/systems/constrained_system.hpp"

namespace chasles CHASLES_API {

class HeldSystem;

/// The highest input that a quantity depends on; each stage includes those listed before it, except `history`.
enum class QuantityStage {
  history,       // the past of the motion: runs only
  position,      // q
  velocity,      // v
  force,         // tau and the wrenches on bodies
  motor,         // the motors' part of these: runs only
  contact,       // the contacts' part of these: runs only
  acceleration,  // a
  driver,        // the multipliers of drivers and constraints of a scenario
  jerk,          // of the joints: given states only
  snap,          // likewise
};
/// Source of the states: given from outside (everything except a history), or a run, in which the forces give tau
/// and wrenches and forward dynamics gives a.
enum class QuantitySource { state, run };
/// Whether the inputs of a stage exist only in runs, or only in given states.
constexpr bool only_in_runs(QuantityStage stage) {
  return stage == QuantityStage::history || stage == QuantityStage::motor ||
         stage == QuantityStage::contact;
}
constexpr bool only_in_states(QuantityStage stage) { return stage >= QuantityStage::jerk; }

/// A state at which quantities are evaluated, with its forces and kinematics.
struct EvaluationState {
  Model model;
  double t = 0;
  Vector q, v, a, jerk, snap;  // nq; nv: v and its time derivatives
  JointForces motors;          // actuator part of `acting.tau`; runs only
  Vector motor_energy;         // nv: work of the motors since the start of the run [J]
  JointForces acting;          // tau and wrenches of all forces except gravity
  double work = 0;             // work of the nonconservative forces since the start of the run [J]
  const Forces* forces = nullptr;  // of the run, for their energies; null: given state
  ConstrainedSystem* closed =
      nullptr;  // closed mechanism; null: loops are open, or there are no constraints
  HeldSystem* held = nullptr;  // joints held by stops and friction; null: none
  JointForces binding;         // constraint forces
  Vector multipliers;          // of all constraint equations
  /// Given states: whether a and tau are given. Without a, a closed mechanism accelerates according to tau.
  bool gives_a = true, gives_tau = true;
  /// Closed mechanisms: actuated entries of v, for inverse dynamics; empty: the independent coordinates.
  std::vector<int> actuators{};
  std::string undetermined{};    // why the multipliers are not determined; empty: they are
  VelocityKinematics kin;        // at (q, v)
  AccelerationKinematics kin_a;  // at (q, v, a)

  /// Neutral configuration, at rest, no forces.
  explicit EvaluationState(const Model& model);
};
/// Updates the kinematics as far as `stage` needs. Does not allocate.
void update(EvaluationState& moment, QuantityStage stage);

/// A quantity of a model. Contains its workspace: use one per thread; copies are independent.
struct Quantity {
  enum class Shape { number, list, matrix, matrices };
  using Out = Eigen::Ref<Eigen::MatrixXd>;
  using Compute = std::function<void(const EvaluationState&, Out out)>;

  std::string name;  // as requested
  Shape shape;
  int rows,
      columns;  // number: 1 x 1, list: rows x 1; matrices: all stacked vertically
  QuantityStage stage;
  std::string_view unit;
  Compute compute;                      // requires the state to be up to date to `stage`
  std::vector<std::string_view> parts;  // names of the stacked matrices, in order
  std::string_view base{};              // name without arguments
  bool of_joints = false;               // a list with the entries of joints in q or v
  int joint = -1;  // the joint it is restricted to, in Model::joints(); -1: all

  /// Matrix k of `count` stacked ones.
  /// @throws Error if k is out of range, or the rows of `all` are not a multiple of `count`
  static Matrix part(ConstMatrixRef all, std::size_t count, std::size_t k);
};

/// The arguments after a name, separated by colons.
/// `optional_joint`: without a joint, all of them.
enum class Argument {
  none,
  optional_joint,
  frame,
  frame_and_representation,
  joint_and_representation,
  contact,
  driver
};
/// The arguments, resolved in a model.
struct QuantityTarget {
  Frame frame{};
  std::size_t joint = 0;  // index in Model::joints(), continued in Model::loops()
  Representation representation = Representation::body;
  bool in_joint_frame = false;  // of a joint: no representation is given
  std::string contact{};        // its name
  std::string driver{};         // likewise, or of a constraint
};

/// A row of the list: everything about a quantity that does not depend on a model.
struct QuantityInfo {
  /// A number; nq or nv of the model; or its number of constraint equations (`bound`).
  enum Extent : int {
    one = 1,
    two = 2,
    three = 3,
    four = 4,
    six = 6,
    nq = -1,
    nv = -2,
    bound = -3
  };

  std::string_view name;
  Argument argument;
  Quantity::Shape shape;
  Extent rows, columns;
  std::string_view unit;  // SI; angular before linear
  QuantityStage stage;
  std::string_view meaning;
  Quantity::Compute (*make)(const Model&, const QuantityTarget&);
  std::span<const std::string_view>
      parts{};  // names of stacked matrices; rows and columns are those of each
};
std::span<const QuantityInfo> quantity_list();
/// Syntax of the name: `energy`, `tau[:JOINT]`, `pose:FRAME`, `twist:FRAME:REP`, `reaction:JOINT[:REP]`, `contact:NAME`,
/// `driver_force:NAME`.
std::string form(const QuantityInfo& row);
/// Help text: a line per quantity, with syntax, unit and meaning.
std::string quantity_help();

/// The quantity with a given name and arguments.
/// @throws Error naming the quantity: unknown (with the nearest name, frame, joint or representation), or not
///         available from the source
Quantity quantity(const Model& model, std::string_view name, QuantitySource source);

/// Whether a name is that of coordinates or velocities, of all joints or of one: runs record these always.
bool is_part_of_every_sample(std::string_view name);

/// body, spatial, hybrid or mixed.
/// @throws Error with the nearest name
Representation representation_named(std::string_view name);

}  // namespace CHASLES_API
