#include "integrators/explicit/taylor.hpp"

#include <algorithm>
#include <cmath>

#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

constexpr int default_order = 16, least_order = 2, most_order = 40;
/// Safety factors: on the tolerance, and on the radius of convergence estimated by (3).
constexpr double safety = 0.01, most_part = 0.8;

int order_of(const IntegratorOptions& options) {
  const int order = options.order.value_or(default_order);
  if (order < least_order || order > most_order)
    throw Error("taylor: order " + std::to_string(order) + " is not possible; give " +
                std::to_string(least_order) + " to " + std::to_string(most_order));
  return order;
}

}  // namespace

Taylor::Taylor(ModelSystem& system, const IntegratorOptions& options)
    : OneStep(system, options),
      mechanism_(&system),
      p_(order_of(options)),
      series_(system.model(), p_ - 1),
      q_(system.nq(), p_ + 1),
      motion_(series_, q_, static_cast<std::size_t>(p_ - 1)),
      loops_(system, series_, static_cast<std::size_t>(p_ - 1)),
      q_end_(system.nq()),
      v_end_(system.nv()),
      dx_(system.nv()),
      dv_(system.nv()),
      x_i_(system.nv()),
      q_i_(system.nq()) {
  k_ = p_ + 1;
  order_ = p_;
  stability_ = 0.37 * p_ + 1.3;  // interval of the truncated exponential on the negative real axis
  needs_start_rates_ = false;
  at_ = {0, Vector(system.nq()), Vector(system.nv())};
  try {
    system.expand_forces(forces_);
  } catch (const Error& error) {
    throw Error(std::string("taylor: ") + error.what());
  }
}

void Taylor::expand() const {
  if (known_ && at_.t == before_.t && at_.q == before_.q && at_.v == before_.v) return;
  known_ = false;
  at_ = before_;
  ++statistics_.evaluations;
  mechanism_->expand_forces(forces_);
  const Model& model = mechanism_->model();
  const bool poses =
      std::ranges::any_of(forces_.series, [](const auto& force) { return force->needs_poses(); });
  if (poses || !loops_.empty()) mechanism_->set(at_);
  motion_.start(at_.t, poses ? &mechanism_->position() : nullptr);
  series_.v.col(0) = at_.v;
  series_.start(at_.q, {forces_.wrenches, {}});
  series_.factorize();
  loops_.start();
  q_.col(0) = at_.q;
  for (int k = 0; k < p_; ++k) {
    expand_forces(k);
    const auto order = static_cast<std::size_t>(k);
    loops_.load(order);
    series_.forward(order);
    if (!loops_.empty()) {
      loops_.solve(order, series_.tau.col(k));
      series_.forward(order);
    }
    for (const Link& link : tree_links(model))
      if (group_of(link.motion).flat)
        q_.block(link.q_index, k + 1, link.nq, 1) =
            series_.v.block(link.v_index, k, link.nv, 1) / (k + 1);
  }
  expand_quaternions();
  g_ = decay();
  known_ = true;
}

/// Joint forces and loads of order k.
void Taylor::expand_forces(int k) const {
  auto tau = series_.tau.col(k);
  tau = -forces_.damping.cwiseProduct(series_.v.col(k));
  if (k == 0) tau += forces_.constant;
  for (const Link& link : tree_links(mechanism_->model()))
    if (group_of(link.motion).flat)
      for (int c = link.v_index; c < link.v_index + link.nv; ++c) {
        const double q = q_(link.q_index + c - link.v_index, k);
        tau[c] -= forces_.stiffness[c] * (k == 0 ? q - forces_.rest[c] : q);
      }
  std::ranges::fill(series_.loads(), Wrench{});
  motion_.advance(static_cast<std::size_t>(k));
  for (const auto& force : forces_.series) force->add(motion_, tau);
}

/// (2) for joints with quaternions.
void Taylor::expand_quaternions() const {
  for (std::size_t i = 0; i < tree_links(mechanism_->model()).size(); ++i) {
    const Link& link = tree_links(mechanism_->model())[i];
    if (group_of(link.motion).flat) continue;
    q_.block<4, 1>(link.q_index, 0).normalize();
    for (int k = 0; k < p_; ++k) {
      double sum[4] = {};
      for (int j = 0; j <= k; ++j) {
        const double* p = &q_(link.q_index, j);
        const double* w = &series_.v(link.v_index, k - j);
        sum[0] -= p[1] * w[0] + p[2] * w[1] + p[3] * w[2];
        sum[1] += p[0] * w[0] + p[2] * w[2] - p[3] * w[1];
        sum[2] += p[0] * w[1] + p[3] * w[0] - p[1] * w[2];
        sum[3] += p[0] * w[2] + p[1] * w[1] - p[2] * w[0];
      }
      for (int c = 0; c < 4; ++c) q_(link.q_index + c, k + 1) = sum[c] / (2 * (k + 1));
      if (link.nq == 7) {
        const Vec3 r = series_.position(i, static_cast<std::size_t>(k + 1));
        for (int c = 0; c < 3; ++c) q_(link.q_index + 4 + c, k + 1) = r[c];
      }
    }
  }
}

double Taylor::decay() const {
  const double tolerance = options_.tolerance.value_or(1e-10);
  double g = 0;
  for (int k = std::max(p_ - 5, p_ / 2); k <= p_; ++k) {
    x_i_ = series_.v.col(k - 1) / k;
    w_ = series_.v.col(k);
    g = std::max(g, std::pow(error_norm(x_i_, w_) * tolerance, 1.0 / k));
  }
  return g;
}

double Taylor::known_step() {
  expand();
  if (!std::isfinite(g_)) fail("the accelerations are not finite");
  const double tolerance = options_.tolerance.value_or(1e-10);
  const double part = std::min(std::pow(safety * tolerance, 1.0 / (p_ + 1)), most_part);
  // Zero acceleration: no step limit.
  return g_ > 0 ? part / g_ : std::numeric_limits<double>::max();
}

void Taylor::evaluate(double h, Vector& q, Vector& v) const {
  q = q_.col(p_);
  v = series_.v.col(p_);
  for (int k = p_ - 1; k >= 0; --k) {
    q = h * q + q_.col(k);
    v = h * v + series_.v.col(k);
  }
  if (mechanism_->nq() != mechanism_->nv()) group().normalize(q);
}

double Taylor::attempt(double h) {
  expand();
  evaluate(h, now_.q, now_.v);
  q_end_ = now_.q, v_end_ = now_.v;
  dx_.setZero(), dv_.setZero();
  x_.setZero();
  if (!now_.q.allFinite()) return std::numeric_limits<double>::quiet_NaN();
  const double last = std::pow(h, p_);
  e_v_ = last * series_.v.col(p_);
  e_x_ = (last / p_) * series_.v.col(p_ - 1);
  return std::pow(g_ * h, p_ + 1) / options_.tolerance.value_or(1e-10);
}

void Taylor::moved() {
  group().minus(now_.q, q_end_, dx_);
  dv_ = now_.v - v_end_;
}

/// The series, blended with the change that a hook made at the end.
void Taylor::point(double s, Vector& q, Vector& v) const {
  evaluate(s * h_, q, v);
  const double blend = s * s * (3 - 2 * s);
  v += blend * dv_;
  if (dx_.isZero(0)) return;
  x_i_ = blend * dx_;
  q_i_ = q;
  group().plus(q_i_, x_i_, q);
}

}  // namespace chasles
