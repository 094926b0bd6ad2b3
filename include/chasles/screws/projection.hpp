/// Projection of invalid data onto the nearest valid value, for data that a checking constructor rejects.
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/so3.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// The rotation nearest to any matrix m: argmin |R - m| (Frobenius) = argmax tr(R^T m), by the
/// largest eigenvector of Davenport's 4x4 matrix. Also for singular matrices and reflections.
/// @throws Error if m is not finite, or if the nearest rotation is not unique (such as for zero)
SO3<double> nearest_rotation(const Mat3<double>& m);

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using lie::nearest_rotation;
}  // namespace CHASLES_API
