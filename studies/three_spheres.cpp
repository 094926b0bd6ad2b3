#include "studies/three_spheres.hpp"

#include "chasles/mechanism/builder.hpp"

namespace chasles::studies {

Mechanism three_spheres() {
  const Sym3 I = Sym3::diagonal(4, 4, 4);
  return MechanismBuilder("three_spheres")
      .gravity({0, 0, 0})
      .body("sphere1", ground, joints::floating())
      .joint_name("base")
      .inertia(10, {}, I)
      .body("sphere2", "sphere1", joints::revolute({0, 0, 1}))
      .joint_name("joint1")
      .pose({{}, {2, 0, 0}})
      .inertia(10, {}, I)
      .body("sphere3", "sphere2", joints::revolute({1, 0, 0}, {2, 0, 0}))
      .joint_name("joint2")
      .pose({{}, {2, 0, -2}})
      .inertia(10, {}, I)
      .build();
}

State three_spheres_start(const Twist& V) {
  return {0, {1, 0, 0, 0, 0, 0, 0, 0, 0}, {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z, 0.4, 0.4}};
}

}  // namespace chasles::studies
