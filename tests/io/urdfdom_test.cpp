/// Our reader of URDF against urdfdom, the reader of ROS.

#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "model/model_data.hpp"
#include "support/near.hpp"
#include "support/urdf.hpp"

namespace urdfdom_test {

using namespace chasles;

Vec3 ours(const urdf::Vector3& v) { return {v.x, v.y, v.z}; }
SE3 ours(const urdf::Pose& pose) {
  const urdf::Rotation& q = pose.rotation;
  return {rotation(Quaternion{q.w, q.x, q.y, q.z}), ours(pose.position)};
}

JointType ours(int type) {
  switch (type) {
    case urdf::Joint::REVOLUTE:
    case urdf::Joint::CONTINUOUS:
      return JointType::revolute;
    case urdf::Joint::PRISMATIC:
      return JointType::prismatic;
    case urdf::Joint::FLOATING:
      return JointType::floating;
    case urdf::Joint::PLANAR:
      return JointType::planar;
    default:
      return JointType::fixed;
  }
}

/// Those of joints with one coordinate are kept.
void compare_limits(const Joint& joint, const urdf::Joint& other) {
  if (other.type == urdf::Joint::FIXED || other.type == urdf::Joint::FLOATING ||
      other.type == urdf::Joint::PLANAR) {
    EXPECT_FALSE(joint.limits) << joint.name;
    return;
  }
  ASSERT_EQ(joint.limits.has_value(), other.limits != nullptr) << joint.name;
  if (!joint.limits) return;
  EXPECT_EQ(joint.limits->effort.value_or(0), other.limits->effort);
  EXPECT_EQ(joint.limits->velocity.value_or(0), other.limits->velocity);
  if (other.type == urdf::Joint::CONTINUOUS) return;
  EXPECT_EQ(joint.limits->lower, other.limits->lower);
  EXPECT_EQ(joint.limits->upper, other.limits->upper);
}

void compare_joint(const Body& body, const urdf::Joint& other) {
  const Joint& joint = body.joint;
  const auto& geometry = std::get<FramesGeometry>(joint.geometry);
  EXPECT_EQ(joint.name, other.name);
  EXPECT_EQ(body.parent, other.parent_link_name);
  EXPECT_EQ(joint.type, ours(other.type));
  EXPECT_CLOSE(geometry.parent, ours(other.parent_to_joint_origin_transform), 1e-15);
  EXPECT_EQ(geometry.child, SE3{});
  if (joint_type_info(joint.type).takes_axis) {
    EXPECT_EQ(geometry.axis, ours(other.axis));
  }
  compare_limits(joint, other);
  if (other.dynamics && other.type != urdf::Joint::FIXED && other.type != urdf::Joint::FLOATING) {
    EXPECT_EQ(joint.dynamics.damping, other.dynamics->damping) << joint.name;
    EXPECT_EQ(joint.dynamics.friction, other.dynamics->friction) << joint.name;
  }
  ASSERT_EQ(joint.mimic.has_value(), other.mimic != nullptr);
  if (!joint.mimic) return;
  EXPECT_EQ(joint.mimic->joint, other.mimic->joint_name);
  EXPECT_EQ(joint.mimic->multiplier, other.mimic->multiplier);
  EXPECT_EQ(joint.mimic->offset, other.mimic->offset);
}

void compare_inertia(const Body& body, const urdf::Link& other) {
  ASSERT_EQ(body.inertia.has_value(), other.inertial != nullptr) << body.name;
  if (!body.inertia) return;
  const urdf::Inertial& I = *other.inertial;
  EXPECT_EQ(body.inertia->mass, I.mass);
  EXPECT_EQ(body.inertia->com, ours(I.origin.position));
  const Sym3 turned =
      rotate(ours(I.origin).R.matrix(), Sym3{I.ixx, I.ixy, I.ixz, I.iyy, I.iyz, I.izz});
  EXPECT_CLOSE(body.inertia->tensor, turned, 1e-15 * (1 + trace(turned)));
}

void compare(const std::string& text) {
  const Mechanism m = read_urdf(text, "r.urdf");
  const urdf::ModelInterfaceSharedPtr other = urdf::parseURDF(text);
  ASSERT_NE(other, nullptr);
  EXPECT_EQ(m.name, other->getName());
  ASSERT_EQ(m.bodies.size(), other->links_.size());
  EXPECT_EQ(m.bodies[0].name, other->getRoot()->name);
  EXPECT_EQ(m.bodies[0].joint.name, "root_joint");
  for (const Body& body : m.bodies) {
    const auto link = other->getLink(body.name);
    ASSERT_NE(link, nullptr) << body.name;
    compare_inertia(body, *link);
    if (link->parent_joint != nullptr) compare_joint(body, *link->parent_joint);
  }
}

TEST(Urdfdom, agrees_on_every_joint_type) { compare(test::every_joint_urdf()); }

}  // namespace urdfdom_test
