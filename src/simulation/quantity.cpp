#include "chasles/simulation/quantity.hpp"

#include <algorithm>

#include "chasles/suggest.hpp"

namespace chasles {
namespace {

constexpr std::string_view representations[] = {"body", "spatial", "hybrid", "mixed"};

std::string_view arguments(Argument argument) {
  switch (argument) {
    case Argument::optional_joint:
      return "[:JOINT]";
    case Argument::frame:
      return ":FRAME";
    case Argument::frame_and_representation:
      return ":FRAME:REP";
    case Argument::joint_and_representation:
      return ":JOINT[:REP]";
    case Argument::contact:
    case Argument::driver:
      return ":NAME";
    case Argument::none:
      break;
  }
  return "";
}

int size(QuantityInfo::Extent extent, const Model& model) {
  if (extent == QuantityInfo::nq) return model.nq();
  if (extent == QuantityInfo::bound) return Constraints(model).constraint_count();
  return extent == QuantityInfo::nv ? model.nv() : extent;
}

const QuantityInfo& row_named(std::string_view name, const std::string& text) {
  std::vector<std::string_view> known;
  for (const QuantityInfo& row : quantity_list()) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  throw Error("there is no quantity '" + text + "'" + choices(name, known));
}

/// Checks that states of this source provide the inputs that the quantity needs.
void require_stage(const QuantityInfo& row, QuantitySource source) {
  require_known(source, QuantitySource::run, "source");
  if (source == QuantitySource::state && only_in_runs(row.stage))
    throw Error("only a run has it; simulate, and record it there");
  if (source == QuantitySource::run && only_in_states(row.stage))
    throw Error(std::string("needs the ") +
                (row.stage == QuantityStage::jerk ? "jerk" : "jerk and snap") +
                " of the joints, which a run does not have; give them in a state, to eval");
}

/// Joints, then loops.
std::size_t joint_named(std::string_view name, const Model& model) {
  if (const auto loop = std::ranges::find(model.loops(), name, &ModelLoop::name);
      loop != model.loops().end())
    return model.joints().size() + static_cast<std::size_t>(loop - model.loops().begin());
  try {
    return static_cast<std::size_t>(&model.joint(name) - model.joints().data());
  } catch (const Error& e) {
    throw Error(std::string(e.what()) + "; a fixed joint has no reaction, its bodies are one");
  }
}
bool has_joint(const Model& model, std::string_view name) {
  return std::ranges::find(model.joints(), name, &ModelJoint::name) != model.joints().end() ||
         std::ranges::find(model.loops(), name, &ModelLoop::name) != model.loops().end();
}

/// A joint with coordinates: fixed joints and loops have none.
std::size_t joint_of_coordinates(std::string_view name, const Model& model) {
  return static_cast<std::size_t>(&model.joint(name) - model.joints().data());
}

/// Parses the text after the name of the quantity. Names of frames and joints may contain colons.
QuantityTarget read_target(const QuantityInfo& row, std::string_view rest, const Model& model) {
  const auto colon = rest.rfind(':');
  const std::string_view first = rest.substr(0, colon);
  const auto last = [&] { return representation_named(rest.substr(colon + 1)); };
  QuantityTarget target;
  switch (row.argument) {
    case Argument::none:
      break;
    case Argument::optional_joint:
      if (!rest.empty()) target.joint = joint_of_coordinates(rest, model);
      break;
    case Argument::frame:
      target.frame = model.frame(rest);
      break;
    case Argument::frame_and_representation:
      if (colon == rest.npos) throw Error("write " + form(row));
      target.frame = model.frame(first);
      target.representation = last();
      break;
    case Argument::joint_and_representation: {
      const bool alone = colon == rest.npos || has_joint(model, rest);
      target.joint = joint_named(alone ? rest : first, model);
      target.in_joint_frame = alone;
      if (!alone) target.representation = last();
      break;
    }
    case Argument::contact:
      target.contact = rest;
      break;
    case Argument::driver:
      target.driver = rest;
      break;
  }
  return target;
}

/// The entries of one joint of a quantity of all joints.
void restrict_to(const ModelJoint& joint, bool is_q, Quantity& quantity) {
  const int first = is_q ? joint.q_index : joint.v_index;
  quantity.compute = [all = std::move(quantity.compute), whole = Matrix(quantity.rows, 1), first](
                         const EvaluationState& m, Quantity::Out out) mutable {
    all(m, whole);
    out = whole.middleRows(first, out.rows());
  };
  quantity.rows = is_q ? joint.nq : joint.nv;
}

Quantity read_quantity(const QuantityInfo& row, std::string_view name, const Model& model,
                       QuantitySource source) {
  const auto colon = name.find(':');
  const bool alone = colon == name.npos, by_joint = row.argument == Argument::optional_joint;
  if (!by_joint && (row.argument == Argument::none) != alone)
    throw Error("write " + form(row) + (row.argument == Argument::none ? " alone" : ""));
  if (!alone && by_joint && colon + 1 == name.size()) throw Error("write " + form(row));
  require_stage(row, source);
  const QuantityTarget target = read_target(row, alone ? "" : name.substr(colon + 1), model);
  Quantity quantity{std::string(name),
                    row.shape,
                    size(row.rows, model) * std::max(1, static_cast<int>(row.parts.size())),
                    size(row.columns, model),
                    row.stage,
                    row.unit,
                    row.make(model, target),
                    {row.parts.begin(), row.parts.end()},
                    row.name,
                    by_joint};
  if (by_joint && !alone) {
    quantity.joint = static_cast<int>(target.joint);
    restrict_to(model.joints()[target.joint], row.rows == QuantityInfo::nq, quantity);
  }
  return quantity;
}

}  // namespace

Matrix Quantity::part(ConstMatrixRef all, std::size_t count, std::size_t k) {
  const auto rows = static_cast<std::size_t>(all.rows());
  if (k >= count || rows % count != 0)
    throw Error("there is no matrix " + std::to_string(k) + " of " + std::to_string(count) +
                " matrices in " + std::to_string(rows) + " rows");
  const auto each = static_cast<Eigen::Index>(rows / count);
  return all.middleRows(static_cast<Eigen::Index>(k) * each, each);
}

EvaluationState::EvaluationState(const Model& m)
    : model(m),
      q(m.neutral()),
      v(m.nv()),
      a(m.nv()),
      jerk(m.nv()),
      snap(m.nv()),
      motors{Vector(m.nv()), {}},
      motor_energy(m.nv()),
      acting{Vector(m.nv()), {}},
      binding{Vector(m.nv()), {}},
      kin(m),
      kin_a(m) {}

void update(EvaluationState& m, QuantityStage stage) {
  require_known(stage, QuantityStage::snap, "stage");
  if (stage >= QuantityStage::position) forward_kinematics(m.model, m.q, m.v, m.kin);
  if (stage >= QuantityStage::acceleration) forward_kinematics(m.model, m.q, m.v, m.a, m.kin_a);
}

std::string form(const QuantityInfo& row) {
  return std::string(row.name).append(arguments(row.argument));
}

std::string quantity_help() {
  std::size_t forms = 0, units = 0;
  for (const QuantityInfo& row : quantity_list()) {
    forms = std::max(forms, form(row).size());
    units = std::max(units, row.unit.size());
  }
  const auto padded = [](const std::string& text, std::size_t width) {
    return text + std::string(width - text.size() + 2, ' ');
  };
  const auto only = [](QuantityStage stage) {
    if (only_in_runs(stage)) return " (recorded only)";
    return only_in_states(stage) ? " (not recorded)" : "";
  };
  std::string help = "Quantities:\n";
  for (const QuantityInfo& row : quantity_list())
    help += "  " + padded(form(row), forms) + padded(std::string(row.unit), units) +
            std::string(row.meaning) + only(row.stage) + "\n";
  return help +
         "FRAME: a body or a frame. REP: body, spatial, hybrid or mixed. NAME: of a contact, "
         "driver or constraint of a scenario.\n"
         "Units: \"angular, linear\" parts; \"|\" between revolute and prismatic joints.";
}

Quantity quantity(const Model& model, std::string_view name, QuantitySource source) {
  const QuantityInfo& row = row_named(name.substr(0, name.find(':')), std::string(name));
  try {
    return read_quantity(row, name, model, source);
  } catch (const Error& e) {
    throw Error("quantity '" + std::string(name) + "': " + e.what());
  }
}

bool is_part_of_every_sample(std::string_view name) {
  const std::string_view base = name.substr(0, name.find(':'));
  return base == "q" || base == "v";
}

Representation representation_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(representations); ++i)
    if (representations[i] == name) return static_cast<Representation>(i);
  throw Error("there is no representation '" + std::string(name) + "'" +
              choices(name, representations));
}

}  // namespace chasles
