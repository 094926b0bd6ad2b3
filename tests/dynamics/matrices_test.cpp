/// The matrices of the fast path against those of the textbook, one state and in batches.
#include "support/matrices.hpp"

#include <gtest/gtest.h>

#include "chasles/chasles.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using test::largest;

void expect_near(const Eigen::MatrixXd& is, const Eigen::MatrixXd& want, double tolerance = 1e-12) {
  EXPECT_LE(largest(is - want), tolerance * (1 + largest(want)));
}

class Matrices : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(GetParam())};
  Model model =
      compile(test::random_mechanism(generator, {.bodies = 12, .tree = GetParam() % 2 == 1}));
  Vector q = test::random_configuration(model, generator),
         v = test::random_vector(model.nv(), generator),
         a = test::random_vector(model.nv(), generator);
  AccelerationKinematics kin{model};
  void SetUp() override { forward_kinematics(model, q, v, a, kin); }
};
INSTANTIATE_TEST_SUITE_P(Fast, Matrices, ::testing::Range(0, 6));

TEST_P(Matrices, coriolis_matrix_is_that_of_the_christoffel_symbols) {
  CoriolisMatrix work(model);
  expect_near(coriolis_matrix(model, q, v, work), textbook::christoffel_matrix(model, kin));
  const Eigen::MatrixXd skew = textbook::mass_matrix_rate(model, kin) - 2 * work.C();
  expect_near(skew, -skew.transpose());
}

TEST_P(Matrices, regressor_times_parameters_are_the_joint_forces) {
  TorqueRegressor work(model);
  expect_near(torque_regressor(model, q, v, a, work), textbook::torque_regressor(model, kin));
  InverseDynamics inverse(model);
  const Eigen::VectorXd of_armatures = test::armatures(model).cwiseProduct(a);
  expect_near(work.Y() * textbook::inertial_parameters(model) + of_armatures,
              inverse_dynamics(model, q, v, a, inverse));
}

TEST_P(Matrices, centroidal_momentum_and_its_rate) {
  CentroidalMomentum work(model);
  const Eigen::MatrixXd A = centroidal_momentum_matrix(model, q, v, work);
  const Wrench h = centroidal_momentum(model, kin);
  EXPECT_LE(norm(work.h.t - h.t) + norm(work.h.f - h.f), 1e-12 * (1 + norm(h.t) + norm(h.f)));
  expect_near(A * v, to_eigen(work.h));
  expect_near(work.A_rate * v, to_eigen(work.bias));
  const Vec3 c = center_of_mass(model, kin);
  EXPECT_LE(norm(work.com - c), 1e-13 * (1 + norm(c)));
  // Along the motion: fourth order differences.
  const auto at = [&](double t) {
    Vector there(model.nq());
    const Vector x = t * v;
    plus(model, q, x, there);
    CentroidalMomentum other(model);
    return Eigen::MatrixXd(centroidal_momentum_matrix(model, there, v, other));
  };
  const double s = 1e-3;
  expect_near(work.A_rate, (8 * (at(s) - at(-s)) - (at(2 * s) - at(-2 * s))) / (12 * s), 1e-8);
}

TEST_P(Matrices, in_batches_they_are_the_same) {
  const int states = 7, nv = model.nv(), nq = model.nq();
  const auto links = static_cast<Eigen::Index>(tree_links(model).size());
  std::vector<double> Q, V, A;
  for (int s = 0; s < states; ++s) {
    const Vector q_s = test::random_configuration(model, generator),
                 v_s = test::random_vector(nv, generator), a_s = test::random_vector(nv, generator);
    Q.insert(Q.end(), q_s.begin(), q_s.end());
    V.insert(V.end(), v_s.begin(), v_s.end());
    A.insert(A.end(), a_s.begin(), a_s.end());
  }
  Batch<double> batch(model, 2);
  const auto n = static_cast<std::size_t>(nv);
  std::vector<double> C(states * n * n), Y(states * n * 10 * tree_links(model).size()),
      G(12 * n * states);
  batch.coriolis_matrix(states, Q, V, C);
  batch.link_regressor(states, Q, V, A, Y);
  batch.centroidal_matrices(states, Q, V, G);
  CoriolisMatrix c(model);
  CentroidalMomentum g(model);
  InverseDynamics inverse(model);
  const Vector pi = link_parameters(model);
  for (long s = 0; s < states; ++s) {
    const Eigen::Map<const Eigen::VectorXd> q_s(Q.data() + s * nq, nq), v_s(V.data() + s * nv, nv),
        a_s(A.data() + s * nv, nv);
    expect_near(Eigen::Map<const Eigen::MatrixXd>(C.data() + s * nv * nv, nv, nv).transpose(),
                coriolis_matrix(model, q_s, v_s, c));
    expect_near(Eigen::Map<const Eigen::MatrixXd>(Y.data() + s * nv * 10 * links, 10 * links, nv)
                            .transpose() *
                        pi +
                    test::armatures(model).cwiseProduct(a_s),
                inverse_dynamics(model, q_s, v_s, a_s, inverse));
    centroidal_momentum_matrix(model, q_s, v_s, g);
    expect_near(Eigen::Map<const Eigen::MatrixXd>(G.data() + s * 12 * nv, 6, nv), g.A);
    expect_near(Eigen::Map<const Eigen::MatrixXd>(G.data() + (s * 12 + 6) * nv, 6, nv), g.A_rate);
  }
  std::vector<double> few(3);
  EXPECT_SAYS(batch.coriolis_matrix(states, Q, V, few), "C has 3");
}

TEST_P(Matrices, the_jacobian_of_a_frame_is_the_one_of_the_posed_tree) {
  FrameJacobian work(model);
  for (const char* name : {"body11", "body3", "ground"})
    for (const auto rep : {Representation::body, Representation::spatial, Representation::hybrid,
                           Representation::mixed}) {
      const Frame frame = model.frame(name);
      Matrix6X J(6, model.nv());
      jacobian(model, kin, frame, rep, J);
      expect_near(jacobian(model, q, frame, rep, work), J, 1e-13);
      expect_near(to_eigen(work.C), to_eigen(pose(kin, frame)), 1e-13);
    }
}

}  // namespace
}  // namespace chasles
