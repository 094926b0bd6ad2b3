#include "chasles/mechanism/constraint_element.hpp"

#include <cmath>
#include <unordered_set>

#include "chasles/mechanism/mechanism.hpp"
#include "chasles/suggest.hpp"
#include "mechanism/named_parts.hpp"
#include "utf8.hpp"

namespace chasles {
namespace {

struct PointsOf {
  using List = std::vector<ConstraintPoint>;
  List operator()(const CableElement& e) const { return e.points; }
  List operator()(const PlaneElement& e) const { return {e.at, e.plane}; }
  List operator()(const LineElement& e) const { return {e.at, e.line}; }
  List operator()(const CurveElement& e) const { return {e.at, e.origin}; }
  List operator()(const RollingElement& e) const { return {e.wheel.center}; }
};

/// Sizes and directions that no configuration makes right.
struct NumbersOf {
  const std::string& what;

  void positive(const char* name, double value) const {
    if (!(value > 0 && std::isfinite(value)))
      throw Error(what + ": " + name + " " + to_text(value) + " is not positive");
  }
  void direction(const char* name, const Vec3& given) const {
    if (!is_finite(given) || max_abs(given) == 0)
      throw Error(what + ": " + name + " " + tuple_text(coordinates(given)) +
                  " has no direction; give a nonzero vector");
  }
  void operator()(const CableElement& e) const {
    if (e.points.size() < 2) throw Error(what + ": needs two points or more");
    if (e.length) positive("length", *e.length);
  }
  void operator()(const PlaneElement& e) const { direction("normal", e.normal); }
  void operator()(const LineElement& e) const { direction("direction", e.direction); }
  void operator()(const CurveElement& e) const {
    for (const std::string& text : e.expressions)
      if (!e.points.empty() && !text.empty())
        throw Error(what + ": its curve is given by points and by expressions; leave one out");
  }
  void operator()(const RollingElement& e) const {
    positive("radius", e.wheel.radius);
    direction("normal", e.wheel.normal);
    if (e.wheel.axis) direction("axis", *e.wheel.axis);
    if (!is_finite(e.wheel.plane)) throw Error(what + ": the plane is not finite");
  }
};

}  // namespace

std::vector<ConstraintPoint> points_of(const ConstraintElement& element) {
  return std::visit(PointsOf{}, element.data);
}

void check_constraints(const Mechanism& mechanism) {
  if (mechanism.constraints.empty()) return;
  std::vector<std::string_view> known{ground};
  for (const Body& body : mechanism.bodies) known.push_back(body.name);
  for (const FrameDescription& frame : mechanism.frames) known.push_back(frame.name);
  const std::unordered_set<std::string_view> places(known.begin(), known.end());
  std::unordered_set<std::string> names;
  for (const ConstraintElement& element : mechanism.constraints) {
    if (element.name.empty())
      throw Error((element.where.empty() ? "" : element.where + ": ") + "a constraint has no name");
    const std::string what = describe(element.where, "constraint", element.name);
    if (!is_one_line(element.name))
      throw Error(what +
                  ": the name has characters that cannot be printed; give one line of UTF-8");
    const auto* rolling = std::get_if<RollingElement>(&element.data);
    if (!names.insert(element.name).second ||
        (rolling != nullptr && rolling->contact && !names.insert(element.name + " contact").second))
      throw Error(what + ": the name is used twice");
    for (const auto& [body, point] : points_of(element)) {
      if (!places.contains(body))
        throw Error(what + ": there is no body or frame '" + body + "'" +
                    did_you_mean(body, known));
      if (!is_finite(point)) throw Error(what + ": the point on '" + body + "' is not finite");
    }
    std::visit(NumbersOf{what}, element.data);
  }
}

}  // namespace chasles
