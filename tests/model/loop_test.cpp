/// The two ends of a loop: where they are on their bodies, in whatever frame the loop was given.

#include <gtest/gtest.h>

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace {

using namespace chasles;

/// What a loop is made of: that of a joint of a random mechanism.
Loop random_loop(std::mt19937_64& generator, const test::JointKind& kind) {
  const Mechanism one = test::random_mechanism(generator, {.bodies = 1, .kinds = {kind}});
  const Joint& joint = one.bodies[0].joint;
  return {.name = "loop",
          .bodies = {},
          .type = joint.type,
          .geometry = joint.geometry,
          .pitch = joint.pitch,
          .screws = joint.screws,
          .parameterization = joint.parameterization};
}

Vec3 unit(const Vec3& x) { return x / std::sqrt(dot(x, x)); }

class Ends {
 public:
  explicit Ends(const Mechanism& mechanism) : model_(compile(mechanism)), kin_(model_) {
    forward_kinematics(model_, model_.neutral(), kin_);
  }
  SE3 from() const { return chasles::pose(kin_, model_.loops().at(0).from); }
  SE3 to() const { return chasles::pose(kin_, model_.loops().at(0).to); }
  SE3 body(const std::string& name) const { return chasles::pose(kin_, model_.frame(name)); }

 private:
  Model model_;
  PositionKinematics kin_;
};

constexpr std::array<const char*, 2> pairs[] = {
    {"body3", "body9"}, {"body9", "body3"}, {"body4", "ground"}, {"ground", "body5"}};

/// Given by an axis a loop is closed at q = 0, in the frame of the first body, the second or the world.
TEST(Loops, by_an_axis_are_closed_at_zero) {
  std::mt19937_64 generator(11);
  for (const test::JointKind& kind : test::all_joint_kinds())
    for (const auto& pair : pairs) {
      if (kind.type == JointType::floating) continue;
      Mechanism m = test::random_mechanism(generator, {.bodies = 12, .tree = true});
      Loop loop = random_loop(generator, kind);
      while (!std::holds_alternative<AxisGeometry>(loop.geometry))
        loop = random_loop(generator, kind);
      loop.bodies = {pair[0], pair[1]};
      auto& axis = std::get<AxisGeometry>(loop.geometry);
      if (kind.type == JointType::custom || kind.type == JointType::fixed)
        axis.point = {};  // the screws have points, or there is nothing to place
      const bool takes_axis = joint_type_info(kind.type).takes_axis;
      for (const DescribedIn in : {DescribedIn::world, DescribedIn::parent, DescribedIn::body}) {
        axis.in = in;
        m.loops = {loop};
        const Ends ends(m);
        EXPECT_CLOSE(ends.from(), ends.to(), 1e-14);
        const SE3 frame = in == DescribedIn::world    ? SE3{}
                          : in == DescribedIn::parent ? ends.body(pair[0])
                                                      : ends.body(pair[1]);
        EXPECT_CLOSE(ends.from().r, frame * axis.point, 1e-14);
        const Mat3 axes = ends.from().R.matrix();
        if (takes_axis) {
          EXPECT_CLOSE(axes.c2, frame.R * unit(axis.axis), 1e-14);
        }
        if (takes_axis && axis.x_axis) {
          EXPECT_CLOSE(axes.c0, frame.R * unit(*axis.x_axis), 1e-14);
        }
        if (kind.type == JointType::custom) {
          EXPECT_CLOSE(ends.from().R, frame.R, 1e-14);
        }
      }
    }
}

/// Given by two frames it has them where they are on their bodies, closed or not.
TEST(Loops, by_frames_have_them_on_their_bodies) {
  std::mt19937_64 generator(12);
  for (const auto& pair : pairs) {
    Mechanism m = test::random_mechanism(generator, {.bodies = 12, .tree = true});
    const FramesGeometry frames{random_element<SE3>(generator), random_element<SE3>(generator)};
    m.loops = {{"loop", {pair[0], pair[1]}, JointType::universal, frames}};
    const Ends ends(m);
    const SE3 J = joint_frame(frames.axis, {}, {}, "");
    EXPECT_CLOSE(ends.from(), ends.body(pair[0]) * frames.parent * J, 1e-14);
    EXPECT_CLOSE(ends.to(), ends.body(pair[1]) * frames.child * J, 1e-14);
  }
}

/// A joint of a tree, described again as a loop between the same bodies, is closed at every q: the model
/// of the joint alone has it there with the same coordinates.
TEST(Loops, beside_a_joint_move_as_it_does) {
  std::mt19937_64 generator(13);
  for (const test::JointKind& kind : test::all_joint_kinds()) {
    if (kind.type == JointType::floating) continue;
    for (int n = 0; n < 6; ++n) {
      Mechanism m = test::random_mechanism(generator, {.bodies = 2, .kinds = {kind}});
      const Body& body = m.bodies[1];
      m.loops = {{.name = "loop",
                  .bodies = {body.parent, body.name},
                  .type = kind.type,
                  .geometry = body.joint.geometry,
                  .pitch = body.joint.pitch,
                  .screws = body.joint.screws,
                  .parameterization = body.joint.parameterization}};
      if (auto* a = std::get_if<AxisGeometry>(&m.loops[0].geometry))
        if (kind.type == JointType::custom) a->point = {};
      const Model model = compile(m);
      const ModelLoop& loop = model.loops()[0];
      const Eigen::VectorXd q = test::random_configuration(model, generator, 0.5);
      PositionKinematics kin(model), alone(loop.joint);
      forward_kinematics(model, q, kin);
      Eigen::VectorXd own = loop.joint.neutral();
      if (kind.type != JointType::fixed) {
        const ModelJoint& joint = model.joint(body.joint.name);
        own = q.segment(joint.q_index, joint.nq);
      }
      forward_kinematics(loop.joint, own, alone);
      const SE3 C = relative_pose(kin, loop.from, loop.to);
      const SE3 J = pose(alone, loop.joint.frame("body"));
      // A ball has the axes of its body there and those of the description here.
      if (kind.type == JointType::spherical)
        EXPECT_LT(max_abs(C.r), 1e-14);
      else
        EXPECT_CLOSE(C, J, 1e-13);
    }
  }
}

}  // namespace
