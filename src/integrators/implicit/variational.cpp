#include "integrators/implicit/variational.hpp"

#include <cmath>

#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {

using namespace dynamics;

DiscreteLagrangian::DiscreteLagrangian(ModelSystem& system, const IntegratorOptions& options)
    : OneStep(system, options),
      mechanism_(&system),
      kin_0_(system.model()),
      kin_1_(system.model()),
      M_0_(system.model()),
      M_1_(system.model()),
      momenta_(system.model()),
      anderson_(system.nv(), 4) {
  needs_start_rates_ = false;
  q_1_.setZero(system.nq());
  for (Vector* x : {&p_, &p_1_, &f_0_, &f_1_, &r_, &G_, &v_1_, &zero_, &dp_, &dv_})
    x->setZero(system.nv());
}

void DiscreteLagrangian::node(double t, ConstVectorRef q, ConstVectorRef v, VelocityKinematics& kin,
                              MassFactorization& M, Vector& f) {
  forward_kinematics(model(), q, v, kin);
  const JointForces& acting = mechanism_->forces(t, kin);
  generalized_force(model(), kin, acting.tau, f, momenta_, acting.wrenches);
  M.factorize(model(), kin);
}

namespace {

double largest(const Vector& x) { return x.size() > 0 ? x.lpNorm<Eigen::Infinity>() : 0; }
double distance(const Vector& a, const Vector& b) {
  return a.size() > 0 ? (b - a).lpNorm<Eigen::Infinity>() : 0;
}

}  // namespace

double DiscreteLagrangian::rounding(MassFactorization& M, const Vector& p) {
  dp_.setZero();
  shake(dp_, 2e-16 * largest(p));
  M.solve(dp_, dv_);
  return largest(dv_);
}

void DiscreteLagrangian::depart(double h) {
  anderson_.restart();
  Settling settled(4e-16 * (1 + largest(x_)));
  for (int iteration = 1;; ++iteration) {
    group().plus(before_.q, x_, q_1_);
    departing(h, r_);
    ++statistics_.iterations, ++statistics_.evaluations;
    r_ -= p_;  // (1)
    M_0_.solve(r_, G_);
    G_ = x_ - h * G_;
    const double change = distance(x_, G_);
    if (!std::isfinite(change) || iteration > 100)
      fail_iteration("the iteration", iteration > 1, h);
    if (settled(change, [&](double) { return h * rounding(M_0_, p_); })) break;
    anderson_.next(x_, G_);
  }
  x_ = G_;
  group().plus(before_.q, x_, now_.q);
  q_1_ = now_.q;
}

void DiscreteLagrangian::arrive(double h) {
  now_.v = x_ / h;
  Settling settled(1e-15 * (1 + largest(now_.v)));
  for (int iteration = 1;; ++iteration) {
    node(now_.t, now_.q, now_.v, kin_1_, M_1_, f_1_);
    arriving(h, p_1_);
    p_1_ += (h / 2) * f_1_;  // (1)
    M_1_.solve(p_1_, G_);
    const double change = distance(now_.v, G_);
    now_.v = G_;
    if (!std::isfinite(change) && iteration == 1) fail_iteration("the iteration", false, h);
    if (!mechanism_->has_forces()) break;
    if (!std::isfinite(change) || iteration > 100)
      fail("forces at the end of the step do not settle with the step of " + to_short_text(h) +
           " s; take a smaller one");
    if (settled(change, [&](double) { return rounding(M_1_, p_1_); })) break;
  }
}

double DiscreteLagrangian::attempt(double h) {
  if (continues_) {
    std::swap(kin_0_, kin_1_);
    std::swap(M_0_, M_1_);
    f_0_.swap(f_1_);
  } else {
    node(before_.t, before_.q, before_.v, kin_0_, M_0_, f_0_);
    mass_times(model(), kin_0_, before_.v, p_, momenta_);
  }
  const bool continued = continues_;
  continues_ = false;
  p_ += (h / 2) * f_0_;
  begin();
  // v_1_ is the velocity a step ago.
  x_ = h * before_.v;
  if (continued && h_ == h) x_ += (h / 2) * (before_.v - v_1_);
  depart(h);
  v_1_ = before_.v;
  arrive(h);
  p_.swap(p_1_);
  continues_ = true;
  return 0;
}

Variational::Variational(ModelSystem& system, const IntegratorOptions& options)
    : DiscreteLagrangian(system, options),
      mu_(tree_links(system.model()).size()),
      at_0_near_(system.model()),
      at_1_near_(system.model()) {
  q_0_near_.setZero(system.nq());
  q_1_near_ = q_0_near_;
}

namespace {

bool is_free_base(const Link& link) { return link.parent < 0 && group_of(link.motion).nq == 7; }

}  // namespace

void Variational::begin() {
  q_0_near_ = before_.q;
  for (const Link& link : tree_links(model()))
    if (is_free_base(link)) q_0_near_.segment<3>(link.q_index + 4).setZero();
  forward_kinematics(model(), q_0_near_, at_0_near_);
}

void Variational::departing(double h, Vector& out) {
  group().plus(q_0_near_, x_, q_1_near_);
  forward_kinematics(model(), q_1_near_, at_1_near_);
  const std::vector<Twist>& H = M_0_.H();
  for (std::size_t i = 0; i < mu_.size(); ++i) {
    const Inertia& M = tree_links(model())[i].inertia;
    mu_[i] = {};
    if (M.m == 0 && M.I.xx == 0 && M.I.yy == 0 && M.I.zz == 0) continue;
    const Twist h_V = log(inverse(at_0_near_.C()[i]) * at_1_near_.C()[i]);
    const Wrench mu = lie::dexp_inv(h_V).dual((1 / h) * (M * h_V));
    mu_[i] = {kin_0_.C()[i].R * mu.t, kin_0_.C()[i].R * mu.f};  // (2)
  }
  for_links_inward(model(), [&](const Link& link, std::size_t i, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      out[row] = dot(mu_[i], H[k]) + link.armature / h * x_[row];
    }
    if (link.parent < 0) return;
    const Vec3 d = kin_0_.C()[i].r - kin_0_.C()[parent_of(link)].r;
    mu_[parent_of(link)] += {mu_[i].t + cross(d, mu_[i].f), mu_[i].f};  // (3)
  });
}

void Variational::arriving(double h, Vector& out) {
  departing(h, r_);
  r_ -= p_;
  const std::vector<Twist>& H = M_1_.H();
  for_links(model(), [&](const Link& link, std::size_t i, std::size_t a, std::size_t b) {
    Wrench mu = mu_[i];
    const double* left = r_.data() + a;
    const bool base = is_free_base(link);
    if (base) {
      Wrench W{vec3_at(left), vec3_at(left + 3)};
      if (links::screws_turn(link))
        W.f = inverse_times(rotation_of(kin_0_.q().data() + link.q_index), link.Q * W.f);
      mu -= {kin_0_.C()[i].R * W.t, kin_0_.C()[i].R * W.f};
    }
    mu.t += cross(kin_0_.C()[i].r - kin_1_.C()[i].r, mu.f);
    for (std::size_t k = a; k < b; ++k) {
      const auto row = static_cast<Eigen::Index>(k);
      out[row] = dot(mu, H[k]) + link.armature / h * x_[row] - (base ? 0 : left[k - a]);  // (3)
    }
  });
}

LieVerlet::LieVerlet(ModelSystem& system, const IntegratorOptions& options)
    : DiscreteLagrangian(system, options), kin_(system.model()) {
  for (Vector* x : {&D_, &MD_0_, &MD_1_, &P_, &g_, &u_}) x->setZero(system.nv());
}

void LieVerlet::pull(const VelocityKinematics& kin, Vector& MD, Vector& g) {
  free_momentum_rate(model(), kin, D_, MD, g, momenta_);
  group().ad_dual(D_, MD, u_);
  g -= u_;  // (4)
}

void LieVerlet::departing(double h, Vector& out) {
  D_ = x_ / h;
  pull(kin_0_, MD_0_, g_);
  forward_kinematics(model(), q_1_, D_, kin_);
  mass_times(model(), kin_, D_, MD_1_, momenta_);
  P_ = 0.5 * (MD_0_ + MD_1_);
  u_ = -x_;
  group().dexp_inv_dual(u_, P_, out);  // (5)
  out -= (h / 2) * g_;
}

void LieVerlet::arriving(double h, Vector& out) {
  departing(h, r_);
  pull(kin_1_, MD_1_, g_);
  group().dexp_inv_dual(x_, P_, out);  // (5)
  out += (h / 2) * g_;
}

}  // namespace chasles
