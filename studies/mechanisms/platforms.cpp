#include "studies/mechanisms/platforms.hpp"

#include <cmath>

#include "studies/mechanisms/rods.hpp"

namespace chasles::studies {
namespace {

constexpr Vec3 e_x{1, 0, 0}, e_y{0, 1, 0}, e_z{0, 0, 1};

/// On a circle about the z axis.
Vec3 on_circle(double radius, double degrees, double height) {
  const double angle = degrees * M_PI / 180;
  return {radius * std::cos(angle), radius * std::sin(angle), height};
}

/// A universal joint with both axes perpendicular to a bar; the first is horizontal.
Joint across(const Vec3& from, const Vec3& to) {
  const Vec3 way = to - from, level = cross(e_z, way);
  Joint joint = joints::of(JointType::universal, level, from);
  std::get<AxisGeometry>(joint.geometry).x_axis = cross(way, level);
  return joint;
}

/// A disk about z, of a density that does not matter.
Sym3 disk(double mass, double radius) {
  const double I = mass * radius * radius / 4;
  return Sym3::diagonal(I, I, 2 * I);
}

}  // namespace

Mechanism stewart() {
  MechanismBuilder builder("stewart");
  builder.body("platform", ground, joints::floating())
      .pose({{}, {0, 0, 0.6}})
      .inertia(10, {}, disk(10, 0.25));
  for (int i = 0; i < 6; ++i) {
    const int pair = i / 2, side = i % 2 == 0 ? -1 : 1;
    // From the right of one pair of feet to the left of the next pair of heads, and so on around.
    const Vec3 foot = on_circle(0.5, 120 * pair + 12 * side, 0);
    const Vec3 head = on_circle(0.25, 120 * pair + side * (60 - 12), 0.6);
    const Vec3 middle = 0.5 * (foot + head);
    const std::string number = std::to_string(i + 1);
    rod(builder, "lower" + number, ground, across(foot, head), foot, middle, 1, 0.1);
    builder.joint_name("swivel" + number);
    rod(builder, "upper" + number, "lower" + number, joints::prismatic(head - foot), middle, head,
        0.6, 0.1);
    builder.joint_name("leg" + number);
    builder.loop(
        closure("ball" + number, "upper" + number, "platform", JointType::spherical, head));
  }
  return builder.build();
}

Mechanism delta() {
  MechanismBuilder builder("delta");
  builder.body("platform", ground, joints::floating())
      .pose({{}, {0, 0, -0.6}})
      .inertia(0.4, {}, disk(0.4, 0.06));
  for (int i = 0; i < 3; ++i) {
    const double angle = 120.0 * i;
    const Vec3 shoulder = on_circle(0.2, angle, 0), elbow = on_circle(0.5, angle, 0),
               wrist = on_circle(0.06, angle, -0.6), aside = on_circle(1, angle + 90, 0);
    const std::string number = std::to_string(i + 1);
    rod(builder, "arm" + number, ground, joints::revolute(aside, shoulder), shoulder, elbow, 0.5);
    builder.joint_name("motor" + number);
    for (const int side : {-1, 1}) {
      const Vec3 from = elbow + (0.05 * side) * aside, to = wrist + (0.05 * side) * aside;
      const std::string name = number + (side < 0 ? "a" : "b");
      rod(builder, "bar" + name, "arm" + number, across(from, to), from, to, 0.1, 0.02);
      builder.joint_name("elbow" + name);
      builder.loop(closure("ball" + name, "bar" + name, "platform", JointType::spherical, to));
    }
  }
  return builder.build();
}

Mechanism differential() {
  const auto wheel = [](double mass, double radius) {  // about y
    const double I = mass * radius * radius / 4;
    return Sym3::diagonal(I, 2 * I, I);
  };
  return MechanismBuilder("differential")
      .body("shaft", ground, joints::revolute(e_x))
      .inertia(2, {-0.3, 0, 0}, Sym3::diagonal(0.001, 0.02, 0.02))
      .body("cage", ground, joints::revolute(e_y))
      .inertia(4, {}, wheel(4, 0.12))
      .body("left", ground, joints::revolute(e_y, {0, 0.5, 0}))
      .pose({{}, {0, 0.5, 0}})
      .inertia(12, {}, wheel(12, 0.3))
      .body("right", ground, joints::revolute(e_y, {0, -0.5, 0}))
      .pose({{}, {0, -0.5, 0}})
      .inertia(12, {}, wheel(12, 0.3))
      .body("pinion", "cage", joints::revolute(e_z))
      .pose({{}, {0, 0, 0.05}})
      .inertia(0.2, {}, disk(0.2, 0.03))
      .coupling({"drive", {{"shaft", 1}, {"cage", -4}}})
      .coupling({"wheels", {{"left", 1}, {"right", 1}, {"cage", -2}}})
      .coupling({"planet", {{"pinion", 1}, {"left", -2}, {"cage", 2}}})
      .build();
}

}  // namespace chasles::studies
