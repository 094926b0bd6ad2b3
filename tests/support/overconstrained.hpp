/// Mechanisms with more constraint equations than their rank, which is the same everywhere.
#pragma once

#include "chasles/mechanism/builder.hpp"
#include "studies/mechanisms/rods.hpp"

namespace chasles::test {

/// Bennett's linkage, a = 1, 2, 1, 2 m and twists of 30, 90, 30, 90 degrees: 5 equations of rank 2 on 3 joints.
/// Its first angle is 0.8 rad at q = 0: tan(a/2) tan(b/2) = sin 60 / sin 30.
inline Mechanism bennett() {
  const double th[] = {0.8, 2 * std::atan(std::sqrt(3.0) / std::tan(0.4))};
  const double a[] = {1, 2, 1}, twist[] = {M_PI / 6, M_PI / 2, M_PI / 6};
  const double angle[] = {th[0], th[1], -th[0]};
  MechanismBuilder b("bennett");
  SE3 axis{};  // z is the axis of the next joint
  for (int i = 0; i < 3; ++i) {
    const SE3 next =
        axis * exp(Twist{{0, 0, angle[i]}, {}}) * SE3{exp(Vec3{twist[i], 0, 0}), {a[i], 0, 0}};
    b.body("b" + std::to_string(i + 1), i == 0 ? std::string(ground) : "b" + std::to_string(i),
           joints::revolute(axis.R.matrix().c2, axis.r))
        .inertia(1 + i % 2, 0.5 * (axis.r + next.r),
                 Sym3::diagonal(0.05 + 0.1 * i, 0.06 + 0.2 * i, 0.1 + 0.1 * i));
    axis = next;
  }
  return b
      .loop(studies::closure("closure", "b3", std::string(ground), JointType::revolute, axis.r,
                             axis.R.matrix().c2))
      .build();
}

/// A flyball governor: two arms on a shaft, two links that lift a sleeve. All frames are at the origin of the world.
inline Mechanism governor() {
  const Vec3 y{0, 1, 0}, z{0, 0, 1};
  MechanismBuilder b("governor");
  b.body("shaft", ground, joints::revolute(z))
      .inertia(2, {0, 0, 0.5}, Sym3::diagonal(0.2, 0.2, 0.05));
  b.body("sleeve", "shaft", joints::prismatic(z))
      .inertia(1, {0, 0, 0.4}, Sym3::diagonal(0.004, 0.004, 0.006));
  for (const double side : {1.0, -1.0}) {
    const std::string name = side > 0 ? "right" : "left";
    const Vec3 hinge{0.05 * side, 0, 1}, elbow{0.35 * side, 0, 0.7}, ball{0.55 * side, 0, 0.5},
        low{0.05 * side, 0, 0.4};
    b.body(name + "_arm", "shaft", joints::revolute(y, hinge))
        .inertia(1.5, ball, Sym3::diagonal(0.004, 0.004, 0.004));
    b.body(name + "_link", "sleeve", joints::revolute(y, low))
        .inertia(0.2, 0.5 * (low + elbow), Sym3::diagonal(0.003, 0.006, 0.003));
    b.loop(studies::closure(name + "_pin", name + "_link", name + "_arm", JointType::revolute,
                            elbow, y));
  }
  return b.build();
}

/// Three parallel cranks of 1 m, 1 m apart, and the bar of 2 m on their ends: in the plane two loops of rank 3,
/// with singular configurations where cranks and bar are in line. It moves as studies::n_four_bar(2) does.
inline Mechanism parallel_cranks() {
  const Vec3 z{0, 0, 1};
  const auto foot = [](int i) { return Vec3{static_cast<double>(i), 0, 0}; };
  const auto end = [](int i) { return Vec3{static_cast<double>(i), 1, 0}; };
  MechanismBuilder b("cranks");
  b.gravity({0, -9.81, 0});
  for (int i = 0; i < 3; ++i)
    studies::rod(b, "crank" + std::to_string(i), ground, joints::revolute(z, foot(i)), foot(i),
                 end(i), 1);
  studies::rod(b, "bar", "crank0", joints::revolute(z, end(0)), end(0), end(2), 2);
  for (int i = 1; i < 3; ++i)
    b.loop(studies::closure("pin" + std::to_string(i), "bar", "crank" + std::to_string(i),
                            JointType::revolute, end(i), z));
  return b.build();
}

/// A body whose slot runs on a ball: turns about z, x, y and a slide along x; gimbal lock at 90 degrees about x.
inline Mechanism ball_in_slot() {
  MechanismBuilder b("slot");
  b.body("body", ground, joints::floating())
      .inertia(2, {0.1, 0.2, 0.3}, Sym3::diagonal(0.3, 0.5, 0.7));
  Loop loop{.name = "slot", .bodies = {std::string(ground), "body"}, .type = JointType::custom};
  loop.geometry = FramesGeometry{{}, {}};
  loop.screws = {{{0, 0, 1}, {}, 0},
                 {{1, 0, 0}, {}, 0},
                 {{0, 1, 0}, {}, 0},
                 {{1, 0, 0}, {}, std::numeric_limits<double>::infinity()}};
  return b.loop(loop).build();
}

/// A body on a ball, given as turns about z, x, z (two degrees of freedom at q = 0) or as it is.
inline Mechanism ring(JointType type) {
  MechanismBuilder b("ring");
  b.body("body", ground, joints::floating())
      .inertia(2, {0.1, 0.2, 0.3}, Sym3::diagonal(0.3, 0.5, 0.7));
  Loop loop{.name = "ring", .bodies = {std::string(ground), "body"}, .type = type};
  loop.geometry = FramesGeometry{{}, {}};
  if (type == JointType::custom)
    loop.screws = {{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, 0}, {{0, 0, 1}, {}, 0}};
  return b.loop(loop).build();
}

}  // namespace chasles::test
