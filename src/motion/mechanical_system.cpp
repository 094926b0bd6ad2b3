#include "chasles/motion/mechanical_system.hpp"

#include <cmath>

namespace chasles {

void MechanicalSystem::residual(ConstVectorRef, VectorRef Phi) { Phi.setZero(); }
void MechanicalSystem::constraint_rate(ConstVectorRef, ConstVectorRef, VectorRef out) {
  out.setZero();
}
void MechanicalSystem::constraint_force(ConstVectorRef, ConstVectorRef, VectorRef out) {
  out.setZero();
}
void MechanicalSystem::constraint_bias(ConstVectorRef, ConstVectorRef, VectorRef out) {
  out.setZero();
}

/// Once; sizes of a system do not change.
void MechanicalSystem::reserve() {
  const int n = nv(), m = rows();
  if (unit_.size() == n && row_.size() == m && there_.size() == nq()) return;
  for (Vector* x : {&unit_, &plus_, &minus_, &force_}) x->setZero(n);
  for (Vector* x : {&row_, &bias_, &lambda_, &drift_}) x->setZero(m);
  there_.setZero(nq());
}
void MechanicalSystem::prepare(Tangent& out) {
  reserve();
  for (Tangent* x : {&out, &moving_, &still_})
    for (Matrix* matrix : {&x->K, &x->D, &x->M}) matrix->setZero(nv(), nv());
}

void MechanicalSystem::mass_matrix(ConstVectorRef q, Matrix& M) {
  reserve();
  M.resize(nv(), nv());
  unit_.setZero();
  for (int k = 0; k < nv(); ++k) {
    unit_[k] = 1;
    mass_times(q, unit_, M.col(k));
    unit_[k] = 0;
  }
}

void MechanicalSystem::imbalance(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                                 VectorRef out) {
  reserve();
  force(t, q, v, force_);
  mass_times(q, a, out);
  out -= force_;
}

void MechanicalSystem::momentum_rate(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  reserve();
  minus_.setZero();
  tangent(t, q, v, v, moving_);
  tangent(t, q, v, minus_, still_);
  moving_.K -= still_.K;
  force(t, q, v, out);
  out.noalias() += moving_.K * v;
}

void MechanicalSystem::constraint_matrix(ConstVectorRef q, Matrix& B) {
  reserve();
  B.resize(rows(), nv());
  unit_.setZero();
  for (int k = 0; k < nv(); ++k) {
    unit_[k] = 1;
    constraint_rate(q, unit_, B.col(k));
    unit_[k] = 0;
  }
}

void MechanicalSystem::constraint_stiffness(ConstVectorRef q, ConstVectorRef lambda, Matrix& S) {
  reserve();
  const double step = std::cbrt(std::numeric_limits<double>::epsilon());
  S.resize(nv(), nv());
  unit_.setZero();
  for (int k = 0; k < nv(); ++k) {
    unit_[k] = step;
    group().plus(q, unit_, there_);
    constraint_force(there_, lambda, plus_);
    unit_[k] = -step;
    group().plus(q, unit_, there_);
    constraint_force(there_, lambda, minus_);
    S.col(k) = (plus_ - minus_) / (2 * step);
    unit_[k] = 0;
  }
}

void MechanicalSystem::check(const Baumgarte& rates) {
  for (const double x : {rates.alpha, rates.beta})
    if (!(x >= 0 && std::isfinite(x)))
      throw Error("Baumgarte's stabilisation has alpha " + to_text(rates.alpha) + " and beta " +
                  to_text(rates.beta) +
                  " 1/s; they must not be negative, such as both a tenth of 1 / step");
}
void MechanicalSystem::set_baumgarte(const Baumgarte& rates) {
  check(rates);
  baumgarte_ = rates;
}

void MechanicalSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                             VectorRef v_dot) {
  reserve();
  velocity = v;
  force(t, q, v, force_);
  constraint_bias(q, v, bias_);
  bias_ = -bias_;
  if (baumgarte_ != Baumgarte{}) {  // (4)
    constraint_rate(q, v, drift_);
    bias_ -= 2 * baumgarte_.alpha * drift_;
    residual(q, drift_);
    bias_ -= baumgarte_.beta * baumgarte_.beta * drift_;
  }
  solve(q, force_, bias_, v_dot, lambda_);
}

}  // namespace chasles
