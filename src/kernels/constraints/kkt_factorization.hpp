/// What the kernels of a tree with constraints read and write. The equations are those of
/// constraints/kkt_factorization.hpp, and numbers in brackets are of them.
///
/// Rows of a constraint stand in lanes: of each number that a row has there are `width`, a multiple of
/// four, one after the other; those beyond `rows` are zero. A block L_ji is a column for each row of i,
/// with the rows of j in lanes.
#pragma once

#include "kernels/tables.hpp"

namespace chasles::kernels {

/// A constraint, in the order of elimination.
struct ConstraintRows {
  int rows, width;
  int first, lane;         // of lambda; of what has lanes
  int C;                   // where L_ii, then C is in L
  int K;                   // where K is on the link where it meets; -1: it meets on ground
  int others, others_end;  // in Elimination::others
  int pairs;               // in Elimination::coupled_pairs
  int Z;  // where the combinations that are left out are in Z; -1: the rows are independent
  bool loop, still;  // if `moving`, its right-hand side is not read: it is a loop's rate, or zero
};
/// A constraint j that is coupled to i and eliminated later.
struct CoupledRows {
  int block;
  int X;  // where L_ji, then X_j is in L
  int K;  // where K of it is, where i meets; -1: it has none there
};
/// A constraint that is open on a link.
struct Passage {
  std::ptrdiff_t K, k;    // where they are: 6 and Link::nv numbers
  std::ptrdiff_t onward;  // where K is on the parent; -1: on ground it is forgotten
  std::ptrdiff_t L;       // where L_ii is
  std::ptrdiff_t lane;    // of what has lanes
  int block, rows, width;
  bool begins;    // nothing was written to K on the parent before
  bool begins_L;  // nor to L_ii
  bool entries;   // k begins with entries of v
};
/// L_ji += k_j D^-1 k_i^T of two different ones.
struct PassagePair {
  std::ptrdiff_t L, kD_i, k_j;
  int columns, width_i, width_j;
  bool begins;  // nothing was written to L_ji before
};
/// Of a link, then of ground: where what belongs to it begins; it ends where the next begins.
struct LinkRows {
  int passages, pairs;
  int blocks, blocks_end;  // that meet there
};
/// The wrenches of a loop, on the links of both its ends: K = W moved from the origin of `to` to that of the
/// link, in world axes, and -W for `from`.
struct LoopRows {
  int block;
  int links[2];    // of `to`, of `from`; the number of links: ground
  int K[2];        // where K is on them; -1: ground
  bool begins[2];  // nothing was written to K before
  bool forces;     // W has no torques
  bool given;      // W depends on q, and the right-hand side is read
  int W;           // where W begins: 6 numbers with lanes, in the axes of the link of `to`
  double r[4];     // the origin of `to` in the link
};
struct WrenchOnLink {
  int link;
  double W[6];  // hybrid
};

/// Of the base: tree, q, v, group, force (b of (1), or tau), work, out (x).
struct KktPass : Pass<double> {
  const ConstraintRows* blocks;
  const CoupledRows* others;
  const int* coupled_pairs;  // of each two of the others j, k, not before j: where L_kj is
  const Passage* passages;
  const PassagePair* pairs;
  const LinkRows* at;  // links, ground
  const LoopRows* loops;
  int loops_count, blocks_count, rows;

  const double* W;
  double* turned;  // W in world axes
  double *L, *K, *k, *kD;
  // With lanes: k.D^-1 k; 1 / C_jj; right-hand side; multipliers; pivots of L.
  double *alone, *inverse, *g, *lambda, *pivots;
  // With lanes, constants: sizes of rows and 1 / (pivots as parts of them) where pivots are usual.
  const double *size, *usual;
  double*
      least;  // one number: of pivots as parts of the size of their row here and of the usual part
  double mu;

  // Of rank-deficient blocks: r and Z, n - r vectors with the rows in lanes.
  int* ranks;  // blocks
  double* Z;
  double* scratch;  // elimination_rank.inl
  int *order, *picked;
  // For find_ranks: rows of this size are rounding; pivots of L_ii with unit diagonal below this are rounding of
  // what cancels in L, or equations that contradict each other.
  double vanishing, dependent;
  bool find_ranks;  // ranks are written, not read; independent rows to `picked`, with lanes

  const double* c;  // right-hand sides, and multipliers: in the order of lambda
  double* multipliers;
  const WrenchOnLink* applied;
  int applied_count;
};

struct KktKernels {
  std::size_t (*work)(const Tree<double>&, int rows, int loops);  // bytes
  /// What a run does: factors are (3), (5), (6), (7) of matrices; sides solve (1) with them; `moving`: p of (2)
  /// begins with what velocities and weight cause, otherwise with zero. Returns the entry of v whose pivot is no
  /// more than rounding, or -1.
  using Run = int (*)(const KktPass&, bool factors, bool sides, bool moving);
  Run four, eight, any;  // where every constraint has so many lanes; the same for all
};
const KktKernels& kkt_kernels();

}  // namespace chasles::kernels
