/// The list `tendons` of a mechanism.
#include <fmt/format.h>

#include "io/yaml/coordinate_dimensions.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

constexpr std::string_view shapes[] = {"sphere", "cylinder"};

Tendon::Wrap read_wrap(const Fields& point, const Value& value) {
  const Fields wrap(point.file(), value, point.what() + ", wrap",
                    {"frame", "shape", "radius", "side"});
  return {wrap.text("frame"), static_cast<Tendon::Wrap::Shape>(wrap.choice("shape", shapes, 1)),
          wrap.number("radius", dimensions::length), wrap.text("side", "")};
}

/// A name, or {frame: name, weight: number, wrap: map}.
Tendon::Point read_point(const Fields& fields, const Value& value) {
  if (value.kind == Value::Kind::scalar) return {value.text};
  const Fields point(fields.file(), value, fields.what() + ", point", {"frame", "weight", "wrap"});
  Tendon::Point read{point.text("frame"), point.number("weight", 1)};
  if (const Value* wrap = point.find("wrap")) read.wrap = read_wrap(point, *wrap);
  return read;
}

/// A number, or a list of the lowest and the largest.
std::array<double, 2> read_range(const Fields& fields, const char* key, const Dimension& wanted) {
  const Value& value = fields.require(key);
  if (value.kind == Value::Kind::list) {
    const auto ends = fields.to_numbers(value, key, 2, wanted);
    return {ends[0], ends[1]};
  }
  const double x = fields.to_number(value, key, wanted);
  return {x, x};
}

Tendon read_tendon(const std::string& name, const Value& value) {
  const Fields fields(
      name, value, "tendon",
      {"name", "joints", "points", "stiffness", "damping", "rest", "friction", "range"});
  Tendon tendon{.name = fields.text("name"), .terms = read_terms(fields)};
  for (const Value& point : fields.list("points"))
    tendon.points.push_back(read_point(fields, point));
  const bool in_space = !tendon.points.empty();
  const auto wanted = [&](const Dimension& d) { return in_space ? d : dimensions::any; };
  read_polynomial(fields, "stiffness", wanted(dimensions::stiffness), tendon.stiffness,
                  tendon.stiffening);
  read_polynomial(fields, "damping", wanted(dimensions::damping), tendon.damping, tendon.drag);
  tendon.friction = fields.number("friction", 0, wanted(dimensions::force));
  if (fields.has("rest")) tendon.rest = read_range(fields, "rest", wanted(dimensions::length));
  if (fields.has("range")) {
    const Value& range = fields.require("range");
    if (range.kind != Value::Kind::list)
      fields.refuse(range, "range: give two lengths, the least and the largest");
    tendon.range = read_range(fields, "range", wanted(dimensions::length));
  }
  tendon.where = fields.where();
  return tendon;
}

std::string wrap_text(const Tendon::Wrap& wrap) {
  return fmt::format("{{frame: {}, shape: {}, radius: {}{}}}", yaml_word(wrap.frame),
                     shapes[wrap.shape], to_text(wrap.radius),
                     wrap.side.empty() ? "" : ", side: " + yaml_word(wrap.side));
}
std::string points_text(const std::vector<Tendon::Point>& points) {
  std::string text;
  for (const auto& [frame, weight, wrap] : points) {
    text += text.empty() ? "" : ", ";
    if (weight == 1 && !wrap)
      text += yaml_word(frame);
    else
      text += "{frame: " + yaml_word(frame) + (weight == 1 ? "" : ", weight: " + to_text(weight)) +
              (wrap ? ", wrap: " + wrap_text(*wrap) : "") + "}";
  }
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
                    polynomial_text(t.stiffness, t.stiffening), polynomial_text(t.damping, t.drag),
                    to_text(t.rest[0]), to_text(t.rest[1])) +
        (t.friction == 0 ? "" : "    friction: " + to_text(t.friction) + "\n") +
        (t.range
             ? fmt::format("    range: [{}, {}]\n", to_text((*t.range)[0]), to_text((*t.range)[1]))
             : "");
  return out.empty() ? out : "tendons:\n" + out;
}

void read_polynomial(const Fields& fields, const char* key, const Dimension& wanted, double& linear,
                     std::array<double, 2>& more) {
  const Value* value = fields.find(key);
  if (value == nullptr) return;
  if (value->kind != Value::Kind::list) {
    linear = fields.to_number(*value, key, wanted);
    return;
  }
  if (value->items.empty() || value->items.size() > 3)
    fields.refuse(*value, std::string(key) + " has " + std::to_string(value->items.size()) +
                              " numbers; give one, or up to three: the linear, quadratic and cubic "
                              "coefficients");
  linear = fields.to_number(value->items[0], key, wanted);
  for (std::size_t k = 1; k < value->items.size(); ++k)
    more[k - 1] = fields.to_number(value->items[k], key, dimensions::any);
}

std::string polynomial_text(double linear, const std::array<double, 2>& more) {
  if (more == std::array<double, 2>{}) return to_text(linear);
  return fmt::format("[{}, {}, {}]", to_text(linear), to_text(more[0]), to_text(more[1]));
}

}  // namespace chasles::io
