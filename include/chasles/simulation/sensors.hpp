/// Sensors between a mechanism and a sampled controller: noise, resolution and delay of measured positions and
/// velocities. At sample k, with the state at t_k - delay,
///
///     q_m = round(q exp(position_noise z)),   v_m = round(v + velocity_noise z')                     (1)
///
/// z, z' are independent standard normal numbers; `round` is to multiples of the resolution. The numbers are a function
/// of (seed, k, entry) alone (a counter-based generator), where k = t_k / period: rejected and repeated steps, other
/// methods and resumed runs get the same ones.
///
///     Controller arm = pd_control(model, {"elbow"}, {0.3}, {.stiffness = {50}, .damping = {5}});
///     arm.period = 1e-3;
///     arm.sensors = Sensors{.position_noise = {1e-4}, .position_resolution = {2e-4}, .delay = 2.5e-3};
///     forces.add(control(arm));
#pragma once

#include <cstdint>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct Sensors {
  // Each empty: none; one number: of all entries of v; or nv numbers, in the order of v. [rad] or [m], per second.
  std::vector<double> position_noise{}, velocity_noise{};  // standard deviations
  std::vector<double> position_resolution{}, velocity_resolution{};
  double delay = 0;  // [s], any number of periods or a fraction
  std::uint64_t seed = 1;
};

/// The standard normal number of a seed and two counters: the same on every call.
double standard_normal(std::uint64_t seed, std::uint64_t sample, std::uint64_t entry);

}  // namespace CHASLES_API
