#include "constraints/cut_joint.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <random>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"

namespace chasles {
namespace {

using Small = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, 6, 6>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, 6, 1>;

double inner(const Wrench& a, const Wrench& b) { return dot(a.t, b.t) + dot(a.f, b.f); }

/// What is left of x across all of the others; the length of it.
double across(const std::vector<Wrench>& others, Wrench& x) {
  for (int twice = 0; twice < 2; ++twice)
    for (const Wrench& y : others) x += -inner(y, x) * y;
  return std::sqrt(inner(x, x));
}

/// An orthonormal basis of the columns of S, as wrenches.
void basis(const Matrix6X& S, std::vector<Wrench>& list) {
  list.clear();
  for (Eigen::Index k = 0; k < S.cols(); ++k) {
    Wrench x = from_eigen<Wrench>(S.col(k));
    const double before = std::sqrt(inner(x, x)), length = across(list, x);
    if (length > 1e-9 * before) list.push_back(1 / length * x);
  }
}

}  // namespace

CutJoint::CutJoint(const ModelLoop& loop)
    : joint_(loop.joint),
      body_(joint_.place("body")),
      kin_(joint_),
      theta_(joint_.neutral()),
      before_(joint_.nq()),
      step_(joint_.nv()),
      still_(joint_.nv()),
      S_(6, joint_.nv()) {
  if (joint_type_info(loop.type).takes_pitch) pitch_ = joint_.links().back().pitch;
  taken_.reserve(6), W_.reserve(6), fixed_.reserve(6);
  if (const auto& links = joint_.links(); links.size() == 1 && body_.offset.r == Vec3{})
    closed_ = links[0].motion == LinkMotion::turn   ? Closed::turn
              : links[0].motion == LinkMotion::ball ? Closed::ball
                                                    : Closed::none;
  find(SE3{});
  complement();
  // Whether S spans the same space elsewhere.
  const Vector at_rest = theta_;
  const Matrix6X S = S_;
  Vector there(joint_.nq()), way(joint_.nv());
  for (Eigen::Index k = 0; k < way.size(); ++k) way[k] = 0.7 - 0.3 * static_cast<double>(k);
  plus(joint_, at_rest, way, there);
  accelerations(joint_, there, still_, still_, kin_);
  jacobian(joint_, kin_, body_, Representation::body, S_);
  for (const Wrench& W : W_)
    for (Eigen::Index k = 0; k < S_.cols(); ++k)
      if (std::abs(dot(W, from_eigen<Twist>(S_.col(k)))) > 1e-12 * (1 + S_.norm()))
        constant_ = false;
  theta_ = at_rest;
  S_ = S;
  fresh_ = true;
}

/// W across S: what is left of a fixed basis across S, so that it depends on theta alone and smoothly;
/// where that is no basis, another is fixed.
void CutJoint::complement() {
  basis(S_, taken_);
  const std::size_t moves = taken_.size();
  W_ = fixed_;
  for (Wrench& W : W_) {
    const double length = across(taken_, W);
    if (!(length > 0.3)) {
      fixed_.clear();
      taken_.resize(moves);
      break;
    }
    W = 1 / length * W;
    taken_.push_back(W);
  }
  if (taken_.size() == 6) return;
  while (taken_.size() < 6) {
    Wrench best;
    double longest = 0;
    for (int k = 0; k < 6; ++k) {
      Wrench unit;
      (k < 3 ? unit.t : unit.f)[k % 3] = 1;
      // The first of equals, so that the rows keep the order of the axes.
      if (const double length = across(taken_, unit); length > 1.0001 * longest)
        longest = length, best = 1 / length * unit;
    }
    taken_.push_back(best);
    fixed_.push_back(best);
  }
  W_ = fixed_;
}

/// x = S^+ X.
void CutJoint::solve(const Twist& X, Vector& x) const {
  const Small SS = S_.transpose() * S_;
  const SmallVector SX = S_.transpose() * to_eigen(X);
  x = SS.ldlt().solve(SX);
}

/// (1) by Newton's method from theta_: theta_ and S_, and e.
Twist CutJoint::follow(const SE3& E) {
  Twist e;
  double last = std::numeric_limits<double>::infinity();
  for (int k = 0; k < 50; ++k) {
    accelerations(joint_, theta_, still_, still_, kin_);
    jacobian(joint_, kin_, body_, Representation::body, S_);
    e = log(inverse(pose(kin_, body_)) * E);
    solve(e, step_);
    const double size = step_.lpNorm<Eigen::Infinity>();
    if (!(size > 1e-15 * (1 + theta_.lpNorm<Eigen::Infinity>())) || (size < 1e-6 && !(size < last)))
      break;
    last = size;
    if (size > 0.5) step_ *= 0.5 / size;
    before_ = theta_;
    plus(joint_, before_, step_, theta_);
  }
  return e;
}

/// (1) of a turning joint, J = P exp(theta z) Q: the rotation of P^-1 E Q^-1 is one about z and then one
/// about an axis across z.
Twist CutJoint::turn_from(const SE3& E) const {
  const SE3 E_z = inverse(joint_.links()[0].P) * E * inverse(body_.offset);
  const Mat3& R = E_z.R.matrix();
  const double c = R.c0.x + R.c1.y, s = R.c0.y - R.c1.x, size = std::sqrt(c * c + s * s);
  const double cos = size > 0 ? c / size : 1, sin = size > 0 ? s / size : 0;
  const SO3 turned = SO3::unchecked({{cos, sin, 0}, {-sin, cos, 0}, {0, 0, 1}});
  const Twist e = log(inverse(SE3{turned, {}}) * E_z);
  return {inverse_times(body_.offset.R, e.w), inverse_times(body_.offset.R, e.v)};
}

/// (1) from where the joint stood last. The first time it may stand anywhere: several are tried.
Twist CutJoint::find(const SE3& E) {
  if (joint_.nv() == 0) return log(E);
  if (pitch_ != 0) {
    // The angle, and as many turns as the way along the axis tells.
    const Mat3& R = E.R.matrix();
    const double angle = std::atan2(R.c0.y - R.c1.x, R.c0.x + R.c1.y), turn = 2 * M_PI;
    theta_[theta_.size() - 1] = angle + turn * std::round((E.r.z / pitch_ - angle) / turn);
    return follow(E);
  }
  if (!fresh_) return follow(E);
  fresh_ = false;
  Twist e = follow(E);
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> dice(-3, 3);
  Vector best = theta_;
  double gap = norm(e.w) + norm(e.v);
  const Vector zero = joint_.neutral();
  Vector way(joint_.nv());
  for (int tries = 0; tries < 200 && gap > 1e-9; ++tries) {
    for (double& x : way) x = dice(generator);
    plus(joint_, zero, way, theta_);
    e = follow(E);
    if (const double there = norm(e.w) + norm(e.v); there < 1e-3 * gap) gap = there, best = theta_;
  }
  theta_ = best;
  return follow(E);
}

void CutJoint::move(const SE3& E) {
  if (constant_) return;
  find(E);
  complement();
}

void CutJoint::residual(const SE3& E, double* Phi) {
  const Twist e = closed_ == Closed::turn ? turn_from(E)
                  : closed_ == Closed::ball
                      ? Twist{{}, inverse_times(E.R, E.r - joint_.links()[0].P.r)}
                      : find(E);
  if (!constant_) complement();
  for (std::size_t k = 0; k < W_.size(); ++k) Phi[k] = dot(W_[k], e);
}

void CutJoint::turn(const Twist& V_rel, const Matrix6X& Y, Eigen::Ref<Eigen::MatrixXd> out) {
  if (constant_) return;
  solve(V_rel, step_);
  accelerations(joint_, theta_, step_, still_, kin_);
  Matrix6X S_rate(6, joint_.nv());
  jacobian_rate(joint_, kin_, body_, Representation::body, S_rate);
  for (Eigen::Index c = 0; c < Y.cols(); ++c) {
    solve(from_eigen<Twist>(Y.col(c)), step_);
    const Twist X = from_eigen<Twist>(S_rate * step_);
    for (std::size_t k = 0; k < W_.size(); ++k)
      out(static_cast<Eigen::Index>(k), c) -= dot(W_[k], X);
  }
}

void CutJoint::turning(const Twist& V_rel, double* out) {
  for (std::size_t k = 0; k < W_.size(); ++k) out[k] = 0;
  if (constant_) return;
  solve(V_rel, step_);
  accelerations(joint_, theta_, step_, still_, kin_);
  const Twist bias = acceleration(kin_, body_, Representation::body);
  for (std::size_t k = 0; k < W_.size(); ++k) out[k] = dot(W_[k], bias);
}

}  // namespace chasles
