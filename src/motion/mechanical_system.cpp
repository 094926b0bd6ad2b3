#include "chasles/motion/mechanical_system.hpp"

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
