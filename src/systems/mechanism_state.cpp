#include "chasles/systems/mechanism_state.hpp"

#include <cmath>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "dynamics/links.hpp"
#include "systems/mechanism_factors.hpp"
#include "systems/mechanism_newton.hpp"

namespace chasles {
double JointForces::power(const VelocityKinematics& kin) const {
  double P = tau.dot(kin.v());
  for (const AppliedWrench& a : wrenches) P += dot(a.W, twist(kin, a.frame, a.representation));
  return P;
}

MechanismState::MechanismState(const Model& model)
    : MechanismState(model, Constraints(model, {.closed = false}), {}) {}
MechanismState::MechanismState(const Model& model, Constraints constraints, MobilityReport mobility)
    : model_(model),
      group_(model),
      constraints_(std::move(constraints)),
      mobility_(std::move(mobility)),
      vel_(model),
      kin_(model),
      acting_{Vector(model.nv()), {}},
      factors_(ValuePtr<Factors>::make(model, constraints_, mobility_)),
      kin_a_(model.nv()),
      still_(model.nv()),
      step_(model.nv()),
      more_(model.nv()),
      a_(model.nv()),
      Phi_(constraint_count()),
      lambda_(constraint_count()),
      change_(constraint_count()),
      more_lambda_(constraint_count()),
      q_(model.nq()) {
  lambda().setZero(constraint_count());
  for (const Vector& q : mobility_.nearby) calibrate(q);
  factors_->judge_early();
  set(constraints_.time(), model_.neutral(), still_);
  if (constraint_count() == 0) update_constraints();  // reserves memory
}
MechanismState::~MechanismState() = default;
MechanismState::MechanismState(const MechanismState&) = default;
MechanismState::MechanismState(MechanismState&&) noexcept = default;
MechanismState& MechanismState::operator=(const MechanismState&) = default;
MechanismState& MechanismState::operator=(MechanismState&&) noexcept = default;

namespace {

int entry_number(const Vector& x, const double* entry) {
  return static_cast<int>(entry - x.data());
}
Eigen::Map<const Eigen::VectorXd> as_vector(std::span<const double> x) {
  return {x.data(), static_cast<Eigen::Index>(x.size())};
}

}  // namespace

JointState<double> MechanismState::operator[](const ModelJoint& joint) {
  require_joint(model_, joint);
  // Only set_q and set_v write them.
  const auto part = [](const Vector& x, int first, int count) {
    return std::span(const_cast<double*>(x.data()) + first, static_cast<std::size_t>(count));
  };
  return {{joint, part(at().q, joint.q_index, joint.nq), this,
           [](void* owner, const double* first, std::span<const double> x) {
             auto* self = static_cast<MechanismState*>(owner);
             self->set_q(entry_number(self->at().q, first), as_vector(x));
           }},
          {joint, part(at().v, joint.v_index, joint.nv), this,
           [](void* owner, const double* first, std::span<const double> x) {
             auto* self = static_cast<MechanismState*>(owner);
             self->set_v(entry_number(self->at().v, first), as_vector(x));
           }}};
}
JointState<const double> MechanismState::operator[](const ModelJoint& joint) const {
  return {q_of(model_, at().q, joint), v_of(model_, at().v, joint)};
}

/// Calls a function of set_forces, which must not modify the system that calls it: its inputs would change, or the
/// function itself be destroyed.
template <class Call>
void MechanismState::call_forces(const Call& call) const {
  require_no_call();
  struct Guard {
    bool& flag;
    explicit Guard(bool& it) : flag(it) { flag = true; }
    ~Guard() { flag = false; }
  } const guard(calling_.now);
  call();
}
void MechanismState::require_no_call() const {
  if (calling_.now) [[unlikely]]
    throw Error(
        "a force uses the system that it acts on, or another thread does; compute from the time "
        "and "
        "the kinematics that it is given, or give each its own system");
}

void MechanismState::set_forces(ForceFunction forces, ExpandFunction expand,
                                TangentFunction tangent) {
  require_no_call();
  forces_ = std::move(forces);
  expand_ = std::move(expand);
  tangent_ = std::move(tangent);
  forces_known_ = tangent_known_ = false;
}

void MechanismState::expand_forces(ForceExpansion& out) const {
  for (Vector* x : {&out.constant, &out.stiffness, &out.rest, &out.damping})
    x->setZero(model().nv());
  out.wrenches.clear(), out.series.clear();
  if (!forces_) return;
  if (!expand_)
    throw Error(
        "the forces are a function that cannot be expanded in time; give set_forces their "
        "expansion, or take a method that needs rates only, such as dop853");
  call_forces([&] { expand_(out); });
  for (const auto& [name, x] : {std::pair{"constant", &out.constant},
                                {"stiffness", &out.stiffness},
                                {"rest", &out.rest},
                                {"damping", &out.damping}})
    require_size(std::string("the expansion of the forces, ") + name + ",", *x, model().nv());
}

void MechanismState::invalidate() {
  pass_ = Pass::none;
  forces_known_ = tangent_known_ = constraints_known_ = factored_ = false;
}

const VelocityKinematics& MechanismState::velocity() {
  if (pass_ == Pass::acceleration) return kin_;
  if (pass_ == Pass::none) {
    forward_kinematics(model_, at().q, at().v, vel_);
    ++passes_;
    pass_ = Pass::velocity;
  }
  return vel_;
}
const AccelerationKinematics& MechanismState::kinematics(ConstVectorRef a) {
  if (pass_ == Pass::acceleration && a.size() == nv() && a == kin_a_) return kin_;
  forward_kinematics(model_, at().q, at().v, a, kin_);
  ++passes_;
  pass_ = Pass::acceleration, kin_a_ = a;
  return kin_;
}

const JointForces& MechanismState::forces(double t, const VelocityKinematics& kin) {
  require_no_call();
  acting_.wrenches.clear();
  acting_.tau.setZero(model_.nv());
  forces_known_ = false;
  if (forces_) call_forces([&] { forces_(t, kin, acting_); });
  require_size("the joint forces", acting_.tau, model_.nv());
  return acting_;
}
const JointForces& MechanismState::forces() {
  if (forces_known_) return acting_;
  if (forces_)
    forces(at().t, velocity());
  else
    acting_.wrenches.clear(), acting_.tau.setZero(model_.nv());
  forces_known_ = true;
  return acting_;
}
const ForceTangent& MechanismState::force_tangent() {
  if (tangent_known_) return force_tangent_;
  force_tangent_.clear();
  if (forces_ && tangent_) {
    const VelocityKinematics& kin = velocity();
    call_forces([&] { tangent_(at().t, kin, force_tangent_); });
  }
  tangent_known_ = true;
  return force_tangent_;
}

void MechanismState::force(VectorRef out) {
  dynamics_residual(still_, out);
  out = -out;
}
/// Inverse dynamics on the kinematics of this state.
void MechanismState::dynamics_residual(ConstVectorRef a, VectorRef out) {
  require_size("a", a, nv());
  require_size("the residual", out, nv());
  const AccelerationKinematics& kin = kinematics(a);
  const JointForces& acting = forces();
  factors_->newton_euler(kin, acting.wrenches);
  factors_->project_on_joints(kin, out);
  out -= acting.tau;
}

void MechanismState::momentum_rate(VectorRef out) {
  const JointForces& acting = forces();
  chasles::momentum_rate(model_, velocity(), acting.tau, out, factors_->momenta, acting.wrenches);
}
void MechanismState::mass_times(ConstVectorRef x, VectorRef out) {
  chasles::mass_times(model_, position(), x, out, factors_->momenta);
}
void MechanismState::mass_matrix(Matrix& M) {
  M = chasles::mass_matrix(model_, at().q, factors_->mass);
}

void MechanismState::update_constraints() {
  if (constraints_known_) return;
  constraints_.set_time(at().t);
  constraints_.update(position());
  constraints_known_ = true;
}
void MechanismState::constraint_error(VectorRef Phi) {
  update_constraints();
  constraints_.constraint_error(position(), Phi);
}
void MechanismState::constraint_times(ConstVectorRef x, VectorRef out) {
  require_size("x", x, nv());
  update_constraints();
  if (x.data() == at().v.data()) return constraints_.rate(velocity(), out);
  VelocityKinematics& moving = factors_->moving;
  forward_kinematics(model_, at().q, x, moving);
  ++passes_;
  constraints_.rate(moving, out);
}
void MechanismState::constraint_time_rate(VectorRef out) {
  if (!constraints_.depends_on_time()) return MechanicalSystem::constraint_time_rate(out);
  update_constraints();
  constraints_.time_rate(position(), out);
}
void MechanismState::constraint_bias(VectorRef out) {
  update_constraints();
  constraints_.bias(bias(), out);
}
void MechanismState::constraint_force(ConstVectorRef lambda, VectorRef out) {
  update_constraints();
  constraints_.force(position(), lambda, out);
}
void MechanismState::constraint_matrix(Matrix& B) {
  update_constraints();
  constraints_.matrix(position(), B);
}
void MechanismState::independent_equations(Matrix& U) {
  if (constraint_count() > 0) factorize();
  if (constraint_count() > 0 && factors_->is_dense) {
    U = factors_->dense.U;
    return;
  }
  int rank = 0, column = 0;
  for (const KeptEquations& block : factors_->kept_equations()) rank += block.rank;
  U.setZero(constraint_count(), rank);
  for (const KeptEquations& block : factors_->kept)
    for (int k = 0; k < block.rank; ++k, ++column)
      for (int r = 0; r < block.rows; ++r) U(block.first + r, column) = block.U[k * block.rows + r];
}
void MechanismState::calibrate(ConstVectorRef q) {
  set(constraints_.time(), q, still_);
  update_constraints();
  try {
    factors_->whole.calibrate(q, constraints_);
    if (factors_->early) factors_->early->calibrate(q, constraints_);
  } catch (const SingularError&) {  // where M is singular
    factorize_dense();
    factors_->dense.usual = std::max(factors_->dense.usual, factors_->dense.pivot);
    factored_ = false;
  }
}
void MechanismState::constraint_stiffness(ConstVectorRef lambda, Matrix& S) {
  update_constraints();
  if (!constraints_.stiffness(position(), lambda, S))
    MechanicalSystem::constraint_stiffness(lambda, S);
}
void MechanismState::constraint_forces(JointForces& out) {
  update_constraints();
  constraints_.forces(position(), multipliers(), out.wrenches, out.tau);
}

/// Generalized forces of everything that acts besides gravity: joint forces, and wrenches projected on the joints.
void MechanismState::acting_force(ConstVectorRef q, ConstVectorRef v, VectorRef out) {
  forward_kinematics(model_, q, v, factors_->moving);
  const JointForces& acting = forces(at().t, factors_->moving);
  out = acting.tau;
  if (acting.wrenches.empty()) return;
  InverseDynamics& inverse = factors_->inverse;
  out += inverse_dynamics(model_, q, still_, still_, inverse);
  out -= inverse_dynamics(model_, q, still_, still_, inverse, acting.wrenches);
}

void MechanismState::difference_forces(Tangent& out) {
  const double step = std::cbrt(std::numeric_limits<double>::epsilon());
  Factors& f = *factors_;
  f.dx.setZero();  // a force that threw may have left nonzero entries
  for (int k = 0; k < nv(); ++k) {
    const auto difference = [&](auto&& move, Matrix& matrix) {
      f.dx[k] = step;
      move();
      acting_force(q_, step_, f.plus);
      f.dx[k] = -step;
      move();
      acting_force(q_, step_, f.minus);
      matrix.col(k) -= (f.plus - f.minus) / (2 * step);
      f.dx[k] = 0;
    };
    step_ = at().v;
    difference([&] { group_.plus(at().q, f.dx, q_); }, out.K);
    q_ = at().q;
    difference([&] { step_ = at().v + f.dx; }, out.D);
  }
}

void MechanismState::tangent(ConstVectorRef a, Tangent& out) {
  const auto& d = d_inverse_dynamics(model_, at().q, at().v, a, factors_->derivatives_of(model_));
  out.K = d.dq(), out.D = d.dv(), out.M = d.da();
  if (forces_ && tangent_)
    factors_->force_tangents_of(model_).subtract(velocity(), force_tangent(), out);
  else if (forces_)
    difference_forces(out);
}
void MechanismState::prepare(Tangent& out) {
  MechanicalSystem::prepare(out);
  factors_->derivatives_of(model_);
  factors_->force_tangents_of(model_);
}

std::unique_ptr<NewtonMatrix> MechanismState::newton(ConstraintLevel level, int stages) {
  require_newton(level, stages);
  return std::make_unique<MechanismNewton>(*this, level, stages);
}

}  // namespace chasles
