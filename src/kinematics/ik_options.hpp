/// Shared by inverse kinematics of trees and of closed mechanisms: options, weights, distances.
#pragma once

#include <cmath>

#include "chasles/kinematics/inverse_kinematics.hpp"

namespace chasles {

/// @throws Error naming the invalid target or option
void check(const SE3& target, const IkOptions& options);

/// The square roots of the weights, scaled by a power of two, so that squared weighted errors stay in range
/// even for distant targets. Steps do not depend on the scale.
struct RootWeights {
  double rotation, position;
};
RootWeights root_weights(const SE3& target, const IkOptions& options);

/// |d|, without overflow of its squares.
inline double distance(const Vec3& d) { return std::hypot(d.x, d.y, d.z); }

}  // namespace chasles
