/// A model as the kernels see it: constants of links and bodies, and index lists derived from the topology.
#pragma once

#include <atomic>
#include <mutex>
#include <span>

#include "kernels/algorithms.hpp"
#include "kernels/constants.hpp"
#include "kernels/list.hpp"
#include "kernels/matrices/blocks.hpp"

namespace chasles::kernels {

/// An entry of the mass matrix, row >= column, of two joints on one path from ground.
struct Entry {
  int row, column;
};
/// Half-open index range [begin, end).
struct Run {
  int begin, end;
};
/// A massless revolute link and a child that is prismatic along its axis, as in a cylindrical joint; its
/// descendants are the links before `end`.
struct CylindricalPair {
  int link, child, end;
};
/// Inertia that is added to the diagonal of the mass matrix at entry v: kinetic energy inertia v^2 / 2.
template <class Real>
struct Armature {
  int v;
  Real inertia;
};
/// A floating link on ground, and the entries [v, end_v) of v that move it and its descendants. Its screws
/// are unit vectors, so its rows and columns of M need no products.
struct FloatingRoot {
  int link, v, end_v;
};

template <class Real>
struct Tree {
  List<LinkConstants<Real>> links;
  List<BodyConstants<Real>> bodies;  // one per link
  List<PositionAxes<Real>> axes;     // one per floating_so3xr3 link
  int nq = 0, nv = 0, group_size = 0, slots = 1;
  int angles = 0;               // index of the first entry of q that is an angle
  bool constant_screws = true;  // all joint screws are constant in their link frames
  List<int> displaced;          // links, not on ground, whose origin moves in the parent frame
  List<CylindricalPair> cylindrical_pairs;  // see articulated.inl
  List<int> slender;  // revolute links with their mass close to the axis: mass_matrix.inl
  List<Armature<Real>> armatures;  // those that are not zero
  Real gravity[4] = {};
  Tree(std::span<const Link> links, const Vec3& gravity);
  void join_bodies();

  // The lists below are filled by list_entries and list_blocks (again from scratch if an allocation failed
  // halfway) and read by matrix kernels.
  //
  // Nonzero entries of the mass matrix, stored as index lists to avoid mispredicted loop exits: `column_quads`
  // starts four consecutive columns, `single_entries` holds the remaining entries.
  List<Entry> column_quads, single_entries;
  List<FloatingRoot> floating_roots;  // not included in column_quads and single_entries
  List<Run> unrelated;                // structural zeros, as ranges of the row-major matrix
  /// @throws Error if the number of matrix entries overflows an int
  void list_entries();
  // For each entry k of v: paths[k] is the range of `ancestors` with the entries j <= k on its path from the
  // root; entries of v before `end` move its descendants.
  struct Path {
    int begin, size, end;
  };
  List<Path> paths;
  List<int> ancestors;
  int deepest = 0;  // largest Path::size
  void list_paths();
  // Joints of one state in SIMD lanes, for kernel tables with a block_width.
  Blocks<Real, 4> blocks4;
  Blocks<Real, 8> blocks8;
  void list_blocks(int width) {
    if (width == 4) blocks4.list(links, bodies, nv);
    if (width == 8) blocks8.list(links, bodies, nv);
  }
};

/// The trees of one model, built once and shared by all computations. The lists for matrices, which need
/// O(nv^2) memory, are built on first use, by whichever thread comes first.
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
  /// Call before an algorithm runs and before its workspace size is queried.
  /// @throws Error if the matrix is too large
  template <class Real>
  void prepare(Algorithm algorithm) const;

 private:
  mutable Tree<double> in_double_;
  mutable Tree<float> in_float_;
  // Not std::call_once: on some systems, and under the thread sanitizer, an exception thrown inside makes the
  // next call hang.
  mutable std::mutex listing_;
  mutable std::atomic<bool> double_listed_ = false, float_listed_ = false;
};
}  // namespace chasles::kernels
