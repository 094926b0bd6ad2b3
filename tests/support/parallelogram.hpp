/// A four-bar linkage with closed forms.
#pragma once

#include "chasles/mechanism/builder.hpp"

namespace chasles::test {

/// Two uniform rods of length l that hang, and a bar that joins their ends.
inline Mechanism hanging_parallelogram(double l, double rod, double bar) {
  return MechanismBuilder("parallelogram")
      .body("left", ground, joints::revolute({0, 1, 0}))
      .inertia(rod, {0, 0, -l / 2}, Sym3::diagonal(rod * l * l / 12, rod * l * l / 12, 1e-3))
      .body("bar", "left", joints::revolute({0, 1, 0}, {0, 0, -l}))
      .inertia(bar, {0.5, 0, -l}, Sym3::diagonal(1e-3, bar / 12, bar / 12))
      .body("right", ground, joints::revolute({0, 1, 0}, {1, 0, 0}))
      .inertia(rod, {1, 0, -l / 2}, Sym3::diagonal(rod * l * l / 12, rod * l * l / 12, 1e-3))
      .loop({.name = "closure",
             .bodies = {"bar", "right"},
             .type = JointType::revolute,
             .geometry = AxisGeometry{{0, 1, 0}, {1, 0, -l}}})
      .build();
}

}  // namespace chasles::test
