/// Links as structures of arrays, for kernels with one joint of a single state per SIMD lane. A block is a
/// chain of at most W links, each the parent of the next, in W lanes. Lanes without a link are zero.
#pragma once

#include "kernels/list.hpp"

namespace chasles::kernels {

template <class Real>
struct LinkConstants;
template <class Real>
struct BodyConstants;
/// log2(W).
template <int W>
inline constexpr int doublings = W == 8 ? 3 : 2;

template <class Real, int W>
struct alignas(64) Block {
  int link, q, v, count;  // first link and its entries; number of links
  int room;               // number of columns from v on that may be written, at most W
  int parent, lane;       // block (-1: root or ground) and lane of the parent of the first link
  int first_child, next;  // linked list of child blocks; -1: none
  int path, path_end;     // range in Blocks::paths
  bool turns;             // all links are revolute
  Real m[W], com[3][W];   // mass, center of mass
  Real E[6][W];           // Binet tensor about it: xx, yy, zz, xy, yz, zx
  Real composite[W];      // mass of the subtree
  // Weights of BodyConstants for joining lanes l and l + N, N = 1, 2, ...; and for joining the composite of
  // the first lane to the lanes of the parent block.
  Real part[doublings<W>][W], mu[doublings<W>][W];
  Real parent_part[W], parent_mu[W];
  Real turn[W], pitch[W];    // the screw is (turn z; pitch z)
  Real C[3][3][W], r[3][W];  // constant pose: columns of the rotation, translation
  Real angle[W],
      slide[W];  // multiples of q that rotate and translate the frame; zero for a root, whose
                 // frame is the reference
};

/// A block on the path from the root, and the last lane on that path.
struct Step {
  int block, lane;
};

/// Empty if a model has more than one root, or a joint with several degrees of freedom other than a floating
/// root.
template <class Real, int W>
struct Blocks {
  List<Block<Real, W>> blocks;
  List<Step> paths;
  List<Step> where;  // block and lane of each link; -1: in no block
  int root_nv = 0;   // 6: the first link is floating and in no block
  /// Whether blocks are faster than one link at a time: at least three links per block on average.
  [[gnu::always_inline]] bool pay() const {
    return !blocks.empty() && where.size() - (root_nv ? 1 : 0) >= 3 * blocks.size();
  }
  void list(const List<LinkConstants<Real>>& links, const List<BodyConstants<Real>>& bodies,
            int nv);

 private:
  void join();
};

}  // namespace chasles::kernels
