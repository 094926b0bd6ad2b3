/// The torque regressor and the centroidal momentum matrix against the closed forms.
#include "chasles/textbook/regressor.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/energy.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/textbook/newton_euler.hpp"
#include "kernels/kernel_runner.hpp"
#include "model/model_data.hpp"

namespace chasles::kernels::regressor_test {
namespace {

double largest(const Eigen::MatrixXd& a) { return a.cwiseAbs().maxCoeff(); }

struct State {
  Model model;
  Eigen::VectorXd q, v, a;
  AccelerationKinematics kin;
  State(const Mechanism& mechanism, std::mt19937_64& generator)
      : model(compile(mechanism)),
        q(test::random_configuration(model, generator)),
        v(test::random_vector(model.nv(), generator)),
        a(test::random_vector(model.nv(), generator)),
        kin(model) {
    chasles::forward_kinematics(model, q, v, a, kin);
  }
};
/// each(state) of chains and trees of all joints, and of each joint alone.
template <class Each>
void for_states(unsigned seed, const Each& each) {
  std::mt19937_64 generator(seed);
  for (int k = 0; k < 10; ++k)
    each(State(test::random_mechanism(generator, {.bodies = 15, .tree = k % 2 == 1}), generator));
  for (const test::JointKind& kind : test::all_joint_kinds()) {
    const State state(test::random_mechanism(generator, {.bodies = 3, .kinds = {kind}}), generator);
    if (state.model.nv() > 0) each(state);
  }
}
/// each(table, name) of one state and of lanes.
template <class Each>
void for_tables(const Each& each) {
  for (const InstructionSet& set : instruction_sets())
    if (set.available)
      for (const KernelTable<double>* table : {set.single, set.lanes})
        each(*table, set.name + std::string(table->lanes > 1 ? " lanes" : ""));
}

/// The parameters of a body are parameters of its link, elsewhere.
TEST(RegressorKernel, is_that_of_the_closed_form) {
  for_states(21, [](const State& s) {
    const Eigen::MatrixXd expected = textbook::torque_regressor(s.model, s.kin);
    const auto links = std::ssize(tree_links(s.model));
    Runner<double> run(s.model);
    for_tables([&](const KernelTable<double>& table, const std::string& name) {
      const auto numbers = run(table, regressor, s.model, s.q, s.v, s.a);
      const Eigen::MatrixXd Y =
          Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
              numbers.data(), s.model.nv(), 10 * links);
      Eigen::MatrixXd found = Eigen::MatrixXd::Zero(expected.rows(), expected.cols());
      for (int b = 0; b < static_cast<int>(s.model.bodies().size()); ++b) {
        const Frame& frame = s.model.bodies()[static_cast<std::size_t>(b)].frame;
        if (frame.link < 0) continue;
        for (int j = 0; j < 10; ++j) {
          std::array<double, 10> unit{};
          unit[static_cast<std::size_t>(j)] = 1;
          const auto pi = lie::parameters(transform(frame.offset, inertia_from_parameters(unit)));
          found.col(10 * b + j) = Y.middleCols<10>(10L * frame.link) *
                                  Eigen::Map<const Eigen::Matrix<double, 10, 1>>(pi.data());
        }
      }
      EXPECT_LE(largest(found - expected), 1e-12 * largest(expected)) << name;
    });
  });
}

/// The rate of the momentum about the center of mass: the moments of all wrenches about it.
Wrench momentum_rate(const State& s, const Vec3& com) {
  Wrench rate;
  for (const ModelBody& body : s.model.bodies()) {
    if (body.frame.link < 0) continue;
    const SE3 C = pose(s.kin, body.frame);
    rate += Ad_inv_dual(SE3{C.R, C.r - com},
                        newton_euler(body.inertia, twist(s.kin, body.frame, Representation::body),
                                     acceleration(s.kin, body.frame, Representation::body)));
  }
  return rate;
}
Matrix6X centroidal_at(const State& s, double time) {
  PositionKinematics kin(s.model);
  Eigen::VectorXd q(s.model.nq());
  plus(s.model, s.q, time * s.v, q);
  chasles::forward_kinematics(s.model, q, kin);
  CentroidalMomentumMatrix out(s.model);
  return centroidal_momentum_matrix(s.model, kin, out);
}

TEST(CentroidalKernel, is_that_of_the_closed_form) {
  for_states(22, [](const State& s) {
    const int nv = s.model.nv();
    CentroidalMomentumMatrix expected(s.model);
    centroidal_momentum_matrix(s.model, s.kin, expected);
    const auto h = to_eigen(centroidal_momentum(s.model, s.kin)),
               rate = to_eigen(momentum_rate(s, expected.com));
    // Central differences of order 4.
    const double e = 1e-3;
    const Eigen::MatrixXd A_rate = (8 * (centroidal_at(s, e) - centroidal_at(s, -e)) -
                                    (centroidal_at(s, 2 * e) - centroidal_at(s, -2 * e))) /
                                   (12 * e);
    Runner<double> run(s.model);
    for_tables([&](const KernelTable<double>& table, const std::string& name) {
      const auto numbers = run(table, centroidal, s.model, s.q, s.v, s.a);
      const double* out = numbers.data();
      const Eigen::Map<const Eigen::Matrix<double, 6, Eigen::Dynamic>> A(out + centroidal_A, 6, nv),
          Ad(out + centroidal_A + 6L * nv, 6, nv);
      using Vector = Eigen::Map<const Eigen::Matrix<double, 6, 1>>;
      const double size = largest(expected.A);
      EXPECT_LE(largest(A - expected.A), 1e-12 * size) << name;
      EXPECT_LE(norm(Vec3{out[0], out[1], out[2]} - expected.com), 1e-13) << name;
      EXPECT_LE(largest(Vector(out + centroidal_h) - h), 1e-12 * size) << name;
      const Eigen::MatrixXd bias = Vector(out + centroidal_bias);
      EXPECT_LE(largest(A * s.a + bias - rate), 1e-12 * (size + largest(rate))) << name;
      EXPECT_LE(largest(Ad * s.v - bias), 1e-12 * (size + largest(rate))) << name;
      EXPECT_LE(largest(Ad - A_rate), 1e-7 * (size + largest(A_rate))) << name;
    });
  });
}

}  // namespace
}  // namespace chasles::kernels::regressor_test
