/// Derivatives of the library's recursions by a complex step, for every joint type: exact to rounding,
/// and with nothing in common with the linearized recursions. Body-fixed.
///
///     ComplexStep step(model, {q, v, a}, {dq, dv, da}, applied);
///     Eigen::VectorXd dtau = step.inverse();     // along the direction
#pragma once

#include <gtest/gtest.h>

#include <complex>

#include "chasles/dynamics/applied_wrench.hpp"
#include "model/model_data.hpp"
#include "textbook/recursion_over.hpp"

namespace chasles::test {

/// A state and what drives it, a or tau; and a direction: a step on the group, and increments.
struct Point {
  Eigen::VectorXd q, v, a;
};

class ComplexStep : RecursionOver<std::complex<double>> {
  using C = std::complex<double>;
  static constexpr double h = 1e-100;

 public:
  ComplexStep(const Model& model, const Point& at, const Point& direction,
              AppliedWrenches applied = {})
      : RecursionOver(model) {
    for (const Link& link : tree_links(model)) {
      for (int k = 0; k < link.nv; ++k)
        v_.push_back(number(at.v[link.v_index + k], direction.v[link.v_index + k]));
      M_b_.push_back(inertia(link.inertia));
      X_rate_v_.push_back({});
      C_rel_.push_back(pose(link.P) *
                       motion(link, at.q.data() + link.q_index, direction.q.data() + link.v_index));
      C_.push_back(link.parent < 0 ? C_rel_.back()
                                   : C_[static_cast<std::size_t>(link.parent)] * C_rel_.back());
    }
    W_app_.resize(tree_links(model).size());
    for (const AppliedWrench& a : applied) {
      if (a.frame.link < 0) continue;
      const auto i = static_cast<std::size_t>(a.frame.link);
      const lie::SE3<C> offset = pose(a.frame.offset);
      const lie::Wrench<C> W{vec(a.W.t), vec(a.W.f)};
      W_app_[i] += Ad_inv_dual(offset, lie::to_body(W, C_[i] * offset, a.representation));
    }
    for (Eigen::Index k = 0; k < at.a.size(); ++k)
      a_[static_cast<std::size_t>(k)] = tau_[static_cast<std::size_t>(k)] =
          number(at.a[k], direction.a[k]);
  }

  /// The derivative of the joint forces; a is the acceleration.
  Eigen::VectorXd inverse() {
    auto r = recursion();
    textbook::inverse_recursion<textbook::BodyForm>(r);
    return slope(tau_);
  }
  /// That of the accelerations; a is the joint force.
  Eigen::VectorXd forward() {
    auto r = recursion();
    EXPECT_EQ(textbook::forward_recursion<textbook::BodyForm>(r), -1);
    return slope(a_);
  }

 private:
  static C number(double x, double dx) { return {x, h * dx}; }
  static lie::Vec3<C> vec(const double* x, const double* dx) {
    return {number(x[0], dx[0]), number(x[1], dx[1]), number(x[2], dx[2])};
  }
  using RecursionOver::vec;
  static lie::Vec3<C> step(const double* dx) {
    const double zero[3] = {};
    return vec(zero, dx);
  }
  static lie::SO3<C> turned(const double* q, const double* dq) {
    return pose({rotation_of(q), {}}).R * exp(step(dq));
  }
  static Eigen::VectorXd slope(const std::vector<C>& x) {
    return Eigen::VectorXd::NullaryExpr(static_cast<Eigen::Index>(x.size()), [&](Eigen::Index k) {
      return x[static_cast<std::size_t>(k)].imag() / h;
    });
  }

  /// T_i after the step; puts the screws and Xd v there.
  lie::SE3<C> motion(const Link& link, const double* q, const double* dq) {
    if (!links::screws_turn(link))
      for (int k = 0; k < link.nv; ++k) X_b_.push_back(twist(links::screw_of(model_, link, q, k)));
    const C* v = v_.data() + link.v_index;
    switch (link.motion) {
      case LinkMotion::spherical:
        return {turned(q, dq), {}};
      case LinkMotion::floating_se3:
        return pose({rotation_of(q), Vec3{q[4], q[5], q[6]}}) *
               exp(lie::Twist<C>{step(dq), step(dq + 3)});
      case LinkMotion::floating_so3xr3:
        return direct(link, v, turned(q, dq), vec(q + 4, dq + 3));
      case LinkMotion::custom:
        return exponential(link, v, q, dq);
      default:
        return exp(number(q[0], dq[0]) * X_b_.back());
    }
  }
  lie::SE3<C> direct(const Link& link, const C* v, const lie::SO3<C>& R, const lie::Vec3<C>& r) {
    const lie::SO3<C> Q = pose({link.Q, {}}).R;
    for (int k = 0; k < 6; ++k) {
      lie::Vec3<C> e;
      e[k % 3] = 1;
      X_b_.push_back(k < 3 ? lie::Twist<C>{e, {}} : lie::Twist<C>{{}, inverse_times(R, Q * e)});
    }
    const lie::Vec3<C> w{v[0], v[1], v[2]}, rd{v[3], v[4], v[5]};
    X_rate_v_.back().v = -cross(w, inverse_times(R, Q * rd));
    return {R, Q * r};
  }
  lie::SE3<C> exponential(const Link& link, const C* v, const double* q, const double* dq) {
    lie::Twist<C> x, rate;
    const auto Z = [&](int k) {
      return twist(custom_screws(model_)[static_cast<std::size_t>(link.screws + k)]);
    };
    for (int k = 0; k < link.nv; ++k) x += number(q[k], dq[k]) * Z(k), rate += v[k] * Z(k);
    for (int k = 0; k < link.nv; ++k) X_b_.push_back(dexp(-x)(Z(k)));
    X_rate_v_.back() = d_dexp(-x, -rate, rate);
    return exp(x);
  }
};

}  // namespace chasles::test
