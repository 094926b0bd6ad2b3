#include "chasles/constraints/analysis.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "chasles/dynamics/mass_matrix.hpp"
#include "constraints/closing.hpp"
#include "constraints/kkt_factorization.hpp"
#include "constraints/least_squares.hpp"
#include "constraints/unit_rows.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

double rest_of_dependent_rows(const Constraints& constraints) {
  return std::max(rest_of_dependent, contradiction_in_rows(constraints));
}
/// Rows of B shorter than this, relative to the longest of their block at any configuration, are rounding.
constexpr double vanishing = 1e-12;
/// With more equations than this, the analysis runs along the tree instead of dense.
constexpr int many = 300;

}  // namespace

Vector consistent_velocity(Constraints& constraints, ConstVectorRef q, ConstVectorRef v,
                           const std::vector<bool>& kept) {
  const Model& model = constraints.model();
  require_size("q", q, model.nq());
  require_size("v", v, model.nv());
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  constraints.update(kin);
  Matrix B;
  constraints.matrix(kin, B);
  const std::vector<int> free = movable(model, kept);
  Vector drift(constraints.constraint_count());
  constraints.time_rate(kin, drift);
  const Vector rate = B * v + drift;
  if (max_abs_entry(rate) <= 1e-14 * (1 + v.norm())) return v;
  const double contradicted = contradiction_in_rows(constraints);
  Vector out = v;
  if (!free.empty()) {
    const Eigen::VectorXd change =
        solve_least_norm(columns_of(B, free), -rate, std::max(1e-10, contradicted)).x;
    for (std::size_t c = 0; c < free.size(); ++c)
      out[free[c]] += change[static_cast<Eigen::Index>(c)];
  }
  const Vector left = B * out + drift;
  if (max_abs_entry(left) > std::max(1e-9, contradicted) * (1 + v.norm())) {
    Eigen::Index worst = 0;
    left.cwiseAbs().maxCoeff(&worst);
    throw Error(
        "the initial velocities contradict " +
        constraints.block_of(static_cast<int>(worst)).text() + " by " +
        to_short_text(std::abs(left[worst])) +
        " rad/s or m/s; give fewer of them, or ones that fit" +
        (constraints.depends_on_time()
             ? ", or start away from a dead center, where a driver cannot move the mechanism"
             : ""));
  }
  return out;
}

namespace {

/// Rows of B, each of length one or zero in the metric of M, as columns.
Eigen::MatrixXd scaled_rows(Constraints& constraints, ConstVectorRef q, Matrix& B) {
  const Model& model = constraints.model();
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  constraints.update(kin);
  constraints.matrix(kin, B);
  // No coordinates or no constraints.
  if (model.nv() == 0 || B.rows() == 0) return Eigen::MatrixXd::Zero(model.nv(), B.rows());
  MassMatrix work(model);
  return unit_rows(mass_matrix(model, q, work), B);
}

struct Rank {
  int rank = 0;
  double least = 0;       // remainder of the last independent row after orthogonalization
  std::vector<int> rows;  // independent rows, in the order of pivots
  Eigen::MatrixXd null;   // combinations of rows that vanish, as columns
};
/// @param rest  threshold on the remainder of a row that depends on others
Rank rank_of(const Eigen::MatrixXd& A, double rest) {
  Rank out;
  if (A.cols() == 0) return out;
  const PivotedQr qr = pivoted_qr(A);
  const Eigen::Index most = std::min(A.rows(), A.cols());
  while (out.rank < most && std::abs(qr.R(out.rank, out.rank)) > rest)
    out.least = std::abs(qr.R(out.rank, out.rank)), ++out.rank;
  out.rows.assign(qr.order.begin(), qr.order.end());
  const Eigen::MatrixXd combinations = qr.combinations(out.rank);
  out.null.setZero(A.cols(), combinations.cols());
  if (combinations.cols() == 0) return out;
  for (Eigen::Index k = 0; k < out.rank; ++k) out.null.row(qr.order[k]) = -combinations.row(k);
  for (Eigen::Index k = 0; k < combinations.cols(); ++k) out.null(qr.order[out.rank + k], k) = 1;
  return out;
}

/// Configurations near q at which loops are closed; q is the first. Steps that would open loops by more than `reach`
/// are shortened, so that a few iterations close them; samples that do not close are discarded.
std::vector<Vector> samples(Constraints& constraints, ConstVectorRef q) {
  constexpr int iterations = 30;
  constexpr double reach = 0.5;  // [rad, m]
  const Model& model = constraints.model();
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> dice(-1, 1);
  std::vector<Vector> list{Vector(q)};
  const std::vector<int> all = movable(model, {});
  Closing closing(constraints);
  const Eigen::MatrixXd B = closing.slope_at(q);
  Vector d(model.nv()), there(model.nq());
  double size = 0.3;
  for (int tries = 0; list.size() < 5 && tries < 12; ++tries) {
    for (Eigen::Index k = 0; k < d.size(); ++k) d[k] = size * dice(generator);
    if (const double open = max_abs_entry(B * d); open > reach) d *= reach / open;
    plus(model, q, d, there);
    const Vector closed = closing.near(there, all, iterations);
    if (closing.is_closed())
      list.push_back(closed);
    else
      size *= 0.5;
  }
  return list;
}

/// Rows of B of a block at the last update of `constraints`, without columns that are zero or rounding (joints that
/// carry both ends of a loop).
Eigen::MatrixXd rows_of(const Constraints& constraints, const PositionKinematics& kin,
                        std::size_t number, Matrix& B) {
  constraints.matrix(kin, number, B);
  if (B.rows() == 0) return B;
  const Eigen::RowVectorXd sizes = B.cwiseAbs().colwise().maxCoeff();
  const double largest = sizes.size() > 0 ? sizes.maxCoeff() : 0;
  std::vector<int> list;
  for (Eigen::Index k = 0; k < sizes.size(); ++k)
    if (!(sizes[k] <= 1e-13 * largest)) list.push_back(static_cast<int>(k));
  return columns_of(B, list);
}
/// An orthonormal basis of the combinations of rows of A, n x k, that do not vanish; unit vectors if single rows span
/// them.
/// @param rounding  of the entries of A
Matrix combinations_that_do_not_vanish(const Eigen::MatrixXd& A, double rounding) {
  const Eigen::Index n = A.rows();
  if (n == 0 || A.cols() == 0) return Matrix(n, 0);
  const Eigen::VectorXd lengths = A.rowwise().norm();
  const double longest = lengths.maxCoeff();
  std::vector<Eigen::Index> left;
  for (Eigen::Index k = 0; k < n; ++k)
    if (lengths[k] > vanishing * longest) left.push_back(k);
  const auto count = static_cast<Eigen::Index>(left.size());
  Matrix V = Matrix::Zero(n, count);
  if (count == 0 || !(longest > rounding)) return Matrix(n, 0);
  Eigen::MatrixXd rows(A.cols(), count);
  for (Eigen::Index k = 0; k < count; ++k) {
    V(left[static_cast<std::size_t>(k)], k) = 1;
    rows.col(k) = A.row(left[static_cast<std::size_t>(k)]).transpose() / longest;
  }
  const PivotedQr qr = pivoted_qr(rows);
  Eigen::Index rank = 0;
  while (rank < std::min(rows.rows(), count) && std::abs(qr.R(rank, rank)) > vanishing) ++rank;
  if (rank == count) return V;
  // rows P = Q [R_1, R_2; 0, 0]: the combinations that do not vanish are orthogonal to [-R_1^-1 R_2; 1].
  const Eigen::MatrixXd X = qr.combinations(static_cast<int>(rank));
  Eigen::MatrixXd graph(rank + X.cols(), rank);
  graph << Eigen::MatrixXd::Identity(rank, rank), X.transpose();
  const Eigen::MatrixXd U =
      solve_cholesky_half(graph.transpose() * graph, graph.transpose()).transpose();
  Matrix out = Matrix::Zero(n, rank);
  for (Eigen::Index k = 0; k < count; ++k)
    out.row(left[static_cast<std::size_t>(qr.order[k])]) = U.row(k);
  return out;
}
/// `kept` of all blocks, from configurations around q at which loops are open.
void find_kept(Constraints& constraints, ConstVectorRef q,
               std::vector<MobilityReport::Block>& blocks) {
  const Model& model = constraints.model();
  std::mt19937_64 generator(2);
  std::uniform_real_distribution<double> dice(-1, 1);
  PositionKinematics kin(model);
  Vector d(model.nv()), there(model.nq());
  Matrix B;
  std::vector<Eigen::MatrixXd> A(blocks.size());
  double reach = 1;  // [m]: screws about a point are not larger
  bool sampled = false;
  for (int sample = 0; sample < 3; ++sample) {
    for (Eigen::Index k = 0; k < d.size(); ++k) d[k] = dice(generator);
    plus(model, q, d, there);
    forward_kinematics(model, there, kin);
    try {
      constraints.update(kin);
    } catch (const std::exception&) {  // a user-defined constraint may not be defined there
      continue;
    }
    sampled = true;
    for (const SE3& C : kin.C()) reach = std::max(reach, norm(C.r - kin.C()[0].r));
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const Eigen::MatrixXd more = rows_of(constraints, kin, b, B);
      A[b].conservativeResize(more.rows(), A[b].cols() + more.cols());
      A[b].rightCols(more.cols()) = more;
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const ConstraintBlock& of = constraints.blocks()[b];
    const bool look = sampled && A[b].allFinite();
    const double rounding = of.kind == "loop" ? 1e-14 * reach : 0;
    blocks[b].kept = look ? combinations_that_do_not_vanish(A[b], rounding)
                          : Matrix(Matrix::Identity(of.rows, of.rows));
  }
}

/// Ranks and independent rows of blocks in the order of elimination. A: rows of length one or zero, as columns.
std::vector<KktFactorization::Rank> ranks_in_order(
    const Constraints& constraints, const std::vector<KktFactorization::Combinations>& order,
    const Eigen::MatrixXd& A) {
  std::vector<KktFactorization::Rank> list;
  Eigen::MatrixXd Q(A.rows(), 0);
  for (const KktFactorization::Combinations& block : order) {
    Eigen::MatrixXd rest = A.middleCols(block.first, block.rows);
    KktFactorization::Rank rank{block.number, {}};
    for (int k = 0; k < block.rows; ++k) {
      for (int twice = 0; twice < 2; ++twice) rest -= Q * (Q.transpose() * rest);
      Eigen::Index largest = 0;
      const double length = rest.colwise().norm().maxCoeff(&largest);
      if (!(length > rest_of_dependent_rows(constraints))) break;
      Q.conservativeResize(Eigen::NoChange, Q.cols() + 1);
      Q.rightCols(1) = rest.col(largest) / length;
      rank.independent_equations.push_back(constraints.blocks()[block.number].first +
                                           static_cast<int>(largest));
    }
    list.push_back(std::move(rank));
  }
  return list;
}

}  // namespace

namespace {

/// The dense part of the analysis: nearby configurations, the rank at q, unique forces, movable entries of v.
std::vector<KktFactorization::Rank> analyze_dense(Constraints& constraints, ConstVectorRef q,
                                                  const KktFactorization& elimination,
                                                  MobilityReport& report) {
  const Model& model = constraints.model();
  Rank best;
  Matrix B, best_B;
  Eigen::MatrixXd best_A;
  bool first = true;
  report.nearby = samples(constraints, q);
  for (const Vector& at : report.nearby) {
    const Eigen::MatrixXd A = scaled_rows(constraints, at, B);
    Rank rank = rank_of(A, rest_of_dependent_rows(constraints));
    if (std::exchange(first, false)) report.local_rank = rank.rank;
    if (rank.rank > best.rank || (rank.rank == best.rank && rank.least > best.least) ||
        best_B.size() == 0)
      best = std::move(rank), best_B = B, best_A = A;
  }
  for (std::size_t b = 0; b < report.blocks.size(); ++b) {
    const ConstraintBlock& block = constraints.blocks()[b];
    report.blocks[b].unique =
        best.null.cols() == 0 || block.rows == 0 ||
        best.null.middleRows(block.first, block.rows).cwiseAbs().maxCoeff() < 1e-6;
  }
  if (model.nv() > 0) {
    Eigen::VectorXi order = Eigen::VectorXi::LinSpaced(model.nv(), 0, model.nv() - 1);
    if (best_B.rows() > 0) order = pivoted_qr(best_B).order;
    for (int k = 0; k < model.nv(); ++k)
      (k < best.rank ? report.dependent : report.independent).push_back(order[k]);
    std::sort(report.dependent.begin(), report.dependent.end());
    std::sort(report.independent.begin(), report.independent.end());
  }
  return ranks_in_order(constraints, elimination.order(), best_A);
}

}  // namespace

MobilityReport analyze(Constraints& constraints, ConstVectorRef q) {
  const Model& model = constraints.model();
  MobilityReport report;
  report.equations = constraints.constraint_count();
  report.gruebler = model.nv() - report.equations;
  report.blocks.resize(constraints.blocks().size());
  find_kept(constraints, q, report.blocks);
  for (MobilityReport::Block& block : report.blocks) block.rank = -1;  // to be found
  KktFactorization elimination(constraints, report.blocks);
  for (MobilityReport::Block& block : report.blocks) block.rank = 0;
  std::vector<KktFactorization::Rank> ranks;
  if (report.equations > many) {
    PositionKinematics kin(model);
    forward_kinematics(model, q, kin);
    constraints.update(kin);
    ranks = elimination.find_ranks(q, constraints);
  } else {
    ranks = analyze_dense(constraints, q, elimination, report);
  }
  for (const KktFactorization::Rank& block : ranks) {
    report.blocks[block.number].rank = static_cast<int>(block.independent_equations.size());
    report.independent_equations.insert(report.independent_equations.end(),
                                        block.independent_equations.begin(),
                                        block.independent_equations.end());
  }
  std::sort(report.independent_equations.begin(), report.independent_equations.end());
  report.rank = static_cast<int>(report.independent_equations.size());
  if (report.equations > many) report.local_rank = report.rank;
  report.mobility = model.nv() - report.rank;
  for (std::size_t b = 0; b < report.blocks.size(); ++b)
    report.blocks[b].redundant = constraints.blocks()[b].rows - report.blocks[b].rank;
  return report;
}

}  // namespace chasles
