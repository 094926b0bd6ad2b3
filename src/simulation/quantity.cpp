#include "chasles/simulation/quantity.hpp"

#include <algorithm>

#include "chasles/suggest.hpp"

namespace chasles {
namespace {

constexpr std::string_view representations[] = {"body", "spatial", "hybrid", "mixed"};

std::string_view arguments(Argument argument) {
  switch (argument) {
    case Argument::frame:
      return ":FRAME";
    case Argument::frame_and_representation:
      return ":FRAME:REP";
    case Argument::joint_and_representation:
      return ":JOINT[:REP]";
    case Argument::contact:
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

/// Parses the text after the name of the quantity. Names of frames and joints may contain colons.
QuantityTarget read_target(const QuantityInfo& row, std::string_view rest, const Model& model) {
  const auto colon = rest.rfind(':');
  const std::string_view first = rest.substr(0, colon);
  const auto last = [&] { return representation_named(rest.substr(colon + 1)); };
  QuantityTarget target;
  switch (row.argument) {
    case Argument::none:
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
      if (!alone) target.representation = last();
      break;
    }
    case Argument::contact:
      target.contact = rest;
      break;
  }
  return target;
}

Quantity read_quantity(const QuantityInfo& row, std::string_view name, const Model& model,
                       QuantitySource source) {
  const auto colon = name.find(':');
  if ((row.argument == Argument::none) != (colon == name.npos))
    throw Error("write " + form(row) + (row.argument == Argument::none ? " alone" : ""));
  require_stage(row, source);
  const std::string_view rest = colon == name.npos ? "" : name.substr(colon + 1);
  return {std::string(name),
          row.shape,
          size(row.rows, model) * std::max(1, static_cast<int>(row.parts.size())),
          size(row.columns, model),
          row.stage,
          row.unit,
          row.make(model, read_target(row, rest, model)),
          {row.parts.begin(), row.parts.end()}};
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
         "FRAME: a body or a frame. REP: body, spatial, hybrid or mixed. NAME: of a contact of the "
         "run.\n"
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

Representation representation_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(representations); ++i)
    if (representations[i] == name) return static_cast<Representation>(i);
  throw Error("there is no representation '" + std::string(name) + "'" +
              choices(name, representations));
}

}  // namespace chasles
