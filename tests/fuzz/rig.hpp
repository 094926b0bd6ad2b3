/// A mechanism with all that a model file may have besides bodies and joints: what scenarios refer to.
#pragma once

namespace chasles::fuzz {

inline constexpr const char* rig_yaml = R"(chasles: 1
name: rig
bodies:
  - {name: crank, joint: {type: revolute, axis: [0, 1, 0], armature: 0.01, limits: {lower: -2, upper: 2, effort: 5},
                          dynamics: {stiffness: 2, rest: 0.1, damping: 0.1, friction: 0.05}},
     inertia: {mass: 1, com: [0, 0, -0.2], tensor: [0.02, 0, 0, 0.02, 0, 0.01]}}
  - {name: coupler, parent: crank, joint: {name: pin, type: revolute, axis: [0, 1, 0], point: [0, 0, -0.4]},
     inertia: {mass: 0.5, com: [0.3, 0, -0.4], tensor: [0.01, 0, 0, 0.02, 0, 0.02]}}
  - {name: rocker, joint: {type: revolute, axis: [0, 1, 0], point: [0.6, 0, 0]},
     inertia: {mass: 1, com: [0.6, 0, -0.2], tensor: [0.02, 0, 0, 0.02, 0, 0.01]}}
  - {name: base, joint: {type: floating}, pose: {xyz: [0, 1, 0.3]},
     inertia: {mass: 2, tensor: [0.02, 0, 0, 0.03, 0, 0.04]}}
  - {name: nut, parent: base, joint: {type: cylindrical, axis: [0, 0, 1]}, pose: {xyz: [0, 1, 0.5]},
     inertia: {mass: 0.3, com: [0.1, 0, 0], tensor: [0.01, 0, 0, 0.02, 0, 0.02]}}
  - {name: gear, joint: {type: revolute, axis: [0, 1, 0], mimic: {joint: crank, multiplier: -2}},
     inertia: {mass: 1, tensor: [0.02, 0, 0, 0.02, 0, 0.01]}}
loops:
  - {name: closure, type: revolute, bodies: [coupler, rocker], axis: [0, 1, 0], point: [0.6, 0, -0.5]}
frames:
  - {name: tip, body: nut, pose: {xyz: [0.2, 0, 0]}}
tendons:
  - {name: cable, points: [tip, ground], stiffness: 80, damping: 2, rest: 0.5}
actuators:
  - {name: servo, joints: {crank: 1}, gain: [80, 0, 0], bias: [0, -80, -4], force_range: [-9, 9]}
keyframes:
  - {name: home, q: {nut: [0.5, 0.1]}, control: {servo: 0.5}}
collisions:
  shapes:
    - {body: base, shape: box, size: [0.2, 0.2, 0.2]}
    - {body: nut, shape: capsule, radius: 0.05, length: 0.2}
    - {body: ground, shape: plane}
)";

}  // namespace chasles::fuzz
