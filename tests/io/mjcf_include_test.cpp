/// MJCF: included files, compared with the same model in one file, bit for bit; which files are read, and which are
/// refused by name and line.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/model/model.hpp"
#include "support/errors.hpp"

namespace mjcf_include_test {

using namespace chasles;
namespace fs = std::filesystem;

class MjcfInclude : public ::testing::Test {
 protected:
  fs::path top = fs::temp_directory_path() / ("chasles_include_test_" + std::to_string(getpid()));
  fs::path folder = top / "model";
  std::vector<std::string> warnings;
  void SetUp() override { fs::create_directories(folder / "parts"); }
  void TearDown() override { fs::remove_all(top); }

  fs::path write(const std::string& name, const std::string& content) const {
    std::ofstream(folder / name) << content;
    return folder / name;
  }
  Mechanism read(const std::string& main, bool allow_outside = false) {
    warnings.clear();
    return read_mechanism(write("m.xml", main),
                          {.warnings = &warnings, .allow_outside = allow_outside});
  }
  /// The text of a mechanism, to compare two.
  std::string yaml(const std::string& main) { return write_yaml(read(main)); }
};

const std::string leg =
    R"(<body name="leg" pos="0 0.1 0.7"><joint name="hip" class="strong" range="-30 40"/>
<geom type="capsule" size="0.03" fromto="0 0 0 0 0 -0.3"/></body>)";
const std::string defaults =
    R"(<default><joint axis="0 1 0"/><default class="strong"><joint damping="0.3"/>
</default></default>)";
const std::string arm =
    R"(<body name="arm"><joint name="elbow"/><geom size="0.1" mass="2"/></body>)";

TEST_F(MjcfInclude, included_files_equal_the_model_in_one_file) {
  write("parts/leg.xml", "<mujocoinclude>\n" + leg + "</mujocoinclude>");
  write("parts/bodies.xml", "<mujoco model='other'><worldbody><include file='parts/leg.xml'/>" +
                                arm + "</worldbody></mujoco>");
  write("defaults.xml", "<anything>" + defaults + "<compiler angle='radian'/></anything>");
  const std::string last =
      "<worldbody><body name='last'><freejoint/><geom size='1'/></body></worldbody>";
  const std::string split =
      "<mujoco model='m'><compiler angle='degree'/><include file='defaults.xml'/>"
      "<include file='parts/bodies.xml'/>" +
      last + "</mujoco>";
  const std::string flat = "<mujoco model='m'><compiler angle='degree'/>" + defaults +
                           "<compiler angle='radian'/><worldbody>" + leg + arm + "</worldbody>" +
                           last + "</mujoco>";
  // The last <compiler> holds for the whole model; the name is that of the main file.
  EXPECT_EQ(yaml(split), yaml(flat));
  EXPECT_EQ(read(split).bodies[0].joint.limits->upper, 40);
  EXPECT_EQ(warnings, std::vector<std::string>{});
}

TEST_F(MjcfInclude, files_are_looked_for_in_the_main_folder_then_beside_the_file) {
  write("parts/leg.xml", "<mujocoinclude>" + leg + "</mujocoinclude>");
  write("parts/near.xml", "<mujocoinclude><worldbody><include file='leg.xml'/></worldbody>" +
                              defaults + "</mujocoinclude>");
  const std::string main = "<mujoco><include file='parts/near.xml'/></mujoco>";
  EXPECT_EQ(read(main).bodies[0].name, "leg");
  write("leg.xml", "<mujocoinclude><body name='main_leg'/></mujocoinclude>");
  EXPECT_EQ(read(main).bodies[0].name, "main_leg");
}

TEST_F(MjcfInclude, includes_in_a_row_keep_their_order) {
  for (const char* name : {"a", "b", "c", "d"})
    write(std::string(name) + ".xml", "<i><body name='" + std::string(name) + "'/></i>");
  write("ab.xml", "<i><include file='a.xml'/><include file='b.xml'/><body name='x'/></i>");
  write("cd.xml", "<i><body name='y'/><include file='c.xml'/><include file='d.xml'/></i>");
  const Mechanism m = read(
      "<mujoco><worldbody><include file='ab.xml'/><body name='z'/><include "
      "file='cd.xml'/></worldbody></mujoco>");
  std::string order;
  for (const Body& body : m.bodies) order += body.name;
  EXPECT_EQ(order, "abxzycd");
}

TEST_F(MjcfInclude, messages_name_the_included_file_and_its_line) {
  const std::string file = write("part.xml",
                                 "<i>\n\n<body name='b'><joint dmaping='1'/>\n"
                                 "<joint type='hing'/></body></i>")
                               .string();
  const std::string main = "<mujoco><worldbody><include file='part.xml'/></worldbody></mujoco>";
  EXPECT_SAYS(read(main), file + ":4: joint 'b_joint_'", "did you mean 'hinge'?");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0].rfind(file + ":3: ", 0), 0u) << warnings[0];
  write("part.xml", "<i><body></i>");
  EXPECT_SAYS(read(main), file + ":1: not XML");
  write("part.xml", "");
  EXPECT_SAYS(read(main), "part.xml", "is empty");
}

TEST_F(MjcfInclude, files_that_cannot_be_included_are_refused) {
  const auto with = [](const std::string& file) {
    return "<mujoco>\n<include file='" + file + "'/></mujoco>";
  };
  const std::string line = (folder / "m.xml").string() + ":2: include: ";
  EXPECT_SAYS(read(with("none.xml")), line + "there is no file", "none.xml",
              "relative to the folder of the main file");
  EXPECT_SAYS(read(with("parts")), "parts");
  EXPECT_SAYS(read("<mujoco>\n<include/></mujoco>"),
              line + "the attribute file of <include> is missing");
  write("a.xml", "<i><body name='a'/></i>");
  EXPECT_SAYS(read("<mujoco>\n<include file='a.xml'><b/></include></mujoco>"), line,
              "has elements in it");
  // Cycles, and files that are included twice, also by another spelling.
  EXPECT_SAYS(read(with("m.xml")), line, "is included twice, or includes itself");
  write("a.xml", "<i>\n\n<include file='b.xml'/></i>");
  write("b.xml", "<i><include file='./parts/../a.xml'/></i>");
  EXPECT_SAYS(read(with("a.xml")), (folder / "b.xml").string() + ":1", "is included twice");
  // A text without a folder.
  EXPECT_SAYS(read_mjcf(with("a.xml"), "stdin"), "stdin:2: include", "comes from no folder",
              "give the model by the path");
}

TEST_F(MjcfInclude, files_outside_of_the_folder_are_read_if_allowed) {
  const fs::path outside = top / "outside.xml";
  std::ofstream(outside) << "<i><worldbody><body name='out'/></worldbody></i>";
  for (const std::string& file :
       {std::string("../outside.xml"), std::string("parts/../../outside.xml"), outside.string(),
        (folder / "m.xml").string()})
    EXPECT_SAYS(read("<mujoco><include file='" + file + "'/></mujoco>"),
                "is outside of the model's folder", "--allow-outside");
  for (const std::string& file : {std::string("../outside.xml"), outside.string()})
    EXPECT_EQ(read("<mujoco><include file='" + file + "'/></mujoco>", true).bodies[0].name, "out");
  // The same from a path without a folder: that of the process.
  const fs::path before = fs::current_path();
  fs::current_path(folder);
  write("m.xml", "<mujoco><include file='../outside.xml'/></mujoco>");
  EXPECT_SAYS(read_mechanism("m.xml"), "is outside of the model's folder");
  write("in.xml", "<i><worldbody><body name='in'/></worldbody></i>");
  write("m.xml", "<mujoco><include file='in.xml'/></mujoco>");
  EXPECT_EQ(read_mechanism("m.xml").bodies[0].name, "in");
  fs::current_path(before);
}

TEST_F(MjcfInclude, nesting_and_size_are_bounded_across_files) {
  std::string open, close;
  for (int i = 0; i < 40; ++i) open += "<body>", close += "</body>";
  write("deep.xml", "<i>" + open + close + "</i>");
  EXPECT_SAYS(read("<mujoco><worldbody>" + open + "<include file='deep.xml'/>" + close +
                   "</worldbody></mujoco>"),
              "nested deeper than 64 elements, with its includes");
  const std::string comment = "<!--" + std::string(std::size_t{9} << 20, 'x') + "-->";
  write("big1.xml", "<i>" + comment + "<body name='a'/></i>");
  write("big2.xml", "<i>" + comment + "<body name='b'/></i>");
  EXPECT_SAYS(read("<mujoco><worldbody><include file='big1.xml'/><include file='big2.xml'/>"
                   "</worldbody></mujoco>"),
              "larger than 16 MB together");
}

/// A class takes what its parent has when the class is defined, in a section before or after.
TEST_F(MjcfInclude, sections_of_defaults_are_merged_as_they_come) {
  write("robot.xml",
        "<i><default><joint damping='1'/><default class='c'><joint frictionloss='2'/></default>"
        "</default></i>");
  const Mechanism m = read(
      "<mujoco><include file='robot.xml'/><default><joint damping='5'/><default "
      "class='d'/></default>"
      "<default><default class='c'><joint axis='1 0 0'/></default></default><worldbody>"
      "<body name='a'><joint/></body><body name='b'><joint class='c'/></body><body name='e'><joint "
      "class='d'/></body></worldbody></mujoco>");
  EXPECT_EQ(m.bodies[0].joint.dynamics.damping, 5);
  EXPECT_EQ(m.bodies[1].joint.dynamics.damping, 1);
  EXPECT_EQ(m.bodies[1].joint.dynamics.friction, 2);
  EXPECT_EQ(std::get<AxisGeometry>(m.bodies[1].joint.geometry).axis, (Vec3{1, 0, 0}));
  EXPECT_EQ(m.bodies[2].joint.dynamics.damping, 5);
}

}  // namespace mjcf_include_test
