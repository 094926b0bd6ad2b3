/// Batches of matrices with a column per state, against calls of one state.
#include <gtest/gtest.h>

#include "chasles/derivatives/forward_dynamics.hpp"
#include "chasles/derivatives/inverse_dynamics.hpp"
#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/centroidal.hpp"
#include "chasles/dynamics/coriolis.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace batch_columns_test {

using Eigen::MatrixXd;

struct Columns {
  Model model;
  MatrixXd q, v, a;
  Columns(std::mt19937_64& generator, int states)
      : model(compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}))),
        q(model.nq(), states),
        v(model.nv(), states),
        a(model.nv(), states) {
    for (int s = 0; s < states; ++s) {
      q.col(s) = test::random_configuration(model, generator);
      v.col(s) = test::random_vector(model.nv(), generator);
      a.col(s) = test::random_vector(model.nv(), generator);
    }
  }
};
/// The largest difference, as a part of the largest entry.
double off(const MatrixXd& x, const MatrixXd& expected) {
  return (x - expected).cwiseAbs().maxCoeff() / (1 + expected.cwiseAbs().maxCoeff());
}
/// Row after row, as batches write matrices.
template <class X>
Eigen::VectorXd by_rows(const X& x) {
  const Eigen::Matrix<double, -1, -1, Eigen::RowMajor> rows = x;
  return Eigen::Map<const Eigen::VectorXd>(rows.data(), rows.size());
}

TEST(BatchColumns, of_dynamics_are_those_of_single_states) {
  std::mt19937_64 generator(81);
  for (const int states : {1, 3, 11}) {
    const Columns x(generator, states);
    const Model& model = x.model;
    const int n = model.nv(), nn = n * n;
    Batch<double> batch(model, 2);
    MatrixXd tau(n, states), h(n, states), a(n, states), M(nn, states), M_inv(nn, states),
        C(nn, states), D(3 * nn, states), F(3 * nn, states), energy(2, states), A(12 * n, states);
    const std::vector<Frame> frames{model.frame("body3"), model.frame("body9")};
    const MatrixXd W = MatrixXd::Random(12, states);
    const BatchWrenches<double> applied{frames, {W.data(), static_cast<std::size_t>(W.size())}};
    batch.inverse_dynamics(x.q, x.v, x.a, tau, applied);
    batch.inverse_dynamics(x.q, x.v, MatrixXd(), h);
    batch.forward_dynamics(x.q, x.v, tau, a, applied);
    batch.mass_matrix(x.q, M);
    batch.mass_matrix_inverse(x.q, M_inv);
    batch.coriolis_matrix(x.q, x.v, C);
    batch.d_inverse_dynamics(x.q, x.v, x.a, D, applied);
    batch.d_forward_dynamics(x.q, x.v, tau, F, applied);
    batch.energies(x.q, x.v, energy);
    batch.centroidal_matrices(x.q, x.v, A);
    EXPECT_LT(off(a, x.a), 1e-9);
    InverseDynamics inverse(model);
    MassMatrix mass(model);
    MassMatrixInverse mass_inverse(model);
    CoriolisMatrix coriolis(model);
    InverseDynamicsDerivatives d(model);
    ForwardDynamicsDerivatives f(model);
    CentroidalMomentum centroidal(model);
    VelocityKinematics kin(model);
    for (int s = 0; s < states; ++s) {
      const Eigen::VectorXd q = x.q.col(s), v = x.v.col(s);
      std::vector<AppliedWrench> w;
      for (int k = 0; k < 2; ++k)
        w.push_back({frames[static_cast<std::size_t>(k)],
                     from_eigen<Wrench>(Eigen::Matrix<double, 6, 1>(W.col(s).segment<6>(6 * k)))});
      forward_kinematics(model, q, v, kin);
      EXPECT_LT(off(tau.col(s), inverse_dynamics(model, q, v, x.a.col(s), inverse, w)), 1e-12);
      EXPECT_LT(off(h.col(s), bias(model, q, v, inverse)), 1e-12);
      EXPECT_LT(off(M.col(s), by_rows(mass_matrix(model, q, mass))), 1e-12);
      const MatrixXd one = mass_matrix_inverse(model, q, mass_inverse);
      EXPECT_LT(off(M_inv.col(s), by_rows(one)), 1e-9);
      EXPECT_LT(off(C.col(s), by_rows(coriolis_matrix(model, q, v, coriolis))), 1e-12);
      d_inverse_dynamics(model, q, v, x.a.col(s), d, w);
      EXPECT_LT(off(D.col(s).head(nn), by_rows(d.dq())), 1e-12);
      EXPECT_LT(off(D.col(s).segment(nn, nn), by_rows(d.dv())), 1e-12);
      d_forward_dynamics(model, q, v, tau.col(s), f, w);
      EXPECT_LT(off(F.col(s).head(nn), by_rows(f.dq())), 1e-9);
      EXPECT_LT(off(A.col(s).head(6 * n).reshaped(6, n),
                    centroidal_momentum_matrix(model, q, v, centroidal)),
                1e-12);
      EXPECT_NEAR(energy(0, s), kinetic_energy(model, kin), 1e-12 * (1 + energy(0, s)));
      EXPECT_NEAR(energy(1, s), potential_energy(model, kin), 1e-12 * (1 + std::abs(energy(1, s))));
    }
  }
}

TEST(BatchColumns, of_kinematics_are_those_of_single_states) {
  std::mt19937_64 generator(82);
  const int states = 7;
  const Columns x(generator, states);
  const Model& model = x.model;
  Batch<double> batch(model);
  const std::vector<Frame> frames{model.frame("frame2"), model.frame("body12")};
  MatrixXd C(24, states), V(12, states), A(12, states), J(6 * model.nv(), states), P(6, states),
      Y(model.nv() * 10 * static_cast<int>(tree_links(model).size()), states),
      tau(model.nv(), states);
  const Representation rep = Representation::mixed;
  batch.poses(x.q, frames, C);
  batch.twists(x.q, x.v, frames, rep, V);
  batch.accelerations(x.q, x.v, x.a, frames, rep, A);
  batch.jacobians(x.q, frames[1], rep, J);
  batch.momenta(x.q, x.v, P);
  batch.link_regressor(x.q, x.v, x.a, Y);
  batch.inverse_dynamics(x.q, x.v, x.a, tau);
  AccelerationKinematics kin(model);
  Matrix6X J_1(6, model.nv());
  const Vector parameters = link_parameters(model);
  for (int s = 0; s < states; ++s) {
    forward_kinematics(model, x.q.col(s), x.v.col(s), x.a.col(s), kin);
    for (int k = 0; k < 2; ++k) {
      const Frame& frame = frames[static_cast<std::size_t>(k)];
      const SE3 pose_1 = pose(kin, frame);
      EXPECT_LT(off(C.col(s).segment(12 * k, 9).reshaped(3, 3), to_eigen(pose_1.R)), 1e-13);
      EXPECT_LT(off(C.col(s).segment(12 * k + 9, 3), to_eigen(pose_1.r)), 1e-13);
      EXPECT_LT(off(V.col(s).segment(6 * k, 6), to_eigen(twist(kin, frame, rep))), 1e-12);
      EXPECT_LT(off(A.col(s).segment(6 * k, 6), to_eigen(acceleration(kin, frame, rep))), 1e-12);
    }
    jacobian(model, kin, frames[1], rep, J_1);
    EXPECT_LT(off(J.col(s).reshaped(6, model.nv()), J_1), 1e-12);
    EXPECT_LT(off(P.col(s), to_eigen(spatial_momentum(model, kin))), 1e-12);
    const Eigen::Map<const Eigen::Matrix<double, -1, -1, Eigen::RowMajor>> Y_1(
        Y.col(s).data(), model.nv(), parameters.size());
    EXPECT_LT(off(Y_1 * parameters + test::armatures(model).cwiseProduct(x.a.col(s)), tau.col(s)),
              1e-11);
  }
}

/// The memory of the matrices is that of BatchLayout::rows, in float as well.
TEST(BatchColumns, are_state_after_state) {
  std::mt19937_64 generator(83);
  const Columns x(generator, 9);
  const int n = x.model.nv();
  const Eigen::MatrixXf q = x.q.cast<float>(), v = x.v.cast<float>();
  Eigen::MatrixXf tau(n, 9), same(n, 9);
  Batch<float> batch(x.model);
  const auto span = [](auto& m) { return std::span(m.data(), static_cast<std::size_t>(m.size())); };
  batch.inverse_dynamics(q, v, Eigen::MatrixXf(), tau);
  batch.inverse_dynamics(9, span(q), span(v), {}, span(same));
  EXPECT_EQ(tau, same);
  // Whole columns of larger matrices, a vector of one state, a matrix by rows.
  MatrixXd all(n, 12), one(n, 1);
  all.setConstant(-1);
  Batch<double> doubles(x.model);
  doubles.inverse_dynamics(x.q, x.v, x.a, all.middleCols(2, 9));
  EXPECT_EQ(all.col(1), Eigen::VectorXd::Constant(n, -1));
  EXPECT_EQ(all.col(11), Eigen::VectorXd::Constant(n, -1));
  const Vector q_4 = x.q.col(4), v_4 = x.v.col(4), a_4 = x.a.col(4);
  Vector tau_4(n);
  doubles.inverse_dynamics(q_4, v_4, a_4, tau_4);
  EXPECT_LT(off(all.col(6), tau_4), 1e-12);
  const Eigen::Matrix<double, -1, -1, Eigen::RowMajor> by_row = x.v;
  MatrixXd again(n, 9);
  doubles.inverse_dynamics(x.q, by_row, x.a, again);
  EXPECT_EQ(again, all.middleCols(2, 9));
}

TEST(BatchColumns, of_other_sizes_or_in_each_other_are_errors) {
  std::mt19937_64 generator(84);
  const Columns x(generator, 6);
  const int n = x.model.nv();
  Batch<double> batch(x.model);
  MatrixXd tau(n, 6), few(n, 5), wide(n + 1, 6), M(n * n, 6);
  EXPECT_SAYS(batch.inverse_dynamics(x.q, x.v, x.a, few), "tau has 5 columns", "q has 6");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, few, x.a, tau), "v has 5 columns", "q has 6");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, x.v, few, tau), "a has 5 columns", "q has 6");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, x.v, x.a, wide), "tau has", "the model needs");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, wide, x.a, tau), "v has", "the model needs");
  EXPECT_SAYS(batch.inverse_dynamics(x.v, x.v, x.a, tau), "q has", "the model needs");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, MatrixXd(), x.a, tau), "v has 0 entries");
  EXPECT_SAYS(batch.forward_dynamics(x.q, x.v, MatrixXd(), tau), "tau has 0 entries");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, x.v, x.a, wide.topRows(n)), "tau is a part of a matrix");
  EXPECT_SAYS(batch.inverse_dynamics(x.q, wide.topRows(n), x.a, tau), "v is a part of a matrix");
  EXPECT_SAYS(batch.mass_matrix(x.q, tau), "M has", "the model needs");
  MatrixXd v = x.v;
  EXPECT_SAYS(batch.inverse_dynamics(x.q, v, x.a, v), "overlap");
  MatrixXd none(n, 0);
  batch.inverse_dynamics(MatrixXd(x.model.nq(), 0), none, none, none);  // no states
}

}  // namespace batch_columns_test
}  // namespace chasles
