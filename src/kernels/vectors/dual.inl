// Included by dynamics.inl. Dual numbers x + d e with e^2 = 0, d being a directional derivative: a kernel run
// with them returns its derivative. One state and N directions, Lanes<Dual<Pack<Real, N>>, Real>, has 2 N
// numbers per entry: N copies of x and N derivatives.
#pragma once

#include "kernels/vectors/lanes.inl"
#include "kernels/vectors/pack.inl"

template <class P>
struct Dual {
  P x, d;
  Dual() = default;
  template <class Real>
  CHASLES_INLINE Dual(Real a) : x(a), d(Real(0)) {}
  CHASLES_INLINE Dual(const P& a, const P& b) : x(a), d(b) {}
  friend CHASLES_INLINE Dual operator+(const Dual& a, const Dual& b) {
    return {a.x + b.x, a.d + b.d};
  }
  friend CHASLES_INLINE Dual operator-(const Dual& a, const Dual& b) {
    return {a.x - b.x, a.d - b.d};
  }
  friend CHASLES_INLINE Dual operator-(const Dual& a) { return {-a.x, -a.d}; }
  friend CHASLES_INLINE Dual operator*(const Dual& a, const Dual& b) {
    return {a.x * b.x, a.x * b.d + a.d * b.x};
  }
  friend CHASLES_INLINE Dual operator/(const Dual& a, const Dual& b) {
    const P ratio = a.x / b.x;
    return {ratio, (a.d - ratio * b.d) / b.x};
  }
  CHASLES_INLINE Dual& operator+=(const Dual& b) { return *this = *this + b; }
  CHASLES_INLINE Dual& operator-=(const Dual& b) { return *this = *this - b; }
};
template <class P>
CHASLES_INLINE void sincos(const Dual<P>& angle, Dual<P>& sine, Dual<P>& cosine) {
  P s, c;
  sincos(angle.x, s, c);
  sine = {s, c * angle.d}, cosine = {c, -(s * angle.d)};
}
template <class P>
CHASLES_INLINE bool all_above(const Dual<P>& a, const Dual<P>& bound) {
  return all_above(a.x, bound.x);
}
/// For numbers that are only compared: no derivative is kept.
template <class P>
CHASLES_INLINE Dual<P> larger(const Dual<P>& a, const Dual<P>& b) {
  return Dual<P>(larger(a.x, b.x));
}
