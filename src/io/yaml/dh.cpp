/// Denavit-Hartenberg tables as pairs of joint frames. With q the variable about or along z,
///
///     standard:  C = Rz(theta + q) Tz(d) Tx(a) Rx(alpha) = S_p Rz(q) S_c^-1,
///                S_p = Rz(theta) Tz(d),  S_c^-1 = Tx(a) Rx(alpha)
///     modified:  C = Rx(alpha) Tx(a) Rz(theta + q) Tz(d) = S_p Rz(q),
///                S_p = Rx(alpha) Tx(a) Rz(theta) Tz(d),  S_c = I
///
/// since Rz(q) and Tz(d) commute; for a prismatic joint read Tz(q) for Rz(q).

#include "chasles/lie/quaternion.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

SE3 rotate_and_slide_z(double angle, double distance) {
  return {rotation_from_rpy(0.0, 0.0, angle), {0, 0, distance}};
}
SE3 rotate_and_slide_x(double angle, double distance) {
  return {rotation_from_rpy(angle, 0.0, 0.0), {distance, 0, 0}};
}

Body read_row(const std::string& file, const Value& value, bool modified,
              const std::string& parent) {
  const Fields row(file, value, "body",
                   {"name", "joint", "type", "parent", "a", "alpha", "d", "theta", "offset",
                    "limits", "dynamics", "mimic", "rotor", "armature", "inertia"},
                   "row of the DH table");
  static constexpr std::string_view types[] = {"revolute", "prismatic", "fixed"};
  Body body;
  body.name = row.text("name");
  body.parent = row.text("parent", parent);
  body.joint.name = row.text("joint", "");
  body.joint.type = *joint_type(types[row.choice("type", types, 0)]);
  const bool slides = body.joint.type == JointType::prismatic;
  const double offset = row.number("offset", 0, slides ? dimensions::length : dimensions::angle);
  if (offset != 0 && body.joint.type == JointType::fixed)
    row.refuse(row.require("offset"), "offset: a fixed row has no variable; leave it out");
  const SE3 along_z =
      rotate_and_slide_z(row.number("theta", 0, dimensions::angle) + (slides ? 0 : offset),
                         row.number("d", 0, dimensions::length) + (slides ? offset : 0));
  const SE3 along_x = rotate_and_slide_x(row.number("alpha", 0, dimensions::angle),
                                         row.number("a", 0, dimensions::length));
  body.joint.geometry =
      modified ? FramesGeometry{along_x * along_z, {}} : FramesGeometry{along_z, inverse(along_x)};
  body.joint.limits = read_limits(row, body.joint);
  body.joint.dynamics = read_dynamics(row, body.joint);
  body.joint.mimic = read_mimic(row, body.joint);
  body.joint.rotor = read_rotor(row);
  body.joint.armature = row.number("armature", 0, dimensions::any);
  body.inertia = read_inertia(row);
  body.where = row.where();
  return body;
}

}  // namespace

void read_dh(const Fields& file, Mechanism& mechanism) {
  if (file.has("dh") && file.has("mdh"))
    file.refuse(file.require("mdh"), "mdh: the file has a dh table already; give one of them");
  const bool modified = file.has("mdh");
  std::string parent(ground);
  for (const Value& row : file.list(modified ? "mdh" : "dh")) {
    mechanism.bodies.push_back(read_row(file.file(), row, modified, parent));
    parent = mechanism.bodies.back().name;
  }
}

}  // namespace chasles::io
