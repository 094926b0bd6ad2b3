#include "chasles/constraints/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "chasles/dynamics/mass_matrix.hpp"
#include "constraints/elimination.hpp"
#include "constraints/least_squares.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

/// Of rows of length one in the metric of M: what is left of one across the others.
constexpr double rest_of_dependent = 1e-7;
/// More rows than this are analysed along the tree.
constexpr int many = 300;

double largest(const Eigen::VectorXd& x) { return x.size() == 0 ? 0 : x.cwiseAbs().maxCoeff(); }

[[noreturn]] void cannot_close(const Constraints& constraints, const Vector& Phi) {
  Eigen::Index worst = 0;
  Phi.cwiseAbs().maxCoeff(&worst);
  const ConstraintBlock& block = constraints.block_of(static_cast<int>(worst));
  const double gap = Phi.segment(block.first, block.rows).norm();
  throw Error(block.text() + " cannot be closed: near the given configuration a gap of " +
              to_short_text(gap) +
              " rad or m is left; check the frames and lengths of the bodies in it, or start from "
              "another configuration");
}

/// Columns of B that may change.
std::vector<int> movable(const Model& model, const std::vector<bool>& kept) {
  if (!kept.empty()) require_size("kept", kept.size(), model.nv());
  std::vector<int> list;
  for (int k = 0; k < model.nv(); ++k)
    if (kept.empty() || !kept[static_cast<std::size_t>(k)]) list.push_back(k);
  return list;
}
Eigen::MatrixXd columns(const Matrix& B, const std::vector<int>& list) {
  Eigen::MatrixXd out(B.rows(), static_cast<Eigen::Index>(list.size()));
  for (std::size_t k = 0; k < list.size(); ++k)
    out.col(static_cast<Eigen::Index>(k)) = B.col(list[k]);
  return out;
}

}  // namespace

Vector assemble(Constraints& constraints, ConstVectorRef start, const std::vector<bool>& kept) {
  const Model& model = constraints.model();
  require_size("the start", start, model.nq());
  const std::vector<int> free = movable(model, kept);
  const Eigen::Index m = constraints.position_rows();
  PositionKinematics kin(model);
  Vector q = start, Phi(constraints.rows());
  Matrix B;
  const auto gaps = [&](const Vector& at) {
    positions(model, at, kin);
    constraints.residual(kin, Phi);
    return Eigen::VectorXd(Phi.head(m));
  };
  const auto slope = [&](const Vector& at) {
    positions(model, at, kin);
    constraints.update(kin);
    constraints.matrix(kin, B);
    return Eigen::MatrixXd(B.topRows(m));
  };
  if (m > 0) minimise(model, q, free, 300, gaps, slope);
  if (!(gaps(q).norm() <= 1e-10)) cannot_close(constraints, Phi);
  return q;
}

Vector consistent_velocity(Constraints& constraints, ConstVectorRef q, ConstVectorRef v,
                           const std::vector<bool>& kept) {
  const Model& model = constraints.model();
  require_size("q", q, model.nq());
  require_size("v", v, model.nv());
  PositionKinematics kin(model);
  positions(model, q, kin);
  constraints.update(kin);
  Matrix B;
  constraints.matrix(kin, B);
  const std::vector<int> free = movable(model, kept);
  const Vector rate = B * v;
  if (largest(rate) <= 1e-14 * (1 + v.norm())) return v;
  Vector out = v;
  if (!free.empty()) {
    const Eigen::VectorXd change = solve_least_norm(columns(B, free), -rate, 1e-10).x;
    for (std::size_t c = 0; c < free.size(); ++c)
      out[free[c]] += change[static_cast<Eigen::Index>(c)];
  }
  const Vector left = B * out;
  if (largest(left) > 1e-9 * (1 + v.norm())) {
    Eigen::Index worst = 0;
    left.cwiseAbs().maxCoeff(&worst);
    throw Error("the initial velocities contradict " +
                constraints.block_of(static_cast<int>(worst)).text() + " by " +
                to_short_text(std::abs(left[worst])) +
                " rad/s or m/s; give fewer of them, or ones that fit");
  }
  return out;
}

namespace {

/// Rows of B, each of length one or zero in the metric of M, as columns.
Eigen::MatrixXd scaled_rows(Constraints& constraints, ConstVectorRef q, Matrix& B) {
  const Model& model = constraints.model();
  PositionKinematics kin(model);
  positions(model, q, kin);
  constraints.update(kin);
  constraints.matrix(kin, B);
  MassMatrix work(model);
  Eigen::MatrixXd M = mass_matrix(model, q, work);
  // Bodies without mass: a little, so that there is a metric at all.
  M.diagonal().array() +=
      1e-9 * M.diagonal().array() + 1e-12 * std::max(M.diagonal().maxCoeff(), 1e-12);
  Eigen::MatrixXd A = solve_cholesky_half(M, B.transpose());
  // Rows that are rounding (across the plane of a planar mechanism) stay so.
  const Eigen::RowVectorXd lengths = A.colwise().norm();
  const double longest = lengths.size() > 0 ? lengths.maxCoeff() : 0;
  for (Eigen::Index k = 0; k < A.cols(); ++k)
    A.col(k) *= lengths[k] > 1e-10 * longest ? 1 / lengths[k] : 0;
  return A;
}

struct Rank {
  int rank = 0;
  double least = 0;       // what is left of the last independent row
  std::vector<int> rows;  // in the order of pivots
  Eigen::MatrixXd null;   // combinations of rows that vanish, as columns
};
Rank rank_of(const Eigen::MatrixXd& A) {
  Rank out;
  if (A.cols() == 0) return out;
  const PivotedQr qr = pivoted_qr(A);
  const Eigen::Index most = std::min(A.rows(), A.cols());
  while (out.rank < most && std::abs(qr.R(out.rank, out.rank)) > rest_of_dependent)
    out.least = std::abs(qr.R(out.rank, out.rank)), ++out.rank;
  out.rows.assign(qr.order.begin(), qr.order.end());
  const Eigen::MatrixXd combinations = qr.combinations(out.rank);
  out.null.setZero(A.cols(), combinations.cols());
  for (Eigen::Index k = 0; k < out.rank; ++k) out.null.row(qr.order[k]) = -combinations.row(k);
  for (Eigen::Index k = 0; k < combinations.cols(); ++k) out.null(qr.order[out.rank + k], k) = 1;
  return out;
}

/// Configurations near q at which loops are closed as well; q is the first.
std::vector<Vector> samples(Constraints& constraints, ConstVectorRef q) {
  const Model& model = constraints.model();
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> dice(-1, 1);
  std::vector<Vector> list{Vector(q)};
  Vector d(model.nv()), there(model.nq());
  for (int tries = 0; list.size() < 5 && tries < 12; ++tries) {
    for (Eigen::Index k = 0; k < d.size(); ++k) d[k] = (tries < 6 ? 0.3 : 0.05) * dice(generator);
    plus(model, q, d, there);
    try {
      list.push_back(assemble(constraints, there));
    } catch (const Error&) {  // too far
    }
  }
  return list;
}

/// Independent rows along the tree: those whose pivots are not rounding, at some of the samples.
std::vector<int> rows_along_tree(Constraints& constraints, const std::vector<Vector>& at) {
  const Model& model = constraints.model();
  std::vector<int> all(static_cast<std::size_t>(constraints.rows()));
  std::iota(all.begin(), all.end(), 0);
  std::vector<bool> used(all.size());
  Elimination elimination(constraints, all);
  PositionKinematics kin(model);
  for (const Vector& q : at) {
    positions(model, q, kin);
    constraints.update(kin);
    elimination.factorize(kin, constraints, 0, true);
    const std::vector<double> pivots = elimination.pivots(), sizes = elimination.sizes();
    const double largest = *std::ranges::max_element(sizes);
    for (std::size_t k = 0; k < all.size(); ++k)
      used[k] = used[k] || (pivots[k] > 1e-12 && sizes[k] > 1e-20 * largest);
  }
  std::erase_if(all, [&](int k) { return !used[static_cast<std::size_t>(k)]; });
  return all;
}

}  // namespace

MobilityReport analyse(Constraints& constraints, ConstVectorRef q) {
  const Model& model = constraints.model();
  MobilityReport report;
  report.rows = constraints.rows();
  report.gruebler = model.nv() - report.rows;
  report.blocks.resize(constraints.blocks().size());
  if (report.rows > many) {
    report.independent_rows = rows_along_tree(constraints, {Vector(q)});
    report.rank = report.here = static_cast<int>(report.independent_rows.size());
  } else {
    Rank best;
    Matrix B, best_B;
    bool first = true;
    report.nearby = samples(constraints, q);
    for (const Vector& at : report.nearby) {
      Rank rank = rank_of(scaled_rows(constraints, at, B));
      if (std::exchange(first, false)) report.here = rank.rank;
      if (rank.rank > best.rank || (rank.rank == best.rank && rank.least > best.least) ||
          best_B.size() == 0)
        best = std::move(rank), best_B = B;
    }
    report.rank = best.rank;
    report.independent_rows.assign(best.rows.begin(), best.rows.begin() + best.rank);
    std::sort(report.independent_rows.begin(), report.independent_rows.end());
    for (std::size_t b = 0; b < report.blocks.size(); ++b) {
      const ConstraintBlock& block = constraints.blocks()[b];
      report.blocks[b].unique =
          best.null.cols() == 0 ||
          best.null.middleRows(block.first, block.rows).cwiseAbs().maxCoeff() < 1e-6;
    }
    if (model.nv() > 0) {
      Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(model.nv(), 0, model.nv() - 1);
      if (best_B.rows() > 0) order = pivoted_qr(best_B).order;
      for (int k = 0; k < model.nv(); ++k)
        (k < report.rank ? report.dependent : report.independent).push_back(order[k]);
      std::sort(report.dependent.begin(), report.dependent.end());
      std::sort(report.independent.begin(), report.independent.end());
    }
  }
  report.mobility = model.nv() - report.rank;
  for (std::size_t b = 0; b < report.blocks.size(); ++b) {
    const ConstraintBlock& block = constraints.blocks()[b];
    const auto kept = std::count_if(
        report.independent_rows.begin(), report.independent_rows.end(),
        [&](int row) { return row >= block.first && row < block.first + block.rows; });
    report.blocks[b].redundant = block.rows - static_cast<int>(kept);
  }
  return report;
}

}  // namespace chasles
