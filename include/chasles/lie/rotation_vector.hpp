/// A rotation vector and its exact squared angle: the common first step of exp, dexp and cay.
#pragma once

#include "chasles/export.hpp"
#include "chasles/math/linalg.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// Below this x = t^2 the Stumpff functions are computed by series, above it by trigonometry.
inline constexpr int stumpff_switch = 4;

/// High part of a, rounded to a grid coarse enough that squares below grid_limit and their sums are exact.
inline constexpr int grid_limit = 64;
template <class S>
constexpr S on_grid(const S& a) {
  constexpr int digits = std::numeric_limits<S>::digits, fraction = (digits - 8) / 2;
  constexpr S shift = S(1.5) * static_cast<S>(1ULL << (digits - 1 - fraction));
  return (a + shift) - shift;
}

/// A rotation vector with its squared angle x + dx; dx is the rounding error of x. Without it, an error in the last
/// place of a large angle would change its sine by several units.
template <class S>
struct RotationVector {
  Vec3<S> w;
  S x, dx;
};

/// The rotation vector of w. Angles beyond 1e150 rad (double) carry no information in floating point and would overflow
/// x: such a vector is scaled to that length, so that every finite input has a finite result and the right axis.
/// @param exact_from  the smallest x for which dx is computed
template <class S>
RotationVector<S> rotation_vector(const Vec3<S>& w, Real<S> exact_from = stumpff_switch) {
  constexpr Real<S> largest_x = std::numeric_limits<Real<S>>::max() / 16777216;
  S x = dot(w, w), dx(0), scale(1);  // a factor, not another vector: w stays in registers
  if (real_part(x) >= exact_from) {
    if constexpr (std::is_floating_point_v<S>) {
      if (x < grid_limit) {
        const Vec3<S> high{on_grid(w.x), on_grid(w.y), on_grid(w.z)};
        const S exact = dot(high, high), rest = dot(w + high, w - high);
        x = exact + rest;
        dx = rest - (x - exact);
      }
    }
    if (real_part(x) > largest_x) [[unlikely]] {
      scale = S(std::sqrt(largest_x) / 4 / max_abs(w));
      x = dot(scale * w, scale * w);
    }
  }
  return {scale * w, x, dx};
}

}  // namespace lie
}  // namespace CHASLES_API
