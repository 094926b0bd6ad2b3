/// The saddle point of a tree with constraints,
///
///     M x + B^T lambda = b,      B x = c                                                      (1)
///
/// by elimination along the tree, without M and without B. What a subtree asks of the acceleration a
/// of its root link, once its joints x are eliminated, is the saddle function
///
///     1/2 a.P a + p.a + lambda.(K a - g) - 1/2 lambda.(L lambda)                              (2)
///
/// with the rows lambda of constraints that have ends in the subtree. It begins with the inertia of the
/// link (P), wrenches of rows that end on it (K), g = c. The joint of the link, a = a_p + H x, with the
/// entries E that rows have on it, is eliminated by
///
///     U = P H,  D = H^T U,  k = K H + E,  u = b - H^T p                                       (3)
///     x = D^-1 (u - U^T a_p - k^T lambda)                                                     (4)
///     P -= U D^-1 U^T,  K -= k D^-1 U^T,  L += k D^-1 k^T,  p += U D^-1 u,  g -= k D^-1 u     (5)
///
/// and (2) goes on to the parent, its origin shifted. Where all ends of a constraint have met, at link
/// c, its rows depend on nothing more but a_c, since a loop does not feel how the link moves that
/// carries all of it. There they are eliminated too: with L = C C^T on the rows of it (i) and those
/// that are coupled to it and still open (j),
///
///     Y = C^-1 K_i,  X_j = L_ji C^-T,  y = C^-1 g_i                                           (6)
///     P += Y^T Y,  p -= Y^T y,  K_j -= X_j Y,  L_jk -= X_j X_k^T,  g_j -= X_j y               (7)
///     lambda_i = C^-T (Y a_c - y - sum_j X_j^T lambda_j)                                      (8)
///
/// So a constraint between neighbors costs no more than a few links, however long the chain is that
/// carries it; constraints that meet on ground only are eliminated last, in an order that keeps few
/// blocks of L. D and L are positive definite if M is so and the rows are independent.
///
/// Redundant rows. Combinations of rows that vanish at every configuration (across the plane of a planar
/// mechanism) are left out for good: a block keeps the rows V^T of it, V constant and orthonormal
/// (`MobilityReport::Block::kept`). Others are redundant only where loops are closed (Bennett's linkage has 5
/// rows of rank 2). Of these a block of n rows leaves out n - r combinations at the configuration itself, r the
/// rank that it adds to that of the blocks before it, which is a property of the mechanism: those of the least
/// eigenvalues of L_ii, Z, by inverse iteration from constant vectors,
///
///     Z <- orth (L_ii + s 1)^-1 Z,      s = 1e-13 tr L_ii                                      (9)
///
/// which contracts by the ratio of left-out to kept eigenvalues, of the size of the square of the gap of the loop.
/// Where that is not small (far from closed loops), Z comes from Jacobi's rotations. Both are functions of L_ii
/// alone. With P = 1 - Z Z^T,
///
///     L_ii <- P L_ii P + (tr L_ii) Z Z^T,  K_i <- P K_i,  L_ji <- L_ji P,  g_i <- P g_i        (10)
///
/// and (6) to (8) give lambda_i = P lambda_i: multipliers of a block are those of least norm, and U^T B, U an
/// orthonormal complement of Z, are the rows that hold.
///
/// Nothing is kept from one configuration to the next.
#pragma once

#include "chasles/constraints/analysis.hpp"
#include "chasles/dynamics/applied_wrench.hpp"
#include "constraints/parts.hpp"
#include "kernels/constraints/kkt_factorization.hpp"
#include "model/kernel_scratch.hpp"

namespace chasles {

class KktFactorization {
 public:
  using Blocks = std::vector<MobilityReport::Block>;

  /// @param blocks   for each block of `constraints` what is kept of it and its rank; others are ignored
  /// @param early    loops are eliminated before their ends have met, where that is possible: see is_early
  /// @param kernels  of an instruction set
  /// @throws Error if more rows are coupled than kernels count
  KktFactorization(const Constraints& constraints, const Blocks& blocks, bool early = false,
                   const kernels::KktKernels& kernels = kernels::kkt_kernels());

  /// Combinations of a block are left out, (10).
  bool is_deficient() const { return !Z_.empty(); }
  /// A loop between two chains on ground, of which one, the later, carries no other constraint, and has as many
  /// joints as the loop has rows at least, may be eliminated on the other: like a leg that carries a platform. L_ii
  /// is then that of the leg alone; loops of different legs are not coupled. Where a leg is stretched, L_ii is
  /// singular although (1) is not: least_pivot tells, and one needs factors that are not early.
  bool is_early() const { return !early_.empty(); }
  /// Of loops that are early the least usual pivot, as part of the size of its row: 0 if the leg never holds them.
  double usual_early_pivot() const;

  /// (3), (5), (6), (7) at q, where the constraints are as well if they follow kinematics (Parts::follows).
  /// @throws SingularError naming the joint, if M is singular
  /// @param mu  that part of the size of a row is added to the diagonal of L: (1) with
  ///            B x - mu lambda = c, for rows that nearly depend on each other here
  void factorize(ConstVectorRef q, const Constraints& constraints, double mu = 0);
  /// (1). b, x: nv; c, lambda: one for each row of the constraints.
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  /// (1) with b = tau - h and c = -(dB/dt) v: p of (2) begins with what links need for the accelerations that
  /// velocities give them, less their weight and what is applied.
  struct Moving {
    const double *q, *v, *tau;
    const double* c;                // rows; read for constraints that follow kinematics
    const PositionKinematics* kin;  // at q; needed if anything is applied
    AppliedWrenches applied;
    double *x, *lambda;  // results: nv, rows
  };
  /// Where `factorize` was last.
  void accelerate(const Moving& at) { run(at, false); }
  /// Both at once, with the same bits.
  void accelerate(const Constraints& constraints, const Moving& at);

  /// Takes pivots at q as usual: the largest of several calls count.
  /// @throws SingularError as above
  void calibrate(ConstVectorRef q, const Constraints& constraints);
  /// The least pivot of L at the last factorization: how near rows are to depend on each other, or to vanish. Of each
  /// row its pivot as part of its size, and that as part of the usual one (`calibrate`); of a block with
  /// combinations that are left out 1 / tr (U^T L_ii U)^-1 instead of a pivot.
  double least_pivot() const { return least_pivot_; }

  /// The largest entry of P c, by the combinations of the last factorization.
  double largest(ConstVectorRef c) const;

  /// A block, in the order of elimination.
  struct Combinations {
    std::size_t number;  // in Constraints::blocks
    int first, rows;     // in Constraints
    int meets;           // the link at which it is eliminated; -1: ground
    int rank;
    Matrix U;  // rows x rank, orthonormal: U^T B are the rows that were used
  };
  /// As of the last factorization.
  const std::vector<Combinations>& combinations();
  /// The same blocks before any factorization, without rank and U.
  const std::vector<Combinations>& order() const { return combinations_; }

  /// Rank of each block where the rows are, in the order of elimination, from pivots of L_ii with rows of
  /// length one, and independent rows of it; indices as in `combinations`, rows of Constraints.
  struct Rank {
    std::size_t number;
    std::vector<int> independent_equations;
  };
  std::vector<Rank> find_ranks(ConstVectorRef q, const Constraints& constraints);

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// A constraint with rows that are used, in the order of elimination.
  struct Block {
    std::size_t number = 0;     // in Constraints
    int first = 0;              // in the rows that are kept
    int all = 0, all_rows = 0;  // in Constraints: first row, rows
    Matrix V;                   // all_rows x kept
    std::vector<int> picked;    // if V has unit columns: their rows
    int meets = -1;             // c; -1: ground
    std::vector<int> coupled;   // j, later ones
    std::vector<int> entries;   // where k of the entries of the constraint are in k_
    int kept() const { return static_cast<int>(V.cols()); }
  };
  /// Of each link the blocks that are open there.
  using BlocksOnLinks = std::vector<std::vector<int>>;

  void list_blocks(const Constraints& constraints, const Blocks& blocks);
  std::vector<int> early_links(const Constraints& constraints) const;
  BlocksOnLinks sort_blocks(const Constraints& constraints, bool early);
  void lay_out_blocks(const Blocks& blocks);
  void lay_out_links(const BlocksOnLinks& open, const Constraints& constraints);
  template <class F>
  void add_loop(const Constraints& constraints, int b, const F& K_of);
  void find_beginnings();
  int place_of_L(int i, int j) const;
  void take_entries(const Constraints& constraints);
  void take_wrenches(const Constraints& constraints, const kernels::LoopRows& loop);
  kernels::KktPass& pass();
  void begin(const double* q, const Constraints& constraints);
  void set_applied(const PositionKinematics& kin, AppliedWrenches applied);
  void set_sides(const double* b, const double* c, double* x, double* lambda, bool moving);
  void run(const Moving& at, bool factors);
  void give(double* lambda) const;
  /// Combinations of a block that are left out: how many, and one of them, kept() numbers.
  int dropped(std::size_t b) const { return plan_[b].Z < 0 ? 0 : plan_[b].rows - ranks_[b]; }
  const double* dropped(std::size_t b, int k) const {
    return Z_.data() + plan_[b].Z + k * plan_[b].width;
  }

  Model model_;
  kernels::KktKernels::Run run_;
  std::vector<Block> blocks_;
  int all_rows_ = 0;                              // of Constraints
  bool all_kept_ = true;                          // V = 1 of all blocks
  std::vector<std::pair<int, int>> picked_rows_;  // otherwise: rows of Constraints, of those kept,
  std::vector<int> combined_;                     // and blocks whose V has other columns

  std::vector<int> with_entries_;  // blocks
  std::vector<int> early_;         // blocks

  // What kernels read: kernels/constraints/kkt_factorization.hpp.
  std::vector<kernels::ConstraintRows> plan_;
  std::vector<kernels::CoupledRows> others_;
  std::vector<int> coupled_pairs_;
  std::vector<kernels::Passage> passages_;
  std::vector<kernels::PassagePair> pairs_;
  std::vector<kernels::LinkRows> at_;
  std::vector<kernels::LoopRows> loops_;
  std::vector<kernels::WrenchOnLink> applied_;
  kernels::KktPass pass_{};
  /// What a sweep reads before it is written.
  struct Zeros {
    std::vector<double> KktFactorization::*of;
    std::ptrdiff_t first;
    int count;
  };
  std::vector<Zeros> zeros_;

  KernelScratch<double> work_;
  std::vector<double> group_;  // Pass::group
  std::vector<double> L_, K_, k_, kD_, W_, turned_;
  std::vector<double> alone_, inverse_, g_, lambda_, pivots_, size_, usual_;  // rows, in lanes
  std::vector<double> Z_, scratch_;
  std::vector<int> ranks_, order_, picked_;
  std::vector<double> c_, kept_lambda_;  // rows that are kept
  std::vector<double> most_, largest_;   // of `calibrate`: sizes, pivots
  std::vector<Combinations> combinations_;
  std::vector<Matrix> complements_;  // blocks: kept() x kept(), where combinations are left out
  double least_pivot_ = 1;
};

}  // namespace chasles
