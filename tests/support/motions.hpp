/// Motions to integrate: mechanisms with a start, and a top that is not a mechanism.
#pragma once

#include <cmath>
#include <string>

#include "chasles/dynamics/energy.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/model_system.hpp"
#include "studies/drift.hpp"
#include "studies/three_spheres.hpp"

namespace chasles::test {

struct Motion {
  std::string name;
  Model model;
  State start;
};

inline Motion motion(const std::string& name, const Mechanism& mechanism,
                     std::initializer_list<double> q, std::initializer_list<double> v) {
  const auto vector = [](std::initializer_list<double> list) {
    return Eigen::VectorXd(
        Eigen::Map<const Eigen::VectorXd>(list.begin(), static_cast<Eigen::Index>(list.size())));
  };
  return {name, compile(mechanism), {0, vector(q), vector(v)}};
}

inline Motion heavy_top() {
  return motion("heavy top",
                MechanismBuilder("top")
                    .body("top", ground, joints::spherical())
                    .inertia(1, {0, 0, 0.5}, Sym3::diagonal(0.3, 0.35, 0.2))
                    .build(),
                {std::cos(0.2), std::sin(0.2), 0, 0}, {0.3, 0.5, 3});
}
inline Motion free_body() {
  return motion("free body",
                MechanismBuilder("free")
                    .body("body", ground, joints::floating())
                    .inertia(1, {0.1, 0.05, 0.02}, Sym3::diagonal(0.1, 0.2, 0.25))
                    .build(),
                {1, 0, 0, 0, 0.2, -0.1, 0.3}, {1, 2, -1.5, 0.3, -0.2, 0.4});
}
/// Point masses 1 kg on rods of 1 m; the second angle is relative to the first.
inline Mechanism double_pendulum_mechanism() {
  return MechanismBuilder("double pendulum")
      .body("upper", ground, joints::revolute({0, -1, 0}))
      .inertia(1, {0, 0, -1}, Sym3{})
      .body("lower", "upper", joints::revolute({0, -1, 0}, {0, 0, -1}))
      .pose({{}, {0, 0, -1}})
      .inertia(1, {0, 0, -1}, Sym3{})
      .build();
}
inline Motion double_pendulum() {
  return motion("double pendulum", double_pendulum_mechanism(), {0.5, 0.3}, {0.2, -0.3});
}
/// The example of 001 section VI.
inline Motion three_spheres(const Twist& V = {}) {
  return {"three spheres", compile(studies::three_spheres()), studies::three_spheres_start(V)};
}

/// How far apart two states are: joints in radians and meters, and velocities.
inline double distance(const DynamicalSystem& system, const State& a, const State& b) {
  Eigen::VectorXd x(system.nv());
  system.group().minus(a.q, b.q, x);
  return x.norm() + (a.v - b.v).norm();
}

inline double energy(const Model& model, const State& state) {
  return studies::invariants(model, state).energy();
}

using studies::run;

/// Options with which every step of a method is h.
inline IntegratorOptions steps_of(double h, const MethodInfo& info) {
  IntegratorOptions options{.method = std::string(info.name)};
  if (info.adaptive && !info.fixed_or_adaptive)
    options.tolerance = 1e3, options.first_step = options.max_step = h;
  else
    options.step = h;
  // 10 reaches rounding before it shows; symmetric methods have even orders.
  if (info.takes_order && !info.symmetric) options.order = 5;
  return options;
}

/// SO(3) with quaternions, by hand.
class HandmadeRotations : public Group {
 public:
  int nq() const override { return 4; }
  int nv() const override { return 3; }
  void plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const override {
    const Quaternion p = quaternion(at(q) * exp(Vec3{x[0], x[1], x[2]}));
    out << p.w, p.x, p.y, p.z;
  }
  void minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const override {
    const Vec3 x = log(inverse(at(q0)) * at(q1));
    out << x.x, x.y, x.z;
  }
  void dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const override {
    const Vec3 u = lie::dexp_inv(Vec3{-x[0], -x[1], -x[2]})(Vec3{v[0], v[1], v[2]});
    out << u.x, u.y, u.z;
  }
  void dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const override {
    const Vec3 v = lie::dexp(Vec3{-x[0], -x[1], -x[2]})(Vec3{u[0], u[1], u[2]});
    out << v.x, v.y, v.z;
  }
  double rotation(ConstVectorRef x) const override { return x.norm(); }
  void coordinate_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) const override {
    out << -q[1] * v[0] - q[2] * v[1] - q[3] * v[2], q[0] * v[0] + q[2] * v[2] - q[3] * v[1],
        q[0] * v[1] + q[3] * v[0] - q[1] * v[2], q[0] * v[2] + q[1] * v[1] - q[2] * v[0];
    out *= 0.5;
  }
  void normalize(VectorRef q) const override { q /= q.norm(); }
  static SO3 at(ConstVectorRef q) {
    return lie::rotation(lie::normalized(Quaternion{q[0], q[1], q[2], q[3]}));
  }
};

/// A top about a fixed point as its own System on SO(3): J w' = J w x w + weight, by hand.
class HandmadeTop : public DynamicalSystem {
 public:
  HandmadeTop(double mass, Vec3 com, Vec3 J) : mass_(mass), com_(com), J_(J) {}
  const Group& group() const override { return group_; }
  void rates(double, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef out) override {
    velocity = v;
    const Vec3 w{v[0], v[1], v[2]}, L{J_.x * w.x, J_.y * w.y, J_.z * w.z};
    const Vec3 torque =
        lie::cross(L, w) + lie::cross(com_, inverse_times(group_.at(q), Vec3{0, 0, -9.81 * mass_}));
    out << torque.x / J_.x, torque.y / J_.y, torque.z / J_.z;
  }
  Vec3 axis(ConstVectorRef q) const { return group_.at(q) * com_; }

 private:
  HandmadeRotations group_;
  double mass_;
  Vec3 com_, J_;
};

}  // namespace chasles::test
