/// One mechanism in three descriptions: the geometry is the same, whichever way it was said.

#include "chasles/mechanism/redescribe.hpp"

#include <gtest/gtest.h>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/screws/screw.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace {

using namespace chasles;
using enum Description;

/// The screws of a custom joint, in the world.
std::vector<Twist> world_screws(const Joint& joint, const SE3& J) {
  std::vector<Twist> Y;
  for (const ScrewData& s : joint.screws) Y.push_back(Ad(J, screw(s.axis, s.point, s.pitch)));
  return Y;
}

/// The frame of a fixed joint means nothing, that of a custom joint only with its screws.
void expect_same_geometry(const Mechanism& a, const Mechanism& b, double tolerance) {
  const ReferenceGeometry f = reference_geometry(a), g = reference_geometry(b);
  ASSERT_EQ(f.A.size(), g.A.size());
  for (std::size_t i = 0; i < f.A.size(); ++i) {
    const Joint &x = a.bodies[i].joint, &y = b.bodies[i].joint;
    EXPECT_CLOSE(f.A[i], g.A[i], tolerance) << a.bodies[i].name;
    if (x.type == JointType::custom) {
      const auto X = world_screws(x, f.J[i]), Y = world_screws(y, g.J[i]);
      ASSERT_EQ(X.size(), Y.size());
      for (std::size_t k = 0; k < X.size(); ++k) EXPECT_CLOSE(X[k], Y[k], tolerance);
    } else if (x.type != JointType::fixed) {
      EXPECT_CLOSE(f.J[i], g.J[i], tolerance) << x.name;
    }
  }
}

bool is_given_in(const Body& body, Description description) {
  const auto* axis = std::get_if<AxisGeometry>(&body.joint.geometry);
  if (description == frames) return axis == nullptr;
  if (axis == nullptr) return false;
  return description == world
             ? axis->in == DescribedIn::world && body.pose.in == DescribedIn::world
             : axis->in == DescribedIn::body && body.pose.in == DescribedIn::parent;
}

TEST(Redescribe, keeps_the_geometry_of_the_examples) {
  for (const char* file : {"cad_arm", "two_frame_arm", "puma560", "rcm", "every_joint"}) {
    const Mechanism m = read_mechanism("examples/" + std::string(file) + ".yaml");
    Mechanism copy = m;
    for (const Description description : {world, body, frames, world, frames, body, world}) {
      copy = redescribe(copy, description);
      expect_same_geometry(m, copy, 1e-14);
      for (const Body& b : copy.bodies)
        EXPECT_TRUE(is_given_in(b, description)) << file << " " << b.name;
    }
  }
}

TEST(Redescribe, keeps_motions_of_random_mechanisms) {
  std::mt19937_64 generator(11);
  for (int n = 0; n < 20; ++n) {
    const Mechanism m = test::random_mechanism(generator, {.bodies = 15, .tree = true});
    const Model model = compile(m);
    const Eigen::VectorXd q = test::random_configuration(model, generator);
    PositionKinematics expected(model);
    forward_kinematics(model, q, expected);
    Mechanism copy = m;
    for (const Description description : {world, body, frames, world}) {
      copy = redescribe(copy, description);
      expect_same_geometry(m, copy, 1e-13);  // chains of 15 poses, meters apart
      const Model other = compile(copy);
      PositionKinematics kin(other);
      forward_kinematics(other, q, kin);
      for (const Body& b : m.bodies)
        EXPECT_CLOSE(pose(kin, other.frame(b.name)), pose(expected, model.frame(b.name)), 1e-11);
    }
  }
}

TEST(Redescribe, keeps_everything_else) {
  Mechanism m = read_mechanism("examples/every_joint.yaml");
  const auto body = [](auto& mechanism, std::string_view name) -> auto& {
    return *std::ranges::find(mechanism.bodies, name, &Body::name);
  };
  body(m, "slide").joint.mimic = Mimic{"base", 2, 1};
  const Mechanism copy = redescribe(m, frames);
  EXPECT_EQ(copy.name, m.name);
  EXPECT_EQ(copy.gravity, m.gravity);
  EXPECT_EQ(copy.loops.size(), m.loops.size());
  EXPECT_EQ(copy.frames.size(), m.frames.size());
  EXPECT_EQ(body(copy, "slide").joint.limits->upper, 0.4);
  EXPECT_EQ(body(copy, "slide").joint.mimic->multiplier, 2);
  EXPECT_EQ(body(copy, "rover").inertia->mass, 20);
  EXPECT_EQ(body(copy, "compliant_stage").joint.parameterization, Parameterization::sum);
}

/// Numbers that are in the right frame already are not touched.
TEST(Redescribe, does_not_round_what_it_need_not) {
  const Mechanism m = read_mechanism("examples/rcm.yaml");
  EXPECT_EQ(write_yaml(redescribe(m, world)), write_yaml(m));
  const Mechanism arm = read_mechanism("examples/two_frame_arm.yaml");
  EXPECT_EQ(write_yaml(redescribe(arm, frames)), write_yaml(arm));
}

/// Its coordinates run along the joint frame, which is not that of the body.
TEST(Redescribe, leaves_a_spherical_joint_between_turned_frames) {
  const Mechanism m = read_yaml(
      "chasles: 1\nbodies: [{name: a, joint: {type: spherical, frames: {parent: {}, child: {rpy: "
      "[0, 0, 1]}}}}]",
      "a.yaml");
  EXPECT_EQ(write_yaml(redescribe(m, world)), write_yaml(m));
}

TEST(Redescribe, gives_the_screws_of_the_paper) {
  const Mechanism rcm = redescribe(read_mechanism("examples/rcm.yaml"), body);
  // 2X_2 = (0, 0, 1, 0, d2 - x2, 0) of paper 003, section 2.5, with d2 = 0.4, x2 = 0.05.
  const auto& axis = std::get<AxisGeometry>(rcm.bodies[1].joint.geometry);
  EXPECT_CLOSE(screw(axis.axis, axis.point), (Twist{{0, 0, 1}, {0, 0.35, 0}}), 1e-15);
  // 4X_4 = (0, 0, 1, 0, (-d4 - h4 + x4 + z4) / sqrt 2, 0).
  const auto& fourth = std::get<AxisGeometry>(rcm.bodies[3].joint.geometry);
  EXPECT_CLOSE(screw(fourth.axis, fourth.point),
               (Twist{{0, 0, 1}, {0, (-0.45 - 0.2 + 0.5 + 0.16) / std::sqrt(2.0), 0}}), 1e-15);
}

}  // namespace
