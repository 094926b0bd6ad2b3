// Included by dynamics.inl. Joint kinematics: the pose of a link in its parent for every LinkMotion known to
// the kernels.
#pragma once

#include "kernels/vectors/lanes.inl"
#include "kernels/vectors/pack.inl"
#include "kernels/vectors/quad.inl"

/// Sines and cosines of joint angles, computed in a separate pass; for all links or those on a path.
template <class Sp>
struct Angles {
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  const S *s, *c;  // indexed like q
  CHASLES_INLINE Angles(const Pass<Real>& pass, Real* work) {
    S *sines = reinterpret_cast<S*>(work), *cosines = sines + pass.tree->nq;
    for (const auto& link : pass.tree->links)
      if (one_angle(link.motion)) sincos(Sp::load(pass.q, link.q), sines[link.q], cosines[link.q]);
    s = sines, c = cosines;
  }
  CHASLES_INLINE Angles(const Pass<Real>& pass, Real* work, const int* path, int length) {
    S *sines = reinterpret_cast<S*>(work), *cosines = sines + pass.tree->nq;
    for (int k = 0; k < length; ++k) {
      const auto& link = pass.tree->links[static_cast<std::size_t>(path[k])];
      if (one_angle(link.motion)) sincos(Sp::load(pass.q, link.q), sines[link.q], cosines[link.q]);
    }
    s = sines, c = cosines;
  }
  /// Size of its part of `work`, in numbers.
  static int memory(int n) { return 2 * n * Sp::lanes; }
};
/// One state, N angles at a time. Entries of q that are not angles are computed too and ignored.
template <class Real, int N>
struct PackedAngles {
  const Real *s, *c;
  CHASLES_INLINE PackedAngles(const Pass<Real>& pass, Real* work) {
    s = work, c = work + memory(pass.tree->nq) / 2;
    some(pass, work, pass.tree->angles, pass.tree->nq);
  }
  CHASLES_INLINE PackedAngles(const Pass<Real>& pass, Real* work, const int* path, int length) {
    const auto* links = pass.tree->links.data();
    s = work, c = work + memory(pass.tree->nq) / 2;
    for (int k = 0; k < length; ++k) {
      if (!one_angle(links[path[k]].motion)) continue;
      // Extend the range while links, and so their entries of q, are consecutive.
      const int first = k;
      while (k + 1 < length && path[k + 1] == path[k] + 1) ++k;
      some(pass, work, links[path[first]].q, links[path[k]].q + 1);
    }
  }
  static int memory(int n) { return (n + N) / N * N * 2; }

 private:
  /// Entries begin ... end - 1; may also write some after them.
  static CHASLES_INLINE void some(const Pass<Real>& pass, Real* sines, int begin, int end) {
    using P = Pack<Real, N>;
    const int n = pass.tree->nq;
    Real* cosines = sines + memory(n) / 2;
    for (int i = begin; i < end; i += N) {
      P a(Real(0)), sine, cosine;
      // The last block may start earlier, to end with q.
      const int at = i + N <= n ? i : n < N ? 0 : n - N;
      if (n >= N) {
        __builtin_memcpy(&a, pass.q + at, sizeof a);
      } else {
        for (int k = 0; k < N - 1; ++k)
          if (k < n) a.x[k] = pass.q[k];
      }
      sincos(a, sine, cosine);
      __builtin_memcpy(sines + at, &sine, sizeof a);
      __builtin_memcpy(cosines + at, &cosine, sizeof a);
    }
  }
};
template <class Real>
struct Angles<Quad<Real>> : PackedAngles<Real, 4> {
  using PackedAngles<Real, 4>::PackedAngles;
};
template <class Real>
struct Angles<Lanes<Pack<Real, 1>, Real>> : PackedAngles<Real, 2> {
  using PackedAngles<Real, 2>::PackedAngles;
};

template <class Sp>
CHASLES_INLINE typename Sp::Mat constant_matrix(const typename Sp::Real (*C)[4]) {
  return {Sp::constant(C[0]), Sp::constant(C[1]), Sp::constant(C[2])};
}
template <class Sp>
CHASLES_INLINE typename Sp::Mat product(const typename Sp::Mat& A, const typename Sp::Mat& B) {
  return {A * B.c0, A * B.c1, A * B.c2};
}
/// Scales quaternions to about unit length to avoid overflow of their squares.
template <class Sp>
__attribute__((noinline)) void shorten(const typename Sp::Real* q, typename Sp::Real* to) {
  using Real = typename Sp::Real;
  for (int l = 0; l < Sp::lanes; ++l) {
    Real most(0);
    for (int k = 0; k < 4; ++k) {
      const Real x = q[k * Sp::lanes + l], size = x < 0 ? -x : x;
      if (size > most) most = size;
    }
    for (int k = 0; k < 4; ++k) to[k * Sp::lanes + l] = q[k * Sp::lanes + l] / most;
  }
}
/// Rotation of a quaternion (w, x, y, z) of any nonzero length.
template <class Sp>
CHASLES_INLINE typename Sp::Mat rotation_of(const typename Sp::Real* q, int i) {
  using S = typename Sp::S;
  using Real = typename Sp::Real;
  constexpr Real far = Real(sizeof(Real) == 4 ? 1e30 : 1e290);
  S w = Sp::load(q, i), x = Sp::load(q, i + 1), y = Sp::load(q, i + 2), z = Sp::load(q, i + 3);
  S square = (w * w + x * x) + (y * y + z * z);
  if (!(all_above(square, S(1 / far)) && all_above(S(far), square))) [[unlikely]] {
    alignas(64) Real shorter[4 * Sp::lanes];
    shorten<Sp>(q + i * Sp::lanes, shorter);
    w = Sp::load(shorter, 0), x = Sp::load(shorter, 1), y = Sp::load(shorter, 2);
    z = Sp::load(shorter, 3);
    square = (w * w + x * x) + (y * y + z * z);
  }
  const S k = S(2) / square;
  const S kx = k * x, ky = k * y, kz = k * z, one(1);
  const S xx = kx * x, yy = ky * y, zz = kz * z, xy = kx * y, xz = kx * z, yz = ky * z;
  const S wx = kx * w, wy = ky * w, wz = kz * w;
  return {Sp::vec(one - (yy + zz), xy + wz, xz - wy), Sp::vec(xy - wz, one - (xx + zz), yz + wx),
          Sp::vec(xz + wy, yz - wx, one - (xx + yy))};
}

/// Transforms vectors given in the axes in which a floating_so3xr3 link has its position.
template <class Sp>
struct FromPosition {
  const PositionAxes<typename Sp::Real>& axes;
  CHASLES_INLINE typename Sp::Vec in_joint(const typename Sp::Vec& x) const {
    return constant_matrix<Sp>(axes.in_joint) * x;
  }
  CHASLES_INLINE typename Sp::Vec in_parent(const typename Sp::Vec& x) const {
    return axes.same ? x : constant_matrix<Sp>(axes.in_parent) * x;
  }
  /// From the axes of the parent link.
  CHASLES_INLINE typename Sp::Vec back(const typename Sp::Vec& x) const {
    return axes.same ? x : Sp::back_times(constant_matrix<Sp>(axes.in_parent), x);
  }
};
template <class Sp>
CHASLES_INLINE FromPosition<Sp> position_axes(const Pass<typename Sp::Real>& pass,
                                              const LinkConstants<typename Sp::Real>& link) {
  return {pass.tree->axes[static_cast<std::size_t>(link.group)]};
}

/// Moves the frame (T, d) of a joint by the joint motion: it becomes the frame of the link.
template <class Sp>
CHASLES_INLINE void move(const Pass<typename Sp::Real>& pass, const Angles<Sp>& angles,
                         const LinkConstants<typename Sp::Real>& link, LinkMotion motion,
                         typename Sp::Mat& T, typename Sp::Vec& d) {
  using S = typename Sp::S;
  if (one_angle(motion)) {
    const S s = angles.s[link.q], c = angles.c[link.q];
    const auto x = T.c0, y = T.c1;
    T.c0 = c * x + s * y;
    T.c1 = c * y - s * x;
    if (motion == LinkMotion::helical) d += (S(link.pitch()) * Sp::load(pass.q, link.q)) * T.c2;
  } else if (motion == LinkMotion::prismatic) {
    d += Sp::load(pass.q, link.q) * T.c2;
  } else if (given_as_data(motion)) {
    const int g = link.group;
    d += T * Sp::load_vec(pass.group, g + 9);
    T = product<Sp>(T, {Sp::load_vec(pass.group, g), Sp::load_vec(pass.group, g + 3),
                        Sp::load_vec(pass.group, g + 6)});
  } else {
    if (motion == LinkMotion::floating_se3) d += T * Sp::load_vec(pass.q, link.q + 4);
    if (motion == LinkMotion::floating_so3xr3)
      d += T * position_axes<Sp>(pass, link).in_joint(Sp::load_vec(pass.q, link.q + 4));
    T = product<Sp>(T, rotation_of<Sp>(pass.q, link.q));
  }
}

/// The frame of a link in its parent link.
template <class Sp>
CHASLES_INLINE void move_in_parent(const Pass<typename Sp::Real>& pass, const Angles<Sp>& angles,
                                   const LinkConstants<typename Sp::Real>& link,
                                   typename Sp::Mat& T, typename Sp::Vec& d) {
  T = constant_matrix<Sp>(link.C);
  d = Sp::constant(link.r);
  if (link.motion == LinkMotion::floating_so3xr3) {
    d += position_axes<Sp>(pass, link).in_parent(Sp::load_vec(pass.q, link.q + 4));
    T = product<Sp>(T, rotation_of<Sp>(pass.q, link.q));
  } else {
    move<Sp>(pass, angles, link, link.motion, T, d);
  }
}

/// A twist or an acceleration, or a wrench or momentum (t; f), as two vectors.
template <class Sp>
struct Six {
  typename Sp::Vec w, v;
};
