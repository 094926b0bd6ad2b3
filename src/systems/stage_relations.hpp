/// Derivatives of the S stages of an implicit method by its unknowns d_1 ... d_S:
///
///     dq_i = sum_j Q_ij d_j,     dv_i = sum_j V_ij d_j,     da_i = sum_j A_ij d_j             (1)
///
/// where dq_i moves a stage to q_i exp(dq_i). All blocks are diagonal over the factors of the configuration group: for
/// an entry of a factor R^n they are numbers q_ij, v_ij, a_ij, the same for all such entries; for each other factor
/// (SO(3), SE(3), ...) square matrices.
///
/// `newmark`, one stage, q = q_0 exp(x), v = v_* + gamma x, a = a_* + beta x:
///
///     Q = dexp_{-x},     V = gamma,     A = beta                                              (2)
///
/// `collocation`, q_i = q_0 exp(x_i), v_i = dexp_{-x_i} k_i, k_i = sum_j w_ij x_j,
/// a_i = sum_j w_ij (v_j - v_0):
///
///     Q_ii = dexp_{-x_i},     V_ij = Q_ii w_ij + [i = j] d(dexp_{-x_i} k_i)/dx_i,
///     A_ij = sum_l w_il V_lj                                                                  (3)
///
/// The derivative in (3) follows from dexp_inv: with v = dexp_{-x} k, d(dexp_{-x} k) y =
/// -dexp_{-x} (d dexp_{-x}^-1 / dx y) v.
///
/// `centered_collocation`, with unknowns h K_j, tableau a_ij, b_j and w = a^-1 / h: x = h sum_j b_j K_j,
/// y_i = h sum_j e_ij K_j, e_ij = a_ij - b_j/2, q_i = q_0 exp(x/2) exp(y_i), v_i = dexp_{-y_i} K_i,
/// a_i = sum_j w_ij (v_j - v_0):
///
///     Q_ij = Ad_{exp(-y_i)} dexp_{-x/2} b_j/2 + dexp_{-y_i} e_ij,
///     V_ij = [i = j] dexp_{-y_i} / h + d(dexp_{-y_i} K_i)/dy_i e_ij,
///     A_ij = sum_l w_il V_lj                                                                  (4)
///
/// On R^n these are a_ij, [i = j] / h and w_ij / h. Ad_{exp(-y)} is dexp_{-y} dexp_y^-1.
#pragma once

#include <vector>

#include "chasles/systems/group.hpp"

namespace chasles {

class StageRelations {
 public:
  static constexpr int most_stages = 10;

  StageRelations(const Group& group, int stages);

  int stages() const { return stages_; }
  /// (2).
  void newmark(ConstVectorRef x, double gamma, double beta);
  /// (3).
  /// @param x, v  nv x stages
  /// @param w     stages x stages
  void collocation(const Matrix& x, const Matrix& v, const Matrix& w);
  /// (4).
  /// @param x     nv
  /// @param y, v  nv x stages
  /// @param a, w  stages x stages
  void centered_collocation(ConstVectorRef x, const Matrix& y, const Matrix& v, const Matrix& a,
                            const Vector& b, const Matrix& w, double h);

  /// Coefficients of (1) for entries of R^n, stages x stages, by rows.
  const double* flat_q() const { return flat_q_; }
  const double* flat_v() const { return flat_v_; }
  const double* flat_a() const { return flat_a_; }
  /// The factors of the group other than R^n, and their matrices of (1): size x size by rows, for (i, j).
  const std::vector<Group::Factor>& factors() const { return factors_; }
  const double* q(std::size_t factor, int i, int j) const { return at(q_, factor, i, j); }
  const double* v(std::size_t factor, int i, int j) const { return at(v_, factor, i, j); }
  const double* a(std::size_t factor, int i, int j) const { return at(a_, factor, i, j); }
  /// The factor whose first entry is v; -1: none.
  int factor_at(int v) const { return factor_at_[static_cast<std::size_t>(v)]; }

  /// dq_i, dv_i, da_i of (1) for all stages: d, out nv x stages.
  void apply_q(const Matrix& d, Matrix& out) const { apply(flat_q_, q_, d, out); }
  void apply_v(const Matrix& d, Matrix& out) const { apply(flat_v_, v_, d, out); }
  void apply_a(const Matrix& d, Matrix& out) const { apply(flat_a_, a_, d, out); }

 private:
  const double* at(const std::vector<double>& all, std::size_t factor, int i, int j) const;
  double* at(std::vector<double>& all, std::size_t factor, int i, int j) const;
  void set_dexp(ConstVectorRef x, int i);
  void add_d_dexp(ConstVectorRef x, ConstVectorRef v, int i);
  void set_a(const Matrix& w);
  void set_unit(int column);
  void apply(const double* flat, const std::vector<double>& blocks, const Matrix& d,
             Matrix& out) const;

  const Group* group_;
  int stages_, largest_ = 0;
  std::vector<Group::Factor> factors_;
  std::vector<int> factor_at_;       // entries of v
  std::vector<std::size_t> begins_;  // factors: index of their first matrix entry
  double flat_q_[most_stages * most_stages]{}, flat_v_[most_stages * most_stages]{},
      flat_a_[most_stages * most_stages]{};
  std::vector<double> q_, v_, a_;
  Vector unit_, out_, slope_, half_, minus_, moved_;  // nv
};

}  // namespace chasles
