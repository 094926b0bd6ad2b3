/// What the dynamics kernels read and write: a model as plain constants, the arguments of a pass, and
/// the table of kernels for an instruction set. The kernels are scalar-generic (lanes.inl, quad.inl): one state
/// in the registers of a machine (Real = double), or one state in each SIMD lane: as many as a register
/// of the machine has, 2, 4 or 8 (Real = double), 4, 8 or 16 (float).
#pragma once

#include <atomic>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "chasles/mechanism/link.hpp"
#include "chasles/screws/representation.hpp"
#include "kernels/matrices/blocks.hpp"

namespace chasles::kernels {

/// A link, every vector padded to four numbers.
template <class Real>
struct alignas(32) LinkConstants {
  Real C[3][4];  // columns of the constant rotation of P_i
  Real r[4];     // translation of P_i
  Real mc[4];    // first moment; mass
  // Rotational inertia I and Binet tensor E = tr(I)/2 1 - I about the link's origin. Both, as one of
  // them does not follow from the other where a body is slender: there I_zz = E_xx + E_yy is small.
  Real I_diag[4];  // xx, yy, zz; trace of E
  Real I_off[4];   // xy, yz, zx; pitch of the motion
  Real E_diag[4];  // xx, yy, zz; 2 B^2: articulated.inl
  Real E_off[4];   // xy, yz, zx; mass of its descendants and itself
  int parent;      // -1: ground
  int q, v, nv;    // its entries of q and v
  int chain;       // the first of the links chain, chain + 1, ... i that are each other's parents
  int end_v;       // the entries of v that move its descendants and itself: v ... end_v - 1
  int group;       // motion given as data: where it begins in Pass::group
  int slot;        // which copy of a row of accelerations it works in: mass_matrix_inverse.inl
  LinkMotion motion;
  bool last;      // the last child of its parent: the first to hand something inward
  bool branches;  // has a child besides the next link

  // What stands in the fourth places, so that loads are whole and nothing is wasted.
  Real mass() const { return mc[3]; }
  Real trace() const { return I_diag[3]; }
  Real pitch() const { return I_off[3]; }
  Real reach() const { return E_diag[3]; }
  Real carried() const { return E_off[3]; }
};

/// A link as a body about its centre of mass, and how composite bodies are joined: the composites of
/// the children of a link, the last child first, then the link itself. Joining a body of mass m_2 to
/// one of mass m_1, with the centres a way d apart, moves the centre by part d and adds mu d d^T:
///
///     part = m_2 / (m_1 + m_2),   mu = m_1 m_2 / (m_1 + m_2)
template <class Real>
struct alignas(32) BodyConstants {
  Real com[4];            // in the frame of the link; mass
  Real E_diag[4];         // Binet tensor about the centre of mass
  Real E_off[4];          // xy, yz, zx
  Real part, mu;          // of its composite, joined to those of its parent's children after it
  Real own_part, own_mu;  // of the link, joined to the composites of its children
};

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
  std::vector<LinkConstants<Real>> links;
  std::vector<BodyConstants<Real>> bodies;  // of the links
  int nq = 0, nv = 0, group_size = 0, slots = 1;
  int angles = 0;              // entries of q before it are no angles
  std::vector<int> displaced;  // links, not on ground, whose origin moves in their parent
  std::vector<Glide> glides;   // articulated.inl
  std::vector<int>
      slender;  // links that turn about an axis near which their mass is: mass_matrix.inl
  Real gravity[4] = {};
  Tree(std::span<const Link> links, const Vec3& gravity);
  void join_bodies();

  // What follows is filled by list_entries and list_blocks, anew if memory ran out in the midst of
  // them, and read by kernels of matrices.
  //
  // Entries of the mass matrix that are not zero, as lists, so that no loop ends unforeseen: first
  // those that begin four in a row, then what is left.
  std::vector<Entry> fours, ones;
  std::vector<FreeRoot> free_roots;  // whose rows and columns are not in the lists
  std::vector<Run> unrelated;        // the others, in all rows of the matrix
  /// @throws Error if the matrix has more entries than an int counts
  void list_entries();
  // Of every entry of v: which entries, not later, move the same links, from the root; `end`: the
  // entries of v up to it move its descendants.
  struct Path {
    int begin, size, end;
  };
  std::vector<Path> paths;
  std::vector<int> ancestors;
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

enum Algorithm {
  inverse_dynamics,
  forward_dynamics,
  mass_matrix,
  mass_matrix_inverse,
  totals,
  coriolis_matrix,
  regressor,
  centroidal,
  positions,
  velocities,
  accelerations,
  jacobian,
  place_poses,
  place_twists,
  place_accelerations,
  d_inverse_dynamics,
  d_forward_dynamics
};
/// Whether it writes a matrix of joints by joints, or by links.
inline bool is_matrix(Algorithm algorithm) {
  return algorithm == mass_matrix || algorithm == mass_matrix_inverse ||
         algorithm == coriolis_matrix || algorithm == regressor ||
         algorithm == d_inverse_dynamics || algorithm == d_forward_dynamics;
}
/// Whether it asks how the motions given as data vary.
inline bool is_derivative(Algorithm algorithm) {
  return algorithm == d_inverse_dynamics || algorithm == d_forward_dynamics;
}

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
/// A place on a link (model.hpp), the same for all states.
template <class Real>
struct alignas(32) PlaceConstants {
  Real C[3][4];  // columns of its rotation in the frame of the link
  Real r[4];
  int link;                       // -1: ground
  Representation representation;  // of what acts on it or is asked about it
};
template <class Real>
PlaceConstants<Real> place_constants(int link, const SE3& offset, Representation representation);

/// Every number stands for `lanes` numbers, one per state, lane after lane.
template <class Real>
struct Pass {
  const Tree<Real>* tree;
  const Real *q, *v;
  const Real* force;   // joint forces of forward dynamics, else accelerations (null: zero)
  const Real* wrench;  // on `places`, 6 each; null: none
  const Real*
      group;  // of motions given as data: pose R (by columns), r; bias Xdot v; screws X; Xdot; for
              // derivatives dX_k/dq_l and d(X a + Xdot v)/dq_l
  Real* work;
  Real* out;

  // Of kinematics. The place_ kernels read them and write, per place, to `out`; the Jacobian, 6 x nv by
  // columns, goes to `out`, and the pose of its place to `pose` unless that is null.
  Real* pose = nullptr;          // R (by columns), r: 12 per link
  Real* twist = nullptr;         // hybrid, 6 per link
  Real* acceleration = nullptr;  // hybrid, 6 per link; joint accelerations are `force`
  const PlaceConstants<Real>* places = nullptr;  // of wrenches and results; of the Jacobian one
  int place_count = 0;

  // Of matrices of joints, rows one after the other:
  bool zeroed = false;    // entries of joints on no common path are zero already
  bool lower = false;     // mass_matrix: what is above the diagonal may be anything
  Real* out_M = nullptr;  // coriolis_matrix: the mass matrix as well; null: not
  // forward_dynamics: `work` is left for what is solved with M; d_forward_dynamics: it was.
  bool keep_factors = false;
  // Of SecondOrderKernels: weights of the joint forces; da/dq, da/dv, M^-1, one after the other.
  const Real *weights = nullptr, *first = nullptr;
};
inline constexpr int group_data(int nv) { return 18 + 12 * nv + 6 * nv * (nv + 1); }

/// Kernels return -1, or the first link (from the leaves) whose joint moves no inertia.
template <class Real>
using Kernel = int (*)(const Pass<Real>&);

inline constexpr int algorithms = 17;
/// Totals: T, U, (L; P).
inline constexpr int totals_size = 8;
/// Where the results of `centroidal` begin. Without v only the centre of mass, the mass and A.
inline constexpr int centroidal_com = 0,  // 3, in the world
    centroidal_mass = 3,                  // of all that moves
    centroidal_h = 4,                     // (L; P) = A v
    centroidal_bias = 10,                 // Adot v
    centroidal_A = 16;                    // 6 x nv, column after column; then Adot in the same way
/// Numbers that a kernel writes per state.
template <class Real>
int output_size(Algorithm algorithm, const Tree<Real>& tree) {
  switch (algorithm) {
    case inverse_dynamics:
    case forward_dynamics:
      return tree.nv;
    case totals:
      return totals_size;
    case regressor:
      return tree.nv * 10 * static_cast<int>(tree.links.size());
    case centroidal:
      return centroidal_A + 12 * tree.nv;
    case d_inverse_dynamics:
    case d_forward_dynamics:
      return 3 * tree.nv * tree.nv;
    default:
      return tree.nv * tree.nv;
  }
}

template <class Real>
struct KernelTable {
  int lanes;
  Kernel<Real> run[algorithms];
  std::size_t (*work)(Algorithm, const Tree<Real>&);  // bytes
  int block_width;  // what mass_matrix wants Tree::list_blocks to be called with; 0: nothing
  // The first `used` of `lanes` states, from rows of n numbers into lanes (the last fills what is
  // left), and back.
  void (*gather)(const Real* rows, int n, int used, Real* block);
  void (*scatter)(const Real* block, int n, int used, Real* rows);
};

/// Derivatives of one state, differentiated once more along `directions` directions: vectors/dual.inl.
inline constexpr int directions = 4;
struct DirectionalKernels {
  Kernel<double> inverse, forward;
  std::size_t (*work)(Algorithm, const Tree<double>&);  // bytes
  Kernel<double> run(Algorithm algorithm) const {
    return algorithm == d_inverse_dynamics ? inverse : forward;
  }
};

/// Second derivatives of one state, where no motion is given as data: as tensors, and of a sum of the
/// joint forces or accelerations. Those of forward dynamics are made from those of inverse dynamics.
struct SecondOrderKernels {
  Kernel<double> inverse, inverse_contracted, forward, forward_contracted;
  std::size_t (*inverse_work)(const Tree<double>&);  // bytes
  std::size_t (*contracted_work)(const Tree<double>&);
  std::size_t (*forward_work)(const Tree<double>&);
};
/// Products with derivatives of one state, and with their transposes: derivatives/inverse_tangent.inl.
struct ProductPass : Pass<double> {
  const double *dq = nullptr, *dv = nullptr, *du = nullptr;  // a direction
  double* product = nullptr;                                 // what it makes of it
  const double* lambda = nullptr;
  double *on_q = nullptr, *on_v = nullptr, *on_u = nullptr;  // what the transposes make of lambda
  const double* zero = nullptr;                              // nv
};
struct ProductKernels {
  using Run = int (*)(const ProductPass&);
  Run inverse, inverse_transposed, forward, forward_transposed;
  std::size_t (*work)(bool forward, const Tree<double>&);  // bytes
};

/// One state, and states in lanes, for the instruction set of this machine.
const KernelTable<double>& single_kernels();
const ProductKernels& product_kernels();
const DirectionalKernels& directional_kernels();
const SecondOrderKernels& second_order_kernels();
template <class Real>
const KernelTable<Real>& lane_kernels();

struct EliminationKernels;  // constraints/elimination.hpp

/// The instruction sets, from the plainest; `available` ones run on this machine.
struct InstructionSet {
  const char* name;
  bool available;
  const KernelTable<double>* single;
  const KernelTable<double>* lanes;
  const KernelTable<float>* float_lanes;
  const DirectionalKernels* directional;
  const SecondOrderKernels* second_order;
  const ProductKernels* products;
  const EliminationKernels* elimination;
};
std::span<const InstructionSet> instruction_sets();

}  // namespace chasles::kernels
