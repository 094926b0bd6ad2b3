/// The list `constraints` of a scenario.
#include "chasles/constraints/point_constraints.hpp"
#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

using Kind = Value::Kind;

struct ConstraintReader {
  const std::string& file;
  const Value& value;
  const Model& model;
  ConstVectorRef q;  // at the start
  std::string what;  // "constraint 2"

  Fields fields(Fields::Keys known) const { return {file, value, what, known}; }
  std::string name(const Fields& f) const { return f.text("name", what); }

  ConstraintPoint point(const Fields& f, const Value& given, std::string_view key) const {
    const Fields p(file, given, f.what() + ", " + std::string(key), {"body", "point"});
    return {p.text("body"), p.vec3("point", {}, dimensions::length)};
  }
  ConstraintPoint point_of(const Fields& f) const {
    return {f.text("body"), f.vec3("point", {}, dimensions::length)};
  }
  /// A length that is not given is that at the start.
  ConstraintPtr cable(const Fields& f, const std::vector<ConstraintPoint>& points) const {
    return with_location(f, value, [&] {
      double length = 0;
      if (f.has("length")) {
        length = f.number("length", dimensions::length);
      } else {
        PositionKinematics kin(model);
        forward_kinematics(model, q, kin);
        const auto at = [&](const ConstraintPoint& p) {
          return pose(kin, model.frame(p.body).at({SO3{}, p.point})).r;
        };
        for (std::size_t i = 0; i + 1 < points.size(); ++i)
          length += norm(at(points[i + 1]) - at(points[i]));
      }
      return cable_constraint(model, name(f), points, length);
    });
  }

  std::vector<ConstraintPtr> distance() const {
    const Fields f = fields({"type", "name", "a", "b", "length"});
    return {cable(f, {point(f, f.require("a"), "a"), point(f, f.require("b"), "b")})};
  }
  std::vector<ConstraintPtr> cable() const {
    const Fields f = fields({"type", "name", "points", "length"});
    f.require("points");
    std::vector<ConstraintPoint> points;
    for (const Value& item : f.list("points")) points.push_back(point(f, item, "points"));
    return {cable(f, points)};
  }
  std::vector<ConstraintPtr> on_plane() const {
    const Fields f = fields({"type", "name", "body", "point", "plane"});
    const Fields plane(file, f.require("plane"), what + ", plane", {"body", "point", "normal"});
    const ConstraintPoint at{plane.text("body", ground),
                             plane.vec3("point", {}, dimensions::length)};
    return {with_location(f, value, [&] {
      return point_on_plane(model, name(f), point_of(f), at, plane.vec3("normal", {0, 0, 1}));
    })};
  }
  std::vector<ConstraintPtr> on_line() const {
    const Fields f = fields({"type", "name", "body", "point", "line"});
    const Fields line(file, f.require("line"), what + ", line", {"body", "point", "direction"});
    const ConstraintPoint at{line.text("body", ground), line.vec3("point", {}, dimensions::length)};
    return {with_location(f, value, [&] {
      return point_on_line(model, name(f), point_of(f), at, line.vec3("direction"));
    })};
  }
  /// Text of an expression, or a number.
  std::string expression(const Fields& f, std::string_view key) const {
    const Value* given = f.find(key);
    if (given == nullptr) return "0";
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
  std::vector<ConstraintPtr> on_curve() const {
    const Fields f = fields({"type", "name", "body", "point", "curve"});
    const Value& given = f.require("curve");
    const Fields c(file, given, what + ", curve",
                   {"body", "point", "points", "x", "y", "z", "from", "to", "closed"});
    const ConstraintPoint origin{c.text("body", ground), c.vec3("point", {}, dimensions::length)};
    const bool closed = c.boolean("closed", false);
    bool flat = !c.has("z");
    const bool by_points = c.has("points");
    for (const std::string_view key : {"x", "y", "z", "from", "to"})
      if (by_points && c.has(key))
        c.refuse(c.require(key), std::string(key) + ": the curve is given by points; leave it out");
    if (!by_points && !c.has("x") && !c.has("y") && flat)
      c.refuse(given, "is empty; give points, or expressions x, y and z of s");
    const std::vector<Vec3> points = curve_points(c, flat);
    const double from = by_points ? 0 : c.number("from", dimensions::any),
                 to = by_points ? 0 : c.number("to", dimensions::any);
    const std::string x = expression(c, "x"), y = expression(c, "y"), z = expression(c, "z");
    const SpaceCurve curve = with_location(c, given, [&] {
      return by_points ? SpaceCurve::through(points, closed)
                       : SpaceCurve::expressions(x, y, z, from, to, closed);
    });
    return {with_location(f, value, [&] {
      return flat ? point_on_profile(model, name(f), point_of(f), origin, curve)
                  : point_on_curve(model, name(f), point_of(f), origin, curve);
    })};
  }
  std::vector<ConstraintPtr> rolling() const {
    const Fields f =
        fields({"type", "name", "body", "center", "axis", "radius", "plane", "contact"});
    RollingWheel wheel{{f.text("body"), f.vec3("center", {}, dimensions::length)}};
    if (f.has("axis")) wheel.axis = f.vec3("axis");
    wheel.radius = f.number("radius", dimensions::length);
    if (const Value* given = f.find("plane")) {
      const Fields plane(file, *given, what + ", plane", {"point", "normal"});
      wheel.plane = plane.vec3("point", {}, dimensions::length);
      wheel.normal = plane.vec3("normal", wheel.normal);
    }
    return with_location(f, value, [&] {
      std::vector<ConstraintPtr> list{rolling_constraint(model, name(f), wheel)};
      if (f.boolean("contact", true))
        list.push_back(wheel_on_plane(model, name(f) + " contact", wheel));
      return list;
    });
  }
};

}  // namespace

std::vector<std::shared_ptr<const Constraint>> read_constraints(const Fields& scenario,
                                                                const Model& model,
                                                                ConstVectorRef q) {
  static constexpr std::string_view types[] = {"distance",      "cable",          "point_on_plane",
                                               "point_on_line", "point_on_curve", "rolling"};
  static constexpr std::vector<ConstraintPtr> (ConstraintReader::*readers[])() const = {
      &ConstraintReader::distance, &ConstraintReader::cable,    &ConstraintReader::on_plane,
      &ConstraintReader::on_line,  &ConstraintReader::on_curve, &ConstraintReader::rolling};
  std::vector<ConstraintPtr> list;
  int number = 0;
  for (const Value& value : scenario.list("constraints")) {
    const ConstraintReader reader{scenario.file(), value, model, q,
                                  "constraint " + std::to_string(++number)};
    const std::size_t type = type_of(scenario.file(), value, reader.what, "constraint", types);
    for (const ConstraintPtr& one : (reader.*readers[type])()) {
      for (const ConstraintPtr& other : list)
        if (other->name() == one->name())
          fail(scenario.file(), value.location,
               reader.what + ": there is another constraint of the name " + quote(one->name()));
      list.push_back(one);
    }
  }
  return list;
}

}  // namespace chasles::io
