#include "linearization/step_map.hpp"

#include <cmath>

#include "math/central_difference.hpp"
#include "math/decompositions.hpp"

namespace chasles {

StepMap::StepMap(MechanicalSystem& system)
    : system_(&system), n_(system.nv()), m_(system.constraint_count()), f_(n_), bias_(m_) {
  system.prepare(tangent_);
}

StepMap::Stage StepMap::make_stage() const {
  return {0, Vector(system_->nq()), Vector(n_), Vector(n_), Vector(m_), {}, {}, {}};
}

Eigen::MatrixXd StepMap::moved(ConstVectorRef x, const Eigen::MatrixXd& e_0,
                               const Eigen::MatrixXd& dx) const {
  Eigen::MatrixXd e(n_, dx.cols());
  Vector in(n_), out(n_), back = -x;
  for (Eigen::Index k = 0; k < dx.cols(); ++k) {
    in = dx.col(k);
    if (!e_0.col(k).isZero(0)) {
      const Vector start = e_0.col(k);
      group().dexp_inv(back, start, out);
      in += out;
    }
    group().dexp(x, in, out);
    e.col(k) = out;
  }
  return e;
}

Eigen::MatrixXd StepMap::displaced(ConstVectorRef x, const Eigen::MatrixXd& e_0,
                                   const Eigen::MatrixXd& e) const {
  Eigen::MatrixXd dx(n_, e.cols());
  Vector in(n_), out(n_), back = -x;
  for (Eigen::Index k = 0; k < e.cols(); ++k) {
    in = e.col(k);
    group().dexp_inv(x, in, out);
    dx.col(k) = out;
    in = e_0.col(k);
    group().dexp_inv(back, in, out);
    dx.col(k) -= out;
  }
  return dx;
}

Eigen::MatrixXd StepMap::velocities(ConstVectorRef x, ConstVectorRef v, const Eigen::MatrixXd& dx,
                                    const Eigen::MatrixXd& dk) const {
  Eigen::MatrixXd dv(n_, dx.cols());
  Vector in(n_), out(n_);
  for (Eigen::Index k = 0; k < dx.cols(); ++k) {
    in = dx.col(k);
    group().d_dexp_inv(x, in, v, out);
    in = dk.col(k) - out;
    group().dexp(x, in, out);
    dv.col(k) = out;
  }
  return dv;
}

void StepMap::find_acceleration(Stage& s, ConstVectorRef u) {
  system_->set(s.t, s.q, s.v);
  system_->force(f_);
  f_ += u;
  if (m_ > 0) {
    system_->constraint_bias(bias_);
    bias_ = -bias_;
  }
  system_->solve(f_, bias_, s.a, s.lambda);
}

void StepMap::linearize(const Stage& s) {
  system_->set(s.t, s.q, s.v);
  system_->tangent(s.a, tangent_);
  K_ = tangent_.K, D_ = tangent_.D, M_ = tangent_.M;
  if (m_ == 0) return;
  S_.resize(n_, n_);
  system_->constraint_stiffness(s.lambda, S_);
  K_ += S_;
}

Eigen::MatrixXd StepMap::residual_change(const Stage& s, const Eigen::MatrixXd& e,
                                         const Eigen::MatrixXd& dv, const Columns* along) {
  Eigen::MatrixXd r = K_ * e + D_ * dv;
  if (along == nullptr) return r;
  r -= along->u;
  if (const Eigen::Index p = along->count() - along->first_p; p > 0) {
    P_.setZero(n_, p);
    (*along->jacobian)(s.t, s.q, s.v, s.a, P_);
    if (P_.rows() != n_ || P_.cols() != p)
      throw Error("the slopes by parameters are " + std::to_string(P_.rows()) + " x " +
                  std::to_string(P_.cols()) + "; fill the matrix of " + std::to_string(n_) + " x " +
                  std::to_string(p) + " that is given");
    r.rightCols(p) += P_;
  }
  return r;
}

void StepMap::acceleration_rows(const Stage& s, Eigen::MatrixXd& s_q, Eigen::MatrixXd& s_v) {
  Vector rate(m_), there(system_->nq()), way(n_), v(n_);
  const auto at = [&](double along_q, double along_v, Eigen::Index k) {
    way.setZero(), v = s.v;
    way[k] = along_q, v[k] += along_v;
    group().plus(s.q, way, there);
    system_->set(s.t, there, v);
    system_->constraint_times(s.a, rate);
    system_->constraint_bias(bias_);
    return Eigen::VectorXd(rate + bias_);
  };
  s_q.resize(m_, n_), s_v.resize(m_, n_);
  for (Eigen::Index k = 0; k < n_; ++k) {
    s_q.col(k) = central_difference([&](double x) { return at(x, 0, k); });
    s_v.col(k) = 0.5 * (at(0, 1, k) - at(0, -1, k));
  }
  system_->set(s.t, s.q, s.v);
}

Eigen::MatrixXd StepMap::velocity_rows(const Stage& s) {
  Eigen::MatrixXd by_q(m_, n_);
  Vector rate(m_), there(system_->nq()), way(n_);
  for (Eigen::Index k = 0; k < n_; ++k)
    by_q.col(k) = central_difference([&](double x) {
      way.setZero();
      way[k] = x;
      group().plus(s.q, way, there);
      system_->set(s.t, there, s.v);
      system_->constraint_rate(rate);
      return Eigen::VectorXd(rate);
    });
  system_->set(s.t, s.q, s.v);
  return by_q;
}

void StepMap::differentiate_acceleration(Stage& s, const Columns& along) {
  linearize(s);
  const Eigen::MatrixXd r = residual_change(s, s.e, s.dv, &along);
  s.da.resize(n_, along.count());
  if (m_ == 0) {
    s.da = -solve_ldlt_columns(tangent_.M, r);
    return;
  }
  Eigen::MatrixXd s_q, s_v;
  acceleration_rows(s, s_q, s_v);
  const Eigen::MatrixXd ds = s_q * s.e + s_v * s.dv;
  Vector b(n_), c(m_), x(n_), lambda(m_);
  for (Eigen::Index k = 0; k < along.count(); ++k) {
    b = -r.col(k), c = -ds.col(k);
    system_->solve(b, c, x, lambda);
    s.da.col(k) = x;
  }
}

void StepMap::project(State& state, Columns* along) {
  if (m_ == 0) return;
  const State before = state;
  system_->project(state);
  if (along == nullptr) return;
  Eigen::MatrixXd by_q(2L * n_, n_), by_v(n_, n_);
  State near = before;
  Vector way(n_), apart(n_), momentum(n_), x(n_), lambda(m_), none(m_);
  for (Eigen::Index k = 0; k < n_; ++k)
    by_q.col(k) = central_difference([&](double s) {
      way.setZero();
      way[k] = s;
      group().plus(before.q, way, near.q);
      near.v = before.v;
      system_->project(near);
      group().minus(near.q, state.q, apart);
      Eigen::VectorXd both(2L * n_);
      both << apart, near.v - state.v;
      return both;
    });
  system_->set(state);
  for (Eigen::Index k = 0; k < n_; ++k) {
    way.setZero();
    way[k] = 1;
    system_->mass_times(way, momentum);
    system_->solve(momentum, none, x, lambda);
    by_v.col(k) = x;
  }
  const Eigen::MatrixXd changed = by_q * along->e;
  along->e = changed.topRows(n_);
  along->v = Eigen::MatrixXd(changed.bottomRows(n_) + by_v * along->v);
}

}  // namespace chasles
