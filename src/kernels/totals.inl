// Included by dynamics.inl. Energies and momentum of all moving links, in world axes about the world origin:
//
//   P = m v + w x c,   L = I w + c x v + r x P,   T = (w.(I w + c x v) + v.P) / 2,   U = -g.(c + m r)
//
// Armatures add I_a qdot^2 / 2 to T, and nothing to P and L.
#pragma once

#include "kernels/group_screws.inl"

template <class Sp>
struct TotalsLink {
  typename Sp::Mat R;
  typename Sp::Vec r, w, v;
};

template <class Sp>
CHASLES_FLATTEN int run_totals(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const int count = static_cast<int>(tree.links.size());
  auto* stored = reinterpret_cast<TotalsLink<Sp>*>(pass.work);
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(stored + count));
  const Vec zero = Sp::vec(S(0), S(0), S(0));
  const TotalsLink<Sp> ground{Sp::identity(), zero, zero, zero};
  S kinetic(0);
  Vec P = zero, L = zero, moment = zero;
  for (int i = 0; i < count; ++i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    const TotalsLink<Sp>& p = link.parent < 0 ? ground : stored[link.parent];
    typename Sp::Mat R{Sp::times(p.R, link.C[0]), Sp::times(p.R, link.C[1]),
                       Sp::times(p.R, link.C[2])};
    Vec d = Sp::times(p.R, link.r);
    move<Sp>(pass, angles, link, link.motion, R, d);
    Vec w = p.w, v = p.v + cross(p.w, d);
    if (one_screw(link.motion)) {
      const Vec u = Sp::load(pass.v, link.v) * R.c2;
      if (link.motion != LinkMotion::prismatic) w += u;
      if (link.motion == LinkMotion::prismatic) v += u;
      if (link.motion == LinkMotion::helical) v += S(link.pitch()) * u;
    } else {
      const Six<Sp> u = GroupScrews<Sp>(pass, link).twist(pass.v);
      w += R * u.w;
      v += R * u.v;
    }
    const Vec r = p.r + d;
    stored[i] = {R, r, w, v};

    const S m(link.mass());
    const Vec c = Sp::times(R, link.mc);
    const Vec momentum = m * v + cross(w, c);
    // In link axes, where a slender body spinning about its own axis loses no digits.
    const Vec w_own = Sp::back_times(R, w);
    const Vec own = Sp::sym(link.I_diag, link.I_off) * w_own;
    const Vec spin = R * own + cross(c, v);
    kinetic = kinetic + (dot(w, spin) + dot(v, momentum));
    P += momentum;
    L += spin + cross(r, momentum);
    moment += c + m * r;
  }
  for (const auto& at : tree.armatures) {
    const S rate = Sp::load(pass.v, at.v);
    kinetic = kinetic + S(at.inertia) * (rate * rate);
  }
  Sp::store(pass.out, 0, S(Real(0.5)) * kinetic);
  Sp::store(pass.out, 1, -dot(Sp::constant(tree.gravity), moment));
  Sp::store_vec(pass.out, 2, L);
  Sp::store_vec(pass.out, 5, P);
  return -1;
}
template <class Sp>
std::size_t totals_work(std::size_t count, int nq) {
  return count * sizeof(TotalsLink<Sp>) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
