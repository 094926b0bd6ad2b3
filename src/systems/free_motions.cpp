#include "systems/free_motions.hpp"

#include <algorithm>

#include "chasles/systems/mechanism_state.hpp"
#include "model/coordinate_name.hpp"

namespace chasles {
namespace {

/// Threshold for linear dependence of rows of length one.
constexpr double dependent_rows = 1e-9;
/// An entry of v is chosen if its row of Z is longer than `moves` times the longest row (rotors behind gears of 1:1000
/// move much more than their joints), and if more than `across` of that length is orthogonal to the rows chosen before.
constexpr double moves = 1e-4, across = 1e-2;

std::string name_of(const Model* model, int k) {
  return model != nullptr ? coordinate_name(*model, k) : "entry " + std::to_string(k) + " of v";
}

}  // namespace

void require_regular(MechanicalSystem& system) {
  const MechanismState* mechanism = system.mechanism();
  if (mechanism == nullptr || !(mechanism->reciprocal_condition() < 1e-10)) return;
  throw SingularError("'" + mechanism->model().name() +
                      "' is in a singular configuration: its constraint equations depend on each "
                      "other there (independence " +
                      to_short_text(mechanism->reciprocal_condition()) +
                      "), and several motions may go on from it; take a configuration beside it");
}

FreeMotions::FreeMotions(const Eigen::MatrixXd& B, const Model* model, std::span<const int> wanted)
    : independent_(wanted.begin(), wanted.end()) {
  const Eigen::Index n = B.cols(), r = B.rows();
  if (r == 0 && wanted.empty()) {
    N_ = Z_ = Eigen::MatrixXd::Identity(n, n);
    for (int k = 0; k < n; ++k) independent_.push_back(k);
    return;
  }
  find_basis(B, model);
  if (wanted.empty())
    choose(model);
  else
    check(model);
  for (int k = 0; k < n; ++k)
    if (std::ranges::find(independent_, k) == independent_.end()) dependent_.push_back(k);
  Eigen::MatrixXd B_D(r, r);
  for (Eigen::Index j = 0; j < r; ++j) B_D.col(j) = B.col(dependent_[static_cast<std::size_t>(j)]);
  if (r > 0) dependent_columns_.compute(B_D);
  RowPivotedLu Z_I;  // transposed: its inverse is applied from the right
  if (Z_.cols() > 0) Z_I.compute(rows(Z_).transpose());
  if (Z_.cols() > 0 && Z_I.reciprocal_condition() < 1e-10) {
    std::string names;
    for (const int k : independent_) names += (names.empty() ? "" : ", ") + name_of(model, k);
    throw SingularError("the motion of " + names +
                        " does not determine that of the others at this configuration; choose "
                        "other independent coordinates");
  }
  N_ = Z_.cols() > 0 ? Eigen::MatrixXd(Z_I.solve_columns(Z_.transpose()).transpose()) : Z_;
  for (std::size_t k = 0; k < independent_.size(); ++k) {  // set exactly, free of rounding
    N_.row(independent_[k]).setZero();
    N_(independent_[k], static_cast<Eigen::Index>(k)) = 1;
  }
}

/// The last columns of Q in B^T = Q R.
void FreeMotions::find_basis(const Eigen::MatrixXd& B, const Model* model) {
  const Eigen::Index n = B.cols(), r = B.rows();
  if (r > n)
    throw SingularError(std::to_string(r) + " constraint equations cannot be independent for " +
                        std::to_string(n) + " coordinates");
  Z_ = Eigen::MatrixXd::Identity(n, n - r);
  if (r == 0) return;
  Eigen::MatrixXd columns = B.transpose();
  for (Eigen::Index k = 0; k < r; ++k)
    if (const double length = columns.col(k).norm(); length > 0) columns.col(k) /= length;
  Complement found = orthogonal_complement(columns);
  const double pivot = std::abs(found.last_pivot);
  if (!(pivot > dependent_rows))
    throw SingularError((model != nullptr ? "'" + model->name() + "'" : std::string("the system")) +
                        " is in a singular configuration: its constraint equations depend on each "
                        "other there, but for " +
                        to_short_text(pivot) +
                        ", and several motions go on from it; take a configuration beside it");
  Z_ = std::move(found.basis);
}

/// Chooses rows of Z in the order of v, by the length of their component orthogonal to the rows chosen before.
void FreeMotions::choose(const Model* model) {
  const auto n = static_cast<int>(Z_.rows());
  const Eigen::Index m = Z_.cols();
  std::vector<int> order(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) order[static_cast<std::size_t>(k)] = k;
  if (model != nullptr)
    std::stable_partition(order.begin(), order.end(),
                          [&](int k) { return !model->joint_of_v(k).mimic.has_value(); });
  Eigen::MatrixXd left = Z_;
  const Eigen::VectorXd length = Z_.rowwise().norm();
  const double most = n > 0 ? length.maxCoeff() : 0;
  const auto take = [&](int k) {
    independent_.push_back(k);
    const Eigen::RowVectorXd unit = left.row(k).normalized();
    left -= (left * unit.transpose()) * unit;
  };
  const auto is_left = [&](int k) {
    return static_cast<Eigen::Index>(independent_.size()) < m && length[k] > moves * most &&
           left.row(k).norm() > across * length[k];
  };
  for (const int k : order)
    if (is_left(k)) take(k);
  while (static_cast<Eigen::Index>(independent_.size()) < m) {
    Eigen::Index best = 0;
    left.rowwise().norm().maxCoeff(&best);
    take(static_cast<int>(best));
  }
  std::ranges::sort(independent_);
}

void FreeMotions::check(const Model* model) const {
  const auto n = static_cast<int>(Z_.rows());
  for (std::size_t i = 0; i < independent_.size(); ++i) {
    const int k = independent_[i];
    if (k < 0 || k >= n)
      throw Error("v has no entry " + std::to_string(k) + "; it has " + std::to_string(n));
    if (std::ranges::count(independent_, k) > 1)
      throw Error(name_of(model, k) + " is given twice as an independent coordinate; give it once");
  }
  if (static_cast<Eigen::Index>(independent_.size()) != Z_.cols())
    throw Error(std::to_string(independent_.size()) + " independent coordinates are given, but " +
                (model != nullptr ? "'" + model->name() + "'" : std::string("the system")) +
                " has " + std::to_string(Z_.cols()) + " degrees of freedom; give as many");
}

Eigen::MatrixXd FreeMotions::rows(const Eigen::MatrixXd& x) const {
  Eigen::MatrixXd out(static_cast<Eigen::Index>(independent_.size()), x.cols());
  for (std::size_t k = 0; k < independent_.size(); ++k)
    out.row(static_cast<Eigen::Index>(k)) = x.row(independent_[k]);
  return out;
}

Eigen::MatrixXd FreeMotions::follow(const Eigen::MatrixXd& c) const {
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(N_.rows(), c.cols());
  if (dependent_.empty()) return out;
  const Eigen::MatrixXd moved = dependent_columns_.solve_columns(c);
  for (std::size_t k = 0; k < dependent_.size(); ++k)
    out.row(dependent_[k]) = moved.row(static_cast<Eigen::Index>(k));
  return out;
}

}  // namespace chasles
