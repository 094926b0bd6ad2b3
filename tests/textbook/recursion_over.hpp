/// The recursions of the library over another scalar: long double for reference values, a counting
/// one for operation counts. For models of turns, slides and screws.
///
///     RecursionOver<long double> reference(model, q, v);
///     Eigen::VectorXd tau = reference.inverse<textbook::BodyForm>(a);
#pragma once

#include <gtest/gtest.h>

#include <Eigen/Core>

#include "dynamics/links.hpp"
#include "model/model_data.hpp"
#include "textbook/recursive_core.hpp"

namespace chasles::test {

template <class S>
class RecursionOver {
 public:
  /// Poses are computed in S if it has sines, else converted.
  RecursionOver(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v)
      : RecursionOver(model) {
    PositionKinematics kin(model);
    if constexpr (!std::is_floating_point_v<S>) forward_kinematics(model, q, kin);
    const std::size_t n = tree_links(model).size();
    for (std::size_t i = 0; i < n; ++i) {
      const Link& link = tree_links(model)[i];
      const double* q_i = q.data() + link.q_index;
      X_b_.push_back(twist(links::screw_of(model, link, q_i, 0)));
      M_b_.push_back(inertia(link.inertia));
      if constexpr (std::is_floating_point_v<S>) {
        C_rel_.push_back(pose(link.P).normalized() * exp(S(q_i[0]) * X_b_.back()));
        C_.push_back(link.parent < 0 ? C_rel_.back()
                                     : C_[static_cast<std::size_t>(link.parent)] * C_rel_.back());
      } else {
        C_rel_.push_back(pose(links::pose_in_parent(model, link, q_i)));
        C_.push_back(pose(kin.C()[i]));
      }
      v_.push_back(S(v[link.v_index]));
    }
  }
  /// At given poses in the parents and velocities.
  RecursionOver(const Model& model, std::vector<lie::SE3<S>> C_rel, std::vector<S> v)
      : RecursionOver(model) {
    C_rel_ = std::move(C_rel), v_ = std::move(v);
    for (std::size_t i = 0; i < C_rel_.size(); ++i) {
      const Link& link = tree_links(model)[i];
      X_b_.push_back(twist(links::screw_of(model, link, nullptr, 0)));
      M_b_.push_back(inertia(link.inertia));
      C_.push_back(link.parent < 0 ? C_rel_[i]
                                   : C_[static_cast<std::size_t>(link.parent)] * C_rel_[i]);
    }
  }

  /// The joint forces in S.
  template <template <class> class Form>
  const std::vector<S>& inverse(const std::vector<S>& a) {
    a_ = a;
    auto r = recursion();
    textbook::inverse_recursion<Form>(r);
    return tau_;
  }
  static lie::SE3<S> pose(const SE3& C) {
    const Mat3& R = C.R.matrix();
    return {lie::SO3<S>::unchecked({vec(R.c0), vec(R.c1), vec(R.c2)}), vec(C.r)};
  }

  template <template <class> class Form>
  Eigen::VectorXd inverse(const Eigen::VectorXd& a) {
    load(a, a_);
    auto r = recursion();
    textbook::inverse_recursion<Form>(r);
    return unload(tau_);
  }
  template <template <class> class Form>
  Eigen::VectorXd forward(const Eigen::VectorXd& tau) {
    load(tau, tau_);
    auto r = recursion();
    EXPECT_EQ(textbook::forward_recursion<Form>(r), -1);
    return unload(a_);
  }

 protected:
  /// Without poses, screws and velocities.
  explicit RecursionOver(const Model& model)
      : model_(model), D_index_(dynamics::square_offsets(model)) {
    const std::size_t n = tree_links(model).size(), nv = static_cast<std::size_t>(model.nv());
    a_.resize(nv), tau_.resize(nv), eps_.resize(nv);
    X_.resize(nv), U_.resize(nv), G_.resize(nv),
        D_.resize(static_cast<std::size_t>(D_index_.back()));
    V_.resize(n), A_.resize(n), zeta_.resize(n), W_.resize(n), M_.resize(n), P_.resize(n);
  }

  static lie::Vec3<S> vec(const Vec3& v) { return {S(v.x), S(v.y), S(v.z)}; }
  static lie::Twist<S> twist(const Twist& X) { return {vec(X.w), vec(X.v)}; }
  static lie::Inertia<S> inertia(const Inertia& M) {
    return {S(M.m), vec(M.mc), {S(M.I.xx), S(M.I.xy), S(M.I.xz), S(M.I.yy), S(M.I.yz), S(M.I.zz)}};
  }
  static void load(const Eigen::VectorXd& from, std::vector<S>& to) {
    for (std::size_t k = 0; k < to.size(); ++k) to[k] = S(from[static_cast<Eigen::Index>(k)]);
  }
  static Eigen::VectorXd unload(const std::vector<S>& from) {
    return Eigen::VectorXd::NullaryExpr(
        static_cast<Eigen::Index>(from.size()), [&](Eigen::Index k) {
          return static_cast<double>(lie::real_part(from[static_cast<std::size_t>(k)]));
        });
  }
  textbook::Recursion<S> recursion() {
    textbook::Recursion<S> r{};
    r.links = tree_links(model_);
    r.C = C_.data(), r.C_rel = C_rel_.data(), r.X_b = X_b_.data(), r.M_b = M_b_.data();
    if (!X_rate_v_.empty()) r.X_rate_v = X_rate_v_.data();
    if (!W_app_.empty()) r.W_app = W_app_.data();
    r.gravity = vec(model_.gravity());
    r.v = v_.data(), r.a = a_.data(), r.tau = tau_.data();
    r.X = X_.data(), r.M = M_.data(), r.V = V_.data(), r.A = A_.data(), r.zeta = zeta_.data();
    r.W = W_.data(), r.P = P_.data(), r.U = U_.data(), r.G = G_.data();
    r.D = D_.data(), r.eps = eps_.data(), r.D_index = D_index_.data();
    return r;
  }

  const Model& model_;
  std::vector<int> D_index_;
  std::vector<lie::SE3<S>> C_, C_rel_;
  std::vector<lie::Twist<S>> X_b_, X_rate_v_, X_, V_, A_, zeta_;
  std::vector<lie::Inertia<S>> M_b_, M_;
  std::vector<lie::Wrench<S>> W_app_, W_, U_, G_;
  std::vector<lie::ArticulatedInertia<S>> P_;
  std::vector<S> v_, a_, tau_, D_, eps_;
};

}  // namespace chasles::test
