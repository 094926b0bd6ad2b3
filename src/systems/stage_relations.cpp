#include "systems/stage_relations.hpp"

#include <algorithm>

namespace chasles {

StageRelations::StageRelations(const Group& group, int stages)
    : group_(&group),
      stages_(stages),
      factors_(group.factors()),
      factor_at_(static_cast<std::size_t>(group.nv()), -1),
      unit_(group.nv()),
      out_(group.nv()),
      slope_(group.nv()),
      half_(group.nv()),
      minus_(group.nv()),
      moved_(group.nv()) {
  if (stages < 1 || stages > most_stages)
    throw Error("an implicit step with " + std::to_string(stages) + " stages; there are 1 to " +
                std::to_string(most_stages));
  std::size_t size = 0;
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    factor_at_[static_cast<std::size_t>(factors_[f].v)] = static_cast<int>(f);
    largest_ = std::max(largest_, factors_[f].size);
    begins_.push_back(size);
    size += static_cast<std::size_t>(stages * stages * factors_[f].size * factors_[f].size);
  }
  for (auto* all : {&q_, &v_, &a_}) all->resize(size);
}

const double* StageRelations::at(const std::vector<double>& all, std::size_t factor, int i,
                                 int j) const {
  const int n = factors_[factor].size;
  return all.data() + begins_[factor] + static_cast<std::size_t>((i * stages_ + j) * n * n);
}
double* StageRelations::at(std::vector<double>& all, std::size_t factor, int i, int j) const {
  return const_cast<double*>(at(std::as_const(all), factor, i, j));
}

/// Sets entry c of every factor to one: blocks are diagonal over the factors, so one pass gives column c of all.
void StageRelations::set_unit(int c) {
  unit_.setZero();
  for (const Group::Factor& f : factors_)
    if (c < f.size) unit_[f.v + c] = 1;
}
/// Q_ii = dexp_{-x}: column c of all factors at once.
void StageRelations::set_dexp(ConstVectorRef x, int i) {
  for (int c = 0; c < largest_; ++c) {
    set_unit(c);
    group_->dexp(x, unit_, out_);
    for (std::size_t f = 0; f < factors_.size(); ++f)
      for (int r = 0; r < factors_[f].size && c < factors_[f].size; ++r)
        at(q_, f, i, i)[r * factors_[f].size + c] = out_[factors_[f].v + r];
  }
}
/// V_ii += d(dexp_{-x} k)/dx.
void StageRelations::add_d_dexp(ConstVectorRef x, ConstVectorRef v, int i) {
  for (int c = 0; c < largest_; ++c) {
    set_unit(c);
    group_->d_dexp_inv(x, unit_, v, slope_);
    group_->dexp(x, slope_, out_);
    for (std::size_t f = 0; f < factors_.size(); ++f)
      for (int r = 0; r < factors_[f].size && c < factors_[f].size; ++r)
        at(v_, f, i, i)[r * factors_[f].size + c] -= out_[factors_[f].v + r];
  }
}

void StageRelations::newmark(ConstVectorRef x, double gamma, double beta) {
  flat_q_[0] = 1, flat_v_[0] = gamma, flat_a_[0] = beta;
  set_dexp(x, 0);
  std::fill(v_.begin(), v_.end(), 0.0);
  std::fill(a_.begin(), a_.end(), 0.0);
  for (std::size_t f = 0; f < factors_.size(); ++f)
    for (int k = 0, n = factors_[f].size; k < n; ++k)
      at(v_, f, 0, 0)[k * n + k] = gamma, at(a_, f, 0, 0)[k * n + k] = beta;
}

void StageRelations::collocation(const Matrix& x, const Matrix& v, const Matrix& w) {
  const int S = stages_;
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) {
      double sum = 0;
      for (int l = 0; l < S; ++l) sum += w(i, l) * w(l, j);
      flat_q_[i * S + j] = i == j ? 1 : 0;
      flat_v_[i * S + j] = w(i, j);
      flat_a_[i * S + j] = sum;
    }
  for (auto* all : {&q_, &v_, &a_}) std::fill(all->begin(), all->end(), 0.0);
  for (int i = 0; i < S; ++i) {
    set_dexp(x.col(i), i);
    for (std::size_t f = 0; f < factors_.size(); ++f)
      for (int j = 0; j < S; ++j)
        for (int k = 0, n = factors_[f].size; k < n * n; ++k)
          at(v_, f, i, j)[k] = at(q_, f, i, i)[k] * w(i, j);
    add_d_dexp(x.col(i), v.col(i), i);
  }
  set_a(w);
}

/// A = w V, added to zeros.
void StageRelations::set_a(const Matrix& w) {
  const int S = stages_;
  for (std::size_t f = 0; f < factors_.size(); ++f)
    for (int i = 0; i < S; ++i)
      for (int j = 0; j < S; ++j)
        for (int l = 0; l < S; ++l)
          for (int k = 0, n = factors_[f].size; k < n * n; ++k)
            at(a_, f, i, j)[k] += w(i, l) * at(v_, f, l, j)[k];
}

void StageRelations::centered_collocation(ConstVectorRef x, const Matrix& y, const Matrix& v,
                                          const Matrix& a, const Vector& b, const Matrix& w,
                                          double h) {
  const int S = stages_;
  for (int i = 0; i < S; ++i)
    for (int j = 0; j < S; ++j) {
      flat_q_[i * S + j] = a(i, j);
      flat_v_[i * S + j] = i == j ? 1 / h : 0;
      flat_a_[i * S + j] = w(i, j) / h;
    }
  for (auto* all : {&q_, &v_, &a_}) std::fill(all->begin(), all->end(), 0.0);
  const auto add = [&](std::vector<double>& all, int i, int j, int c, double factor) {
    for (std::size_t f = 0; f < factors_.size(); ++f)
      for (int r = 0, n = factors_[f].size; r < n && c < n; ++r)
        at(all, f, i, j)[r * n + c] += factor * out_[factors_[f].v + r];
  };
  half_ = 0.5 * x;
  for (int i = 0; i < S; ++i) {
    minus_ = -y.col(i);
    for (int c = 0; c < largest_; ++c) {
      set_unit(c);
      group_->dexp(half_, unit_, out_);
      group_->dexp_inv(minus_, out_, moved_);
      group_->dexp(y.col(i), moved_, out_);
      for (int j = 0; j < S; ++j) add(q_, i, j, c, 0.5 * b[j]);
      group_->dexp(y.col(i), unit_, out_);
      for (int j = 0; j < S; ++j) add(q_, i, j, c, a(i, j) - 0.5 * b[j]);
      add(v_, i, i, c, 1 / h);
      group_->d_dexp_inv(y.col(i), unit_, v.col(i), slope_);
      group_->dexp(y.col(i), slope_, out_);
      for (int j = 0; j < S; ++j) add(v_, i, j, c, 0.5 * b[j] - a(i, j));
    }
  }
  set_a(w);
}

void StageRelations::apply(const double* flat, const std::vector<double>& blocks, const Matrix& d,
                           Matrix& out) const {
  const int S = stages_;
  for (int i = 0; i < S; ++i) {
    out.col(i).setZero();
    for (int j = 0; j < S; ++j) out.col(i) += flat[i * S + j] * d.col(j);
  }
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    const int n = factors_[f].size, first = factors_[f].v;
    for (int i = 0; i < S; ++i)
      for (int r = 0; r < n; ++r) {
        double sum = 0;
        for (int j = 0; j < S; ++j)
          for (int c = 0; c < n; ++c) sum += at(blocks, f, i, j)[r * n + c] * d(first + c, j);
        out(first + r, i) = sum;
      }
  }
}

}  // namespace chasles
