/// What inverse kinematics of trees and of closed mechanisms have in common: options, weights, distances.
#pragma once

#include <cmath>

#include "chasles/kinematics/inverse_kinematics.hpp"

namespace chasles {

/// @throws Error naming what is wrong with the target or an option
void check(const SE3& target, const IkOptions& options);

/// The square roots of the weights, both times a power of two, so that squares of weighted errors are in the
/// range of numbers also for targets that are far away. Steps do not depend on it.
struct RootWeights {
  double rotation, position;
};
RootWeights root_weights(const SE3& target, const IkOptions& options);

/// |d|, also where squares of it are out of range.
inline double distance(const Vec3& d) { return std::hypot(d.x, d.y, d.z); }

}  // namespace chasles
