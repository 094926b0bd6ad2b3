/// A joint that closes a loop, read the other way: what it does not let its two ends do.
///
/// With E = C_from^-1 C_to the pose of one end as seen from the other, J(theta) what the joint lets it
/// be and S(theta) the screws of that motion, in the frame `to`,
///
///     e = log(J(theta)^-1 E),      theta such that e is across S                              (1)
///     Phi = W^T e,                 W a basis of the wrenches that do no work on S             (2)
///     B v = W^T V_rel,             V_rel the twist of `to` relative to `from`, in `to`        (3)
///     d/dt (B v) = W^T Vd_rel + Wd^T V_rel                                                    (4)
///
/// Of joints whose motions are a subgroup (all but universal and most custom ones) S spans the same space
/// everywhere, W is constant; and a motion with B v = 0 stays in one coset of that group, so that Phi
/// then keeps to rounding whatever it is. Of others W = P F C^-T is what is left of a fixed frame F across S,
/// orthonormal by Gram-Schmidt (C lower triangular), P = 1 - S S^+. Then, with G = S^+ F C^-T,
///
///     Wd^T V = -W^T Sd S^+ V + (T - T^T) W^T V,     T the lower half of W^T Sd G              (5)
///
/// All results are functions of E and of the start that `follow` gives. theta has a formula for one turn with slides
/// and for two turns about axes at right angles; otherwise it comes from Newton's method. Poses that a joint of several
/// screws can reach by different theta are where branches of its motion cross, with different S: a motion goes
/// on along its own branch, which is found from where the joint was before (`follow`). Without that it is the first of a
/// fixed list of starts that closes the joint, and if none does, the one that comes nearest. The number of rows is 6 less the generic rank of S; where S loses rank (gimbal lock),
/// P is the mean of those a little to both sides.
#pragma once

#include <vector>

#include "chasles/kinematics/kinematics.hpp"

namespace chasles {

class CutJoint {
 public:
  explicit CutJoint(const ModelLoop& loop);
  int constraint_count() const { return static_cast<int>(W_.size()); }
  const std::vector<Wrench>& W() const { return W_; }
  /// Whether its motions are a subgroup: W is constant.
  bool is_subgroup() const { return constant_; }
  /// Newton's method begins at theta from now on; without argument, at that of the last E.
  void follow(const Vector& theta);
  void follow() { follow(Vector(theta_)); }
  /// W at E; of most joints there is nothing to do.
  void move(const SE3& E);
  /// (2) at E.
  void constraint_error(const SE3& E, double* Phi);
  /// Wd^T Y for the columns of Y, where `move` was called last; rows x columns, column after column, added to
  /// `out`.
  void turn(const Twist& V_rel, const Matrix6X& Y, Eigen::Ref<Eigen::MatrixXd> out);
  /// -Wd^T V_rel of (4), where `move` was called last.
  void turning(const Twist& V_rel, double* out);

 private:
  /// Orthonormal basis of columns by Gram-Schmidt, the largest next: S[order] = Q R.
  struct Columns {
    std::vector<Twist> Q;    // as many as the rank
    std::vector<int> order;  // nv
    std::vector<double> R;   // nv x nv, row after row
    double least = 1;        // the last pivot as part of the first
  };
  void find_formula(const ModelLoop& loop);
  void find_starts();
  Twist find(const SE3& E);
  Twist turn_from(const SE3& E) const;
  bool start_by_formula(const SE3& E);
  Twist iterate(const SE3& E, bool near);
  void look_at(const Vector& theta);
  void decompose(int most, double threshold);
  void complement();
  bool fit(const std::vector<Wrench>& frame);
  void choose_frame();
  void project(Wrench& X) const;
  void solve(const Twist& X, Vector& x) const;
  void rotate(std::vector<double>& Omega);

  Model joint_;
  Frame body_;
  AccelerationKinematics kin_;
  Vector theta_, there_, step_, still_, shift_;
  std::vector<Vector> starts_;
  bool followed_ = false;  // the first of them is where the joint was
  Matrix6X S_, S_rate_, rest_;
  Columns columns_;
  int rank_ = 0;                           // of S, generic
  double arm_ = 0;                         // [m] of the screws, for gaps
  std::vector<Twist> sides_[2];            // Q a little to both sides, where S loses rank
  bool singular_ = false;                  // it does here
  std::vector<Wrench> W_, frame_, taken_;  // F, F C^-T
  std::vector<double> Omega_, w_;
  bool constant_ = true;
  enum class Formula { none, turn, ball, one_turn, universal } formula_ = Formula::none;
  SO3 before_{}, after_{};  // of the turn that has a formula
  int turn_ = 0;            // its place in theta
  double pitch_ = 0;        // of a joint with one screw
};

}  // namespace chasles
