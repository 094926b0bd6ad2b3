/// A model as the kernels see it: constants of links and bodies, and lists that follow from how they hang
/// together.
#pragma once

#include <atomic>
#include <mutex>
#include <span>

#include "kernels/algorithms.hpp"
#include "kernels/constants.hpp"
#include "kernels/list.hpp"
#include "kernels/matrices/blocks.hpp"

namespace chasles::kernels {

/// An entry of the mass matrix, row >= column, of joints on one path from ground.
struct Entry {
  int row, column;
};
/// Numbers begin ... end - 1.
struct Run {
  int begin, end;
};
/// A link without mass that turns, and a child that slides along its axis; its descendants are the links up to end.
struct Glide {
  int link, child, end;
};
/// A link that moves freely on ground, and the entries of v that move it and its descendants. Its
/// screws are unit vectors, so its rows and columns need no products.
struct FreeRoot {
  int link, v, end_v;
};

template <class Real>
struct Tree {
  List<LinkConstants<Real>> links;
  List<BodyConstants<Real>> bodies;  // of the links
  List<PositionAxes<Real>> axes;     // of the direct ones
  int nq = 0, nv = 0, group_size = 0, slots = 1;
  int angles = 0;               // entries of q before it are no angles
  bool constant_screws = true;  // of every link, in its own frame
  List<int> displaced;          // links, not on ground, whose origin moves in their parent
  List<Glide> glides;           // articulated.inl
  List<int> slender;  // links that turn about an axis near which their mass is: mass_matrix.inl
  Real gravity[4] = {};
  Tree(std::span<const Link> links, const Vec3& gravity);
  void join_bodies();

  // What follows is filled by list_entries and list_blocks, anew if memory ran out in the midst of
  // them, and read by kernels of matrices.
  //
  // Entries of the mass matrix that are not zero, as lists, so that no loop ends unforeseen: first
  // those that begin four in a row, then what is left.
  List<Entry> fours, ones;
  List<FreeRoot> free_roots;  // whose rows and columns are not in the lists
  List<Run> unrelated;        // the others, in all rows of the matrix
  /// @throws Error if the matrix has more entries than an int counts
  void list_entries();
  // Of every entry of v: which entries, not later, move the same links, from the root; `end`: the
  // entries of v up to it move its descendants.
  struct Path {
    int begin, size, end;
  };
  List<Path> paths;
  List<int> ancestors;
  int deepest = 0;  // the largest of the sizes
  void list_paths();
  // Joints of one state in lanes, for tables with a block_width.
  Blocks<Real, 4> blocks4;
  Blocks<Real, 8> blocks8;
  void list_blocks(int width) {
    if (width == 4) blocks4.list(links, bodies, nv);
    if (width == 8) blocks8.list(links, bodies, nv);
  }
};

/// Of one model, made once and shared by all that is computed with it. The lists for matrices, which
/// grow like these, are made when a matrix is first asked for, by whichever thread asks.
struct Trees {
  Trees(std::span<const Link> links, const Vec3& gravity)
      : in_double_(links, gravity), in_float_(links, gravity) {}
  template <class Real>
  const Tree<Real>& of() const {
    if constexpr (sizeof(Real) == sizeof(float))
      return in_float_;
    else
      return in_double_;
  }
  /// Before an algorithm runs, and before it is asked how much it works in.
  /// @throws Error if the matrix is too large
  template <class Real>
  void prepare(Algorithm algorithm) const;

 private:
  mutable Tree<double> in_double_;
  mutable Tree<float> in_float_;
  // Not std::call_once: an exception gets out of it neither on all systems nor under the thread
  // sanitizer, the next call waits for ever.
  mutable std::mutex listing_;
  mutable std::atomic<bool> double_listed_ = false, float_listed_ = false;
};
}  // namespace chasles::kernels
