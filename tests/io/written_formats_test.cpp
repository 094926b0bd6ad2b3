/// Mechanisms written as URDF, MJCF and SDF and read again: mass matrices, inverse dynamics, poses of all bodies and
/// frames, and constraints of loops agree. The readers share no code with the writers.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <map>
#include <set>

#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/constraints.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/model/keyframe_state.hpp"
#include "chasles/simulation/actuator_force.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_loops.hpp"
#include "support/random_mechanism.hpp"

namespace written_formats_test {

using namespace chasles;
using namespace chasles::test;

struct WrittenFormat {
  const char* name;
  std::string (*write)(const Mechanism&, std::vector<std::string>*);
  Mechanism (*read)(std::string_view, const std::string&, const ReadOptions&);
  bool has_balls;  // and telescoping joints, which begin with one
};
std::string write_urdf_whole(const Mechanism& mechanism, std::vector<std::string>* warnings) {
  return write_urdf(mechanism, warnings);
}
const WrittenFormat all_formats[] = {{"URDF", write_urdf_whole, read_urdf, false},
                                     {"MJCF", write_mjcf, read_mjcf, true},
                                     {"SDF", write_sdf, read_sdf, true}};

/// q' = offset + slope q of joints that follow others: by mimic, or by a coupling.
struct Leader {
  std::string joint;
  double slope, offset;
};
std::map<std::string, Leader> leaders(const Mechanism& m) {
  std::map<std::string, Leader> found;
  for (const Body& body : m.bodies)
    if (body.joint.mimic)
      found[body.joint.name] = {body.joint.mimic->joint, body.joint.mimic->multiplier,
                                body.joint.mimic->offset};
  for (const Coupling& c : m.couplings)
    found[c.terms.at(0).joint] = {c.terms.at(1).joint,
                                  -c.terms[1].coefficient / c.terms[0].coefficient,
                                  c.offset / c.terms[0].coefficient};
  return found;
}

/// What was read, with its coordinates as functions of those that were written: q' of q, v' = N v.
struct Again {
  Mechanism mechanism;
  Model model;
  Eigen::MatrixXd N;
  Eigen::VectorXd q;
};
Again read_again(const Mechanism& mechanism, const Model& from, const WrittenFormat& format,
                 const Eigen::VectorXd& q, std::vector<std::string>* warnings = nullptr) {
  const std::string text = format.write(mechanism, warnings);
  Mechanism m = format.read(text, "written", {});
  m.gravity = mechanism.gravity;  // URDF has none
  const Model to = compile(m);
  Again again{m, to, Eigen::MatrixXd::Zero(to.nv(), from.nv()), Eigen::VectorXd::Zero(to.nq())};
  const auto led = leaders(m);
  int q_at = 0, v_at = 0;
  for (const ModelJoint& joint : to.joints()) {
    if (led.contains(joint.name) && joint.name.ends_with("_slide")) continue;
    EXPECT_LE(v_at + joint.nv, from.nv()) << text;
    if (v_at + joint.nv > from.nv()) return again;
    again.N.block(joint.v_index, v_at, joint.nv, joint.nv).setIdentity();
    again.q.segment(joint.q_index, joint.nq) = q.segment(q_at, joint.nq);
    q_at += joint.nq, v_at += joint.nv;
  }
  EXPECT_EQ(v_at, from.nv()) << format.name << text;
  for (const auto& [name, leader] : led) {
    if (!name.ends_with("_slide")) continue;
    const ModelJoint &joint = to.joint(name), &other = to.joint(leader.joint);
    again.N.row(joint.v_index) = leader.slope * again.N.row(other.v_index);
    again.q[joint.q_index] = leader.slope * again.q[other.q_index] + leader.offset;
  }
  return again;
}

double difference(Mechanism mechanism, const WrittenFormat& format, std::mt19937_64& generator) {
  // Armatures: URDF has none of planar and floating joints, SDF only those of revolute and prismatic ones.
  const bool is_sdf = format.name == std::string("SDF");
  for (Body& body : mechanism.bodies) {
    const JointType type = body.joint.type;
    const bool plain = type == JointType::revolute || type == JointType::prismatic;
    if (type == JointType::planar || type == JointType::floating || (is_sdf && !plain))
      body.joint.armature = 0;
  }
  const Model from = compile(mechanism);
  const Eigen::VectorXd q = random_configuration(from, generator),
                        v = random_vector(from.nv(), generator),
                        a = random_vector(from.nv(), generator);
  const Again again = read_again(mechanism, from, format, q);
  const Model& to = again.model;
  const Eigen::MatrixXd& N = again.N;
  MassMatrix M_here(from), M_there(to);
  InverseDynamics here(from), there(to);
  const Eigen::MatrixXd M = mass_matrix(from, q, M_here),
                        M_again = N.transpose() * mass_matrix(to, again.q, M_there) * N;
  const Eigen::VectorXd Q = inverse_dynamics(from, q, v, a, here),
                        Q_again =
                            N.transpose() * inverse_dynamics(to, again.q, N * v, N * a, there);
  const auto relative = [](const auto& x, const auto& y) {
    return x.size() == 0 ? 0.0
                         : (x - y).cwiseAbs().maxCoeff() / std::max(1.0, x.cwiseAbs().maxCoeff());
  };
  double worst = std::max(relative(M, M_again), relative(Q, Q_again));
  PositionKinematics kin(from), kin_again(to);
  forward_kinematics(from, q, kin);
  forward_kinematics(to, again.q, kin_again);
  const auto compare = [&](const std::string& name) {
    const SE3 A = pose(kin, from.frame(name)), B = pose(kin_again, to.frame(name));
    worst = std::max(
        {worst, norm(A.r - B.r) / std::max(1.0, norm(A.r)), norm(log(inverse(A.R) * B.R))});
  };
  for (const ModelBody& body : from.bodies()) compare(body.name);
  for (const ModelFrame& frame : from.frames()) compare(frame.name);
  return worst;
}

/// Floating joints are written on ground alone; they have a test of their own.
std::vector<JointKind> kinds_of(const WrittenFormat& format) {
  std::vector<JointKind> kinds;
  for (const JointKind& kind : all_joint_kinds()) {
    const bool ball = kind.type == JointType::spherical || kind.type == JointType::telescoping;
    if (kind.parameterization == Parameterization::product && kind.type != JointType::floating &&
        (format.has_balls || !ball))
      kinds.push_back(kind);
  }
  return kinds;
}

TEST(WrittenFormats, random_trees_have_the_same_dynamics) {
  std::mt19937_64 generator(21);
  for (const WrittenFormat& format : all_formats)
    for (int k = 0; k < 30; ++k) {
      const Mechanism mechanism =
          random_mechanism(generator, {.bodies = 12, .tree = true, .kinds = kinds_of(format)});
      EXPECT_LT(difference(mechanism, format, generator), 1e-12)
          << format.name << '\n'
          << format.write(mechanism, nullptr);
    }
}

TEST(WrittenFormats, each_joint_type_by_itself_has_the_same_dynamics) {
  std::mt19937_64 generator(22);
  for (const WrittenFormat& format : all_formats)
    for (const JointKind& kind : kinds_of(format))
      for (int k = 0; k < 5; ++k)
        EXPECT_LT(difference(random_mechanism(generator, {.bodies = 3, .kinds = {kind}}), format,
                             generator),
                  1e-12)
            << format.name << ' ' << joint_type_info(kind.type).name;
}

TEST(WrittenFormats, floating_bases_have_the_same_dynamics) {
  std::mt19937_64 generator(23);
  for (const WrittenFormat& format : all_formats)
    for (int k = 0; k < 10; ++k) {
      Mechanism m = random_mechanism(generator, {.bodies = 1, .kinds = {{JointType::floating}}});
      Mechanism arm = random_mechanism(generator, {.bodies = 4, .kinds = {{JointType::revolute}}});
      m.bodies[0].name = m.bodies[0].joint.name = "base";
      for (FrameDescription& frame : m.frames) frame.body = "base", frame.name = "mark";
      for (Body& body : arm.bodies) {
        if (body.parent == ground) body.parent = "base";
        m.bodies.push_back(body);
      }
      EXPECT_LT(difference(m, format, generator), 1e-12) << format.name;
    }
}

TEST(WrittenFormats, examples_have_the_same_dynamics) {
  std::mt19937_64 generator(24);
  for (const WrittenFormat& format : all_formats)
    for (const char* file : {"examples/puma560.yaml", "examples/cad_arm.yaml", "examples/rcm.yaml",
                             "examples/tutorial/arm.urdf"})
      EXPECT_LT(difference(read_mechanism(file), format, generator), 1e-12)
          << format.name << ' ' << file;
}

int rank_of(const Eigen::MatrixXd& A) {
  if (A.size() == 0) return 0;
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(A);
  return static_cast<int>((svd.singularValues().array() > 1e-9 * svd.singularValues()[0]).count());
}
Eigen::MatrixXd constraint_matrix(const Model& model, const Eigen::VectorXd& q, double& error) {
  Constraints constraints(model);
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  Vector Phi(constraints.constraint_count());
  constraints.constraint_error(kin, Phi);
  error = Phi.size() == 0 ? 0 : Phi.cwiseAbs().maxCoeff();
  constraints.update(kin);
  Matrix B;
  constraints.matrix(kin, B);
  return B;
}

/// Loops that the format has hold where they held, and their equations bind the same velocities.
TEST(WrittenFormats, loops_hold_in_the_same_configurations) {
  std::mt19937_64 generator(25);
  using enum JointType;
  const std::map<std::string, std::vector<JointType>> native{
      {"URDF", {revolute, prismatic, universal, spherical, fixed}},
      {"MJCF", {revolute, spherical, fixed}},
      {"SDF", {revolute, prismatic, helical, universal, spherical, fixed}}};
  for (const WrittenFormat& format : all_formats)
    for (const JointType type : native.at(format.name))
      for (int k = 0; k < 5; ++k) {
        LoopedTree tree = looped_tree(generator, 6, {}, {{revolute}, {prismatic}});
        const Model plain = compile(tree.mechanism);
        // A joint of SDF is closed in the configuration of the file.
        const Vector q = format.name == std::string("SDF") ? plain.neutral() : tree.q;
        tree.mechanism.loops.push_back(random_loop(
            plain, q, "loop", "body5", k % 2 == 0 ? "body1" : "ground", {type}, generator));
        if (plain.frame("body5").link == plain.frame(tree.mechanism.loops[0].bodies[1]).link)
          continue;
        const Model from = compile(tree.mechanism);
        std::vector<std::string> warnings;
        const Again again = read_again(tree.mechanism, from, format, q, &warnings);
        if (format.name != std::string("URDF")) {
          EXPECT_EQ(warnings, std::vector<std::string>{});
        }
        double error = 0, error_again = 0;
        const Eigen::MatrixXd B = constraint_matrix(from, q, error),
                              C = constraint_matrix(again.model, again.q, error_again) * again.N;
        const std::string what = std::string(format.name) + ' ' +
                                 std::string(joint_type_info(type).name) + '\n' +
                                 format.write(tree.mechanism, nullptr);
        EXPECT_LT(error_again, 1e-12) << what;
        Eigen::MatrixXd both(B.rows() + C.rows(), B.cols());
        both << B, C;
        EXPECT_EQ(rank_of(B), rank_of(C)) << what;
        EXPECT_EQ(rank_of(B), rank_of(both)) << what;
      }
}

/// Other loops are written by a joint of a massless body; the mechanism has the same degrees of freedom.
TEST(WrittenFormats, loops_of_other_types_leave_the_same_freedom) {
  std::mt19937_64 generator(26);
  using enum JointType;
  for (const WrittenFormat& format : all_formats)
    for (const JointType type : {cylindrical, planar, translation2, schoenflies}) {
      LoopedTree tree = looped_tree(generator, 8, {}, {{revolute}});
      const Model plain = compile(tree.mechanism);
      tree.mechanism.loops = {
          random_loop(plain, plain.neutral(), "loop", "body7", "ground", {type}, generator)};
      const Model from = compile(tree.mechanism),
                  to = compile(format.read(format.write(tree.mechanism, nullptr), "written", {}));
      double error = 0, error_again = 0;
      const auto B = constraint_matrix(from, from.neutral(), error),
                 C = constraint_matrix(to, to.neutral(), error_again);
      EXPECT_LT(error_again, 1e-12) << format.name;
      EXPECT_EQ(from.nv() - rank_of(B), to.nv() - rank_of(C))
          << format.name << ' ' << joint_type_info(type).name;
    }
}

TEST(WrittenFormats, limits_losses_couplings_rotors_and_gravity_are_kept) {
  Mechanism m = MechanismBuilder("m")
                    .body("a", ground, joints::revolute({0, 0, 1}))
                    .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.1, 0.1, 0.1))
                    .dynamics(0.5, 0.25)
                    .body("b", "a", joints::prismatic({1, 0, 0}))
                    .inertia(2, {}, Sym3::diagonal(0.1, 0.2, 0.15))
                    .body("c", "b", joints::revolute({0, 1, 0}))
                    .inertia(2, {}, Sym3::diagonal(0.1, 0.2, 0.15))
                    .build();
  for (Body& body : m.bodies) body.joint.name = body.name + "_joint";
  m.gravity = {1, 2, 3};
  m.bodies[0].joint.limits = JointLimits{.lower = -1, .upper = 0.5, .velocity = {}, .effort = {}};
  m.bodies[1].joint.mimic = Mimic{"a_joint", 3, 0.5};
  m.couplings.push_back({"gear", {{"a_joint", 2}, {"c_joint", -4}}, 0.1});
  m.bodies[0].joint.rotor = Rotor{1e-3, 50};
  for (const WrittenFormat& format : all_formats) {
    std::vector<std::string> warnings;
    const std::string text = format.write(m, &warnings);
    const Mechanism read = format.read(text, "written", {});
    const Joint& a = read.bodies.at(static_cast<std::size_t>(find_body(read, "a"))).joint;
    EXPECT_EQ(a.limits->lower, -1) << text;
    EXPECT_EQ(a.limits->upper, 0.5);
    EXPECT_EQ(a.dynamics.damping, 0.5);
    EXPECT_EQ(a.dynamics.friction, 0.25);
    const auto led = leaders(read);
    ASSERT_TRUE(led.contains("b_joint")) << text;
    EXPECT_EQ(led.at("b_joint").slope, 3);
    EXPECT_EQ(led.at("b_joint").offset, 0.5);
    // 2 a - 4 c = 0.1: a = 2 c + 0.05.
    ASSERT_TRUE(led.contains("a_joint")) << text;
    EXPECT_DOUBLE_EQ(led.at("a_joint").slope, 2);
    EXPECT_DOUBLE_EQ(led.at("a_joint").offset, 0.05);
    const auto said = [&](const char* part) {
      return std::any_of(warnings.begin(), warnings.end(), [&](const std::string& warning) {
        return warning.find(part) != std::string::npos;
      });
    };
    if (format.name == std::string("URDF"))
      EXPECT_TRUE(said("URDF has no gravity"));
    else
      EXPECT_EQ(read.gravity, m.gravity);
    EXPECT_TRUE(said("has no rotors: this one is written as armature"));
    EXPECT_EQ(a.armature, 2.5) << text;
  }
}

TEST(WrittenFormats, what_a_format_cannot_say_is_named) {
  MechanismBuilder sum("m");
  sum.body("b", ground,
           joints::custom({{{0, 0, 1}, {}, 0}, {{1, 0, 0}, {}, 0}}, Parameterization::sum));
  MechanismBuilder loose("m");
  loose.body("a", ground, joints::revolute({0, 0, 1})).body("b", "a", joints::floating());
  for (const WrittenFormat& format : all_formats)
    EXPECT_SAYS(format.write(sum.build(), nullptr), format.name,
                "has no joint that performs several screws at once");
  EXPECT_SAYS(write_mjcf(loose.build()), "joint 'b': MJCF has floating joints on the world alone");
  EXPECT_SAYS(write_sdf(loose.build()), "joint 'b': SDF has no floating joints");
  EXPECT_SAYS(write_mjcf(Mechanism{}), "MJCF needs a body");
  EXPECT_SAYS(write_sdf(Mechanism{}), "SDF needs a link");
  // Three joints in one relation, massless bodies, a loop that is open at q = 0.
  Mechanism m = MechanismBuilder("m")
                    .body("a", ground, joints::revolute({0, 0, 1}))
                    .body("b", "a", joints::revolute({0, 0, 1}, {1, 0, 0}))
                    .body("c", "b", joints::revolute({0, 0, 1}, {2, 0, 0}))
                    .build();
  m.couplings.push_back({"sum", {{"a", 1}, {"b", 1}, {"c", 1}}, 0});
  m.couplings.back().terms[0].function.polynomial = {0, 0, 1};
  m.loops.push_back({.name = "open",
                     .bodies = {"c", "ground"},
                     .type = JointType::revolute,
                     .geometry = FramesGeometry{{{}, {1, 0, 0}}, {{}, {0, 0, 0}}}});
  const auto warned = [&](const WrittenFormat& format) {
    std::vector<std::string> warnings;
    format.write(m, &warnings);
    std::string all;
    for (const std::string& warning : warnings) all += warning + '\n';
    return all;
  };
  for (const WrittenFormat& format : all_formats)
    EXPECT_NE(warned(format).find("coupling 'sum'"), std::string::npos) << format.name;
  EXPECT_NE(warned(all_formats[1]).find("body 'c' moves and has no mass, which MuJoCo refuses"),
            std::string::npos);
  EXPECT_NE(warned(all_formats[2]).find("loop 'open' is not written: it is open at q = 0"),
            std::string::npos);
}

/// Nothing is lost in silence.
TEST(WrittenFormats, parts_that_a_format_lacks_are_named) {
  Mechanism scene = read_mechanism("examples/mjcf/scene.xml");
  for (CollisionShape& shape : scene.collisions.shapes) shape.margin = 0.01;
  scene.collisions.shapes.push_back({.kind = CollisionShape::mesh, .body = "trunk"});
  for (const WrittenFormat& format : {all_formats[0], all_formats[2]}) {
    std::vector<std::string> warnings;
    const Mechanism again = format.read(format.write(scene, &warnings), "again", {});
    EXPECT_TRUE(again.actuators.empty() && again.keyframes.empty());
    ASSERT_GE(warnings.size(), 4U) << format.name;
    expect_parts(warnings[0],
                 {"actuators such as 'fl_swing', 12 in all, are not written", format.name});
    expect_parts(warnings[1], {"the keyframe 'home' is not written", format.name});
    // The floor is on ground, which SDF has no link for; URDF has no planes.
    expect_parts(warnings[2], {"collision shapes such as 'floor', 2 in all", "YAML keeps them"});
    expect_parts(warnings[3], {"of collision shapes, ", "margins, layers, listed and excluded"});
    EXPECT_EQ(again.collisions.shapes.size(), 5U) << format.name;
  }
  std::vector<std::string> warnings;
  write_mjcf(scene, &warnings);
  ASSERT_EQ(warnings.size(), 1U);
  expect_parts(warnings[0], {"collision shape of body 'trunk' is not written", "mesh"});
}

/// Shapes are where they were, and as large.
TEST(WrittenFormats, collision_shapes_are_kept) {
  std::mt19937_64 generator(27);
  using enum CollisionShape::Kind;
  const std::map<std::string, std::vector<CollisionShape::Kind>> kinds{
      {"URDF", {sphere, capsule, box, cylinder}},
      {"MJCF", {plane, sphere, capsule, box, cylinder, ellipsoid}},
      {"SDF", {sphere, capsule, box, cylinder, ellipsoid}}};
  for (const WrittenFormat& format : all_formats) {
    Mechanism m = random_mechanism(generator, {.bodies = 4, .kinds = {{JointType::revolute}}});
    const bool has_friction = format.name != std::string("URDF");
    for (const CollisionShape::Kind kind : kinds.at(format.name)) {
      const Eigen::VectorXd x = random_vector(6, generator);
      CollisionShape shape{.kind = kind,
                           .name = "shape_" + std::string(collision_kind_name(kind)),
                           .body = kind == plane ? std::string(ground) : m.bodies.back().name,
                           .pose = {exp(Vec3{x[0], x[1], x[2]}), {x[3], x[4], x[5]}}};
      const int count = kind == plane                         ? 0
                        : kind == sphere                      ? 1
                        : kind == capsule || kind == cylinder ? 2
                                                              : 3;
      for (int k = 0; k < count; ++k) shape.size[k] = 0.1 + 0.3 * k + 0.01 * std::abs(x[k]);
      if (has_friction) shape.friction = 0.25;
      m.collisions.shapes.push_back(shape);
    }
    std::vector<std::string> warnings;
    const std::string text = format.write(m, &warnings);
    const Mechanism again = format.read(text, "written", {});
    for (const std::string& warning : warnings)
      EXPECT_EQ(warning.find("collision"), std::string::npos) << warning;
    ASSERT_EQ(again.collisions.shapes.size(), m.collisions.shapes.size()) << text;
    const ReferenceGeometry here = reference_geometry(m), there = reference_geometry(again);
    const auto at = [](const Mechanism& mechanism, const ReferenceGeometry& geometry,
                       const CollisionShape& shape) {
      const int body = find_body(mechanism, shape.body);
      return body < 0 ? shape.pose : geometry.A[static_cast<std::size_t>(body)] * shape.pose;
    };
    for (const CollisionShape& a : m.collisions.shapes) {
      const auto b = std::ranges::find(again.collisions.shapes, a.kind, &CollisionShape::kind);
      ASSERT_NE(b, again.collisions.shapes.end());
      EXPECT_LT(norm(a.size - b->size), 1e-15) << text;
      EXPECT_EQ(a.friction, b->friction);
      EXPECT_LT(distance(at(m, here, a), at(again, there, *b)), 1e-12) << text;
    }
  }
}

TEST(WrittenFormats, say_that_visuals_are_left_out) {
  const Mechanism seen = read_yaml(
      "{chasles: 1, bodies: [{name: a, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: "
      "1}, visuals: [{shape: sphere, radius: 1}, {shape: box, size: [1, 1, 1]}]}]}",
      "seen");
  for (const WrittenFormat& format : all_formats) {
    std::vector<std::string> warnings;
    format.write(seen, &warnings);
    const auto said = std::ranges::find_if(warnings, [](const std::string& warning) {
      return warning.find("visuals such as 'a', 2 in all") != std::string::npos;
    });
    EXPECT_NE(said, warnings.end()) << format.name;
  }
}

/// Contact properties that MJCF has.
TEST(WrittenFormats, mjcf_keeps_contacts) {
  Mechanism m = MechanismBuilder("m")
                    .body("a", ground, joints::prismatic({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .body("b", ground, joints::prismatic({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .body("c", "b", joints::prismatic({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .build();
  const auto ball = [](const char* name, const char* body) {
    return CollisionShape{
        .kind = CollisionShape::sphere, .name = name, .body = body, .size = {0.1, 0, 0}};
  };
  auto& [shapes, pairs, excluded, neighbors] = m.collisions;
  shapes = {ball("p", "a"), ball("q", "b"), ball("r", "c"), ball("s", "c"), ball("", "ground")};
  shapes[0].friction = 0, shapes[0].margin = 0.01;
  shapes[1].friction = 0.5, shapes[1].torsional_friction = 0.02, shapes[1].rolling_friction = 0.003;
  shapes[2].layers = 4, shapes[2].touches = 2, shapes[3].torsional_friction = 0.04;
  pairs = {{{"p", "r"}, 0.7, 0.02}, {{"q", "s"}, {}, {}}};
  excluded = {{"a", "ground"}};
  for (const bool near : {false, true}) {
    neighbors = near;
    const Mechanism again = read_mjcf(write_mjcf(m), "again", {});
    EXPECT_EQ(again.collisions.neighbors, near);
    const auto list = [](const Mechanism& mechanism) {
      std::set<std::tuple<std::string, std::string, double, double, double, double>> found;
      for (const CollidingShapes& pair : colliding_pairs(mechanism)) {
        const auto name = [&](int i) {
          return mechanism.collisions.shapes[static_cast<std::size_t>(i)].name;
        };
        const auto [first, second] = std::minmax({name(pair.a), name(pair.b)});
        found.insert({first, second, pair.friction, pair.margin, pair.torsional_friction,
                      pair.rolling_friction});
      }
      return found;
    };
    EXPECT_EQ(list(again), list(m)) << write_mjcf(m);
  }
  // What MJCF refuses is named.
  shapes = {{.kind = CollisionShape::plane, .name = "moving", .body = "a"},
            {.kind = CollisionShape::sphere, .name = "point", .body = "a"},
            {.kind = CollisionShape::sphere,
             .name = "bit",
             .body = "a",
             .size = {1, 0, 0},
             .layers = 0x80000000U}};
  pairs.clear();
  std::vector<std::string> warnings;
  write_mjcf(m, &warnings);
  ASSERT_EQ(warnings.size(), 3U);
  expect_parts(warnings[0], {"'moving'", "does not move"});
  expect_parts(warnings[1], {"'point'", "positive sizes"});
  expect_parts(warnings[2], {"'bit'", "31 bits"});
}

/// The power of actuators that work on joints, on sums of joints, at frames and along tendons.
TEST(WrittenFormats, mjcf_keeps_actuators) {
  Mechanism m = read_yaml(R"(chasles: 1
name: m
bodies:
  - {name: a, joint: {name: ja, type: revolute, axis: [0, 0, 1], limits: {effort: 40}}, inertia: {mass: 1, com: [0.5, 0, 0]}}
  - {name: b, parent: a, joint: {name: jb, type: universal, axis: [0, 0, 1], x_axis: [1, 0, 0], point: [1, 0, 0]}, inertia: {mass: 1, com: [1.5, 0, 0.5], tensor: [1, 0, 0, 1, 0, 1]}}
  - {name: c, parent: b, joint: {name: jc, type: prismatic, axis: [0, 1, 0], limits: {effort: 9}}, inertia: {mass: 1}}
frames:
  - {name: tip, body: c, pose: {xyz: [0.1, 0.2, 0.3], rpy: [0.3, 0.2, 0.1]}}
tendons:
  - {name: rope, points: [tip, a]}
actuators:
  - {name: motor, joints: {ja: -3}, control_range: [-1, 0.5], force_range: [-12, 13]}
  - {name: servo, joints: {jb: {coefficient: 2, coordinate: 1}}, gain: [80, 0, 0], bias: [1, -80, -4]}
  - {name: sum, joints: {ja: 1, jc: -0.5, jb: 0.25}, gain: [1, 2, 3], bias: [0, 0, -1]}
  - {name: thruster, frame: tip, wrench: [1, 2, 3, 4, 5, 6], force_range: [-2, 2]}
  - {name: spin, frame: c, wrench: [0, 0, 1, 0, 0, 0]}
  - {name: winch, tendon: rope, gain: [2, 0, 0], bias: [0, -3, -0.5]}
keyframes:
  - {name: up, time: 0.5, q: {ja: 0.3, jb: [0.1, -0.2], jc: 0.4}, v: {jb: [1, 2], jc: 3}, control: {servo: 0.2, winch: -0.4}}
  - {name: down, control: {sum: 7}}
)",
                          "m.yaml");
  std::vector<std::string> warnings;
  const std::string text = write_mjcf(m, &warnings);
  // The effort limits 40 and 9 would clamp nothing and something; MuJoCo clamps what frames and tendons do as well.
  ASSERT_EQ(warnings.size(), 2U) << text;
  expect_parts(warnings[0], {"joint 'ja': the limit of effort is not written"});
  const Mechanism again = read_mjcf(text, "again", {});
  const Model from = compile(m), to = compile(again);
  ASSERT_EQ(again.actuators.size(), 6U) << text;
  std::mt19937_64 generator(28);
  for (int k = 0; k < 20; ++k) {
    const Eigen::VectorXd q = random_configuration(from, generator),
                          v = random_vector(from.nv(), generator), u = random_vector(6, generator);
    for (std::size_t i = 0; i < 6; ++i) {
      const auto power = [&](const Model& model, const Mechanism& mechanism) {
        VelocityKinematics kin(model);
        forward_kinematics(model, q, v, kin);
        JointForces out{Vector(model.nv()), {}};
        const Actuator& actuator = find_actuator(mechanism, m.actuators[i].name);
        actuator_force(model, actuator, 5 * u[static_cast<int>(i)]).law.add(0, kin, out);
        return out.power(kin);
      };
      const double expected = power(from, m);
      EXPECT_NEAR(power(to, again), expected, 1e-12 * std::max(1.0, std::abs(expected)))
          << m.actuators[i].name << text;
    }
  }
  for (const char* name : {"up", "down"}) {
    const Keyframe &here = find_keyframe(m, name), &there = find_keyframe(again, name);
    EXPECT_EQ(here.time, there.time);
    const auto [q, v] = keyframe_state(from, here);
    const auto [q_again, v_again] = keyframe_state(to, there);
    ASSERT_EQ(q.size(), q_again.size()) << text;
    for (int i = 0; i < static_cast<int>(q.size()); ++i) EXPECT_EQ(q[i], q_again[i]) << text;
    for (int i = 0; i < static_cast<int>(v.size()); ++i) EXPECT_EQ(v[i], v_again[i]) << text;
    for (const ActuatorControl& control : there.control) {
      const auto given =
          std::ranges::find(here.control, control.actuator, &ActuatorControl::actuator);
      EXPECT_EQ(control.value, given == here.control.end() ? 0 : given->value);
    }
  }
}

/// Keyframes of every joint that MJCF can say place all bodies where they were, and give them their velocities.
TEST(WrittenFormats, mjcf_keeps_keyframes) {
  std::mt19937_64 generator(29);
  for (int k = 0; k < 40; ++k) {
    Mechanism m =
        random_mechanism(generator, {.bodies = 8, .tree = true, .kinds = kinds_of(all_formats[1])});
    if (k % 2 == 0) {
      Mechanism base = random_mechanism(generator, {.bodies = 1, .kinds = {{JointType::floating}}});
      base.bodies[0].name = base.bodies[0].joint.name = "base";
      m.bodies.push_back(base.bodies[0]);
    }
    const Model from = compile(m);
    const Eigen::VectorXd q = random_configuration(from, generator),
                          v = random_vector(from.nv(), generator);
    Keyframe key{.name = "random"};
    for (const ModelJoint& joint : from.joints()) {
      if (joint.nq == 0) continue;
      JointValues x{joint.name, {}}, rates{joint.name, {}};
      for (int i = 0; i < joint.nq; ++i) x.values.push_back(q[joint.q_index + i]);
      for (int i = 0; i < joint.nv; ++i) rates.values.push_back(v[joint.v_index + i]);
      key.q.push_back(x), key.v.push_back(rates);
    }
    m.keyframes = {key};
    const std::string text = write_mjcf(m);
    const Mechanism again = read_mjcf(text, "again", {});
    const Model to = compile(again);
    const KeyframeState state = keyframe_state(to, find_keyframe(again, "random"));
    VelocityKinematics here(from), there(to);
    forward_kinematics(from, q, v, here), forward_kinematics(to, state.q, state.v, there);
    for (const ModelBody& body : from.bodies()) {
      const Frame a = from.frame(body.name), b = to.frame(body.name);
      EXPECT_LT(distance(pose(here, a), pose(there, b)), 1e-12) << text;
      const Twist V = twist(here, a, Representation::spatial),
                  W = twist(there, b, Representation::spatial);
      EXPECT_LT(max_abs(V - W), 1e-12 * std::max(1.0, max_abs(V))) << text;
    }
  }
}

/// Three joints of one body stay that, so that MuJoCo finds no body without mass.
TEST(WrittenFormats, mjcf_keeps_several_joints_of_a_body) {
  const char* text =
      "<mujoco><worldbody><body name='b' pos='1 2 3' quat='1 2 3 4'><joint name='x' axis='1 0 0'/>"
      "<joint name='y' axis='0 1 0' pos='0.1 0 0'/><joint name='z' type='slide'/><geom size='1'/>"
      "</body></worldbody></mujoco>";
  const Mechanism m = read_mjcf(text, "m.xml", {});
  ASSERT_EQ(m.bodies.size(), 3U);
  std::vector<std::string> warnings;
  const std::string written = write_mjcf(m, &warnings);
  EXPECT_EQ(warnings, std::vector<std::string>{});
  EXPECT_EQ(written.find("<body"), written.rfind("<body")) << written;
  std::mt19937_64 generator(30);
  EXPECT_LT(difference(m, all_formats[1], generator), 1e-12) << written;
}

/// q_a = offset + f(q_b) in place of a straight line through f(0).
TEST(WrittenFormats, couplings_by_functions_are_kept_or_named) {
  Mechanism m = MechanismBuilder("m")
                    .body("a", ground, joints::revolute({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .body("b", ground, joints::revolute({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .body("c", ground, joints::revolute({0, 0, 1}))
                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                    .build();
  Coupling::Term cubic{"b", -2};
  cubic.function.polynomial = {0.25, 0.5, -0.125, 0.75};
  m.couplings.push_back({"cam", {cubic, {"a", 4}}, 0.5});
  m.couplings.push_back({"sum", {{"a", 1}, {"b", 2}, {"c", -3}}, 0.125});
  for (const WrittenFormat& format : all_formats) {
    std::vector<std::string> warnings;
    const std::string text = format.write(m, &warnings);
    const Mechanism again = format.read(text, "again", {});
    if (format.name != std::string("MJCF")) {
      ASSERT_EQ(std::ranges::count_if(
                    warnings,
                    [](const std::string& warning) { return warning.starts_with("coupling '"); }),
                2)
          << format.name;
      for (const Body& body : again.bodies) EXPECT_FALSE(body.joint.mimic) << text;
      continue;
    }
    EXPECT_EQ(warnings, std::vector<std::string>{});
    const Model model = compile(again);
    Constraints constraints(model);
    PositionKinematics kin(model);
    for (const double x : {-0.5, 0.0, 0.3, 1.1}) {
      const double f = 0.25 + x * (0.5 + x * (-0.125 + x * 0.75)), a = (0.5 + 2 * f) / 4;
      forward_kinematics(model, Vector{a, x, (a + 2 * x - 0.125) / 3}, kin);
      Vector Phi(constraints.constraint_count());
      constraints.constraint_error(kin, Phi);
      ASSERT_EQ(Phi.size(), 2) << text;
      EXPECT_LT(std::max(std::abs(Phi[0]), std::abs(Phi[1])), 1e-14) << text;
    }
  }
  // A quintic, and two functions.
  cubic.function.polynomial = {0, 0, 0, 0, 0, 1};
  m.couplings = {{"quintic", {{"a", 1}, cubic}, 0}, {"both", {cubic, cubic}, 0}};
  m.couplings[1].terms[1].joint = "c";
  std::vector<std::string> warnings;
  write_mjcf(m, &warnings);
  ASSERT_EQ(warnings.size(), 2U);
  expect_parts(warnings[0], {"coupling 'quintic' is not written", "polynomial of degree 4"});
  expect_parts(warnings[1], {"coupling 'both' is not written"});
}

}  // namespace written_formats_test
