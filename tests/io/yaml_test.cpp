/// Mechanisms read from YAML and JSON: every key means what mechanism_file.hpp says, and what is
/// written reads back as the same numbers, bit by bit.

#include <gtest/gtest.h>

#include <random>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace yaml_test {

using namespace chasles;

Mechanism read(const std::string& text) { return read_yaml("chasles: 1\n" + text, "arm.yaml"); }
const Joint& joint(const Mechanism& m) { return m.bodies.at(0).joint; }

TEST(Yaml, reads_every_key) {
  const Mechanism m = read(R"(
name: arm
gravity: [0, 1, -9]
bodies:
  - name: upper
    parent: ground
    joint:
      name: shoulder
      type: revolute
      axis: [0, 0, 2]
      point: [1, 2, 3]
      x_axis: [0, 1, 0]
      in: parent
      limits: {lower: -1, upper: 1.5, velocity: 2, effort: 10}
      dynamics: {damping: 0.5, friction: 0.25}
      mimic: {joint: elbow, multiplier: -2, offset: 0.25}
      rotor: {inertia: 1e-4, ratio: -80}
      armature: 0.125
    pose: {xyz: [1, 0, 0], rpy: [0, 0, 0.5], in: parent}
    inertia:
      {mass: 2, com: [0, 0, 0.1], about: frame, tensor: [1, 0.1, 0.2, 1, 0.3, 1], physical: true}
  - name: lower
    parent: upper
    joint: {name: elbow, type: helical, pitch: 0.01, axis: [1, 0, 0], in: body}
loops:
  - {name: closure, type: revolute, bodies: [lower, ground], axis: [0, 0, 1], in: body}
frames:
  - {name: tool, body: lower, pose: {xyz: [0, 0, 0.1], quaternion: [0, 1, 0, 0]}}
)");
  EXPECT_EQ(m.name, "arm");
  EXPECT_EQ(m.gravity, (Vec3{0, 1, -9}));
  ASSERT_EQ(m.bodies.size(), 2);
  const Body& upper = m.bodies[0];
  EXPECT_EQ(upper.name, "upper");
  EXPECT_EQ(upper.parent, ground);
  EXPECT_EQ(upper.where, "arm.yaml:6");
  EXPECT_EQ(upper.joint.name, "shoulder");
  EXPECT_EQ(upper.joint.type, JointType::revolute);
  const auto& axis = std::get<AxisGeometry>(upper.joint.geometry);
  EXPECT_EQ(axis.axis, (Vec3{0, 0, 2}));
  EXPECT_EQ(axis.point, (Vec3{1, 2, 3}));
  EXPECT_EQ(axis.x_axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(axis.in, DescribedIn::parent);
  EXPECT_EQ(upper.joint.limits->lower, -1);
  EXPECT_EQ(upper.joint.limits->upper, 1.5);
  EXPECT_EQ(upper.joint.limits->velocity, 2);
  EXPECT_EQ(upper.joint.limits->effort, 10);
  EXPECT_EQ(upper.joint.dynamics.damping, 0.5);
  EXPECT_EQ(upper.joint.dynamics.friction, 0.25);
  EXPECT_EQ(upper.joint.mimic->joint, "elbow");
  EXPECT_EQ(upper.joint.mimic->multiplier, -2);
  EXPECT_EQ(upper.joint.mimic->offset, 0.25);
  EXPECT_EQ(upper.joint.rotor->inertia, 1e-4);
  EXPECT_EQ(upper.joint.rotor->ratio, -80);
  EXPECT_EQ(upper.joint.armature, 0.125);
  EXPECT_EQ(m.bodies[1].joint.armature, 0);
  EXPECT_EQ(upper.pose.in, DescribedIn::parent);
  EXPECT_EQ(upper.pose.C, (SE3{rotation_from_rpy(0.0, 0.0, 0.5), {1, 0, 0}}));
  EXPECT_EQ(upper.inertia->mass, 2);
  EXPECT_EQ(upper.inertia->com, (Vec3{0, 0, 0.1}));
  EXPECT_FALSE(upper.inertia->about_com);
  EXPECT_EQ(upper.inertia->tensor, (Sym3{1, 0.1, 0.2, 1, 0.3, 1}));
  EXPECT_EQ(m.bodies[1].joint.pitch, 0.01);
  EXPECT_EQ(m.bodies[1].pose.C, SE3{});
  EXPECT_FALSE(m.bodies[1].inertia);
  EXPECT_EQ(m.loops.at(0).bodies, (std::array<std::string, 2>{"lower", "ground"}));
  EXPECT_EQ(std::get<AxisGeometry>(m.loops[0].geometry).in, DescribedIn::body);
  EXPECT_EQ(m.frames.at(0).body, "lower");
  EXPECT_CLOSE(m.frames[0].pose, (SE3{SO3(Mat3{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}}), {0, 0, 0.1}}),
               0);
}

TEST(Yaml, reads_joints_by_frames_and_by_screws) {
  const Mechanism m = read(R"(
bodies:
  - name: a
    joint:
      type: revolute
      axis: [0, 1, 0]
      frames:
        parent: {xyz: [1, 2, 3]}
        child: {matrix: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}
  - name: b
    joint:
      type: custom
      in: body
      parameterization: sum
      screws: [{axis: [1, 0, 0], point: [0, 1, 0], pitch: 0.5}, {axis: [0, 0, 1], pitch: .inf}]
)");
  const auto& frames = std::get<FramesGeometry>(joint(m).geometry);
  EXPECT_EQ(frames.parent, (SE3{{}, {1, 2, 3}}));
  EXPECT_EQ(frames.child.R * (Vec3{1, 0, 0}), (Vec3{0, 1, 0}));
  EXPECT_EQ(frames.axis, (Vec3{0, 1, 0}));
  const Joint& custom = m.bodies[1].joint;
  EXPECT_EQ(custom.parameterization, Parameterization::sum);
  ASSERT_EQ(custom.screws.size(), 2);
  EXPECT_EQ(custom.screws[0].point, (Vec3{0, 1, 0}));
  EXPECT_EQ(custom.screws[0].pitch, 0.5);
  EXPECT_TRUE(std::isinf(custom.screws[1].pitch));
}

/// `screw: [w, v]` is the joint with these screw coordinates in the frame of `in`: 003 (5), (7), (12).
TEST(Yaml, reads_joints_by_screw_coordinates) {
  const Mechanism m = read(R"(
bodies:
  - {name: a, joint: {screw: [0, 0, 1, 0, -0.5, 0], in: parent}}
  - {name: b, joint: {screw: [0, 1, 0, 0, 0.02, 1]}}
  - {name: c, joint: {type: prismatic, screw: [0, 0, 0, 0.6, 0, -0.8]}}
  - {name: d, joint: {type: custom, screws: [{screw: [1, 0, 0, 0, 0.1, 0]}, {screw: [0, 0, 0, 0, 1, 0]}]}}
loops:
  - {name: closure, screw: [0, 0, 1, 0.25, 0, 0], bodies: [a, ground]}
)");
  const auto axis = [&](std::size_t k) {
    return std::get<AxisGeometry>(m.bodies.at(k).joint.geometry);
  };
  EXPECT_EQ(joint(m).type, JointType::revolute);
  EXPECT_EQ(axis(0).axis, (Vec3{0, 0, 1}));
  EXPECT_EQ(axis(0).point, (Vec3{0.5, 0, 0}));
  EXPECT_EQ(axis(0).in, DescribedIn::parent);
  EXPECT_EQ(m.bodies[1].joint.type, JointType::helical);
  EXPECT_EQ(m.bodies[1].joint.pitch, 0.02);
  EXPECT_EQ(axis(1).point, (Vec3{1, 0, 0}));
  EXPECT_EQ(m.bodies[2].joint.type, JointType::prismatic);
  EXPECT_CLOSE(axis(2).axis, (Vec3{0.6, 0, -0.8}), 1e-16);
  EXPECT_EQ(m.bodies[3].joint.screws[0].point, (Vec3{0, 0, 0.1}));
  EXPECT_EQ(m.bodies[3].joint.screws[1].pitch, std::numeric_limits<double>::infinity());
  EXPECT_EQ(m.loops[0].type, JointType::revolute);
  EXPECT_EQ(std::get<AxisGeometry>(m.loops[0].geometry).point, (Vec3{0, 0.25, 0}));
  for (const std::string bad :
       {"screw: [0, 0, 2, 0, 0, 0]", "screw: [0, 0, 0, 0, 0, 0]", "screw: [0, 0, 1]",
        "screw: [0, 0, .nan, 0, 0, 0]", "screw: [0, 0, 1, 0, 0, 0], axis: [0, 0, 1]",
        "screw: [0, 0, 1, 0, 0, 0], type: helical", "screw: [0, 0, 1, 0, 0, 0], frames: {}"})
    EXPECT_THROW(read("bodies: [{name: a, joint: {" + bad + "}}]"), Error) << bad;
}

TEST(Yaml, reads_constant_velocity_joints) {
  const Mechanism m = read(R"(
bodies:
  - {name: a, joint: {type: constant_velocity, axis: [0, 0, 2], point: [1, 0, 0], x_axis: [0, 3, 0], in: parent}}
loops:
  - {name: closure, type: constant_velocity, bodies: [a, ground], axis: [1, 0, 0]}
)");
  EXPECT_EQ(joint(m).type, JointType::custom);
  EXPECT_EQ(joint(m).parameterization, Parameterization::sum);
  ASSERT_EQ(joint(m).screws.size(), 2u);
  EXPECT_EQ(joint(m).screws[0].axis, (Vec3{0, 1, 0}));
  EXPECT_EQ(joint(m).screws[1].axis, (Vec3{-1, 0, 0}));
  EXPECT_EQ(joint(m).screws[1].point, (Vec3{1, 0, 0}));
  EXPECT_EQ(std::get<AxisGeometry>(joint(m).geometry).in, DescribedIn::parent);
  EXPECT_EQ(m.loops[0].screws.size(), 2u);
  for (const std::string bad :
       {"axis: [0, 0, 0]", "point: [0, 0, 0]", "axis: [0, 0, 1], x_axis: [0, 0, 2]",
        "axis: [0, 0, 1], pitch: 1", "axis: [0, 0, 1], screws: []", "axis: [0, 0, 1], frames: {}"})
    EXPECT_THROW(read("bodies: [{name: a, joint: {type: constant_velocity, " + bad + "}}]"), Error)
        << bad;
}

TEST(Yaml, reads_loops_of_screws_and_couplings) {
  const Mechanism m = read(R"(
bodies:
  - {name: motor, joint: {type: revolute, axis: [0, 0, 1]}}
  - {name: nut, joint: {type: cylindrical, axis: [0, 0, 1]}}
loops:
  - name: closure
    type: custom
    bodies: [motor, nut]
    in: parent
    screws: [{axis: [1, 0, 0], point: [0, 1, 0], pitch: 0.5}, {axis: [0, 0, 1], pitch: .inf}]
    parameterization: sum
couplings:
  - {name: gear, joints: {motor: 1, nut: -2}, offset: pi/2}
  - {name: thread, joints: {nut: [0.01, {coefficient: -1, coordinate: 1}]}}
  - {name: cam, joints: {motor: {coefficient: 2, polynomial: [0, 1, 0.5]},
                         nut: {coefficient: -1, table: [[0, 0], [1, 2], [2, 1], [pi, 0]], ends: periodic}}}
)");
  const Loop& loop = m.loops.at(0);
  EXPECT_EQ(loop.type, JointType::custom);
  EXPECT_EQ(loop.parameterization, Parameterization::sum);
  EXPECT_EQ(std::get<AxisGeometry>(loop.geometry).in, DescribedIn::parent);
  ASSERT_EQ(loop.screws.size(), 2);
  EXPECT_EQ(loop.screws[0].point, (Vec3{0, 1, 0}));
  EXPECT_TRUE(std::isinf(loop.screws[1].pitch));
  ASSERT_EQ(m.couplings.size(), 3);
  EXPECT_EQ(m.couplings[2].terms[0].function, (CurveData{{0, 1, 0.5}, {}}));
  EXPECT_EQ(m.couplings[2].terms[1].function,
            (CurveData{{}, {{0, 0}, {1, 2}, {2, 1}, {M_PI, 0}}, Curve::Ends::periodic}));
  EXPECT_EQ(m.couplings[0].name, "gear");
  EXPECT_EQ(m.couplings[0].offset, M_PI / 2);
  ASSERT_EQ(m.couplings[0].terms.size(), 2);
  EXPECT_EQ(m.couplings[0].terms[1].joint, "nut");
  EXPECT_EQ(m.couplings[0].terms[1].coefficient, -2);
  EXPECT_EQ(m.couplings[0].terms[1].coordinate, 0);
  EXPECT_EQ(m.couplings[1].offset, 0);
  ASSERT_EQ(m.couplings[1].terms.size(), 2);
  EXPECT_EQ(m.couplings[1].terms[0].coefficient, 0.01);
  EXPECT_EQ(m.couplings[1].terms[1].coefficient, -1);
  EXPECT_EQ(m.couplings[1].terms[1].coordinate, 1);
}

TEST(Yaml, has_defaults) {
  const Mechanism m =
      read("bodies: [{name: rock}, {name: wheel, joint: {type: revolute, axis: [0, 0, 1]}}]");
  EXPECT_EQ(m.name, "");
  EXPECT_EQ(m.gravity, (Vec3{0, 0, -9.81}));
  EXPECT_EQ(joint(m).type, JointType::fixed);
  EXPECT_EQ(m.bodies[1].parent, ground);
  EXPECT_EQ(std::get<AxisGeometry>(m.bodies[1].joint.geometry).in, DescribedIn::world);
}

TEST(Yaml, takes_simple_constants) {
  const auto mass = [](const std::string& text) {
    return read("bodies: [{name: a, inertia: {mass: " + text + ", physical: false}}]")
        .bodies[0]
        .inertia->mass;
  };
  EXPECT_EQ(mass("pi"), M_PI);
  EXPECT_EQ(mass("-pi/2"), -M_PI / 2);
  EXPECT_EQ(mass("1/3"), 1.0 / 3);
  EXPECT_EQ(mass("2*pi/3"), 2 * M_PI / 3);
  EXPECT_EQ(mass("2 * pi / 3"), 2 * M_PI / 3);
  EXPECT_EQ(mass("+1.5e-3"), 1.5e-3);
  EXPECT_EQ(mass("5e-324"), 5e-324);
}

TEST(Yaml, reads_json_with_tabs) {
  const Mechanism m = read_yaml(
      "{\n\t\"chasles\": 1,\n\t\"bodies\":[\n\t\t{\"name\":\"a \\\"b\\\" \\u00e9\"}\n\t]\n}\n",
      "a.json");
  EXPECT_EQ(m.bodies.at(0).name, "a \"b\" \u00e9");
}

TEST(Yaml, reads_windows_line_ends_comments_and_a_byte_order_mark) {
  const Mechanism m =
      read_yaml("\xEF\xBB\xBF# arm\r\nchasles: 1\r\nbodies:\r\n  - name: a  # first\r\n", "a.yaml");
  EXPECT_EQ(m.bodies.at(0).name, "a");
}

/// All numbers of a mechanism that mean something.
void expect_identical(const Mechanism& a, const Mechanism& b) {
  EXPECT_EQ(write_yaml(a), write_yaml(b));
  const ReferenceGeometry f = reference_geometry(a), g = reference_geometry(b);
  EXPECT_EQ(f.A, g.A);
  EXPECT_EQ(f.J, g.J);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.joint.name, y.joint.name);
    EXPECT_EQ(x.joint.type, y.joint.type);
    EXPECT_EQ(x.joint.geometry.index(), y.joint.geometry.index());
    EXPECT_EQ(x.joint.pitch, y.joint.pitch);
    EXPECT_EQ(x.joint.armature, y.joint.armature);
    ASSERT_EQ(x.joint.screws.size(), y.joint.screws.size());
    for (std::size_t k = 0; k < x.joint.screws.size(); ++k) {
      EXPECT_EQ(x.joint.screws[k].axis, y.joint.screws[k].axis);
      EXPECT_EQ(x.joint.screws[k].point, y.joint.screws[k].point);
      EXPECT_EQ(x.joint.screws[k].pitch, y.joint.screws[k].pitch);
    }
    ASSERT_EQ(x.inertia.has_value(), y.inertia.has_value());
    if (!x.inertia) continue;
    EXPECT_EQ(x.inertia->mass, y.inertia->mass);
    EXPECT_EQ(x.inertia->com, y.inertia->com);
    EXPECT_EQ(x.inertia->tensor, y.inertia->tensor);
    EXPECT_EQ(x.inertia->about_com, y.inertia->about_com);
    EXPECT_EQ(x.inertia->physical, y.inertia->physical);
  }
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    const Loop &x = a.loops[i], &y = b.loops[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.bodies, y.bodies);
    EXPECT_EQ(x.type, y.type);
    EXPECT_EQ(x.parameterization, y.parameterization);
    ASSERT_EQ(x.screws.size(), y.screws.size());
    for (std::size_t k = 0; k < x.screws.size(); ++k) {
      EXPECT_EQ(x.screws[k].axis, y.screws[k].axis);
      EXPECT_EQ(x.screws[k].point, y.screws[k].point);
      EXPECT_EQ(x.screws[k].pitch, y.screws[k].pitch);
    }
  }
  ASSERT_EQ(a.couplings.size(), b.couplings.size());
  for (std::size_t i = 0; i < a.couplings.size(); ++i) {
    const Coupling &x = a.couplings[i], &y = b.couplings[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.offset, y.offset);
    ASSERT_EQ(x.terms.size(), y.terms.size());
    for (std::size_t k = 0; k < x.terms.size(); ++k) {
      EXPECT_EQ(x.terms[k].joint, y.terms[k].joint);
      EXPECT_EQ(x.terms[k].coefficient, y.terms[k].coefficient);
      EXPECT_EQ(x.terms[k].coordinate, y.terms[k].coordinate);
      EXPECT_EQ(x.terms[k].function, y.terms[k].function);
    }
  }
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) EXPECT_EQ(a.frames[i].pose, b.frames[i].pose);
}

TEST(Yaml, round_trips_functions_of_couplings) {
  const Mechanism m = read(R"(
bodies:
  - {name: cam, joint: {type: revolute, axis: [0, 0, 1]}}
  - {name: nut, joint: {type: cylindrical, axis: [0, 0, 1]}}
couplings:
  - {name: lift, joints: {cam: {coefficient: 0.3, ends: clamped, table: [[0, 0.1], [1, 2.2], [2, 1]]},
                          nut: [{coefficient: 2, polynomial: [0.1, 0.7, -0.2]},
                                {coefficient: -1, coordinate: 1, table: [[-1, 0], [4, 1]]}]}}
)");
  ASSERT_EQ(m.couplings.at(0).terms.size(), 3);
  EXPECT_EQ(m.couplings[0].terms[0].function.ends, Curve::Ends::clamped);
  expect_identical(m, read_yaml(write_yaml(m), "again.yaml"));
}

TEST(Yaml, round_trips_random_mechanisms_bit_by_bit) {
  std::mt19937_64 generator(3);
  for (int n = 0; n < 20; ++n) {
    Mechanism m = test::random_mechanism(generator, {.bodies = 30, .tree = true});
    for (Body& body : m.bodies) {  // drift beyond 16 units of rounding is cleaned on reading
      body.pose.C = body.pose.C.normalized();
      if (auto* frames = std::get_if<FramesGeometry>(&body.joint.geometry))
        *frames = {frames->parent.normalized(), frames->child.normalized(), frames->axis,
                   frames->x_axis};
    }
    for (FrameDescription& frame : m.frames) frame.pose = frame.pose.normalized();
    for (const std::size_t i : {3u, 4u}) {
      Joint& joint = m.bodies[i].joint;
      joint = {.name = joint.name, .type = JointType::revolute, .geometry = AxisGeometry{}};
    }
    m.bodies[3].joint.limits = JointLimits{-1.0 / 3, 0.1, 1e300, {}};
    m.bodies[3].joint.dynamics = {1.0 / 3, 0.2};
    m.bodies[4].joint.mimic = Mimic{m.bodies[3].joint.name, 1.0 / 7, -0.0};
    m.bodies[4].joint.rotor = Rotor{1.0 / 3, -1.0 / 7};
    m.loops.push_back({"loop", {"body1", "body2"}, JointType::helical, AxisGeometry{}, 0.1});
    m.loops.push_back({"other", {"body1", "ground"}, JointType::revolute, FramesGeometry{}});
    m.loops.push_back({"screws",
                       {"body1", "body5"},
                       JointType::custom,
                       AxisGeometry{{0, 0, 1}, {}, {}, DescribedIn::body},
                       0,
                       {{{1.0 / 3, 0, 1}, {0, 0.1, 0}, 0.1},
                        {{0, 0, 1}, {}, std::numeric_limits<double>::infinity()}},
                       n % 2 == 0 ? Parameterization::sum : Parameterization::product});
    m.couplings.push_back(
        {"gear", {{m.bodies[3].joint.name, 1.0 / 3}, {m.bodies[4].joint.name, -2}}, -0.0});
    m.bodies[5].joint = {"thread: 1", JointType::cylindrical, AxisGeometry{}};
    m.couplings.push_back({"thread", {{"thread: 1", 0.01}, {"thread: 1", -1, 1}}, 0.1});
    m.couplings.push_back({"slide", {{"thread: 1", 1e-300, 1}}});
    const Mechanism copy = read_yaml(write_yaml(m), "copy.yaml");
    check(copy);
    expect_identical(m, copy);
    EXPECT_TRUE(std::signbit(copy.couplings[0].offset));
    EXPECT_EQ(copy.bodies[3].joint.limits->lower, -1.0 / 3);
    EXPECT_EQ(copy.bodies[3].joint.limits->velocity, 1e300);
    EXPECT_FALSE(copy.bodies[3].joint.limits->effort);
    EXPECT_EQ(copy.bodies[3].joint.dynamics.damping, 1.0 / 3);
    EXPECT_EQ(copy.bodies[3].joint.dynamics.friction, 0.2);
    EXPECT_TRUE(std::signbit(copy.bodies[4].joint.mimic->offset));
    EXPECT_EQ(copy.bodies[4].joint.rotor->inertia, 1.0 / 3);
    EXPECT_EQ(copy.bodies[4].joint.rotor->ratio, -1.0 / 7);
    EXPECT_EQ(copy.loops[0].pitch, 0.1);
  }
}

TEST(Yaml, writes_angles_where_they_are_exact) {
  const std::string text = "bodies: [{name: a, pose: {xyz: [0, 0, 0], rpy: [0.3, -pi/2, 1]}}]";
  const Mechanism m = read("bodies: [{name: a, pose: {rpy: [0.3, 0.1, -2.5], in: parent}}]");
  EXPECT_NE(write_yaml(m).find("rpy: [0.3, 0.1, -2.5]"), std::string::npos) << write_yaml(m);
  expect_identical(m, read_yaml(write_yaml(m), "copy.yaml"));
  expect_identical(read(text), read_yaml(write_yaml(read(text)), "copy.yaml"));
}

TEST(Yaml, round_trips_names_of_any_kind) {
  const std::vector<std::string> names = {
      "a b", "null",         "~",       "123", "x: y", "#1",       "- a", "a\"b\\c",
      "[a]", "\u00e4\u4e2d", "a\nb\tc", " a ", "true", "'q'",      "*a",  "&a",
      "!a",  "%a",           "@a",      "a,b", "{",    {"a\0b", 3}};
  for (const std::string& name : names) {
    const Mechanism m{name, {}, {Body{name, "ground", {name}, {}, {}, {}}}, {{"f", name, {}}}, {}};
    const Mechanism copy = read_yaml(write_yaml(m), "copy.yaml");
    EXPECT_EQ(copy.name, name);
    EXPECT_EQ(copy.bodies.at(0).name, name);
    EXPECT_EQ(copy.bodies.at(0).joint.name, name);
    EXPECT_EQ(copy.frames.at(0).body, name);
  }
}

}  // namespace yaml_test
