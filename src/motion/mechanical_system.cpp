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

void MechanicalSystem::set_baumgarte_time(double T) {
  if (!(T > 0))
    throw Error("the time constant of Baumgarte's stabilisation is " + to_text(T) +
                " s; it must be positive, such as ten steps");
  baumgarte_time_ = T;
}

void MechanicalSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                             VectorRef v_dot) {
  reserve();
  velocity = v;
  force(t, q, v, force_);
  constraint_bias(q, v, bias_);
  bias_ = -bias_;
  if (const double T = baumgarte_time_; T < std::numeric_limits<double>::infinity()) {  // (4)
    constraint_rate(q, v, drift_);
    bias_ -= (2 / T) * drift_;
    residual(q, drift_);
    bias_ -= drift_ / (T * T);
  }
  solve(q, force_, bias_, v_dot, lambda_);
}

}  // namespace chasles
