#include "chasles/systems/first_order_forms.hpp"

#include "chasles/kinematics/system_jacobian.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles {
namespace first_order_forms {

/// A Lie group times R^k; its coordinates come last.
class ProductWithVectors : public Group {
 public:
  ProductWithVectors(const Group& group, int k) : group_(group), k_(k) {}
  int nq() const override { return group_.nq() + k_; }
  int nv() const override { return group_.nv() + k_; }
  std::vector<Factor> factors() const override { return group_.factors(); }
  void plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const override {
    require_points({{"q", q.size()}, {"out", out.size()}});
    require_tangents({{"x", x.size()}});
    const Eigen::VectorXd moved = q.tail(k_) + x.tail(k_);
    group_.plus(head(q), head_v(x), out.head(group_.nq()));
    out.tail(k_) = moved;
  }
  void minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const override {
    require_points({{"q1", q1.size()}, {"q0", q0.size()}});
    require_tangents({{"out", out.size()}});
    const Eigen::VectorXd way = q1.tail(k_) - q0.tail(k_);
    group_.minus(head(q1), head(q0), out.head(group_.nv()));
    out.tail(k_) = way;
  }
  void dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const override {
    require_tangents({{"x", x.size()}, {"v", v.size()}, {"out", out.size()}});
    const Eigen::VectorXd same = v.tail(k_);
    group_.dexp_inv(head_v(x), head_v(v), out.head(group_.nv()));
    out.tail(k_) = same;
  }
  void dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const override {
    require_tangents({{"x", x.size()}, {"u", u.size()}, {"out", out.size()}});
    const Eigen::VectorXd same = u.tail(k_);
    group_.dexp(head_v(x), head_v(u), out.head(group_.nv()));
    out.tail(k_) = same;
  }
  double rotation(ConstVectorRef x) const override {
    require_tangents({{"x", x.size()}});
    return group_.rotation(head_v(x));
  }

 private:
  using Sizes = std::initializer_list<std::pair<const char*, Eigen::Index>>;
  void require_points(Sizes sizes) const {
    for (const auto& [name, size] : sizes) require_size(name, static_cast<std::size_t>(size), nq());
  }
  void require_tangents(Sizes sizes) const {
    for (const auto& [name, size] : sizes) require_size(name, static_cast<std::size_t>(size), nv());
  }
  Eigen::VectorXd head(ConstVectorRef q) const { return q.head(group_.nq()); }
  Eigen::VectorXd head_v(ConstVectorRef x) const { return x.head(group_.nv()); }
  const Group& group_;
  int k_;
};

}  // namespace first_order_forms

using first_order_forms::ProductWithVectors;

struct TwistForm::Parts {
  std::vector<int> bodies;
  ProductWithVectors group;
  AccelerationKinematics kin;
};

TwistForm::TwistForm(MechanismState& system) : system_(&system) {
  const Model& model = system.model();
  std::vector<int> bodies = moving_bodies(model);
  const int size = 6 * static_cast<int>(bodies.size());
  parts_ = std::make_shared<Parts>(Parts{
      std::move(bodies), ProductWithVectors(system.group(), size), AccelerationKinematics(model)});
}

const Group& TwistForm::group() const { return parts_->group; }

std::vector<Twist> TwistForm::twists_of(ConstVectorRef x) const {
  std::vector<Twist> V;
  for (std::size_t i = 0; i < parts_->bodies.size(); ++i)
    V.push_back(
        from_eigen<Twist>(x.segment<6>(system_->model().nq() + 6 * static_cast<Eigen::Index>(i))));
  return V;
}

State TwistForm::state(const State& of) const {
  const Model& model = system_->model();
  require_size("q", of.q, model.nq());
  require_size("v", of.v, model.nv());
  VelocityKinematics kin(model);
  forward_kinematics(model, of.q, of.v, kin);
  State out{of.t, Vector(group().nq()), Vector(group().nv())};
  out.q.head(model.nq()) = of.q;
  for (std::size_t i = 0; i < parts_->bodies.size(); ++i) {
    const ModelBody& body = model.bodies()[static_cast<std::size_t>(parts_->bodies[i])];
    const Twist V = twist(kin, body.frame, Representation::body);
    out.q.segment<6>(model.nq() + 6 * static_cast<Eigen::Index>(i)) = to_eigen(V);
  }
  return out;
}

State TwistForm::mechanism_state(const State& state) const {
  const Model& model = system_->model();
  require_size("q", state.q, group().nq());
  PositionKinematics kin(model);
  const Vector q = state.q.head(model.nq());
  forward_kinematics(model, q, kin);
  return {state.t, q, inverse_velocities(model, kin, twists_of(state.q), Representation::body)};
}

double TwistForm::inconsistency(const State& state) const {
  const State of = mechanism_state(state);
  VelocityKinematics kin(system_->model());
  forward_kinematics(system_->model(), of.q, of.v, kin);
  const std::vector<Twist> V = twists_of(state.q);
  double worst = 0;
  for (std::size_t i = 0; i < V.size(); ++i) {
    const auto b = static_cast<std::size_t>(parts_->bodies[i]);
    const Twist own = twist(kin, system_->model().bodies()[b].frame, Representation::body);
    worst = std::max(worst, max_abs(V[i] - own));
  }
  return worst;
}

void TwistForm::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                      VectorRef v_dot) {
  const Model& model = system_->model();
  require_size("v", v, group().nv());
  require_size("velocity", velocity, group().nv());
  require_size("v_dot", v_dot, group().nv());
  const State at = mechanism_state({t, q, {}});
  Vector a(model.nv());
  system_->set(at);
  system_->acceleration(a);
  AccelerationKinematics& kin = parts_->kin;
  forward_kinematics(model, at.q, at.v, a, kin);
  velocity.head(model.nv()) = at.v;
  for (std::size_t i = 0; i < parts_->bodies.size(); ++i) {
    const ModelBody& body = model.bodies()[static_cast<std::size_t>(parts_->bodies[i])];
    const Twist A = acceleration(kin, body.frame, Representation::body);
    velocity.segment<6>(model.nv() + 6 * static_cast<Eigen::Index>(i)) = to_eigen(A);
  }
  v_dot.setZero();
}

CanonicalForm::CanonicalForm(MechanicalSystem& system)
    : system_(&system),
      v_(system.nv()),
      sigma_(system.constraint_count()),
      c_(system.constraint_count()) {}

void CanonicalForm::solve(double t, ConstVectorRef q, ConstVectorRef p) {
  require_size("q", q, system_->nq());
  require_size("p", p, system_->nv());
  v_.setZero();
  system_->set(t, q, v_);
  system_->constraint_time_rate(c_);
  c_ = -c_;
  const Vector given = p;
  system_->solve(given, c_, v_, sigma_);
}

State CanonicalForm::state(const State& of) {
  require_size("q", of.q, system_->nq());
  require_size("v", of.v, system_->nv());
  State out = of;
  system_->set(of);
  system_->mass_times(of.v, out.v);
  return out;
}

State CanonicalForm::mechanism_state(const State& state) {
  solve(state.t, state.q, state.v);
  return {state.t, state.q, v_};
}

void CanonicalForm::rates(double t, ConstVectorRef q, ConstVectorRef p, VectorRef velocity,
                          VectorRef p_dot) {
  require_size("velocity", velocity, system_->nv());
  require_size("p_dot", p_dot, system_->nv());
  solve(t, q, p);
  system_->set(t, q, v_);
  system_->momentum_rate(p_dot);
  if (sigma_.size() > 0) {
    system_->constraint_stiffness(sigma_, S_);
    p_dot += S_ * v_;
  }
  velocity = v_;
}

}  // namespace chasles
