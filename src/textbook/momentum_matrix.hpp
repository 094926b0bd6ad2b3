#pragma once

#include "chasles/screws/eigen.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles::textbook {

/// Q with ad_V^T Pi = Q V, skew: [[L~, P~], [P~, 0]] of the momentum Pi = (L; P).
inline lie::Unaligned<double, 6, 6> momentum_matrix(const Wrench& Pi) {
  lie::Unaligned<double, 6, 6> Q = lie::Unaligned<double, 6, 6>::Zero();
  Q.topLeftCorner<3, 3>() = to_eigen(hat(Pi.t));
  Q.topRightCorner<3, 3>() = Q.bottomLeftCorner<3, 3>() = to_eigen(hat(Pi.f));
  return Q;
}

}  // namespace chasles::textbook
