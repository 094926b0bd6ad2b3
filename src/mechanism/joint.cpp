#include "chasles/mechanism/joint.hpp"

#include <cmath>

namespace chasles {
namespace {

using enum ElementaryMotion;

constexpr JointTypeInfo table[] = {
    // type, name, motions, axis, point, pitch
    {JointType::revolute, "revolute", {rotation_z}, true, true, false},
    {JointType::prismatic, "prismatic", {translation_z}, true, true, false},
    {JointType::helical, "helical", {helical_z}, true, true, true},
    {JointType::cylindrical, "cylindrical", {rotation_z, translation_z}, true, true, false},
    {JointType::universal, "universal", {rotation_z, rotation_x}, true, true, false},
    {JointType::spherical, "spherical", {spherical}, false, true, false},
    {JointType::planar, "planar", {translation_x, translation_y, rotation_z}, true, true, false},
    {JointType::translation2, "translation2", {translation_x, translation_y}, true, true, false},
    {JointType::translation3,
     "translation3",
     {translation_x, translation_y, translation_z},
     true,
     true,
     false},
    {JointType::planar_helical,
     "planar_helical",
     {translation_x, translation_y, helical_z},
     true,
     true,
     true},
    {JointType::schoenflies,
     "schoenflies",
     {translation_x, translation_y, translation_z, rotation_z},
     true,
     true,
     false},
    {JointType::telescoping, "telescoping", {spherical, translation_z}, true, true, false},
    {JointType::floating, "floating", {floating_se3}, false, false, false},
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
std::vector<CoordinateKind> kinds_of(ElementaryMotion motion) {
  using enum CoordinateKind;
  switch (motion) {
    case none:
      return {};
    case rotation_z:
    case rotation_x:
    case helical_z:
      return {angle};
    case translation_x:
    case translation_y:
    case translation_z:
      return {distance};
    case spherical:
      return {quaternion};
    case floating_se3:
    case floating_so3xr3:
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

std::array<ElementaryMotion, 4> motions_of(const Joint& joint) {
  if (joint.type == JointType::floating && joint.group == FloatingGroup::so3xr3)
    return {floating_so3xr3};
  return joint_type_info(joint.type).motions;
}

std::vector<CoordinateKind> coordinate_kinds(const Joint& joint) {
  std::vector<CoordinateKind> list;
  for (const ElementaryMotion motion : motions_of(joint))
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
