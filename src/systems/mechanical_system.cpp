#include "chasles/systems/mechanical_system.hpp"

#include <cmath>

#include "math/overlap.hpp"
#include "systems/dense_newton.hpp"

namespace chasles {

void MechanicalSystem::set(double t, ConstVectorRef q, ConstVectorRef v) {
  require_size("q", q, nq());
  require_size("v", v, nv());
  before_set();
  if (begins_in(v, at_.q)) [[unlikely]]  // at_.q is written before v is read
    return set(t, q, Vector(v));
  at_.t = t, at_.q = q, at_.v = v;
  ++serial_;
  invalidate();
}
void MechanicalSystem::set_part(const char* name, Vector& to, int first, ConstVectorRef entries) {
  if (at_.q.size() != nq() || at_.v.size() != nv())  // before the first `set`
    at_.q.setZero(nq()), at_.v.setZero(nv());
  if (first < 0 || first > to.size() || entries.size() > to.size() - first)
    throw Error(std::to_string(entries.size()) + " entries from " + name + "[" +
                std::to_string(first) + "] on are not in " + name + ", which has " +
                std::to_string(to.size()));
  before_set();
  if (begins_in(entries, to)) [[unlikely]]  // source and target may overlap
    to.segment(first, entries.size()) = Vector(entries);
  else
    to.segment(first, entries.size()) = entries;
  ++serial_;
  invalidate();
}

void MechanicalSystem::constraint_error(VectorRef Phi) {
  require_size("Phi", Phi, constraint_count());
  Phi.setZero();
}
void MechanicalSystem::constraint_times(ConstVectorRef x, VectorRef out) {
  require_size("x", x, nv());
  require_size("out", out, constraint_count());
  out.setZero();
}
void MechanicalSystem::constraint_force(ConstVectorRef lambda, VectorRef out) {
  require_size("lambda", lambda, constraint_count());
  require_size("out", out, nv());
  out.setZero();
}
void MechanicalSystem::constraint_bias(VectorRef out) {
  require_size("out", out, constraint_count());
  out.setZero();
}

/// Allocates once; the sizes of a system do not change.
void MechanicalSystem::reserve() {
  const int n = nv(), m = constraint_count();
  if (unit_.size() == n && bias_.size() == m && moved_.size() == nq()) return;
  for (Vector* x : {&unit_, &plus_, &minus_, &force_}) x->setZero(n);
  for (Vector* x : {&bias_, &lambda_, &drift_, &time_rate_}) x->setZero(m);
  moved_.setZero(nq());
  for (State* x : {&at_, &kept_})
    if (x->q.size() != nq() || x->v.size() != n) x->q.setZero(nq()), x->v.setZero(n);
}
void MechanicalSystem::prepare(Tangent& out) {
  reserve();
  for (Tangent* x : {&out, &moving_, &still_})
    for (Matrix* matrix : {&x->K, &x->D, &x->M}) matrix->setZero(nv(), nv());
}

void MechanicalSystem::mass_matrix(Matrix& M) {
  reserve();
  M.resize(nv(), nv());
  unit_.setZero();
  for (int k = 0; k < nv(); ++k) {
    unit_[k] = 1;
    mass_times(unit_, M.col(k));
    unit_[k] = 0;
  }
}

void MechanicalSystem::dynamics_residual(ConstVectorRef a, VectorRef out) {
  require_size("a", a, nv());
  require_size("out", out, nv());
  reserve();
  force(force_);
  mass_times(a, out);
  out -= force_;
}

void MechanicalSystem::momentum_rate(VectorRef out) {
  require_size("out", out, nv());
  reserve();
  minus_.setZero();
  tangent(at_.v, moving_);
  tangent(minus_, still_);
  moving_.K -= still_.K;
  force(out);
  out.noalias() += moving_.K * at_.v;
}

void MechanicalSystem::constraint_time_rate(VectorRef out) { out.setZero(); }
void MechanicalSystem::constraint_rate(VectorRef out) {
  constraint_times(at_.v, out);
  if (time_rate_.size() != out.size()) time_rate_.setZero(out.size());
  constraint_time_rate(time_rate_);
  out += time_rate_;
}

void MechanicalSystem::constraint_matrix(Matrix& B) {
  reserve();
  B.resize(constraint_count(), nv());
  unit_.setZero();
  for (int k = 0; k < nv(); ++k) {
    unit_[k] = 1;
    constraint_times(unit_, B.col(k));
    unit_[k] = 0;
  }
}
void MechanicalSystem::independent_equations(Matrix& U) {
  U.resize(constraint_count(), constraint_count());
  U.setIdentity();
}

void MechanicalSystem::constraint_stiffness(ConstVectorRef lambda, Matrix& S) {
  require_size("lambda", lambda, constraint_count());
  reserve();
  const double step = std::cbrt(std::numeric_limits<double>::epsilon());
  S.resize(nv(), nv());
  unit_.setZero();
  kept_ = at_;
  const auto force_there = [&](double h, int k, Vector& out) {
    unit_[k] = h;
    group().plus(kept_.q, unit_, moved_);
    set(kept_.t, moved_, kept_.v);
    constraint_force(lambda, out);
    unit_[k] = 0;
  };
  for (int k = 0; k < nv(); ++k) {
    force_there(step, k, plus_);
    force_there(-step, k, minus_);
    S.col(k) = (plus_ - minus_) / (2 * step);
  }
  set(kept_);
}

void MechanicalSystem::check(const Baumgarte& rates) {
  for (const double x : {rates.alpha, rates.beta})
    if (!(x >= 0 && std::isfinite(x)))
      throw Error("Baumgarte's stabilization has alpha " + to_text(rates.alpha) + " and beta " +
                  to_text(rates.beta) +
                  " 1/s; they must not be negative, such as both a tenth of 1 / step");
}
void MechanicalSystem::set_baumgarte(const Baumgarte& rates) {
  check(rates);
  baumgarte_ = rates;
}

void MechanicalSystem::acceleration(VectorRef v_dot) {
  require_size("v_dot", v_dot, nv());
  reserve();
  force(force_);
  constraint_bias(bias_);
  bias_ = -bias_;
  if (baumgarte_ != Baumgarte{}) {  // (4)
    constraint_rate(drift_);
    bias_ -= 2 * baumgarte_.alpha * drift_;
    constraint_error(drift_);
    bias_ -= baumgarte_.beta * baumgarte_.beta * drift_;
  }
  solve(force_, bias_, v_dot, lambda_);
}

void MechanicalSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                             VectorRef v_dot) {
  require_size("velocity", velocity, nv());
  require_size("v_dot", v_dot, nv());
  set(t, q, v);
  velocity = v;
  acceleration(v_dot);
}

std::unique_ptr<NewtonMatrix> MechanicalSystem::newton(ConstraintLevel level, int stages) {
  require_newton(level, stages);
  return std::make_unique<DenseNewton>(*this, level, stages);
}

}  // namespace chasles
