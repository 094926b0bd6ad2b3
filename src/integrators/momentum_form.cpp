#include "chasles/integrators/momentum_form.hpp"

#include <Eigen/Cholesky>

#include "kinematics/link_motion.hpp"

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

void require_free_base(const Model& model, std::string_view what) {
  const std::vector<Link>& links = model.links();
  if (links.empty() || links[0].motion != LinkMotion::rigid || links[0].parent >= 0 ||
      links[0].end != static_cast<int>(links.size()))
    throw Error(std::string(what) + ": the mechanism '" + model.name() +
                "' must be one tree on one free joint");
}

MomentumForm::MomentumForm(ModelSystem& system)
    : system_(&system), mass_(system.model()), kin_(system.model()) {
  require_free_base(system.model(), "momentum form");
  v_.setZero(nv());
  a_ = v_;
}

/// The frame of the base link in the world.
SE3 MomentumForm::base(ConstVectorRef q) const {
  const Link& link = system_->model().links()[0];
  return link.P * kinematics::group_motion(system_->model(), link, q.data());
}

void MomentumForm::momenta(ConstVectorRef q, ConstVectorRef v, Vector u) {
  const Eigen::MatrixXd& M = mass_matrix(system_->model(), q, mass_);
  const Vector6 p = M.topRows<6>() * v;
  u.tail(nv() - 6) = v.tail(nv() - 6);
  u.head<6>() = six(Ad_inv_dual(base(q), wrench(p.data())));
}

void MomentumForm::velocities_of(ConstVectorRef q, ConstVectorRef u, Vector v) {
  const Eigen::MatrixXd& M = mass_matrix(system_->model(), q, mass_);
  const Eigen::Index n = nv() - 6;
  Vector6 p = six(Ad_dual(base(q), wrench(u.data())));
  for (Eigen::Index j = 0; j < n; ++j) p -= M.block<6, 1>(0, 6 + j) * u[6 + j];
  const Matrix6 M_00 = M.topLeftCorner<6, 6>();
  v.head<6>() = M_00.llt().solve(p);  // (1)
  v.tail(n) = u.tail(n);
}

void MomentumForm::rates(double t, ConstVectorRef q, ConstVectorRef u, Vector velocity,
                         Vector u_dot) {
  velocities_of(q, u, velocity);
  system_->acceleration(t, q, velocity, u_dot);  // (3)
  if (system_->has_forces() && system_->acts_from_outside())
    throw Error(
        "momentum form: a force acts on the base or a body from outside, so momentum is not kept; "
        "take the method without it");
  const Vec3& g = system_->model().gravity();  // (2)
  u_dot.head<6>().setZero();
  if (g.x == 0 && g.y == 0 && g.z == 0) return;
  positions(system_->model(), q, kin_);
  const double m = system_->model().mass();
  u_dot.head<6>() = six({cross(center_of_mass(system_->model(), kin_), m * g), m * g});
}
void MomentumForm::acceleration(double t, ConstVectorRef q, ConstVectorRef u, Vector out) {
  rates(t, q, u, v_, out);
}

void MomentumForm::plus(ConstVectorRef q, ConstVectorRef x, Vector out) const {
  system_->plus(q, x, out);
}
void MomentumForm::minus(ConstVectorRef q1, ConstVectorRef q0, Vector out) const {
  system_->minus(q1, q0, out);
}
void MomentumForm::dexp_inv(ConstVectorRef x, ConstVectorRef v, Vector out) const {
  system_->dexp_inv(x, v, out);
}
void MomentumForm::dexp(ConstVectorRef x, ConstVectorRef u, Vector out) const {
  system_->dexp(x, u, out);
}
double MomentumForm::rotation(ConstVectorRef x) const { return system_->rotation(x); }
void MomentumForm::chart_plus(LocalCoordinates kind, ConstVectorRef q, ConstVectorRef x,
                              Vector out) const {
  system_->chart_plus(kind, q, x, out);
}
void MomentumForm::chart_rate(LocalCoordinates kind, ConstVectorRef x, ConstVectorRef v,
                              Vector out) const {
  system_->chart_rate(kind, x, v, out);
}
void MomentumForm::coordinate_rate(ConstVectorRef q, ConstVectorRef v, Vector out) const {
  system_->coordinate_rate(q, v, out);
}
void MomentumForm::normalize(Vector q) const { system_->normalize(q); }

MomentumIntegrator::MomentumIntegrator(ModelSystem& system, const IntegratorOptions& options)
    : form_(system) {
  IntegratorOptions inside = options;
  inside.momentum_form = false;
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
void MomentumIntegrator::reset(const State& start) {
  require_size("q", static_cast<std::size_t>(start.q.size()), form_.nq());
  require_size("v", static_cast<std::size_t>(start.v.size()), form_.nv());
  now_ = before_ = u_ = start;
  form_.momenta(start.q, start.v, u_.v);
  inner_->reset(u_);
  statistics_ = {};
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
