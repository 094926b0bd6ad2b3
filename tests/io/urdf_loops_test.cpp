/// Loops of URDF files: <constraint> elements and loop_closures.yaml; chains of mimic joints; packages.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/constraints.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "support/errors.hpp"

namespace urdf_loops_test {

using namespace chasles;
namespace fs = std::filesystem;

/// Crank, coupler and rocker of a parallelogram with sides 1 and 2.
const std::string bars =
    R"(<robot name="four_bar"><link name="base"/><link name="crank"/><link name="coupler"/><link name="rocker"/>
  <joint name="j1" type="continuous"><parent link="base"/><child link="crank"/><axis xyz="0 0 1"/></joint>
  <joint name="j2" type="continuous"><parent link="crank"/><child link="coupler"/><origin xyz="0 1 0"/><axis xyz="0 0 1"/></joint>
  <joint name="j3" type="continuous"><parent link="base"/><child link="rocker"/><origin xyz="2 0 0"/><axis xyz="0 0 1"/>MIMIC</joint>
)";
std::string four_bar(const std::string& inside, const std::string& mimic = "") {
  std::string text = bars;
  text.replace(text.find("MIMIC"), 5, mimic);
  return text + inside + "</robot>";
}
std::string constraint(const std::string& type, const std::string& parent_axis,
                       const std::string& child_axis) {
  return "<constraint name='closure' type='" + type +
         "'><parent link='coupler'/><parent_origin xyz='2 0 0' rpy='0 0 0'/>" + parent_axis +
         "<child link='rocker'/><child_origin xyz='0 1 0'/>" + child_axis + "</constraint>";
}
const std::string z = "<parent_axis xyz='0 0 1'/>", z_child = "<child_axis xyz='0 0 1'/>";

/// The constraint error where the opposite sides are parallel, and where they are not.
struct Errors {
  double closed, open;
};
Errors errors_of(const Mechanism& m) {
  const Model model = compile(m);
  Constraints constraints(model);
  PositionKinematics kin(model);
  const auto error = [&](double crank, double coupler, double rocker) {
    Vector q(3), Phi(constraints.constraint_count());
    q[model.joint("j1").q_index] = crank, q[model.joint("j2").q_index] = coupler;
    q[model.joint("j3").q_index] = rocker;
    forward_kinematics(model, q, kin);
    constraints.constraint_error(kin, Phi);
    return Phi.cwiseAbs().maxCoeff();
  };
  return {error(0.4, -0.4, 0.4), error(0.4, -0.3, 0.4)};
}

TEST(UrdfLoops, constraints_are_loops) {
  for (const std::string& text : {constraint("revolute", z, z_child), constraint("Revolute", z, ""),
                                  constraint("spherical", "", "")}) {
    std::vector<std::string> warnings;
    const Mechanism m = read_urdf(four_bar(text), "r.urdf", {false, &warnings});
    EXPECT_EQ(warnings, std::vector<std::string>{});
    ASSERT_EQ(m.loops.size(), 1u);
    const Errors errors = errors_of(m);
    EXPECT_LT(errors.closed, 1e-15);
    EXPECT_GT(errors.open, 0.1);
  }
  EXPECT_EQ(read_urdf(four_bar(constraint("link", "", "")), "r.urdf").loops[0].type,
            JointType::fixed);
  // Axes that differ in the two frames: the child's frame is rolled by a right angle.
  const Mechanism rolled = read_urdf(
      four_bar("<constraint name='c' type='revolute'><parent link='coupler'/>"
               "<parent_origin xyz='2 0 0'/><parent_axis xyz='0 0 2'/><child link='rocker'/>"
               "<child_origin xyz='0 1 0' rpy='1.5707963267948966 0 0'/>"
               "<child_axis xyz='0 1 0'/></constraint>"),
      "r.urdf");
  EXPECT_LT(errors_of(rolled).closed, 1e-15);
  EXPECT_GT(errors_of(rolled).open, 0.1);
  // A universal joint with axes z and x: at any angles of these it is closed.
  const Mechanism cross =
      read_urdf(four_bar(constraint("universal", z, "<child_axis xyz='1 0 0'/>")), "r.urdf");
  EXPECT_LT(errors_of(cross).closed, 1e-15);
  const Model model = compile(cross);
  Constraints constraints(model);
  EXPECT_EQ(constraints.constraint_count(), 4);
}

TEST(UrdfLoops, bad_constraints_are_refused_by_line) {
  const auto read = [](const std::string& text) { return read_urdf(four_bar(text), "r.urdf"); };
  EXPECT_SAYS(read(constraint("revolut", z, "")),
              "r.urdf:5: constraint 'closure': type 'revolut' is not a constraint of URDF; did you "
              "mean 'revolute'?");
  EXPECT_SAYS(read(constraint("revolute", "", "")), "has no <parent_axis> element");
  EXPECT_SAYS(read(constraint("universal", z, "")), "a universal joint has two axes");
  EXPECT_SAYS(read(constraint("prismatic", z, "<child_axis xyz='1 0 0'/>")),
              "the axes of a prismatic constraint differ");
  EXPECT_SAYS(read("<constraint name='c' type='link'><parent link='couple'/><child "
                   "link='rocker'/></constraint>"),
              "the parent link 'couple' does not exist; did you mean 'coupler'?");
  EXPECT_SAYS(read("<constraint type='link'/>"), "a constraint: the attribute name");
}

class LoopFiles : public testing::Test {
 protected:
  LoopFiles() : folder(fs::temp_directory_path() / ("chasles_urdf_" + std::to_string(::getpid()))) {
    fs::remove_all(folder);
    fs::create_directories(folder / "urdf");
    fs::create_directories(folder / "config");
  }
  ~LoopFiles() override { fs::remove_all(folder); }
  void write(const fs::path& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
  }
  const fs::path folder;
};

TEST_F(LoopFiles, loop_closures_beside_the_model_are_read) {
  const std::string closures =
      "closures:\n- {link_a: coupler, link_b: rocker, point: [2.0, 1.0, 0.0], axis: [0.0, 0.0, "
      "1.0]}\n"
      "dependent: [j2, j3]\nindependent: [j1]\n";
  write("urdf/r.urdf", four_bar("", "<mimic joint='j1' multiplier='0.9'/>"));
  for (const char* place : {"urdf/loop_closures.yaml", "config/loop_closures.yaml"}) {
    write(place, closures);
    std::vector<std::string> warnings;
    const Mechanism m = read_mechanism(folder / "urdf/r.urdf", {false, &warnings});
    ASSERT_EQ(m.loops.size(), 1u) << place;
    EXPECT_LT(errors_of(m).closed, 1e-15);
    EXPECT_GT(errors_of(m).open, 0.1);
    ASSERT_EQ(warnings.size(), 1u);  // the mimic is not the loop
    EXPECT_NE(warnings[0].find("joint 'j3' follows from the loop; its mimic"), std::string::npos);
    fs::remove(folder / place);
  }
  write("urdf/loop_closures.yaml",
        "closures: [{link_a: x, link_b: rocker, point: [0, 0, 0], axis: [0, 0, 1]}]");
  std::vector<std::string> warnings;
  EXPECT_TRUE(read_mechanism(folder / "urdf/r.urdf", {false, &warnings}).loops.empty());
  EXPECT_NE(warnings.at(0).find("it names a link 'x'"), std::string::npos);
  write("urdf/loop_closures.yaml", "closure: []");
  EXPECT_SAYS(read_mechanism(folder / "urdf/r.urdf"), "loop_closures.yaml:1",
              "did you mean 'closures'?");
}

TEST_F(LoopFiles, meshes_are_found_in_packages) {
  fs::create_directories(folder / "arm/meshes");
  write("arm/meshes/a.stl", "solid");
  write("urdf/r.urdf",
        "<robot name='r'><link name='a'><visual><geometry><mesh "
        "filename='package://arm/meshes/a.stl'/>"
        "</geometry></visual></link></robot>");
  const auto mesh = [&](const ReadOptions& options) {
    return read_mechanism(folder / "urdf/r.urdf", options).appearance.shapes.at("a").at(0).mesh;
  };
  ReadOptions options;
  options.appearance = true;
  EXPECT_TRUE(fs::equivalent(mesh(options), folder / "arm/meshes/a.stl"));  // above the model
  fs::rename(folder / "arm", folder / "elsewhere");
  fs::create_directories(folder / "library/share");
  EXPECT_FALSE(fs::exists(mesh(options)));
  options.packages = {{"arm", folder / "elsewhere"}};
  EXPECT_TRUE(fs::exists(mesh(options)));
  options.packages.clear();
  fs::rename(folder / "elsewhere", folder / "library/arm");
  setenv("ROS_PACKAGE_PATH", (folder / "library").c_str(), 1);
  EXPECT_TRUE(fs::exists(mesh(options)));
  setenv("ROS_PACKAGE_PATH", (folder / "library/arm").c_str(), 1);
  EXPECT_TRUE(fs::exists(mesh(options)));
  unsetenv("ROS_PACKAGE_PATH");
  fs::rename(folder / "library/arm", folder / "library/share/arm");
  EXPECT_FALSE(fs::exists(mesh(options)));
  setenv("AMENT_PREFIX_PATH", (folder / "library").c_str(), 1);
  EXPECT_TRUE(fs::exists(mesh(options)));
  unsetenv("AMENT_PREFIX_PATH");
}

/// A stand-in for the program xacro, first in PATH: what it writes is read, and its failures are passed on.
TEST_F(LoopFiles, xacro_is_expanded_by_its_program) {
  const std::string before = std::getenv("PATH");
  const auto with_program = [&](const std::string& script) {
    write("xacro", "#!/bin/sh\n" + script + "\n");
    fs::permissions(folder / "xacro", fs::perms::owner_all);
    setenv("PATH", (folder.string() + ":" + before).c_str(), 1);
    std::string message = "read";
    try {
      EXPECT_EQ(read_mechanism(folder / "r; touch x.xacro").bodies.at(0).name, "a");
    } catch (const Error& error) {
      message = error.what();
    }
    setenv("PATH", before.c_str(), 1);
    return message;
  };
  write("r; touch x.xacro", "<robot xmlns:xacro='http://ros.org/wiki/xacro' name='r'/>");
  // The name of the file is one argument, and no shell sees it.
  EXPECT_EQ(with_program("test -f \"$1\" && echo \"<robot name='r'><link name='a'/></robot>\""),
            "read");
  EXPECT_NE(with_program("echo no such macro >&2; exit 2").find("xacro fails: no such macro"),
            std::string::npos);
  EXPECT_NE(with_program("head -c 20000000 /dev/zero").find("xacro writes more than 16 MB"),
            std::string::npos);
  setenv("PATH", folder.c_str(), 1);
  fs::remove(folder / "xacro");
  EXPECT_SAYS(read_mechanism(folder / "r; touch x.xacro"), "the program xacro is not installed");
  setenv("PATH", before.c_str(), 1);
}

/// j3 = 2 j2 - 0.1 and j2 = 3 j1 + 0.5 hold together.
TEST(UrdfLoops, mimic_joints_may_follow_mimic_joints) {
  std::string text = bars;
  text.replace(text.find("MIMIC"), 5, "<mimic joint='j2' multiplier='2' offset='-0.1'/>");
  const std::string mark = "<origin xyz=\"0 1 0\"/><axis xyz=\"0 0 1\"/>";
  text.insert(text.find(mark) + mark.size(), "<mimic joint='j1' multiplier='3' offset='0.5'/>");
  const Mechanism m = read_urdf(text + "</robot>", "r.urdf");
  const Model model = compile(m);
  Constraints constraints(model);
  EXPECT_EQ(constraints.constraint_count(), 2);
  PositionKinematics kin(model);
  Vector q(3), Phi(2);
  q[model.joint("j1").q_index] = 0.2, q[model.joint("j2").q_index] = 1.1;
  q[model.joint("j3").q_index] = 2.1;
  forward_kinematics(model, q, kin);
  constraints.constraint_error(kin, Phi);
  EXPECT_LT(Phi.cwiseAbs().maxCoeff(), 1e-15);
  EXPECT_EQ(analyze(constraints, q).mobility, 1);
  // A joint that follows a missing one is independent, with a warning.
  std::vector<std::string> warnings;
  const Mechanism lone =
      read_urdf(four_bar("", "<mimic joint='j9'/>"), "r.urdf", {false, &warnings});
  EXPECT_FALSE(lone.bodies.at(static_cast<std::size_t>(find_body(lone, "rocker"))).joint.mimic);
  EXPECT_NE(warnings.at(0).find("mimics the joint 'j9', which does not exist"), std::string::npos);
}

TEST(UrdfLoops, reductions_of_transmissions_are_in_the_armature) {
  const auto armature = [](const std::string& of_joint, const std::string& of_actuator) {
    const Mechanism m =
        read_urdf(four_bar("<transmission name='t'><joint name='j2'>" + of_joint +
                           "</joint><actuator name='m'>" + "<drake:rotor_inertia value='1e-4'/>" +
                           of_actuator + "</actuator></transmission>"),
                  "r.urdf");
    return m.bodies.at(static_cast<std::size_t>(find_body(m, "coupler"))).joint.armature;
  };
  const std::string reduction = "<mechanicalReduction>50</mechanicalReduction>";
  EXPECT_DOUBLE_EQ(armature("", ""), 1e-4);
  EXPECT_DOUBLE_EQ(armature("", reduction), 2500e-4);
  EXPECT_DOUBLE_EQ(armature(reduction, ""), 2500e-4);
  EXPECT_DOUBLE_EQ(armature("", reduction + "<drake:gear_ratio value='7'/>"), 49e-4);
}

}  // namespace urdf_loops_test
