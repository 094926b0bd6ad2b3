/// The list `tendons` of a mechanism.
#include <fmt/format.h>

#include "io/yaml/coordinate_dimensions.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

/// A name, or {frame: name, weight: number}.
Tendon::Point read_point(const Fields& fields, const Value& value) {
  if (value.kind == Value::Kind::scalar) return {value.text};
  const Fields point(fields.file(), value, fields.what() + ", point", {"frame", "weight"});
  return {point.text("frame"), point.number("weight", 1)};
}

Tendon read_tendon(const std::string& name, const Value& value) {
  const Fields fields(name, value, "tendon",
                      {"name", "joints", "points", "stiffness", "damping", "rest"});
  Tendon tendon{.name = fields.text("name"), .terms = read_terms(fields)};
  for (const Value& point : fields.list("points"))
    tendon.points.push_back(read_point(fields, point));
  const bool in_space = !tendon.points.empty();
  tendon.stiffness =
      fields.number("stiffness", 0, in_space ? dimensions::stiffness : dimensions::any);
  tendon.damping = fields.number("damping", 0, in_space ? dimensions::damping : dimensions::any);
  const Dimension length = in_space ? dimensions::length : dimensions::any;
  if (const Value* rest = fields.find("rest")) {
    if (rest->kind == Value::Kind::list) {
      const auto ends = fields.to_numbers(*rest, "rest", 2, length);
      tendon.rest = {ends[0], ends[1]};
    } else {
      tendon.rest.fill(fields.to_number(*rest, "rest", length));
    }
  }
  tendon.where = fields.where();
  return tendon;
}

std::string points_text(const std::vector<Tendon::Point>& points) {
  std::string text;
  for (const auto& [frame, weight] : points)
    text +=
        (text.empty() ? "" : ", ") +
        (weight == 1 ? yaml_word(frame)
                     : fmt::format("{{frame: {}, weight: {}}}", yaml_word(frame), to_text(weight)));
  return "[" + text + "]";
}

}  // namespace

void read_tendons(const Fields& file, Mechanism& mechanism) {
  for (const Value& value : file.list("tendons"))
    mechanism.tendons.push_back(read_tendon(file.file(), value));
}

std::string write_tendons(const Mechanism& mechanism) {
  std::string out;
  for (const Tendon& t : mechanism.tendons)
    out +=
        "  - name: " + yaml_word(t.name) + "\n    " +
        (t.points.empty() ? "joints: " + terms_text(t.terms) : "points: " + points_text(t.points)) +
        fmt::format("\n    stiffness: {}\n    damping: {}\n    rest: [{}, {}]\n",
                    to_text(t.stiffness), to_text(t.damping), to_text(t.rest[0]),
                    to_text(t.rest[1]));
  return out.empty() ? out : "tendons:\n" + out;
}

}  // namespace chasles::io
