#include "io/urdf/loops.hpp"

#include <algorithm>

#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"
#include "io/writers/xml_numbers.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {
namespace {

struct ConstraintRow {
  std::string_view name;
  JointType type;
};
constexpr ConstraintRow constraint_types[] = {{"revolute", JointType::revolute},
                                              {"prismatic", JointType::prismatic},
                                              {"universal", JointType::universal},
                                              {"spherical", JointType::spherical},
                                              {"link", JointType::fixed}};

JointType constraint_type(const Element& e) {
  const std::string name = e.text("type");
  std::vector<std::string_view> known;
  for (const ConstraintRow& row : constraint_types) {
    if (edit_distance(row.name, name) == 0) return row.type;
    known.push_back(row.name);
  }
  e.refuse("type " + quote(name) + " is not a constraint of URDF" + choices(name, known));
}

/// The axis of one end; missing: that of the other end.
std::optional<Vec3> axis_of(const Element& e, std::string_view tag) {
  const std::optional<Element> axis = e.child(tag);
  return axis ? std::optional(axis->vec3("xyz", {1, 0, 0})) : std::nullopt;
}

/// A frame whose z axis, or x axis, is given.
SE3 with_axis(const Vec3& axis, bool as_x, const std::string& what) {
  const SE3 J = joint_frame(axis, {}, {}, what);
  if (!as_x) return J;
  const Mat3 R = J.R.matrix();
  return {SO3::unchecked({R.c2, R.c0, R.c1}), {}};
}

}  // namespace

Loop read_constraint(const Element& e) {
  Loop loop{.name = e.text("name"), .bodies = {}, .type = constraint_type(e), .where = e.where()};
  loop.bodies = {e.require("parent").text("link"), e.require("child").text("link")};
  const SE3 first = read_origin(e, "parent_origin"), second = read_origin(e, "child_origin");
  FramesGeometry geometry{first, second};
  if (joint_type_info(loop.type).takes_axis) {
    const std::optional<Vec3> a = axis_of(e, "parent_axis"), b = axis_of(e, "child_axis");
    if (!a && !b) e.refuse("has no <parent_axis> element");
    const Vec3 one = a ? *a : *b, other = b ? *b : *a;
    const std::string what = "constraint " + quote(loop.name);
    if (loop.type == JointType::universal) {
      if (!a || !b) e.refuse("a universal joint has two axes; give <parent_axis> and <child_axis>");
      geometry = {first * with_axis(one, false, what), second * with_axis(other, true, what)};
      geometry.x_axis = Vec3{1, 0, 0};
    } else if (one == other) {
      geometry.axis = one;
    } else if (loop.type == JointType::revolute) {  // the angle about the axis is free
      geometry = {first * with_axis(one, false, what), second * with_axis(other, false, what)};
    } else {
      e.refuse(
          "the axes of a prismatic constraint differ, so its angle is not known; give the "
          "same axis in both frames");
    }
  }
  loop.geometry = geometry;
  return loop;
}

void read_loop_closures(const ReadOptions& options, Mechanism& mechanism) {
  if (options.folder.empty()) return;
  std::error_code error;
  std::filesystem::path path;
  for (const char* place :
       {"loop_closures.yaml", "../loop_closures.yaml", "../config/loop_closures.yaml"})
    if (path.empty() && std::filesystem::exists(options.folder / place, error))
      path = options.folder / place;
  if (path.empty()) return;
  const std::string name = path.string();
  const Value document = parse_yaml(read_file(path), name);
  const Fields top(name, document, "the file", {"closures", "dependent", "independent"});
  const auto warn = [&](const std::string& message) {
    if (options.warnings != nullptr)
      options.warnings->push_back(message_text(name + ": " + message));
  };
  for (const Value& value : top.list("closures")) {
    const Fields closure(name, value, "closure", {"link_a", "link_b", "point", "axis"},
                         "a closure");
    Loop loop{.name = "closure_" + std::to_string(mechanism.loops.size() + 1),
              .bodies = {closure.text("link_a"), closure.text("link_b")},
              .type = JointType::revolute,
              .geometry = AxisGeometry{.axis = closure.vec3("axis"),
                                       .point = closure.vec3("point"),
                                       .in = DescribedIn::world},
              .where = closure.where()};
    for (const std::string& link : loop.bodies)
      if (find_body(mechanism, link) < 0)
        return warn("is not read: it names a link " + quote(link) + ", which this model has not");
    mechanism.loops.push_back(std::move(loop));
  }
  for (const Value& dependent : top.list("dependent"))
    for (Body& body : mechanism.bodies)
      if (body.joint.name == dependent.text && body.joint.mimic) {
        body.joint.mimic = std::nullopt;
        warn("joint " + quote(body.joint.name) +
             " follows from the loop; its mimic, an approximation, is not kept");
      }
}

std::string constraint_element(const Loop& loop, const std::string& first_link, const SE3& first,
                               const std::string& second_link, const SE3& second) {
  const auto type = std::find_if(std::begin(constraint_types), std::end(constraint_types),
                                 [&](const ConstraintRow& row) { return row.type == loop.type; });
  if (type == std::end(constraint_types)) return "";
  const bool has_axis = joint_type_info(loop.type).takes_axis;
  const auto end = [&](const char* which, const std::string& link, const SE3& C, const char* axis) {
    std::string text = std::string("    <") + which + " link=\"" + xml_text(link) + "\"/>\n    <" +
                       which + "_origin xyz=\"" + numbers_text(C.r) + "\" rpy=\"" +
                       numbers_text(rpy(C.R)) + "\"/>\n";
    if (has_axis) text += std::string("    <") + which + "_axis xyz=\"" + axis + "\"/>\n";
    return text;
  };
  return "  <constraint name=\"" + xml_text(loop.name) + "\" type=\"" + std::string(type->name) +
         "\">\n" + end("parent", first_link, first, "0 0 1") +
         end("child", second_link, second, loop.type == JointType::universal ? "1 0 0" : "0 0 1") +
         "  </constraint>\n";
}

}  // namespace chasles::io
