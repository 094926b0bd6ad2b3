/// The pose of every joint type at given coordinates, in numbers: a table computed by hand.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "chasles/kinematics/kinematics.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace joint_pose_laws {

constexpr double pi = lie::pi<double>, infinity = std::numeric_limits<double>::infinity();
constexpr double c = 0.86602540378443864676;  // cos 30 degrees = sin 60 degrees

struct PoseRow {
  std::string name;
  Joint joint;
  std::vector<double> q;
  Mat3 R;  // by columns
  Vec3 r;
};
Joint joint_of_type(JointType type, double pitch = 0) {
  Joint joint;
  joint.type = type, joint.pitch = pitch;
  return joint;
}
Joint with_screws(Parameterization parameterization, std::vector<ScrewData> screws) {
  Joint joint = joint_of_type(JointType::custom);
  joint.parameterization = parameterization, joint.screws = std::move(screws);
  return joint;
}
Joint on_so3xr3() {
  Joint joint = joint_of_type(JointType::floating);
  joint.group = FloatingGroup::so3xr3;
  return joint;
}

/// The motion of the joint frame at q.
std::vector<PoseRow> pose_table() {
  using enum JointType;
  const double turn = pi / 6;
  const Mat3 one{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Mat3 about_z{{c, 0.5, 0}, {-0.5, c, 0}, {0, 0, 1}};  // by 30 degrees
  // Then by 60 degrees about the new x.
  const Mat3 about_z_x{{c, 0.5, 0}, {-0.25, 0.5 * c, c}, {0.5 * c, -0.75, 0.5}};
  const Mat3 cyclic{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};    // x to y to z: (1, 1, 1, 1) / 2
  const Mat3 about_x{{1, 0, 0}, {0, 0, 1}, {0, -1, 0}};  // by 90 degrees
  const Mat3 quarter_z{{0, 1, 0}, {-1, 0, 0}, {0, 0, 1}};
  const double h = 0.3 * turn;
  return {
      {"revolute", joint_of_type(revolute), {turn}, about_z, {}},
      {"prismatic", joint_of_type(prismatic), {0.7}, one, {0, 0, 0.7}},
      {"helical", joint_of_type(helical, 0.3), {turn}, about_z, {0, 0, h}},
      {"cylindrical", joint_of_type(cylindrical), {turn, 0.7}, about_z, {0, 0, 0.7}},
      {"universal", joint_of_type(universal), {turn, pi / 3}, about_z_x, {}},
      {"spherical", joint_of_type(spherical), {0.5, 0.5, 0.5, 0.5}, cyclic, {}},
      {"planar", joint_of_type(planar), {0.1, 0.2, turn}, about_z, {0.1, 0.2, 0}},
      {"translation2", joint_of_type(translation2), {0.1, 0.2}, one, {0.1, 0.2, 0}},
      {"translation3", joint_of_type(translation3), {0.1, 0.2, 0.3}, one, {0.1, 0.2, 0.3}},
      {"planar_helical",
       joint_of_type(planar_helical, 0.3),
       {0.1, 0.2, turn},
       about_z,
       {0.1, 0.2, h}},
      {"schoenflies", joint_of_type(schoenflies), {0.1, 0.2, 0.3, turn}, about_z, {0.1, 0.2, 0.3}},
      // Along the z axis after the turn, which is x.
      {"telescoping", joint_of_type(telescoping), {0.5, 0.5, 0.5, 0.5, 0.7}, cyclic, {0.7, 0, 0}},
      {"floating",
       joint_of_type(floating),
       {0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3},
       cyclic,
       {0.1, 0.2, 0.3}},
      {"floating", on_so3xr3(), {0.5, 0.5, 0.5, 0.5, 0.1, 0.2, 0.3}, cyclic, {0.1, 0.2, 0.3}},
      {"fixed", joint_of_type(fixed), {}, one, {}},
      // A quarter turn about x through (0, 1, 0) takes the origin to (0, 1, -1); then half a meter along y,
      // which is z now.
      {"custom",
       with_screws(Parameterization::product,
                   {{{1, 0, 0}, {0, 1, 0}, 0}, {{0, 1, 0}, {}, infinity}}),
       {pi / 2, 0.5},
       about_x,
       {0, 1, -0.5}},
      // Along the arc of a quarter circle: q_2 / q_1 (sin q_1, 1 - cos q_1).
      {"custom",
       with_screws(Parameterization::sum, {{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, infinity}}),
       {pi / 2, pi},
       quarter_z,
       {2, 2, 0}},
  };
}

SE3 pose_at(const Joint& joint, const std::vector<double>& q) {
  Mechanism m{.name = "one"};
  m.bodies.push_back({.name = "body", .joint = joint});
  const Model model = compile(m);
  EXPECT_EQ(static_cast<std::size_t>(model.nq()), q.size()) << joint_type_info(joint.type).name;
  PositionKinematics kin(model);
  forward_kinematics(model, Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq()), kin);
  return pose(kin, model.frame("body"));
}

TEST(JointPose, is_the_one_of_the_table) {
  for (const PoseRow& row : pose_table()) {
    Joint joint = row.joint;
    joint.geometry = FramesGeometry{};
    EXPECT_EQ(joint_type_info(joint.type).name, row.name);
    EXPECT_CLOSE(pose_at(joint, row.q), (SE3{SO3::unchecked(row.R), row.r}), 1e-15) << row.name;
  }
}

/// Axes as they are given: z along y and x along z, so y along x; and frames on both bodies.
TEST(JointPose, in_other_axes_is_the_one_of_the_table) {
  std::mt19937_64 generator(3);
  const SE3 F{SO3::unchecked({{0, 0, 1}, {1, 0, 0}, {0, 1, 0}}), {}};
  const SE3 parent = random_element<SE3>(generator), child = random_element<SE3>(generator);
  for (const PoseRow& row : pose_table()) {
    Joint joint = row.joint;
    joint.geometry = FramesGeometry{parent, child, Vec3{0, 2, 0}, Vec3{0, 0, 3}};
    SE3 motion{SO3::unchecked(row.R), row.r};
    // On SO(3) x R^3 the position is in the axes of the parent body.
    if (joint.group == FloatingGroup::so3xr3) motion.r = inverse(parent.R * F.R) * row.r;
    EXPECT_CLOSE(pose_at(joint, row.q), parent * F * motion * inverse(F) * inverse(child), 4e-15)
        << row.name;
  }
}

/// Rows are not forgotten, here and where random mechanisms are made of joints.
TEST(JointPose, has_a_row_for_every_type) {
  for (const std::string_view name : joint_type_names()) {
    EXPECT_TRUE(std::ranges::any_of(pose_table(), [&](const PoseRow& r) { return r.name == name; }))
        << "joint type " << name << " has no row in the table of poses";
    const auto kinds = test::all_joint_kinds();
    EXPECT_TRUE(std::ranges::any_of(
        kinds, [&](const test::JointKind& k) { return joint_type_info(k.type).name == name; }))
        << "joint type " << name << " is not in test::all_joint_kinds";
  }
}

}  // namespace joint_pose_laws
}  // namespace chasles
