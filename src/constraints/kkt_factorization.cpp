#include "constraints/kkt_factorization.hpp"

#include <algorithm>
#include <cmath>

#include "access.hpp"
#include "dynamics/links.hpp"
#include "math/decompositions.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

void write(const Vec3& a, double* to, std::size_t stride) {
  to[0] = a.x, to[stride] = a.y, to[2 * stride] = a.z;
}

}  // namespace

/// The kept wrenches V^T W of a loop in the axes of the link of `to`, side by side.
void KktFactorization::take_wrenches(const Constraints& constraints,
                                     const kernels::LoopRows& loop) {
  const Block& of = blocks_[size(loop.block)];
  const std::size_t width = size(plan_[size(loop.block)].width);
  const LoopPart& part = detail::Access::parts(constraints).loops[of.number];
  const SO3& R = part.to.offset.R;
  const auto& W = part.joint.W();
  double* to = W_.data() + loop.W;
  for (int r = 0; r < of.kept(); ++r) {
    Wrench kept;
    if (!of.picked.empty())
      kept = W[size(of.picked[size(r)])];
    else
      for (int k = 0; k < of.all_rows; ++k) kept += of.V(k, r) * W[size(k)];
    write(R * kept.t, to + r, width);
    write(R * kept.f, to + 3 * width + size(r), width);
  }
}
/// Entries of B for constraints that act on entries of v: the initial values of k.
void KktFactorization::take_entries(const Constraints& constraints) {
  for (const int b : with_entries_) {
    const Block& block = blocks_[size(b)];
    const RowBlock& rows = detail::Access::parts(constraints).blocks[block.number];
    for (std::size_t e = 0; e < rows.entries.size(); ++e) {
      const double* all = rows.coefficients(e);
      double* to = k_.data() + block.entries[e];
      for (int r = 0; r < block.kept(); ++r)
        if (!block.picked.empty())
          to[r] += all[block.picked[size(r)]];
        else
          for (int k = 0; k < block.all_rows; ++k) to[r] += block.V(k, r) * all[k];
    }
  }
}

/// The arguments of the kernels. Set up again after a copy; a move keeps all arrays in place, only `least` moves.
kernels::KktPass& KktFactorization::pass() {
  kernels::KktPass& e = pass_;
  e.least = &least_pivot_;
  if (e.work == work_.data()) return e;
  e.tree = &kernel_trees(model_).of<double>();
  e.group = group_.data();
  e.blocks = plan_.data(), e.others = others_.data(), e.coupled_pairs = coupled_pairs_.data();
  e.passages = passages_.data(), e.pairs = pairs_.data(), e.at = at_.data();
  e.loops = loops_.data(), e.loops_count = static_cast<int>(loops_.size());
  e.blocks_count = static_cast<int>(plan_.size()), e.rows = static_cast<int>(c_.size());
  e.work = work_.data();
  e.W = W_.data(), e.turned = turned_.data();
  e.L = L_.data(), e.K = K_.data(), e.k = k_.data(), e.kD = kD_.data();
  e.alone = alone_.data(), e.inverse = inverse_.data();
  e.g = g_.data(), e.lambda = lambda_.data();
  e.pivots = pivots_.data(), e.size = size_.data(), e.usual = usual_.data();
  e.ranks = ranks_.data(), e.Z = Z_.data(), e.scratch = scratch_.data();
  e.order = order_.data(), e.picked = picked_.data();
  return e;
}

/// Initializes a sweep: wrenches and entries of the equations, screws, and zeros.
void KktFactorization::begin(const double* q, const Constraints& constraints) {
  kernels::KktPass& e = pass();
  work_.check_quaternions(model_, q);
  for (const kernels::LoopRows& loop : loops_)
    if (loop.given) take_wrenches(constraints, loop);
  if (!group_.empty()) fill_group(model_, *e.tree, q, e.v = nullptr, 1, 0, group_.data());
  for (const Zeros& zeros : zeros_)
    std::fill_n((this->*zeros.of).begin() + zeros.first, zeros.count, 0.0);
  take_entries(constraints);
  e.q = q;
}
void KktFactorization::set_applied(const PositionKinematics& kin, AppliedWrenches applied) {
  for (const AppliedWrench& a : applied) {
    require_frame(a.frame, model_);
    if (a.frame.link < 0) continue;
    const SE3& at = kin.C()[size(a.frame.link)];
    const SE3 C = at * a.frame.offset;
    const Wrench W = lie::convert(a.W, C, a.representation, Representation::hybrid);
    kernels::WrenchOnLink on{a.frame.link, {}};
    write(W.t + cross(C.r - at.r, W.f), on.W, 1), write(W.f, on.W + 3, 1);
    applied_.push_back(on);
  }
}
/// Sets the right-hand sides: V^T c and V lambda translate between all equations and the kept ones.
/// @param moving  the kernel computes c of loops itself
void KktFactorization::set_sides(const double* b, const double* c, double* x, double* lambda,
                                 bool moving) {
  kernels::KktPass& e = pass();
  e.force = b, e.out = x;
  e.c = all_kept_ ? c : c_.data();
  e.multipliers = all_kept_ ? lambda : kept_lambda_.data();
  if (all_kept_) return;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    if (moving && (plan_[i].loop || plan_[i].still)) continue;
    const Block& block = blocks_[i];
    for (int r = 0; r < block.kept(); ++r) {
      double& sum = c_[size(block.first + r)];
      sum = block.picked.empty() ? 0 : c[block.all + block.picked[size(r)]];
      if (block.picked.empty())
        for (int k = 0; k < block.all_rows; ++k) sum += block.V(k, r) * c[block.all + k];
    }
  }
}
void KktFactorization::give(double* to) const {
  if (all_kept_) return;
  std::fill_n(to, all_rows_, 0.0);
  for (const auto& [row, kept] : picked_rows_) to[row] = kept_lambda_[size(kept)];
  for (const int b : combined_) {
    const Block& block = blocks_[size(b)];
    for (int r = 0; r < block.kept(); ++r)
      for (int k = 0; k < block.all_rows; ++k)
        to[block.all + k] += block.V(k, r) * kept_lambda_[size(block.first + r)];
  }
}

void KktFactorization::factorize(ConstVectorRef q, const Constraints& constraints, double mu) {
  begin(q.data(), constraints);
  pass_.mu = mu;
  if (const int entry = run_(pass_, true, false, false); entry >= 0)
    dynamics::throw_singular(model_, entry);
}
void KktFactorization::solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) {
  set_sides(b.data(), c.data(), x.data(), lambda.data(), false);
  run_(pass_, false, true, false);
  give(lambda.data());
}
void KktFactorization::run(const Moving& at, bool factors) {
  set_sides(at.tau, at.c, at.x, at.lambda, true);
  kernels::KktPass& e = pass_;
  e.q = at.q, e.v = at.v;
  if (!group_.empty()) fill_group(model_, *e.tree, e.q, e.v, 1, 0, group_.data());
  applied_.clear();
  if (!at.applied.empty()) set_applied(*at.kin, at.applied);
  e.applied = applied_.data(), e.applied_count = static_cast<int>(applied_.size());
  if (const int entry = run_(e, factors, true, true); entry >= 0)
    dynamics::throw_singular(model_, entry);
  give(at.lambda);
}
void KktFactorization::accelerate(const Constraints& constraints, const Moving& at) {
  begin(at.q, constraints);
  pass_.mu = 0;
  run(at, true);
}

void KktFactorization::calibrate(ConstVectorRef q, const Constraints& constraints) {
  std::fill(size_.begin(), size_.end(), 0.0);
  factorize(q, constraints);
  for (std::size_t k = 0; k < size_.size(); ++k) {
    most_[k] = std::max(most_[k], alone_[k]), largest_[k] = std::max(largest_[k], pivots_[k]);
    const double part = most_[k] > 0 ? largest_[k] / most_[k] : 0;
    usual_[k] = part > 0 ? 1 / part : 1;
  }
  std::copy(most_.begin(), most_.end(), size_.begin());
}

double KktFactorization::usual_early_pivot() const {
  double least = 1;
  for (const int b : early_)
    for (int r = 0; r < plan_[size(b)].rows; ++r) {
      const std::size_t k = size(plan_[size(b)].lane + r);
      least = std::min(least, most_[k] > 0 ? largest_[k] / most_[k] : 0);
    }
  return least;
}

double KktFactorization::largest(ConstVectorRef c) const {
  double out = 0;
  // NaN propagates.
  const auto include = [&](double x) {
    if (!(std::abs(x) <= out) && !std::isnan(out)) out = std::abs(x);
  };
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    const auto part = c.segment(block.all, block.all_rows);
    const auto along = [&](int k) {  // z . V^T c
      double sum = 0;
      for (int l = 0; l < block.kept(); ++l) sum += dropped(b, k)[l] * block.V.col(l).dot(part);
      return sum;
    };
    for (int l = 0; l < block.kept(); ++l) {
      double x = block.V.col(l).dot(part);
      for (int k = 0; k < dropped(b); ++k) x -= dropped(b, k)[l] * along(k);
      include(x);
    }
  }
  return out;
}

namespace {

/// Completes U from column `first` on by an orthonormal complement: unit vectors, orthogonalized, next always the one
/// with the largest remainder.
void complete(Matrix& U, Eigen::Index first) {
  const Eigen::Index n = U.rows();
  for (Eigen::Index c = first; c < U.cols(); ++c) {
    Eigen::Index best = 0;
    double most = -1;
    for (Eigen::Index j = 0; j < n; ++j) {
      const double left = 1 - U.row(j).head(c).squaredNorm();
      if (left > most + 1e-12) most = left, best = j;
    }
    U.col(c).setZero();
    U(best, c) = 1;
    for (Eigen::Index k = 0; k < 2 * c; ++k)  // twice, against rounding
      U.col(c) -= U.col(k % c).dot(U.col(c)) * U.col(k % c);
    U.col(c) /= U.col(c).norm();
  }
}

}  // namespace

const std::vector<KktFactorization::Combinations>& KktFactorization::combinations() {
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    const Block& block = blocks_[b];
    Combinations& out = combinations_[b];
    const int m = dropped(b), n = block.kept();
    out.rank = n - m;
    if (m == 0) {
      out.U = block.V;
      continue;
    }
    Matrix& all = complements_[b];  // Z and its orthonormal complement
    for (int k = 0; k < m; ++k)
      for (int l = 0; l < n; ++l) all(l, k) = dropped(b, k)[l];
    complete(all, m);
    out.U.resize(out.rows, out.rank);
    out.U.noalias() = block.V.lazyProduct(all.rightCols(out.rank));
  }
  return combinations_;
}

std::vector<KktFactorization::Rank> KktFactorization::find_ranks(ConstVectorRef q,
                                                                 const Constraints& constraints) {
  std::vector<Rank> list;
  std::fill(ranks_.begin(), ranks_.end(), 0);
  factorize(q, constraints);  // for the sizes of rows
  pass_.vanishing = 1e-20 * (alone_.empty() ? 0 : *std::max_element(alone_.begin(), alone_.end()));
  const double contradicted = contradiction_in_rows(constraints);
  pass_.dependent = std::max(1e-12, contradicted * contradicted);
  pass_.find_ranks = true;
  try {
    factorize(q, constraints);
  } catch (...) {
    pass_.find_ranks = false;
    throw;
  }
  pass_.find_ranks = false;
  for (std::size_t b = 0; b < blocks_.size(); ++b) {
    Rank rank{blocks_[b].number, {}};
    // Equations of Constraints that represent the kept combinations.
    Eigen::MatrixXd V(blocks_[b].all_rows, ranks_[b]);
    for (int k = 0; k < ranks_[b]; ++k)
      V.col(k) = blocks_[b].V.col(picked_[size(plan_[b].lane + k)]);
    if (V.cols() > 0) {
      const PivotedQr qr = pivoted_qr(V.transpose());
      for (int k = 0; k < ranks_[b]; ++k)
        rank.independent_equations.push_back(blocks_[b].all + qr.order[k]);
    }
    list.push_back(std::move(rank));
  }
  return list;
}

}  // namespace chasles
