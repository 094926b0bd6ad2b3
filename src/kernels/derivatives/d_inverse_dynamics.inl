// Included by dynamics.inl. The derivatives of inverse dynamics, 002 Algorithm 2, corrected and for all joint
// types (docs/theory/linearization.md), in the axes of the root and about its origin as in composite.inl. For
// every column (z; s) = X of the joint screws, with the twist V_p and acceleration A_p of the parent, (0; -g)
// for ground:
//
//   Psi = ad_{V_p} X + Z,    U = ad_{V_p} X + ad_V X + Xdot + Z                                   (1)
//   Psid = ad_{A_p} X + ad_{V_p} Psi + ad_V Z + Z'                                                (2)
//
// Z and Z' are the derivatives of X v and of X a + Xdot v with respect to q, zero for constant screws. With
// the composite inertia I, its rate N, the momentum (k; l) and the force (n; f), all summed over the
// descendants of the joint:
//
//   N (x; .) = (I_dot x - k x x; -2 l x x),   N^T X = (r; 0),  r = I_dot z + k x z + 2 l x s       (3)
//   F = I X,   G = I U + N X,   T = I Psid + N Psi + (z x n + s x f; z x f)                       (4)
//
// for j outboard of i   M_ij = X_i.F_j,   dtau_i/dv_j = X_i.G_j,   dtau_i/dq_j = X_i.T_j           (5)
// for the others        dtau_i/dv_j = F_i.U_j + r_i.z_j,   dtau_i/dq_j = F_i.Psid_j + r_i.Psi_j    (6)
//
// and dX_i/dq_j.(n; f) within a joint. For one state, lanes hold joints from (1) on; rows are stored by whole
// registers, as descendants are consecutive, and so are ancestors within chains.
#pragma once

#include "kernels/derivatives/applied_partials.inl"
#include "kernels/matrices/mass_matrix.inl"
#include "kernels/vectors/joint_lanes.inl"

template <class Sp>
CHASLES_INLINE Six<Sp> bracket(const Six<Sp>& V, const Six<Sp>& X) {
  return {cross(V.w, X.w), Sp::two_crosses(V.w, X.v, V.v, X.w)};
}
template <class Sp>
CHASLES_INLINE Six<Sp> operator+(const Six<Sp>& a, const Six<Sp>& b) {
  return {a.w + b.w, a.v + b.v};
}

/// Bytes, rounded up to whole cache lines.
CHASLES_INLINE std::size_t in_lines(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

/// Per-link quantities of the derivatives.
template <class Sp>
struct DerivativeLink {
  Six<Sp> Vp, Ap, V, A;  // of the parent and of the link
  Six<Sp> h, W;          // momentum and force; later summed over descendants
  typename Sp::Sym E;    // E'dot of composite.inl (3); later summed too
};
template <class Sp>
struct InverseDerivatives {
  using Space = Sp;
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  using Out = Result<Sp>;
  using J = Joints<Sp>;
  using L = typename J::L;
  using T = typename J::T;
  const Pass<Real>& pass;
  const Tree<Real>& tree;
  const LinkConstants<Real>* links;
  int count, nv, stride;
  CompositeLink<Sp>* stored;
  DerivativeLink<Sp>* at;
  Six<Sp>* axes;  // per column: z, and s without p x z
  AppliedPartial<Sp>* partials;
  // Per column; component c of entry k is at [c * stride + k].
  S *X, *Psi, *Psid, *U, *F, *G, *Tq, *r;
  int* link_of;
  Real* angles;

  InverseDerivatives(const Pass<Real>& arguments, char* work)
      : pass(arguments),
        tree(*arguments.tree),
        links(tree.links.data()),
        count(static_cast<int>(tree.links.size())),
        nv(tree.nv),
        stride(padded_columns<Sp>(tree.nv)) {
    stored = reinterpret_cast<CompositeLink<Sp>*>(work);
    at = reinterpret_cast<DerivativeLink<Sp>*>(stored + count);
    partials = reinterpret_cast<AppliedPartial<Sp>*>(at + count);
    axes = reinterpret_cast<Six<Sp>*>(partials + count);
    X = reinterpret_cast<S*>(axes + nv);
    Psi = X + 6 * stride, Psid = Psi + 6 * stride, U = Psid + 6 * stride;
    F = U + 6 * stride, G = F + 6 * stride, Tq = G + 6 * stride, r = Tq + 6 * stride;
    angles = reinterpret_cast<Real*>(r + 3 * stride);
    link_of = reinterpret_cast<int*>(angles + Angles<Sp>::memory(tree.nq));
  }
  static std::size_t bytes(const Tree<Real>& tree) {
    const auto n = static_cast<std::size_t>(tree.nv), count = tree.links.size();
    return in_lines(count * (sizeof(CompositeLink<Sp>) + sizeof(DerivativeLink<Sp>) +
                             sizeof(AppliedPartial<Sp>)) +
                    n * (sizeof(Six<Sp>) + sizeof(int)) +
                    45 * static_cast<std::size_t>(padded_columns<Sp>(tree.nv)) * sizeof(S) +
                    static_cast<std::size_t>(Angles<Sp>::memory(tree.nq)) * sizeof(Real));
  }

  /// Transforms a vector from the axes and origin of a link to those of the root.
  CHASLES_INLINE Six<Sp> from_link(int i, const Six<Sp>& x) const {
    const Vec w = stored[i].R * x.w;
    return {w, Sp::plus_cross(stored[i].R * x.v, stored[i].p, w)};
  }
  CHASLES_INLINE static Six<L> get(const S* array, int stride, int k) {
    const Take<T> take;
    return {{take.get(array + k), take.get(array + stride + k), take.get(array + 2 * stride + k)},
            {take.get(array + 3 * stride + k), take.get(array + 4 * stride + k),
             take.get(array + 5 * stride + k)}};
  }
  CHASLES_INLINE static void put(S* array, int stride, int k, const lie::Vec3<T>& a) {
    const Take<T> take;
    take.put(array + k, a.x), take.put(array + stride + k, a.y);
    take.put(array + 2 * stride + k, a.z);
  }
  CHASLES_INLINE static void put(S* array, int stride, int k, const Six<L>& a) {
    put(array, stride, k, a.w);
    put(array + 3 * stride, stride, k, a.v);
  }
  /// Entry k of an array as a twist; and adding to it.
  CHASLES_INLINE Six<Sp> one(const S* array, int k) const {
    return {Sp::vec(array[k], array[stride + k], array[2 * stride + k]),
            Sp::vec(array[3 * stride + k], array[4 * stride + k], array[5 * stride + k])};
  }
  CHASLES_INLINE void add(S* array, int k, const Six<Sp>& a) const {
    const S numbers[] = {Sp::x(a.w), Sp::y(a.w), Sp::z(a.w), Sp::x(a.v), Sp::y(a.v), Sp::z(a.v)};
    for (int c = 0; c < 6; ++c) array[c * stride + k] = array[c * stride + k] + numbers[c];
  }

  /// The rotation and the origin of a root link in the world.
  CHASLES_INLINE void root_pose(const Angles<Sp>& trigonometry, int i, typename Sp::Mat& R,
                                Vec& p) const {
    R = constant_matrix<Sp>(links[i].C);
    p = Sp::constant(links[i].r);
    move<Sp>(pass, trigonometry, links[i], links[i].motion, R, p);
  }
  /// Twists and accelerations of links, after their poses.
  CHASLES_INLINE void motions(const Angles<Sp>& trigonometry) const {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    Six<Sp> V{zero, zero}, A{zero, zero};
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      if (link.parent < 0) {
        typename Sp::Mat R;
        Vec p;
        root_pose(trigonometry, i, R, p);
        V = {zero, zero};
        A = {zero, -Sp::back_times(R, Sp::constant(tree.gravity))};
      } else if (link.parent != i - 1) {
        V = at[link.parent].V, A = at[link.parent].A;
      }
      at[i].Vp = V, at[i].Ap = A;
      Six<Sp> u{zero, zero}, ud{zero, zero};
      const Vec axis = stored[i].R.c2;
      const GroupScrews<Sp> screws(pass, link);
      for (int k = 0; k < link.nv; ++k) {
        const int e = link.v + k;
        Six<Sp> own;
        if (link.motion == LinkMotion::revolute) {
          own = {axis, zero};
        } else if (one_screw(link.motion)) {
          const bool slides = link.motion == LinkMotion::prismatic;
          own = {slides ? zero : axis, slides ? axis : S(link.pitch()) * axis};
        } else {
          const Six<Sp> screw = screws[k];
          own = {stored[i].R * screw.w, stored[i].R * screw.v};
        }
        axes[e] = own;
        link_of[e] = i;
        const Vec s = Sp::plus_cross(own.v, stored[i].p, own.w);
        const S v = Sp::load(pass.v, e), a = pass.force ? Sp::load(pass.force, e) : S(0);
        u = {u.w + v * own.w, u.v + v * s};
        ud = {ud.w + a * own.w, ud.v + a * s};
      }
      if (screws_turn(link.motion)) {
        Six<Sp> rate{zero, zero};
        screws.add_rate(rate);
        ud = ud + from_link(i, rate);
      }
      A = A + (ud + bracket<Sp>(V, u));
      V = V + u;
      at[i].V = V, at[i].A = A;
    }
  }
  /// Momenta, forces and rates of the inertias of links.
  CHASLES_INLINE void forces() const {
    for (int i = 0; i < count; ++i) {
      CompositeLink<Sp>& body = stored[i];
      composite_inertia<Sp>(tree.bodies[static_cast<std::size_t>(i)], body);
      const S trace = Sp::trace(body.E);
      const Six<Sp> V = at[i].V, h = composite_momentum<Sp>(body, trace, V),
                    Y = composite_momentum<Sp>(body, trace, at[i].A);
      at[i].h = h;
      at[i].W = {Y.w + Sp::two_crosses(V.w, h.w, V.v, h.v), Sp::plus_cross(Y.v, V.w, h.v)};
      at[i].E = Sp::plus_symmetric_outer(spin(Sp(), V.w, body.E), V.v, body.c);
    }
  }
  CHASLES_INLINE void sums() const {
    for (int i = count - 1; i >= 0; --i) {
      const int parent = links[i].parent;
      if (parent < 0) continue;
      at[parent].h = at[parent].h + at[i].h;
      at[parent].W = at[parent].W + at[i].W;
      at[parent].E = at[parent].E + at[i].E;
    }
  }

  /// (1) and (2) for constant screws of one-dof joints; F temporarily holds s of `axes`.
  CHASLES_INLINE void rates() const {
    for (int k = 0; k < nv; k += J::width) {
      const auto column = [&](int x) { return k + x < nv ? k + x : nv - 1; };
      const auto vec = [&](const auto& of) {
        return J::vec([&](int x) { return of(at[link_of[column(x)]]); });
      };
      const auto z = J::vec([&](int x) { return axes[column(x)].w; }),
                 own = J::vec([&](int x) { return axes[column(x)].v; }),
                 p = J::vec([&](int x) { return stored[link_of[column(x)]].p; });
      const Six<L> screw{z, L::plus_cross(own, p, z)};
      const Six<L> Vp{vec([](const auto&link) { return link.Vp.w; }),
                      vec([](const auto&link) { return link.Vp.v; })},
          Ap{vec([](const auto&link) { return link.Ap.w; }),
             vec([](const auto&link) { return link.Ap.v; })};
      const Six<L> psi = bracket<L>(Vp, screw);
      put(X, stride, k, screw);
      put(Psi, stride, k, psi);
      put(Psid, stride, k, bracket<L>(Ap, screw) + bracket<L>(Vp, psi));
      put(U, stride, k, psi + psi);
      put(F, stride, k, own);
    }
  }
  /// Additional terms of the other joints.
  __attribute__((noinline)) void group_rates(int i) const {
    const auto& link = links[i];
    const int n = link.nv;
    const Six<Sp> u{at[i].V.w - at[i].Vp.w, at[i].V.v - at[i].Vp.v};
    const GroupScrews<Sp> own(pass, link);
    for (int k = 0; k < n; ++k) {
      const int e = link.v + k;
      add(U, e, bracket<Sp>(u, one(X, e)));
      if (!screws_turn(link.motion)) continue;
      const bool direct = link.motion == LinkMotion::floating_so3xr3;
      if (!direct || k >= 3) add(U, e, from_link(i, own.rate(k)));
      if (direct && k >= 3) continue;  // the other terms are zero
      const Six<Sp> Z = from_link(i, own.twist_partial(pass.v, k));
      add(Psi, e, Z);
      add(U, e, Z);
      add(Psid, e,
          (bracket<Sp>(at[i].Vp, Z) + bracket<Sp>(at[i].V, Z)) +
              from_link(i, own.acceleration_partial(k)));
    }
  }
  /// (3) and (4).
  CHASLES_INLINE void columns() const {
    for (int k = 0; k < nv; k += J::width) {
      const auto link = [&](int x) { return link_of[k + x < nv ? k + x : nv - 1]; };
      const auto vec = [&](const auto& of) {
        return J::vec([&](int x) { return of(at[link(x)]); });
      };
      const auto g = J::vec([&](int x) { return stored[link(x)].c; });
      const auto E = J::sym([&](int x) { return stored[link(x)].E; }),
                 Ed = J::sym([&](int x) { return at[link(x)].E; });
      const T m = J::number([&](int x) { return links[link(x)].carried(); });
      const Six<L> h{vec([](const auto&x) { return x.h.w; }),
                     vec([](const auto&x) { return x.h.v; })},
          W{vec([](const auto&x) { return x.W.w; }), vec([](const auto&x) { return x.W.v; })};
      const T trace = L::trace(Ed);
      const auto times = [&](const lie::Vec3<T>& w, const lie::Vec3<T>& v) {  // v: of the center
        const lie::Vec3<T> f = m * v;
        return Six<L>{L::plus_cross(L::momentum(E, w), g, f), f};
      };
      const auto inertia = [&](const Six<L>& x) { return times(x.w, x.v + cross(x.w, g)); };
      const auto rate = [&](const lie::Vec3<T>& x) {
        const lie::Vec3<T> l = cross(h.v, x);
        return Six<L>{(trace * x - Ed * x) - cross(h.w, x), -(l + l)};
      };
      const Six<L> screw = get(X, stride, k), psi = get(Psi, stride, k);
      const Take<T> take;
      const lie::Vec3<T> own{take.get(F + k), take.get(F + stride + k),
                             take.get(F + 2 * stride + k)},
          p = J::vec([&](int x) { return stored[link(x)].p; });
      put(F, stride, k, times(screw.w, own + cross(screw.w, g - p)));
      const Six<L> turned = rate(screw.w);
      put(G, stride, k, inertia(get(U, stride, k)) + turned);
      put(Tq, stride, k,
          (inertia(get(Psid, stride, k)) + rate(psi.w)) +
              Six<L>{L::two_crosses(screw.w, W.w, screw.v, W.v), cross(screw.w, W.v)});
      const lie::Vec3<T> across = cross(h.w, screw.w) + cross(h.v, screw.v);
      put(r, stride, k, turned.w + (across + across));
    }
  }

  // The matrices dtau/dq, dtau/dv, M, stored by rows.
  struct Rows {
    Out *q, *v, *M;
    template <bool Mass>
    CHASLES_INLINE void put(int k, int left, const T& of_q, const T& of_v, const T& of_M) const {
      if (J::width == 1 || left >= J::width) {
        const Take<T> take;
        take.put(q + k, of_q), take.put(v + k, of_v);
        if (Mass) take.put(M + k, of_M);
      } else if constexpr (J::width > 1) {
        for (int x = 0; x < left; ++x) {
          q[k + x] = of_q.x[x], v[k + x] = of_v.x[x];
          if (Mass) M[k + x] = of_M.x[x];
        }
      }
    }
  };
  template <int N>
  CHASLES_INLINE void broadcast(const S* array, int k, T (&to)[N]) const {
    for (int c = 0; c < N; ++c) to[c] = T(array[c * stride + k]);
  }
  template <int N>
  CHASLES_INLINE T sum(const T (&factors)[N], const S* array, int k) const {
    const Take<T> take;
    T s = factors[0] * take.get(array + k);
    for (int c = 1; c < N; ++c) s = s + factors[c] * take.get(array + c * stride + k);
    return s;
  }
  /// For several states, in strips of columns that stay in the L1 cache.
  template <bool Mass>
  CHASLES_INLINE void entries(Out* out) const {
    constexpr int few = sizeof(S) < 512 ? static_cast<int>(512 / sizeof(S)) : 1;
    const int tile = sizeof(S) == sizeof(Real) || nv <= 3 * few ? nv : few;
    for (int begin = 0; begin < nv; begin += tile)
      entries<Mass>(out, begin, begin + tile < nv ? begin + tile : nv);
  }
  template <bool Mass>
  CHASLES_INLINE void entries(Out* out, int begin, int end) const {
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      if (link.end_v <= begin) continue;
      for (int e = link.v; e < link.v + link.nv; ++e) {
        const Rows rows{out + e * nv, out + (nv + e) * nv, out + (2 * nv + e) * nv};
        T f[6], turn[3], x[6];
        broadcast(F, e, f), broadcast(r, e, turn), broadcast(X, e, x);
        for (int chain = i; chain >= 0;) {  // (6)
          const auto& first = links[links[chain].chain];
          const int last = links[chain].v + links[chain].nv, stop = last < end ? last : end;
          for (int k = first.v > begin ? first.v : begin; k < stop; k += J::width)
            rows.template put<Mass>(k, stop - k, sum(f, Psid, k) + sum(turn, Psi, k),
                                    sum(f, U, k) + sum(turn, X, k),
                                    Mass ? sum(f, X, k) : T(Real(0)));
          chain = first.parent;
        }
        const int next = link.v + link.nv, stop = link.end_v < end ? link.end_v : end;
        for (int k = next > begin ? next : begin; k < stop; k += J::width)  // (5)
          rows.template put<Mass>(k, stop - k, sum(x, Tq, k), sum(x, G, k),
                                  Mass ? sum(x, F, k) : T(Real(0)));
      }
    }
  }
  /// dX_i/dq_j.(n; f) within a joint.
  __attribute__((noinline)) void group_entries(int i, Out* out) const {
    const auto& link = links[i];
    const GroupScrews<Sp> own(pass, link);
    const bool direct = link.motion == LinkMotion::floating_so3xr3;  // the other entries are zero
    for (int k = direct ? 3 : 0; k < link.nv; ++k)
      for (int l = 0; l < (direct ? 3 : link.nv); ++l) {
        const Six<Sp> partial = from_link(i, own.partial(k, l));
        Out& to = out[(link.v + k) * nv + link.v + l];
        to = to + Sp::dot(partial.w, at[i].W.w, partial.v, at[i].W.v);
      }
  }

  /// All columns; `of_bodies` is called while the per-link sums still hold each body alone.
  template <class OfBodies>
  CHASLES_INLINE void prepare(const OfBodies& of_bodies) const {
    const Angles<Sp> trigonometry(pass, angles);
    composite_poses<Sp>(pass, trigonometry, stored);
    motions(trigonometry);
    forces();
    of_bodies();
    if (pass.wrench) [[unlikely]]
      apply_wrenches(*this, trigonometry);
    sums();
    join_composites<Sp>(tree, stored);
    rates();
    for (int i = 0; i < count; ++i)
      if (links[i].nv > 1 || screws_turn(links[i].motion)) group_rates(i);
    columns();
    if (pass.wrench) [[unlikely]]
      applied_columns(*this);
  }
  /// dtau/dq, dtau/dv, and optionally M.
  template <bool Mass>
  CHASLES_INLINE void run(Out* out) const {
    prepare([] {});
    for (int matrix = 0; matrix < (Mass ? 3 : 2); ++matrix)
      clear_unrelated<Sp>(pass, out + matrix * nv * nv);
    entries<Mass>(out);
    for (int i = 0; i < count; ++i)
      if (screws_turn(links[i].motion)) group_entries(i, out);
    if (pass.wrench) [[unlikely]]
      applied_entries(*this, out);
    if (Mass && !tree.slender.empty()) [[unlikely]]
      correct_slender<Sp>(
          tree, [&](int i) { return stored[i].c; }, [&](int i) { return stored[i].E; },
          [&](int i) { return stored[i].p; }, [&](int i) { return stored[i].R.c2; },
          out + 2 * nv * nv);
    if (Mass) add_armatures<Sp>(tree, out + 2 * nv * nv);
  }
};

/// dtau/dq, dtau/dv and M, consecutively, at the accelerations pass.force.
template <class Sp>
CHASLES_FLATTEN int run_d_inverse_dynamics(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  InverseDerivatives<Sp>(pass, reinterpret_cast<char*>(pass.work))
      .template run<true>(reinterpret_cast<Result<Sp>*>(pass.out));
  return -1;
}
