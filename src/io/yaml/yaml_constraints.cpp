/// The list `constraints` of a mechanism or scenario.
#include <fmt/format.h>

#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

struct ConstraintReader {
  const std::string& file;
  const Value& value;
  std::string what;  // "constraint 2"

  Fields fields(Fields::Keys known) const { return {file, value, what, known}; }
  ConstraintElement element(const Fields& f, decltype(ConstraintElement::data) data) const {
    return {f.text("name", what), std::move(data), f.where()};
  }

  ConstraintPoint point(const Fields& f, const Value& given, std::string_view key) const {
    const Fields p(file, given, f.what() + ", " + std::string(key), {"body", "point"});
    return {p.text("body"), p.vec3("point", {}, dimensions::length)};
  }
  ConstraintPoint point_of(const Fields& f) const {
    return {f.text("body"), f.vec3("point", {}, dimensions::length)};
  }
  ConstraintElement cable(const Fields& f, std::vector<ConstraintPoint> points) const {
    CableElement e{std::move(points)};
    if (f.has("length")) e.length = f.number("length", dimensions::length);
    return element(f, std::move(e));
  }

  ConstraintElement distance() const {
    const Fields f = fields({"type", "name", "a", "b", "length"});
    return cable(f, {point(f, f.require("a"), "a"), point(f, f.require("b"), "b")});
  }
  ConstraintElement cable() const {
    const Fields f = fields({"type", "name", "points", "length"});
    f.require("points");
    std::vector<ConstraintPoint> points;
    for (const Value& item : f.list("points")) points.push_back(point(f, item, "points"));
    return cable(f, std::move(points));
  }
  ConstraintElement on_plane() const {
    const Fields f = fields({"type", "name", "body", "point", "plane"});
    const Fields plane(file, f.require("plane"), what + ", plane", {"body", "point", "normal"});
    const ConstraintPoint at{plane.text("body", ground),
                             plane.vec3("point", {}, dimensions::length)};
    return element(f, PlaneElement{point_of(f), at, plane.vec3("normal", {0, 0, 1})});
  }
  ConstraintElement on_line() const {
    const Fields f = fields({"type", "name", "body", "point", "line"});
    const Fields line(file, f.require("line"), what + ", line", {"body", "point", "direction"});
    const ConstraintPoint at{line.text("body", ground), line.vec3("point", {}, dimensions::length)};
    return element(f, LineElement{point_of(f), at, line.vec3("direction")});
  }
  /// Text of an expression, or a number.
  std::string expression(const Fields& f, std::string_view key) const {
    const Value* given = f.find(key);
    if (given == nullptr) return {};
    if (given->kind != Kind::scalar)
      f.refuse(*given,
               std::string(key) + " is not an expression; give text such as \"0.1*cos(s)\"");
    return given->text;
  }
  /// The points of a curve; `flat`: they have two coordinates.
  std::vector<Vec3> curve_points(const Fields& f, bool& flat) const {
    std::vector<Vec3> points;
    for (const Value& item : f.list("points")) {
      const std::size_t size = item.kind == Kind::list ? item.items.size() : 0;
      if (size < 2 || size > 3 || (!points.empty() && flat != (size == 2)))
        f.refuse(item, "points: give all as [x, y], or all as [x, y, z]");
      flat = size == 2;
      const auto numbers =
          f.to_numbers(item, "points", std::vector<Dimension>(size, dimensions::length));
      points.push_back({numbers[0], numbers[1], flat ? 0 : numbers[2]});
    }
    return points;
  }
  ConstraintElement on_curve() const {
    const Fields f = fields({"type", "name", "body", "point", "curve"});
    const Value& given = f.require("curve");
    const Fields c(file, given, what + ", curve",
                   {"body", "point", "points", "x", "y", "z", "from", "to", "closed"});
    CurveElement e{point_of(f), {c.text("body", ground), c.vec3("point", {}, dimensions::length)}};
    e.closed = c.boolean("closed", false);
    e.flat = !c.has("z");
    const bool by_points = c.has("points");
    for (const std::string_view key : {"x", "y", "z", "from", "to"})
      if (by_points && c.has(key))
        c.refuse(c.require(key), std::string(key) + ": the curve is given by points; leave it out");
    if (!by_points && !c.has("x") && !c.has("y") && e.flat)
      c.refuse(given, "is empty; give points, or expressions x, y and z of s");
    e.points = curve_points(c, e.flat);
    if (by_points && e.points.empty())
      c.refuse(c.require("points"), "points: the list is empty; give two or more");
    if (!by_points)
      e.from = c.number("from", dimensions::any), e.to = c.number("to", dimensions::any);
    e.expressions = {expression(c, "x"), expression(c, "y"), expression(c, "z")};
    return element(f, std::move(e));
  }
  ConstraintElement rolling() const {
    const Fields f =
        fields({"type", "name", "body", "center", "axis", "radius", "plane", "contact"});
    RollingElement e{{{f.text("body"), f.vec3("center", {}, dimensions::length)}}};
    if (f.has("axis")) e.wheel.axis = f.vec3("axis");
    e.wheel.radius = f.number("radius", dimensions::length);
    if (const Value* given = f.find("plane")) {
      const Fields plane(file, *given, what + ", plane", {"point", "normal"});
      e.wheel.plane = plane.vec3("point", {}, dimensions::length);
      e.wheel.normal = plane.vec3("normal", e.wheel.normal);
    }
    e.contact = f.boolean("contact", true);
    return element(f, std::move(e));
  }
};

std::string vector_text(const Vec3& x) {
  return fmt::format("[{}, {}, {}]", to_text(x.x), to_text(x.y), to_text(x.z));
}
std::string place(const ConstraintPoint& p, const char* key = "point") {
  return fmt::format("body: {}, {}: {}", yaml_word(p.body), key, vector_text(p.point));
}

/// The keys of each type, after its name.
struct ConstraintText {
  std::string operator()(const CableElement& e) const {
    const std::string length = e.length ? ", length: " + to_text(*e.length) : "";
    if (e.points.size() == 2)
      return fmt::format("type: distance, a: {{{}}}, b: {{{}}}{}", place(e.points[0]),
                         place(e.points[1]), length);
    std::string points;
    for (const ConstraintPoint& p : e.points)
      points += (points.empty() ? "{" : ", {") + place(p) + "}";
    return fmt::format("type: cable, points: [{}]{}", points, length);
  }
  std::string operator()(const PlaneElement& e) const {
    return fmt::format("type: point_on_plane, {}, plane: {{{}, normal: {}}}", place(e.at),
                       place(e.plane), vector_text(e.normal));
  }
  std::string operator()(const LineElement& e) const {
    return fmt::format("type: point_on_line, {}, line: {{{}, direction: {}}}", place(e.at),
                       place(e.line), vector_text(e.direction));
  }
  std::string operator()(const CurveElement& e) const {
    std::string curve = place(e.origin), points;
    for (const Vec3& p : e.points)
      points += (points.empty() ? "" : ", ") +
                (e.flat ? fmt::format("[{}, {}]", to_text(p.x), to_text(p.y)) : vector_text(p));
    if (!points.empty()) curve += ", points: [" + points + "]";
    static constexpr const char* names[] = {"x", "y", "z"};
    for (std::size_t k = 0; k < 3; ++k) {
      // A curve in space has a z, one of the plane x y has none.
      if (k == 2 && (e.flat || !e.points.empty())) continue;
      const std::string text = e.expressions[k].empty() && k == 2 ? "0" : e.expressions[k];
      if (!text.empty()) curve += fmt::format(", {}: {}", names[k], yaml_word(text));
    }
    if (e.points.empty()) curve += ", from: " + to_text(e.from) + ", to: " + to_text(e.to);
    if (e.closed) curve += ", closed: true";
    return fmt::format("type: point_on_curve, {}, curve: {{{}}}", place(e.at), curve);
  }
  std::string operator()(const RollingElement& e) const {
    const RollingWheel& w = e.wheel;
    return fmt::format("type: rolling, {}{}, radius: {}, plane: {{point: {}, normal: {}}}{}",
                       place(w.center, "center"), w.axis ? ", axis: " + vector_text(*w.axis) : "",
                       to_text(w.radius), vector_text(w.plane), vector_text(w.normal),
                       e.contact ? "" : ", contact: false");
  }
};

}  // namespace

std::vector<ConstraintElement> read_constraints(const Fields& fields, std::size_t before) {
  static constexpr std::string_view types[] = {"distance",      "cable",          "point_on_plane",
                                               "point_on_line", "point_on_curve", "rolling"};
  static constexpr ConstraintElement (ConstraintReader::*readers[])() const = {
      &ConstraintReader::distance, &ConstraintReader::cable,    &ConstraintReader::on_plane,
      &ConstraintReader::on_line,  &ConstraintReader::on_curve, &ConstraintReader::rolling};
  std::vector<ConstraintElement> list;
  for (const Value& value : fields.list("constraints")) {
    const ConstraintReader reader{fields.file(), value, "constraint " + std::to_string(++before)};
    const std::size_t type = type_of(fields.file(), value, reader.what, "constraint", types);
    list.push_back((reader.*readers[type])());
  }
  return list;
}

std::string write_constraints(const Mechanism& mechanism) {
  std::string out;
  for (const ConstraintElement& element : mechanism.constraints)
    out += fmt::format("  - {{name: {}, {}}}\n", yaml_word(element.name),
                       std::visit(ConstraintText{}, element.data));
  return out.empty() ? out : "constraints:\n" + out;
}

}  // namespace chasles::io
