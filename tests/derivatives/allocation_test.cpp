/// After construction no call allocates.
#include "support/allocation.hpp"

#include "chasles/derivatives/parameters.hpp"
#include "support/random_mechanism.hpp"

#ifdef CHASLES_COUNTS_ALLOCATIONS
namespace chasles {
namespace {

TEST(Allocation, sensitivities_do_not_allocate) {
  std::mt19937_64 generator(37);
  const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
  std::vector<Parameter> list;
  for (const ModelJoint& joint : model.joints())
    for (const std::string& name : parameter_names(model, joint.name))
      list.push_back(parameter(model, joint.name, name));
  list.push_back(inertial_parameter(model, "body3", 4));
  AccelerationSensitivity work(model, list);
  PositionKinematics kin(model);
  const Eigen::VectorXd q = test::random_configuration(model, generator),
                        v = test::random_vector(model.nv(), generator);
  const AppliedWrench push{model.frames().back().place, {{1, 2, 3}, {4, 5, 6}}};
  Matrix6X poses(6, static_cast<Eigen::Index>(list.size())), J(6, model.nv());
  const auto run = [&] {
    acceleration_sensitivity(model, q, v, v, work, {&push, 1});
    positions(model, q, kin);
    pose_sensitivity(model, kin, push.place, Representation::mixed, list, poses);
    for (const Parameter& p : list)
      jacobian_sensitivity(model, kin, push.place, Representation::mixed, p, J);
  };
  run();
  const long before = test::allocations;
  run();
  EXPECT_EQ(test::allocations - before, 0);
}

}  // namespace
}  // namespace chasles
#endif
