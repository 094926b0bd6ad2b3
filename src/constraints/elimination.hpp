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
#include "chasles/screws/articulated_inertia.hpp"
#include "constraints/parts.hpp"

namespace chasles {

class Elimination {
 public:
  /// @param rows  of the constraints that are used, ascending
  Elimination(const Constraints& constraints, std::vector<int> rows);

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

  /// The least pivot of L, each as part of the largest that the row had until now: how near rows have come
  /// to depend on each other, or to vanish.
  double least_pivot() const { return least_pivot_; }
  const std::vector<double>& pivots() const { return pivots_; }  // all of them
  const std::vector<double>& sizes() const { return sizes_; }    // what they are parts of
  const std::vector<int>& rows() const { return rows_; }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  static std::size_t size(int n) { return static_cast<std::size_t>(n); }

  /// A constraint with rows that are used.
  struct Block {
    std::size_t number = 0;            // in Constraints
    int first = 0, rows = 0;           // of lambda
    std::vector<int> picked;           // of the rows of the constraint
    std::vector<std::size_t> ends;     // of the links that its wrenches act on, where K is in K_
    int meets = -1;                    // c; -1: ground
    std::size_t C = 0, Y = 0;          // where they are in L_ and Y_
    std::vector<std::size_t> coupled;  // j, later ones
    std::vector<std::size_t> X;        // where X_j are in L_
    std::vector<std::size_t> pairs;    // where L_kj are in L_: for each j, each k from j on
    std::vector<std::size_t> K;  // where K of this and of each j are at c; none: they end there
  };
  /// A constraint on a link, of which it is open, or meets.
  struct Passage {
    std::size_t block, K, k = 0, onward = 0;  // in K_; in k_ and kD_; in K_, on the parent
    bool open;
  };
  /// Two constraints that are open on a link: L_ji += k_j D^-1 k_i^T.
  struct Meeting {
    std::size_t i, j, L;  // passages; in L_
  };

  /// Of a link and all that it carries, about its origin: mass, first moment, sum of m r^2.
  struct Carried {
    double m;
    Vec3 mc;
    double mrr;
    void add(const Vec3& way, const Carried& x) {
      mrr += x.mrr + 2 * dot(way, x.mc) + x.m * dot(way, way);
      mc += x.mc + x.m * way;
      m += x.m;
    }
    /// At least H^T M H, for the twist H of all of it.
    double bound(const Twist& H) const { return 2 * (mrr * dot(H.w, H.w) + m * dot(H.v, H.v)); }
  };

  int meeting_point(const RowBlock& rows) const;
  void lay_out(const Constraints& constraints);
  void order(std::vector<std::vector<std::size_t>>& coupled);
  void find_places(const Constraints& constraints);
  void take_rows(const PositionKinematics& kin, const Constraints& constraints);
  void take_links(const PositionKinematics& kin);
  double diagonal_of_M(const Twist& H, std::size_t i);
  template <int N>
  void factorize_D(std::size_t i);
  template <int N>
  void eliminate_joint(const PositionKinematics& kin, std::size_t i);
  void sweep(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda);
  void eliminate_rows(const Block& block);
  void start_rows(const Block& block);
  void end_rows(const Block& block, VectorRef lambda) const;

  Model model_;
  std::vector<int> rows_;
  std::vector<Block> blocks_;                      // in the order of elimination
  std::vector<std::vector<Passage>> passages_;     // links
  std::vector<std::vector<Meeting>> meetings_;     // links
  std::vector<std::vector<std::size_t>> at_link_;  // links, then ground: the blocks that meet there
  std::vector<double> L_;
  std::vector<Wrench> K_, Y_;       // rows of passages; rows
  std::vector<double> k_, kD_, g_;  // rows x nv of passages: k, k D^-1; rows
  std::vector<Twist> H_, a_;        // nv; links
  std::vector<Wrench> U_, G_, p_;   // nv; nv: U D^-1; links
  std::vector<double> D_, u_;       // squares of Link::nv; nv
  std::vector<int> D_index_;
  std::vector<ArticulatedInertia> P_;  // links
  std::vector<Inertia> inertia_;       // links: in world axes at their origins
  std::vector<Carried> carried_;       // links
  std::vector<Vec3> way_;              // links: from the parent's origin
  double least_pivot_ = 1;
  double mu_ = 0;
  bool leave_out_ = false;
  std::vector<double> pivots_, sizes_;  // rows; the largest that L_jj was before other rows
  std::vector<double> best_;            // rows: the largest pivot until now
};

}  // namespace chasles
