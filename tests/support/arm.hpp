/// A model file for tests of scenarios and runs: a revolute and a spherical joint.
#pragma once

namespace chasles::test {

inline constexpr const char* arm_yaml = R"(chasles: 1
name: arm
bodies:
  - {name: upper, joint: {name: shoulder, type: revolute, axis: [0, 1, 0]},
     inertia: {mass: 1, com: [0, 0, -0.5], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
  - {name: hand, parent: upper, joint: {name: wrist, type: spherical, point: [0, 0, -1]},
     inertia: {mass: 1, com: [0, 0, -1.2], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}
)";

}  // namespace chasles::test
