#include "studies/mechanisms/spherical.hpp"

#include <cmath>

#include "studies/mechanisms/rods.hpp"

namespace chasles::studies {
namespace {

constexpr double a = 0.2, b = 0.1, c = 0.05, mass = 2.7;
constexpr double pi = M_PI;

State at_rest(int nq, int nv) { return {0, Vector(nq), Vector(nv)}; }
void put(Vector& to, int index, const Vec3& x) {
  for (int k = 0; k < 3; ++k) to[index + k] = x[k];
}

/// A box whose x axis leads from one joint to the next.
MechanismBuilder& link(MechanismBuilder& builder, const char* name, std::string_view parent,
                       const Joint& joint, const SE3& pose) {
  return builder.body(name, parent, joint).pose(pose).inertia(mass, {}, box(mass, {a, b, c}));
}

}  // namespace

Example spinning_top() {
  State start = at_rest(4, 3);
  start.q[0] = 1;
  put(start.v, 0, {0, 20 * pi, 10 * pi});
  return {MechanismBuilder("top")
              .gravity({0, 0, 0})
              .body("body1", ground, joints::spherical())
              .joint_name("joint1")
              .pose({{}, {0.5, 0, 0}})
              .inertia(21.6, {}, Sym3::diagonal(0.36, 0.306, 0.09))
              .build(),
          start};
}

Example double_pendulum() {
  MechanismBuilder builder("double_pendulum");
  link(builder, "body1", ground, joints::spherical(), {{}, {a / 2, 0, 0}}).joint_name("joint1");
  link(builder, "body2", "body1", joints::spherical({a, 0, 0}), {{}, {3 * a / 2, 0, 0}})
      .joint_name("joint2");
  const Vec3 w1{10, 0, 0}, w2{10 * pi, 10 * pi, 20 * pi};
  State start = at_rest(8, 6);
  start.q[0] = start.q[4] = 1;
  put(start.v, 0, w1);
  put(start.v, 3, w2 - w1);
  return {builder.build(), start};
}

Example floating_bodies() {
  MechanismBuilder builder("floating_bodies");
  builder.gravity({0, 0, 0});
  link(builder, "body1", ground, joints::floating(), {{}, {a / 2, 0, 0}}).joint_name("base");
  link(builder, "body2", "body1", joints::spherical({a, 0, 0}), {{}, {3 * a / 2, 0, 0}})
      .joint_name("joint1");
  const Vec3 w1{0, 0, -10}, w2{1, -1, 2 * pi};
  State start = at_rest(11, 9);
  start.q[0] = start.q[7] = 1;
  put(start.v, 0, w1);
  put(start.v, 3, cross({a / 2, 0, 0}, w1));  // v + w x (a/2, 0, 0) = 0
  put(start.v, 6, w2 - w1);
  return {builder.build(), start};
}

Example three_bar() {
  const double span = 0.3, depth = std::sqrt(a * a - span * span / 4);
  const Vec3 foot{}, apex{span / 2, 0, -depth}, other{span, 0, 0}, y{0, 1, 0};
  // x along the link, y unchanged.
  const auto pose = [&](const Vec3& from, const Vec3& to) {
    const Vec3 x = (to - from) / a;
    return SE3{SO3(Mat3{x, y, cross(x, y)}), 0.5 * (from + to)};
  };
  const SE3 first = pose(foot, apex), second = pose(apex, other);
  MechanismBuilder builder("three_bar");
  link(builder, "body1", ground, joints::spherical(foot), first).joint_name("joint1");
  link(builder, "body2", "body1", joints::spherical(apex), second).joint_name("joint2");
  builder.loop(closure("joint3", "body2", "ground", JointType::spherical, other));
  const Vec3 swing{10 * pi, 0, 0};
  const Vec3 w1 = inverse_times(first.R, swing) + Vec3{2 * pi, 0, 0},
             w2 = inverse_times(second.R, swing) + Vec3{-3 * pi, 0, 0};
  State start = at_rest(8, 6);
  start.q[0] = start.q[4] = 1;
  put(start.v, 0, w1);
  put(start.v, 3, w2 - inverse_times(second.R, first.R * w1));
  return {builder.build(), start};
}

}  // namespace chasles::studies
