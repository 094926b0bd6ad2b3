/// Functions defined for every Lie group. A group G provides
///
///     G::Scalar, G::Tangent, G::Cotangent, G::identity(), A * B, inverse(C), matrix(C), exp, log,
///     Ad, Ad_inv, Ad_dual, Ad_inv_dual, ad, ad_dual, dexp(x), dexp_inv(x), d_dexp, d_dexp_inv,
///     cay, cay_inv, dcay(x), dcay_inv(x)
///
/// SO3, SE3 and SO3xR3 are such groups; tests/laws states the laws and runs them on each. dexp(x), dexp_inv(x),
/// dcay(x), dcay_inv(x) are linear operators: `dexp(x)(y)` applies, `dexp(x).dual(f)` applies the transpose. Reuse the
/// operator for several arguments.
#pragma once

#include "chasles/export.hpp"
#include "chasles/math/matrix.hpp"

namespace chasles CHASLES_API {
namespace lie {

/// dexp_x y = sum_j ad_x^j y / (j+1)!, 001 (16).
/// @paper 000 (89)
/// @paper 001 (16)
template <class X>
X dexp(const X& x, const X& y) {
  return dexp(x)(y);
}
/// dexp_x^-1 y = sum_j B_j ad_x^j y / j!, 001 (17), in closed form: exact, and valid beyond the
/// radius of the series.
/// @paper 001 (17)
template <class X>
X dexp_inv(const X& x, const X& y) {
  return dexp_inv(x)(y);
}
/// dexp_x^T f and dexp_x^-T f: the duals, applied to forces and momenta.
template <class X, class F>
F dexp_dual(const X& x, const F& f) {
  return dexp(x).dual(f);
}
template <class X, class F>
F dexp_inv_dual(const X& x, const F& f) {
  return dexp_inv(x).dual(f);
}

/// C exp(x): the increment x in the body frame of C. plus(C0, minus(C1, C0)) = C1.
template <class G>
G plus(const G& C, const typename G::Tangent& x) {
  return C * exp(x);
}
/// log(C0^-1 C1): the increment in the body frame of C0 that leads to C1.
template <class G>
typename G::Tangent minus(const G& C1, const G& C0) {
  return log(inverse(C0) * C1);
}

/// The operators as matrices, in (angular; linear) coordinates.
/// @paper 003 (74), (76)
/// @paper 001 (9)
template <class G>
auto Ad_matrix(const G& C) {
  return matrix_of<typename G::Tangent>([&](const typename G::Tangent& x) { return Ad(C, x); });
}
/// @paper 000 (115)
template <class X>
auto ad_matrix(const X& x) {
  return matrix_of<X>([&](const X& y) { return ad(x, y); });
}
template <class X>
auto dexp_matrix(const X& x) {
  return matrix_of<X>(dexp(x));
}
template <class X>
auto dexp_inv_matrix(const X& x) {
  return matrix_of<X>(dexp_inv(x));
}

}  // namespace lie
}  // namespace CHASLES_API
