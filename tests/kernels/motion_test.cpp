/// Every instruction set computes the same, to rounding.
#include "kernels/motion.hpp"

#include "chasles/kinematics/kinematics.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

TEST(MotionKernel, is_the_same_on_every_instruction_set) {
  std::mt19937_64 generator(1);
  const std::vector<test::JointKind> simple{{JointType::revolute}, {JointType::prismatic},
                                            {JointType::helical},  {JointType::planar},
                                            {JointType::fixed},    {JointType::universal}};
  for (const bool tree : {false, true}) {
    const Model model =
        compile(test::random_mechanism(generator, {.bodies = 30, .tree = tree, .kinds = simple}));
    Eigen::VectorXd q = test::random_configuration(model, generator);
    q[3] = 3e5;  // beyond the range of the reduction
    q[5] = -2.5e3;
    const Eigen::VectorXd v = test::random_vector(model.nv(), generator);
    const Eigen::VectorXd vd = test::random_vector(model.nv(), generator);
    AccelerationKinematics chosen(model), plain(model);
    accelerations(model, q, v, vd, chosen);

    std::copy_n(q.data(), q.size(), plain.scratch.q.data());
    kernels::baseline::motion_kernel(2)(
        {model.links().data(), static_cast<int>(model.links().size()), plain.scratch.q.data(),
         v.data(), vd.data(), nullptr, nullptr, nullptr, plain.scratch.sine.data(),
         plain.scratch.cosine.data(), plain.C.data(), plain.V_h.data(), plain.A_h.data()});
    for (std::size_t i = 0; i < plain.C.size(); ++i) {
      EXPECT_CLOSE(plain.C[i], chosen.C[i], 1e-9);  // 3e5 m along a slide
      EXPECT_CLOSE(plain.C[i].R, chosen.C[i].R, 1e-14);
      EXPECT_CLOSE(plain.V_h[i], chosen.V_h[i], 1e-9);
      EXPECT_CLOSE(plain.A_h[i], chosen.A_h[i], 1e-8);
    }
  }
}

TEST(MotionKernel, a_model_without_joints_is_fine) {
  const Model model = compile(Mechanism{"nothing", {}, {}, {}, {}});
  AccelerationKinematics kin(model);
  const Eigen::VectorXd none(0);
  EXPECT_NO_THROW(accelerations(model, none, none, none, kin));
}

}  // namespace
}  // namespace chasles
