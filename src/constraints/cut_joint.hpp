/// A joint that closes a loop, read the other way: what it does not let its two ends do.
///
/// With E = C_from^-1 C_to the pose of one end as seen from the other, J(theta) what the joint lets it
/// be and S(theta) the screws of that motion, in the frame `to`,
///
///     e = log(J(theta)^-1 E),      theta such that e is across S                              (1)
///     Phi = W^T e,                 W a basis of the wrenches that do no work on S             (2)
///     B v = W^T V_rel,             V_rel the twist of `to` relative to `from`, in `to`        (3)
///     d/dt (B v) = W^T (Vd_rel - Sd theta_d),     theta_d = S^+ V_rel                         (4)
///
/// The last term of (4) is how W turns: W^T S = 0 gives Wd^T S = -W^T Sd. Of joints whose motions are a
/// subgroup (all but universal and most custom ones) S spans the same space everywhere, W is constant
/// and the term is zero; and a motion with B v = 0 stays in one coset of that group, so that Phi then
/// keeps to rounding whatever it is.
#pragma once

#include <vector>

#include "chasles/kinematics/kinematics.hpp"

namespace chasles {

class CutJoint {
 public:
  explicit CutJoint(const ModelLoop& loop);
  int rows() const { return static_cast<int>(W_.size()); }
  const std::vector<Wrench>& W() const { return W_; }
  /// Whether its motions are a subgroup: W is constant.
  bool is_subgroup() const { return constant_; }
  /// W at E; of most joints there is nothing to do.
  void move(const SE3& E);
  /// (2) at E.
  void residual(const SE3& E, double* Phi);
  /// Wd^T Y = -W^T Sd S^+ Y for the columns of Y, where `move` was called last; rows x columns, column
  /// after column, added to `out`.
  void turn(const Twist& V_rel, const Matrix6X& Y, Eigen::Ref<Eigen::MatrixXd> out);
  /// W^T Sd theta_d of (4), where `move` was called last.
  void turning(const Twist& V_rel, double* out);

 private:
  Twist find(const SE3& E);
  Twist turn_from(const SE3& E) const;
  Twist follow(const SE3& E);
  void complement();
  void solve(const Twist& X, Vector& x) const;

  Model joint_;
  Place body_;
  AccelerationKinematics kin_;
  Vector theta_, before_, step_, still_;
  Matrix6X S_;
  std::vector<Wrench> W_, fixed_, taken_;  // at most 6
  bool constant_ = true;
  double pitch_ = 0;                                              // of joints that have one
  enum class Closed { none, turn, ball } closed_ = Closed::none;  // (1) has a formula
  bool fresh_ = true;                                             // theta_ is not known yet
};

}  // namespace chasles
