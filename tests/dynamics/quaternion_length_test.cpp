/// Quaternions of any length mean the same rotation; that of no length is refused by name.
#include <gtest/gtest.h>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/forward_dynamics.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

Model model_on(FloatingGroup group) {
  return compile(MechanismBuilder("bodies")
                     .body("base", ground, joints::floating(group))
                     .inertia(2, {0.1, 0, 0}, Sym3::diagonal(0.2, 0.3, 0.4))
                     .body("ball", "base", joints::spherical({0, 0, 1}))
                     .inertia(1, {0, 0, 1.5}, Sym3::diagonal(0.1, 0.2, 0.15))
                     .build());
}

const Vector q{0.5, 0.5, -0.5, 0.5, 0.1, 0.2, 0.3, 0.8, 0, 0.6, 0}, v{1, 2, 3, 4, 5, 6, 7, 8, 9},
    zero(9);

TEST(QuaternionLength, does_not_matter) {
  for (const FloatingGroup group : {FloatingGroup::se3, FloatingGroup::so3xr3}) {
    const Model model = model_on(group);
    ForwardDynamics forward(model);
    Batch<double> batch(model);
    const Vector a = forward_dynamics(model, q, v, zero, forward);
    for (const int start : {0, 7})
      for (const double length : {-1.0, 1e-20, 1e20, 1e-90, 1e90, 1e-154, 1e155, 1e-300, 1e300}) {
        Vector scaled = q, many(9);
        for (int k = 0; k < 4; ++k) scaled[start + k] *= length;
        forward_dynamics(model, scaled, v, zero, forward);
        EXPECT_LE((forward.a - a).norm(), 1e-12 * a.norm()) << length;
        batch.forward_dynamics(1, {scaled.data(), 11}, {v.data(), 9}, {zero.data(), 9},
                               {many.data(), 9});
        EXPECT_LE((many - a).norm(), 1e-12 * a.norm()) << length;
      }
  }
}

TEST(QuaternionLength, zero_is_refused) {
  for (const FloatingGroup group : {FloatingGroup::se3, FloatingGroup::so3xr3}) {
    const Model model = model_on(group);
    ForwardDynamics forward(model);
    InverseDynamics inverse(model);
    PositionKinematics kin(model);
    FrameJacobian frame(model);
    for (const int start : {0, 7}) {
      Vector none = q;
      none.segment(start, 4).setZero();
      const char* joint = start == 0 ? "joint 'base'" : "joint 'ball'";
      EXPECT_SAYS(forward_dynamics(model, none, v, zero, forward), joint, "quaternion");
      EXPECT_SAYS(inverse_dynamics(model, none, v, zero, inverse), joint, "quaternion");
      EXPECT_SAYS(forward_kinematics(model, none, kin), joint, "quaternion");
      EXPECT_SAYS(jacobian(model, none, model.frame("ball"), Representation::body, frame), joint,
                  "quaternion");
    }
  }
}

}  // namespace
}  // namespace chasles
