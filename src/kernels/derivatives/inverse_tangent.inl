// Included by products_table.inl. Inverse dynamics and its directional derivative along (dq, dv, da), 002
// Algorithm 1 in link frames and without linear velocities, as inverse_dynamics.inl. Differentiated are
// components in the frame of the link, which the joint displaces by (e; s) = X dq in that frame, so that R ->
// R exp(e~) and r -> r + R s. With u = X v and ud = X a + Xdot v of the joint, and primes on quantities of
// the parent in link axes: w' = R^T w_p, al' = R^T al_p, a' = R^T (a_p + O_p r)
//
//   dw' = R^T dw_p - e x w',     dw = dw' + du_w                                                 (1)
//   dal = R^T dal_p - e x al' + dw' x u_w + w' x du_w + dud_w                                     (2)
//   da  = R^T (da_p + dO_p r + O_p R s) - e x a' + (2 dw' + du_w) x u_v + (2 w' + u_w) x du_v + dud_v  (3)
//   dO  = dal~ + dw~ w~ + w~ dw~                                                                  (4)
//   df  = m da + dO c,           dn = c x da + (I dal + dw x I w + w x I dw)                       (5)
//
// and inward, (n; f) summed over descendants,
//
//   df_p += R (df + e x f),   dn_p += R (dn + e x n) + r x R (df + e x f) + R s x R f              (6)
//   dtau = X.(dn; df) + dX.(n; f)                                                                 (7)
#pragma once

#include "kernels/inverse_dynamics.inl"
#include "kernels/matrices/composite.inl"

template <class Sp>
struct TangentLink {
  typename Sp::Rotation R;
  typename Sp::Vec r, n, f, dn, df;
};
template <class Sp>
struct TangentMotion {
  typename Sp::Vec w, al, a, dw, dal, da;
  typename Sp::Mat O, dO;
};

/// X x for any joint, in the frame of its link.
template <class Sp>
CHASLES_INLINE Six<Sp> joint_twist(const Pass<typename Sp::Real>& pass,
                                   const LinkConstants<typename Sp::Real>& link,
                                   const typename Sp::Real* x) {
  using S = typename Sp::S;
  if (!one_screw(link.motion)) return GroupScrews<Sp>(pass, link).twist(x);
  const S o(0), s = Sp::load(x, link.v);
  const bool slides = link.motion == LinkMotion::prismatic;
  const S h = slides ? s : S(link.pitch()) * s;
  return {Sp::vec(o, o, slides ? o : s),
          Sp::vec(o, o, link.motion == LinkMotion::revolute ? o : h)};
}

template <class Sp>
struct InverseTangent {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const ProductPass& pass;
  const LinkConstants<Real>* links;
  int count;
  TangentLink<Sp>* stored;
  TangentMotion<Sp>* motions;  // of branching links
  Real* angles;

  InverseTangent(const ProductPass& arguments, char* work)
      : pass(arguments),
        links(arguments.tree->links.data()),
        count(static_cast<int>(arguments.tree->links.size())),
        stored(reinterpret_cast<TangentLink<Sp>*>(work)),
        motions(reinterpret_cast<TangentMotion<Sp>*>(stored + count)),
        angles(reinterpret_cast<Real*>(motions + count)) {}
  static std::size_t bytes(const Tree<Real>& tree) {
    return tree.links.size() * (sizeof(TangentLink<Sp>) + sizeof(TangentMotion<Sp>)) +
           static_cast<std::size_t>(Angles<Sp>::memory(tree.nq)) * sizeof(Real);
  }

  CHASLES_INLINE void frames() const {
    const Angles<Sp> trigonometry(pass, angles);
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      typename Sp::Mat R;
      Vec r;
      move_in_parent<Sp>(pass, trigonometry, link, R, r);
      stored[i].R = Sp::rotation(R);
      stored[i].r = r;
    }
  }
  /// Joint with one screw: updates (w', al', a') and their derivatives to those of the link.
  CHASLES_INLINE void one_screw_motion(const LinkConstants<Real>& link, LinkMotion motion,
                                       TangentMotion<Sp>& m) const {
    const S v = Sp::load(pass.v, link.v), a = pass.force ? Sp::load(pass.force, link.v) : S(0),
            dv = Sp::load(pass.dv, link.v), da = Sp::load(pass.du, link.v);
    if (motion != LinkMotion::revolute) {
      const S h = motion == LinkMotion::prismatic ? S(1) : S(link.pitch()), twice = S(2) * h;
      m.da = Sp::add_z(m.da + Sp::cross_z(m.dw, twice * v) + Sp::cross_z(m.w, twice * dv), h * da);
      m.a = Sp::add_z(m.a + Sp::cross_z(m.w, twice * v), h * a);
    }
    if (motion == LinkMotion::prismatic) return;
    m.dal = Sp::add_z(m.dal + Sp::cross_z(m.dw, v) + Sp::cross_z(m.w, dv), da);
    m.al = Sp::add_z(m.al + Sp::cross_z(m.w, v), a);
    m.dw = Sp::add_z(m.dw, dv);
    m.w = Sp::add_z(m.w, v);
  }
  __attribute__((noinline)) void several_screws_motion(const LinkConstants<Real>& link,
                                                       const typename Sp::Rotation& R,
                                                       TangentMotion<Sp>& m) const {
    const GroupScrews<Sp> X(pass, link, R);
    const Six<Sp> u = X.twist(pass.v);
    Six<Sp> ud = X.twist(pass.force), du = X.twist(pass.dv), dud = X.twist(pass.du);
    X.add_rate(ud);
    if (screws_turn(link.motion)) {
      const Six<Sp> Z = X.twist_change(pass.v, pass.dq), by_v = X.twist_change(pass.v, pass.dv);
      du.w += Z.w, du.v += Z.v;
      dud.w += by_v.w, dud.v += by_v.v;
      for (int k = 0; k < link.nv; ++k) {
        const S dq = Sp::load(pass.dq, link.v + k), dv = Sp::load(pass.dv, link.v + k);
        const Six<Sp> partial = X.acceleration_partial(k), rate = X.rate(k);
        dud.w += dq * partial.w + dv * rate.w, dud.v += dq * partial.v + dv * rate.v;
      }
    }
    m.da += cross(m.dw + m.dw + du.w, u.v) + cross(m.w + m.w + u.w, du.v) + dud.v;
    m.a += cross(m.w + m.w + u.w, u.v) + ud.v;
    m.dal += cross(m.dw, u.w) + cross(m.w, du.w) + dud.w;
    m.al += cross(m.w, u.w) + ud.w;
    m.dw += du.w, m.w += u.w;
  }
  /// (1) to (5). Revolute joints, the most common, get their own instantiation.
  template <class Turn>
  CHASLES_INLINE void outward(Turn turn, int i, TangentMotion<Sp>& m) const {
    const auto& link = links[i];
    const LinkMotion motion = turn ? LinkMotion::revolute : link.motion;
    TangentLink<Sp>& out = stored[i];
    Vec moved = Sp::plus_times(m.da, m.dO, out.r);
    Six<Sp> e;
    if constexpr (!Turn::value) {
      e = joint_twist<Sp>(pass, link, pass.dq);
      if (motion != LinkMotion::revolute) moved += m.O * Sp::forward(out.R, e.v);
    }
    m.w = Sp::back(out.R, m.w);
    m.al = Sp::back(out.R, m.al);
    m.a = Sp::back(out.R, Sp::plus_times(m.a, m.O, out.r));
    m.dw = Sp::back(out.R, m.dw), m.dal = Sp::back(out.R, m.dal), m.da = Sp::back(out.R, moved);
    if constexpr (Turn::value) {
      const S dq = Sp::load(pass.dq, link.v);
      m.dw += Sp::cross_z(m.w, dq), m.dal += Sp::cross_z(m.al, dq), m.da += Sp::cross_z(m.a, dq);
    } else {
      m.dw += cross(m.w, e.w), m.dal += cross(m.al, e.w), m.da += cross(m.a, e.w);
    }
    if (one_screw(motion))
      one_screw_motion(link, motion, m);
    else
      several_screws_motion(link, out.R, m);
    m.O = Sp::omega(m.w, m.al);
    m.dO = Sp::omega_partial(m.w, m.dw, m.dal);
    const Vec c = Sp::constant(link.mc);
    const S mass(link.mass());
    out.f = mass * m.a + Sp::times(m.O, link.mc);
    out.df = mass * m.da + Sp::times(m.dO, link.mc);
    const auto I = Sp::turning(link);
    out.n = Sp::moment(c, m.a, m.O, I, m.w, m.al);
    out.dn = Sp::moment_partial(c, m.da, m.dO, I, m.w, m.dw, m.dal);
  }
  CHASLES_INLINE void outward() const {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    const typename Sp::Mat nothing{zero, zero, zero};
    const TangentMotion<Sp> ground{
        zero, zero, -Sp::constant(pass.tree->gravity), zero, zero, zero, nothing, nothing};
    TangentMotion<Sp> m = ground;
    for (int i = 0; i < count; ++i) {
      const auto& link = links[i];
      if (link.parent < 0)
        m = ground;
      else if (link.parent != i - 1)
        m = motions[link.parent];
      if (link.motion == LinkMotion::revolute)
        outward(Yes(), i, m);
      else
        outward(No(), i, m);
      if (link.branches) motions[i] = m;
    }
  }
  /// Applied wrenches given in world axes are transformed along the path from ground to their link, with
  /// their derivatives.
  __attribute__((noinline)) void subtract_applied() const {
    int* end = reinterpret_cast<int*>(motions) + count;  // no longer in use
    for (int k = 0; k < pass.frame_count; ++k) {
      const auto& frame = pass.frames[k];
      if (frame.link < 0) continue;
      const Given<Sp> given = given_wrench<Sp>(pass, k);
      const Vec zero = Sp::vec(S(0), S(0), S(0));
      Six<Sp> W = world_part<Sp>(given), dW{zero, zero};
      if (given.force_in_world) {
        int* path = end;
        for (int i = frame.link; i >= 0; i = links[i].parent) *--path = i;
        for (; path != end; ++path) {
          const TangentLink<Sp>& at = stored[*path];
          const Six<Sp> e = joint_twist<Sp>(pass, links[*path], pass.dq);
          if (given.at_world_origin) {
            dW.w -= cross(at.r, dW.v) + cross(Sp::forward(at.R, e.v), W.v);
            W.w -= cross(at.r, W.v);
          }
          W = {Sp::back(at.R, W.w), Sp::back(at.R, W.v)};
          dW = {Sp::back(at.R, dW.w) - cross(e.w, W.w), Sp::back(at.R, dW.v) - cross(e.w, W.v)};
        }
      }
      const Six<Sp> own = frame_part<Sp>(frame, given);
      W.w += own.w, W.v += own.v;
      if (!given.at_world_origin) {
        const Vec r = Sp::constant(frame.r);
        W.w += cross(r, W.v), dW.w += cross(r, dW.v);
      }
      TangentLink<Sp>& on = stored[frame.link];
      on.n -= W.w, on.f -= W.v;
      on.dn -= dW.w, on.df -= dW.v;
    }
  }
  /// (7) for a joint with several screws.
  __attribute__((noinline)) void several_forces(const LinkConstants<Real>& link,
                                                const typename Sp::Rotation& R, const Six<Sp>& F,
                                                const Six<Sp>& dF) const {
    const GroupScrews<Sp> own(pass, link, R);
    for (int k = 0; k < link.nv; ++k) {
      const Six<Sp> X = own[k];
      S change = dot(X.w, dF.w) + dot(X.v, dF.v);
      if (screws_turn(link.motion))
        for (int l = 0; l < link.nv; ++l) {
          const Six<Sp> partial = own.partial(k, l);
          change =
              change + Sp::load(pass.dq, link.v + l) * (dot(partial.w, F.w) + dot(partial.v, F.v));
        }
      Sp::store(pass.out, link.v + k, dot(X.w, F.w) + dot(X.v, F.v));
      Sp::store(pass.product, link.v + k, change);
    }
  }
  /// (6) and (7).
  CHASLES_INLINE void inward() const {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    Six<Sp> F{zero, zero}, dF{zero, zero};
    for (int i = count - 1; i >= 0; --i) {
      const auto& link = links[i];
      const TangentLink<Sp>& in = stored[i];
      const bool carried = i + 1 < count && links[i + 1].parent == i;
      F = carried ? Six<Sp>{F.w + in.n, F.v + in.f} : Six<Sp>{in.n, in.f};
      dF = carried ? Six<Sp>{dF.w + in.dn, dF.v + in.df} : Six<Sp>{in.dn, in.df};
      if (one_screw(link.motion)) {
        const bool turns = link.motion == LinkMotion::revolute;
        const bool slides = link.motion == LinkMotion::prismatic;
        const S h(link.pitch());
        const auto along = [&](const Six<Sp>& x) {
          return turns ? Sp::z(x.w) : slides ? Sp::z(x.v) : Sp::z(x.w) + h * Sp::z(x.v);
        };
        Sp::store(pass.out, link.v, along(F));
        Sp::store(pass.product, link.v, along(dF));
      } else {
        several_forces(link, in.R, F, dF);
      }
      if (link.parent < 0) continue;
      if (link.motion == LinkMotion::revolute) {
        const S back = -Sp::load(pass.dq, link.v);
        dF.w += Sp::cross_z(F.w, back), dF.v += Sp::cross_z(F.v, back);
      } else {
        const Six<Sp> e = joint_twist<Sp>(pass, link, pass.dq);
        dF.w += cross(e.w, F.w) + cross(e.v, F.v), dF.v += cross(e.w, F.v);
      }
      F.v = Sp::forward(in.R, F.v);
      F.w = Sp::plus_cross(Sp::forward(in.R, F.w), in.r, F.v);
      dF.v = Sp::forward(in.R, dF.v);
      dF.w = Sp::plus_cross(Sp::forward(in.R, dF.w), in.r, dF.v);
      if (link.parent == i - 1) continue;
      TangentLink<Sp>& to = stored[link.parent];
      to.n += F.w, to.f += F.v, to.dn += dF.w, to.df += dF.v;
    }
  }
  CHASLES_INLINE void run() const {
    frames();
    outward();
    if (pass.wrench) [[unlikely]]
      subtract_applied();
    inward();
    add_armature_forces<Sp>(*pass.tree, pass.force, pass.out);
    add_armature_forces<Sp>(*pass.tree, pass.du, pass.product);
  }
};

/// tau to pass.out, dtau to pass.product.
template <class Sp>
CHASLES_FLATTEN int run_inverse_tangent(const ProductPass& arguments) {
  const ProductPass pass = arguments;  // local copy: stores cannot alias it
  InverseTangent<Sp>(pass, reinterpret_cast<char*>(pass.work)).run();
  return -1;
}
