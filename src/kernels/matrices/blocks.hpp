/// Links as structures of arrays, for kernels that give every SIMD lane a joint of one state: chains of
/// at most W links, each the parent of the next, as blocks of W lanes. Lanes without a link are zero.
#pragma once

#include "kernels/list.hpp"

namespace chasles::kernels {

template <class Real>
struct LinkConstants;
template <class Real>
struct BodyConstants;
/// How many times 1 is doubled to give W.
template <int W>
inline constexpr int doublings = W == 8 ? 3 : 2;

template <class Real, int W>
struct alignas(64) Block {
  int link, q, v, count;  // of the first link; links
  int room;               // columns from v on, at most W
  int parent, lane;       // where the first link hangs: block (-1: root or ground), lane
  int first_child, next;  // blocks that hang here, as a list; -1: none
  int path, path_end;     // in Blocks::paths
  bool turns;             // all links turn
  Real m[W], com[3][W];   // mass, center of mass
  Real E[6][W];           // Binet tensor about it xx, yy, zz, xy, yz, zx
  Real composite[W];      // mass of all descendants and the link
  // BodyConstants: lanes l, joined with lanes l + N for N = 1, 2, ...; and the composite of the first
  // lane, joined to lanes of the parent block.
  Real part[doublings<W>][W], mu[doublings<W>][W];
  Real parent_part[W], parent_mu[W];
  Real turn[W], pitch[W];    // the screw is (turn z; pitch z)
  Real C[3][3][W], r[3][W];  // constant pose: columns of the rotation, translation
  Real angle[W], slide[W];   // what q does to the frame; nothing to a root's, which is its own
};

/// A block on the way from the root, and its last lane on it.
struct Step {
  int block, lane;
};

/// Empty if a model has more than one root, or links of several degrees of freedom other than a free
/// root.
template <class Real, int W>
struct Blocks {
  List<Block<Real, W>> blocks;
  List<Step> paths;
  List<Step> where;  // of the links; -1: in no block
  int root_nv = 0;   // 6: the first link is free and in no block
  /// Whether they are faster than one link after the other: blocks have three links on average.
  [[gnu::always_inline]] bool pay() const {
    return !blocks.empty() && where.size() - (root_nv ? 1 : 0) >= 3 * blocks.size();
  }
  void list(const List<LinkConstants<Real>>& links, const List<BodyConstants<Real>>& bodies,
            int nv);

 private:
  void join();
};

}  // namespace chasles::kernels
