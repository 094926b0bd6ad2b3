/// Every instruction set computes the same, to rounding.
#include "kernels/motion.hpp"

#include "chasles/kinematics/kinematics.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

TEST(MotionKernel, a_model_without_joints_is_fine) {
  const Model model = compile(Mechanism{"nothing", {}, {}, {}, {}});
  AccelerationKinematics kin(model);
  const Eigen::VectorXd none(0);
  EXPECT_NO_THROW(accelerations(model, none, none, none, kin));
}

}  // namespace
}  // namespace chasles
