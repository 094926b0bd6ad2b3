/// Quantities of mechanisms with loops, couplings and rotors at states from outside: against dense algebra, closed
/// forms and differences.
#include <gtest/gtest.h>

#include <Eigen/QR>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/scenario_system.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/parallelogram.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

/// Values by name at a moment.
struct Values {
  std::vector<std::string> names;
  Evaluation evaluation;
  Values(const Model& model, std::vector<std::string> list)
      : names(std::move(list)), evaluation(model, names, QuantitySource::state) {}
  Values& at(EvaluationState& m) {
    evaluation.at(m);
    return *this;
  }
  const Matrix& operator[](const std::string& name) const {
    return evaluation.values()[static_cast<std::size_t>(
        std::find(names.begin(), names.end(), name) - names.begin())];
  }
};
ScenarioSystem closed_near(const Model& model, const Vector& q) {
  return ScenarioSystem({.model = model, .start = {0, q, Vector(model.nv())}, .duration = 1});
}

/// A tree with two loops and a gear, where the loops are closed.
struct GearedLoops {
  Model model;
  Vector q;
  explicit GearedLoops(std::mt19937_64& generator) {
    test::LoopedTree looped =
        test::looped_tree(generator, 9, {{JointType::spherical}, {JointType::universal}},
                          {{JointType::revolute}, {JointType::prismatic}, {JointType::spherical}});
    const Model tree = compile(looped.mechanism);
    std::vector<const ModelJoint*> single;
    for (const ModelJoint& joint : tree.joints())
      if (joint.nv == 1) single.push_back(&joint);
    const ModelJoint &a = *single.at(0), &b = *single.at(1);
    looped.mechanism.couplings.push_back(
        {.name = "gear",
         .terms = {{.joint = a.name}, {.joint = b.name, .coefficient = -2.5}},
         .offset = looped.q[a.q_index] - 2.5 * looped.q[b.q_index]});
    model = compile(looped.mechanism);
    q = looped.q;
  }
};

TEST(ClosedEvaluation, is_the_dense_saddle_point) {
  std::mt19937_64 generator(91);
  for (int round = 0; round < 3; ++round) {
    const GearedLoops made(generator);
    const Model& model = made.model;
    const int n = model.nv();
    ScenarioSystem system = closed_near(model, made.q);
    ConstrainedSystem& closed = *system.closed();
    EvaluationState m(model);
    m.closed = &closed;
    m.q = closed.assembled();
    m.v = consistent_velocity(closed.constraints(), m.q, test::random_vector(n, generator));
    m.acting.tau = test::random_vector(n, generator);
    m.acting.wrenches = {{model.frame("body3"), {{0.3, -1, 2}, {1, 2, -3}}}};
    m.gives_a = false;
    Values values(model, {"a", "forward_dynamics", "multipliers", "inverse_dynamics",
                          "d_inverse_dynamics", "d_forward_dynamics"});
    values.at(m);
    // M a + h + B^T lambda = tau, B a = -Bd v.
    MassMatrix mass(model);
    InverseDynamics work(model);
    const Eigen::MatrixXd M = mass_matrix(model, m.q, mass);
    const Eigen::VectorXd h = inverse_dynamics(model, m.q, m.v, Vector(n), work, m.acting.wrenches);
    Matrix B;
    Vector bias(closed.constraint_count());
    closed.set(0, m.q, m.v);
    closed.constraint_matrix(B);
    closed.constraint_bias(bias);
    Eigen::MatrixXd saddle = Eigen::MatrixXd::Zero(n + B.rows(), n + B.rows());
    saddle.topLeftCorner(n, n) = M;
    saddle.topRightCorner(n, B.rows()) = B.transpose();
    saddle.bottomLeftCorner(B.rows(), n) = B;
    Eigen::VectorXd right(n + B.rows());
    right << m.acting.tau - h, -bias;
    const Eigen::VectorXd x =
        Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd>(saddle).solve(right);
    const double size = x.head(n).norm();
    EXPECT_LE((values["a"] - x.head(n)).norm(), 1e-9 * size);
    EXPECT_LE((values["forward_dynamics"] - x.head(n)).norm(), 1e-9 * size);
    EXPECT_LE((B.transpose() * (values["multipliers"] - x.tail(B.rows()))).norm(), 1e-8 * size);
    EXPECT_LE((values["inverse_dynamics"] - m.acting.tau).norm(), 1e-8 * (1 + size));

    // Derivatives, with tau or with the multipliers held.
    const Vector lambda = values["multipliers"], a = values["a"];
    const Matrix d_inverse = values["d_inverse_dynamics"], d_forward = values["d_forward_dynamics"];
    const auto forward = [&](const Vector& q, const Vector& v) -> Eigen::VectorXd {
      return closed.forward_dynamics(q, v, m.acting.tau, m.acting.wrenches);
    };
    const auto residual = [&](const Vector& q, const Vector& v) -> Eigen::VectorXd {
      Vector force(n);
      closed.set(0, q, v);
      closed.constraint_force(lambda, force);
      return inverse_dynamics(model, q, v, a, work, m.acting.wrenches) + force;
    };
    for (int k = 0; k < n; ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(n, k);
      const auto moved = [&](double s) {
        Vector there(model.nq());
        plus(model, m.q, s * unit, there);
        return there;
      };
      const auto faster = [&](double s) -> Vector { return m.v + s * unit; };
      const Eigen::VectorXd expected[] = {
          test::derivative([&](double s) { return residual(moved(s), m.v); }, 2e-3),
          test::derivative([&](double s) { return residual(m.q, faster(s)); }, 2e-3),
          test::derivative([&](double s) { return forward(moved(s), m.v); }, 2e-3),
          test::derivative([&](double s) { return forward(m.q, faster(s)); }, 2e-3)};
      const Eigen::VectorXd got[] = {d_inverse.col(k).head(n), d_inverse.col(k).segment(n, n),
                                     d_forward.col(k).head(n), d_forward.col(k).segment(n, n)};
      for (int i = 0; i < 4; ++i)
        EXPECT_LE((got[i] - expected[i]).norm(), 1e-6 * (1 + size + expected[i].norm()))
            << i << " " << k;
    }
  }
}

TEST(ClosedEvaluation, motors_bring_the_motion_about) {
  std::mt19937_64 generator(92);
  const GearedLoops made(generator);
  const Model& model = made.model;
  const int n = model.nv();
  ScenarioSystem system = closed_near(model, made.q);
  ConstrainedSystem& closed = *system.closed();
  const int mobility = closed.mobility().mobility;
  ASSERT_GT(mobility, 1);
  EvaluationState m(model);
  m.closed = &closed;
  m.q = closed.assembled();
  m.v = consistent_velocity(closed.constraints(), m.q, test::random_vector(n, generator));
  m.a = closed.forward_dynamics(m.q, m.v, test::random_vector(n, generator));
  m.gives_tau = false;
  std::vector<std::string> names{"inverse_dynamics", "multipliers", "gravity", "bias"};
  std::vector<const ModelJoint*> turning;
  for (const ModelJoint& joint : model.joints())
    if (joint.type == JointType::revolute) {
      turning.push_back(&joint);
      names.push_back("reaction:" + joint.name + ":body");
    }
  ASSERT_FALSE(turning.empty());
  Values values(model, names);
  std::vector<int> all(static_cast<std::size_t>(n));
  for (int k = 0; k < n; ++k) all[static_cast<std::size_t>(k)] = k;
  for (const std::vector<int>& motors : {std::vector<int>{}, all}) {
    m.actuators = motors;
    values.at(m);
    const Vector tau = values["inverse_dynamics"];
    if (motors.empty()) {
      EXPECT_LE((tau.array().abs() > 1e-9).count(), mobility);
    }
    const Vector a = closed.forward_dynamics(m.q, m.v, tau);
    EXPECT_LE((a - m.a).norm(), 1e-8 * (1 + m.a.norm()));
    Vector borne(n), same(n);
    closed.constraint_force(values["multipliers"], borne);
    closed.constraint_force(closed.multipliers(), same);
    EXPECT_LE((borne - same).norm(), 1e-8 * (1 + same.norm()));
    // Along its axis a joint transmits the effort of its motor and the force of the gear.
    const Model tree = model;
    JointForces binding{Vector(n), {}};
    closed.constraint_forces(binding);
    for (const ModelJoint* joint : turning) {
      const Matrix& W = values["reaction:" + joint->name + ":body"];
      const Twist& X = joint->X[0];
      EXPECT_NEAR(dot(Wrench{{W(0, 0), W(1, 0), W(2, 0)}, {W(3, 0), W(4, 0), W(5, 0)}}, X),
                  tau[joint->v_index] + binding.tau[joint->v_index], 1e-7)
          << joint->name;
    }
    // What holds it still, and what keeps the velocities of independent coordinates.
    const Vector still = closed.forward_dynamics(m.q, Vector(n), values["gravity"]);
    EXPECT_LE(still.norm(), 1e-8);
    const Vector coasting = closed.forward_dynamics(m.q, m.v, values["bias"]);
    EXPECT_LE((coasting.array().abs() > 1e-7).count(), n - mobility);
  }
  m.actuators = {0};
  EXPECT_SAYS(values.at(m), "inverse_dynamics", "cannot bring about", "are missing");
  m.actuators.clear();
  m.a[0] += 1;
  EXPECT_SAYS(values.at(m), "the given a contradicts", "leave a out");
}

TEST(ClosedEvaluation, rates_of_a_parallelogram) {
  // q = (x, -x, x); with M and K of closed forms the crank's motor gives M x'' + K sin x.
  const double l = 0.7, rod = 0.9, bar = 1.7, g = 9.81;
  const Model model = compile(test::hanging_parallelogram(l, rod, bar));
  ScenarioSystem system = closed_near(model, Vector(3));
  const double M = 2 * rod * l * l / 3 + bar * l * l, K = g * (rod * l + bar * l);
  const double x = 0.4, v = 1.3, a = -2.1, j = 3.7, s = 0.9;
  const Vector unit{1, -1, 1};
  EvaluationState m(model);
  m.closed = system.closed();
  m.q = x * unit, m.v = v * unit, m.a = a * unit, m.jerk = j * unit, m.snap = s * unit;
  m.gives_tau = false;
  Values values(model,
                {"inverse_dynamics", "inverse_dynamics_rate", "inverse_dynamics_rate2", "gravity",
                 "bias", "constraint_violation", "constraint_reciprocal_condition"});
  values.at(m);
  EXPECT_NEAR(values["inverse_dynamics"](0, 0), M * a + K * std::sin(x), 1e-12);
  EXPECT_LE(values["inverse_dynamics"].bottomRows(2).norm(), 1e-13);
  EXPECT_NEAR(values["inverse_dynamics_rate"](0, 0), M * j + K * std::cos(x) * v, 1e-9);
  EXPECT_NEAR(values["inverse_dynamics_rate2"](0, 0),
              M * s + K * (std::cos(x) * a - std::sin(x) * v * v), 1e-7);
  EXPECT_NEAR(values["gravity"](0, 0), K * std::sin(x), 1e-13);
  EXPECT_NEAR(values["bias"](0, 0), K * std::sin(x), 1e-12);
  EXPECT_LE(values["constraint_violation"](0, 0), 1e-15);
  EXPECT_GT(values["constraint_reciprocal_condition"](0, 0), 1e-3);
}

TEST(ClosedEvaluation, in_a_run_inverse_dynamics_is_tau) {
  std::mt19937_64 generator(93);
  const GearedLoops made(generator);
  Scenario s{.model = made.model,
             .start = {0, made.q, Vector(made.model.nv())},
             .duration = 0.02,
             .every = 0.01,
             .quantities = {"tau", "inverse_dynamics", "a", "forward_dynamics"}};
  const Vector tau = test::random_vector(made.model.nv(), generator);
  s.forces.add({"motors", made.model,
                [tau](double, const VelocityKinematics&, JointForces& out) { out.tau += tau; }});
  Simulation simulation(s);
  struct Compare : Recorder {
    void sample(const Sample& sample) override {
      EXPECT_LE((sample.values[0] - sample.values[1]).norm(), 1e-8 * (1 + sample.values[2].norm()));
      EXPECT_EQ(sample.values[2], sample.values[3]);
      ++count;
    }
    int count = 0;
  } compare;
  simulation.run(compare);
  EXPECT_EQ(compare.count, 3);
}

}  // namespace
}  // namespace chasles
