/// Mechanisms with constraints written by hand, solved densely: nothing of the library's own
/// constraints.
///
///     top_on_a_point      a free body held at one of its points: SE(3) or SO(3) x R^3
///     pendulum            a mass point in the plane at a fixed distance
///     double_pendulum     two of them
///     knife_edge          a blade on a slope: it cannot move sideways, a row that binds velocities only
#pragma once

#include <Eigen/Geometry>
#include <memory>

#include "math/decompositions.hpp"
#include "support/exact_motions.hpp"

namespace chasles::test {

/// A tree with rows of constraints. Constraints give Phi, B and Bd v.
class HandConstrained : public MechanicalSystem {
 public:
  explicit HandConstrained(const Model& model, int rows)
      : tree_(model),
        m_(rows),
        saddle_(model.nv() + rows, model.nv() + rows),
        b_(model.nv() + rows),
        x_(model.nv() + rows),
        lu_(model.nv() + rows),
        B_(rows, model.nv()) {}
  ModelSystem& tree() { return tree_; }

  const Group& group() const override { return tree_.group(); }
  int constraint_count() const override { return m_; }
  void mass_times(ConstVectorRef x, VectorRef out) override { tree_.mass_times(x, out); }
  void force(VectorRef out) override { tree_.force(out); }
  void tangent(ConstVectorRef a, Tangent& out) override { tree_.tangent(a, out); }
  void prepare(Tangent& out) override {
    MechanicalSystem::prepare(out);
    tree_.prepare(out);
    M_.setZero(nv(), nv());
    for (Vector* x : {&step_, &zero_}) x->setZero(nv());
    for (Vector* x : {&Phi_, &mu_}) x->setZero(m_);
    q_.setZero(nq());
  }

  virtual void matrix(ConstVectorRef q, Eigen::Ref<Eigen::MatrixXd> B) = 0;
  void constraint_matrix(Matrix& B) override {
    B.resize(m_, nv());
    matrix(at().q, B);
  }
  void constraint_times(ConstVectorRef x, VectorRef out) override {
    matrix(at().q, B_);
    out.noalias() = B_ * x;
  }
  void constraint_force(ConstVectorRef lambda, VectorRef out) override {
    matrix(at().q, B_);
    out.noalias() = B_.transpose() * lambda;
  }
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) override {
    const int n = nv();
    tree_.mass_matrix(M_);
    matrix(at().q, B_);
    saddle_.setZero();
    saddle_.topLeftCorner(n, n) = M_;
    saddle_.topRightCorner(n, m_) = B_.transpose();
    saddle_.bottomLeftCorner(m_, n) = B_;
    b_ << b, c;
    lu_.compute(saddle_);
    lu_.solve(b_, x_);
    x = x_.head(n);
    lambda = x_.tail(m_);
  }
  /// Along M^-1 B^T, Newton; a few iterations from nearby.
  void project(State& state) override {
    tree_.project(state);
    step_.setZero(nv()), zero_.setZero(nv()), Phi_.setZero(m_), mu_.setZero(m_);
    for (int k = 0; k < 8; ++k) {
      set(state);
      constraint_error(Phi_);
      if (Phi_.norm() < 1e-15) break;
      Phi_ = -Phi_;
      solve(zero_, Phi_, step_, mu_);
      q_ = state.q;
      group().plus(q_, step_, state.q);
    }
    set(state);
    constraint_rate(Phi_);
    Phi_ = -Phi_;
    solve(zero_, Phi_, step_, mu_);
    state.v += step_;
    set(state);
  }

 protected:
  void invalidate() override { tree_.set(at()); }

 private:
  ModelSystem tree_;
  int m_;
  Eigen::MatrixXd saddle_;
  Eigen::VectorXd b_, x_;
  RowPivotedLu lu_;
  Eigen::MatrixXd B_;
  Matrix M_;
  Vector step_, zero_, Phi_, mu_, q_;
};

inline Eigen::Matrix3d skew(const Eigen::Vector3d& a) {
  Eigen::Matrix3d A;
  A << 0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0;
  return A;
}
inline Eigen::Matrix3d rotation_matrix(ConstVectorRef q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
}

/// Bruels & Cardona's top: a free body, its frame at the center of mass, which is at X from the
/// fixed point.
///
///     SE(3)         Phi = R^T x - X,   B v = R^T x x w + u,   Bd v = (u - w x R^T x) x w
///     SO(3) x R^3   Phi = x - R X,     B v = xd - R (w x X),  Bd v = -R (w x (w x X))
class TopOnAPoint : public HandConstrained {
 public:
  TopOnAPoint(const Model& model, const Eigen::Vector3d& X, FloatingGroup on)
      : HandConstrained(model, 3), X_(X), se3_(on == FloatingGroup::se3) {}
  void constraint_error(VectorRef Phi) override {
    const Eigen::Matrix3d R = rotation_matrix(at().q);
    const Eigen::Vector3d x = at().q.tail(3);
    if (se3_)
      Phi = R.transpose() * x - X_;
    else
      Phi = x - R * X_;
  }
  void matrix(ConstVectorRef q, Eigen::Ref<Eigen::MatrixXd> B) override {
    const Eigen::Matrix3d R = rotation_matrix(q);
    const Eigen::Vector3d x = q.tail(3);
    const Eigen::Vector3d y = R.transpose() * x;
    if (se3_)
      B.leftCols(3) = skew(y);
    else
      B.leftCols(3) = R * skew(X_);
    B.rightCols(3).setIdentity();
  }
  void constraint_bias(VectorRef out) override {
    const Vector &q = at().q, &v = at().v;
    const Eigen::Matrix3d R = rotation_matrix(q);
    const Eigen::Vector3d w = v.head(3), u = v.tail(3), x = q.tail(3);
    const Eigen::Vector3d y = R.transpose() * x;
    if (se3_)
      out = (u - w.cross(y)).cross(w);
    else
      out = -(R * w.cross(w.cross(X_)));
  }

 private:
  Eigen::Vector3d X_;
  bool se3_;
};

/// Mass points in the x-z plane as sliders on sliders, joined to the one before (the first to the
/// origin) by rods of 1 m:     Phi = (|r_k - r_{k-1}|^2 - 1) / 2.
class PointsOnRods : public HandConstrained {
 public:
  PointsOnRods(const Model& model, int points) : HandConstrained(model, points) {}
  void constraint_error(VectorRef Phi) override {
    for (int k = 0; k < constraint_count(); ++k) Phi[k] = (rod(at().q, k).squaredNorm() - 1) / 2;
  }
  void matrix(ConstVectorRef q, Eigen::Ref<Eigen::MatrixXd> B) override {
    B.setZero();
    for (int k = 0; k < constraint_count(); ++k) {
      B.block<1, 2>(k, 2L * k) = rod(q, k).transpose();
      if (k > 0) B.block<1, 2>(k, 2L * k - 2) = -rod(q, k).transpose();
    }
  }
  void constraint_bias(VectorRef out) override {
    for (int k = 0; k < constraint_count(); ++k) out[k] = rod(at().v, k).squaredNorm();
  }

 private:
  static Eigen::Vector2d rod(ConstVectorRef q, int k) {
    Eigen::Vector2d d = q.segment<2>(2L * k);
    if (k > 0) d -= q.segment<2>(2L * k - 2);
    return d;
  }
};

/// q = (s, y, phi): down the slope, across, heading. The blade does not slip sideways:
/// -sin(phi) sd + cos(phi) yd = 0.
class KnifeEdge : public HandConstrained {
 public:
  explicit KnifeEdge(const Model& model) : HandConstrained(model, 1) {}
  int position_constraint_count() const override { return 0; }
  void constraint_error(VectorRef Phi) override { Phi.setZero(); }
  void matrix(ConstVectorRef q, Eigen::Ref<Eigen::MatrixXd> B) override {
    B << -std::sin(q[2]), std::cos(q[2]), 0;
  }
  void constraint_bias(VectorRef out) override {
    const Vector &q = at().q, &v = at().v;
    out[0] = -(std::cos(q[2]) * v[0] + std::sin(q[2]) * v[1]) * v[2];
  }
};

/// A system with a start, and the exact solution: state and multipliers, asked at times that
/// increase.
struct ConstrainedMotion {
  std::string name;
  std::shared_ptr<HandConstrained> system;
  State start;
  std::function<std::function<State(double)>()> solution;
  Vector multipliers(const State& at) {  // of the saddle point
    Vector velocity(system->nv()), v_dot(system->nv());
    system->rates(at.t, at.q, at.v, velocity, v_dot);
    return system->multipliers();
  }
};

/// The top with J about the center of mass, X, and the angular velocity at the start, upright
/// frame. Truth: Euler's equations about the fixed point.
inline ConstrainedMotion top_on_a_point(FloatingGroup on, double m, const Eigen::Vector3d& J,
                                        const Eigen::Vector3d& X, const Eigen::Vector3d& w) {
  auto joint = joints::floating();
  joint.group = on;
  const Model model = compile(MechanismBuilder("top")
                                  .body("top", ground, joint)
                                  .inertia(m, {}, Sym3::diagonal(J[0], J[1], J[2]))
                                  .build());
  const Eigen::Matrix3d about = Eigen::Matrix3d(J.asDiagonal()) - m * skew(X) * skew(X);
  State start{0, Vector(7), Vector(6)};
  start.q << 1, 0, 0, 0, X;
  start.v << w, w.cross(X);
  const Rate rate = [=](Real, const Numbers& y) {
    const Real *q = y.data(), *o = q + 4;
    using V3 = Eigen::Matrix<Real, 3, 1>;
    using M3 = Eigen::Matrix<Real, 3, 3>;
    const auto rows = rotation_rows(q);
    const V3 up(rows[2][0], rows[2][1], rows[2][2]), omega(o[0], o[1], o[2]);
    const M3 I = about.cast<Real>();
    const V3 x = X.cast<Real>(), L = I * omega;
    const V3 torque = L.cross(omega) + x.cross(V3(-9.81L * static_cast<Real>(m) * up));
    const V3 rates = I.inverse() * torque;
    Numbers d(7);
    quaternion_rate(q, o, d.data());
    for (int i = 0; i < 3; ++i) d[static_cast<std::size_t>(4 + i)] = rates[i];
    return d;
  };
  const bool se3 = on == FloatingGroup::se3;
  const Vector w0{w[0], w[1], w[2]};
  const double longest = 0.3 / (1 + w.norm());
  auto solution = [=] {
    auto truth = std::make_shared<Solution>(rate, State{0, Vector{1, 0, 0, 0}, w0}, longest);
    return [=](double t) {
      const State s = truth->at(t);
      State out{t, Vector(7), Vector(6)};
      const Eigen::Matrix3d R = rotation_matrix(s.q);
      const Eigen::Vector3d omega = s.v, u = omega.cross(X);
      out.q << s.q, R * X;
      if (se3)
        out.v << omega, u;
      else
        out.v << omega, R * u;
      return out;
    };
  };
  return {std::string("top on ") + (se3 ? "SE(3)" : "SO(3) x R^3"),
          std::make_shared<TopOnAPoint>(model, X, on), start, solution};
}
/// Bruels & Cardona 2010: spins at 150 rad/s, and passes 7e-7 rad from straight down.
inline ConstrainedMotion bruels_cardona_top(FloatingGroup on) {
  return top_on_a_point(on, 15, {0.234375, 0.46875, 0.234375}, {0, 1, 0}, {0, 150, -4.61538});
}
/// One that takes no steps of a thousandth to see an order.
inline ConstrainedMotion mild_top(FloatingGroup on) {
  return top_on_a_point(on, 1, {0.3, 0.35, 0.2}, {0.1, 0.2, 0.5}, {0.3, 0.5, 3});
}

inline Model points_in_the_plane(int points) {
  MechanismBuilder builder("points");
  for (int k = 0; k < points; ++k) {
    const std::string name = std::to_string(k);
    builder.body("x" + name, ground, joints::prismatic({1, 0, 0}))
        .body("p" + name, "x" + name, joints::prismatic({0, 0, 1}))
        .inertia(1, {}, Sym3{});
  }
  return compile(builder.build());
}
/// Points from the angles of rods against the vertical.
inline State points_of(double t, const std::vector<double>& angle,
                       const std::vector<double>& rate) {
  const auto n = static_cast<Eigen::Index>(angle.size());
  State s{t, Vector(2 * n), Vector(2 * n)};
  Eigen::Vector2d r = Eigen::Vector2d::Zero(), v = r;
  for (std::size_t k = 0; k < angle.size(); ++k) {
    r += Eigen::Vector2d(std::sin(angle[k]), -std::cos(angle[k]));
    v += rate[k] * Eigen::Vector2d(std::cos(angle[k]), std::sin(angle[k]));
    s.q.segment<2>(static_cast<Eigen::Index>(2 * k)) = r;
    s.v.segment<2>(static_cast<Eigen::Index>(2 * k)) = v;
  }
  return s;
}
inline ConstrainedMotion pendulum_in_the_plane() {
  const Rate rate = [](Real, const Numbers& y) { return Numbers{y[1], -9.81L * std::sin(y[0])}; };
  auto solution = [=] {
    auto truth = std::make_shared<Solution>(rate, State{0, Vector{1.2}, Vector{0.5}});
    return [=](double t) {
      const State s = truth->at(t);
      return points_of(t, {s.q[0]}, {s.v[0]});
    };
  };
  return {"pendulum", std::make_shared<PointsOnRods>(points_in_the_plane(1), 1),
          points_of(0, {1.2}, {0.5}), solution};
}
/// test::double_pendulum with the second angle against the vertical.
inline ConstrainedMotion double_pendulum_in_the_plane() {
  const Rate rate = [](Real, const Numbers& y) {
    const Real a = y[0], b = y[1], u = y[2], v = y[3], g = 9.81L, c = std::cos(a - b),
               s = std::sin(a - b);
    // 2 a'' + c b'' = -s v^2 - 2 g sin a,   c a'' + b'' = s u^2 - g sin b
    const Real f = -s * v * v - 2 * g * std::sin(a), h = s * u * u - g * std::sin(b);
    const Real det = 2 - c * c;
    return Numbers{u, v, (f - c * h) / det, (2 * h - c * f) / det};
  };
  auto solution = [=] {
    auto truth = std::make_shared<Solution>(rate, State{0, Vector{0.5, 0.8}, Vector{0.2, -0.1}});
    return [=](double t) {
      const State s = truth->at(t);
      return points_of(t, {s.q[0], s.q[1]}, {s.v[0], s.v[1]});
    };
  };
  return {"double pendulum", std::make_shared<PointsOnRods>(points_in_the_plane(2), 2),
          points_of(0, {0.5, 0.8}, {0.2, -0.1}), solution};
}
/// The blade turns evenly, and slides from rest: u = (g/w) sin(w t) along its heading (closed
/// form).
inline ConstrainedMotion knife_edge() {
  const Model model = compile(MechanismBuilder("knife")
                                  .body("s", ground, joints::prismatic({0, 0, -1}))
                                  .body("y", "s", joints::prismatic({0, 1, 0}))
                                  .body("blade", "y", joints::revolute({1, 0, 0}))
                                  .inertia(2, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .build());
  const double w = 1.7, g = 9.81;
  auto solution = [=] {
    return [=](double t) {
      const double a = w * t, c = std::cos(a), s = std::sin(a), u = g / w * s;
      return State{t, Vector{g / (2 * w * w) * s * s, g / (2 * w * w) * (a - s * c), a},
                   Vector{u * c, u * s, w}};
    };
  };
  return {"knife edge", std::make_shared<KnifeEdge>(model), solution()(0), solution};
}

}  // namespace chasles::test
