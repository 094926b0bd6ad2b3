/// Bushings, springs by tables and drag against closed forms.
#include "chasles/simulation/element_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include "chasles/mechanism/builder.hpp"
#include "simulation/run.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace element_forces_test {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using RowMatrix6 = Eigen::Matrix<double, 6, 6, Eigen::RowMajor>;

Model block(const Vec3& gravity) {
  return compile(MechanismBuilder("block")
                     .gravity(gravity)
                     .body("block", ground, joints::floating())
                     .inertia(2, {}, Sym3::diagonal(0.02, 0.03, 0.04))
                     .build());
}
Bushing mount() {
  Bushing b{{"ground", {}}, {"block", {}}};
  RowMatrix6 K = RowMatrix6::Zero(), D = RowMatrix6::Zero();
  K.diagonal() << 4, 5, 6, 300, 200, 500;
  K(0, 4) = K(4, 0) = 12;
  K(2, 3) = K(3, 2) = -7;
  D = 0.01 * K;
  Eigen::Map<RowMatrix6>(b.stiffness.data()) = K;
  Eigen::Map<RowMatrix6>(b.damping.data()) = D;
  return b;
}

/// Frequencies of small oscillations are the roots of the eigenvalues of M^-1 K.
TEST(BushingForce, has_the_frequencies_of_its_matrices) {
  const Model model = block({});
  Bushing b = mount();
  b.damping = {};
  Matrix6 M = Matrix6::Zero();
  M.diagonal() << 0.02, 0.03, 0.04, 2, 2, 2;
  const Matrix6 K = Eigen::Map<RowMatrix6>(b.stiffness.data());
  const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix6> exact(K, M);
  for (int mode = 0; mode < 6; ++mode) {
    const Eigen::VectorXd shape = exact.eigenvectors().col(mode);
    const double w = std::sqrt(exact.eigenvalues()[mode]), size = 1e-7;
    Scenario s{.model = model, .start = {0, model.neutral(), Eigen::VectorXd::Zero(6)}};
    Eigen::VectorXd q(7);
    plus(model, model.neutral(), size * shape, q);
    s.start.q = q;
    s.duration = 2 * M_PI / w;
    s.integrator = {.method = "dop853", .tolerance = 1e-13};
    s.forces.add(bushing(model, b));
    s.every = s.duration / 4;
    const auto path = test::run(s).path;
    Eigen::VectorXd half(6), full(6);
    minus(model, path[2].q, model.neutral(), half);
    minus(model, path[4].q, model.neutral(), full);
    EXPECT_LT((half + size * shape).cwiseAbs().maxCoeff(), 2e-6 * size * shape.norm()) << mode;
    EXPECT_LT((full - size * shape).cwiseAbs().maxCoeff(), 2e-6 * size * shape.norm()) << mode;
  }
}

/// Large rotations about one axis: a torsion spring, with the energy k phi^2 / 2.
TEST(BushingForce, about_one_axis_is_a_torsion_spring) {
  const Model model = compile(MechanismBuilder("wheel")
                                  .gravity({})
                                  .body("wheel", ground, joints::revolute({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(0.1, 0.1, 0.2))
                                  .build());
  Bushing b{{"ground", {}}, {"wheel", {}}};
  b.stiffness[14] = 3, b.damping[14] = 0.1, b.preload[2] = 0.6;
  Scenario s{.model = model,
             .start = {0, Eigen::VectorXd::Constant(1, 2.0), Eigen::VectorXd::Zero(1)}};
  s.duration = 3;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  Scenario spring = s;
  s.forces.add(bushing(model, b));
  spring.forces.add(joint_spring_damper(model, "wheel", 3, 0.1, {0.2}));  // rest = preload / k
  const auto x = test::run(s), y = test::run(spring);
  EXPECT_NEAR(x.state.q[0], y.state.q[0], 1e-11);
  EXPECT_LT(x.summary.worst.energy, 1e-10);
}

/// T + U - W of a tumbling block on a bushing with full matrices, in both coordinates' methods.
TEST(BushingForce, balances_energy) {
  for (const char* method : {"dop853", "radau5"}) {
    const Model model = block({0, 0, -9.81});
    Bushing b = mount();
    b.preload = {0.1, 0.2, -0.1, 3, 0, 19.62};
    Scenario s{.model = model,
               .start = {0, model.neutral(), Eigen::VectorXd{{8, 5, -6, 0.4, -0.3, 0.2}}}};
    s.duration = 1;
    s.integrator = {.method = method, .tolerance = 1e-10};
    s.forces.add(bushing(model, b));
    const Summary summary = test::run(s).summary;
    EXPECT_LT(summary.worst.energy, 1e-7) << method;
    EXPECT_LT(summary.end.work, -0.1);
  }
}

TEST(BushingForce, is_checked) {
  const Model model = block({});
  Bushing b = mount();
  b.stiffness[1] = 3;
  EXPECT_SAYS(bushing(model, b), "bushing between 'ground' and 'block'",
              "stiffness is not symmetric: entries (1, 2)");
  b = mount();
  b.damping[0] = -1;
  EXPECT_SAYS(bushing(model, b), "damping has the eigenvalue -", "drive the motion");
  b = mount();
  b.preload[3] = NAN;
  EXPECT_SAYS(bushing(model, b), "preload has an entry that is not finite");
  b = mount();
  b.a.body = "block";
  EXPECT_SAYS(bushing(model, b), "move together");
  b.a.body = "blok";
  EXPECT_SAYS(bushing(model, b), "did you mean 'block'?");
}

/// A body that falls from rest: v = v_t tanh(g t / v_t), v_t = sqrt(2 m g / (rho c_d A)).
TEST(DragForce, has_the_terminal_velocity) {
  const double quadratic = 1.2 * 0.47 * 0.05 / 2, end = 20, g = 9.81;
  const double v_t = std::sqrt(2 * g / quadratic);
  const Model model = block({0, 0, -g});
  Scenario s{.model = model, .start = {0, model.neutral(), Eigen::VectorXd::Zero(6)}};
  s.duration = end, s.every = 1;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  s.forces.add(point_drag(model, {"block", {}}, {.quadratic = quadratic}));
  const auto run = test::run(s);
  for (const State& state : run.path) {
    EXPECT_NEAR(state.v[5], -v_t * std::tanh(g * state.t / v_t), 1e-9 * v_t);
    EXPECT_NEAR(state.q[6], -v_t * v_t / g * std::log(std::cosh(g * state.t / v_t)), 1e-8 * v_t);
  }
  EXPECT_LT(run.summary.worst.energy, 1e-8);
}

/// Viscous drag toward the velocity of the wind: exponential, m v' = -c (v - w).
TEST(DragForce, follows_the_wind) {
  const Model model = block({});
  Scenario s{.model = model, .start = {0, model.neutral(), Eigen::VectorXd::Zero(6)}};
  s.duration = 3;
  s.integrator = {.method = "dop853", .tolerance = 1e-12};
  s.forces.add(point_drag(model, {"block", {}}, {.viscous = 1.5, .wind = {2, 0, -1}}));
  const State end = test::run(s).state;
  EXPECT_NEAR(end.v[3], 2 * (1 - std::exp(-1.5 * 3 / 2)), 1e-10);
  EXPECT_NEAR(end.v[5], -(1 - std::exp(-1.5 * 3 / 2)), 1e-10);
}

Model wheel() {
  return compile(MechanismBuilder("wheel")
                     .gravity({})
                     .body("wheel", ground, joints::revolute({0, 0, 1}))
                     .inertia(1, {}, Sym3::diagonal(0.1, 0.1, 0.2))
                     .build());
}

/// A table of a straight line is a linear spring, by both interpolations, also beyond its ends.
TEST(SpringTable, of_a_line_is_a_spring) {
  const Model model = wheel();
  for (const auto kind : {TableInterpolation::linear, TableInterpolation::cubic}) {
    Scenario s{.model = model,
               .start = {0, Eigen::VectorXd::Constant(1, 2.0), Eigen::VectorXd::Zero(1)}};
    s.duration = 3;
    s.integrator = {.method = "dop853", .tolerance = 1e-12};
    Scenario spring = s;
    s.forces.add(
        joint_spring_table(model, "wheel", {-1, 0.2, 0.5, 1}, {4.8, 0, -1.2, -3.2}, 0.1, kind));
    spring.forces.add(joint_spring_damper(model, "wheel", 4, 0.1, {0.2}));
    EXPECT_NEAR(test::run(s).state.q[0], test::run(spring).state.q[0], 1e-11);
  }
}

/// A monotone table has no overshoot, meets its entries, and its force is -dU/dq.
TEST(SpringTable, is_monotone_and_keeps_energy) {
  const std::vector<double> x{-1, -0.2, 0, 0.1, 1, 3}, y{9, 1, 0, -0.01, -0.02, -8};
  const Model model = wheel();
  VelocityKinematics kin(model);
  for (const auto kind : {TableInterpolation::linear, TableInterpolation::cubic}) {
    const Force force = joint_spring_table(model, "wheel", x, y, 0, kind);
    const auto at = [&](double q) {
      forward_kinematics(model, Eigen::VectorXd::Constant(1, q), Eigen::VectorXd::Zero(1), kin);
      JointForces out{Vector(1), {}};
      out.tau.setZero();
      force.law.add(0, kin, out);
      return out.tau[0];
    };
    const auto U = [&](double q) {
      at(q);
      return force.law.potential(kin);
    };
    double last = at(-2);
    for (int k = 1; k <= 600; ++k) {
      const double q = -2 + 0.01 * k, h = 1e-5;
      EXPECT_LE(at(q), last + 1e-12) << q;
      last = at(q);
      EXPECT_NEAR(-(U(q + h) - U(q - h)) / (2 * h), last, 2e-4) << q;
      EXPECT_GE(U(q), -1e-12);
    }
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(at(x[i]), y[i], 1e-14);
  }
}

TEST(SpringTable, is_checked) {
  const Model model = wheel(), ball = block({});
  const auto make = [&](std::vector<double> x, std::vector<double> y) {
    return joint_spring_table(model, "wheel", std::move(x), std::move(y));
  };
  EXPECT_SAYS(make({0, 1}, {0}), "spring table of joint 'wheel'", "2 positions and 1 values");
  EXPECT_SAYS(make({0}, {0}), "fewer than two");
  EXPECT_SAYS(make({0, 2, 1}, {0, 1, 2}), "do not increase: 2, 1");
  EXPECT_SAYS(make({0, 1}, {0, NAN}), "not finite");
  EXPECT_SAYS(joint_spring_table(ball, "block", {0, 1}, {0, 1}), "not one coordinate");
}

}  // namespace element_forces_test
}  // namespace chasles
