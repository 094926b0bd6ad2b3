/// Nested and included models of SDF, worlds, gearboxes, and loops whose joints have limits. Expected poses are
/// products of the poses in the file.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/constraints.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace sdf_nested_test {

using namespace chasles;
namespace fs = std::filesystem;

const std::string inertial =
    "<inertial><mass>2</mass><inertia><ixx>0.1</ixx><iyy>0.1</iyy><izz>0.1</izz></inertia></"
    "inertial>";
std::string link(const std::string& name, const std::string& inside = "") {
  return "<link name='" + name + "'>" + inside + inertial + "</link>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& inside = "") {
  return "<joint name='" + name + "' type='" + type + "'><parent>" + parent + "</parent><child>" +
         child + "</child><axis><xyz>0 0 1</xyz>" + inside + "</axis></joint>";
}
std::string sdf(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version='" + version + "'>" + inside + "</sdf>";
}
SE3 pose_of(const Model& model, const std::string& name) {
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  return pose(kin, model.frame(name));
}
SE3 turned(double x, double y, double z, double yaw) { return {exp(Vec3{0, 0, yaw}), {x, y, z}}; }

/// A folder with files, that is deleted at the end.
class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("chasles_sdf_" + std::to_string(::getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  void write(const std::string& name, const std::string& text) const {
    fs::create_directories((path_ / name).parent_path());
    std::ofstream(path_ / name) << text;
  }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};
/// An environment variable, until the end.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    setenv(name, value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(SdfNested, names_and_poses_are_those_of_the_tree_of_models) {
  const Mechanism m = read_sdf(
      sdf("<model name='outer'><pose>1 0 0 0 0 0.5</pose>" + link("base") +
          "<frame name='f' attached_to='inner::deep::tip'><pose relative_to='inner'>0 0 1 0 0 "
          "0</pose></frame>"
          "<model name='inner'><pose relative_to='base'>0 2 0 0 0 0.25</pose>" +
          link("arm", "<pose>0 0 3 0 0 0</pose>") +
          "<model name='deep' placement_frame='grip'><pose relative_to='arm'>4 0 0 0 0 0</pose>" +
          link("tip", "<pose>0 0 0.5 0 0 0</pose>") +
          "<frame name='grip' attached_to='tip'><pose>0.1 0 0 0 0 0.75</pose></frame></model>" +
          joint("wrist", "revolute", "arm", "deep::tip", "<limit><lower>-1</lower></limit>") +
          "</model>" + joint("shoulder", "revolute", "base", "inner::arm") +
          joint("copy", "prismatic", "world", "base",
                "<mimic joint='inner::wrist' axis='axis'><multiplier>2</multiplier></mimic>") +
          "</model>"),
      "m.sdf");
  const Model model = compile(m);
  ASSERT_EQ(model.nv(), 3);
  const SE3 outer = turned(1, 0, 0, 0.5), inner = outer * turned(0, 2, 0, 0.25),
            arm = inner * turned(0, 0, 3, 0),
            deep =
                arm * turned(4, 0, 0, 0) * inverse(turned(0, 0, 0.5, 0) * turned(0.1, 0, 0, 0.75));
  EXPECT_CLOSE(pose_of(model, "base"), outer, 1e-15);
  EXPECT_CLOSE(pose_of(model, "inner::arm"), arm, 1e-15);
  EXPECT_CLOSE(pose_of(model, "inner::deep::tip"), (deep * turned(0, 0, 0.5, 0)), 1e-15);
  EXPECT_CLOSE(pose_of(model, "inner::deep::grip"), (arm * turned(4, 0, 0, 0)), 1e-15);
  EXPECT_CLOSE(pose_of(model, "f"), (inner * turned(0, 0, 1, 0)), 1e-15);
  EXPECT_EQ(m.frames.back().body, "inner::deep::tip");
  EXPECT_EQ(model.joint("inner::wrist").limits->lower, -1);
  EXPECT_EQ(model.joint("copy").mimic->joint, "inner::wrist");
  EXPECT_CLOSE(model.joint("inner::wrist").Y[0].w, (Vec3{0, 0, 1}), 1e-15);
  // The joint sits at its child, so its axis passes through the tip.
  const Vec3 r = pose_of(model, "inner::deep::tip").r;
  EXPECT_CLOSE(model.joint("inner::wrist").Y[0].v, cross(r, Vec3{0, 0, 1}), 1e-14);
}

/// The same robot as one model, nested, included and merged: masses, poses and M agree.
TEST(SdfNested, included_and_merged_models_are_the_same_robot) {
  const Folder folder;
  const std::string arm = "<pose>0 0 9 0 0 0</pose>" + link("upper") +
                          link("lower", "<pose>1 0 0 0 0 0.3</pose>") +
                          "<frame name='root'><pose>0.5 0 0 0 0 1</pose></frame>" +
                          joint("elbow", "revolute", "upper", "lower");
  folder.write("arm/model.config",
               "<model><sdf version='1.4'>old.sdf</sdf><sdf version='1.9'>new.sdf</sdf><sdf "
               "version='1.99'>future.sdf</sdf></model>");
  folder.write("arm/new.sdf", sdf("<model name='arm'>" + arm + "</model>"));
  const std::string base = link("base") + joint("hold", "fixed", "world", "base");
  const std::string place = "<pose relative_to='base'>0 0 1 0 0 0.2</pose>";
  const auto include = [&](const std::string& merge, const std::string& tip) {
    return sdf("<model name='robot'>" + base + "<include " + merge +
               "><uri>model://arm</uri><name>left</name>" + place +
               "<placement_frame>root</placement_frame></include>" +
               joint("shoulder", "revolute", "base", tip) + "</model>");
  };
  folder.write("nested.sdf", include("", "left::upper"));
  folder.write("merged.sdf", include("merge='true'", "upper"));
  const SE3 A = turned(0, 0, 1, 0.2) * inverse(turned(0.5, 0, 0, 1));
  const Model nested = compile(read_mechanism(folder / "nested.sdf")),
              merged = compile(read_mechanism(folder / "merged.sdf"));
  EXPECT_CLOSE(pose_of(nested, "left::lower"), (A * turned(1, 0, 0, 0.3)), 1e-15);
  EXPECT_CLOSE(pose_of(merged, "lower"), (A * turned(1, 0, 0, 0.3)), 1e-15);
  EXPECT_CLOSE(pose_of(merged, "root"), turned(0, 0, 1, 0.2), 1e-15);
  const Eigen::VectorXd q = Eigen::Vector2d(0.4, -0.7);
  ASSERT_EQ(nested.nv(), 2);
  ASSERT_EQ(merged.nv(), 2);
  MassMatrix a(nested), b(merged);
  EXPECT_LT((mass_matrix(nested, q, a) - mass_matrix(merged, q, b)).norm(), 1e-15);
}

TEST(SdfNested, models_are_found_by_variables_beside_the_file_and_above_it) {
  const Folder folder;
  const std::string model = sdf("<model name='box'>" + link("a") + "</model>");
  const std::string main = sdf("<world name='w'><include><uri>model://box</uri></include></world>");
  folder.write("some/where/main.sdf", main);
  EXPECT_SAYS(read_mechanism(folder / "some/where/main.sdf"),
              "main.sdf:1: include: there is no model 'model://box' in the folders of SDF_PATH");
  folder.write("library/box/model.sdf", model);
  for (const char* name :
       {"SDF_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "GAZEBO_MODEL_PATH"}) {
    const Variable variable(name, "/nowhere::" + (folder / "library").string());
    EXPECT_EQ(read_mechanism(folder / "some/where/main.sdf").bodies.at(0).name, "a") << name;
    EXPECT_EQ(read_sdf(main, "text").bodies.size(), 1u);  // a text without a folder
  }
  EXPECT_SAYS(read_sdf(main, "text"), "GAZEBO_MODEL_PATH; set SDF_PATH");
  folder.write("box/model.sdf", model);
  EXPECT_EQ(read_mechanism(folder / "some/where/main.sdf").bodies.size(), 1u);
}

TEST(SdfNested, files_that_cannot_be_included_are_named) {
  const Folder folder;
  const auto including = [&](const std::string& uri, const ReadOptions& options = {}) {
    folder.write("in/main.sdf", sdf("<model name='m'>\n" + link("a") + "<include><uri>" + uri +
                                    "</uri></include></model>"));
    return read_mechanism(folder / "in/main.sdf", options);
  };
  folder.write("in/self.sdf",
               sdf("<model name='s'><include><uri>self.sdf</uri></include></model>"));
  folder.write("in/one.sdf", sdf("<model name='o'><include><uri>two.sdf</uri></include></model>"));
  folder.write("in/two.sdf", sdf("<model name='t'><include><uri>one.sdf</uri></include></model>"));
  folder.write("in/robot.urdf", "<robot name='r'><link name='l'/></robot>");
  folder.write("in/world.sdf", sdf("<world name='w'/>"));
  folder.write("in/pair.sdf", sdf("<model name='a'/><model name='b'/>"));
  folder.write(
      "in/bad.sdf",
      sdf("<model name='b'>\n<link name='l'><inertial><mass>x</mass></inertial></link></model>"));
  folder.write("out.sdf", sdf("<model name='o'>" + link("l") + "</model>"));
  EXPECT_SAYS(including("self.sdf"), "includes itself");
  EXPECT_SAYS(including("one.sdf"), "one.sdf' includes itself, by way of others");
  EXPECT_SAYS(including("robot.urdf"), "is URDF; convert it: chasles convert");
  EXPECT_SAYS(including("world.sdf"), "is a world; include a model");
  EXPECT_SAYS(including("pair.sdf"), "has several models");
  EXPECT_SAYS(including("bad.sdf"), "bad.sdf:2: link 'l': <mass>: 'x' is not a finite number");
  EXPECT_SAYS(including("https://example.org/box"), "is on the network, which is not read");
  EXPECT_SAYS(including("missing.sdf"), "main.sdf:2: include: there is no model 'missing.sdf'");
  EXPECT_SAYS(including("package://none/x.sdf"), "--package NAME=FOLDER");
  for (const char* uri : {"../out.sdf", "file://../out.sdf"})
    EXPECT_SAYS(including(uri), "lies outside of the folder of the model");
  EXPECT_SAYS(including("model://../out.sdf"), "there is no model");
  EXPECT_SAYS(including("model://etc/passwd"), "does not end in .sdf");  // in a folder above
  EXPECT_SAYS(including((folder / "out.sdf").string()), "lies outside");
  ReadOptions allowed;
  allowed.allow_outside = true;
  EXPECT_EQ(including("../out.sdf", allowed).bodies.at(1).name, "o::l");
  ReadOptions packages;
  packages.packages.emplace_back("mine", folder / "");
  EXPECT_EQ(including("package://mine/out.sdf", packages).bodies.at(1).name, "o::l");
}

TEST(SdfNested, depth_and_number_of_models_are_bounded) {
  std::string deep = link("a");
  for (int i = 0; i < 30; ++i) deep = "<model name='n'>" + deep + "</model>";
  EXPECT_EQ(read_sdf(sdf(deep), "m.sdf").bodies.size(), 1u);
  for (int i = 0; i < 10; ++i) deep = "<model name='n'>" + deep + "</model>";
  EXPECT_SAYS(read_sdf(sdf(deep), "m.sdf"), "nested deeper than 32 levels");
  // Each file includes the next one ten times: 1e9 models in the end.
  const Folder folder;
  for (int i = 0; i < 9; ++i) {
    std::string inside = link("a");
    for (int k = 0; k < 10; ++k)
      inside += "<include><uri>f" + std::to_string(i + 1) + ".sdf</uri><name>n" +
                std::to_string(k) + "</name></include>";
    folder.write("f" + std::to_string(i) + ".sdf", sdf("<model name='m'>" + inside + "</model>"));
  }
  folder.write("f9.sdf", sdf("<model name='m'>" + link("a") + "</model>"));
  EXPECT_SAYS(read_mechanism(folder / "f0.sdf"), "more than 10000 models are included");
}

TEST(SdfNested, a_world_is_read_as_a_whole_or_by_model) {
  const std::string world =
      sdf("<world name='lab'><gravity>0 0 -1.6</gravity>"
          "<model name='floor'><static>true</static>" +
          link("plane") +
          "</model>"
          "<model name='left'><pose>0 1 0 0 0 0</pose>" +
          link("a") +
          "</model>"
          "<model name='right'><pose relative_to='left'>0 2 0 0 0 0</pose>" +
          link("a") +
          "</model>"
          "<frame name='spot' attached_to='right::a'/>"
          "<joint name='bar' "
          "type='fixed'><parent>left::a</parent><child>right::a</child></joint></world>");
  const Mechanism all = read_sdf(world, "w.sdf");
  EXPECT_EQ(all.name, "lab");
  EXPECT_EQ(all.gravity, (Vec3{0, 0, -1.6}));
  const Model model = compile(all);
  EXPECT_EQ(model.nv(), 6);  // the floor and the bar are fixed
  EXPECT_CLOSE(pose_of(model, "right::a").r, (Vec3{0, 3, 0}), 1e-15);
  EXPECT_CLOSE(pose_of(model, "spot").r, (Vec3{0, 3, 0}), 1e-15);
  ReadOptions options;
  std::vector<std::string> warnings;
  options.warnings = &warnings;
  options.model = "left";
  const Mechanism one = read_sdf(world, "w.sdf", options);
  EXPECT_EQ(one.name, "left");
  ASSERT_EQ(one.bodies.size(), 1u);
  EXPECT_EQ(one.bodies[0].name, "a");
  EXPECT_CLOSE(pose_of(compile(one), "a").r, (Vec3{0, 1, 0}), 1e-15);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("joints and frames of the world are not read"), std::string::npos);
  options.model = "lift";
  EXPECT_SAYS(read_sdf(world, "w.sdf", options), "there is no model 'lift'; did you mean 'left'?");
}

TEST(SdfNested, a_static_model_does_not_move) {
  std::vector<std::string> warnings;
  ReadOptions options;
  options.warnings = &warnings;
  const Mechanism m = read_sdf(
      sdf("<model name='m'><static>true</static>" + link("a") + link("b") +
          joint("j", "revolute", "a", "b") + "<model name='n'>" + link("c") + "</model></model>"),
      "m.sdf", options);
  EXPECT_EQ(compile(m).nv(), 0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("a joint of a static model does not move"), std::string::npos);
}

/// theta_2 = -ratio theta_1, with angles from the reference body: by its joints, in either direction.
TEST(SdfNested, a_gearbox_is_a_coupling) {
  const auto read = [](const std::string& joints, const std::string& box) {
    return read_sdf(
        sdf("<model name='m'>" + link("frame") + link("one") + link("two") +
            joint("hold", "fixed", "world", "frame") + joints +
            "<joint name='box' type='gearbox'><parent>one</parent><child>two</child>" + box +
            "<axis><xyz>0 0 1</xyz></axis><axis2><xyz>0 0 -1</xyz></axis2></joint></model>"),
        "m.sdf");
  };
  const std::string ratio = "<gearbox_ratio>3</gearbox_ratio>",
                    frame = "<gearbox_reference_body>frame</gearbox_reference_body>",
                    second = joint("two_joint", "revolute", "frame", "two");
  const Mechanism m = read(joint("one_joint", "revolute", "frame", "one") + second, ratio + frame);
  ASSERT_EQ(m.couplings.size(), 1u);
  const Model model = compile(m);
  Constraints constraints(model);
  PositionKinematics kin(model);
  const auto error = [&](double one, double two) {
    Vector q(2), Phi(constraints.constraint_count());
    q[model.joint("one_joint").q_index] = one, q[model.joint("two_joint").q_index] = two;
    forward_kinematics(model, q, kin);
    constraints.update(kin);
    constraints.constraint_error(kin, Phi);
    return Phi.cwiseAbs().maxCoeff();
  };
  EXPECT_LT(error(0.2, 0.6), 1e-15);  // axis2 points the other way: two = -theta_2
  EXPECT_GT(error(0.2, -0.6), 0.1);
  EXPECT_SAYS(read(second, ratio + frame),
              "joint 'box': there is no revolute joint between 'one' and 'frame'");
  EXPECT_SAYS(read(second, ratio), "joint 'box': has no <gearbox_reference_body> element");
}

TEST(SdfNested, a_loop_keeps_limits_and_damping_of_its_joint) {
  const auto read = [](const std::string& inside) {
    return read_sdf(sdf("<model name='m'>" + link("a") + link("b", "<pose>1 0 0 0 0 0</pose>") +
                        joint("p", "revolute", "world", "a") + joint("q", "revolute", "a", "b") +
                        joint("r", "revolute", "world", "b", inside) + "</model>"),
                    "m.sdf");
  };
  const Mechanism plain = read("");
  EXPECT_EQ(plain.bodies.size(), 2u);
  EXPECT_EQ(plain.loops.at(0).type, JointType::revolute);
  const Mechanism m = read(
      "<limit><lower>-0.5</lower><upper>0.5</upper></limit><dynamics><damping>3</damping></"
      "dynamics>");
  ASSERT_EQ(m.bodies.size(), 3u);
  const Body& end = m.bodies.at(static_cast<std::size_t>(find_body(m, "r_end")));
  EXPECT_EQ(end.joint.name, "r");
  EXPECT_EQ(end.joint.limits->upper, 0.5);
  EXPECT_EQ(end.joint.dynamics.damping, 3);
  EXPECT_FALSE(end.inertia);
  EXPECT_EQ(m.loops.at(0).type, JointType::fixed);
  EXPECT_EQ(m.loops.at(0).name, "r_closure");
  Mechanism free = m;  // to_maximal_coordinates takes no damping of joints
  for (Body& body : free.bodies) body.joint.dynamics = {};
  EXPECT_EQ(to_maximal_coordinates(free, BodyGroup::se3).loops.size(), 4u);  // with joints
  // Both descriptions leave the same freedom.
  const Model one = compile(plain), other = compile(m);
  Constraints a(one), b(other);
  EXPECT_EQ(one.nv() - analyze(a, one.neutral()).rank,
            other.nv() - analyze(b, other.neutral()).rank);
}

/// Masses of shapes: a box in two halves is the whole, by its formula; a capsule and a cone by integrals over slices.
TEST(SdfNested, automatic_inertias_are_those_of_the_shapes) {
  const auto inertia = [](const std::string& given, const std::string& shapes) {
    return *read_sdf(sdf("<model name='m'><link name='a'><inertial auto='true'>" + given +
                         "</inertial>" + shapes + "</link></model>"),
                     "m.sdf")
                .bodies.at(0)
                .inertia;
  };
  const auto shape = [](const std::string& geometry, const std::string& more = "") {
    return "<collision name='c'>" + more + "<geometry>" + geometry + "</geometry></collision>";
  };
  const std::string half = "<box><size>1 2 3</size></box>";
  const BodyInertia box = inertia("<density>10</density>",
                                  shape(half, "<pose>0.5 0 0 0 0 0</pose>") +
                                      shape(half, "<pose>1.5 0 0 3.141592653589793 0 0</pose>"));
  EXPECT_NEAR(box.mass, 120, 1e-12);
  EXPECT_CLOSE(box.com, (Vec3{1, 0, 0}), 1e-14);
  EXPECT_NEAR(box.tensor.xx, 120 * (4 + 9) / 12.0, 1e-11);
  EXPECT_NEAR(box.tensor.yy, 120 * (4 + 9) / 12.0, 1e-11);
  EXPECT_NEAR(box.tensor.zz, 120 * (4 + 4) / 12.0, 1e-11);
  EXPECT_NEAR(inertia("<mass>6</mass>", shape(half)).tensor.xx, 6 * 13 / 12.0, 1e-13);
  EXPECT_NEAR(inertia("", shape(half, "<density>5</density>")).mass, 30, 1e-13);
  // Slices of radius r(z): m = pi r^2 dz, moments m r^2 / 2 and m (r^2 / 4 + z^2).
  const auto slices = [](double from, double to, const auto& radius) {
    BodyInertia sum;
    double first = 0, along = 0, across = 0;
    const int count = 200000;
    for (int k = 0; k < count; ++k) {
      const double h = (to - from) / count, at = from + (k + 0.5) * h, r2 = radius(at) * radius(at),
                   m = M_PI * r2 * h;
      sum.mass += m, first += m * at, along += m * r2 / 2, across += m * (r2 / 4 + at * at);
    }
    sum.com = {0, 0, first / sum.mass};
    across -= first * first / sum.mass;
    sum.tensor = Sym3::diagonal(across, across, along);
    return sum;
  };
  const auto same = [](const BodyInertia& a, const BodyInertia& b) {
    EXPECT_NEAR(a.mass, b.mass, 1e-8 * b.mass);
    EXPECT_NEAR(a.com.z, b.com.z, 1e-8);
    EXPECT_NEAR(a.tensor.xx, b.tensor.xx, 1e-8 * b.tensor.xx);
    EXPECT_NEAR(a.tensor.zz, b.tensor.zz, 1e-8 * b.tensor.zz);
  };
  const std::string one = "<density>1</density>", size = "<radius>0.5</radius><length>2</length>";
  same(inertia(one, shape("<capsule>" + size + "</capsule>")), slices(-1.5, 1.5, [](double at) {
         const double over = std::max(0.0, std::abs(at) - 1);
         return std::sqrt(0.25 - over * over);
       }));
  same(inertia(one, shape("<cone>" + size + "</cone>")),
       slices(-1, 1, [](double at) { return 0.25 * (1 - at); }));
  same(inertia(one, shape("<cylinder>" + size + "</cylinder>")),
       slices(-1, 1, [](double) { return 0.5; }));
  same(inertia(one, shape("<ellipsoid><radii>0.5 0.5 2</radii></ellipsoid>")),
       slices(-2, 2, [](double at) { return 0.5 * std::sqrt(1 - at * at / 4); }));
  same(inertia(one, shape("<sphere><radius>2</radius></sphere>")),
       slices(-2, 2, [](double at) { return std::sqrt(4 - at * at); }));
  EXPECT_EQ(inertia("", "").mass, 1);  // the rule of SDF
  EXPECT_SAYS(inertia("", shape("<mesh><uri>x.dae</uri></mesh>")),
              "the mass of <mesh> is not computed");
}

TEST(SdfNested, a_file_without_links_is_a_mechanism_without_bodies) {
  std::vector<std::string> warnings;
  ReadOptions options;
  options.warnings = &warnings;
  const Mechanism m = read_sdf(sdf("<world name='w'><light name='sun' type='point'/><model "
                                   "name='m'><static>1</static><frame name='f'/></model></world>"),
                               "m.sdf", options);
  EXPECT_TRUE(m.bodies.empty());
  EXPECT_EQ(compile(m).nv(), 0);
  EXPECT_EQ(m.frames.at(0).body, ground);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("has no links"), std::string::npos);
}

/// Joints whose parents would form a cycle: one of them closes a loop.
TEST(SdfNested, a_cycle_of_joints_is_a_loop) {
  const Mechanism m =
      read_sdf(sdf("<model name='m'>" + link("a") + link("b") + link("c") +
                   joint("p", "revolute", "a", "b") + joint("q", "revolute", "b", "c") +
                   joint("r", "revolute", "c", "a") + "</model>"),
               "m.sdf");
  ASSERT_EQ(m.loops.size(), 1u);
  EXPECT_EQ(m.loops[0].name, "r");
  EXPECT_EQ(m.bodies[0].joint.type, JointType::floating);
}

}  // namespace sdf_nested_test
