/// Quaternions of any length that can be normalised mean the same; others are refused by name.
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

Model model_on(FreeGroup group) {
  return compile(MechanismBuilder("bodies")
                     .body("base", ground, joints::free(group))
                     .inertia(2, {0.1, 0, 0}, Sym3::diagonal(0.2, 0.3, 0.4))
                     .body("ball", "base", joints::spherical({0, 0, 1}))
                     .inertia(1, {0, 0, 1.5}, Sym3::diagonal(0.1, 0.2, 0.15))
                     .build());
}

TEST(QuaternionLength, does_not_matter_or_is_refused) {
  for (const FreeGroup group : {FreeGroup::se3, FreeGroup::so3xr3}) {
    const Model model = model_on(group);
    const Vector q{0.5, 0.5, -0.5, 0.5, 0.1, 0.2, 0.3, 0.8, 0, 0.6, 0},
        v{1, 2, 3, 4, 5, 6, 7, 8, 9}, zero(9);
    ForwardDynamics forward(model);
    InverseDynamics inverse(model);
    PositionKinematics kin(model);
    FrameJacobian jacobian(model);
    const Vector a = forward_dynamics(model, q, v, zero, forward);
    for (const int start : {0, 7})
      for (const double length : {1e-90, 1e-20, -1.0, 1e20, 1e90, 1e-154, 1e-110, 1e110, 1e155}) {
        Vector scaled = q;
        for (int k = 0; k < 4; ++k) scaled[start + k] *= length;
        const std::string said =
            test::message([&] { forward_dynamics(model, scaled, v, zero, forward); });
        if (said == "no error") {
          EXPECT_LE((forward.a - a).norm(), 1e-12 * a.norm()) << length;
          continue;
        }
        EXPECT_TRUE(length < 1e-90 || length > 1e90) << length;
        const char* joint = start == 0 ? "joint 'base'" : "joint 'ball'";
        EXPECT_NE(said.find(joint), said.npos) << said;
        EXPECT_NE(said.find("quaternion"), said.npos) << said;
        EXPECT_SAYS(inverse_dynamics(model, scaled, v, zero, inverse), joint, "quaternion");
        EXPECT_SAYS(positions(model, scaled, kin), joint, "quaternion");
        EXPECT_SAYS(
            frame_jacobian(model, scaled, model.place("ball"), Representation::body, jacobian),
            joint, "quaternion");
      }
  }
}

}  // namespace
}  // namespace chasles
