// Included by dynamics.inl. Lanes hold either several joints of one state, or one joint of several states;
// code using Joints is written once for both.
#pragma once

#include "kernels/vectors/lanes.inl"
#include "kernels/vectors/quad.inl"

/// Loads joints into lanes: one joint of several states, or several joints of one state.
template <class Sp>
struct Joints {
  using T = typename Sp::S;
  using L = Sp;
  static constexpr int width = 1;
  template <class Of>
  static CHASLES_INLINE typename L::Vec vec(const Of& of) {
    return of(0);
  }
  template <class Of>
  static CHASLES_INLINE typename L::Sym sym(const Of& of) {
    return of(0);
  }
  template <class Of>
  static CHASLES_INLINE T number(const Of& of) {
    return T(of(0));
  }
};
template <class Real>
struct Joints<Quad<Real>> {
  using T = Pack<Real, 4>;
  using L = Lanes<T, Real>;
  static constexpr int width = 4;
  template <class Of>
  static CHASLES_INLINE lie::Vec3<T> vec(const Of& of) {
    const auto a = of(0).v, b = of(1).v, c = of(2).v, d = of(3).v;
    const auto ab0 = __builtin_shufflevector(a, b, 0, 4, 2, 6),
               ab1 = __builtin_shufflevector(a, b, 1, 5, 3, 7),
               cd0 = __builtin_shufflevector(c, d, 0, 4, 2, 6),
               cd1 = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return {T::of(__builtin_shufflevector(ab0, cd0, 0, 1, 4, 5)),
            T::of(__builtin_shufflevector(ab1, cd1, 0, 1, 4, 5)),
            T::of(__builtin_shufflevector(ab0, cd0, 2, 3, 6, 7))};
  }
  template <class Of>
  static CHASLES_INLINE lie::Sym3<T> sym(const Of& of) {
    const auto d = vec([&](int x) { return of(x).d; }), o = vec([&](int x) { return of(x).o; });
    return {d.x, o.x, o.z, d.y, o.y, d.z};
  }
  template <class Of>
  static CHASLES_INLINE T number(const Of& of) {
    return T::of(typename T::V{of(0), of(1), of(2), of(3)});
  }
};
