/// The mechanisms of studies/mechanisms: closed where they say so, with the degrees of freedom that they
/// claim, and with the energies of the literature.

#include <gtest/gtest.h>

#include <random>

#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "math/decompositions.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "studies/mechanisms/spherical.hpp"

namespace {

using namespace chasles;
using namespace chasles::studies;

/// Rows W^T (V_to - V_from) of all loops at q = 0, W orthogonal to what the joint can do there, and those
/// of couplings.
Eigen::MatrixXd constraints_at_zero(const Model& model) {
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Eigen::MatrixXd B(0, model.nv());
  const auto append = [&](const Eigen::MatrixXd& rows) {
    Eigen::MatrixXd all(B.rows() + rows.rows(), B.cols());
    all << B, rows;
    B = all;
  };
  for (const ModelLoop& loop : model.loops()) {
    Matrix6X from(6, model.nv()), to(6, model.nv()), motions(6, loop.joint.nv());
    jacobian(model, kin, loop.from, Representation::spatial, from);
    jacobian(model, kin, loop.to, Representation::spatial, to);
    PositionKinematics alone(loop.joint);
    forward_kinematics(loop.joint, loop.joint.neutral(), alone);
    jacobian(loop.joint, alone, loop.joint.frame("body"), Representation::body, motions);
    const SE3 C = pose(kin, loop.to);
    for (int k = 0; k < motions.cols(); ++k) {
      const Twist X = Ad(C, Twist{{motions(0, k), motions(1, k), motions(2, k)},
                                  {motions(3, k), motions(4, k), motions(5, k)}});
      motions.col(k) << X.w.x, X.w.y, X.w.z, X.v.x, X.v.y, X.v.z;
    }
    if (motions.cols() == 0)
      append(to - from);
    else
      append(FullyPivotedLu(motions.transpose()).kernel().transpose() * (to - from));
  }
  for (const ModelCoupling& coupling : model.couplings()) {
    Eigen::MatrixXd row = Eigen::MatrixXd::Zero(1, model.nv());
    for (const auto& term : coupling.terms) row(0, term.v_index) = term.coefficient;
    append(row);
  }
  return B;
}

struct Count {
  int freedom, gruebler;
};
Count count(const Mechanism& mechanism) {
  const Model model = compile(mechanism);
  const Eigen::MatrixXd B = constraints_at_zero(model);
  if (B.rows() == 0) return {model.nv(), model.nv()};
  return {model.nv() - FullyPivotedLu(B, 1e-10).rank(), model.nv() - static_cast<int>(B.rows())};
}

TEST(StudyMechanisms, have_their_degrees_of_freedom) {
  const auto expect = [](const Mechanism& m, int freedom, int gruebler) {
    const Count c = count(m);
    EXPECT_EQ(c.freedom, freedom) << m.name;
    EXPECT_EQ(c.gruebler, gruebler) << m.name;
  };
  expect(four_bar(), 1, -2);
  expect(slider_crank(), 1, -2);
  expect(n_four_bar(2), 1, -5);
  expect(n_four_bar(40), 1, 81 - 200);
  expect(bricard(), 1, 0);
  expect(ladder(5), 5, 15 - 25);
  expect(stewart(), 6, 6);
  expect(delta(), 3, 3);
  expect(differential(), 2, 2);
  expect(spinning_top().mechanism, 3, 3);
  expect(double_pendulum().mechanism, 6, 6);
  expect(floating_bodies().mechanism, 9, 9);
  expect(three_bar().mechanism, 3, 3);
  EXPECT_EQ(compile(rope(100)).nv(), 300);
}

TEST(StudyMechanisms, are_closed_at_zero) {
  for (const Mechanism& m : {four_bar(), slider_crank(), n_four_bar(3), bricard(), ladder(3),
                             stewart(), delta(), three_bar().mechanism}) {
    const Model model = compile(m);
    PositionKinematics kin(model);
    forward_kinematics(model, model.neutral(), kin);
    EXPECT_FALSE(model.loops().empty());
    for (const ModelLoop& loop : model.loops())
      EXPECT_LT(max_abs(relative_pose(kin, loop.from, loop.to).r), 1e-15) << m.name << loop.name;
  }
}

/// The velocities that they start with do not open their loops.
TEST(StudyMechanisms, start_with_closed_loops) {
  const auto rate = [](const Mechanism& m, const State& start) {
    return (constraints_at_zero(compile(m)) * start.v).lpNorm<Eigen::Infinity>();
  };
  EXPECT_LT(rate(three_bar().mechanism, three_bar().start), 1e-13);
  EXPECT_LT(rate(n_four_bar(40), n_four_bar_start(40)), 1e-13);
}

double kinetic(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  return kinetic_energy(model, kin);
}

/// References of the project: T_0 of 004 and E_0 with all digits, from data that are not ours.
TEST(StudyMechanisms, start_with_the_energy_of_the_literature) {
  const auto energy = [](const Example& example) {
    return kinetic(compile(example.mechanism), example.start.q, example.start.v);
  };
  EXPECT_NEAR(energy(spinning_top()), 13972.398950622205, 1e-10);
  EXPECT_NEAR(energy(double_pendulum()), 95.073882332978268, 1e-12);
  EXPECT_NEAR(kinetic(compile(n_four_bar(2)), n_four_bar_start(2).q, n_four_bar_start(2).v), 1.5,
              1e-14);
}

TEST(StudyMechanisms, four_bars_in_a_row_are_one_pendulum) {
  for (const int N : {1, 2, 40}) {
    const Model model = compile(n_four_bar(N));
    const Pendulum reduced = n_four_bar_reduced(N);
    for (const double angle : {0.0, 0.4, -2.5}) {  // from upright, towards x
      const Eigen::VectorXd q = angle * n_four_bar_start(N).v, v = 1.3 * n_four_bar_start(N).v;
      VelocityKinematics kin(model);
      forward_kinematics(model, q, v, kin);
      EXPECT_NEAR(kinetic_energy(model, kin), reduced.I * 1.3 * 1.3 / 2, 1e-12 * reduced.I);
      EXPECT_NEAR(potential_energy(model, kin), reduced.W * std::cos(angle), 1e-12 * reduced.W);
      for (const ModelLoop& loop : model.loops())
        EXPECT_LT(max_abs(relative_pose(kin, loop.from, loop.to).r), 1e-13);
    }
  }
}

/// Its one degree of freedom is not a coincidence at q = 0: with one angle given the four others close all
/// five rows of the loop.
TEST(StudyMechanisms, bricard_moves) {
  const Model model = compile(bricard());
  PositionKinematics kin(model);
  const auto gap = [&](const Eigen::VectorXd& q) {
    forward_kinematics(model, q, kin);
    const SE3 E = relative_pose(kin, model.loops()[0].from, model.loops()[0].to);
    const Vec3& axis = E.R.matrix().c2;
    return Eigen::Vector<double, 5>{E.r.x, E.r.y, E.r.z, axis.x, axis.y};
  };
  Eigen::VectorXd q = model.neutral();
  for (int step = 1; step <= 10; ++step) {
    q[0] = 0.05 * step;
    for (int iteration = 0; iteration < 20; ++iteration) {
      Eigen::Matrix<double, 5, 4> J;
      for (int k = 0; k < 4; ++k) {
        Eigen::VectorXd more = q, less = q;
        more[k + 1] += 1e-5, less[k + 1] -= 1e-5;
        J.col(k) = (gap(more) - gap(less)) / 2e-5;
      }
      q.tail(4) -= solve_pivoted_qr(J, gap(q));
    }
    EXPECT_LT(gap(q).lpNorm<Eigen::Infinity>(), 1e-13) << step;
  }
  EXPECT_GT(std::abs(q[1]), 0.1);
}

TEST(StudyMechanisms, delta_does_not_turn_its_platform) {
  const Model model = compile(delta());
  const Eigen::MatrixXd free = FullyPivotedLu(constraints_at_zero(model)).kernel();
  ASSERT_EQ(free.cols(), 3);
  const ModelJoint& platform = model.joint("platform");
  EXPECT_LT(free.middleRows(platform.v_index, 3).lpNorm<Eigen::Infinity>(), 1e-13);
  EXPECT_EQ(FullyPivotedLu(free.middleRows(platform.v_index + 3, 3)).rank(), 3);
}

/// Andrews' squeezer in the formulas of its test set: constraints and mass matrix in the seven angles.
TEST(StudyMechanisms, andrews_is_that_of_the_test_set) {
  const Model model = compile(andrews());
  const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, d = 0.028, e = 0.02,
               rr = 0.007, ss = 0.035, u = 0.04, zf = 0.02, zt = 0.04;
  const auto closure = [&](const std::array<double, 7>& a) {
    const auto [be, th, ga, ph, de, om, ep] = a;
    const double x = rr * std::cos(be) - d * std::cos(be + th);
    const double y = rr * std::sin(be) - d * std::sin(be + th);
    return std::array<Vec3, 3>{Vec3{x - ss * std::sin(ga) - xb, y + ss * std::cos(ga) - yb, 0},
                               Vec3{x - e * std::sin(ph + de) - zt * std::cos(de) - xa,
                                    y + e * std::cos(ph + de) - zt * std::sin(de) - ya, 0},
                               Vec3{x - zf * std::cos(om + ep) - u * std::sin(ep) - xa,
                                    y - zf * std::sin(om + ep) + u * std::cos(ep) - ya, 0}};
  };
  const State start = andrews_start(model);
  PositionKinematics kin(model);
  const auto gaps = [&](const Eigen::VectorXd& q) {  // from the other to K2, in the world
    forward_kinematics(model, q, kin);
    std::array<Vec3, 3> list;
    for (std::size_t i = 0; i < 3; ++i) {
      const ModelLoop& loop = model.loops()[i];
      list[i] = pose(kin, loop.from).r - pose(kin, loop.to).r;
    }
    return list;
  };
  for (const Vec3& gap : gaps(start.q)) EXPECT_LT(max_abs(gap), 1e-15);

  std::mt19937_64 generator(5);
  std::normal_distribution<double> normal;
  Vector q(7);
  for (int k = 0; k < 7; ++k) q[k] = normal(generator);
  const std::array<double, 7> angles = andrews_order(model, q);
  const auto expected = closure(angles), found = gaps(q);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(max_abs(found[i] - expected[i]), 1e-16);

  // Masses and moments, in the order of the literature.
  const double da = 0.0115, ea = 0.01421, ra = 0.00092, sa = 0.01874, sb = 0.01043, ta = 0.02308,
               tb = 0.00916, ua = 0.01228, ub = 0.00449, fa = 0.01421;
  const double m[] = {0.04325, 0.00365, 0.02373, 0.00706, 0.0705, 0.00706, 0.05498};
  const double I[] = {2.194e-6, 4.41e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
  const double cth = std::cos(angles[1]), sph = std::sin(angles[3]), som = std::sin(angles[5]);
  const double h4 = e - ea, h6 = zf - fa;
  Eigen::Matrix<double, 7, 7> M = Eigen::Matrix<double, 7, 7>::Zero();
  M(0, 0) = m[0] * ra * ra + m[1] * (rr * rr - 2 * da * rr * cth + da * da) + I[0] + I[1];
  M(0, 1) = M(1, 0) = m[1] * (da * da - da * rr * cth) + I[1];
  M(1, 1) = m[1] * da * da + I[1];
  M(2, 2) = m[2] * (sa * sa + sb * sb) + I[2];
  M(3, 3) = m[3] * h4 * h4 + I[3];
  M(3, 4) = M(4, 3) = m[3] * (h4 * h4 + zt * h4 * sph) + I[3];
  M(4, 4) =
      m[3] * (zt * zt + 2 * zt * h4 * sph + h4 * h4) + m[4] * (ta * ta + tb * tb) + I[3] + I[4];
  M(5, 5) = m[5] * h6 * h6 + I[5];
  M(5, 6) = M(6, 5) = m[5] * (h6 * h6 - u * h6 * som) + I[5];
  M(6, 6) = m[5] * (h6 * h6 - 2 * u * h6 * som + u * u) + m[6] * (ua * ua + ub * ub) + I[5] + I[6];
  Vector v(7), literature(7);
  for (int k = 0; k < 7; ++k) v[k] = normal(generator);
  const std::array<double, 7> rates = andrews_order(model, v);
  for (int k = 0; k < 7; ++k) literature[k] = rates[static_cast<std::size_t>(k)];
  const double T = literature.dot(M * literature) / 2;
  EXPECT_NEAR(kinetic(model, q, v), T, 1e-14 * T);
}

}  // namespace
