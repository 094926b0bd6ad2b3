/// The scalar functions behind exp, dexp and dexp_inv, accurate to rounding at every angle.
///
/// On so(3) each of these maps is an isotropic function of w: with x = |w|^2,
///
///     A(w) = f0(x) I + f1(x) w~ + f2(x) w w^T                                                   (1)
///
///              f0         f1     f2
///     exp      c0         c1     c2
///     dexp     c1         c2     c3
///     dexp_inv 1 - x e    -1/2   e
///
/// with the Stumpff functions c_k and the function e below. On se(3) the lower left block is the derivative of A along v,
/// which needs the derivatives of the f (principle of transference): docs/theory/lie-groups.md, section 4.
#pragma once

#include "chasles/lie/linalg.hpp"

namespace chasles::lie {

/// a[0] + a[1] x + ... by even and odd powers: two short dependency chains instead of a long one.
template <class S, std::size_t N>
constexpr S polynomial(const std::array<S, N>& a, const S& x) {
  static_assert(N >= 2);
  const S y = x * x;
  constexpr std::size_t last_even = (N - 1) / 2 * 2, last_odd = (N - 2) / 2 * 2 + 1;
  S even = a[last_even], odd = a[last_odd];
  for (std::size_t i = last_even; i >= 2; i -= 2) even = even * y + a[i - 2];
  for (std::size_t i = last_odd; i >= 3; i -= 2) odd = odd * y + a[i - 2];
  return even + x * odd;
}

/// Below this x = t^2 the series of the Stumpff functions are summed, above it trigonometry is used.
inline constexpr int stumpff_switch = 4;

/// High part of a on a grid so coarse that squares below 64 and their sums are exact.
template <class S>
constexpr S on_grid(const S& a) {
  constexpr int digits = std::numeric_limits<S>::digits, fraction = (digits - 8) / 2;
  constexpr S shift = S(1.5) * static_cast<S>(1ULL << (digits - 1 - fraction));
  return (a + shift) - shift;
}

/// A rotation vector with its squared angle x + dx; dx is what rounding took from x. An angle that is wrong in its last
/// place moves the sine of a large angle by several.
template <class S>
struct RotationVector {
  Vec3<S> w;
  S x, dx;
};

/// The rotation vector of w. Angles beyond 1e150 rad (double) carry no information in floating point and would overflow
/// x: such a vector is shortened to that length, so that every finite input has a finite result and the right axis.
template <class S>
RotationVector<S> rotation_vector(const Vec3<S>& w) {
  constexpr Real<S> largest_x = std::numeric_limits<Real<S>>::max() / 16777216;
  const S x = dot(w, w);
  if (real_part(x) < stumpff_switch) return {w, x, S(0)};
  if constexpr (std::is_floating_point_v<S>) {
    if (x < 64) {
      const Vec3<S> high{on_grid(w.x), on_grid(w.y), on_grid(w.z)};
      const S exact = dot(high, high), rest = dot(w + high, w - high), sum = exact + rest;
      return {w, sum, rest - (sum - exact)};
    }
  }
  if (real_part(x) < largest_x) return {w, x, S(0)};
  const S length(std::sqrt(largest_x) / 4);
  const Vec3<S> shortened = length * (w / S(max_abs(w)));
  return {shortened, dot(shortened, shortened), S(0)};
}

constexpr long double inverse_factorial(int k) {
  long double f = 1;
  for (int i = 2; i <= k; ++i) f *= i;
  return 1 / f;
}

namespace detail {

/// The first N coefficients of c_k as a power series in x.
template <class S, std::size_t N>
consteval std::array<S, N> stumpff_series(int k) {
  std::array<S, N> a;
  for (std::size_t j = 0; j < N; ++j)
    a[j] = S(static_cast<Real<S>>((j % 2 == 0 ? 1 : -1) * inverse_factorial(2 * static_cast<int>(j) + k)));
  return a;
}

/// a_n of (6).
inline constexpr long double inverse_series_table[] = {
    3.267274151216444761139360e-2L,  1.056411070533469902447910e-4L,  5.637370282876845302613570e-7L,
    3.357141926657451360088895e-9L,  2.074287290416604553668885e-11L, 1.300048213869897396491331e-13L,
    8.196052055691008598397716e-16L, 5.180118196169724315178656e-18L, 3.277539174701791839819965e-20L,
    2.074740187859360451721396e-22L, 1.313624180716653377764063e-24L, 8.318003195189264091425331e-27L,
    5.267262996834230872834516e-29L, 3.335484298822144331259529e-31L, 2.112206332318388545682768e-33L,
    1.337566409321524445681870e-35L, 8.470227328650246642671643e-38L};

/// The coefficients of the D-th derivative of sum_n a_n x^n, n < N.
template <class S, std::size_t N, std::size_t D>
consteval std::array<S, N - D> inverse_series() {
  std::array<S, N - D> b;
  for (std::size_t n = D; n < N; ++n) {
    long double f = inverse_series_table[n];
    for (std::size_t i = 0; i < D; ++i) f *= static_cast<long double>(n - i);
    b[n - D] = S(static_cast<Real<S>>(f));
  }
  return b;
}

}  // namespace detail

/// Stumpff functions of x = t^2:
///
///     c_k(x) = sum_j (-x)^j / (2j + k)!       c_0 = cos t,  c_1 = sin t / t,  c_2 = (1 - cos t) / t^2, ...   (2)
///     c_k    = 1/k! - x c_{k+2}                                                                             (3)
///     2 c_k' = k c_{k+2} - c_{k+1} = (c_{k-1} - k c_k) / x                                                  (4)
///
/// Below t = 2 the two highest come from (2) and the others from (3) downwards; above, c_0 and c_1 from cos and sin and
/// the others from (3) upwards. Both directions damp rounding errors, as do the two forms of (4).
///
/// This: c_0 ... c_K for x < stumpff_switch.
template <int K, class S>
std::array<S, K + 1> stumpff_near_zero(const S& x) {
  static_assert(K >= 2);
  constexpr std::size_t terms = sizeof(Real<S>) <= 4 ? 8 : sizeof(Real<S>) <= 8 ? 12 : 14;
  static constexpr auto highest = detail::stumpff_series<S, terms>(K);
  static constexpr auto second = detail::stumpff_series<S, terms>(K - 1);
  std::array<S, K + 1> c;
  c[K] = polynomial(highest, x);
  c[K - 1] = polynomial(second, x);
  for (std::size_t k = K - 1; k-- > 0;)
    c[k] = S(static_cast<Real<S>>(inverse_factorial(static_cast<int>(k)))) - x * c[k + 2];
  return c;
}

/// c_0 ... c_3 at x + dx, x >= stumpff_switch.
template <class S>
std::array<S, 4> stumpff_by_angle(const S& x, const S& dx) {
  using std::cos, std::sin, std::sqrt;
  const S t = sqrt(x), inverse_x = S(1) / x, inverse_t = t * inverse_x;
  S c = cos(t), s = sin(t);
  if constexpr (std::is_floating_point_v<S>) {  // to first order in dt = sqrt(x + dx) - t
    const S high = on_grid(t), dt = ((x - high * high) - (t + high) * (t - high) + dx) * (S(0.5) * inverse_t);
    const S c_t = c;
    c -= s * dt;
    s += c_t * dt;
  }
  const S c1 = s * inverse_t;
  return {c, c1, (S(1) - c) * inverse_x, (S(1) - c1) * inverse_x};
}

template <class S>
std::array<S, 4> stumpff(const S& x, const S& dx) {
  return real_part(x) < stumpff_switch ? stumpff_near_zero<3>(x) : stumpff_by_angle(x, dx);
}

/// e(x) = (1 - (t/2) cot(t/2)) / t^2 and its derivatives with respect to x = t^2. Its poles are the singularities of
/// dexp_inv, the angles t = 2 k pi:
///
///     e(x) = sum_{m>=1} 2 / ((2 pi m)^2 - x)                                                    (5)
///          = 2 / (4 pi^2 - x) + sum_n a_n x^n,   a_n = 2 (zeta(2n+2) - 1) / (2 pi)^(2n+2)        (6)
///     2 x e'  = 1/4 - 3 e + x e^2                                                               (7)
///     2 x e'' = e^2 + 2 x e e' - 5 e'                                                           (8)
///
/// Up to t = pi by (6), which needs no trigonometry and cancels nowhere; beyond by the cotangent and (7), (8).
template <class S>
struct InverseCoefficients {
  S e, de, dde;
};
template <class S>
InverseCoefficients<S> inverse_coefficients(const S& x) {
  constexpr std::size_t terms = sizeof(Real<S>) <= 4 ? 8 : sizeof(Real<S>) <= 8 ? 14 : 17;
  if (real_part(x) < pi<S> * pi<S>) {
    static constexpr auto b0 = detail::inverse_series<S, terms, 0>();
    static constexpr auto b1 = detail::inverse_series<S, terms, 1>();
    static constexpr auto b2 = detail::inverse_series<S, terms, 2>();
    const S p = S(1) / (S(4 * pi<S> * pi<S>)-x);
    return {S(2) * p + polynomial(b0, x), S(2) * p * p + polynomial(b1, x), S(4) * p * p * p + polynomial(b2, x)};
  }
  using std::cos, std::sin, std::sqrt;
  const S half = S(0.5) * sqrt(x);
  const S e = (S(1) - half * cos(half) / sin(half)) / x;
  const S de = (S(0.25) - S(3) * e + x * e * e) / (S(2) * x);
  return {e, de, (e * e + S(2) * x * e * de - S(5) * de) / (S(2) * x)};
}

}  // namespace chasles::lie
