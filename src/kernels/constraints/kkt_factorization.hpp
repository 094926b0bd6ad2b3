/// Inputs and outputs of the kernels for trees with constraints. Equation numbers refer to
/// constraints/kkt_factorization.hpp.
///
/// Layout: the equations of a constraint are in SIMD lanes. Each scalar of an equation is stored as `width`
/// consecutive numbers, one per equation, width being a multiple of four; numbers beyond `rows` are zero. A
/// block L_ji has one column for each equation of i, with the equations of j in lanes:
///
///     L_ji   column 0: [eq 0 of j | eq 1 | eq 2 | 0]   column 1: [eq 0 | eq 1 | eq 2 | 0]   ...
///
/// Members named after symbols (C, K, k, L, W, X, Z) are offsets into the arrays of KktPass with these names,
/// unless noted. "lane": offset into arrays with one number per equation and lane. "begins": the first
/// contribution is stored, later ones are added.
#pragma once

#include "kernels/tables.hpp"

namespace chasles::kernels {

/// A block of constraint equations, in the order of elimination.
struct ConstraintRows {
  int rows, width;
  int first, lane;         // offsets into lambda, and into arrays with lanes
  int C;                   // L_ii, later its factor C, in L
  int K;                   // K on the link where all ends have met; -1: they meet on ground
  int others, others_end;  // range in KktPass::others
  int pairs;               // in KktPass::coupled_pairs
  int Z;  // omitted combinations of equations, in Z; -1: the equations are independent
  bool loop,
      still;  // if `moving`, the right-hand side is not read: loop: it is computed; still: it is zero
};
/// A constraint j that is coupled to i and eliminated later than i.
struct CoupledRows {
  int block;
  int X;  // L_ji, later X_j, in L
  int K;  // K of j on the link where i is eliminated; -1: none there
};
/// A constraint that passes through a link: some of its ends are in the subtree, others not.
struct Passage {
  std::ptrdiff_t K, k;    // 6 and Link::nv numbers per equation
  std::ptrdiff_t onward;  // K on the parent; -1: the parent is ground, K is dropped
  std::ptrdiff_t L;       // L_ii
  std::ptrdiff_t lane;    // in arrays with lanes
  int block, rows, width;
  bool begins;    // K on the parent has no contribution yet
  bool begins_L;  // nor has L_ii
  bool entries;   // k starts with the entries E of (3)
};
/// L_ji += k_j D^-1 k_i^T for two different constraints through a link.
struct PassagePair {
  std::ptrdiff_t L, kD_i, k_j;
  int columns, width_i, width_j;
  bool begins;  // L_ji has no contribution yet
};
/// One per link, then ground: where its ranges begin; they end where those of the next begin.
struct LinkRows {
  int passages, pairs;
  int blocks, blocks_end;  // blocks eliminated there
};
/// The constraint wrenches of a loop on the links of both its ends: K = W moved from the origin of `to` to
/// that of the link, in world axes, and -W for `from`.
struct LoopRows {
  int block;
  int links[2];    // of `to` and `from`; the number of links stands for ground
  int K[2];        // K on these links; -1: ground
  bool begins[2];  // K has no contribution yet
  bool forces;     // W consists of pure forces
  bool given;      // W depends on q, and the right-hand side is read
  int W;           // 6 numbers with lanes, in the axes of the link of `to`
  double r[4];     // the origin of `to` in its link
};
struct WrenchOnLink {
  int link;
  double W[6];  // hybrid
};

/// Used members of the base: tree, q, v, group, force (b of (1), or tau), work, out (x).
struct KktPass : Pass<double> {
  const ConstraintRows* blocks;
  const CoupledRows* others;
  const int* coupled_pairs;  // offset of L_kj for each pair of coupled blocks j <= k
  const Passage* passages;
  const PassagePair* pairs;
  const LinkRows* at;  // links, then ground
  const LoopRows* loops;
  int loops_count, blocks_count, rows;

  const double* W;
  double* turned;  // W in world axes
  double *L, *K, *k, *kD;
  // With lanes: k D^-1 k summed, i.e. row sizes; 1 / C_jj; right-hand side; multipliers; pivots of L.
  double *alone, *inverse, *g, *lambda, *pivots;
  // With lanes, constants: lower bounds of row sizes, and 1 / (pivot / row size) at typical configurations.
  const double *size, *usual;
  double* least;  // smallest (pivot / row size) so far, relative to its typical value
  double mu;

  // Rank-deficient blocks: rank r, and Z, n - r vectors with the equations in lanes.
  int* ranks;  // per block
  double* Z;
  double* scratch;  // see kkt_rank.inl
  int *order, *picked;
  // For find_ranks: row sizes below `vanishing` are rounding; pivots of L_ii, scaled to unit diagonal, below
  // `dependent` are rounding from cancellation in L, or contradictory equations.
  double vanishing, dependent;
  bool
      find_ranks;  // ranks are written instead of read; independent equations go to `picked`, with lanes

  const double* c;  // right-hand sides and multipliers, in the order of lambda
  double* multipliers;
  const WrenchOnLink* applied;
  int applied_count;
};

struct KktKernels {
  std::size_t (*work)(const Tree<double>&, int rows, int loops);  // bytes
  /// One run. factors: computes (3), (5), (6), (7) of the matrices; sides: solves (1) with them; moving: p of
  /// (2) starts with velocity terms and weight, otherwise with zero. Returns the entry of v with a zero
  /// pivot, or -1.
  using Run = int (*)(const KktPass&, bool factors, bool sides, bool moving);
  Run four, eight, any;  // for constraints that all have 4 lanes, all 8, or any number
};
const KktKernels& kkt_kernels();

}  // namespace chasles::kernels
