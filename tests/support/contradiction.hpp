/// Four-bar linkages whose last pin is given by two points on its axis, as MJCF gives hinges by two <connect>s. The
/// points of one of the bars are off by `error`, as numbers are that were rounded: redundant equations contradict
/// each other.
#pragma once

#include "chasles/mechanism/builder.hpp"

namespace chasles::test {

struct PinError {
  Vec3 on_coupler{}, on_rocker{};  // of one of the two points
};
/// @param count  of linkages, which do not touch each other
inline Mechanism pinned_four_bars(const PinError& error, int count) {
  const Vec3 y{0, 1, 0}, A{}, B{0, 0, 0.2}, C{0.5, 0, 0.4}, D{0.6, 0, 0}, h{0, 0.05, 0};
  const Sym3 I = Sym3::diagonal(0.01, 0.01, 0.01);
  MechanismBuilder builder("pinned_four_bars");
  for (int k = 0; k < count; ++k) {
    const auto named = [&](const char* name) {
      return k == 0 ? std::string(name) : name + std::to_string(k);
    };
    const auto pin = [&](const char* name, const Vec3& on_coupler, const Vec3& on_rocker) {
      return Loop{.name = named(name),
                  .bodies = {named("coupler"), named("rocker")},
                  .type = JointType::spherical,
                  .geometry = FramesGeometry{{{}, on_coupler}, {{}, on_rocker}}};
    };
    builder.body(named("crank"), ground, joints::revolute(y, A)).inertia(0.5, 0.5 * (A + B), I);
    builder.body(named("coupler"), named("crank"), joints::revolute(y, B))
        .inertia(1, 0.5 * (B + C), I);
    builder.body(named("rocker"), ground, joints::revolute(y, D)).inertia(0.8, 0.5 * (C + D), I);
    builder.loop(pin("near", C + h, C + h));
    builder.loop(pin("far", C - h + error.on_coupler, C - h + error.on_rocker));
  }
  return builder.build();
}
inline Mechanism pinned_four_bar(const PinError& error) { return pinned_four_bars(error, 1); }

}  // namespace chasles::test
