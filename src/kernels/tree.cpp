#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "chasles/error.hpp"
#include "kernels/tables.hpp"

namespace chasles::kernels {
namespace {

using Long = long double;
using LongVec3 = lie::Vec3<Long>;
using LongSym3 = lie::Sym3<Long>;

template <class Real, class S>
void set(Real (&to)[4], const lie::Vec3<S>& from, Long fourth = 0) {
  to[0] = static_cast<Real>(from.x);
  to[1] = static_cast<Real>(from.y);
  to[2] = static_cast<Real>(from.z);
  to[3] = static_cast<Real>(fourth);
}
template <class S>
LongVec3 longer(const lie::Vec3<S>& a) {
  return {a.x, a.y, a.z};
}
LongVec3 diagonal(const LongSym3& a) { return {a.xx, a.yy, a.zz}; }
LongVec3 beside_diagonal(const LongSym3& a) { return {a.xy, a.yz, a.xz}; }
/// Binet tensor tr(I)/2 1 - I: E_aa = (I_bb + I_cc - I_aa) / 2. The two nearest moments are subtracted first:
/// in a slender body they are large, and the third is small.
LongSym3 binet(const LongSym3& I) {
  const auto entry = [](Long a, Long b, Long c) {
    return (std::abs(b - a) < std::abs(c - a) ? c + (b - a) : b + (c - a)) / 2;
  };
  return {entry(I.xx, I.yy, I.zz), -I.xy, -I.xz,
          entry(I.yy, I.zz, I.xx), -I.yz, entry(I.zz, I.xx, I.yy)};
}

template <class Real>
void set_inertia(const Link& link, LinkConstants<Real>& to, BodyConstants<Real>& body) {
  const Sym3& c = link.I_com;
  const LongSym3 I_com{c.xx, c.xy, c.xz, c.yy, c.yz, c.zz};
  const Long m = link.inertia.m;
  const LongVec3 mc = longer(link.inertia.mc), com = m == 0 ? LongVec3{} : mc / m;
  LongSym3 I = I_com + lie::parallel_axis(mc, com);
  const LongSym3 E = binet(I), E_com = binet(I_com);
  set(to.mc, mc, m);
  // A point mass on the axis, up to the rounding of its position.
  if (std::abs(I.zz) < 1e-28L * trace(I)) I.zz = 0;
  set(to.I_diag, diagonal(I), trace(I) / 2);
  set(to.I_off, beside_diagonal(I), link.pitch);
  set(to.E_diag, diagonal(E));
  set(to.E_off, beside_diagonal(E));
  set(body.com, com, m);
  set(body.E_diag, diagonal(E_com));
  set(body.E_off, beside_diagonal(E_com));
}

bool displaces(LinkMotion motion) {
  return motion != LinkMotion::revolute && motion != LinkMotion::spherical;
}

}  // namespace

template <class Real>
Tree<Real>::Tree(std::span<const Link> from, const Vec3& g) {
  set(gravity, g);
  links.reserve(from.size());
  bool angle = false;
  std::vector<bool> paired(from.size());
  for (const Link& link : from) {
    const int i = static_cast<int>(links.size());
    if (one_angle(link.motion) && !angle) angles = link.q_index, angle = true;
    nq += link.nq;
    nv += link.nv;
    LinkConstants<Real>& k = links.emplace_back();
    const Mat3& R = link.P.R.matrix();
    for (int j = 0; j < 3; ++j) set(k.C[j], R.column(j));
    set(k.r, link.P.r);
    set_inertia(link, k, bodies.emplace_back());
    if (link.parent >= 0 && displaces(link.motion)) displaced.push_back(i);
    if (link.motion == LinkMotion::prismatic && link.parent >= 0) {
      const auto p = static_cast<std::size_t>(link.parent);
      const Link& parent = from[p];
      if (one_angle(parent.motion) && parent.parent >= 0 && !paired[p] && links[p].mass() == 0 &&
          links[p].trace() == 0 && std::abs(R.c2.z) > 0.9)
        cylindrical_pairs.push_back({link.parent, i, parent.end}), paired[p] = true;
    }
    if (one_angle(link.motion) && k.I_diag[2] < Real(1e-3) * k.trace()) slender.push_back(i);
    k.parent = link.parent;
    k.q = link.q_index;
    k.v = link.v_index;
    k.nv = link.nv;
    k.motion = link.motion;
    k.armature = static_cast<Real>(link.armature);
    k.own_D = k.I_diag[2] + k.armature;
    for (int v = link.v_index; k.armature != 0 && v < link.v_index + link.nv; ++v)
      armatures.push_back({v, k.armature});
    k.chain = link.parent >= 0 && link.parent == i - 1
                  ? links[static_cast<std::size_t>(link.parent)].chain
                  : i;
    const Link& last = from[static_cast<std::size_t>(link.end - 1)];
    k.end_v = last.v_index + last.nv;
    k.group = group_size;
    if (given_as_data(link.motion)) group_size += group_data(link.nv);
    if (screws_turn(link.motion)) constant_screws = false;
    if (link.motion == LinkMotion::floating_so3xr3) {
      k.group = static_cast<int>(axes.size());
      PositionAxes<Real>& to = axes.emplace_back();
      const Mat3 in_parent = R * link.Q.matrix(), identity = Mat3::identity();
      to.same = true;
      for (int j = 0; j < 3; ++j)  // equal up to the rounding of both rotations
        to.same = to.same && max_abs(in_parent.column(j) - identity.column(j)) < 1e-15;
      for (int j = 0; j < 3; ++j) {
        set(to.in_joint[j], link.Q.matrix().column(j));
        set(to.in_parent[j], (to.same ? identity : in_parent).column(j));
      }
    }
    k.branches = k.last = false;
    k.slot = 0;
    if (link.parent >= 0) {
      auto& parent = links[static_cast<std::size_t>(link.parent)];
      if (link.parent != i - 1) parent.branches = true;
      k.last = link.end == from[static_cast<std::size_t>(link.parent)].end;
      // The last child may overwrite the row of its parent.
      k.slot = parent.slot + (k.last ? 0 : 1);
      slots = std::max(slots, k.slot + 1);
    }
  }
  if (!angle) angles = nq;
  join_bodies();
}

template <class Real>
void Tree<Real>::join_bodies() {
  // Sums over the children of each link processed so far: mass, and B^2 of LinkConstants.
  std::vector<Long> masses(links.size()), reaches(links.size());
  const auto join = [](Long m_1, Long m_2, Real& part, Real& mu) {
    const Long m = m_1 + m_2;
    part = static_cast<Real>(m == 0 ? 0 : m_2 / m);
    mu = static_cast<Real>(m == 0 ? 0 : m_1 * m_2 / m);
  };
  for (std::size_t i = links.size(); i-- > 0;) {
    LinkConstants<Real>& k = links[i];
    BodyConstants<Real>& body = bodies[i];
    join(masses[i], k.mass(), body.own_part, body.own_mu);
    const Long m = masses[i] + Long(k.mass()), B2 = reaches[i] + std::abs(Long(k.trace()));
    k.E_off[3] = static_cast<Real>(m);
    k.E_diag[3] = static_cast<Real>(2 * B2);
    if (k.parent < 0) continue;
    const auto p = static_cast<std::size_t>(k.parent);
    join(masses[p], m, body.part, body.mu);
    masses[p] += m;
    const Long r = displaces(k.motion) ? 0 : std::hypot(Long(k.r[0]), Long(k.r[1]), Long(k.r[2])),
               B = std::sqrt(B2) + std::sqrt(std::abs(m)) * r;
    reaches[p] += B * B;
  }
}

template <class Real>
void Tree<Real>::list_entries() {
  if (const long n = nv;
      3 * n * n > std::numeric_limits<int>::max())  // int offsets into three such matrices
    throw Error("a matrix of " + std::to_string(nv) + " by " + std::to_string(nv) +
                " is larger than the fast path counts; take the recursions, which are O(n)");
  column_quads.clear(), single_entries.clear(), floating_roots.clear(), unrelated.clear();
  list_paths();
  const auto at = [&](int i) -> const LinkConstants<Real>& {
    return links[static_cast<std::size_t>(i)];
  };
  const auto is_free_root = [](const LinkConstants<Real>& link) {
    return link.parent < 0 && link.motion == LinkMotion::floating_se3;
  };
  for (int i = 0; i < static_cast<int>(links.size()); ++i) {
    if (is_free_root(at(i))) floating_roots.push_back({i, at(i).v, at(i).end_v});
    for (int row = at(i).v; row < at(i).v + at(i).nv; ++row) {
      // Walks the chains of ancestors; within a chain the columns are consecutive.
      int end = row + 1, related = at(i).v;
      if (at(i).end_v < nv) unrelated.push_back({row * nv + at(i).end_v, (row + 1) * nv});
      for (int chain = i; chain >= 0;) {
        const LinkConstants<Real>& first = at(at(chain).chain);
        if (end < related) unrelated.push_back({row * nv + end, row * nv + related});
        related = first.v;
        int column = is_free_root(first) ? first.v + first.nv : first.v;
        for (; column + 4 <= end; column += 4) column_quads.push_back({row, column});
        for (; column < end; ++column) single_entries.push_back({row, column});
        chain = first.parent;
        if (chain >= 0) end = at(chain).v + at(chain).nv;
      }
      if (related > 0) unrelated.push_back({row * nv, row * nv + related});
    }
  }
}

template <class Real>
void Tree<Real>::list_paths() {
  paths.clear(), ancestors.clear();
  deepest = 0;
  for (const LinkConstants<Real>& link : links) {
    int before = -1;  // the last entry of v of the parent
    if (link.parent >= 0) {
      const auto& parent = links[static_cast<std::size_t>(link.parent)];
      before = parent.v + parent.nv - 1;
    }
    for (int k = link.v; k < link.v + link.nv; before = k++) {
      const Path from = before < 0 ? Path{} : paths[static_cast<std::size_t>(before)];
      paths.push_back({static_cast<int>(ancestors.size()), from.size + 1, link.end_v});
      for (int p = 0; p < from.size; ++p)
        ancestors.push_back(ancestors[static_cast<std::size_t>(from.begin + p)]);
      ancestors.push_back(k);
      deepest = std::max(deepest, from.size + 1);
    }
  }
}

template <class Real>
FrameConstants<Real> frame_constants(int link, const SE3& offset, Representation representation) {
  lie::require_known(representation);
  FrameConstants<Real> frame;
  for (int j = 0; j < 3; ++j) set(frame.C[j], offset.R.matrix().column(j));
  set(frame.r, offset.r);
  frame.link = link;
  frame.representation = representation;
  return frame;
}

template FrameConstants<double> frame_constants(int, const SE3&, Representation);
template FrameConstants<float> frame_constants(int, const SE3&, Representation);
template FrameConstants<long double> frame_constants(int, const SE3&, Representation);

template <class Real>
void Trees::prepare(Algorithm algorithm) const {
  constexpr bool single = sizeof(Real) == sizeof(float);
  std::atomic<bool>& listed = single ? float_listed_ : double_listed_;
  if (!is_matrix(algorithm) || listed.load(std::memory_order_acquire)) return;
  const std::lock_guard lock(listing_);
  if (listed.load(std::memory_order_relaxed)) return;
  if constexpr (single) {
    in_float_.list_entries();
  } else {
    in_double_.list_entries();
    in_double_.list_blocks(single_kernels().block_width);
  }
  listed.store(true, std::memory_order_release);
}
template void Trees::prepare<double>(Algorithm) const;
template void Trees::prepare<float>(Algorithm) const;

template struct Tree<double>;
template struct Tree<float>;
template struct Tree<long double>;  // for tests

}  // namespace chasles::kernels
