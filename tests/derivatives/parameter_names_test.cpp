/// Parameters by name, and what does not exist.
#include <gtest/gtest.h>

#include "chasles/derivatives/parameters.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

using test::message;

Model arm() {
  return compile(MechanismBuilder("arm")
                     .body("upper", ground, joints::revolute({0, 0, 1}))
                     .joint_name("shoulder")
                     .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                     .body("slider", "upper", joints::of(JointType::cylindrical, {1, 0, 0}))
                     .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                     .body("ball", "slider", joints::spherical())
                     .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}

TEST(Parameter, by_name_is_the_one_that_is_made) {
  const Model model = arm();
  const Parameter frame = parameter(model, "shoulder", "frame.vy");
  EXPECT_EQ(frame.kind, Parameter::Kind::frame);
  EXPECT_EQ(frame.U, (Twist{{}, {0, 1, 0}}));
  const Parameter pitch = parameter(model, "slider", "pitch0");
  EXPECT_EQ(pitch.kind, Parameter::Kind::screw);
  EXPECT_EQ(pitch.U, (Twist{{}, {1, 0, 0}}));
  const Parameter inertia = parameter(model, "slider", "Iyz");  // a joint and a body of one name
  EXPECT_EQ(inertia.kind, Parameter::Kind::inertia);
  EXPECT_EQ(inertia.owner, 1);
  EXPECT_EQ(inertia.entry, 8);
  EXPECT_EQ(parameter_names(model, "shoulder").size(), 6 + 6 + 6 + 1);
  EXPECT_EQ(parameter_names(model, "upper").size(), 10);
  EXPECT_EQ(parameter_names(model, "slider").size(), 6 + 6 + 2 * 6 + 1 + 10);
  EXPECT_EQ(parameter_names(model, "ball").size(), 6 + 6 + 10);
}

TEST(Parameter, that_does_not_exist_is_refused_by_name) {
  const Model model = arm();
  EXPECT_EQ(message([&] { parameter(model, "shuolder", "frame.wx"); }),
            "model 'arm' has no joint or body 'shuolder'; did you mean 'shoulder'?");
  EXPECT_EQ(message([&] { parameter(model, "shoulder", "frmae.wx"); }),
            "'shoulder' has no parameter 'frmae.wx'; did you mean 'frame.wx'?");
  EXPECT_EQ(message([&] { parameter(model, "upper", "mxc"); }),
            "'upper' has no parameter 'mxc'; did you mean 'mcx'?");
  EXPECT_SAYS(parameter(model, "slider", "pitch1"), "'slider' has no parameter 'pitch1'",
              "did you mean 'pitch0'");
  EXPECT_EQ(message([&] { pitch_parameter(model, "slider", 1); }),
            "joint 'slider': screw 1 is a translation, which has no pitch");
  EXPECT_EQ(message([&] { screw_parameter(model, "slider", 2, {}); }),
            "joint 'slider' (cylindrical) has no screw 2; give 0 ... 1");
  EXPECT_EQ(message([&] { screw_parameter(model, "ball", 0, {}); }),
            "joint 'ball' is spherical: its screws change together only; use the parameters frame "
            "or axis");
  EXPECT_EQ(message([&] { frame_parameter(model, "bal", {}); }),
            "model 'arm' has no joint 'bal'; did you mean 'ball'?");
  EXPECT_EQ(message([&] { inertial_parameter(model, "uper", 0); }),
            "model 'arm' has no body 'uper'; did you mean 'upper'?");
  EXPECT_EQ(message([&] { inertial_parameter(model, "upper", 10); }),
            "body 'upper' has no inertial parameter 10; give 0 ... 9");
  EXPECT_SAYS(axis_parameter(model, "ball", {{NAN, 0, 0}, {}}),
              "joint 'ball', parameter axis: the screw", "is not finite");
}

TEST(Parameter, of_another_model_and_wrong_sizes_are_refused) {
  const Model model = arm(), other = arm();
  const Parameter p = parameter(other, "shoulder", "frame.vy"),
                  own = parameter(model, "shoulder", "frame.vy");
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Matrix6X out(6, 1), J(6, model.nv());
  const Frame frame = model.frame("ball");
  EXPECT_THROW(ForceSensitivity(model, {&p, 1}), ForeignError);
  EXPECT_THROW(pose_sensitivity(model, kin, frame, Representation::body, {&p, 1}, out),
               ForeignError);
  EXPECT_THROW(jacobian_sensitivity(model, kin, frame, Representation::body, p, J), ForeignError);
  EXPECT_THROW(pose_sensitivity(model, kin, frame, Representation::body, {&own, 1}, J), SizeError);
  EXPECT_THROW(jacobian_sensitivity(model, kin, frame, Representation::body, own, out), SizeError);
  AccelerationSensitivity work(model, {&own, 1});
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv());
  EXPECT_THROW(acceleration_sensitivity(other, model.neutral(), v, v, work), ForeignError);
  EXPECT_THROW(acceleration_sensitivity(model, model.neutral(), v.head(1), v, work), SizeError);
  EXPECT_TRUE(work.da().array().isNaN().all());
}

}  // namespace
}  // namespace chasles
