/// The list of quantities: what can be computed at a state and recorded in a run, by name. `eval`
/// and `record` read it, and their help and messages come from it.
///
///     for (const QuantityInfo& row : quantity_list()) std::puts(form(row).c_str());
///     Quantity hand = quantity("pose:hand", model, QuantitySource::run);                  // 4 x 4
///     Matrix C(hand.rows, hand.columns);
///     hand.compute(moment, C);                                    // evaluation.hpp does all that
#pragma once

#include <span>

#include "chasles/export.hpp"
#include "chasles/motion/constrained_system.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

class HeldSystem;

/// What a quantity needs: this, and all that is above it but `history`.
enum class QuantityStage {
  history,       // what was before: only a run has it
  position,      // q
  velocity,      // v
  force,         // tau and the wrenches on bodies
  motor,         // which of them come from motors: only a run knows
  contact,       // and which from contacts: likewise
  acceleration,  // a
  jerk,          // of the joints: only a state from outside has it
  snap,          // likewise
};
/// Where moments come from: states from outside, which give all but a history, or a run, in which
/// the forces give tau and wrenches, and forward dynamics gives a.
enum class QuantitySource { state, run };
/// Whether only a run has what the stage needs, or only a state from outside.
constexpr bool only_in_runs(QuantityStage stage) {
  return stage == QuantityStage::history || stage == QuantityStage::motor ||
         stage == QuantityStage::contact;
}
constexpr bool only_in_states(QuantityStage stage) { return stage >= QuantityStage::jerk; }

/// Where quantities are evaluated.
struct EvaluationState {
  Model model;
  double t = 0;
  Vector q, v, a, jerk, snap;      // nq; nv: v and its time derivatives
  JointForces motors;              // of a run: those of them that are motors', in joints
  Vector motor_energy;             // nv: their work since the start of the run [J]
  JointForces acting;              // tau and wrenches: what acts besides gravity
  double work = 0;                 // done since the start of the run by what stores no energy [J]
  const Forces* forces = nullptr;  // of the run: their energies count
  ConstrainedSystem* closed =
      nullptr;  // the loops are closed; null: loops are open, or nothing binds the joints
  HeldSystem* held = nullptr;  // joints that are held by stops and friction; null: there are none
  JointForces binding;         // what the constraints do
  Vector multipliers;          // of all constraint equations
  /// Of a state from outside: whether it gives a and tau. A closed mechanism without a accelerates as tau makes it.
  bool gives_a = true, gives_tau = true;
  /// Of a closed mechanism: entries of v with motors, for inverse dynamics; empty: independent coordinates.
  std::vector<int> actuators{};
  std::string undetermined{};    // why there are no multipliers; empty: there are
  VelocityKinematics kin;        // at (q, v)
  AccelerationKinematics kin_a;  // at (q, v, a)

  /// Neutral and at rest; nothing acts.
  explicit EvaluationState(const Model& model);
};
/// Kinematics up to what `stage` needs. Does not allocate.
void update(EvaluationState& moment, QuantityStage stage);

/// A quantity of a model. It holds the memory that it works in: one per thread; copies are
/// independent of each other.
struct Quantity {
  enum class Shape { number, list, matrix, matrices };
  using Out = Eigen::Ref<Eigen::MatrixXd>;
  using Compute = std::function<void(const EvaluationState&, Out out)>;

  std::string name;  // as it was asked for
  Shape shape;
  int rows,
      columns;  // number: 1 x 1, list: rows x 1; matrices: of all of them, one below the other
  QuantityStage stage;
  std::string_view unit;
  Compute compute;                      // the moment is up to date to `stage`
  std::vector<std::string_view> parts;  // names of the matrices, from the first

  /// Matrix k of `count`.
  /// @throws Error if there is none, or the rows of `all` are not those of `count` matrices
  static Matrix part(ConstMatrixRef all, std::size_t count, std::size_t k);
};

/// What follows a name, after colons.
enum class Argument { none, frame, frame_and_representation, joint_and_representation, contact };
/// What the arguments mean in a model.
struct QuantityTarget {
  Frame frame{};
  std::size_t joint = 0;  // in Model::joints(), then in Model::loops()
  Representation representation = Representation::body;
  std::string contact{};  // its name
};

/// A row of the list: what is known about a quantity without a model.
struct QuantityInfo {
  /// A number; nq or nv of the model; or how many rows its constraints have.
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
  std::span<const std::string_view> parts{};  // matrices: their names; rows and columns are of each
};
std::span<const QuantityInfo> quantity_list();
/// How it is written: `energy`, `pose:FRAME`, `twist:FRAME:REP`, `reaction:JOINT[:REP]`, `contact:NAME`.
std::string form(const QuantityInfo& row);
/// The list for people: a line each, with form, unit and meaning.
std::string quantity_help();

/// The quantity of a name with its arguments.
/// @throws Error naming the quantity: unknown, with the nearest name, frame, joint or
///         representation; or needing what the source does not have
Quantity quantity(std::string_view name, const Model& model, QuantitySource source);

/// body, spatial, hybrid or mixed.
/// @throws Error with the nearest of them
Representation representation_named(std::string_view name);

}  // namespace CHASLES_API
