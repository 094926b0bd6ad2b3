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
/// So a constraint between neighbours costs no more than a few links, however long the chain is that
/// carries it; constraints that meet on ground only are eliminated last, in an order that keeps few
/// blocks of L. D and L are positive definite if M is so and the rows are independent.
#pragma once

#include "chasles/dynamics/applied_wrench.hpp"
#include "constraints/parts.hpp"
#include "kernels/constraints/elimination.hpp"
#include "model/kernel_scratch.hpp"

namespace chasles {

class Elimination {
 public:
  /// @param rows     of the constraints that are used, ascending
  /// @param kernels  of an instruction set
  /// @throws Error if more rows are coupled than kernels count
  Elimination(const Constraints& constraints, std::vector<int> rows,
              const kernels::EliminationKernels& kernels = kernels::elimination_kernels());

  /// (3), (5), (6), (7) at the configuration of `kin`, where the constraints are as well.
  /// @throws SingularError naming the joint, if M is singular
  /// @param mu         that part of the size of a row is added to the diagonal of L: (1) with
  ///                   B x - mu lambda = c, for rows that nearly depend on each other here
  /// @param leave_out  rows that depend on others have no multiplier; otherwise an uncertain one
  void factorize(const PositionKinematics& kin, const Constraints& constraints, double mu = 0,
                 bool leave_out = false);
  /// (1). b, x: nv; c, lambda: one for each row that is used.
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  /// Where `factorize` was last, (1) with b = tau - h: p of (2) begins with what links need for the
  /// accelerations that velocities give them, less their weight and what is applied.
  /// @param kin  with vd = 0
  void accelerate(const AccelerationKinematics& kin, AppliedWrenches applied, ConstVectorRef tau,
                  ConstVectorRef c, VectorRef x, VectorRef lambda);
  /// Both at once, which is faster: `factorize`, then `accelerate`.
  void accelerate_anew(const AccelerationKinematics& kin, const Constraints& constraints,
                       AppliedWrenches applied, ConstVectorRef tau, ConstVectorRef c, VectorRef x,
                       VectorRef lambda);

  /// The least pivot of L, each as part of the largest that the row had until now: how near rows have come
  /// to depend on each other, or to vanish.
  double least_pivot() const { return least_pivot_; }
  /// Of each row its pivot, as part of the largest that L_jj was until now, and the latter.
  std::vector<double> pivots() const { return by_row(pivots_); }
  std::vector<double> sizes() const { return by_row(sizes_); }
  const std::vector<int>& rows() const { return rows_; }

 private:
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// A constraint with rows that are used, in the order of elimination.
  struct Block {
    std::size_t number = 0;    // in Constraints
    int first = 0;             // of lambda
    std::vector<int> picked;   // of the rows of the constraint
    int meets = -1;            // c; -1: ground
    std::vector<int> coupled;  // j, later ones
    std::vector<int> entries;  // where k of the entries of the constraint are in k_
    int W = 0;                 // where the wrenches of a loop are in W_
  };
  /// Of each link the blocks that are open there.
  using BlocksOnLinks = std::vector<std::vector<int>>;

  int meeting_point(const RowBlock& rows) const;
  void list_blocks(const Constraints& constraints);
  BlocksOnLinks find_ways(const Constraints& constraints);
  void order(std::vector<std::vector<int>>& coupled, BlocksOnLinks& open);
  void lay_out_blocks();
  void lay_out_links(const BlocksOnLinks& open, const Constraints& constraints);
  int place_of_L(int i, int j) const;
  void take_entries(const Constraints& constraints);
  void take_wrenches(const Constraints& constraints, std::size_t block);
  kernels::EliminationPass& pass();
  void begin(const PositionKinematics& kin, const Constraints& constraints);
  void set_motion(const AccelerationKinematics& kin, AppliedWrenches applied);
  void set_sides(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  std::vector<double> by_row(const std::vector<double>& in_lanes) const;

  Model model_;
  const kernels::EliminationKernels::Run* kernels_;
  std::vector<int> rows_;
  std::vector<Block> blocks_;
  std::vector<int> given_;  // links whose motion kernels get as data

  // What kernels read: kernels/constraints/elimination.hpp.
  std::vector<kernels::ConstraintRows> plan_;
  std::vector<kernels::CoupledRows> others_;
  std::vector<int> coupled_pairs_;
  std::vector<kernels::Passage> passages_;
  std::vector<kernels::PassagePair> pairs_;
  std::vector<kernels::LinkRows> at_;
  std::vector<kernels::RowsOnLink> ends_;
  std::vector<kernels::WrenchOnLink> applied_;
  kernels::EliminationPass pass_{};

  std::vector<CacheLine> work_;
  std::vector<double> L_, K_, k_, kD_, W_, screws_;
  std::vector<double> alone_, inverse_, g_, lambda_, sizes_, pivots_, best_;  // rows, in lanes
  double least_pivot_ = 1;
};

}  // namespace chasles
