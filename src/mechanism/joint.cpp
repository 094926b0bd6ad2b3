#include "chasles/mechanism/joint.hpp"

#include <cmath>

namespace chasles {
namespace {

using enum Motion;

constexpr JointTypeInfo table[] = {
    // type, name, motions, axis, point, pitch
    {JointType::revolute, "revolute", {turn_z}, true, true, false},
    {JointType::prismatic, "prismatic", {slide_z}, true, true, false},
    {JointType::helical, "helical", {screw_z}, true, true, true},
    {JointType::cylindrical, "cylindrical", {turn_z, slide_z}, true, true, false},
    {JointType::universal, "universal", {turn_z, turn_x}, true, true, false},
    {JointType::spherical, "spherical", {ball}, false, true, false},
    {JointType::planar, "planar", {slide_x, slide_y, turn_z}, true, true, false},
    {JointType::translation2, "translation2", {slide_x, slide_y}, true, true, false},
    {JointType::translation3, "translation3", {slide_x, slide_y, slide_z}, true, true, false},
    {JointType::planar_helical, "planar_helical", {slide_x, slide_y, screw_z}, true, true, true},
    {JointType::schoenflies, "schoenflies", {slide_x, slide_y, slide_z, turn_z}, true, true, false},
    {JointType::telescoping, "telescoping", {ball, slide_z}, true, true, false},
    {JointType::free, "free", {rigid}, false, false, false},
    {JointType::fixed, "fixed", {}, false, false, false},
    {JointType::custom, "custom", {}, false, false, false},
};

constexpr CoordinateKindInfo kind_table[] = {
    // name, nq, nv, scalar, angular, units of q, v and of the force
    {"angle", 1, 1, true, true, "rad", "rad/s", "N m"},
    {"distance", 1, 1, true, false, "m", "m/s", "N"},
    {"quaternion", 4, 3, false, true, "1", "rad/s", "N m"},
    {"position", 3, 3, false, false, "m", "m/s", "N"},
};

/// The coordinates of an elementary motion.
std::vector<CoordinateKind> kinds_of(Motion motion) {
  using enum CoordinateKind;
  switch (motion) {
    case none:
      return {};
    case turn_z:
    case turn_x:
    case screw_z:
      return {angle};
    case slide_x:
    case slide_y:
    case slide_z:
      return {distance};
    case ball:
      return {quaternion};
    case rigid:
    case direct:
      return {quaternion, position};
  }
  return {};
}

}  // namespace

const CoordinateKindInfo& coordinate_kind_info(CoordinateKind kind) {
  if (const auto row = static_cast<std::size_t>(kind); row < std::size(kind_table))
    return kind_table[row];
  throw Error("kind " + std::to_string(static_cast<int>(kind)) + " of coordinates does not exist");
}

const JointTypeInfo& joint_type_info(JointType type) {
  for (const JointTypeInfo& row : table)
    if (row.type == type) return row;
  throw Error("joint type " + std::to_string(static_cast<int>(type)) + " does not exist");
}

std::array<Motion, 4> motions_of(const Joint& joint) {
  if (joint.type == JointType::free && joint.group == FreeGroup::so3xr3) return {direct};
  return joint_type_info(joint.type).motions;
}

std::vector<CoordinateKind> coordinate_kinds(const Joint& joint) {
  std::vector<CoordinateKind> list;
  for (const Motion motion : motions_of(joint))
    for (const CoordinateKind kind : kinds_of(motion)) list.push_back(kind);
  if (joint.type == JointType::custom)
    for (const ScrewData& screw : joint.screws)
      list.push_back(std::isinf(screw.pitch) ? CoordinateKind::distance : CoordinateKind::angle);
  return list;
}

std::optional<JointType> joint_type(std::string_view name) {
  for (const JointTypeInfo& row : table)
    if (row.name == name) return row.type;
  return std::nullopt;
}

std::vector<std::string_view> joint_type_names() {
  std::vector<std::string_view> names;
  for (const JointTypeInfo& row : table) names.push_back(row.name);
  return names;
}

}  // namespace chasles
