/// The scalar functions behind exp, dexp and dexp_inv, accurate to rounding at every angle.
///
/// On so(3) each of these maps is an isotropic function of w: with x = |w|^2,
///
///     A(w) = f0 I + f1 w~ + f2 w~^2 = (f0 - x f2) I + f1 w~ + f2 w w^T                     (1)
///
///                f0   f1     f2
///     exp        1    c1     c2
///     dexp       1    c2     c3
///     dexp_inv   1    -1/2   e
///
/// with the Stumpff functions c_k and the function e below. On se(3) the lower left block is the
/// derivative of A along v, which needs the derivatives of the f (principle of transference):
/// docs/theory/lie-groups.md, section 4.
#pragma once

#include "chasles/export.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/math/sincos.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// Evaluates M polynomials at once, p_m(x) = a[0][m] + a[1][m] x + ..., in powers of x^4 (Estrin's scheme, then
/// Horner's): short dependency chains, since latency dominates.
template <class S, std::size_t M, std::size_t N>
constexpr std::array<S, M> polynomials(const std::array<std::array<S, M>, N>& a, const S& x) {
  static_assert(N >= 4 && N % 2 == 0);
  const S x2 = x * x, x4 = x2 * x2;
  std::array<S, M> p;
  for (std::size_t m = 0; m < M; ++m) {
    const auto pair = [&](std::size_t i) { return a[i][m] + x * a[i + 1][m]; };
    const auto quad = [&](std::size_t i) {
      return i + 2 < N ? pair(i) + x2 * pair(i + 2) : pair(i);
    };
    constexpr std::size_t last = (N - 1) / 4 * 4;
    p[m] = quad(last);
    for (std::size_t i = last; i >= 4; i -= 4) p[m] = p[m] * x4 + quad(i - 4);
  }
  return p;
}

constexpr long double inverse_factorial(int k) {
  long double f = 1;
  for (int i = 2; i <= k; ++i) f *= i;
  return 1 / f;
}

namespace detail {

/// The first N coefficients of the power series of c_{K-1} and c_K in x.
template <class S, int K, std::size_t N>
consteval std::array<std::array<S, 2>, N> stumpff_series() {
  std::array<std::array<S, 2>, N> a;
  for (std::size_t j = 0; j < N; ++j)
    for (std::size_t m = 0; m < 2; ++m)
      a[j][m] = S(static_cast<Real<S>>((j % 2 == 0 ? 1 : -1) *
                                       inverse_factorial(static_cast<int>(2 * j + m) + K - 1)));
  return a;
}

/// sum_{m>=2} 2 / ((2 pi m)^2 - x) as a polynomial, 0 <= x <= 11: Chebyshev interpolation, error
/// below 4e-23.
inline constexpr long double far_poles[] = {
    3.2672741512164447611363e-2L,  1.0564110705334699103720e-4L,  5.6373702828768110069731e-7L,
    3.3571419266632580238488e-9L,  2.0742872899093520788807e-11L, 1.3000482399725107514291e-13L,
    8.1960435586279927960429e-16L, 5.1802997354134728367978e-18L, 3.2749636191418881472438e-20L,
    2.0986874970793397165789e-22L, 1.1745848280260668743240e-24L, 1.2777934604937085663161e-26L};

/// atan(sqrt(u)) / sqrt(u) as a polynomial, 0 <= u <= tan^2(pi/8): Chebyshev interpolation, error
/// below 2e-21.
inline constexpr long double arc_tangent[] = {
    9.9999999999999999999829e-1L,  -3.3333333333333332943211e-1L, 1.9999999999999851899912e-1L,
    -1.4285714285692104317999e-1L, 1.1111111109374343806068e-1L,  -9.0909090092738038810503e-2L,
    7.6923051995894043985583e-2L,  -6.6666148135360870468853e-2L, 5.8815973499589296720525e-2L,
    -5.2553408501062852959742e-2L, 4.7044349347049825280614e-2L,  -4.0511455656736090237464e-2L,
    2.9533108747433718111640e-2L,  -1.2911256782015863085536e-2L};

/// The coefficients of a polynomial and of its first Order derivatives.
template <class S, std::size_t Order, std::size_t N>
consteval std::array<std::array<S, Order + 1>, N> with_derivatives(const long double (&a)[N]) {
  std::array<std::array<S, Order + 1>, N> b{};
  for (std::size_t d = 0; d <= Order; ++d)
    for (std::size_t n = d; n < N; ++n) {
      long double f = a[n];
      for (std::size_t i = 0; i < d; ++i) f *= static_cast<long double>(n - i);
      b[n - d][d] = S(static_cast<Real<S>>(f));
    }
  return b;
}

}  // namespace detail

/// Stumpff functions of x = t^2:
///
///     c_k(x) = sum_j (-x)^j / (2j + k)!                                                    (2)
///     c_0 = cos t,  c_1 = sin t / t,  c_2 = (1 - cos t) / t^2,  c_3 = (t - sin t) / t^3, ...
///     c_k    = 1/k! - x c_{k+2}                                                            (3)
///     2 c_k' = k c_{k+2} - c_{k+1} = (c_{k-1} - k c_k) / x                                 (4)
///
/// Below t = 2 the two highest come from (2) and the others from (3) downwards; above, c_0 and c_1
/// from cos and sin and the others from (3) upwards. Both directions damp rounding errors, as do
/// the two forms of (4).
///
/// Returns c_0 ... c_K for x < stumpff_switch.
template <std::size_t K, class S>
std::array<S, K + 1> stumpff_near_zero(const S& x) {
  static_assert(K >= 2);
  constexpr std::size_t terms = sizeof(Real<S>) <= 4 ? 8 : sizeof(Real<S>) <= 8 ? 12 : 14;
  static constexpr auto series = detail::stumpff_series<S, K, terms>();
  const auto highest = polynomials(series, x);
  std::array<S, K + 1> c;
  c[K - 1] = highest[0];
  c[K] = highest[1];
  for (std::size_t k = K - 1; k-- > 0;)
    c[k] = S(static_cast<Real<S>>(inverse_factorial(static_cast<int>(k)))) - x * c[k + 2];
  return c;
}

/// c_0 ... c_3 at x + dx, x >= stumpff_switch.
template <class S>
std::array<S, 4> stumpff_by_angle(const S& x, const S& dx) {
  using std::sqrt;
  const S t = sqrt(x), inverse_x = S(1) / x, inverse_t = t * inverse_x;
  auto [s, c] = sincos(t);
  if constexpr (std::is_floating_point_v<S>) {
    if (x < grid_limit) {  // to first order in dt = sqrt(x + dx) - t
      const S high = on_grid(t);
      const S dt = ((x - high * high) - (t + high) * (t - high) + dx) * (S(0.5) * inverse_t);
      const S c_t = c;
      c -= s * dt;
      s += c_t * dt;
    }
  }
  const S c1 = s * inverse_t;
  return {c, c1, (S(1) - c) * inverse_x, (S(1) - c1) * inverse_x};
}

template <class S>
std::array<S, 4> stumpff(const S& x, const S& dx) {
  return real_part(x) < stumpff_switch ? stumpff_near_zero<3>(x) : stumpff_by_angle(x, dx);
}

/// e(x) = (1 - (t/2) cot(t/2)) / t^2 and its derivatives with respect to x = t^2. Its poles are the
/// singularities of dexp_inv, the angles t = 2 k pi:
///
///     e(x)    = sum_{m>=1} 2 / ((2 pi m)^2 - x)                                            (5)
///     2 x e'  = 1/4 - 3 e + x e^2                                                          (6)
///     2 x e'' = e^2 + 2 x e e' - 5 e'                                                      (7)
///
/// Up to t = pi by (5), with the first pole exactly and the others as a polynomial: no trigonometry and no
/// cancellation. Beyond by the cotangent and (6), (7).
/// @tparam Order  number of derivatives: 0, 1 or 2
/// @returns e, e', e''
template <std::size_t Order, class S>
std::array<S, Order + 1> inverse_coefficients(const S& x) {
  if (real_part(x) < pi<S> * pi<S>) {
    static constexpr auto far_poles = detail::with_derivatives<S, Order>(detail::far_poles);
    auto e = polynomials(far_poles, x);
    const S p = S(1) / (S(4 * pi<S> * pi<S>) - x);
    S pole = S(2) * p;  // 2 p, 2 p^2, 4 p^3
    for (std::size_t d = 0; d <= Order; ++d) {
      e[d] = e[d] + pole;
      pole = S(static_cast<Real<S>>(d + 1)) * (pole * p);
    }
    return e;
  }
  using std::sqrt;
  const S half = S(0.5) * sqrt(x);
  const auto [s, c] = sincos(half);
  std::array<S, Order + 1> e{(S(1) - half * c / s) / x};
  if constexpr (Order >= 1) e[1] = (S(0.25) - S(3) * e[0] + x * e[0] * e[0]) / (S(2) * x);
  if constexpr (Order >= 2)
    e[2] = (e[0] * e[0] + S(2) * x * e[0] * e[1] - S(5) * e[1]) / (S(2) * x);
  return e;
}

/// t / sin t for the angle t in [0, pi/2] with cos t = c, smooth in c; converts the vector part of a quaternion to
/// angle times axis. With h = cos(t/2) and u = tan^2(t/4) = (1 - h) / (1 + h),
///
///     t / sin t = (atan(sqrt u) / sqrt u) 2 / (h (1 + h))                                  (8)
template <class S>
S angle_over_sine(const S& c) {
  using std::sqrt;
  static constexpr auto arc_tangent = detail::with_derivatives<S, 0>(detail::arc_tangent);
  const S h = sqrt(S(0.5) + S(0.5) * c), d = S(1) / (h + h * h), u = (h - h * h) * d;
  return polynomials(arc_tangent, u)[0] * (d + d);
}

}  // namespace lie
}  // namespace CHASLES_API
