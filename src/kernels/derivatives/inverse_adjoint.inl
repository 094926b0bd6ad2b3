// Included by products_table.inl. The transpose of inverse_tangent.inl: inverse dynamics, and lambda^T
// dtau/d(q, v, a). The adjoint of the wrench (dn; df) of a link is the twist (b; g) that the link would have
// at joint velocities lambda; outward, with primes as there,
//
//   b' = R^T b_p,   g' = R^T (g_p + b_p x r),   b = b' + X_w lambda,   g = g' + X_v lambda          (1)
//
// The adjoints (wb, alb, ab) of (dw, dal, da), due to (4) and (5) there for the link itself,
//
//   ab = m g + b x c,   alb = c x g + I b,   wb = turn(w, c, g) + I w x b + I (b x w)               (2)
//   turn(w, x, y) = (w x x) x y + x x (y x w)         the adjoint of dw in y.(dw~ w~ + w~ dw~) x     (3)
//
// and inward, with wb' = wb + u_w x alb + 2 u_v x ab, that of dw',
//
//   ab_p += R ab,   alb_p += R alb + r x R ab,   wb_p += R wb' + turn(w_p, r, R ab)                 (4)
//
// The adjoints of du are (wb + alb x w' + u_v x ab; ab x (2 w' + u_w)), of dud (alb; ab), and of the
// displacement (e; s) of the joint
//
//   ( n x b' + f x g' - w' x wb' - al' x alb - a' x ab;  f x b' + R^T O_p^T R ab )                  (5)
//
// so that lambda^T dtau/da = X.(alb; ab); the other two follow from du and dud as functions of dq and dv.
#pragma once

#include "kernels/derivatives/inverse_tangent.inl"

template <class Sp>
struct AdjointLink {
  typename Sp::Rotation R;
  typename Sp::Vec r;
  Six<Sp> F;                     // (n; f), later summed over descendants
  typename Sp::Vec w, al;        // of the link
  typename Sp::Vec w1, al1, a1;  // w', al', a'
  Six<Sp> y1;                    // (b'; g')
  typename Sp::Vec wb, alb, ab;
};
template <class Sp>
struct AdjointMotion {
  typename Sp::Vec w, al, a;
  typename Sp::Mat O;
  Six<Sp> y;  // (b; g)
};

template <class Sp>
struct InverseAdjoint {
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const ProductPass& pass;
  const LinkConstants<Real>* links;
  int count;
  AdjointLink<Sp>* stored;
  AdjointMotion<Sp>* motions;  // of branching links
  Six<Sp>* applied;            // contributions of applied wrenches to (5)
  Real* angles;

  InverseAdjoint(const ProductPass& arguments, char* work)
      : pass(arguments),
        links(arguments.tree->links.data()),
        count(static_cast<int>(arguments.tree->links.size())),
        stored(reinterpret_cast<AdjointLink<Sp>*>(work)),
        motions(reinterpret_cast<AdjointMotion<Sp>*>(stored + count)),
        applied(reinterpret_cast<Six<Sp>*>(motions + count)),
        angles(reinterpret_cast<Real*>(applied + count)) {}
  static std::size_t bytes(const Tree<Real>& tree) {
    return tree.links.size() *
               (sizeof(AdjointLink<Sp>) + sizeof(AdjointMotion<Sp>) + sizeof(Six<Sp>)) +
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
  /// (3).
  static CHASLES_INLINE Vec turn_adjoint(const Vec& w, const Vec& x, const Vec& y) {
    return Sp::two_crosses(cross(w, x), y, x, cross(y, w));
  }
  /// (1) and (2).
  template <class Turn>
  CHASLES_INLINE void outward(Turn turn, int i, AdjointMotion<Sp>& m) const {
    const auto& link = links[i];
    const LinkMotion motion = turn ? LinkMotion::revolute : link.motion;
    AdjointLink<Sp>& out = stored[i];
    m.w = Sp::back(out.R, m.w);
    m.al = Sp::back(out.R, m.al);
    m.a = Sp::back(out.R, Sp::plus_times(m.a, m.O, out.r));
    m.y.v = Sp::back(out.R, Sp::plus_cross(m.y.v, m.y.w, out.r));
    m.y.w = Sp::back(out.R, m.y.w);
    out.w1 = m.w, out.al1 = m.al, out.a1 = m.a, out.y1 = m.y;
    if (one_screw(motion)) {
      const S v = Sp::load(pass.v, link.v), vd = pass.force ? Sp::load(pass.force, link.v) : S(0),
              l = Sp::load(pass.lambda, link.v);
      if (motion != LinkMotion::revolute) {
        const S h = motion == LinkMotion::prismatic ? S(1) : S(link.pitch());
        m.a = Sp::add_z(m.a + Sp::cross_z(m.w, S(2) * h * v), h * vd);
        m.y.v = Sp::add_z(m.y.v, h * l);
      }
      if (motion != LinkMotion::prismatic) {
        m.al = Sp::add_z(m.al + Sp::cross_z(m.w, v), vd);
        m.w = Sp::add_z(m.w, v);
        m.y.w = Sp::add_z(m.y.w, l);
      }
    } else {
      const Six<Sp> x = GroupScrews<Sp>(pass, link, out.R).twist(pass.lambda);
      if (motion == LinkMotion::floating_so3xr3)
        m.a += Sp::back(out.R, position_acceleration<Sp>(pass, link, Sp::forward(out.R, m.w)));
      group_motion<Sp>(pass, link, out.R, m.w, m.al, m.a);
      m.y.w += x.w, m.y.v += x.v;
    }
    m.O = Sp::omega(m.w, m.al);
    const Vec c = Sp::constant(link.mc);
    const S mass(link.mass());
    const auto I = Sp::sym(link.I_diag, link.I_off);
    out.F = {Sp::moment(c, m.a, m.O, Sp::turning(link), m.w, m.al),
             mass * m.a + Sp::times(m.O, link.mc)};
    out.w = m.w, out.al = m.al;
    const Vec b = m.y.w, g = m.y.v;
    out.ab = Sp::plus_cross(mass * g, b, c);
    out.alb = Sp::plus_cross(I * b, c, g);
    out.wb = turn_adjoint(m.w, c, g) + (I * cross(b, m.w) + cross(I * m.w, b));
  }
  CHASLES_INLINE void outward() const {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    const AdjointMotion<Sp> ground{
        zero, zero, -Sp::constant(pass.tree->gravity), {zero, zero, zero}, {zero, zero}};
    AdjointMotion<Sp> m = ground;
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
  /// Subtracts applied wrenches from the forces of links. Those in world axes rotate relative to the link
  /// when the joints on their path move; their adjoint is propagated back along the path.
  __attribute__((noinline)) void subtract_applied() const {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    for (int i = 0; i < count; ++i) applied[i] = {zero, zero};
    int* end = reinterpret_cast<int*>(motions) + count;  // no longer in use
    for (int k = 0; k < pass.frame_count; ++k) {
      const auto& frame = pass.frames[k];
      if (frame.link < 0) continue;
      const Given<Sp> given = given_wrench<Sp>(pass, k);
      const Six<Sp> own = frame_part<Sp>(frame, given);
      Six<Sp> W = world_part<Sp>(given);
      AdjointLink<Sp>& on = stored[frame.link];
      const Vec r = Sp::constant(frame.r);
      int* path = end;
      for (int i = frame.link; i >= 0; i = links[i].parent) *--path = i;
      for (const int* i = path; i != end; ++i) {
        const AdjointLink<Sp>& at = stored[*i];
        if (given.at_world_origin) W.w -= cross(at.r, W.v);
        W = {Sp::back(at.R, W.w), Sp::back(at.R, W.v)};
      }
      const Vec f = W.v + own.v, t = W.w + own.w;
      on.F.w -= given.at_world_origin ? t : t + cross(r, f);
      on.F.v -= f;
      const Six<Sp> twist = own_twist(frame.link);
      Six<Sp> y{-twist.w, -twist.v};
      if (!given.at_world_origin) y.v += cross(y.w, r);
      for (const int* i = end; i-- != path;) {
        const AdjointLink<Sp>& at = stored[*i];
        applied[*i].w -= Sp::two_crosses(W.w, y.w, W.v, y.v);
        if (given.at_world_origin) applied[*i].v -= cross(W.v, y.w);
        W = {Sp::forward(at.R, W.w), Sp::forward(at.R, W.v)};
        y = {Sp::forward(at.R, y.w), Sp::forward(at.R, y.v)};
        if (!given.at_world_origin) continue;
        W.w += cross(at.r, W.v);
        y.v -= cross(y.w, at.r);
      }
    }
  }
  /// (b; g) of a link.
  CHASLES_INLINE Six<Sp> own_twist(int i) const {
    const Six<Sp> x = joint_twist<Sp>(pass, links[i], pass.lambda);
    return {stored[i].y1.w + x.w, stored[i].y1.v + x.v};
  }
  /// Results of a joint, from the adjoints of its displacement, of du and of dud.
  __attribute__((noinline)) void results(int i, const Six<Sp>& e, const Six<Sp>& du,
                                         const Six<Sp>& dud) const {
    const auto& link = links[i];
    const auto along = [](const Six<Sp>& a, const Six<Sp>& b) {
      return dot(a.w, b.w) + dot(a.v, b.v);
    };
    const Vec zero = Sp::vec(S(0), S(0), S(0)), z = Sp::vec(S(0), S(0), S(1));
    const GroupScrews<Sp> own(pass, link, stored[i].R);
    for (int k = 0; k < link.nv; ++k) {
      Six<Sp> X{link.motion == LinkMotion::prismatic ? zero : z,
                link.motion == LinkMotion::prismatic ? z : S(link.pitch()) * z};
      if (!one_screw(link.motion)) X = own[k];
      S grad_q = along(X, e), grad_v = along(X, du);
      if (screws_turn(link.motion)) {
        const Six<Sp> change = own.twist_partial(pass.v, k);
        grad_q = grad_q + along(own.acceleration_partial(k), dud) + along(change, du) +
                 along(own.twist_partial(pass.lambda, k), stored[i].F);
        grad_v = grad_v + along(own.rate(k), dud) + along(change, dud);
      }
      Sp::store(pass.grad_q, link.v + k, grad_q);
      Sp::store(pass.grad_v, link.v + k, grad_v);
      Sp::store(pass.on_u, link.v + k, along(X, dud));
      Sp::store(pass.out, link.v + k, along(X, stored[i].F));
    }
  }
  /// For joints that are not revolute.
  __attribute__((noinline)) Vec other_inward(int i, const Vec& wb, const Vec& alb,
                                             const Vec& ab) const {
    const AdjointLink<Sp>& in = stored[i];
    const Six<Sp> u = joint_twist<Sp>(pass, links[i], pass.v);
    const Vec wb1 = wb + cross(u.w, alb) + cross(u.v + u.v, ab);
    Six<Sp> e{Sp::two_crosses(in.F.w, in.y1.w, in.F.v, in.y1.v) -
                  Sp::two_crosses(in.w1, wb1, in.al1, alb) - cross(in.a1, ab),
              cross(in.F.v, in.y1.w)};
    if (const int parent = links[i].parent; parent >= 0) {
      const Vec y = Sp::forward(in.R, ab), w = stored[parent].w;
      e.v += Sp::back(in.R, cross(w, cross(w, y)) - cross(stored[parent].al, y));
    }
    if (pass.wrench) e.w += applied[i].w, e.v += applied[i].v;
    results(i, e, {wb + cross(alb, in.w1) + cross(u.v, ab), cross(ab, in.w1 + in.w1 + u.w)},
            {alb, ab});
    return wb1;
  }
  /// (4) and (5).
  CHASLES_INLINE void inward() const {
    const Vec zero = Sp::vec(S(0), S(0), S(0));
    Six<Sp> F{zero, zero};
    Vec wb = zero, alb = zero, ab = zero;
    for (int i = count - 1; i >= 0; --i) {
      const auto& link = links[i];
      AdjointLink<Sp>& in = stored[i];
      if (i + 1 < count && links[i + 1].parent == i) {
        F = {F.w + in.F.w, F.v + in.F.v};
        wb += in.wb, alb += in.alb, ab += in.ab;
      } else {
        F = in.F, wb = in.wb, alb = in.alb, ab = in.ab;
      }
      if (link.motion == LinkMotion::revolute) {
        Sp::store(pass.on_u, link.v, Sp::z(alb));
        Sp::store(pass.grad_v, link.v, Sp::z(Sp::plus_cross(wb, alb, in.w1)));
        Sp::store(pass.out, link.v, Sp::z(F.w));
        wb -= Sp::cross_z(alb, Sp::load(pass.v, link.v));
        Vec e = Sp::two_crosses(F.w, in.y1.w, F.v, in.y1.v) +
                Sp::two_crosses(wb, in.w1, alb, in.al1) + cross(ab, in.a1);
        if (pass.wrench) [[unlikely]]
          e += applied[i].w;
        Sp::store(pass.grad_q, link.v, Sp::z(e));
      } else {
        in.F = F;
        wb = other_inward(i, wb, alb, ab);
      }
      if (link.parent < 0) continue;
      AdjointLink<Sp>& to = stored[link.parent];
      F.v = Sp::forward(in.R, F.v);
      F.w = Sp::plus_cross(Sp::forward(in.R, F.w), in.r, F.v);
      ab = Sp::forward(in.R, ab);
      alb = Sp::plus_cross(Sp::forward(in.R, alb), in.r, ab);
      wb = Sp::forward(in.R, wb) + turn_adjoint(to.w, in.r, ab);
      if (link.parent == i - 1) continue;
      to.F.w += F.w, to.F.v += F.v;
      to.wb += wb, to.alb += alb, to.ab += ab;
    }
  }
  CHASLES_INLINE void run() const {
    frames();
    outward();
    if (pass.wrench) [[unlikely]]
      subtract_applied();
    inward();
    add_armature_forces<Sp>(*pass.tree, pass.force, pass.out);
    add_armature_forces<Sp>(*pass.tree, pass.lambda, pass.on_u);
  }
};

/// tau to pass.out, the products to pass.grad_q, grad_v and on_u.
template <class Sp>
CHASLES_FLATTEN int run_inverse_adjoint(const ProductPass& arguments) {
  const ProductPass pass = arguments;  // local copy: stores cannot alias it
  InverseAdjoint<Sp>(pass, reinterpret_cast<char*>(pass.work)).run();
  return -1;
}
