#include "chasles/mechanism/joint.hpp"

namespace chasles {
namespace {

using enum Motion;

constexpr JointTypeInfo table[] = {
    // type, name, motions, axis, pitch
    {JointType::revolute, "revolute", {turn_z}, true, false},
    {JointType::prismatic, "prismatic", {slide_z}, true, false},
    {JointType::helical, "helical", {screw_z}, true, true},
    {JointType::cylindrical, "cylindrical", {turn_z, slide_z}, true, false},
    {JointType::universal, "universal", {turn_z, turn_x}, true, false},
    {JointType::spherical, "spherical", {ball}, false, false},
    {JointType::planar, "planar", {slide_x, slide_y, turn_z}, true, false},
    {JointType::translation2, "translation2", {slide_x, slide_y}, true, false},
    {JointType::translation3, "translation3", {slide_x, slide_y, slide_z}, true, false},
    {JointType::planar_helical, "planar_helical", {slide_x, slide_y, screw_z}, true, true},
    {JointType::schoenflies, "schoenflies", {slide_x, slide_y, slide_z, turn_z}, true, false},
    {JointType::free, "free", {rigid}, false, false},
    {JointType::fixed, "fixed", {}, false, false},
    {JointType::custom, "custom", {}, false, false},
};

}  // namespace

const JointTypeInfo& joint_type_info(JointType type) {
  for (const JointTypeInfo& row : table)
    if (row.type == type) return row;
  throw Error("joint type " + std::to_string(static_cast<int>(type)) + " does not exist");
}

std::array<Motion, 4> motions_of(const Joint& joint) {
  if (joint.type == JointType::free && joint.group == FreeGroup::so3xr3) return {direct};
  return joint_type_info(joint.type).motions;
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
