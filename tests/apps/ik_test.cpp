/// chasles ik: forward kinematics of what it prints is the target, or it says how far away that is.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "chasles/constraints/constraints.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "support/program.hpp"

namespace chasles {
namespace {

using nlohmann::json;

class ProgramIk : public Program {
 protected:
  /// Where the frame is at the q of a document.
  static SE3 reached(const Model& model, const json& document, const std::string& frame) {
    const std::vector<double> q = document["q"];
    PositionKinematics kin(model);
    forward_kinematics(model, Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq()), kin);
    return pose(kin, model.frame(frame));
  }
  static std::string list(std::initializer_list<double> x) {
    std::string text;
    for (const double value : x) text += (text.empty() ? "" : ",") + to_text(value);
    return text;
  }
};

/// Six joints as robots have them, with limits: shoulder, elbow, and a wrist whose axes meet.
const std::string robot = R"(<robot name="robot"><link name="base"/>
  <link name="column"/><link name="upper"/><link name="lower"/><link name="roll"/><link name="pitch"/><link name="hand"/>
  <link name="tool"/>
  <joint name="j1" type="revolute"><parent link="base"/><child link="column"/><axis xyz="0 0 1"/>
    <origin xyz="0 0 0.2"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
  <joint name="j2" type="revolute"><parent link="column"/><child link="upper"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.2"/><limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <joint name="j3" type="revolute"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <origin xyz="0 0 0.5"/><limit lower="-2.5" upper="2.5" velocity="1" effort="1"/></joint>
  <joint name="j4" type="revolute"><parent link="lower"/><child link="roll"/><axis xyz="1 0 0"/>
    <origin xyz="0.4 0 0" rpy="0.1 0 0"/><limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
  <joint name="j5" type="revolute"><parent link="roll"/><child link="pitch"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="1" effort="1"/></joint>
  <joint name="j6" type="revolute"><parent link="pitch"/><child link="hand"/><axis xyz="1 0 0"/>
    <limit lower="-3" upper="3" velocity="1" effort="1"/></joint>
  <joint name="flange" type="fixed"><parent link="hand"/><child link="tool"/><origin xyz="0.1 0 0"/></joint>
</robot>)";

TEST_F(ProgramIk, a_robot_reaches_a_pose_within_its_limits) {
  const fs::path file = write("robot.urdf", robot);
  const Model model = compile(read_mechanism(file));
  const SE3 target{rotation_from_rpy(0.3, 0.9, -0.4), {0.35, 0.3, 0.5}};
  const std::string base = "ik " + file.string() + " --frame tool --target 0.35,0.3,0.5 ";
  const auto q = quaternion(target.R);
  for (const std::string& rotation :
       {std::string("--rpy 0.3,0.9,-0.4"),
        "--quaternion " + list({-2 * q.w, -2 * q.x, -2 * q.y, -2 * q.z})}) {
    const Outcome o = run(base + rotation + " --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const json found = json::parse(o.out);
    EXPECT_TRUE(found["success"].get<bool>());
    const SE3 C = reached(model, found, "tool");
    EXPECT_LT(norm(C.r - target.r), 1e-10);
    EXPECT_LT(norm(log(inverse(C.R) * target.R)), 1e-10);
    EXPECT_LE(found["position_error"].get<double>(), 1e-10);
    for (const ModelJoint& joint : model.joints()) {
      const double x = found["joints"][joint.name];
      EXPECT_EQ(x, found["q"][static_cast<std::size_t>(joint.q_index)].get<double>());
      EXPECT_GE(x, *joint.limits->lower);
      EXPECT_LE(x, *joint.limits->upper);
    }
  }
  // For people: the same, and a q that the next call can begin with.
  const Outcome o = run(base);
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find("robot: 'tool' is at the target, off by "), std::string::npos) << o.out;
  const auto at = o.out.find("q = ");
  ASSERT_NE(at, std::string::npos);
  const std::string q_text = o.out.substr(at + 4, o.out.find('\n', at) - at - 4);
  const json again = json::parse(run(base + "--q " + q_text + " -o -").out);
  EXPECT_EQ(again["iterations"], 0);
  EXPECT_TRUE(again["rotation_error"].is_null());  // it was not asked for
}

TEST_F(ProgramIk, a_yaml_arm_reaches_a_position_from_a_start_and_writes_a_file) {
  const std::string file = "examples/puma560.yaml";
  const Model model = compile(read_mechanism(file));
  const fs::path out = folder / "ik.json";
  const Outcome o =
      run("ik " + file + " --frame link6 --target -0.3,0.35,0.4 --q 0,0.2,0.3,0,0,0 -o " +
          out.string());
  ASSERT_EQ(o.code, 0) << o.err;
  const json found = json::parse(text(out));
  EXPECT_LT(norm(reached(model, found, "link6").r - Vec3{-0.3, 0.35, 0.4}), 1e-10);
}

TEST_F(ProgramIk, a_target_out_of_reach_is_said_so_with_its_distance) {
  // A rod of 1 m that turns about z: the nearest to (0, 3, 0.5) is (0, 1, 0).
  const fs::path file = write("rod.yaml", R"(
chasles: 1
name: rod
bodies:
  - {name: rod, joint: {name: hinge, type: revolute, axis: [0, 0, 1], limits: {lower: -2, upper: 2}}}
frames: [{name: tip, body: rod, pose: {xyz: [1, 0, 0]}}]
)");
  const std::string base = "ik " + file.string() + " --frame tip ";
  const Outcome o = run(base + "--target 0,3,0.5 --json");
  EXPECT_EQ(o.code, 1);
  const json found = json::parse(o.out);
  EXPECT_FALSE(found["success"].get<bool>());
  EXPECT_NEAR(found["position_error"], std::hypot(2, 0.5), 1e-6);
  EXPECT_NEAR(found["q"][0].get<double>(), M_PI / 2, 1e-3);
  EXPECT_NE(o.err.find("'tip' does not reach the target: 2.06 m are missing"), std::string::npos)
      << o.err;
  // Within the circle, but behind a limit.
  const Outcome behind = run(base + "--target -1,0,0 --json");
  EXPECT_EQ(behind.code, 1);
  const json on = json::parse(behind.out);
  EXPECT_EQ(on["on_limits"], json({"hinge"}));
  EXPECT_EQ(std::abs(on["q"][0].get<double>()), 2);
}

TEST_F(ProgramIk, a_target_beyond_all_reach_is_said_so) {
  for (const char* model : {"puma560.yaml --frame link6", "four_bar.yaml --frame coupler"})
    for (const double far : {1e10, 1e200, 1e308}) {
      const Outcome o =
          run("ik examples/" + std::string(model) + " --json --target " + list({far, 0, 0}));
      EXPECT_EQ(o.code, 1) << o.err;
      const json found = json::parse(o.out);
      EXPECT_FALSE(found["success"].get<bool>());
      EXPECT_NEAR(found["position_error"].get<double>() / far, 1, 1e-9);
      EXPECT_FALSE(found["q"].empty());
    }
}

TEST_F(ProgramIk, loops_stay_closed) {
  const std::string file = "examples/four_bar.yaml";
  const Model model = compile(read_mechanism(file));
  Constraints constraints(model);
  // The way to the rocker is its own joint, that to the coupler is bound by the loop.
  for (const auto& [body, angle] :
       {std::pair<std::string, double>{"rocker", 0.05}, {"coupler", -0.05}}) {
    const Outcome o =
        run("ik " + file + " --frame " + body + " --rpy " + list({0, angle, 0}) + " --json");
    ASSERT_EQ(o.code, 0) << o.err;
    const json found = json::parse(o.out);
    const SE3 C = reached(model, found, body);
    EXPECT_LT(norm(log(C.R) - Vec3{0, angle, 0}), 1e-10);
    const std::vector<double> q = found["q"];
    PositionKinematics kin(model);
    forward_kinematics(model, Eigen::Map<const Eigen::VectorXd>(q.data(), model.nq()), kin);
    Vector Phi(constraints.constraint_count());
    constraints.update(kin);
    constraints.constraint_error(kin, Phi);
    EXPECT_LT(Phi.cwiseAbs().maxCoeff(), 1e-10);
  }
}

TEST_F(ProgramIk, joints_that_mimic_follow_an_arm_that_keeps_its_limits) {
  const fs::path file = write(
      "hand.urdf",
      R"(<robot name="hand"><link name="base"/><link name="arm"/><link name="left"/><link name="right"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" velocity="1" effort="1"/></joint>
  <joint name="l" type="prismatic"><parent link="arm"/><child link="left"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.1" velocity="1" effort="1"/></joint>
  <joint name="r" type="prismatic"><parent link="arm"/><child link="right"/><origin xyz="1 0 0"/><axis xyz="0 -1 0"/>
    <limit lower="0" upper="0.1" velocity="1" effort="1"/><mimic joint="l"/></joint></robot>)");
  const std::string base = "ik " + file.string() + " --frame left --json --target ";
  const double a = 0.5, d = 0.05;
  const Outcome o =
      run(base + list({std::cos(a) - d * std::sin(a), std::sin(a) + d * std::cos(a), 0}));
  ASSERT_EQ(o.code, 0) << o.err;
  const json found = json::parse(o.out);
  EXPECT_NEAR(found["joints"]["turn"], a, 1e-10);
  EXPECT_NEAR(found["joints"]["l"], d, 1e-10);
  EXPECT_NEAR(found["joints"]["r"], d, 1e-10);
  EXPECT_EQ(o.err, "");
}

/// Two frames of an arm: the poses of its forearm and hand at a known configuration give that configuration.
TEST_F(ProgramIk, fits_several_frames) {
  const Model model = compile(read_mechanism("examples/puma560.yaml"));
  PositionKinematics kin(model);
  forward_kinematics(model, Vector{0.3, -0.4, 0.6, 0.2, 0.5, -0.7}, kin);
  const SE3 elbow = pose(kin, model.frame("link3")), hand = pose(kin, model.frame("link6"));
  const auto q = quaternion(hand.R);
  const std::string frames =
      "ik examples/puma560.yaml --json --q 0.2,-0.3,0.5,0.1,0.4,-0.6 --frame link3 --target " +
      list({elbow.r.x, elbow.r.y, elbow.r.z}) + " --quaternion - --frame link6 --target " +
      list({hand.r.x, hand.r.y, hand.r.z}) + " --quaternion " + list({q.w, q.x, q.y, q.z});
  const Outcome o = run(frames + " --weight 1 --weight 2");
  ASSERT_EQ(o.code, 0) << o.err;
  const json found = json::parse(o.out);
  EXPECT_TRUE(found["success"]);
  EXPECT_LE(norm(reached(model, found, "link3").r - elbow.r), 1e-10);
  EXPECT_LE(norm(reached(model, found, "link6").r - hand.r), 1e-10);
  EXPECT_TRUE(found["frames"][0]["rotation_error"].is_null());

  // A four-bar whose crank and rocker are asked for angles that contradict each other: loops stay closed.
  const std::string bars =
      "ik examples/four_bar.yaml --json --frame crank --rpy 0,0.3,0 --frame rocker --rpy 0,0.1,0";
  EXPECT_EQ(run(bars).code, 1);
  const Outcome fit = run(bars + " --tolerance 1");
  ASSERT_EQ(fit.code, 0) << fit.err;
  const Model linkage = compile(read_mechanism("examples/four_bar.yaml"));
  Constraints constraints(linkage);
  PositionKinematics at(linkage);
  const std::vector<double> angles = json::parse(fit.out)["q"];
  forward_kinematics(linkage, Eigen::Map<const Eigen::VectorXd>(angles.data(), linkage.nq()), at);
  Vector Phi(constraints.constraint_count());
  constraints.constraint_error(at, Phi);
  EXPECT_LE(Phi.cwiseAbs().maxCoeff(), 1e-10);

  expect_bad_input("ik examples/puma560.yaml --frame link3 --target 0,0,1 --frame link6",
                   {"no target"});
  expect_bad_input(
      "ik examples/puma560.yaml --frame link3 --frame link6 --target 0,0,1 --target 0,0,1 --target "
      "0,0,2",
      {"--target is given 3 times for 2 frames"});
  expect_bad_input("ik examples/puma560.yaml --frame link3 --target 0,0,1 --weight -2",
                   {"weight -2"});
}

TEST_F(ProgramIk, bad_input_is_refused) {
  const std::string base = "ik examples/puma560.yaml --frame link6 ";
  expect_bad_input(base, {"there is no target", "--target x,y,z"});
  expect_bad_input(base + "--target 1,2", {"--target '1,2'", "three numbers"});
  expect_bad_input(base + "--target 1,2,nan", {"--target '1,2,nan'"});
  for (const char* degrees : {"180,0,0", "0,-90,0", "0,0,7"})
    expect_bad_input(base + "--rpy " + degrees, {"--rpy", "radians", "degrees"});
  expect_bad_input(base + "--target 1,,2", {"--target '1,,2'"});
  expect_bad_input(base + "--target 1,2,3,", {"--target '1,2,3,'"});
  expect_bad_input(base + "--quaternion 0,0,0,0", {"--quaternion", "no direction"});
  expect_bad_input(base + "--rpy 0,0,0 --quaternion 1,0,0,0", {"give one of them"});
  expect_bad_input(base + "--target 0,0,0 --q 1,2", {"--q '1,2'", "6 numbers"});
  expect_bad_input(base + "--target 0,0,0 --starts 0", {"starts is 0"});
  for (const char* starts :
       {"1e9", "1.5", "ten", "''", "' 5'", "5x", "0x5", "99999999999999999999"})
    expect_bad_input(base + "--target 0,0,0 --starts " + starts,
                     {"chasles ik: --starts '", "give a whole number in digits, up to 2147483647"});
  for (const char* seed : {"-1", "1e9", "18446744073709551616"})
    expect_bad_input(base + "--target 0,0,0 --seed " + seed, {"--seed '", "from 0 to 1844"});
  for (const char* tolerance : {"1,5", "''", "nan", "inf", "1e999", "small"})
    expect_bad_input(base + "--target 0,0,0 --tolerance " + tolerance,
                     {"--tolerance '", "give a finite number"});
  expect_bad_input(base + "--target 0,0,0 --starts 3 --starts 4", {"--starts is given more than"});
  expect_bad_input(base + "--target 0,0,0 --starts", {"--starts is without a value; give one"});
  expect_bad_input(base + "--target 0,0,0 -o ''", {"--output: the value is empty", "leave"});
  expect_bad_input(base + "--target ''", {"--target: the value is empty"});
  expect_bad_input("info ''", {"chasles info: MODEL: the value is empty; give one"});
  expect_bad_input(base + "--target 0,0,0 --tolerance -1", {"tolerance is -1"});
  expect_bad_input(base + "--target 0,0,0 -o q.txt", {"results are written as .json"});
  expect_bad_input("ik examples/puma560.yaml --frame lnik6 --target 0,0,0",
                   {"lnik6", "did you mean 'link6'"});
  expect_bad_input("ik examples/puma560.yaml --target 0,0,0", {"--frame is required"});
}

}  // namespace
}  // namespace chasles
