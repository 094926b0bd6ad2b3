/// Tendons around geoms, and polynomials, of MJCF files against lengths and forces of MuJoCo 4.0.1; written and read again.
#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/simulation/forces.hpp"
#include "simulation/tendon_length.hpp"
#include "support/errors.hpp"

namespace wrapped_tendons_file_test {

using namespace chasles;
using namespace chasles::test;

const std::string wraps =
    R"(<mujoco model="wraps"><compiler angle="radian"/><option gravity="0 0 0"/><worldbody>
<site name="hook" pos="0.2 0.05 1.3"/><geom name="post" type="cylinder" size="0.05 1" pos="0 0.02 1.1" euler="1.5707963267948966 0 0"/>
<body name="upper" pos="0 0 1">
  <joint name="shoulder" axis="0 1 0" stiffness="3 2 5" damping="0.2 0.3 0.1"/>
  <inertial pos="0 0 -0.3" mass="2" diaginertia="0.03 0.03 0.01"/>
  <geom name="ball" size="0.12" pos="0.05 0 0.05" contype="0" conaffinity="0"/>
  <site name="knee" pos="0.15 0 -0.4"/><site name="side" pos="-0.4 0 -0.7"/>
  <geom name="pulley" type="cylinder" size="0.1 0.2" pos="0.02 0 -0.6" euler="1.5707963267948966 0 0"/>
  <body name="lower" pos="0 0 -0.6">
    <joint name="elbow" axis="0 1 0"/>
    <joint name="slide" type="slide" axis="0 0 -1" stiffness="40 -7 90"/>
    <inertial pos="0 0 -0.2" mass="1" diaginertia="0.02 0.02 0.005"/>
    <site name="ankle" pos="0.1 0.03 -0.3"/>
  </body></body></worldbody>
<tendon>
  <spatial name="cable" stiffness="30 20 10" damping="2 1 0.5" springlength="0.7">
    <site site="hook"/><geom geom="ball"/><site site="knee"/><geom geom="pulley" sidesite="side"/><site site="ankle"/></spatial>
  <spatial name="strap" stiffness="12" springlength="0.4">
    <site site="hook"/><geom geom="post"/><site site="knee"/><pulley divisor="2"/><site site="knee"/><geom geom="pulley"/><site site="ankle"/></spatial>
</tendon></mujoco>)";

/// Lengths, their rates and the generalized forces at q = (0.3, -0.4, 0.15), v = (0.5, -0.7, 0.3).
void expect_forces_of_mujoco(const Mechanism& mechanism) {
  const Model model = compile(mechanism);
  Eigen::VectorXd q(3), v(3);
  q << 0.3, -0.4, 0.15;
  v << 0.5, -0.7, 0.3;
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  const double lengths[] = {1.5911182615705353, 1.0429638983856135},
               rates[] = {0.4201428202008366, 0.1434829015220163},
               passive[] = {-10.936228038649507, 3.6493332797831894, -56.49971749430927};
  ASSERT_EQ(model.tendons().size(), 2u);
  for (std::size_t k = 0; k < 2; ++k) {
    const forces::TendonLength length(model, model.tendons()[k], "tendon");
    EXPECT_NEAR(length.value(kin), lengths[k], 1e-14);
    EXPECT_NEAR(length.rate(kin), rates[k], 1e-14);
  }
  JointForces out{Vector(3), {}};
  out.tau.setZero();
  for (const Force& force : joint_dynamics(model)) force.law.add(0, kin, out);
  InverseDynamics work(model);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(3);
  Eigen::VectorXd Q = out.tau;
  Q += inverse_dynamics(model, q, none, none, work);
  Q -= inverse_dynamics(model, q, none, none, work, out.wrenches);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(Q[k], passive[k], 1e-12) << k;
}

TEST(WrappedTendonFiles, pull_as_in_mujoco) {
  std::vector<std::string> warnings;
  const Mechanism mechanism = read_mjcf(wraps, "m.xml", {.warnings = &warnings});
  EXPECT_EQ(warnings, std::vector<std::string>{});
  expect_forces_of_mujoco(mechanism);
  expect_forces_of_mujoco(read_mjcf(write_mjcf(mechanism), "n.xml"));
  const std::string text = write_yaml(mechanism);
  expect_forces_of_mujoco(read_yaml(text, "n.yaml"));
  EXPECT_EQ(write_yaml(read_yaml(text, "n.yaml")), text);
}

TEST(WrappedTendonFiles, names_and_mistakes) {
  const auto changed = [](const std::string& from, const std::string& to,
                          std::vector<std::string>* warnings = nullptr) {
    std::string text = wraps;
    text.replace(text.find(from), from.size(), to);
    return read_mjcf(text, "m.xml", {.warnings = warnings});
  };
  // A site and a body with the names of geoms.
  const Mechanism named =
      changed("name=\"side\" pos", "name=\"ball\" pos=\"0 0 0\"/><site name=\"side\" pos");
  expect_forces_of_mujoco(named);
  EXPECT_EQ(named.tendons[0].points[0].wrap->frame, "ball_geom");
  EXPECT_SAYS(changed("geom=\"ball\"", "geom=\"bal\""), "m.xml:17", "tendon 'cable'",
              "no geom 'bal'");
  EXPECT_SAYS(changed("size=\"0.12\"", "type=\"box\" size=\"1 1 1\""), "is a box",
              "spheres and cylinders");
  EXPECT_SAYS(changed("<geom geom=\"ball\"/>", "<geom geom=\"ball\"/><pulley divisor=\"2\"/>"),
              "tendon 'cable'", "follows a geom");
  EXPECT_SAYS(changed("<geom geom=\"ball\"/>", "<geom geom=\"ball\"/><geom geom=\"ball\"/>"),
              "not between two sites");
  EXPECT_SAYS(changed("sidesite=\"side\"", "sidesite=\"sid\""), "there is no site 'sid'", "side");
  std::vector<std::string> warnings;
  changed("name=\"side\" pos=\"-0.4 0 -0.7\"", "name=\"side\" pos=\"0.02 0 -0.61\"", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  expect_parts(warnings[0],
               {"tendon 'cable'", "straight past the geom 'pulley'", "'side' is inside"});
  // Ranges by `limited`; friction.
  const Tendon& tendon =
      changed("name=\"cable\"", "name=\"cable\" range=\"0 2\" frictionloss=\"3\"").tendons[0];
  EXPECT_EQ(tendon.friction, 3);
  EXPECT_EQ((*tendon.range)[1], 2);
  EXPECT_FALSE(
      changed("name=\"cable\"", "name=\"cable\" range=\"0 2\" limited=\"false\"").tendons[0].range);
}

/// An equality of a spatial tendon is a cable: longer than at q = 0 by the constant of its polynomial.
TEST(WrappedTendonFiles, equalities_are_cables) {
  const auto with = [](const std::string& equality, std::vector<std::string>* warnings = nullptr) {
    std::string text = wraps;
    text.insert(text.find("</tendon>"),
                "<spatial name='rod'><site site='hook'/><site site='knee'/></spatial>");
    text.insert(text.find("</mujoco>"), "<equality><tendon name='e' " + equality + "/></equality>");
    return read_mjcf(text, "m.xml", {.warnings = warnings});
  };
  const double length = norm(Vec3{0.2, 0.05, 1.3} - Vec3{0.15, 0, 0.6});
  for (const double offset : {0.0, 0.01}) {
    const Mechanism m = with("tendon1='rod' polycoef='" + to_text(offset) + " 0 0 0 0'");
    ASSERT_EQ(m.constraints.size(), 1u);
    const auto& cable = std::get<CableElement>(m.constraints[0].data);
    EXPECT_NEAR(cable.length.value_or(length), length + offset, 1e-15);
    EXPECT_EQ(cable.length.has_value(), offset != 0);
  }
  for (const char* bad : {"tendon1='cable'", "tendon1='strap'", "tendon1='rod' tendon2='cable'"}) {
    std::vector<std::string> warnings;
    EXPECT_TRUE(with(bad, &warnings).constraints.empty()) << bad;
    EXPECT_EQ(warnings.size(), 1u) << bad;
  }
}

}  // namespace wrapped_tendons_file_test
