/// Requirements of lie/ on a scalar S: + - * /, construction from numbers, and sin, cos, sqrt, atan2 found by
/// argument-dependent lookup. Satisfied by double, float and long double; std::complex<double> is for complex-step
/// differentiation.
#pragma once

#include <cmath>
#include <complex>
#include <limits>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {
namespace lie {

template <class S>
struct ScalarTraits {
  using Real = S;
  static constexpr const S& real_part(const S& s) { return s; }
};
template <class R>
struct ScalarTraits<std::complex<R>> {
  using Real = R;
  static constexpr R real_part(const std::complex<R>& s) { return s.real(); }
};

/// The real type in which S is compared and its precision is measured.
template <class S>
using Real = typename ScalarTraits<S>::Real;

/// Series switches and pivots depend on the real part only, so that a complex step takes the branches of the real
/// number.
template <class S>
constexpr Real<S> real_part(const S& s) {
  return ScalarTraits<S>::real_part(s);
}

/// Machine epsilon: 2.2e-16 for double.
template <class S>
inline constexpr Real<S> epsilon = std::numeric_limits<Real<S>>::epsilon();

template <class S>
inline constexpr Real<S> pi = static_cast<Real<S>>(3.14159265358979323846264338327950288L);

/// atan2 for a complex step: exact to first order in the imaginary parts, which is sufficient.
template <class R>
std::complex<R> atan2(const std::complex<R>& y, const std::complex<R>& x) {
  const R a = y.real(), b = x.real();
  return {std::atan2(a, b), (b * y.imag() - a * x.imag()) / (a * a + b * b)};
}

}  // namespace lie
}  // namespace CHASLES_API
