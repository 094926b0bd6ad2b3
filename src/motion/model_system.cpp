#include "chasles/motion/model_system.hpp"

#include <cmath>

#include "chasles/screws/representation.hpp"

namespace chasles {

double JointForces::power(const VelocityKinematics& kin) const {
  double P = tau.dot(kin.v());
  for (const AppliedWrench& a : wrenches) P += dot(a.W, twist(kin, a.place, a.representation));
  return P;
}

ModelSystem::ModelSystem(const Model& model)
    : group_(model),
      kin_(model),
      at_(model),
      acting_{Vector(model.nv()), {}},
      forward_(model),
      inverse_(model),
      factorization_(model),
      v_(model.nv()),
      x_(model.nv()),
      still_(model.nv()),
      dx_(model.nv()),
      plus_(model.nv()),
      minus_(model.nv()),
      there_(model.nq()) {}
void ModelSystem::set_forces(ForceFunction forces, ExpandFunction expand) {
  forces_ = std::move(forces);
  expand_ = std::move(expand);
}

void ModelSystem::expand_forces(ForceExpansion& out) const {
  for (Vector* x : {&out.constant, &out.stiffness, &out.rest, &out.damping})
    x->setZero(model().nv());
  out.wrenches.clear();
  if (!forces_) return;
  if (!expand_)
    throw Error(
        "the forces are a function that cannot be expanded in time; give set_forces their "
        "expansion, or take a method that needs rates only, such as dop853");
  expand_(out);
}

const JointForces& ModelSystem::forces(double t, const VelocityKinematics& kin) {
  acting_.wrenches.clear();
  acting_.tau.setZero();
  if (forces_) forces_(t, kin, acting_);
  return acting_;
}
void ModelSystem::act(double t, ConstVectorRef q, ConstVectorRef v) {
  if (!forces_) return;
  velocities(model(), q, v, kin_);
  forces(t, kin_);
}

void ModelSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                        VectorRef v_dot) {
  velocity = v;
  act(t, q, v);
  v_dot = forward_dynamics(model(), q, v, acting_.tau, forward_, acting_.wrenches);
}

void ModelSystem::force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  act(t, q, v);
  v_.setZero();
  out = acting_.tau - inverse_dynamics(model(), q, v, v_, inverse_, acting_.wrenches);
}

void ModelSystem::imbalance(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                            VectorRef out) {
  act(t, q, v);
  out = inverse_dynamics(model(), q, v, a, inverse_, acting_.wrenches) - acting_.tau;
}

void ModelSystem::momentum_rate(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  if (!momenta_) momenta_.emplace(model());
  velocities(model(), q, v, kin_);
  forces(t, kin_);
  textbook::generalized_momenta(model(), kin_, x_, *momenta_);
  textbook::hamiltonian_dynamics(model(), kin_, x_, acting_.tau, *momenta_, acting_.wrenches);
  out = momenta_->p_dot;
}

void ModelSystem::mass_matrix(ConstVectorRef q, Matrix& M) {
  if (!mass_) mass_.emplace(model());
  M = chasles::mass_matrix(model(), q, *mass_);
}

/// The factorisation at q, kept until q changes.
void ModelSystem::factorize_at(ConstVectorRef q) {
  if (at_.q() == q) return;
  positions(model(), q, at_);
  textbook::factorize(model(), at_, factorization_);
}
void ModelSystem::mass_times(ConstVectorRef q, ConstVectorRef x, VectorRef out) {
  factorize_at(q);
  factorization_.multiply(x, out);
}
void ModelSystem::solve(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
                        VectorRef lambda) {
  require_size("c", c, 0);
  require_size("lambda", lambda, 0);
  factorize_at(q);
  factorization_.solve(b, x);
}

/// Joint forces, and those that wrenches amount to: of all that acts besides gravity.
void ModelSystem::acting_force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  act(t, q, v);
  out = acting_.tau;
  if (acting_.wrenches.empty()) return;
  out += inverse_dynamics(model(), q, still_, still_, inverse_);
  out -= inverse_dynamics(model(), q, still_, still_, inverse_, acting_.wrenches);
}

void ModelSystem::tangent(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                          Tangent& out) {
  if (!derivatives_) derivatives_.emplace(model());
  const auto& d = d_inverse_dynamics(model(), q, v, a, *derivatives_);
  out.K = d.dq(), out.D = d.dv(), out.M = d.da();
  if (!forces_) return;
  const double step = std::cbrt(std::numeric_limits<double>::epsilon());
  dx_.setZero();  // a force that threw may have left something
  for (int k = 0; k < nv(); ++k) {
    const auto difference = [&](auto&& move, Matrix& matrix) {
      dx_[k] = step;
      move();
      acting_force(t, there_, x_, plus_);
      dx_[k] = -step;
      move();
      acting_force(t, there_, x_, minus_);
      matrix.col(k) -= (plus_ - minus_) / (2 * step);
      dx_[k] = 0;
    };
    x_ = v;
    difference([&] { group_.plus(q, dx_, there_); }, out.K);
    there_ = q;
    difference([&] { x_ = v + dx_; }, out.D);
  }
}

void ModelSystem::prepare(Tangent& out) {
  MechanicalSystem::prepare(out);
  if (!derivatives_) derivatives_.emplace(model());
  if (!mass_) mass_.emplace(model());
  if (!momenta_) momenta_.emplace(model());
}

void ModelSystem::project(State& state) { group_.normalize(state.q); }

}  // namespace chasles
