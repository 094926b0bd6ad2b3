/// Results of a workspace passed back to it as arguments. Where results are written while arguments are still
/// being read, an argument that aliases them is copied first, so that any result may be an argument.
#pragma once

#include <cstddef>
#include <cstdint>

#include "chasles/math/dense.hpp"

namespace chasles {

/// Whether x points into the `count` numbers at `result`. False for null.
inline bool begins_in(const double* x, const double* result, std::size_t count) {
  return reinterpret_cast<std::uintptr_t>(x) - reinterpret_cast<std::uintptr_t>(result) <
         count * sizeof(double);
}
template <class Derived, class Result>
bool begins_in(const Eigen::MatrixBase<Derived>& x, const Result& result) {
  return begins_in(x.derived().data(), result.data(), static_cast<std::size_t>(result.size()));
}

}  // namespace chasles
