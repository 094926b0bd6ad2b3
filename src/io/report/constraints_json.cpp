#include "io/report/constraints_json.hpp"

#include <fmt/format.h>

#include "constraints/element_constraints.hpp"
#include "constraints/point_parts.hpp"
#include "io/json/json_write.hpp"

namespace chasles::io {
namespace {

constexpr int function_pieces = 256;  // of a curve that is given by expressions

/// Parameters of a curve between which it is exactly, or nearly, a polynomial of fifth degree.
std::vector<double> nodes_of(const CurveElement& element, const SpaceCurve& curve) {
  std::vector<double> nodes;
  if (element.points.empty()) {
    for (int k = 0; k < function_pieces; ++k)
      nodes.push_back(curve.from() + (curve.to() - curve.from()) * k / function_pieces);
  } else {  // a spline, whose parameter is the length of the chords
    double s = 0;
    for (std::size_t i = 0; i < element.points.size() && s < curve.to(); ++i) {
      nodes.push_back(s);
      if (i + 1 < element.points.size()) s += norm(element.points[i + 1] - element.points[i]);
    }
  }
  nodes.push_back(curve.to());
  return nodes;
}

struct ElementJson {
  const Model& model;
  const std::vector<SE3>& J;

  Frame frame(const ConstraintPoint& p) const { return model.frame(p.body).at({SO3{}, p.point}); }
  std::string place(const ConstraintPoint& p) const { return "{" + frame_json(frame(p), J) + "}"; }
  double length_at_zero(const CableElement& e) const {
    double sum = 0;
    for (std::size_t i = 0; i + 1 < e.points.size(); ++i)
      sum +=
          norm(pose_at_zero(frame(e.points[i + 1]), J).r - pose_at_zero(frame(e.points[i]), J).r);
    return sum;
  }
  std::string flat(const ConstraintPoint& at, const ConstraintPoint& on,
                   const std::vector<Vec3>& normals) const {
    return "\"kind\":\"flat\",\"point\":" + place(at) + ",\"frame\":" + place(on) +
           ",\"normals\":" + json_list(normals, vec3_json);
  }

  std::string operator()(const CableElement& e) const {
    return "\"kind\":\"cable\",\"points\":" +
           json_list(e.points, [&](const ConstraintPoint& p) { return place(p); }) +
           ",\"length\":" + json_number(e.length ? *e.length : length_at_zero(e));
  }
  std::string operator()(const PlaneElement& e) const {
    return flat(e.at, e.plane, {(1 / norm(e.normal)) * e.normal});
  }
  std::string operator()(const LineElement& e) const {
    const auto [a, b] = point_constraints::perpendicular((1 / norm(e.direction)) * e.direction);
    return flat(e.at, e.line, {a, b});
  }
  std::string operator()(const CurveElement& e) const {
    const SpaceCurve curve = space_curve_of(e);
    const auto node = [&](double s) {
      const SpaceCurveValue at = curve(s);
      return json_numbers(std::array{s, at.c.x, at.c.y, at.c.z, at.d1.x, at.d1.y, at.d1.z, at.d2.x,
                                     at.d2.y, at.d2.z});
    };
    return fmt::format(
        "\"kind\":\"curve\",\"point\":{},\"frame\":{},\"flat\":{},\"closed\":{},\"straight\":{},"
        "\"nodes\":{}",
        place(e.at), place(e.origin), e.flat, e.closed, !e.points.empty(),
        json_list(nodes_of(e, curve), node));
  }
  std::string operator()(const RollingElement& e) const {
    const RollingWheel& w = e.wheel;
    return "\"kind\":\"wheel\",\"point\":" + place(w.center) +
           (w.axis ? ",\"axis\":" + vec3_json((1 / norm(*w.axis)) * *w.axis) : "") +
           ",\"radius\":" + json_number(w.radius) + ",\"plane\":" + vec3_json(w.plane) +
           ",\"normal\":" + vec3_json((1 / norm(w.normal)) * w.normal) +
           ",\"contact\":" + (e.contact ? "true" : "false");
  }
};

}  // namespace

std::string constraints_json(const Model& model, const std::vector<SE3>& J) {
  return json_list(model.constraints(), [&](const ConstraintElement& element) {
    return "\n{\"name\":" + json_text(element.name) + "," +
           std::visit(ElementJson{model, J}, element.data) + "}";
  });
}

}  // namespace chasles::io
