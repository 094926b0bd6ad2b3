/// The value of results before they are computed.
#pragma once

#include <Eigen/Core>
#include <limits>

namespace chasles {

/// All entries NaN.
template <class X>
X not_computed(Eigen::Index rows, Eigen::Index columns = 1) {
  X x(rows, columns);
  x.setConstant(std::numeric_limits<double>::quiet_NaN());
  return x;
}

}  // namespace chasles
