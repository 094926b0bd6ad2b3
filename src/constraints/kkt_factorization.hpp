/// Sparse factorization of the KKT (saddle-point) system of a tree with constraints,
///
///     M x + B^T lambda = b,      B x = c                                                      (1)
///
/// by elimination along the tree (constrained articulated-body algorithm), without forming M or B. Once the joints x
/// of a subtree are eliminated, it enters the rest as a saddle function of the acceleration a of its root link,
///
///     1/2 a.P a + p.a + lambda.(K a - g) - 1/2 lambda.(L lambda)                              (2)
///
/// with the multipliers lambda of constraints that have ends in the subtree. Initially P is the inertia of the link, K
/// the wrenches of the equations that act on it, and g = c. The joint of the link, a = a_p + H x, with the entries E
/// that B has on it, is eliminated by
///
///     U = P H,  D = H^T U,  k = K H + E,  u = b - H^T p                                       (3)
///     x = D^-1 (u - U^T a_p - k^T lambda)                                                     (4)
///     P -= U D^-1 U^T,  K -= k D^-1 U^T,  L += k D^-1 k^T,  p += U D^-1 u,  g -= k D^-1 u     (5)
///
/// and (2) is added to the parent, with its origin shifted. At the link c where all ends of a constraint meet, its
/// equations depend only on a_c, and multipliers are eliminated too. L is the Delassus operator; with L_ii = C C^T, i
/// the equations of the constraint and j those coupled to it and still open,
///
///     Y = C^-1 K_i,  X_j = L_ji C^-T,  y = C^-1 g_i                                           (6)
///     P += Y^T Y,  p -= Y^T y,  K_j -= X_j Y,  L_jk -= X_j X_k^T,  g_j -= X_j y               (7)
///     lambda_i = C^-T (Y a_c - y - sum_j X_j^T lambda_j)                                      (8)
///
/// So a constraint between neighbors costs as much as a few links, however long the chain is that carries it;
/// constraints that meet on ground are eliminated last, in an order that keeps L sparse. D and L are positive definite
/// if M is and the equations are independent.
///
/// Redundant equations. Combinations of equations that vanish at every configuration (out of the plane of a planar
/// mechanism) are removed once: a block keeps its combinations V^T, V constant and orthonormal
/// (`MobilityReport::Block::kept`). Others are redundant only where loops are closed (Bennett's linkage has 5 equations
/// of rank 2). A block of n equations that adds the rank r to the blocks before it, which is a property of the
/// mechanism, drops n - r such combinations at each configuration: the eigenvectors Z of the least eigenvalues of
/// L_ii, by inverse iteration from constant vectors,
///
///     Z <- orth (L_ii + s 1)^-1 Z,      s = 1e-13 tr L_ii                                      (9)
///
/// which contracts by the ratio of dropped to kept eigenvalues, about the square of the gap of the loop. If that is not
/// small (far from closed loops), Z comes from the Jacobi eigenvalue algorithm. Both are functions of L_ii alone. With
/// P = 1 - Z Z^T,
///
///     L_ii <- P L_ii P + (tr L_ii) Z Z^T,  K_i <- P K_i,  L_ji <- L_ji P,  g_i <- P g_i        (10)
///
/// and (6) to (8) give lambda_i = P lambda_i: the multipliers of a block have the least norm, and the independent
/// equations are U^T B, U an orthonormal complement of Z.
///
/// No state is carried from one configuration to the next.
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

  /// @param blocks   for each block of `constraints`: kept combinations and rank; other members are ignored
  /// @param early    eliminate loops before their ends meet, where possible: see is_early
  /// @param kernels  kernels of one instruction set
  /// @throws Error if so many equations are coupled that offsets overflow an int
  KktFactorization(const Constraints& constraints, const Blocks& blocks, bool early = false,
                   const kernels::KktKernels& kernels = kernels::kkt_kernels());

  /// Whether a block drops combinations, (10).
  bool is_deficient() const { return !Z_.empty(); }
  /// Whether loops are eliminated early. This applies to a loop between two chains on ground, if the later chain
  /// carries no other constraint and has at least as many degrees of freedom as the loop has equations, like a leg
  /// that carries a platform: the loop is eliminated on the other chain. L_ii is then that of the leg alone, and loops
  /// of different legs are not coupled. Where a leg is stretched, L_ii is singular although (1) is not: least_pivot
  /// shows it, and a factorization without early elimination is needed.
  bool is_early() const { return !early_.empty(); }
  /// The least usual pivot of early loops, relative to the size of its row: 0 if a leg never determines its loop.
  double usual_early_pivot() const;

  /// (3), (5), (6), (7) at q; `constraints` must be updated at q if they depend on it (Parts::follows).
  /// @throws SingularError naming the joint, if M is singular
  /// @param mu  regularization relative to the size of each row, added to the diagonal of L: (1) becomes
  ///            B x - mu lambda = c, for nearly dependent equations
  void factorize(ConstVectorRef q, const Constraints& constraints, double mu = 0);
  /// Solves (1). b, x: nv; c, lambda: one entry for each constraint equation.
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  /// Arguments of (1) with b = tau - h and c = -(dB/dt) v: p of (2) starts from the bias wrenches of the links minus
  /// weight and applied wrenches.
  struct Moving {
    const double *q, *v, *tau;
    const double* c;                // one per equation; read for constraints that depend on q
    const PositionKinematics* kin;  // at q; needed if `applied` is not empty
    AppliedWrenches applied;
    double *x, *lambda;  // results: nv; one per equation
  };
  /// Solves with the factors of the last `factorize`.
  void accelerate(const Moving& at) { run(at, false); }
  /// Factorizes and solves in one sweep, with bitwise the same results.
  void accelerate(const Constraints& constraints, const Moving& at);

  /// Records the pivots at q as usual ones: the largest over several calls.
  /// @throws SingularError as above
  void calibrate(ConstVectorRef q, const Constraints& constraints);
  /// The least pivot of L at the last factorization: a measure of how near equations are to dependent, or to vanishing.
  /// Pivots are relative to the size of their row and to the usual pivot (`calibrate`); blocks with dropped
  /// combinations use 1 / tr (U^T L_ii U)^-1 instead.
  double least_pivot() const { return least_pivot_; }

  /// The largest entry of P c, with P of the last factorization.
  double largest(ConstVectorRef c) const;

  /// A block, in the order of elimination.
  struct Combinations {
    std::size_t number;  // index in Constraints::blocks
    int first, rows;     // its equations in Constraints
    int meets;           // the link at which it is eliminated; -1: ground
    int rank;
    Matrix U;  // rows x rank, orthonormal: U^T B are the independent equations
  };
  /// As of the last factorization.
  const std::vector<Combinations>& combinations();
  /// The same blocks before any factorization, without rank and U.
  const std::vector<Combinations>& order() const { return combinations_; }

  /// Rank and independent equations of each block at q, in the order of elimination, from pivots of L_ii with rows
  /// scaled to length one; indices as in `combinations`, equations numbered as in Constraints.
  struct Rank {
    std::size_t number;
    std::vector<int> independent_equations;
  };
  std::vector<Rank> find_ranks(ConstVectorRef q, const Constraints& constraints);

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// A constraint with at least one kept equation, in the order of elimination.
  struct Block {
    std::size_t number = 0;     // index in Constraints::blocks
    int first = 0;              // index of its first kept equation
    int all = 0, all_rows = 0;  // its equations in Constraints: first, count
    Matrix V;                   // all_rows x kept
    std::vector<int> picked;    // if V consists of unit vectors: indices of their ones
    int meets = -1;             // link c where its ends meet; -1: ground
    std::vector<int> coupled;   // blocks j coupled to it, all later
    std::vector<int> entries;   // offsets in k_ of its entries of v
    int kept() const { return static_cast<int>(V.cols()); }
  };
  /// For each link, the blocks that are open there.
  using BlocksOnLinks = std::vector<std::vector<int>>;

  void list_blocks(const Constraints& constraints, const Blocks& blocks);
  std::vector<int> early_links(const Constraints& constraints) const;
  BlocksOnLinks sort_blocks(const Constraints& constraints, bool early);
  void lay_out_blocks(const Blocks& blocks);
  void lay_out_links(const BlocksOnLinks& open, const Constraints& constraints);
  template <class F>
  void add_loop(const Constraints& constraints, int b, const F& K_of);
  void find_beginnings();
  int offset_of_L(int i, int j) const;
  void take_entries(const Constraints& constraints);
  void take_wrenches(const Constraints& constraints, const kernels::LoopRows& loop);
  kernels::KktPass& pass();
  void begin(const double* q, const Constraints& constraints);
  void set_applied(const PositionKinematics& kin, AppliedWrenches applied);
  void set_sides(const double* b, const double* c, double* x, double* lambda, bool moving);
  void run(const Moving& at, bool factors);
  void give(double* lambda) const;
  /// Dropped combinations of a block: their number, and the k-th of them, kept() numbers.
  int dropped(std::size_t b) const { return plan_[b].Z < 0 ? 0 : plan_[b].rows - ranks_[b]; }
  const double* dropped(std::size_t b, int k) const {
    return Z_.data() + plan_[b].Z + k * plan_[b].width;
  }

  Model model_;
  kernels::KktKernels::Run run_;
  std::vector<Block> blocks_;
  int all_rows_ = 0;                              // equations of Constraints
  bool all_kept_ = true;                          // V = 1 for all blocks
  std::vector<std::pair<int, int>> picked_rows_;  // index in Constraints, index among the kept
  std::vector<int> combined_;  // blocks whose V has columns other than unit vectors

  std::vector<int> with_entries_;  // blocks that act on entries of v
  std::vector<int> early_;         // blocks that are eliminated early

  // Data of the kernels: kernels/constraints/kkt_factorization.hpp.
  std::vector<kernels::ConstraintRows> plan_;
  std::vector<kernels::CoupledRows> others_;
  std::vector<int> coupled_pairs_;
  std::vector<kernels::Passage> passages_;
  std::vector<kernels::PassagePair> pairs_;
  std::vector<kernels::LinkRows> at_;
  std::vector<kernels::LoopRows> loops_;
  std::vector<kernels::WrenchOnLink> applied_;
  kernels::KktPass pass_{};
  /// A range that a sweep reads before it writes it, to be zeroed first.
  struct Zeros {
    std::vector<double> KktFactorization::*of;
    std::ptrdiff_t first;
    int count;
  };
  std::vector<Zeros> zeros_;

  KernelScratch<double> work_;
  std::vector<double> group_;  // Pass::group
  std::vector<double> L_, K_, k_, kD_, W_, turned_;
  std::vector<double> alone_, inverse_, g_, lambda_, pivots_, size_, usual_;  // kept, in lanes
  std::vector<double> Z_, scratch_;
  std::vector<int> ranks_, order_, picked_;
  std::vector<double> c_, kept_lambda_;  // kept equations
  std::vector<double> most_, largest_;   // of `calibrate`: largest sizes and pivots
  std::vector<Combinations> combinations_;
  std::vector<Matrix> complements_;  // blocks: kept() x kept(), of blocks with dropped combinations
  double least_pivot_ = 1;
};

}  // namespace chasles
