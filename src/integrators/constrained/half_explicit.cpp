#include "integrators/constrained/half_explicit.hpp"

#include <cmath>

#include "integrators/explicit/combine.hpp"

namespace chasles {

using integrators::combine;

HalfExplicit::HalfExplicit(MechanicalSystem& system, const IntegratorOptions& options,
                           const Tableau& tableau, int k)
    : OneStep(system, options),
      mechanical_(&system),
      tableau_(&tableau),
      lu_(system.nv() + system.constraint_count()) {
  k_ = k;
  order_ = tableau.order;
  stability_ = tableau.stability;
  const int n = system.nv(), m = system.constraint_count();
  K_.setZero(n, tableau.stages + 1);
  a_ = K_;
  for (Vector* x : {&x_i_, &v_i_, &f_}) x->setZero(n);
  for (Vector* q : {&q_i_, &q_next_}) q->setZero(system.nq());
  c_.setZero(m);
  time_rate_.setZero(m);
  M_.setZero(n, n);
  B_.setZero(m, n);
  B_next_ = all_ = B_;
  U_.setZero(m, m);
  saddle_.setZero(n + m, n + m);
  b_.setZero(n + m);
  solved_ = b_;
  MechanicalSystem::Tangent not_used;
  system.prepare(not_used);
}

void HalfExplicit::solve(double t, VectorRef k) {
  const Eigen::Index n = M_.rows(), m = B_.rows();
  ++statistics_.evaluations;
  mechanical_->set(t, q_i_, v_i_);
  mechanical_->force(f_);
  mechanical_->mass_matrix(M_);
  saddle_.topLeftCorner(n, n) = M_;
  saddle_.topRightCorner(n, m) = B_.transpose();
  saddle_.bottomLeftCorner(m, n) = B_next_;
  b_.head(n) = f_;
  b_.tail(m) = c_;
  lu_.compute(saddle_);
  lu_.solve(b_, solved_);
  k = solved_.head(n);
  if (!k.allFinite())
    fail("the accelerations are not finite at t = " + to_short_text(t) +
         " s: look at the forces, and whether constraints depend on each other there");
}

/// Independent combinations of the constraint equations at (t, q_next_).
void HalfExplicit::independent_matrix(double t, Matrix& B) {
  mechanical_->set(t, q_next_, v_i_);
  mechanical_->constraint_matrix(all_);
  mechanical_->constraint_time_rate(time_rate_);
  mechanical_->independent_equations(U_);
  B.resize(U_.cols(), all_.cols());
  B.noalias() = U_.transpose() * all_;
  const Eigen::Index size = B.rows() + B.cols();
  if (b_.size() == size) return;
  saddle_.setZero(size, size);
  b_.setZero(size);
  solved_ = b_;
  c_.setZero(B.rows());
  lu_ = RowPivotedLu(size);
}

bool HalfExplicit::stage(int i, const double* row, double h, bool by_rates) {
  group().dexp_inv(x_i_, v_i_, K_.col(i));  // (2)
  combine(row, i + 1, h, K_, x_);           // (1)
  group().plus(before_.q, x_, q_next_);
  combine(row, i, h, a_, now_.v);
  now_.v += before_.v;
  const auto time_of = [&](int stage) {
    return stage == tableau_->stages ? before_.t + h
                                     : before_.t + tableau_->c[static_cast<std::size_t>(stage)] * h;
  };
  const double t = time_of(i);
  if (i == 0) {
    a_.col(0) = a_0_;
    if (!by_rates) {
      independent_matrix(time_of(1), B_);
      if (is_near_singularity()) return false;
    }
  } else if (by_rates) {
    rates(t, q_i_, v_i_, w_, a_.col(i));
  } else {
    independent_matrix(time_of(i + 1), B_next_);
    if (is_near_singularity()) return false;
    c_.noalias() = B_next_ * now_.v;
    c_.noalias() += U_.transpose() * time_rate_;
    c_ *= -1 / (h * row[i]);
    solve(t, a_.col(i));
    B_.swap(B_next_);
  }
  now_.v += (h * row[i]) * a_.col(i);
  x_i_ = x_;
  v_i_ = now_.v;
  q_i_ = q_next_;
  return true;
}

bool HalfExplicit::stages(double h, bool by_rates, double& turn) {
  const Tableau& t = *tableau_;
  x_i_.setZero();
  v_i_ = before_.v;
  q_i_ = before_.q;
  turn = 0;
  const double* row = t.a.data();
  for (int i = 0; i < t.stages; ++i) {
    const bool last = i + 1 == t.stages;
    if (!stage(i, last ? t.b.data() : row, h, by_rates)) return false;
    row += i + 1;
    turn = std::max(turn, group().rotation(x_));
  }
  return true;
}

double HalfExplicit::attempt(double h) {
  const Tableau& t = *tableau_;
  double turn = 0;
  if (all_.rows() == 0 || !stages(h, false, turn)) stages(h, true, turn);
  now_.q = q_i_;
  const double limit = k_ > 0 ? 2 : 6.2;  // exponential coordinates are singular at a full turn
  if (turn > limit) {
    if (k_ > 0) return std::pow(turn / limit, k_) * 2;
    fail("a joint turns by " + to_short_text(turn) + " rad within the step of " + to_short_text(h) +
         " s, more than its coordinates can hold; take a step below " +
         to_short_text(h * limit / turn) + " s");
  }
  if (k_ == 0) return 0;
  end_rates();
  group().dexp_inv(x_, V_1_, K_.col(t.stages));
  a_.col(t.stages) = a_1_;
  combine(t.e.data(), t.stages + 1, h, K_, e_x_);
  combine(t.e.data(), t.stages + 1, h, a_, e_v_);
  return error_norm(e_x_, e_v_);
}

}  // namespace chasles
