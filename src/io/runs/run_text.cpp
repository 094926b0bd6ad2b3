#include "io/runs/run_text.hpp"

namespace chasles::io {
namespace {

/// "[3]".
std::string subscript(int i) { return std::string("[").append(std::to_string(i)).append("]"); }
std::string with_unit(const std::string& name, const std::string& unit) {
  return name + " [" + unit + "]";
}

/// Which entries of v are linear rather than angular.
std::vector<bool> sliding(const Model& model) {
  std::vector<bool> slides;
  for (const ModelJoint& joint : model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      slides.insert(slides.end(), static_cast<std::size_t>(c.nv), !c.is_angular());
  return slides;
}

std::vector<std::string> split(std::string_view text, std::string_view separator) {
  std::vector<std::string> parts;
  for (;;) {
    const auto end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    if (end == text.npos) return parts;
    text.remove_prefix(end + separator.size());
  }
}

/// The unit of one number of a quantity. Units differ between angular | linear joints, in a square matrix
/// between pairs of them; between angular and linear rows; and in a pose between rotation and position.
std::string unit(const Quantity& quantity, const std::vector<bool>& slides, int row, int column) {
  const bool is_list = quantity.shape == Quantity::Shape::list;
  const auto at = [&](int i) { return slides[static_cast<std::size_t>(i)] ? 1U : 0U; };
  const std::vector<std::string> parts = split(quantity.unit, " | ");
  const std::size_t which = parts.size() == 3   ? at(row) + at(column)
                            : parts.size() == 2 ? at(is_list ? row : column)
                                                : 0;
  const std::vector<std::string> halves = split(parts[which], ", ");
  if (halves.size() == 1) return halves[0];
  if (quantity.rows == 4) return halves[column == 3 && row < 3 ? 1 : 0];
  return halves[row < 3 ? 0 : 1];
}

/// "tau:elbow [N m]", "tau:base[3] [N]": the entries of joints.
std::vector<std::string> names_by_joint(const Quantity& quantity, const Model& model) {
  std::vector<std::string> names;
  const std::vector<bool> slides = sliding(model);
  const bool is_q = quantity.base == "q";
  for (const ModelJoint& joint : model.joints()) {
    if (quantity.joint >= 0 && &joint != &model.joints()[static_cast<std::size_t>(quantity.joint)])
      continue;
    const int count = is_q ? joint.nq : joint.nv;
    const std::vector<std::string> units = q_units(joint);
    for (int k = 0; k < count; ++k)
      names.push_back(
          with_unit(std::string(quantity.base) + ":" + joint.name + (count > 1 ? subscript(k) : ""),
                    is_q ? units[static_cast<std::size_t>(k)]
                         : unit(quantity, slides, joint.v_index + k, 0)));
  }
  return names;
}

}  // namespace

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::vector<std::string> split_csv(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

std::vector<std::string> q_units(const ModelJoint& joint) {
  std::vector<std::string> units;
  for (const JointCoordinate& c : joint.coordinates)
    for (int k = 0; k < c.nq; ++k) units.emplace_back(coordinate_kind_info(c.kind).q_unit);
  return units;
}

std::vector<std::string> v_units(const ModelJoint& joint) {
  std::vector<std::string> units;
  for (const JointCoordinate& c : joint.coordinates)
    for (int k = 0; k < c.nv; ++k) units.emplace_back(coordinate_kind_info(c.kind).v_unit);
  return units;
}

std::string_view group_name(const ModelJoint& joint) {
  if (joint.type != JointType::floating) return {};
  return joint.group == FloatingGroup::se3 ? "se3" : "so3xr3";
}

std::vector<std::string> csv_names(const Model& model) {
  std::vector<std::string> names{with_unit("t", "s")};
  const auto add = [&](const std::string& name, const std::vector<std::string>& units) {
    for (std::size_t k = 0; k < units.size(); ++k)
      names.push_back(
          with_unit(units.size() > 1 ? name + subscript(static_cast<int>(k)) : name, units[k]));
  };
  const auto named = [](const char* letter, const ModelJoint& joint) {
    return std::string(letter).append(joint.name);
  };
  for (const ModelJoint& joint : model.joints()) add(named("q:", joint), q_units(joint));
  for (const ModelJoint& joint : model.joints()) add(named("v:", joint), v_units(joint));
  return names;
}

std::vector<std::string> csv_names(const Quantity& quantity, const Model& model) {
  if (quantity.of_joints) return names_by_joint(quantity, model);
  std::vector<std::string> names;
  const std::vector<bool> slides = sliding(model);
  const int parts = std::max(1, static_cast<int>(quantity.parts.size())),
            rows = quantity.rows / parts;
  for (int k = 0; k < parts; ++k) {
    std::string name = quantity.name;
    if (!quantity.parts.empty())
      name.append(".").append(quantity.parts[static_cast<std::size_t>(k)]);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < quantity.columns; ++j)
        names.push_back(with_unit(name + (quantity.rows > 1 ? subscript(i) : "") +
                                      (quantity.columns > 1 ? subscript(j) : ""),
                                  unit(quantity, slides, i, j)));
  }
  return names;
}

}  // namespace chasles::io
