/// Regulators, filters and controllability: closed forms, residuals, and costs of simulated motions.
#include "chasles/linearization/linear_quadratic.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>

#include "chasles/io/scenario_file.hpp"
#include "chasles/linearization/equilibrium.hpp"
#include "chasles/linearization/linear_system.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/error_estimate.hpp"
#include "chasles/simulation/state_feedback.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace linear_quadratic_test {

using Eigen::MatrixXd;

MatrixXd rows(std::initializer_list<std::initializer_list<double>> list) {
  MatrixXd out(static_cast<Eigen::Index>(list.size()),
               static_cast<Eigen::Index>(list.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : list) {
    Eigen::Index j = 0;
    for (const double x : row) out(i, j++) = x;
    ++i;
  }
  return out;
}
struct RandomSystem {
  MatrixXd A, B, Q, R;
};
RandomSystem random_system(int n, int m, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  const auto matrix = [&](int a, int b) {
    return MatrixXd(MatrixXd::NullaryExpr(a, b, [&] { return normal(random); }));
  };
  const MatrixXd C = matrix(2, n), r = matrix(m, m);
  return {matrix(n, n) / std::sqrt(n), matrix(n, m), C.transpose() * C,
          r * r.transpose() + MatrixXd::Identity(m, m)};
}

/// Mass without spring, weights q on the position and r on the force: K = (sqrt(q / r), sqrt(2 sqrt(q / r))).
TEST(LinearQuadratic, double_integrator) {
  for (const double q : {1.0, 100.0, 1e-4})
    for (const double r : {1.0, 1e-3, 50.0}) {
      const Regulator k =
          lqr(rows({{0, 1}, {0, 0}}), rows({{0}, {1}}), rows({{q, 0}, {0, 0}}), rows({{r}}));
      const double w = std::sqrt(q / r);
      EXPECT_NEAR(k.K(0, 0), w, 4e-15 * w);
      EXPECT_NEAR(k.K(0, 1), std::sqrt(2 * w), 4e-15 * std::sqrt(2 * w));
      EXPECT_LT(k.residual, 1e-15);
      for (const auto pole : k.poles) {  // a Butterworth pair
        EXPECT_NEAR(std::abs(pole), std::sqrt(w), 1e-13 * std::sqrt(w));
        EXPECT_NEAR(pole.real(), -std::sqrt(w / 2), 1e-13 * std::sqrt(w));
      }
    }
}

/// x' = a x + u: P = a + sqrt(a^2 + q), and the sampled equation p^2 - (a^2 + q - 1) p - q = 0.
TEST(LinearQuadratic, scalar_equations) {
  for (const double a : {-3.0, 0.0, 2.0, 40.0}) {
    const double q = 1.7, p = a + std::sqrt(a * a + q);
    EXPECT_NEAR(lqr(rows({{a}}), rows({{1}}), rows({{q}}), rows({{1}})).P(0, 0), p,
                1e-14 * p + 1e-16);
    const double b = a * a + q - 1, s = (b + std::sqrt(b * b + 4 * q)) / 2;
    const Regulator k = sampled_lqr(rows({{a}}), rows({{1}}), rows({{q}}), rows({{1}}));
    EXPECT_NEAR(k.P(0, 0), s, 4e-14 * s);
    EXPECT_NEAR(k.K(0, 0), a * s / (1 + s), 1e-14 * std::abs(a) + 1e-16);
  }
}

TEST(LinearQuadratic, residuals_of_random_systems) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const int n = 2 + static_cast<int>(seed % 7), m = 1 + static_cast<int>(seed % 3);
    const auto [A, B, Q, R] = random_system(n, m, seed);
    const Regulator k = lqr(A, B, Q, R);
    const MatrixXd P = k.P, S = B * R.inverse() * B.transpose();
    const double size = (P * A).norm() + (P * S * P).norm();
    EXPECT_LT((A.transpose() * P + P * A - P * S * P + Q).norm(), 1e-12 * size) << n;
    EXPECT_LT((P - P.transpose()).norm(), 1e-15 * P.norm());
    const Regulator d = sampled_lqr(A, B, Q, R);
    const MatrixXd X = d.P, K = d.K;
    EXPECT_LT((A.transpose() * X * (A - B * K) + Q - X).norm(),
              1e-12 * (A.transpose() * X * A).norm())
        << n;
    for (const auto pole : k.poles) EXPECT_LT(pole.real(), 0);
    for (const auto pole : d.poles) EXPECT_LT(std::abs(pole), 1);
  }
}

using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
Long longer(const MatrixXd& x) { return x.cast<long double>(); }

/// Residual of the Riccati equation, in long double, as a fraction of |P| |A - B K|: rounding P to double alone leaves half
/// a unit in the last place of that, 1e-16, which can be much larger than the terms of the equation.
double backward_error(const Regulator& k, const MatrixXd& A, const MatrixXd& B, const MatrixXd& Q,
                      const MatrixXd& R) {
  const Long P = longer(k.P), X = longer(B).transpose() * P, S = longer(R).inverse();
  const Long left = longer(A).transpose() * P + P * longer(A) - X.transpose() * S * X + longer(Q);
  return static_cast<double>(left.norm()) / (MatrixXd(k.P).norm() * (A - B * MatrixXd(k.K)).norm());
}

/// Up to thirty states, one to three inputs, and many unstable eigenvalues: |P| to 1e12.
TEST(LinearQuadratic, large_random_systems) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int n = 9 + static_cast<int>(seed % 22), m = 1 + static_cast<int>(seed % 3);
    const auto [A, B, Q, R] = random_system(n, m, 100 + seed);
    const Regulator k = lqr(A, B, Q, R);
    EXPECT_LT(backward_error(k, A, B, Q, R), 1e-13) << n << " " << m << " " << seed;
    for (const auto pole : k.poles) EXPECT_LT(pole.real(), 0);
    const Regulator d = sampled_lqr(A, B, Q, R);
    const MatrixXd X = d.P, K = d.K;
    EXPECT_LT((A.transpose() * X * (A - B * K) + Q - X).norm(),
              1e-12 * (A.transpose() * X * A).norm())
        << n << " " << m << " " << seed;
    for (const auto pole : d.poles) EXPECT_LT(std::abs(pole), 1);
  }
}

/// Chains of up to fifteen pendulums upright, a motor in each joint: thirty states.
TEST(LinearQuadratic, inverted_chains) {
  for (const int joints : {3, 8, 15}) {
    MechanismBuilder builder("chain");
    std::string parent(ground);
    for (int k = 0; k < joints; ++k) {
      const std::string name = std::to_string(k);
      builder.body(name, parent, joints::revolute({0, 1, 0}, {0, 0, 0.3 * k}))
          .inertia(1, {0, 0, 0.3 * k + 0.15}, Sym3::diagonal(0.01, 0.01, 0.001));
      parent = name;
    }
    const Model model = compile(builder.build());
    ConstrainedSystem system(model);
    const LinearSystem s = linearize(system, 0, model.neutral(), Vector(joints));
    const MatrixXd Q = MatrixXd::Identity(2 * joints, 2 * joints),
                   R = MatrixXd::Identity(joints, joints);
    const Regulator k = lqr(s.A, s.B, Q, R);
    EXPECT_LT(backward_error(k, s.A, s.B, Q, R), 1e-13) << joints;
    for (const auto pole : k.poles) EXPECT_LT(pole.real(), 0);
    const LinearSystem step = discretize(s, 1e-3);
    const Regulator d = sampled_lqr(step.A, step.B, 1e-3 * Q, 1e-3 * R);
    EXPECT_LT(d.residual, 1e-12) << joints;
    for (const auto pole : d.poles) EXPECT_LT(std::abs(pole), 1);
    const MatrixXd C = s.C.topRows(joints);  // positions are measured
    Regulator f = kalman_filter(s.A, C, Q, R);
    f.K = MatrixXd(MatrixXd(f.K).transpose());
    EXPECT_LT(backward_error(f, MatrixXd(s.A).transpose(), C.transpose(), Q, R), 1e-13) << joints;
  }
}

/// x^T P x is the cost: of the loop from a start, by integration of the squares (a Lyapunov equation for any gain); and it
/// is the least one.
TEST(LinearQuadratic, cost_is_least) {
  const auto [A, B, Q, R] = random_system(4, 2, 5);
  const Regulator best = lqr(A, B, Q, R);
  const auto cost = [&](const MatrixXd& K) {
    return MatrixXd(
        solve_lyapunov(MatrixXd((A - B * K).transpose()), MatrixXd(Q + K.transpose() * R * K)));
  };
  const MatrixXd K = best.K, P = best.P;
  EXPECT_LT((cost(K) - P).norm(), 1e-12 * P.norm());
  for (int i = 0; i < 8; ++i) {
    MatrixXd other = K;
    other.data()[i] *= 1.05;
    EXPECT_GT((cost(other) - P).trace(), 1e-9);
  }
}

/// Short periods: the sampled regulator is the continuous one.
TEST(LinearQuadratic, sampled_gains_converge) {
  const auto [A, B, Q, R] = random_system(4, 1, 3);
  const MatrixXd K = lqr(A, B, Q, R).K;
  double before = 0;
  for (const double h : {1e-2, 1e-3, 1e-4}) {
    const LinearSystem step = discretize({Matrix(A), Matrix(B)}, h);
    const double off = (MatrixXd(sampled_lqr(step.A, step.B, h * Q, h * R).K) - K).norm();
    if (before > 0) {
      EXPECT_NEAR(before / off, 10, 1.5);
    }
    before = off;
  }
}

/// By duality; for a double integrator with measured position, L = (sqrt(2 s), s), s = sqrt(w / v).
TEST(LinearQuadratic, kalman_filters) {
  const Regulator f =
      kalman_filter(rows({{0, 1}, {0, 0}}), rows({{1, 0}}), rows({{0, 0}, {0, 9}}), rows({{4}}));
  EXPECT_NEAR(f.K(0, 0), std::sqrt(3), 1e-14);
  EXPECT_NEAR(f.K(1, 0), 1.5, 1e-14);
  ASSERT_EQ(f.K.rows(), 2);
  const auto [A, B, W, V] = random_system(6, 2, 9);
  const MatrixXd C = B.transpose();
  const Regulator d = sampled_kalman_filter(A, C, W, V);
  // The variance of the prediction, iterated.
  MatrixXd P = MatrixXd::Zero(6, 6);
  for (int k = 0; k < 500; ++k) {
    const MatrixXd G = A * P * C.transpose() * (V + C * P * C.transpose()).inverse();
    P = A * P * A.transpose() - G * C * P * A.transpose() + W;
  }
  EXPECT_LT((MatrixXd(d.P) - P).norm(), 1e-11 * P.norm());
}

TEST(LinearQuadratic, controllability_of_parts) {
  // Two oscillators; the force acts on one of them, with and without a spring between.
  const auto oscillators = [](double spring) {
    return rows(
        {{0, 0, 1, 0}, {0, 0, 0, 1}, {-1 - spring, spring, 0, 0}, {spring, -4 - spring, 0, 0}});
  };
  const MatrixXd B = rows({{0}, {0}, {1}, {0}});
  const Reachability apart = controllability(oscillators(0), B);
  EXPECT_EQ(apart.rank, 2);
  ASSERT_EQ(apart.fixed.size(), 2U);
  for (const auto s : apart.fixed) EXPECT_NEAR(std::abs(s), 2, 1e-14);
  EXPECT_EQ(controllability(oscillators(0.1), B).rank, 4);
  EXPECT_EQ(controllability(oscillators(1e-13), B).rank, 2);
  EXPECT_EQ(observability(oscillators(0.1), rows({{1, 0, 0, 0}})).rank, 4);
  EXPECT_EQ(observability(oscillators(0), rows({{1, 0, 0, 0}})).rank, 2);
}

/// The Gramian of a double integrator: [T^3/3 T^2/2; T^2/2 T]; for stable systems its limit solves Lyapunov's equation.
TEST(LinearQuadratic, gramians) {
  for (const double T : {0.1, 3.0, 200.0}) {
    const MatrixXd W = controllability_gramian(rows({{0, 1}, {0, 0}}), rows({{0}, {1}}), T);
    EXPECT_LT((W - rows({{T * T * T / 3, T * T / 2}, {T * T / 2, T}})).norm(), 1e-14 * W.norm());
  }
  auto [A, B, Q, R] = random_system(5, 2, 2);
  A -= 4 * MatrixXd::Identity(5, 5);
  const MatrixXd W = controllability_gramian(A, B, 100), X = solve_lyapunov(A, B * B.transpose());
  EXPECT_LT((W - X).norm(), 1e-14 * W.norm());
  EXPECT_LT((A * X + X * A.transpose() + B * B.transpose()).norm(), 1e-14 * (A * X).norm());
}

/// A pole on a cart: unstable upright, stabilized by the cart's motor, not by one in the hinge.
TEST(LinearQuadratic, of_mechanisms) {
  const Model model = compile(MechanismBuilder("cart")
                                  .body("cart", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(2, {}, Sym3{})
                                  .body("pole", "cart", joints::revolute({0, 1, 0}))
                                  .inertia(1, {0, 0, 0.5}, Sym3{})
                                  .build());
  ConstrainedSystem system(model);
  const LinearSystem s = linearize(system, 0, model.neutral(), Vector(2));
  const MatrixXd B = s.B.leftCols(1);
  EXPECT_EQ(controllability(s.A, B).rank, 4);
  const Regulator k = lqr(s.A, B, MatrixXd::Identity(4, 4), rows({{0.1}}));
  EXPECT_LT(k.residual, 1e-14);
  for (const auto pole : k.poles) EXPECT_LT(pole.real(), -0.1);
  // The hinge's torque is internal: the horizontal momentum, a chain of two integrators, is not affected.
  const Reachability hinge = controllability(s.A, s.B.rightCols(1));
  EXPECT_EQ(hinge.rank, 2);
  for (const auto eigenvalue : hinge.fixed) EXPECT_LT(std::abs(eigenvalue), 1e-6);
}

/// The run of the example, whose gains are those of lqr, costs what the linear theory says: x^T P x, up to terms of
/// third order.
TEST(LinearQuadratic, runs_cost_what_the_riccati_equation_says) {
  Scenario scenario = read_scenario("examples/scenarios/cart_pole.yaml");
  const Model& model = scenario.model;
  ConstrainedSystem system(model);
  const LinearSystem s = linearize(system, 0, model.neutral(), Vector(2));
  const MatrixXd Q = Eigen::Vector4d(10, 1, 0, 0).asDiagonal(), B = s.B.leftCols(1),
                 R = rows({{1}});
  const Regulator k = lqr(s.A, B, Q, R);
  scenario.forces = {};
  scenario.forces.add(control(state_feedback(
      model, {.joints = {"cart"}, .measured = {"cart", "pole"}, .reference = {0, 0}, .K = k.K})));
  scenario.start.q = Vector{1e-3, 2e-3}, scenario.start.v = Vector{0, 1e-3};
  scenario.duration = 25, scenario.every = 0.001, scenario.quantities = {"tau"};
  RecordedSamples samples;
  Simulation(scenario).run(samples);
  double cost = 0;  // trapezoidal rule
  for (std::size_t i = 0; i < samples.rows.size(); ++i) {
    const auto& [state, values] = samples.rows[i];
    const double u = values[0](0, 0), end = i == 0 || i + 1 == samples.rows.size() ? 0.5 : 1;
    cost += end * 0.001 * (10 * state.q[0] * state.q[0] + state.q[1] * state.q[1] + u * u);
  }
  const Eigen::Vector4d x(1e-3, 2e-3, 0, 1e-3);
  EXPECT_NEAR(cost / x.dot(MatrixXd(k.P) * x), 1, 3e-5);
  // The gains in the file are the same, to its digits.
  Scenario file = read_scenario("examples/scenarios/cart_pole.yaml");
  file.start = scenario.start, file.duration = 5, file.every = 1;
  scenario.duration = 5, scenario.every = 1, scenario.quantities.clear();
  RecordedSamples one, other;
  Simulation(file).run(one);
  Simulation(scenario).run(other);
  EXPECT_LT((one.rows.back().state.q - other.rows.back().state.q).norm(), 1e-9);
}

/// Only positions are measured: the run of a small deviation is that of the linear recursion of plant and observer,
///
///     x_k+1 = A x_k - B K z_k,   z_k+1 = A z_k - B K z_k + L C (x_k - z_k)
///
/// up to terms of third order.
TEST(LinearQuadratic, observers_estimate_what_is_not_measured) {
  Scenario scenario = read_scenario("examples/scenarios/cart_pole.yaml");
  const Model& model = scenario.model;
  ConstrainedSystem system(model);
  const LinearSystem s = linearize(system, 0, model.neutral(), Vector(2));
  const double T = 0.02;
  const LinearSystem step = discretize({s.A, Matrix(s.B.leftCols(1))}, T);
  const MatrixXd one = MatrixXd::Identity(4, 4), A = step.A, B = step.B,
                 C = rows({{1, 0, 0, 0}, {0, 1, 0, 0}});
  const Regulator k = sampled_lqr(A, B, one, rows({{1}}));
  const Regulator f = sampled_kalman_filter(A, C, 1e-4 * one, 1e-6 * MatrixXd::Identity(2, 2));
  const MatrixXd K = k.K, L = f.K;
  scenario.forces = {};
  scenario.forces.add(
      control(state_feedback(model, {.joints = {"cart"},
                                     .measured = {"cart", "pole"},
                                     .reference = {0, 0},
                                     .K = k.K,
                                     .observer = Observer{.positions = {"cart", "pole"},
                                                          .A = step.A,
                                                          .B = step.B,
                                                          .C = C,
                                                          .L = f.K,
                                                          .period = T}})));
  scenario.start.q = Vector{1e-4, -2e-4}, scenario.start.v = Vector{2e-4, 1e-4};
  scenario.duration = 3, scenario.every = T, scenario.quantities = {};
  scenario.integrator = {.method = "dop853", .tolerance = 1e-13};
  for (int repeated = 0; repeated < 2; ++repeated) {  // every run begins with z = 0
    RecordedSamples samples;
    Simulation(scenario).run(samples);
    Eigen::Vector4d x(1e-4, -2e-4, 2e-4, 1e-4), z = Eigen::Vector4d::Zero();
    ASSERT_EQ(samples.rows.size(), 151U);
    for (const auto& row : samples.rows) {
      const Eigen::Vector4d at(row.state.q[0], row.state.q[1], row.state.v[0], row.state.v[1]);
      ASSERT_LT((at - x).norm(), 1e-9) << row.state.t;
      const Eigen::Vector4d u = -B * (K * z);
      const Eigen::Vector4d next = A * z + u + L * (C * (x - z));
      x = A * x + u, z = next;
    }
  }
}

TEST(LinearQuadratic, observers_refuse_wrong_sizes) {
  const Model model = compile(read_mechanism("examples/cart_pole.yaml"));
  const Observer good{.positions = {"pole"},
                      .A = Matrix(4, 4),
                      .B = Matrix(4, 1),
                      .C = Matrix(1, 4),
                      .L = Matrix(4, 1),
                      .period = 0.1};
  const auto made = [&](const Observer& observer) {
    return state_feedback(model, {.joints = {"cart"},
                                  .measured = {"cart", "pole"},
                                  .reference = {0, 0},
                                  .K = Matrix(1, 4),
                                  .observer = observer});
  };
  EXPECT_EQ(made(good).period, 0.1);
  Observer bad = good;
  bad.positions = {"poll"};
  EXPECT_SAYS(made(bad), "poll", "pole");
  bad = good, bad.positions = {};
  EXPECT_SAYS(made(bad), "measures nothing");
  bad = good, bad.period = 0;
  EXPECT_SAYS(made(bad), "period");
  bad = good, bad.velocities = {"pole"};
  EXPECT_SAYS(made(bad), "C of the observer is 1 x 4", "2 x 4");
  bad = good, bad.L = Matrix(1, 4);
  EXPECT_SAYS(made(bad), "L of the observer");
  bad = good, bad.A(2, 2) = std::nan("");
  EXPECT_SAYS(made(bad), "not finite");
}

TEST(LinearQuadratic, state_feedback_refuses_wrong_sizes) {
  const Model model = compile(read_mechanism("examples/cart_pole.yaml"));
  const auto made = [&](StateFeedback law) { return state_feedback(model, std::move(law)); };
  EXPECT_SAYS(made({}), "joints", "empty");
  EXPECT_SAYS(made({.joints = {"card"}, .measured = {"cart"}, .reference = {0}, .K = Matrix(1, 2)}),
              "card", "cart");
  EXPECT_SAYS(made({.joints = {"cart"}, .measured = {"cart"}, .reference = {}, .K = Matrix(1, 2)}),
              "reference has 0");
  EXPECT_SAYS(made({.joints = {"cart"}, .measured = {"cart"}, .reference = {0}, .K = Matrix(1, 3)}),
              "1 x 3", "1 x 2");
  EXPECT_SAYS(made({.joints = {"cart"},
                    .measured = {"cart"},
                    .reference = {0},
                    .K = Matrix(1, 2),
                    .effort = Vector(2)}),
              "effort has 2");
}

TEST(LinearQuadratic, bad_input) {
  const MatrixXd A = rows({{0, 1}, {0, 0}}), B = rows({{0}, {1}}), Q = MatrixXd::Identity(2, 2),
                 R = rows({{1}});
  EXPECT_SAYS(lqr(rows({{0, 1}}), B, Q, R), "A is 1 x 2");
  EXPECT_SAYS(lqr(A, rows({{1}}), Q, R), "B is 1 x 1", "2 x 1");
  EXPECT_SAYS(lqr(A, B, rows({{1, 2}, {0, 1}}), R), "Q is not symmetric");
  EXPECT_SAYS(lqr(A, B, -Q, R), "Q", "-1", "negative");
  EXPECT_SAYS(sampled_lqr(A, B, Q, rows({{0}})), "R", "positive");
  EXPECT_SAYS(lqr(A, B, Q, rows({{NAN}})), "R", "not finite");
  EXPECT_SAYS(kalman_filter(A, rows({{1}}), Q, R), "C is 1 x 1");
  EXPECT_SAYS(lqr(rows({{1, 0}, {0, 2}}), rows({{1}, {0}}), Q, R), "eigenvalue 2", "inputs");
  EXPECT_SAYS(sampled_lqr(rows({{0.5, 0}, {0, 1.5}}), rows({{1}, {0}}), Q, R), "eigenvalue 1.5",
              "inputs");
  EXPECT_SAYS(kalman_filter(A, rows({{0, 1}}), Q, R), "eigenvalue 0", "measurements");
  EXPECT_SAYS(lqr(A, B, rows({{0, 0}, {0, 1}}), R), "neutral eigenvalue 0", "weights");
  EXPECT_SAYS(controllability(A, B, 0), "tolerance 0");
  EXPECT_SAYS(controllability_gramian(A, B, -1), "horizon -1");
  EXPECT_SAYS(solve_lyapunov(A, Q), "eigenvalue 0", "stable");
}

}  // namespace linear_quadratic_test
}  // namespace chasles
