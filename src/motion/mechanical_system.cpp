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

void MechanicalSystem::constraint_matrix(ConstVectorRef q, Matrix& B) {
  B.resize(rows(), nv());
  Vector unit = Vector::Zero(nv()), column(rows());
  for (int k = 0; k < nv(); ++k) {
    unit[k] = 1;
    constraint_rate(q, unit, column);
    B.col(k) = column;
    unit[k] = 0;
  }
}

void MechanicalSystem::constraint_stiffness(ConstVectorRef q, ConstVectorRef lambda, Matrix& S) {
  const int n = nv();
  const double step = std::cbrt(std::numeric_limits<double>::epsilon());
  S.resize(n, n);
  Vector dq = Vector::Zero(n), there(nq()), plus(n), minus(n);
  for (int k = 0; k < n; ++k) {
    dq[k] = step;
    group().plus(q, dq, there);
    constraint_force(there, lambda, plus);
    dq[k] = -step;
    group().plus(q, dq, there);
    constraint_force(there, lambda, minus);
    S.col(k) = (plus - minus) / (2 * step);
    dq[k] = 0;
  }
}

void MechanicalSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                             VectorRef v_dot) {
  if (force_.size() != nv() || bias_.size() != rows()) {
    force_.setZero(nv());
    bias_.setZero(rows());
    lambda_.setZero(rows());
  }
  velocity = v;
  force(t, q, v, force_);
  constraint_bias(q, v, bias_);
  bias_ = -bias_;
  solve(q, force_, bias_, v_dot, lambda_);
}

}  // namespace chasles
