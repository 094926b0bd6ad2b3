/// Linear systems, equilibria and modes of mechanisms with loops, couplings and rotors: against closed forms, and
/// against differences of the constrained motion.
#include <gtest/gtest.h>

#include "chasles/linearization/equilibrium.hpp"
#include "chasles/linearization/linear_system.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/rotor.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/constrained_systems.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/parallelogram.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

constexpr double g = 9.81;

/// A body that hangs from a hinge at (x, 0, 0) about y.
void hang(MechanismBuilder& m, const std::string& name, double x, double mass, double length,
          double inertia) {
  m.body(name, ground, joints::revolute({0, 1, 0}, {x, 0, 0}))
      .inertia(mass, {x, 0, -length}, Sym3::diagonal(inertia, inertia, inertia / 2));
}

TEST(ConstrainedModes, of_geared_pendula) {
  // q_2 = -1.5 q_1: M = I_1 + 2.25 I_2, K = g (m_1 l_1 + 2.25 m_2 l_2).
  MechanismBuilder b("geared");
  hang(b, "one", 0, 2, 0.5, 0.1);
  hang(b, "two", 1, 1.2, 0.4, 0.03);
  Mechanism m = b.build();
  m.couplings.push_back(
      {.name = "gear", .terms = {{.joint = "one", .coefficient = 1.5}, {.joint = "two"}}});
  ConstrainedSystem system(compile(m));
  const double M = 0.6 + 2.25 * (0.03 + 1.2 * 0.16), K = g * (1 + 2.25 * 1.2 * 0.4);
  const std::vector<VibrationMode> found = modes(system, 0, Vector(2));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].frequency, std::sqrt(K / M), 1e-14 * found[0].frequency);
  EXPECT_NEAR(found[0].shape[0].real(), -2.0 / 3, 1e-15);
  EXPECT_EQ(found[0].shape[1], 1.0);
  const ReducedDynamics r = reduced_dynamics(system, 0, Vector(2), Vector(2));
  EXPECT_EQ(r.independent, std::vector<int>{0});
  EXPECT_NEAR(r.M(0, 0), M, 1e-15);
  EXPECT_NEAR(r.K(0, 0), K, 4e-15 * K);
  EXPECT_EQ(r.D(0, 0), 0);
  const LinearSystem s = linearize(system, 0, Vector(2), Vector(2), {.independent = {1}});
  EXPECT_EQ(s.positions, std::vector<int>{1});
  EXPECT_NEAR(s.A(1, 0), -K / M, 1e-14 * K / M);
  EXPECT_NEAR(s.B(1, 0), -1.5 / M, 1e-14);
  EXPECT_NEAR(s.B(1, 1), 2.25 / M, 1e-14);
}

TEST(ConstrainedModes, of_a_mimic_pair_and_of_a_rotor) {
  // Two equal rods, one behind the other in the file, of which the first mimics the second.
  MechanismBuilder b("pair");
  hang(b, "follower", 0, 1, 0.5, 0.02);
  hang(b, "leader", 1, 1, 0.5, 0.03);
  Mechanism m = b.build();
  m.bodies[0].joint.mimic = Mimic{.joint = "leader"};
  ConstrainedSystem pair(compile(m));
  const LinearSystem s = linearize(pair, 0, Vector(2), Vector(2));
  EXPECT_EQ(s.positions, std::vector<int>{1});  // not the joint that mimics
  EXPECT_NEAR(modes(pair, 0, Vector(2)).at(0).frequency, std::sqrt(g / 0.55), 1e-13);
  // A rotor of 0.01 kg m^2 behind a gear of 10 is felt as 1 kg m^2.
  Mechanism rod = MechanismBuilder("rod")
                      .body("rod", ground, joints::revolute({0, 1, 0}))
                      .rotor({.inertia = 0.01, .ratio = 10})
                      .inertia(2, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.08))
                      .build();
  ConstrainedSystem geared(compile(rod));
  const LinearSystem motor = linearize(geared, 0, Vector(1), Vector(1));
  EXPECT_NEAR(modes(geared, 0, Vector(1)).at(0).frequency, std::sqrt(g / 1.6), 1e-14);
  EXPECT_NEAR(motor.B(1, 0), 1 / 1.6, 1e-15);
  // As a body with a coupling.
  ConstrainedSystem coupled(compile(with_rotors(rod)));
  const LinearSystem both = linearize(coupled, 0, Vector(2), Vector(2));
  EXPECT_EQ(both.positions, std::vector<int>{0});  // the joint, not its rotor
  EXPECT_NEAR(modes(coupled, 0, Vector(2)).at(0).frequency, std::sqrt(g / 1.6), 1e-14);
  EXPECT_NEAR(both.B(1, 1), 10 / 1.6, 1e-14);
}

TEST(ConstrainedModes, of_a_four_bar_that_hangs) {
  const double l = 0.7, rod = 0.9, bar = 1.7;
  ConstrainedSystem system(compile(test::hanging_parallelogram(l, rod, bar)));
  const double M = 2 * rod * l * l / 3 + bar * l * l, K = g * (rod * l + bar * l);
  const Vector q = find_equilibrium(system, 0, Vector{0.4, -0.4, 0.4});
  EXPECT_LE(q.cwiseAbs().maxCoeff(), 1e-13);
  const std::vector<VibrationMode> found = modes(system, 0, q);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].frequency, std::sqrt(K / M), 1e-12);
  EXPECT_NEAR(std::abs(found[0].shape[1] / found[0].shape[0] + 1.0), 0, 1e-13);
  // A start beside the constraints is brought to them.
  EXPECT_LE(find_equilibrium(system, 0, Vector{0.4, 0, 0.2}).cwiseAbs().maxCoeff(), 1e-13);
}

TEST(ConstrainedModes, with_a_joint_that_is_held) {
  // A double pendulum whose elbow is held at 0.4 rad is one rigid body.
  Mechanism m = MechanismBuilder("double")
                    .body("upper", ground, joints::revolute({0, 1, 0}))
                    .inertia(1, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                    .body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, -1}))
                    .inertia(2, {0, 0, -1.3}, Sym3::diagonal(0.2, 0.2, 0.01))
                    .build();
  ConstrainedSystem system(compile(m));
  const Vector q = find_equilibrium(system, 0, Vector{0.1, 0.4}, {1});
  EXPECT_EQ(q[1], 0.4);
  // About y, positive q turns -z towards -x.
  const double x = -0.3 * std::sin(0.4), z = -1 - 0.3 * std::cos(0.4);
  const double I = 0.1 + 0.25 + 0.2 + 2 * (x * x + z * z);
  const double mx = 2 * x, mz = -0.5 + 2 * z;
  EXPECT_NEAR(std::tan(q[0]), -mx / mz, 1e-13);
  const CoordinateChoice held{.held = {1}};
  const ReducedDynamics r = reduced_dynamics(system, 0, q, Vector(2), held);
  ASSERT_EQ(r.M.rows(), 1);
  EXPECT_NEAR(r.M(0, 0), I, 1e-14);
  EXPECT_NEAR(r.K(0, 0), g * std::hypot(mx, mz), 1e-13);
  EXPECT_EQ(linearize(system, 0, q, Vector(2), held).A.rows(), 2);
  // Held twice, by a coupling and by a stop.
  EXPECT_SAYS(linearize(system, 0, q, Vector(2), {.held = {2}}), "no entry 2");
  EXPECT_SAYS(linearize(system, 0, q, Vector(2), {.independent = {0}}), "1 independent",
              "2 degrees of freedom");
}

TEST(ConstrainedLinearSystem, is_how_a_neighbor_moves_away) {
  std::mt19937_64 generator(77);
  for (int round = 0; round < 3; ++round) {
    const test::LoopedTree looped = test::looped_tree(
        generator, 7,
        round == 0 ? std::vector<test::JointKind>{{JointType::spherical}}
                   : std::vector<test::JointKind>{{JointType::revolute}, {JointType::spherical}});
    const Model model = compile(looped.mechanism);
    const int n = model.nv();
    ConstrainedSystem system(model, {}, looped.q);
    const Vector tau = test::random_vector(n, generator);
    system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau = tau - 0.3 * kin.v();
      out.wrenches.push_back({model.frame("body2"), {{0.1, 0.2, 0.3}, {1, -2, 0.5}}});
    });
    const Vector q = system.assembled();
    const Vector v =
        consistent_velocity(system.constraints(), q, test::random_vector(n, generator));
    const LinearSystem linear = linearize(system, 0, q, v);
    const auto m = static_cast<Eigen::Index>(linear.positions.size());
    ASSERT_EQ(m, system.mobility().mobility);
    ASSERT_GT(m, 0);
    std::vector<bool> kept(static_cast<std::size_t>(n));
    for (const int k : linear.positions) kept[static_cast<std::size_t>(k)] = true;
    const auto independent = [&](const Vector& x) {
      Eigen::VectorXd out(m);
      for (Eigen::Index k = 0; k < m; ++k)
        out[k] = x[linear.positions[static_cast<std::size_t>(k)]];
      return out;
    };
    // Neighbors satisfy the constraints: q by projection, v with its independent entries kept.
    const Matrix N = reduced_dynamics(system, 0, q, v).N;
    const ModelGroup group(model);
    for (Eigen::Index c = 0; c < 2 * m; ++c) {
      const Eigen::VectorXd rate = test::derivative(
          [&](double s) -> Eigen::VectorXd {
            State there{0, q, v};
            if (c < m) {
              const Vector e = s * N.col(c);
              group.plus(q, e, there.q);
              system.project(there);
            }
            there.v = v;
            if (c >= m) there.v[linear.velocities[static_cast<std::size_t>(c - m)]] += s;
            there.v = consistent_velocity(system.constraints(), there.q, there.v, kept);
            const Eigen::VectorXd apart = test::derivative([&](double t) -> Eigen::VectorXd {
              Vector one(model.nq()), other(model.nq()), x(n);
              group.plus(q, t * v, one);
              group.plus(there.q, t * there.v, other);
              group.minus(other, one, x);
              return independent(x);
            });
            Vector velocity(n), a(n);
            system.rates(0, there.q, there.v, velocity, a);
            Eigen::VectorXd both(2 * m);
            both << apart, independent(a);
            return both;
          },
          0.002);
      EXPECT_LE((linear.A.col(c) - rate).cwiseAbs().maxCoeff(),
                2e-6 * (1 + rate.cwiseAbs().maxCoeff()))
          << round << " " << c;
    }
    // u acts as a force in a joint does.
    Vector f(n), x(n), lambda(system.constraint_count());
    const Vector none(system.constraint_count());
    system.set(0, q, v);
    for (int k = 0; k < n; ++k) {
      f.setZero();
      f[k] = 1;
      system.solve(f, none, x, lambda);
      EXPECT_LE((linear.B.col(k).tail(m) - independent(x)).norm(), 1e-9 * (1 + x.norm())) << k;
    }
  }
}

/// A blade on a slope: three positions are free, two velocities. With y' = s' tan(a), s'' = g cos^2(a) - s' a' tan(a).
TEST(ConstrainedLinearSystem, of_a_knife_edge_has_more_positions_than_velocities) {
  const test::ConstrainedMotion knife = test::knife_edge();
  const State at = knife.solution()(0.4);
  const LinearSystem s = linearize(*knife.system, at.t, at.q, at.v);
  EXPECT_EQ(s.positions, (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(s.velocities, (std::vector<int>{0, 2}));
  const double a = at.q[2], v = at.v[0], w = at.v[2], c = std::cos(a), t = std::tan(a);
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(5, 5);
  A(0, 3) = A(2, 4) = 1;
  A(1, 2) = v / (c * c), A(1, 3) = t;
  A(3, 2) = -2 * g * c * std::sin(a) - v * w / (c * c), A(3, 3) = -w * t, A(3, 4) = -v * t;
  EXPECT_LE((s.A - A).cwiseAbs().maxCoeff(), 1e-8) << s.A;
  EXPECT_SAYS(reduced_dynamics(*knife.system, at.t, at.q, at.v), "velocities and not positions");
}

TEST(ConstrainedEquilibrium, is_found_with_multipliers) {
  std::mt19937_64 generator(78);
  const test::LoopedTree looped = test::looped_tree(
      generator, 5, {{JointType::spherical}}, {{JointType::revolute}, {JointType::prismatic}});
  const Model model = compile(looped.mechanism);
  ConstrainedSystem system(model, {}, looped.q);
  const Vector rest = looped.q;
  system.set_forces([&](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau = -80 * (kin.q() - rest);
  });
  const Vector q = find_equilibrium(system, 0, system.assembled());
  Vector velocity(model.nv()), a(model.nv());
  system.rates(0, q, Vector(model.nv()), velocity, a);
  EXPECT_LE(a.cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GT(system.multipliers().norm(), 0.1);
  EXPECT_LE(system.violation(q), 1e-12);
  // K_r is symmetric at an equilibrium: forces have a potential.
  const ReducedDynamics r = reduced_dynamics(system, 0, q, Vector(model.nv()));
  EXPECT_LE((r.K - r.K.transpose()).cwiseAbs().maxCoeff(), 1e-6 * r.K.cwiseAbs().maxCoeff());
}

TEST(ConstrainedLinearSystem, at_a_singular_configuration_says_so) {
  // A flat parallelogram: it may go on as a parallelogram or as an antiparallelogram.
  ConstrainedSystem system(compile(test::hanging_parallelogram(1, 1, 1)));
  State flat{0, Vector{M_PI / 2, -M_PI / 2, M_PI / 2}, Vector(3)};
  EXPECT_SAYS(linearize(system, 0, flat.q, flat.v), "parallelogram", "singular configuration");
}

TEST(HeldForces, of_a_free_slider_are_exact) {
  const double mass = 3;
  const LinearSystem slider{Eigen::MatrixXd{{0, 1}, {0, 0}}, Eigen::MatrixXd{{0}, {1 / mass}}};
  for (const double h : {0.0, 1e-9, 1e-3, 0.1, 1.0, 37.0, 1e4, 1e9}) {
    const LinearSystem step = discretize(slider, h);
    EXPECT_EQ(step.A(0, 0), 1) << h;
    EXPECT_EQ(step.A(0, 1), h);
    EXPECT_EQ(step.A(1, 0), 0);
    EXPECT_EQ(step.A(1, 1), 1);
    EXPECT_NEAR(step.B(0, 0), h * h / 2 / mass, 4e-16 * h * h / 2 / mass);
    EXPECT_NEAR(step.B(1, 0), h / mass, 4e-16 * h / mass);
  }
  // Beside an oscillator, which needs squarings.
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 4), B = Eigen::MatrixXd::Zero(4, 1);
  A(0, 1) = A(2, 3) = 1, A(3, 2) = -100, B(1, 0) = 1 / mass, B(3, 0) = 1;
  const double h = 0.9;
  const LinearSystem step = discretize({A, B}, h);
  EXPECT_EQ(step.A(0, 1), h);
  EXPECT_NEAR(step.B(0, 0), h * h / 2 / mass, 1e-15 * h * h);
  EXPECT_NEAR(step.A(2, 2), std::cos(10 * h), 1e-14);
  EXPECT_NEAR(step.A(2, 3), std::sin(10 * h) / 10, 1e-15);
}

}  // namespace
}  // namespace chasles
