/// Derivatives of dynamics against Pinocchio 3.7 at random states of robots.
#include <gtest/gtest.h>

#include "chasles/derivatives/forward_dynamics.hpp"
#include "reference/robot.hpp"

namespace chasles {
namespace {

class RobotDerivatives : public test::Robot {
 protected:
  const json expected = json::parse(std::ifstream(stem + "_derivatives.json"))["states"];
};
INSTANTIATE_TEST_SUITE_P(Pinocchio, RobotDerivatives, test::robots, test::robot_name);

TEST_P(RobotDerivatives, of_the_fast_path) {
  InverseDynamicsDerivatives inverse(model);
  ForwardDynamicsDerivatives forward(model);
  ASSERT_FALSE(expected.empty());
  double tau = 0, a = 0;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const json &state = states[k], &want = expected[k];
    const Vector q = vector(state["q"]), v = vector(state["v"]);
    d_inverse_dynamics(model, q, v, vector(state["a"]), inverse);
    d_forward_dynamics(model, q, v, vector(state["tau"]), forward);
    tau = std::max({tau, deviation(inverse.dq(), matrix(want["dtau_dq"])),
                    deviation(inverse.dv(), matrix(want["dtau_dv"])),
                    deviation(inverse.da(), matrix(state["mass_matrix"]))});
    a = std::max({a, deviation(forward.dq(), matrix(want["da_dq"])),
                  deviation(forward.dv(), matrix(want["da_dv"])),
                  deviation(forward.dtau(), matrix(state["mass_matrix_inverse"]))});
  }
  std::printf("  %s: derivatives of inverse dynamics %.1e, of forward dynamics %.1e\n", GetParam(),
              tau, a);
  EXPECT_LE(tau, 1e-13);
  EXPECT_LE(a, 1e-12);
}

}  // namespace
}  // namespace chasles
