/// Closing loops from one start: the least-squares solution of Phi(q) = 0, for assembly and for nearby configurations.
#pragma once

#include "chasles/constraints/constraints.hpp"
#include "constraints/least_squares.hpp"
#include "constraints/parts.hpp"
#include "math/decompositions.hpp"

namespace chasles {

/// Threshold on the residual of a unit row (metric of M) after orthogonalization.
constexpr double rest_of_dependent = 1e-7;

inline double max_abs_entry(const Eigen::VectorXd& x) {
  return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff();
}

/// Entries of v that may move: those not in `kept`.
inline std::vector<int> movable(const Model& model, const std::vector<bool>& kept) {
  if (!kept.empty()) require_size("kept", kept.size(), model.nv());
  std::vector<int> list;
  for (int k = 0; k < model.nv(); ++k)
    if (kept.empty() || !kept[static_cast<std::size_t>(k)]) list.push_back(k);
  return list;
}

/// Finds a configuration near `start` with the least constraint errors.
class Closing {
 public:
  explicit Closing(Constraints& constraints)
      : constraints_(constraints),
        kin_(constraints.model()),
        Phi_(constraints.constraint_count()) {}

  Vector near(ConstVectorRef start, const std::vector<int>& free, int iterations) {
    Vector q = start;
    const auto gaps = [&](const Vector& at) { return gaps_at(at); };
    const auto slope = [&](const Vector& at) { return slope_at(at); };
    if (constraints_.position_constraint_count() > 0)
      minimize(constraints_.model(), q, free, iterations, gaps, slope);
    measure(q);
    return q;
  }
  /// Evaluates Phi at q; `is_closed` and `gap` then refer to q.
  void measure(const Vector& q) { gap_ = gaps_at(q).norm(); }
  bool is_closed() const { return gap_ <= 1e-10; }
  double gap() const { return gap_; }
  const Vector& Phi() const { return Phi_; }
  /// Whether the remaining error is small and no motion reduces it: redundant equations that contradict each other
  /// within the digits written in a file.
  bool is_contradiction(const Vector& q) {
    constexpr double digits = 1e-5;  // relative error of numbers written with six digits
    const Eigen::VectorXd r = gaps_at(q);
    if (!(max_abs_entry(r) <= digits)) return false;
    const Eigen::MatrixXd B = slope_at(q);
    const double rest = std::max(rest_of_dependent, rows_differ_by(max_abs_entry(r)));
    return (r - B * solve_least_norm(B, r, rest).x).norm() > 0.99 * r.norm();
  }

  Eigen::MatrixXd slope_at(const Vector& q) {
    forward_kinematics(constraints_.model(), q, kin_);
    constraints_.update(kin_);
    constraints_.matrix(kin_, B_);
    return B_.topRows(constraints_.position_constraint_count());
  }
  const PositionKinematics& kin() const { return kin_; }

 private:
  Eigen::VectorXd gaps_at(const Vector& q) {
    forward_kinematics(constraints_.model(), q, kin_);
    constraints_.constraint_error(kin_, Phi_);
    return Phi_.head(constraints_.position_constraint_count());
  }
  Constraints& constraints_;
  PositionKinematics kin_;
  Vector Phi_;
  Matrix B_;
  double gap_ = 0;
};

}  // namespace chasles
