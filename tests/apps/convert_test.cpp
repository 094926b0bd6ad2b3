/// chasles convert to URDF; what is written is tested in tests/io, YAML in tests/house/program.bash.
#include <gtest/gtest.h>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/model/model.hpp"
#include "support/program.hpp"

namespace chasles {
namespace {

using ProgramConvert = Program;

TEST_F(ProgramConvert, writes_urdf_by_the_ending) {
  const fs::path out = folder / "rcm.urdf";
  const Outcome o = run("convert examples/rcm.yaml -o " + out.string());
  ASSERT_EQ(o.code, 0) << o.err;
  const Model from = compile(read_mechanism("examples/rcm.yaml")),
              to = compile(read_mechanism(out));
  EXPECT_EQ(from.nv(), to.nv());
  EXPECT_NEAR(from.mass(), to.mass(), 1e-12);
  for (const ModelJoint& joint : from.joints()) EXPECT_NO_THROW(to.joint(joint.name));
  // And back, and again: the same words.
  const fs::path again = folder / "again.urdf";
  ASSERT_EQ(run("convert " + out.string() + " -o " + again.string()).code, 0);
  EXPECT_EQ(compile(read_mechanism(again)).bodies().size(), to.bodies().size());
}

TEST_F(ProgramConvert, says_that_urdf_has_no_group) {
  const Outcome o = run("convert " +
                        write("g.yaml",
                              "chasles: 1\nbodies: [{name: drone, joint: {type: floating, group: "
                              "so3xr3}, inertia: {mass: 1, "
                              "com: [0, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}}]\n")
                            .string() +
                        " -o " + (folder / "g.urdf").string());
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.err.find("body 'drone': the group of its floating joint, so3xr3"), std::string::npos)
      << o.err;
}

TEST_F(ProgramConvert, says_what_urdf_cannot_say) {
  const fs::path falling =
      write("m.yaml", "chasles: 1\ngravity: [0, 0, -1.62]\nbodies: [{name: b}]\n");
  const Outcome o = run("convert " + falling.string() + " -o " + (folder / "m.urdf").string());
  EXPECT_EQ(o.code, 0);
  EXPECT_EQ(o.err, "warning: " + falling.string() +
                       ": URDF has no gravity: (0, 0, -1.62) is not written\n");
  const std::string out = " -o " + (folder / "x.urdf").string();
  expect_bad_input("convert examples/two_frame_arm.yaml" + out,
                   {"examples/two_frame_arm.yaml:7", "URDF has no spherical joint"});
  expect_bad_input("convert examples/rcm.yaml --describe body" + out,
                   {"URDF has one description; leave out --describe"});
  expect_bad_input("convert examples/rcm.yaml -o x.txt",
                   {"models are written as .yaml, .urdf, .mjcf (or .xml) and .sdf"});
  EXPECT_FALSE(fs::exists(folder / "x.urdf"));
}

TEST_F(ProgramConvert, writes_loops_in_every_format) {
  for (const char* ending : {".urdf", ".mjcf", ".xml", ".sdf", ".yaml"}) {
    const std::string out = (folder / "loop").string() + ending;
    const Outcome o = run("convert examples/four_bar.yaml -o " + out);
    EXPECT_EQ(o.code, 0) << o.err;
    EXPECT_NE(run("info " + out).out.find("closed loops: 1 degree of freedom left of 3"),
              std::string::npos)
        << ending;
  }
}

/// A URDF with loop_closures.yaml beside it is the mechanism that was written; what that file cannot say stays an element.
TEST_F(ProgramConvert, writes_loop_closures) {
  const fs::path out = folder / "bar.urdf", closures = folder / "loop_closures.yaml";
  const Outcome o = run("convert examples/four_bar.yaml --loop-closures -o " + out.string());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(text(out).find("<constraint"), std::string::npos);
  EXPECT_NE(text(closures).find("closures:"), std::string::npos);
  EXPECT_NE(run("info " + out.string()).out.find("closed loops: 1 degree of freedom left of 3"),
            std::string::npos);
  const Mechanism given = read_mechanism("examples/four_bar.yaml"), again = read_mechanism(out);
  ASSERT_EQ(again.loops.size(), 1u);
  const Model a = compile(given), b = compile(again);
  const auto axis = [](const Model& model) {  // of the loop, in the world at q = 0
    PositionKinematics kin(model);
    forward_kinematics(model, model.neutral(), kin);
    return pose(kin, model.loops()[0].from);
  };
  const SE3 from = axis(a), to = axis(b);
  EXPECT_LT(norm(cross(from.R.matrix().c2, to.R.matrix().c2)), 1e-15);
  EXPECT_LT(norm(cross(to.r - from.r, to.R.matrix().c2)), 1e-14);
  fs::remove(closures);
  Mechanism ball = given;
  ball.loops[0].type = JointType::spherical;
  const Outcome kept = run("convert " + write("ball.yaml", write_yaml(ball)).string() +
                           " --loop-closures -o " + out.string());
  EXPECT_NE(kept.err.find("is written as <constraint>"), std::string::npos) << kept.err;
  EXPECT_NE(text(out).find("<constraint"), std::string::npos);
  expect_bad_input(
      "convert examples/four_bar.yaml --loop-closures -o " + (folder / "bar.sdf").string(),
      {"--loop-closures", "give -o MODEL.urdf"});
}

TEST_F(ProgramConvert, reads_one_model_of_several) {
  const std::string link = "<static>1</static><link name='l'><inertial/></link>";
  const std::string world =
      write("w.sdf", "<sdf version='1.9'><world name='w'><model name='a'>" + link +
                         "</model><model name='b'>" + link + "</model></world></sdf>")
          .string();
  EXPECT_NE(run("info " + world).out.find("a::l: fixed"), std::string::npos);
  EXPECT_NE(run("info --model b " + world).out.find("- l: fixed"), std::string::npos);
  expect_bad_input("info --model c " + world, {"there is no model 'c'"});
  expect_bad_input("info --package x " + world, {"--package 'x' is not NAME=FOLDER"});
}

}  // namespace
}  // namespace chasles
