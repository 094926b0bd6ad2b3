/// What the code blocks of documents and headers are compiled in and run with (extract.bash): an arm of four
/// revolute joints, and names that stand for the same thing in all blocks.
#pragma once

#include <chasles/chasles.hpp>
#include <chasles/dynamics/joint_reactions.hpp>
#include <chasles/dynamics/operational_space.hpp>
#include <chasles/integrators/events.hpp>
#include <chasles/io/output_file.hpp>
#include <chasles/lie/geodesic.hpp>
#include <chasles/textbook/composite.hpp>
#include <chasles/textbook/factorization.hpp>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <random>

namespace chasles {

/// A loop of four bars, with the bodies crank, coupler and rocker.
inline Mechanism four_bar() {
  return MechanismBuilder("four_bar")
      .body("crank", ground, joints::revolute({0, 1, 0}))
      .inertia(1, {0, 0, 0.1}, Sym3::diagonal(0.01, 0.01, 0.01))
      .body("coupler", "crank", joints::revolute({0, 1, 0}, {0, 0, 0.2}))
      .inertia(1, {0.25, 0, 0.3}, Sym3::diagonal(0.01, 0.01, 0.01))
      .body("rocker", ground, joints::revolute({0, 1, 0}, {0.6, 0, 0}))
      .inertia(1, {0.55, 0, 0.2}, Sym3::diagonal(0.01, 0.01, 0.01))
      .loop({.name = "closure",
             .bodies = {"coupler", "rocker"},
             .type = JointType::revolute,
             .geometry = AxisGeometry{{0, 1, 0}, {0.5, 0, 0.4}}})
      .build();
}

/// Joints waist, shoulder, elbow, roll, bend, wrist and wheel; bodies turret, upper, lower, roll, bend, hand and wheel;
/// frames tip and tool.
inline Mechanism arm() {
  const Sym3 I = Sym3::diagonal(0.01, 0.01, 0.01);
  MechanismBuilder builder("arm");
  builder.body("turret", ground, joints::revolute({0, 0, 1}))
      .joint_name("waist")
      .inertia(2, {0, 0, 0.1}, I);
  builder.body("upper", "turret", joints::revolute({0, 1, 0}, {0, 0, 0.3})).joint_name("shoulder");
  builder.inertia(2, {0, 0, 0.5}, I).limits(-2, 2).velocity_effort_limits(8, 80);
  builder.body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, 0.7})).joint_name("elbow");
  builder.inertia(1, {0, 0, 0.9}, I).limits(-2, 2).velocity_effort_limits(8, 80);
  builder.body("roll", "lower", joints::revolute({0, 0, 1}, {0.1, 0, 0}))
      .inertia(0.5, {0, 0, 1}, I);
  builder.body("bend", "roll", joints::revolute({0, 1, 0}, {0, 0, 1.1}))
      .inertia(0.5, {0, 0, 1.1}, I);
  builder.body("hand", "bend", joints::revolute({1, 0, 0}, {0, 0, 1.1})).joint_name("wrist");
  builder.inertia(0.5, {0, 0, 1.2}, I);
  builder.body("wheel", "hand", joints::revolute({0, 0, 1}, {0.1, 0, 1.2}))
      .inertia(0.1, {0.1, 0, 1.2}, I);
  builder.frame("tip", "hand", {{}, {0, 0, 1.3}}).frame("tool", "hand", {{}, {0, 0, 1.4}});
  return builder.build();
}

/// A constraint as examples/rolling_disk.cpp has one: the hand does not move along world x.
class KnifeEdge : public Constraint {
 public:
  std::string name() const override { return "edge"; }
  int constraint_count() const override { return 1; }
  bool binds_positions() const override { return false; }
  void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
    B(0, 2) = 1;
  }
  void bias(const VelocityKinematics&, VectorRef out) const override { out[0] = 0; }
};

/// An integrator of one's own that goes nowhere.
struct Mine : Integrator {
  Mine(DynamicalSystem&, const IntegratorOptions&) {}
  void reset(const State& start) override { now_ = before_ = start; }
  void step(double) override {}
  void retry(double) override {}
  void replace(ConstVectorRef q, ConstVectorRef v) override { now_.q = q, now_.v = v; }
  void interpolate(double, State& out) const override { out = now_; }
};

struct Context {
  const char* where = "";
  const Mechanism mechanism = arm();
  const Model model = compile(mechanism);
  const int nq = static_cast<int>(model.nq()), nv = static_cast<int>(model.nv());
  const Frame hand = model.frame("hand"), elbow = model.frame("lower"), tip = model.frame("tip");
  const int joint = 1;

  double t = 0;
  Vector q{0.1, -0.2, 0.3, 0.4, 0.5, 0.6, 0.7}, v{1, -1, 0.5, 0.2, 0.3, 0.1, 0.4};
  Vector a{0.3, 0.2, 0.1, -0.4, 0.2, 0.1, 0.3}, tau{1, 2, 0.3, 0.1, 0.2, 0.1, 0.01};
  Vector dq = v, dv = a, da = q, dtau = tau, lambda = a, p = v, b = v, x = v, u = tau, du = tau,
         jerk = a, snap = v;
  Vector p_dot = v, v_dot = a, h = a, start = q;
  Matrix6X J{6, nv}, J_rate{6, nv};
  Matrix Lambda{6, 6};

  const SE3 C = exp(Twist{{0.1, 0.2, 0.3}, {1, 2, 3}}), C0{}, C1 = C, target = pose_at(q);
  const std::vector<SE3> poses{C0, C1};
  const Twist V{{1, 2, 3}, {4, 5, 6}}, V_b = V, V_h = V, V_h_dot = V, V_hand = V, V_elbow = V,
                                       X = V, X_dot = V;
  const Inertia M = inertia_about_com(2, {0, 0, 0.1}, Sym3::diagonal(0.02, 0.02, 0.01));
  const Mat3 matrix = C.R.matrix();
  const Eigen::Matrix3d eigen_matrix = Eigen::Matrix3d::Identity();

  AccelerationKinematics kin{model};
  InverseDynamics out{model};
  ModelSystem system{model};
  std::unique_ptr<Integrator> integrator = make_integrator(system, {});
  Forces forces;
  Scenario scenario{.model = model, .start = {0, q, v}, .duration = 0.1};
  const std::string text = "text", page = "CHASLES_DATA";

  Context() {
    forward_kinematics(model, q, v, a, kin);
    integrator->reset({0, q, v});
  }
  SE3 pose_at(ConstVectorRef at) const {
    PositionKinematics there(model);
    forward_kinematics(model, at, there);
    return pose(there, hand);
  }
};

/// Files that blocks read.
inline void write_files() {
  std::ofstream("arm.yaml") << write_yaml(arm());
  std::ofstream("swing.yaml") << "chasles: 1\nmodel: arm.yaml\nduration: 0.1\n";
  std::ofstream("run.csv") << "t [s],q:elbow [rad],energy [J]\n0,1,2\n1,2,2\n";
}

/// Runs a block, in the current folder: 1 if it throws.
template <class Block>
int executed() {
  write_files();
  Block block;
  try {
    block.execute();
    return 0;
  } catch (const std::exception& e) {
    std::printf("%s: %s\n", block.where, e.what());
    return 1;
  }
}

}  // namespace chasles
