/// Interpolation, means and random elements of a Lie group.
///
///     SE3 halfway = interpolate(C0, C1, 0.5);          // along the screw from C0 to C1
///     SE3 average = mean(std::span<const SE3>(poses));
///     std::mt19937_64 generator(1);
///     SE3 C = random_element<SE3>(generator);
#pragma once

#include <random>
#include <span>

#include "chasles/export.hpp"
#include "chasles/lie/so3xr3.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// C0 exp(s log(C0^-1 C1)): C0 at s = 0, C1 at s = 1, with constant body twist; s outside [0, 1] extrapolates. On SE(3)
/// this is a screw motion; on SO(3) x R^3 the origin moves on a straight line.
template <class G>
G interpolate(const G& C0, const G& C1, const typename G::Scalar& s) {
  return plus(C0, s * minus(C1, C0));
}

/// The mean C with sum_i log(C^-1 C_i) = 0, by fixed-point iteration. Independent of the choice of frames. Unique if
/// the orientations are within a rotation by pi/2 of each other.
/// @throws Error if there are no elements, or if they are too far apart for the iteration to converge
template <class G>
G mean(std::span<const G> elements) {
  using S = typename G::Scalar;
  if (elements.empty()) throw Error("the mean of no elements is not defined; give at least one");
  G C = elements.front();
  for (int iteration = 0; iteration < 100; ++iteration) {
    typename G::Tangent sum{};
    S size(0);
    for (const G& element : elements) {
      const auto step = minus(element, C);
      sum += step;
      size = std::max(size, max_abs(step));
    }
    const auto step = (S(1) / static_cast<S>(elements.size())) * sum;
    C = plus(C, step).normalized();
    if (max_abs(step) <= 8 * epsilon<S> * std::max(size, S(1))) return C;
  }
  throw Error("the mean of " + std::to_string(elements.size()) +
              " elements did not settle in 100 iterations; their attitudes are too far apart");
}

/// Independent standard normal coordinates, times `scale`.
template <class X, class Generator>
X random_tangent(Generator& generator, double scale = 1) {
  auto a = coordinates(X{});
  std::normal_distribution<double> normal;
  for (auto& c : a)
    c = static_cast<Real<std::remove_reference_t<decltype(c)>>>(scale * normal(generator));
  return from_coordinates<X>(a);
}
/// A uniformly distributed rotation.
template <class S, class Generator>
SO3<S> random_rotation(Generator& generator) {
  std::normal_distribution<double> normal;
  for (;;) {
    double q[4];
    for (double& c : q) c = normal(generator);
    const double s = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (s < 1e-3) continue;
    const Vec3<double> v{q[1] / s, q[2] / s, q[3] / s};
    const double w = q[0] / s;
    const Mat3<double> R = rodrigues(v, w * w - dot(v, v), 2 * w, 2.0);
    Mat3<S> m;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) m(i, j) = S(static_cast<Real<S>>(R(i, j)));
    return SO3<S>::unchecked(m).normalized();
  }
}
/// A random element of G: uniform orientation, normally distributed position with standard deviation `scale` [m] per
/// coordinate.
template <class G, class Generator>
G random_element(Generator& generator, double scale = 1) {
  const auto R = random_rotation<typename G::Scalar>(generator);
  if constexpr (requires(G g) { g.r; })
    return {R, random_tangent<Vec3<typename G::Scalar>>(generator, scale)};
  else
    return R;
}

}  // namespace lie
}  // namespace CHASLES_API

namespace chasles CHASLES_API {
using lie::interpolate;
using lie::mean;
using lie::random_element;
using lie::random_rotation;
using lie::random_tangent;
}  // namespace CHASLES_API
