#include "kernels/tree.hpp"

#include <algorithm>

namespace chasles::kernels {
namespace {

template <class Real>
void set(Real (&to)[4], const Vec3& from, double fourth = 0) {
  to[0] = static_cast<Real>(from.x);
  to[1] = static_cast<Real>(from.y);
  to[2] = static_cast<Real>(from.z);
  to[3] = static_cast<Real>(fourth);
}

}  // namespace

template <class Real>
Tree<Real>::Tree(std::span<const Link> from, const Vec3& g) {
  set(gravity, g);
  links.reserve(from.size());
  bool angle = false;
  for (const Link& link : from) {
    const int i = static_cast<int>(links.size());
    if (one_angle(link.motion) && !angle) angles = link.q_index, angle = true;
    nq += link.nq;
    nv += link.nv;
    LinkConstants<Real>& k = links.emplace_back();
    const Mat3& R = link.P.R.matrix();
    for (int j = 0; j < 3; ++j) set(k.C[j], R.column(j));
    set(k.r, link.P.r);
    set(k.mc, link.inertia.mc, link.inertia.m);
    const Sym3 E = lie::binet(link.inertia.I);
    set(k.E_diag, {E.xx, E.yy, E.zz}, trace(E));
    set(k.E_off, {E.xy, E.yz, E.xz}, link.pitch);
    k.parent = link.parent;
    k.q = link.q_index;
    k.v = link.v_index;
    k.nv = link.nv;
    k.motion = link.motion;
    k.chain = link.parent >= 0 && link.parent == i - 1
                  ? links[static_cast<std::size_t>(link.parent)].chain
                  : i;
    const Link& last = from[static_cast<std::size_t>(link.end - 1)];
    k.end_v = last.v_index + last.nv;
    k.group = group_size;
    if (given_as_data(link.motion)) group_size += group_data(link.nv);
    k.branches = k.last = false;
    k.slot = 0;
    if (link.parent >= 0) {
      auto& parent = links[static_cast<std::size_t>(link.parent)];
      if (link.parent != i - 1) parent.branches = true;
      k.last = link.end == from[static_cast<std::size_t>(link.parent)].end;
      // The last child may overwrite what it gets from its parent.
      k.slot = parent.slot + (k.last ? 0 : 1);
      slots = std::max(slots, k.slot + 1);
    }
  }
  if (!angle) angles = nq;
}

template <class Real>
void Tree<Real>::list_entries() {
  if (!ones.empty()) return;
  std::size_t related = 0;
  for (std::size_t i = 0; i < links.size(); ++i)
    for (int row = links[i].v; row < links[i].v + links[i].nv; ++row) {
      // Along the chains of ancestors; in each the columns follow each other.
      int end = row + 1;
      for (int chain = static_cast<int>(i); chain >= 0;) {
        const auto& first =
            links[static_cast<std::size_t>(links[static_cast<std::size_t>(chain)].chain)];
        int column = first.v;
        related += static_cast<std::size_t>(end - column);
        for (; column + 4 <= end; column += 4) fours.push_back({row, column});
        for (; column < end; ++column) ones.push_back({row, column});
        chain = first.parent;
        if (chain >= 0)
          end =
              links[static_cast<std::size_t>(chain)].v + links[static_cast<std::size_t>(chain)].nv;
      }
    }
  full = related == static_cast<std::size_t>(nv) * static_cast<std::size_t>(nv + 1) / 2;
}

template <class Real>
PlaceConstants<Real> place_constants(int link, const SE3& offset, Representation representation) {
  PlaceConstants<Real> place;
  for (int j = 0; j < 3; ++j) set(place.C[j], offset.R.matrix().column(j));
  set(place.r, offset.r);
  place.link = link;
  place.representation = representation;
  return place;
}

template PlaceConstants<double> place_constants(int, const SE3&, Representation);
template PlaceConstants<float> place_constants(int, const SE3&, Representation);
template PlaceConstants<long double> place_constants(int, const SE3&, Representation);
template struct Tree<double>;
template struct Tree<float>;
template struct Tree<long double>;  // for tests

}  // namespace chasles::kernels
