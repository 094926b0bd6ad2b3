/// A cut joint as constraint equations: the relative motions of its two ends that it prevents.
///
/// With E = C_from^-1 C_to the relative pose of the two ends, J(theta) the poses that the joint allows and S(theta) its
/// screws, in the frame `to`,
///
///     e = log(J(theta)^-1 E),      theta such that e is orthogonal to S                       (1)
///     Phi = W^T e,                 W a basis of the wrenches that do no work on S             (2)
///     B v = W^T V_rel,             V_rel the twist of `to` relative to `from`, in `to`        (3)
///     d/dt (B v) = W^T Vd_rel + Wd^T V_rel                                                    (4)
///
/// If the motions of the joint are a subgroup (all types but universal and most custom ones), S spans the same space
/// everywhere and W is constant; a motion with B v = 0 then stays in one coset of that group, so that Phi is constant
/// up to rounding. Otherwise W = P F C^-T is the component of a fixed frame F orthogonal to S, orthonormalized by
/// Gram-Schmidt (C lower triangular), P = 1 - S S^+. Then, with G = S^+ F C^-T,
///
///     Wd^T V = -W^T Sd S^+ V + (T - T^T) W^T V,     T the lower half of W^T Sd G              (5)
///
/// All results are functions of E and of the start that `follow` sets. theta has a closed form for one revolute with
/// prismatic links and for two revolutes with perpendicular axes; otherwise Newton's method finds it. A joint with
/// several screws may reach one pose by different theta, where branches of its motion with different S cross; a motion
/// stays on its branch by starting from the previous theta (`follow`). Without it, the first of a fixed list of starts
/// that closes the joint is taken, or else the one that comes nearest. The number of equations is 6 minus the generic
/// rank of S; where S loses rank (gimbal lock), P is the mean of the projectors slightly to both sides.
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
  /// Newton's method starts at theta from now on; without argument, at the solution for the last E.
  void follow(const Vector& theta);
  void follow() { follow(theta_); }
  /// Its coordinates at the E of the last evaluation.
  const Vector& theta() const { return theta_; }
  /// Computes W at E; no work if W is constant.
  void move(const SE3& E);
  /// Phi of (2) at E.
  void constraint_error(const SE3& E, double* Phi);
  /// Adds Wd^T Y to `out` (rows x columns of Y), at the E of the last `move`.
  void turn(const Twist& V_rel, const Matrix6X& Y, Eigen::Ref<Eigen::MatrixXd> out);
  /// -Wd^T V_rel of (4), at the E of the last `move`.
  void turning(const Twist& V_rel, double* out);

 private:
  /// Orthonormal basis of columns by Gram-Schmidt, the largest next: S[order] = Q R.
  struct Columns {
    std::vector<Twist> Q;    // as many as the rank
    std::vector<int> order;  // nv
    std::vector<double> R;   // nv x nv, row after row
    double least = 1;        // ratio of the last pivot to the first
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
  bool followed_ = false;  // the first start is the previous theta
  Matrix6X S_, S_rate_, rest_;
  Columns columns_;
  int rank_ = 0;                 // generic rank of S
  double arm_ = 0;               // [m] lever arm of the screws, to weight translations in gaps
  std::vector<Twist> sides_[2];  // Q slightly to both sides, where S loses rank
  bool singular_ = false;        // S loses rank at this theta
  std::vector<Wrench> W_, frame_, taken_;  // F, F C^-T
  std::vector<double> Omega_, w_;
  bool constant_ = true;
  enum class Formula { none, turn, ball, one_turn, universal } formula_ = Formula::none;
  SO3 before_{}, after_{};  // rotations before and after the revolute with a closed form
  int turn_ = 0;            // its index in theta
  double pitch_ = 0;        // of a joint with one screw
};

}  // namespace chasles
