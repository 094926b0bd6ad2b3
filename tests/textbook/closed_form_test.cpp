/// Closed forms: mass matrix, Coriolis matrices, Christoffel symbols. All kinds of joints.
#include "chasles/textbook/closed_form.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/energy.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/textbook/recursive.hpp"
#include "model/model_data.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "textbook/sample.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using test::all_representations;
using test::largest;
using test::Sample;

/// @paper 000 (81)
/// @paper 002 (2.20)
/// @paper 002 Lemma 3.2
TEST(TextbookMassMatrix, by_unit_accelerations_composite_bodies_and_jacobians) {
  std::mt19937_64 generator(21);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const int nv = s.model.nv();
    RecursiveDynamics work(s.model);
    VelocityKinematics still(s.model);
    forward_kinematics(s.model, s.q, Eigen::VectorXd::Zero(nv), still);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(nv);
    const Eigen::VectorXd g = inverse_dynamics(s.model, still, zero, Representation::body, work);
    Eigen::MatrixXd columns(nv, nv);
    for (int k = 0; k < nv; ++k)
      columns.col(k) = inverse_dynamics(s.model, still, Eigen::VectorXd::Unit(nv, k),
                                        Representation::body, work) -
                       g;
    CompositeBodies composite(s.model);
    const Eigen::MatrixXd& M = mass_matrix(s.model, s.kin, composite);
    const double scale = std::max(largest(M), largest(g));
    worst = std::max({worst, largest(columns - M) / scale});
    for (const Representation rep : all_representations)
      worst = std::max(worst, largest(projected_mass_matrix(s.model, s.kin, rep) - M) / largest(M));
    EXPECT_LE(largest(gravity_forces(s.model, s.kin) - g), 1e-12 * scale);
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(CoriolisMatrix, gives_the_forces_and_makes_Mdot_minus_2C_skew) {
  std::mt19937_64 generator(22);
  double forces = 0, skew = 0, rate = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    RecursiveDynamics work(s.model);
    const Eigen::VectorXd zero = Eigen::VectorXd::Zero(s.model.nv());
    const Eigen::VectorXd h = inverse_dynamics(s.model, s.kin, zero, Representation::hybrid, work);
    const Eigen::MatrixXd M_rate = mass_matrix_rate(s.model, s.kin);
    VelocityKinematics moved(s.model);
    const Eigen::MatrixXd difference = test::derivative([&](double t) -> Eigen::MatrixXd {
      s.move(0.1 * t, moved);
      return 10 * projected_mass_matrix(s.model, moved, Representation::hybrid);
    });
    rate = std::max(rate, largest(M_rate - difference) / largest(M_rate));
    EXPECT_LE(largest(bias(s.model, s.kin) - h), 1e-12 * largest(h));
    for (const Matrix& C : {coriolis_matrix(s.model, s.kin), christoffel_matrix(s.model, s.kin)}) {
      const Eigen::MatrixXd N = M_rate - 2 * C;
      skew = std::max(skew, largest(N + N.transpose()) / largest(N));
      forces = std::max(forces, largest(C * s.v + gravity_forces(s.model, s.kin) - h) / largest(h));
    }
  }
  std::printf("  forces %.1e, skew %.1e, rate of M by differences %.1e\n", forces, skew, rate);
  EXPECT_LE(forces, 1e-12);
  EXPECT_LE(skew, 1e-12);
  EXPECT_LE(rate, 1e-10);
}

/// Lagrange's equations: the terms of (4), which share nothing with the recursions, add up to them.
TEST(LagrangeTerms, add_up_to_inverse_dynamics) {
  std::mt19937_64 generator(27);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const auto applied = s.wrenches(generator);
    RecursiveDynamics work(s.model);
    const Eigen::VectorXd Q =
        inverse_dynamics(s.model, s.kin, s.a, Representation::body, work, applied);
    const LagrangeTerms terms = lagrange_terms(s.model, s.kin, s.a, applied);
    const double scale = std::max({largest(terms.inertia), largest(terms.coriolis),
                                   largest(terms.gravity), largest(terms.applied)});
    worst = std::max(worst, largest(terms.Q() - Q) / scale);
    for (const Representation rep : all_representations)
      worst =
          std::max(worst, largest(projection_equations(s.model, s.kin, rep, applied) - Q) / scale);
    EXPECT_LE(largest(terms.inertia - s.M * s.a), 1e-12 * scale);
    EXPECT_THROW(lagrange_terms(s.model, s.kin, Eigen::VectorXd::Zero(s.model.nv() + 1)),
                 SizeError);
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

TEST(Christoffel, two_formulas_and_the_matrix_agree) {
  std::mt19937_64 generator(23);
  double worst = 0;
  for (int trial = 0; trial < 20; ++trial) {
    const Sample s(generator, {.bodies = 15, .tree = trial % 2 == 1});
    const ChristoffelSymbols a = christoffel_symbols(s.model, s.kin),
                             b = christoffel_symbols_by_pseudo_inertia(s.model, s.kin);
    const Eigen::MatrixXd C = christoffel_matrix(s.model, s.kin);
    worst = std::max(
        {worst, largest(a.matrix(s.v) - C) / largest(C), largest(b.matrix(s.v) - C) / largest(C)});
    double scale = 0;
    for (const Matrix& Gamma : a.Gamma) scale = std::max(scale, largest(Gamma));
    for (std::size_t k = 0; k < a.Gamma.size(); ++k)
      EXPECT_LE(largest(a.Gamma[k] - b.Gamma[k]), 1e-13 * scale);
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

/// Where v = qd they are the Christoffel symbols of the first kind: (d_k M_ij + d_j M_ik -
/// d_i M_jk) / 2, here by differences, and symmetric in j and k.
TEST(Christoffel, are_derivatives_of_M_in_coordinates) {
  std::mt19937_64 generator(24);
  auto kinds = test::usual_joint_kinds();
  std::erase_if(kinds, [](const test::JointKind& kind) {
    return kind.type == JointType::spherical || kind.type == JointType::floating;
  });
  double worst = 0;
  for (int trial = 0; trial < 4; ++trial) {
    const Sample s(generator, {.bodies = 6, .tree = trial % 2 == 1, .kinds = kinds});
    const int n = s.model.nv();
    PositionKinematics kin(s.model);
    std::vector<Eigen::MatrixXd> dM;
    dM.reserve(static_cast<std::size_t>(n));
    for (int k = 0; k < n; ++k)
      dM.push_back(test::derivative([&](double t) -> Eigen::MatrixXd {
        forward_kinematics(s.model, s.q + 0.3 * t * Eigen::VectorXd::Unit(n, k), kin);
        return projected_mass_matrix(s.model, kin, Representation::hybrid) / 0.3;
      }));
    const ChristoffelSymbols Gamma = christoffel_symbols(s.model, s.kin);
    double scale = 0;
    for (const Eigen::MatrixXd& d : dM) scale = std::max(scale, largest(d));
    const auto d = [&](int k, int i, int j) { return dM[static_cast<std::size_t>(k)](i, j); };
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        for (int k = 0; k < n; ++k) {
          const double want = 0.5 * (d(k, i, j) + d(j, i, k) - d(i, j, k));
          worst = std::max(worst, std::abs(Gamma(i, j, k) - want) / scale);
          EXPECT_LE(std::abs(Gamma(i, j, k) - Gamma(i, k, j)), 1e-12 * scale);
        }
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-9);
}

/// With spherical and floating joints: metric, d_k M_ij = Gamma_ijk + Gamma_jik, and without torsion,
/// Gamma_ijk - Gamma_ikj = M_im c^m_kj with the structure constants of the joint, here from the
/// brackets of unit twists.
TEST(Christoffel, are_the_levi_civita_connection_for_group_joints) {
  std::mt19937_64 generator(25);
  const Sample s(generator,
                 {.bodies = 4, .kinds = {{JointType::floating}, {JointType::spherical}}});
  const int n = s.model.nv();
  const ChristoffelSymbols Gamma = christoffel_symbols(s.model, s.kin);
  PositionKinematics kin(s.model);
  for (int k = 0; k < n; ++k) {
    const Eigen::MatrixXd dM = test::derivative([&](double t) -> Eigen::MatrixXd {
      Eigen::VectorXd q(s.model.nq());
      plus(s.model, s.q, t * Eigen::VectorXd::Unit(n, k), q);
      forward_kinematics(s.model, q, kin);
      return projected_mass_matrix(s.model, kin, Representation::body);
    });
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j) {
        EXPECT_NEAR(Gamma(i, j, k) + Gamma(j, i, k), dM(i, j), 1e-10 * largest(s.M));
        double torsion = 0;
        const int link = link_of_v(s.model)[static_cast<std::size_t>(j)];
        if (link == link_of_v(s.model)[static_cast<std::size_t>(k)]) {
          const Link& l = tree_links(s.model)[static_cast<std::size_t>(link)];
          Eigen::Matrix<double, 6, 1> e_j = Eigen::Matrix<double, 6, 1>::Unit(j - l.v_index),
                                      e_k = Eigen::Matrix<double, 6, 1>::Unit(k - l.v_index);
          const auto c = to_eigen(ad(from_eigen<Twist>(e_k), from_eigen<Twist>(e_j)));
          for (int m = 0; m < l.nv; ++m) torsion += s.M(i, l.v_index + m) * c[m];
        }
        EXPECT_NEAR(Gamma(i, j, k) - Gamma(i, k, j), torsion, 1e-11 * largest(s.M));
      }
  }
  EXPECT_THROW(Gamma.matrix(Eigen::VectorXd::Zero(n + 1)), SizeError);
}

/// Virtual work: the applied wrenches enter inverse dynamics by the Jacobian of their place.
TEST(AppliedForces, are_what_inverse_dynamics_saves) {
  std::mt19937_64 generator(26);
  for (int trial = 0; trial < 10; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const auto applied = s.wrenches(generator);
    RecursiveDynamics work(s.model);
    for (const Representation rep : all_representations) {
      const Eigen::VectorXd without = inverse_dynamics(s.model, s.kin, s.a, rep, work);
      const Eigen::VectorXd with = inverse_dynamics(s.model, s.kin, s.a, rep, work, applied);
      EXPECT_LE(largest(without - with - applied_forces(s.model, s.kin, applied)),
                1e-12 * largest(without));
    }
  }
}

}  // namespace
}  // namespace chasles
