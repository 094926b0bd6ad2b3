/// Linear systems against differences of the motion itself, and modes against closed forms.
#include "chasles/linearization/linear_system.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/linearization/equilibrium.hpp"
#include "chasles/systems/model_system.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// A chain of n uniform rods of 1 kg and 1 m in a plane, hanging on ground: swings about y.
Model rods(int n) {
  Mechanism m{"rods", {0, 0, -9.81}, {}, {}, {}};
  for (int k = 0; k < n; ++k) {
    Body body;
    body.name = "rod" + std::to_string(k);
    body.parent = k == 0 ? "ground" : "rod" + std::to_string(k - 1);
    body.joint.type = JointType::revolute;
    body.joint.geometry =
        AxisGeometry{{0, 1, 0}, {0, 0, -static_cast<double>(k)}, {}, DescribedIn::world};
    body.inertia = BodyInertia{1, {0, 0, -k - 0.5}, Sym3::diagonal(1.0 / 12, 1.0 / 12, 0)};
    m.bodies.push_back(body);
  }
  return compile(m);
}

TEST(LinearSystem, is_how_a_neighbor_moves_away) {
  std::mt19937_64 generator(51);
  for (int k = 0; k < 4; ++k) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 8, .tree = k % 2 == 1}));
    const int n = model.nv();
    const Vector q = test::random_configuration(model, generator),
                 v = test::random_vector(n, generator), tau = test::random_vector(n, generator);
    ModelSystem system(model);
    system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau = tau - 0.3 * kin.v();
      out.wrenches.push_back({model.frame("body2"), {{0.1, 0.2, 0.3}, {1, -2, 0.5}}});
    });
    const LinearSystem linear = linearize(system, 0, q, v);
    // e of q_neighbor = q exp(e) after a time t, when both move on for that time: e' at t = 0.
    const ModelGroup group(model);
    const auto acceleration = [&](const Vector& at, const Vector& rate) {
      Vector velocity(n), a(n);
      system.rates(0, at, rate, velocity, a);
      return Eigen::VectorXd(a);
    };
    for (int c = 0; c < 2 * n; ++c) {
      const Eigen::VectorXd e = Eigen::VectorXd::Unit(2L * n, c);
      const Eigen::VectorXd rate = test::derivative([&](double s) -> Eigen::VectorXd {
        Vector there(model.nq());
        group.plus(q, s * e.head(n), there);
        const Vector there_v = v + s * e.tail(n);
        const Eigen::VectorXd apart = test::derivative([&](double t) -> Eigen::VectorXd {
          Vector one(model.nq()), other(model.nq()), x(n);
          group.plus(q, t * v, one);
          group.plus(there, t * there_v, other);
          group.minus(other, one, x);
          return x;
        });
        Eigen::VectorXd both(2 * n);
        both << apart, acceleration(there, there_v);
        return both;
      });
      EXPECT_LE((linear.A.col(c) - rate).cwiseAbs().maxCoeff(),
                1e-6 * (1 + rate.cwiseAbs().maxCoeff()))
          << c;
    }
    MassMatrixInverse work(model);
    const Eigen::MatrixXd inverse = mass_matrix_inverse(model, q, work);
    EXPECT_LE((linear.B.bottomRows(n) - inverse).cwiseAbs().maxCoeff(),
              1e-9 * inverse.cwiseAbs().maxCoeff());
    EXPECT_EQ(linear.B.topRows(n).cwiseAbs().maxCoeff(), 0);
  }
}

TEST(LinearSystem, held_forces_of_an_oscillator) {
  // x'' = -4 x + u: x(h) = cos 2h, and (1 - cos 2h) / 4 of u.
  const LinearSystem s{Eigen::MatrixXd{{0, 1}, {-4, 0}}, Eigen::MatrixXd{{0}, {1}}};
  const double h = 0.7;
  const LinearSystem step = discretize(s, h);
  EXPECT_NEAR(step.A(0, 0), std::cos(2 * h), 1e-15);
  EXPECT_NEAR(step.A(0, 1), std::sin(2 * h) / 2, 1e-15);
  EXPECT_NEAR(step.B(0, 0), (1 - std::cos(2 * h)) / 4, 1e-15);
  EXPECT_NEAR(step.B(1, 0), std::sin(2 * h) / 2, 1e-15);
  EXPECT_SAYS(discretize(s, -1), "-1");
}

TEST(Modes, of_hanging_rods) {
  // sqrt(3 g / 2), and the roots for two and three rods.
  const std::vector<std::vector<double>> expected{
      {3.83601355576333},
      {2.68011401225338, 7.18867087028771},
      {2.18108761267045, 5.42494239600754, 10.2488728788777}};
  for (int n = 1; n <= 3; ++n) {
    ModelSystem system(rods(n));
    const std::vector<VibrationMode> found = modes(system, 0, Vector(n));
    const auto& want = expected[static_cast<std::size_t>(n - 1)];
    ASSERT_EQ(found.size(), want.size());
    for (std::size_t k = 0; k < want.size(); ++k) {
      EXPECT_NEAR(found[k].frequency, want[k], 2e-14 * want[k] + 1e-13);
      EXPECT_EQ(found[k].damping, 0);
    }
  }
}
TEST(Modes, of_a_rod_upside_down_fall) {
  ModelSystem system(rods(1));
  const std::vector<VibrationMode> found = modes(system, 0, Vector{M_PI});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_NEAR(found[0].lambda.real() * found[1].lambda.real(), -1.5 * 9.81, 1e-12);
}
TEST(Modes, of_a_damped_rod) {
  const double c = 0.4, w = std::sqrt(1.5 * 9.81);
  ModelSystem system(rods(1));
  system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau[0] = -c * kin.v()[0];
  });
  const std::vector<VibrationMode> found = modes(system, 0, Vector(1));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].frequency, w, 1e-9);
  EXPECT_NEAR(found[0].damping, c / (2 * w * (1.0 / 3)), 1e-9);
}
TEST(Equilibrium, is_found_from_afar) {
  ModelSystem system(rods(3));
  system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau[0] = 3 - 2 * kin.q()[0];
  });
  const Vector q = find_equilibrium(system, 0, Vector{0.6, -0.4, 0.5});
  Vector f(3);
  system.set(0, q, Vector(3));
  system.force(f);
  EXPECT_LE(f.cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_GT(modes(system, 0, q)[0].frequency, 0);
}
TEST(Equilibrium, that_is_none_is_named) {
  std::mt19937_64 generator(52);
  const Model model = compile(test::random_mechanism(
      generator, {.bodies = 1, .kinds = {{JointType::floating}}}));  // it falls
  ModelSystem system(model), swinging(rods(1));
  EXPECT_SAYS(find_equilibrium(system, 0, model.neutral()), "no equilibrium", "component",
              "linear");
  EXPECT_SAYS(modes(swinging, 0, Vector{0.5}), "equilibrium", "joint 'rod0'");
  EXPECT_SAYS(linearize(swinging, 0, Vector{NAN}, Vector(1)), "q of joint 'rod0'", "nan");
  EXPECT_SAYS(linearize(system, 0, model.neutral(), Vector{0, 0, 0, 0, INFINITY, 0}), "v of joint",
              "component 5 of 6 (linear y)");
}

}  // namespace
}  // namespace chasles
