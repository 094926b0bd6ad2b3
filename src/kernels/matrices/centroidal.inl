// Included by dynamics.inl. Centroidal momentum matrix: momentum about the center of mass as a linear
// function of v, in world axes, h = (L; P) = A v, hdot = A vd + Adot v. With the composite bodies of
// composite.inl about a fixed reference point, momenta F = (n; f) of the screws, their rates
//
//   Fdot = I Psi + I_dot S = I Psi + (l x s + (tr E_dot 1 - E_dot) z; -l x z)
//
// and the center of mass at g = c / m from the reference point, moving with l / m (totals c, m, l):
//
//   A_k    = (n - g x f; f)
//   Adot_k = (n_dot - g x f_dot - (l / m) x f; f_dot)
#pragma once

#include "kernels/matrices/composite.inl"

template <class Sp>
CHASLES_FLATTEN int run_centroidal(const Pass<typename Sp::Real>& arguments) {
  const Pass<typename Sp::Real> pass = arguments;  // local copy: stores cannot alias it
  using S = typename Sp::S;
  using Vec = typename Sp::Vec;
  using Real = typename Sp::Real;
  const Tree<Real>& tree = *pass.tree;
  const int count = static_cast<int>(tree.links.size()), nv = tree.nv;
  auto* stored = reinterpret_cast<CompositeLink<Sp>*>(pass.work);
  auto* rates = reinterpret_cast<CompositeRate<Sp>*>(stored + count);
  auto* screws = reinterpret_cast<Six<Sp>*>(rates + count);
  auto* Psi = screws + nv;
  const Angles<Sp> angles(pass, reinterpret_cast<Real*>(Psi + nv));
  const Vec zero = Sp::vec(S(0), S(0), S(0));

  Vec reference_point = zero;
  composite_poses<Sp>(pass, angles, stored, &reference_point);
  composite_inertias<Sp>(tree, stored);
  composite_screws<Sp>(pass, stored, screws);
  if (pass.v) {
    composite_rates<Sp>(pass, stored, screws, rates, Psi);
    composite_sums<Sp>(tree, rates);
  }
  composite_sums<Sp>(tree, stored);
  S m(0);
  Vec c = zero, k = zero, l = zero;
  for (int i = 0; i < count; ++i) {
    if (tree.links[static_cast<std::size_t>(i)].parent >= 0) continue;
    m = m + stored[i].m;
    c += stored[i].c;
    if (pass.v) k += rates[i].k, l += rates[i].l;
  }
  const S m_inv = S(1) / m;
  const Vec g = m_inv * c, g_rate = m_inv * l;
  Sp::store_vec(pass.out, centroidal_com, reference_point + g);
  Sp::store(pass.out, centroidal_mass, m);

  Six<Sp> bias{zero, zero};
  for (int i = 0; i < count; ++i) {
    const auto& link = tree.links[static_cast<std::size_t>(i)];
    const S trace = Sp::trace(stored[i].E);
    for (int j = link.v; j < link.v + link.nv; ++j) {
      const Six<Sp> F = composite_momentum<Sp>(stored[i], trace, screws[j]);
      Sp::store_vec(pass.out, centroidal_A + 6 * j, F.w - cross(g, F.v));
      Sp::store_vec(pass.out, centroidal_A + 6 * j + 3, F.v);
      if (!pass.v) continue;
      const auto& [z, s] = screws[j];
      const CompositeRate<Sp>& rate = rates[i];
      Six<Sp> Fd = composite_momentum<Sp>(stored[i], trace, Psi[j]);
      Fd.v -= cross(rate.l, z);
      Fd.w += cross(rate.l, s) + (Sp::trace(rate.E) * z - rate.E * z);
      Fd.w -= cross(g, Fd.v) + cross(g_rate, F.v);
      Sp::store_vec(pass.out, centroidal_A + 6 * (nv + j), Fd.w);
      Sp::store_vec(pass.out, centroidal_A + 6 * (nv + j) + 3, Fd.v);
      const S v = Sp::load(pass.v, j);
      bias.w += v * Fd.w, bias.v += v * Fd.v;
    }
  }
  if (!pass.v) return -1;
  Sp::store_vec(pass.out, centroidal_h, k - cross(g, l));
  Sp::store_vec(pass.out, centroidal_h + 3, l);
  Sp::store_vec(pass.out, centroidal_bias, bias.w);
  Sp::store_vec(pass.out, centroidal_bias + 3, bias.v);
  return -1;
}
template <class Sp>
std::size_t centroidal_work(std::size_t count, int nq, int nv) {
  return count * (sizeof(CompositeLink<Sp>) + sizeof(CompositeRate<Sp>)) +
         static_cast<std::size_t>(2 * nv) * sizeof(Six<Sp>) +
         static_cast<std::size_t>(Angles<Sp>::memory(nq)) * sizeof(typename Sp::Real);
}
