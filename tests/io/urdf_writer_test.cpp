/// What is written as URDF is the same mechanism: it is read back, by us and by urdfdom, and moves with
/// the same forces.
#include <gtest/gtest.h>
#include <urdf_parser/urdf_parser.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"
#include "support/urdf.hpp"

namespace urdf_writer_test {

using namespace chasles;
using namespace chasles::test;

struct Written {
  std::string text;
  Mechanism mechanism;
};
/// Written, read and made to fall as before.
Written round_trip(const Mechanism& mechanism) {
  Written w{write_urdf(mechanism), {}};
  std::vector<std::string> warnings;
  w.mechanism = read_urdf(w.text, "written.urdf", {false, &warnings});
  std::erase_if(warnings, [](const std::string& warning) {  // said of what was written, too
    return warning.find("no body can have this inertia") != warning.npos;
  });
  EXPECT_EQ(warnings, std::vector<std::string>{}) << w.text;
  w.mechanism.gravity = mechanism.gravity;
  return w;
}

/// How the coordinates of what was read follow from those of what was written: joints in the same
/// order, those that mimic the one before them between.
struct Followers {
  Eigen::MatrixXd N;  // v' = N v
  Eigen::VectorXd q;  // q' of a q
};
Followers followers(const Model& from, const Model& to, const Eigen::VectorXd& q) {
  Followers f{Eigen::MatrixXd::Zero(to.nv(), from.nv()), Eigen::VectorXd(to.nq())};
  int q_at = 0, v_at = 0;
  for (const ModelJoint& joint : to.joints()) {
    if (joint.mimic) {
      const ModelJoint& led = to.joint(joint.mimic->joint);
      f.N.row(joint.v_index) = joint.mimic->multiplier * f.N.row(led.v_index);
      f.q[joint.q_index] = joint.mimic->multiplier * f.q[led.q_index];
      continue;
    }
    f.N.block(joint.v_index, v_at, joint.nv, joint.nv).setIdentity();
    f.q.segment(joint.q_index, joint.nq) = q.segment(q_at, joint.nq);
    q_at += joint.nq, v_at += joint.nv;
  }
  EXPECT_EQ(v_at, from.nv());
  return f;
}

double largest_difference(const Mechanism& mechanism, std::mt19937_64& generator) {
  const Model from = compile(mechanism), to = compile(round_trip(mechanism).mechanism);
  const Eigen::VectorXd q = random_configuration(from, generator),
                        v = random_vector(from.nv(), generator),
                        a = random_vector(from.nv(), generator);
  const Followers f = followers(from, to, q);
  InverseDynamics here(from), there(to);
  const Eigen::VectorXd Q = inverse_dynamics(from, q, v, a, here),
                        Q_there =
                            f.N.transpose() * inverse_dynamics(to, f.q, f.N * v, f.N * a, there);
  PositionKinematics kin(from), kin_there(to);
  forward_kinematics(from, q, kin);
  forward_kinematics(to, f.q, kin_there);
  double worst =
      (Q - Q_there).lpNorm<Eigen::Infinity>() / std::max(1.0, Q.lpNorm<Eigen::Infinity>());
  const auto compare = [&](const std::string& name) {
    const SE3 A = pose(kin, from.frame(name)), B = pose(kin_there, to.frame(name));
    worst = std::max(
        {worst, norm(A.r - B.r) / std::max(1.0, norm(A.r)), norm(log(inverse(A.R) * B.R))});
  };
  for (const ModelBody& body : from.bodies()) compare(body.name);
  for (const ModelFrame& frame : from.frames()) compare(frame.name);
  return worst;
}

/// A random mechanism that URDF can express: planar joints have no armature there.
Mechanism random_for_urdf(std::mt19937_64& generator, const RandomMechanismOptions& options) {
  Mechanism m = random_mechanism(generator, options);
  for (Body& body : m.bodies)
    if (body.joint.type == JointType::planar) body.joint.armature = 0;
  return m;
}

std::vector<JointKind> kinds_of_urdf() {
  std::vector<JointKind> kinds;
  for (const JointKind& kind : all_joint_kinds())
    if (kind.type != JointType::spherical && kind.type != JointType::telescoping &&
        kind.parameterization == Parameterization::product && kind.group == FloatingGroup::se3)
      kinds.push_back(kind);
  return kinds;
}

TEST(UrdfWriter, random_trees_move_with_the_same_forces) {
  std::mt19937_64 generator(11);
  for (int k = 0; k < 60; ++k) {
    const Mechanism mechanism =
        random_for_urdf(generator, {.bodies = 12, .tree = true, .kinds = kinds_of_urdf()});
    EXPECT_LT(largest_difference(mechanism, generator), 1e-13) << write_yaml(mechanism);
  }
}

TEST(UrdfWriter, each_joint_type_by_itself_moves_with_the_same_forces) {
  std::mt19937_64 generator(12);
  for (const JointKind& kind : kinds_of_urdf())
    for (int k = 0; k < 10; ++k)
      EXPECT_LT(
          largest_difference(random_for_urdf(generator, {.bodies = 3, .kinds = {kind}}), generator),
          1e-13)
          << joint_type_info(kind.type).name;
}

TEST(UrdfWriter, models_of_the_project_move_with_the_same_forces) {
  std::mt19937_64 generator(13);
  for (const char* file : {"examples/puma560.yaml", "examples/cad_arm.yaml",
                           "examples/three_spheres.yaml", "examples/tutorial/arm.urdf"}) {
    EXPECT_LT(largest_difference(read_mechanism(file), generator), 1e-13) << file;
  }
}

TEST(UrdfWriter, keeps_names_limits_losses_and_mimic) {
  Mechanism first = read_urdf(every_joint_urdf(), "first.urdf");
  const Mechanism again = round_trip(first).mechanism;
  ASSERT_EQ(first.bodies.size(), again.bodies.size());  // no link was added
  for (std::size_t i = 0; i < first.bodies.size(); ++i) {
    const Body &a = first.bodies[i], &b = again.bodies[i];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.parent, b.parent);
    EXPECT_EQ(a.joint.name, b.joint.name);
    EXPECT_EQ(a.joint.type, b.joint.type);
    EXPECT_EQ(a.joint.dynamics.damping, b.joint.dynamics.damping);
    EXPECT_EQ(a.joint.dynamics.friction, b.joint.dynamics.friction);
    ASSERT_EQ(a.joint.mimic.has_value(), b.joint.mimic.has_value());
    if (a.joint.mimic) {
      EXPECT_EQ(a.joint.mimic->joint, b.joint.mimic->joint);
      EXPECT_EQ(a.joint.mimic->multiplier, b.joint.mimic->multiplier);
      EXPECT_EQ(a.joint.mimic->offset, b.joint.mimic->offset);
    }
    const auto limits = [](const Joint& joint) { return joint.limits.value_or(JointLimits{}); };
    EXPECT_EQ(limits(a.joint).lower, limits(b.joint).lower) << a.name;
    EXPECT_EQ(limits(a.joint).upper, limits(b.joint).upper);
    EXPECT_EQ(limits(a.joint).velocity, limits(b.joint).velocity);
    EXPECT_EQ(limits(a.joint).effort, limits(b.joint).effort);
  }
  std::mt19937_64 generator(14);
  for (Body& body : first.bodies) body.joint.mimic.reset();
  EXPECT_LT(largest_difference(first, generator), 1e-13);
}

TEST(UrdfWriter, one_sided_limits_and_names_of_any_kind_survive) {
  Mechanism m = MechanismBuilder("a <b> & \"c\"")
                    .body("<&>\" '", ground, joints::revolute({0, 0, 1}))
                    .body("world", "<&>\" '", joints::prismatic({1, 0, 0}))
                    .body("screw", "world", joints::helical({0, 0, 1}, {0.1, 0, 0}, 0.02))
                    .dynamics(0.5, 0.25)
                    .frame("tool", "screw", {{}, {1, 2, 3}})
                    .build();
  m.bodies[0].joint.limits = JointLimits{.lower = -1, .upper = {}, .velocity = 2, .effort = {}};
  m.bodies[2].joint.mimic = Mimic{"<&>\" '", 3, 0.5};
  const auto [text, again] = round_trip(m);
  EXPECT_EQ(again.name, m.name);
  const Body& first = again.bodies[static_cast<std::size_t>(find_body(again, "<&>\" '"))];
  EXPECT_EQ(first.parent, "world_");  // the name was taken
  EXPECT_EQ(first.joint.limits->lower, -1);
  EXPECT_FALSE(first.joint.limits->upper);
  EXPECT_EQ(first.joint.limits->velocity, 2);
  EXPECT_FALSE(first.joint.limits->effort);
  const Model model = compile(again);
  EXPECT_EQ(model.joint("screw").dynamics.friction, 0.25);
  EXPECT_EQ(model.joint("screw_slide").dynamics.friction, 0);
  EXPECT_EQ(model.joint("screw").mimic->multiplier, 3);
  EXPECT_EQ(model.joint("screw_slide").mimic->joint, "<&>\" '");
  EXPECT_EQ(model.joint("screw_slide").mimic->multiplier, 0.06);
  EXPECT_EQ(model.joint("screw_slide").mimic->offset, 0.01);
  EXPECT_NO_THROW(model.frame("tool"));
}

TEST(UrdfWriter, another_reader_understands_it) {
  std::mt19937_64 generator(15);
  for (int k = 0; k < 5; ++k) {
    const Mechanism mechanism =
        random_for_urdf(generator, {.bodies = 12, .tree = true, .kinds = kinds_of_urdf()});
    const Written w = round_trip(mechanism);
    const urdf::ModelInterfaceSharedPtr read = urdf::parseURDF(w.text);
    ASSERT_TRUE(read) << w.text;
    EXPECT_EQ(read->links_.size(), w.mechanism.bodies.size());
    EXPECT_EQ(read->joints_.size(), w.mechanism.bodies.size() - 1);
  }
}

TEST(UrdfWriter, what_urdf_has_not_is_refused_by_name) {
  MechanismBuilder ball("m");
  ball.body("b", ground, joints::spherical()).joint_name("hip");
  EXPECT_SAYS(write_urdf(ball.build()),
              "joint 'hip': URDF has no spherical joint; give a universal");
  MechanismBuilder sum("m");
  sum.body("b", ground,
           joints::custom({{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, 0}}, Parameterization::sum));
  EXPECT_SAYS(write_urdf(sum.build()), "joint 'b': URDF has no joint that performs several screws");
  MechanismBuilder planar("m");
  planar.body("b", ground, joints::of(JointType::planar, {0, 0, 1})).armature(0.1);
  EXPECT_SAYS(write_urdf(planar.build()), "joint 'b': URDF has no armature of a planar joint");
  Mechanism moon = MechanismBuilder("m").body("b", ground, joints::fixed()).build();
  moon.gravity = {0, 0, -1.62};
  std::vector<std::string> warnings;
  write_urdf(moon, &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "URDF has no gravity: (0, 0, -1.62) is not written");
}

}  // namespace urdf_writer_test
