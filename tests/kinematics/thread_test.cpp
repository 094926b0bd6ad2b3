/// One model, many threads, a workspace each: the same results, and nothing for a race detector.
#include <gtest/gtest.h>

#include <thread>

#include "chasles/kinematics/higher_order.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

TEST(Threads, share_a_model) {
  std::mt19937_64 generator(1);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 20, .tree = true}));
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  const Eigen::VectorXd v = test::random_vector(model.nv(), generator);
  const auto work = [&] {
    AccelerationKinematics kin(model);
    TwistDerivatives derivatives(model, 3);
    Matrix6X J(6, model.nv());
    const Frame frame = model.frame("body19");
    double sum = 0;
    for (int i = 0; i < 50; ++i) {
      forward_kinematics(model, q, v, v, kin);
      jacobian(model, kin, frame, Representation::mixed, J);
      twist_derivatives(model, q, Eigen::MatrixXd::Ones(model.nv(), 3), frame, Representation::body,
                        derivatives);
      sum += J.sum() + derivatives.V[2].w.x + acceleration(kin, frame, Representation::spatial).v.z;
    }
    return sum;
  };
  const double expected = work();
  std::vector<double> results(4);
  std::vector<std::thread> threads;
  threads.reserve(results.size());
  for (double& result : results) threads.emplace_back([&] { result = work(); });
  for (std::thread& thread : threads) thread.join();
  for (const double result : results) EXPECT_EQ(result, expected);
}

}  // namespace
}  // namespace chasles
