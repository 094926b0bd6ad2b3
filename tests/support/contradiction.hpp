/// Four-bar linkages whose last pin is given by two points on its axis, as MJCF gives hinges by two <connect>s. The
/// points of one of the bars are off by `error`, as numbers are that were rounded: redundant equations contradict
/// each other.
#pragma once

#include "chasles/mechanism/builder.hpp"

namespace chasles::test {

struct PinError {
  Vec3 on_coupler{}, on_rocker{};  // of one of the two points
};
inline Mechanism pinned_four_bar(const PinError& error) {
  const Vec3 y{0, 1, 0}, A{}, B{0, 0, 0.2}, C{0.5, 0, 0.4}, D{0.6, 0, 0}, h{0, 0.05, 0};
  const Sym3 I = Sym3::diagonal(0.01, 0.01, 0.01);
  const auto pin = [](const char* name, const Vec3& on_coupler, const Vec3& on_rocker) {
    return Loop{.name = name,
                .bodies = {"coupler", "rocker"},
                .type = JointType::spherical,
                .geometry = FramesGeometry{{{}, on_coupler}, {{}, on_rocker}}};
  };
  return MechanismBuilder("pinned_four_bar")
      .body("crank", ground, joints::revolute(y, A))
      .inertia(0.5, 0.5 * (A + B), I)
      .body("coupler", "crank", joints::revolute(y, B))
      .inertia(1, 0.5 * (B + C), I)
      .body("rocker", ground, joints::revolute(y, D))
      .inertia(0.8, 0.5 * (C + D), I)
      .loop(pin("near", C + h, C + h))
      .loop(pin("far", C - h + error.on_coupler, C - h + error.on_rocker))
      .build();
}

}  // namespace chasles::test
