#include "integrators/invariants/momentum_form.hpp"

#include <Eigen/Cholesky>

#include "chasles/dynamics/energy.hpp"

namespace chasles {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Wrench wrench(const double* u) { return {{u[0], u[1], u[2]}, {u[3], u[4], u[5]}}; }
Vector6 six(const Wrench& W) {
  Vector6 x;
  x << W.t.x, W.t.y, W.t.z, W.f.x, W.f.y, W.f.z;
  return x;
}

}  // namespace

MomentumForm::MomentumForm(ModelSystem& system)
    : system_(&system),
      base_(system.model(), "momentum form"),
      mass_(system.model()),
      kin_(system.model()),
      v_(system.nv()) {}

void MomentumForm::momenta(ConstVectorRef q, ConstVectorRef v, VectorRef u) {
  const Matrix& M = mass_matrix(system_->model(), q, mass_);
  const Vector6 p = M.topRows<6>() * v;
  u.tail(nv() - 6) = v.tail(nv() - 6);
  Wrench h = wrench(p.data());
  h.f = inverse_times(base_.A(q), h.f);
  u.head<6>() = six(Ad_inv_dual(base_.pose(q), h));
}

void MomentumForm::velocities_of(ConstVectorRef q, ConstVectorRef u, VectorRef v) {
  const Matrix& M = mass_matrix(system_->model(), q, mass_);
  const Eigen::Index n = nv() - 6;
  Wrench h = Ad_dual(base_.pose(q), wrench(u.data()));
  h.f = base_.A(q) * h.f;
  Vector6 p = six(h);
  for (Eigen::Index j = 0; j < n; ++j) p -= M.block<6, 1>(0, 6 + j) * u[6 + j];
  const Matrix6 M_00 = M.topLeftCorner<6, 6>();
  v.head<6>() = M_00.llt().solve(p);  // (1)
  v.tail(n) = u.tail(n);
}

void MomentumForm::rates(double t, ConstVectorRef q, ConstVectorRef u, VectorRef velocity,
                         VectorRef u_dot) {
  velocities_of(q, u, velocity);
  system_->rates(t, q, velocity, v_, u_dot);  // (3)
  u_dot.head<6>() = six(from_outside(q));
}

/// h' of (2).
Wrench MomentumForm::from_outside(ConstVectorRef q) {
  const Model& model = system_->model();
  const Vec3& g = model.gravity();
  const JointForces& acting = system_->forces();
  Wrench sum;
  if (!acting.wrenches.empty() || g.x != 0 || g.y != 0 || g.z != 0)
    forward_kinematics(model, q, kin_);
  if (g.x != 0 || g.y != 0 || g.z != 0) {
    const Vec3 weight = model.mass() * g;
    sum = {cross(center_of_mass(model, kin_), weight), weight};
  }
  for (const AppliedWrench& a : acting.wrenches)
    if (a.frame.link >= 0)
      sum += convert(a.W, pose(kin_, a.frame), a.representation, Representation::spatial);
  if (!acting.tau.head<6>().isZero(0)) {
    Wrench Q_0 = wrench(acting.tau.data());
    Q_0.f = inverse_times(base_.A(q), Q_0.f);
    sum += Ad_inv_dual(base_.pose(q), Q_0);
  }
  return sum;
}
namespace {

/// Adapts a hook for states (q, v) to states (q, u).
class HookOnMomenta : public StepHook {
 public:
  HookOnMomenta(std::shared_ptr<StepHook> hook, MomentumForm& form)
      : hook_(std::move(hook)), form_(&form) {}
  void start(const State& state) override {
    take(state);
    hook_->start(at_);
  }
  void reached(State& state) override {
    take(state);
    hook_->reached(at_);
    state.t = at_.t, state.q = at_.q;
    if (at_.q.size() == form_->nq() && at_.v.size() == form_->nv())
      form_->momenta(at_.q, at_.v, state.v);
    else
      state.v = at_.v;  // rejected by the integrator
  }

 private:
  void take(const State& state) {
    at_ = state;
    form_->velocities_of(state.q, state.v, at_.v);
  }
  std::shared_ptr<StepHook> hook_;
  MomentumForm* form_;
  State at_;
};

}  // namespace

MomentumIntegrator::MomentumIntegrator(ModelSystem& system, const IntegratorOptions& options)
    : form_(system) {
  IntegratorOptions inside = options;
  inside.momentum_form = inside.keep_invariants = false;
  if (options.hook) inside.hook = std::make_shared<HookOnMomenta>(options.hook, form_);
  inner_ = make_integrator(form_, inside);
}
void MomentumIntegrator::take_over() {
  const State &a = inner_->before(), &b = inner_->state();
  before_.t = a.t, before_.q = a.q;
  form_.velocities_of(a.q, a.v, before_.v);
  now_.t = b.t, now_.q = b.q;
  form_.velocities_of(b.q, b.v, now_.v);
  statistics_ = inner_->statistics();
}
void MomentumIntegrator::begin(const State& start) {
  require_size("q", start.q, form_.nq());
  require_size("v", start.v, form_.nv());
  now_ = before_ = u_ = start;
  form_.momenta(start.q, start.v, u_.v);
  statistics_ = {};
}
void MomentumIntegrator::reset(const State& start) {
  begin(start);
  inner_->reset(u_);
}
void MomentumIntegrator::resume(const State& at, const Checkpoint& from) {
  begin(at);
  inner_->resume(u_, from);
}
void MomentumIntegrator::step(double until) {
  inner_->step(until);
  take_over();
}
void MomentumIntegrator::retry(double until) {
  inner_->retry(until);
  take_over();
}
void MomentumIntegrator::replace(ConstVectorRef q, ConstVectorRef v) {
  require_size("q", q, form_.nq());
  require_size("v", v, form_.nv());
  form_.momenta(q, v, u_.v);
  inner_->replace(q, u_.v);
  take_over();
}
void MomentumIntegrator::interpolate(double t, State& out) const {
  inner_->interpolate(t, u_);
  out.t = u_.t, out.q = u_.q;
  out.v.resize(u_.v.size());
  form_.velocities_of(u_.q, u_.v, out.v);
}

}  // namespace chasles
