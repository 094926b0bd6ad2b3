#include "chasles/constraints/analysis.hpp"
#include "chasles/dynamics/joint_reactions.hpp"
#include "constraints/closing.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// Combinations of rows of B that vanish, as columns: the null space of B^T. Rows that are only rounding are zero.
Eigen::MatrixXd vanishing_combinations(const Matrix& B) {
  const Eigen::VectorXd lengths = B.rowwise().norm();
  const double longest = lengths.size() > 0 ? lengths.maxCoeff() : 0;
  Eigen::MatrixXd A = B.transpose();
  Eigen::VectorXd scale(lengths.size());
  for (Eigen::Index k = 0; k < lengths.size(); ++k) {
    const bool is_zero = !(lengths[k] > 1e-12 * longest);
    scale[k] = is_zero ? 1 : 1 / lengths[k];
    A.col(k) *= is_zero ? 0 : scale[k];
  }
  const PivotedQr qr = pivoted_qr(A);
  const Eigen::Index most = std::min(A.rows(), A.cols());
  int rank = 0;
  while (rank < most && std::abs(qr.R(rank, rank)) > rest_of_dependent) ++rank;
  const Eigen::MatrixXd combinations = qr.combinations(rank);
  Eigen::MatrixXd null = Eigen::MatrixXd::Zero(A.cols(), A.cols() - rank);
  for (Eigen::Index k = 0; k < null.cols(); ++k) {
    for (int i = 0; i < rank; ++i) null(qr.order[i], k) = -combinations(i, k) * scale[qr.order[i]];
    null(qr.order[rank + k], k) = scale[qr.order[rank + k]];
  }
  return null;
}

/// Reactions, in the joint frames, to the loop forces of multipliers alone.
class LoopReactions {
 public:
  LoopReactions(Constraints& constraints, ConstVectorRef q)
      : constraints_(constraints),
        model_(constraints.model()),
        kin_(model_),
        kin_a_(model_),
        work_(model_),
        tau_(model_.nv()) {
    const Vector rest(model_.nv());
    forward_kinematics(model_, q, kin_);
    forward_kinematics(model_, q, rest, rest, kin_a_);
    constraints_.update(kin_);
    weights_ = joint_reactions(model_, kin_a_, Representation::body, work_);
  }
  Matrix matrix() const {
    Matrix B;
    constraints_.matrix(kin_, B);
    return B;
  }
  /// Of the joints, then of the loops.
  std::vector<Wrench> to(ConstVectorRef multipliers) {
    constraints_.forces(kin_, multipliers, wrenches_, tau_);
    std::vector<Wrench> list =
        joint_reactions(model_, kin_a_, Representation::body, work_, wrenches_);
    for (std::size_t k = 0; k < list.size(); ++k)
      list[k] = Ad_dual(joint_frames(model_)[k], list[k] - weights_[k]);
    for (std::size_t k = 0; k < model_.loops().size(); ++k) list.push_back(wrenches_[2 * k].W);
    return list;
  }

 private:
  Constraints& constraints_;
  const Model& model_;
  PositionKinematics kin_;
  AccelerationKinematics kin_a_;
  JointReactions work_;
  std::vector<Wrench> weights_;
  std::vector<AppliedWrench> wrenches_;
  Vector tau_;
};

}  // namespace

std::vector<DeterminedComponents> determined_reactions(Constraints& constraints, ConstVectorRef q) {
  const Model& model = constraints.model();
  require_size("q", q, model.nq());
  DeterminedComponents all;
  all.fill(true);
  std::vector<DeterminedComponents> out(model.joints().size() + model.loops().size(), all);
  if (constraints.constraint_count() == 0 || model.nv() == 0) return out;
  LoopReactions reactions(constraints, q);
  const Eigen::MatrixXd null = vanishing_combinations(reactions.matrix());
  constexpr double zero_component = 1e-7;
  for (Eigen::Index n = 0; n < null.cols(); ++n) {
    const Vector multipliers = null.col(n) / null.col(n).norm();
    const std::vector<Wrench> W = reactions.to(multipliers);
    double largest = 0;
    for (const Wrench& each : W)
      for (const double x : coordinates(each)) largest = std::max(largest, std::abs(x));
    for (std::size_t k = 0; k < W.size(); ++k)
      for (std::size_t i = 0; i < 6; ++i)
        if (std::abs(coordinates(W[k])[i]) > zero_component * largest) out[k][i] = false;
  }
  return out;
}

}  // namespace chasles
