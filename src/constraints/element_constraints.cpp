/// Constraints of the elements of a description.
#include "constraints/element_constraints.hpp"

#include "chasles/constraints/point_constraints.hpp"
#include "constraints/point_parts.hpp"

namespace chasles {

SpaceCurve space_curve_of(const CurveElement& e) {
  if (!e.points.empty()) return SpaceCurve::through(e.points, e.closed);
  const auto text = [&](std::size_t k) -> std::string_view {
    return e.expressions[k].empty() ? std::string_view("0") : e.expressions[k];
  };
  return SpaceCurve::expressions(text(0), text(1), text(2), e.from, e.to, e.closed);
}

namespace {

struct Maker {
  const Model& model;
  const ConstraintElement& element;
  ConstVectorRef q;

  double length_at_q(const CableElement& e) const {
    PositionKinematics kin(model);
    forward_kinematics(model, q, kin);
    const auto at = [&](const ConstraintPoint& p) {
      return pose(kin, model.frame(p.body).at({SO3{}, p.point})).r;
    };
    double length = 0;
    for (std::size_t i = 0; i + 1 < e.points.size(); ++i)
      length += norm(at(e.points[i + 1]) - at(e.points[i]));
    return length;
  }
  std::vector<ConstraintPtr> operator()(const CableElement& e) const {
    const double length = e.length ? *e.length : length_at_q(e);
    if (e.points.size() > 1 && !e.length && length == 0)
      throw Error(point_constraints::title(element.name) +
                  ": its points are at one place at the start; give its length, or other points");
    return {cable_constraint(model, element.name, e.points, length)};
  }
  std::vector<ConstraintPtr> operator()(const PlaneElement& e) const {
    return {point_on_plane(model, element.name, e.at, e.plane, e.normal)};
  }
  std::vector<ConstraintPtr> operator()(const LineElement& e) const {
    return {point_on_line(model, element.name, e.at, e.line, e.direction)};
  }
  std::vector<ConstraintPtr> operator()(const CurveElement& e) const {
    const SpaceCurve curve = space_curve_of(e);
    return {e.flat ? point_on_profile(model, element.name, e.at, e.origin, curve)
                   : point_on_curve(model, element.name, e.at, e.origin, curve)};
  }
  std::vector<ConstraintPtr> operator()(const RollingElement& e) const {
    std::vector<ConstraintPtr> list{rolling_constraint(model, element.name, e.wheel)};
    if (e.contact) list.push_back(wheel_on_plane(model, element.name + " contact", e.wheel));
    return list;
  }
};

}  // namespace

std::vector<ConstraintPtr> constraints_of(const Model& model, const ConstraintElement& element,
                                          ConstVectorRef q) {
  try {
    return std::visit(Maker{model, element, q}, element.data);
  } catch (const Error& error) {
    if (element.where.empty()) throw;
    throw Error(element.where + ": " + error.what());
  }
}

std::vector<ConstraintPtr> constraints_of(const Model& model) {
  std::vector<ConstraintPtr> all;
  for (const ConstraintElement& element : model.constraints())
    for (ConstraintPtr& one : constraints_of(model, element, model.neutral()))
      all.push_back(std::move(one));
  return all;
}

}  // namespace chasles
