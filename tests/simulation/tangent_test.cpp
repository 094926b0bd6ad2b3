/// Tangents of forces, assembled densely, against central differences of the generalized force.
#include <gtest/gtest.h>

#include <map>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/lie/rotation_vector.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "chasles/simulation/shape_contact.hpp"
#include "chasles/simulation/stops.hpp"
#include "support/allocation.hpp"
#include "support/dense_force_tangent.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/matrices.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace tangent_test {

using Eigen::MatrixXd, Eigen::VectorXd;
using test::JointKind;

/// The generalized force Q = tau + J^T W of forces, by inverse dynamics with and without wrenches.
class Generalized {
 public:
  Generalized(const Forces& forces, const Model& model)
      : forces_(forces), model_(model), kin_(model), inverse_(model), zero_(model.nv()) {}
  VectorXd operator()(double t, const VectorXd& q, const VectorXd& v) {
    forward_kinematics(model_, q, v, kin_);
    JointForces acting{Vector(model_.nv()), {}};
    forces_.apply(t, kin_, acting);
    VectorXd Q = acting.tau;
    Q += inverse_dynamics(model_, q, zero_, zero_, inverse_);
    Q -= inverse_dynamics(model_, q, zero_, zero_, inverse_, acting.wrenches);
    return Q;
  }

 private:
  Forces forces_;
  Model model_;
  VelocityKinematics kin_;
  InverseDynamics inverse_;
  Vector zero_;
};

struct Compared {
  int columns = 0, left_out = 0;
  double size = 0;
};

/// Differences with two steps that disagree are left out: the force is not smooth between them.
Compared compare(const Model& model, const std::vector<Force>& list, double t, const VectorXd& q,
                 const VectorXd& v, double tolerance, double h = 2e-3) {
  Forces forces;
  for (const Force& force : list) forces.add(force);
  const std::string& name = list.front().name;
  EXPECT_TRUE(forces.has_tangent()) << name;
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  ForceTangent tangent;
  forces.tangent(t, kin, tangent);
  const test::DenseForceTangent dense = test::DenseAssembly(model, q, v)(tangent);
  Generalized Q(forces, model);
  const double scale =
      1 + test::largest(dense.by_q) + test::largest(dense.by_v) + test::largest(Q(t, q, v));
  Compared out;
  for (int k = 0; k < model.nv(); ++k) {
    const VectorXd unit = VectorXd::Unit(model.nv(), k);
    const auto along_q = [&](double s) {
      VectorXd moved(model.nq());
      plus(model, q, s * unit, moved);
      return Q(t, moved, v);
    };
    const auto along_v = [&](double s) { return Q(t, q, v + s * unit); };
    const auto check = [&](const auto& along, const VectorXd& column, const char* by) {
      const VectorXd fine = test::derivative(along, h / 2), coarse = test::derivative(along, h);
      if (test::largest(fine - coarse) > 0.1 * tolerance * scale) {
        ++out.left_out;
        return;
      }
      ++out.columns;
      out.size = std::max(out.size, test::largest(fine));
      EXPECT_LE(test::largest(fine - column), tolerance * scale)
          << name << " by " << by << " " << k << " of " << model.nv() << "\n"
          << fine.transpose() << "\n"
          << column.transpose();
    };
    check(along_q, dense.by_q.col(k), "q");
    check(along_v, dense.by_v.col(k), "v");
  }
  return out;
}

struct Sample {
  Model model;
  VectorXd q, v;
};
Sample sample(std::mt19937_64& generator, int bodies, bool tree) {
  Sample s{compile(test::random_mechanism(generator, {.bodies = bodies, .tree = tree})), {}, {}};
  s.q = test::random_configuration(s.model, generator, 0.6);
  s.v = test::random_vector(s.model.nv(), generator);
  return s;
}
Signal wave(double amplitude, double phase) {
  return signals::sinusoid({amplitude, 0.7, phase, 0.3});
}
std::string name_of(int body) { return body < 0 ? "ground" : "body" + std::to_string(body); }

/// Every joint of random mechanisms with every type of joint.
TEST(Tangent, of_forces_in_joints) {
  std::mt19937_64 generator(21);
  for (const bool tree : {false, true}) {
    const Sample s = sample(generator, 16, tree);
    std::vector<Force> friction, stiction, torques, springs, holds;
    for (const ModelJoint& joint : s.model.joints()) {
      if (joint.nv == 0) continue;
      const std::string& name = joint.name;
      const auto n = static_cast<std::size_t>(joint.nv);
      friction.push_back(joint_friction(s.model, name, {0.4, 3, 0.5}));
      torques.push_back(joint_torque(s.model, name, std::vector<Signal>(n, wave(2, 0.4))));
      if (joint.is_vector())
        stiction.push_back(joint_friction(
            s.model, name, {.viscous = 0.2, .coulomb = 2, .velocity = 0.3, .stick = true}));
      if (joint.has_position()) continue;
      std::vector<double> rest(static_cast<std::size_t>(joint.nq), 0.3);
      for (const JointCoordinate& c : joint.coordinates)
        if (c.kind == CoordinateKind::quaternion)
          std::ranges::copy(std::array{0.8, 0.0, 0.6, 0.0},
                            rest.begin() + c.q_index - joint.q_index);
      springs.push_back(joint_spring_damper(s.model, name, 7, 0.3, rest));
      std::vector<Signal> target(rest.begin(), rest.end());
      if (joint.coordinates.back().is_scalar()) target.back() = wave(0.5, 1);
      holds.push_back(pd_hold(s.model, name, 5, 0.6, target));
    }
    ASSERT_GT(holds.size(), 12u);
    for (const auto& list : {friction, stiction, torques, springs, holds})
      EXPECT_EQ(compare(s.model, list, 0.37, s.q, s.v, 1e-10).left_out, 0) << list.front().name;
  }
}

/// Friction that a run manages: its direction does not depend on the velocity.
TEST(Tangent, of_managed_friction_is_viscous) {
  std::mt19937_64 generator(29);
  const Sample s = sample(generator, 16, true);
  const Force force = joint_friction(s.model, vector_joints(s.model)[0],
                                     {.viscous = 0.2, .coulomb = 2, .velocity = 3, .stick = true});
  for (const Stiction& stick : force.sticks) *stick.direction = 1;
  EXPECT_EQ(compare(s.model, {force}, 0, s.q, s.v, 1e-10).left_out, 0);
}

TEST(Tangent, of_wrenches_in_every_representation) {
  std::mt19937_64 generator(22);
  for (const bool tree : {false, true})
    for (int n = 0; n < 3; ++n) {
      const Sample s = sample(generator, 8, tree);
      for (const Representation rep : {Representation::body, Representation::spatial,
                                       Representation::hybrid, Representation::mixed})
        for (const char* body : {"body7", "frame4", "body2"}) {
          const Force force = body_wrench(
              s.model, {body, {0.3, -0.2, 0.5}},
              {wave(1, 0), wave(2, 1), wave(-1, 2), wave(3, 3), wave(-2, 4), wave(2, 5)}, rep);
          const Compared c = compare(s.model, {force}, 0.2, s.q, s.v, 1e-9, 5e-3);
          EXPECT_EQ(c.left_out, 0);
        }
    }
}

TEST(Tangent, of_springs_between_points) {
  std::mt19937_64 generator(23);
  std::uniform_int_distribution<int> any(-1, 7);
  int compared = 0;
  for (const bool tree : {false, true})
    for (int n = 0; n < 12; ++n) {
      const Sample s = sample(generator, 8, tree);
      const std::string a = name_of(any(generator)), b = name_of(any(generator));
      if (s.model.frame(a).link == s.model.frame(b).link) continue;
      for (const double length : {0.0, 1.5})
        for (const double damping : {0.0, 0.8}) {
          const Force force = point_spring_damper(s.model, {a, {0.2, 0.5, -0.3}},
                                                  {b, {-0.4, 0.1, 0.6}}, 9, damping, length);
          compared += compare(s.model, {force}, 0, s.q, s.v, 1e-9).columns;
        }
    }
  EXPECT_GT(compared, 1500);
}

/// Forces by an expression that couples every joint with the next one, and tensions.
TEST(Tangent, of_expressions) {
  std::mt19937_64 generator(31);
  for (const bool tree : {false, true}) {
    const Sample s = sample(generator, 12, tree);
    const std::vector<std::string> joints = vector_joints(s.model);
    ASSERT_GT(joints.size(), 3u);
    std::vector<Force> list;
    for (std::size_t i = 0; i < joints.size(); ++i) {
      const ModelJoint& joint = s.model.joint(joints[i]);
      const std::string other = ".{" + joints[(i + 1) % joints.size()] + "}.0",
                        own = ".{" + joint.name + "}.0";
      std::vector<std::string> texts(static_cast<std::size_t>(joint.nv),
                                     "3*q" + own + "*sin(q" + other + ") - 0.2*v" + own +
                                         "^3 + t*v" + other + "*exp(-q" + other + "^2)");
      list.push_back(expression_force(s.model, joint.name, texts));
    }
    EXPECT_EQ(compare(s.model, list, 0.37, s.q, s.v, 1e-9).left_out, 0);
    const Force tension = point_expression(s.model, {"ground", {0.2, 0.5, -0.3}},
                                           {"body7", {-0.4, 0.1, 0.6}}, "9*(d - 1)^3 + d*d_dot");
    EXPECT_GT(compare(s.model, {tension}, 0, s.q, s.v, 1e-8).columns, 10);
  }
}

/// Full matrices, preload and large rotations; both bodies, and ground on either side.
TEST(Tangent, of_bushings) {
  std::mt19937_64 generator(32);
  std::uniform_int_distribution<int> any(-1, 7);
  std::normal_distribution<double> normal;
  int compared = 0;
  for (int n = 0; n < 16; ++n) {
    const Sample s = sample(generator, 8, n % 2 == 0);
    Bushing given{{name_of(any(generator)), {0.2, 0.5, -0.3}},
                  {name_of(any(generator)), {-0.4, 0.1, 0.6}},
                  exp(Vec3{0.3, -0.2, 0.5}),
                  exp(Vec3{-0.6, 0.1, 0.2})};
    if (s.model.frame(given.a.body).link == s.model.frame(given.b.body).link) continue;
    for (auto* matrix : {&given.stiffness, &given.damping}) {
      const MatrixXd G = MatrixXd::NullaryExpr(6, 6, [&] { return normal(generator); });
      Eigen::Map<Eigen::Matrix<double, 6, 6>>(matrix->data()) = G * G.transpose();
    }
    for (double& x : given.preload) x = normal(generator);
    compared += compare(s.model, {bushing(s.model, given)}, 0, s.q, s.v, 1e-8, 1e-3).columns;
  }
  EXPECT_GT(compared, 150);
}

TEST(Tangent, of_drag_and_spring_tables) {
  std::mt19937_64 generator(33);
  for (const bool tree : {false, true}) {
    const Sample s = sample(generator, 8, tree);
    for (const char* body : {"body7", "frame4"})
      EXPECT_EQ(compare(s.model,
                        {point_drag(s.model, {body, {0.3, -0.2, 0.5}},
                                    {.viscous = 0.4, .quadratic = 1.3, .wind = {0.3, 1, -2}})},
                        0, s.q, s.v, 1e-9)
                    .left_out,
                0);
    for (const ModelJoint& joint : s.model.joints())
      for (const double damping : {0.0, 0.7}) {
        if (joint.nv != 1) continue;
        EXPECT_EQ(compare(s.model,
                          {joint_spring_table(s.model, joint.name, {-3, -1.5, 1.5, 3},
                                              {4, 3, -2, -7}, damping, TableInterpolation::cubic)},
                          0, s.q, s.v, 1e-9)
                      .left_out,
                  0);
      }
  }
}

/// Of several joints, and of two points; through three there is none.
TEST(Tangent, of_tendons) {
  std::mt19937_64 generator(34);
  for (const bool tree : {false, true}) {
    const Sample s = sample(generator, 8, tree);
    Tendon joints{.name = "joints", .stiffness = 7, .damping = 0.6, .rest = {-9, -9}};
    for (const ModelJoint& joint : s.model.joints())
      if (joint.is_vector())
        joints.terms.push_back({joint.name, 1.0 + joint.v_index, joint.nv - 1});
    ASSERT_GT(joints.terms.size(), 2u);
    EXPECT_EQ(compare(s.model, {tendon_force(s.model, joints)}, 0, s.q, s.v, 1e-9).left_out, 0);
    joints.rest = {-1e6, 1e6};  // slack
    EXPECT_EQ(compare(s.model, {tendon_force(s.model, joints)}, 0, s.q, s.v, 1e-9).left_out, 0);
    Tendon line{.name = "line",
                .points = {{"body2", 1.7}, {"body7"}},
                .stiffness = 7,
                .damping = 0.6,
                .rest = {0.3, 0.3}};
    EXPECT_GT(compare(s.model, {tendon_force(s.model, line)}, 0, s.q, s.v, 1e-8).columns, 10);
    line.points.push_back({"ground"});
    EXPECT_FALSE(tendon_force(s.model, line).law.tangent);
  }
}

/// A spring of no length whose ends coincide is smooth; one with a length is refused as by apply.
TEST(Tangent, of_a_spring_whose_ends_coincide) {
  std::mt19937_64 generator(24);
  Sample s = sample(generator, 3, false);
  const Vec3 at{0.1, 0.2, 0.3};
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.q, s.v, kin);
  const Vec3 there = pose(kin, s.model.frame("body2").at({SO3{}, at})).r;
  EXPECT_EQ(
      compare(s.model, {point_spring_damper(s.model, {"ground", there}, {"body2", at}, 9, 0, 0)}, 0,
              s.q, s.v, 1e-8)
          .left_out,
      0);
  Forces forces;
  forces.add(point_spring_damper(s.model, {"ground", there}, {"body2", at}, 9, 0, 1));
  ForceTangent tangent;
  EXPECT_SAYS(forces.tangent(3, kin, tangent), "coincide", "t = 3");
}

/// Balls and boxes against planes and spheres, of ground and of other bodies.
std::vector<Contact> contacts(const std::string& a, const std::string& b, const ContactLaw& law) {
  const std::vector<Vec3> points = box_corners({0.5, 0.8, 1.1}, {0.2, -0.1, 0.3});
  const ContactSurface plane{.body = b, .point = {0.1, 0.4, 1.3}, .normal = {0.3, -0.5, 1}};
  const ContactSurface sphere{
      .kind = ContactSurface::sphere, .body = b, .point = {0.2, 0.1, -0.3}, .radius = 1.1};
  return {{"points on plane", {a, points}, plane, law},
          {"balls on plane", {a, points, 0.4}, plane, law},
          {"points on sphere", {a, points}, sphere, law},
          {"balls on sphere", {a, points, 0.5}, sphere, law}};
}
TEST(Tangent, of_contacts) {
  std::mt19937_64 generator(25);
  std::uniform_int_distribution<int> any(-1, 11);
  const ContactLaw laws[] = {
      {.stiffness = 30, .exponent = 1.5, .dissipation = 0.05, .friction = 0.7, .velocity = 0.8},
      {.stiffness = 20,
       .exponent = 1,
       .dissipation = 0.1,
       .friction = 0.5,
       .velocity = 2,
       .torsional_friction = 0.6,
       .rolling_friction = 0.8,
       .angular_velocity = 1.5},
      {.stiffness = 10, .exponent = 2.2, .dissipation = 0.4}};
  Compared all;
  int ground_side[2] = {0, 0};
  for (int n = 0; n < 24; ++n) {
    const Sample s = sample(generator, 12, n % 2 == 0);
    const int i = n < 4 ? -1 : any(generator), j = n >= 4 && n < 8 ? -1 : any(generator);
    const std::string a = name_of(i), b = name_of(j);
    if (s.model.frame(a).link == s.model.frame(b).link) continue;
    for (const Contact& c : contacts(a, b, laws[n % 3])) {
      const Compared one = compare(s.model, {contact(s.model, c)}, 0, s.q, s.v, 2e-9, 1e-3);
      all.columns += one.size > 0 ? one.columns : 0, all.left_out += one.left_out;
      for (const int side : {0, 1})
        ground_side[side] += one.size > 0 && s.model.frame(side == 0 ? a : b).link < 0;
    }
  }
  EXPECT_GT(all.columns, 3000);
  EXPECT_LT(all.left_out, 0.2 * all.columns);
  for (const int count : ground_side) EXPECT_GT(count, 2);
}

/// Every kind of shape against a plane, and all pairs that have a closed form.
std::vector<ShapeContact> shape_contacts(const std::string& a, const std::string& b,
                                         const ContactLaw& law) {
  using enum CollisionShape::Kind;
  const SE3 here{exp(Vec3{0.4, -0.3, 0.8}), {0.2, -0.1, 0.3}},
      there{exp(Vec3{0.3, 0.5, 0}), {0.1, 0.4, 1.3}};
  const auto one = [&](CollisionShape::Kind kind, const Vec3& size) {
    return CollisionShape{.kind = kind, .body = a, .size = size, .pose = here};
  };
  const auto other = [&](CollisionShape::Kind kind, const Vec3& size) {
    return CollisionShape{.kind = kind, .body = b, .size = size, .pose = there};
  };
  std::vector<ShapeContact> list;
  for (const CollisionShape& shape :
       {one(sphere, {0.9, 0, 0}), one(capsule, {0.6, 1.5, 0}), one(box, {1.5, 1.2, 2}),
        one(cylinder, {0.8, 1.3, 0}), one(ellipsoid, {0.7, 1.1, 1.6})})
    list.push_back({"plane", shape, other(plane, {}), law, 0.1});
  list.push_back({"spheres", one(sphere, {1.5, 0, 0}), other(sphere, {1, 0, 0}), law, 0});
  list.push_back({"capsules", one(capsule, {1, 2, 0}), other(capsule, {1.2, 3, 0}), law, 0.1});
  list.push_back(
      {"sphere and capsule", one(sphere, {1.4, 0, 0}), other(capsule, {1.2, 2, 0}), law, 0});
  list.push_back({"sphere and box", one(sphere, {2, 0, 0}), other(box, {0.7, 1.2, 0.5}), law, 0.1});
  return list;
}
TEST(Tangent, of_shape_contacts) {
  std::mt19937_64 generator(26);
  std::uniform_int_distribution<int> any(-1, 11);
  const ContactLaw laws[] = {
      {.stiffness = 30, .exponent = 1.5, .dissipation = 0.05, .friction = 0.7, .velocity = 0.8},
      {.stiffness = 20,
       .exponent = 1,
       .dissipation = 0.1,
       .friction = 0.5,
       .velocity = 2,
       .torsional_friction = 0.6,
       .rolling_friction = 0.8,
       .angular_velocity = 1.5},
      {.stiffness = 10, .exponent = 2.2, .dissipation = 0.4}};
  std::map<std::string, int> columns;
  int left_out = 0, all = 0;
  for (int n = 0; n < 24; ++n) {
    const Sample s = sample(generator, 12, n % 2 == 0);
    const int i = n < 4 ? -1 : any(generator), j = n >= 4 && n < 8 ? -1 : any(generator);
    const std::string a = name_of(i), b = name_of(j);
    if (s.model.frame(a).link == s.model.frame(b).link) continue;
    for (const ShapeContact& c : shape_contacts(a, b, laws[n % 3])) {
      const Compared one = compare(s.model, {shape_contact(s.model, c)}, 0, s.q, s.v, 2e-9, 1e-3);
      if (one.size > 0) columns[c.name] += one.columns, all += one.columns;
      left_out += one.left_out;
    }
  }
  EXPECT_EQ(columns.size(), 5U);
  for (const auto& [name, count] : columns) EXPECT_GT(count, 100) << name;
  EXPECT_LT(left_out, 0.2 * all);
}

Model stopped() {
  return compile(MechanismBuilder("stopped")
                     .body("arm", ground, joints::revolute({0, 1, 0}))
                     .limits(-1, 0.5)
                     .inertia(1, {0.3, 0, 0}, Sym3::diagonal(1, 1, 1))
                     .build());
}
TEST(Tangent, of_stops) {
  const Model model = stopped();
  const Force stop = joint_stop(model, "arm", {.stiffness = 20, .damping = 5, .depth = 0.2});
  for (const double q : {-1.5, -1.1, 0.0, 0.55, 0.62, 0.9})
    for (const double v : {-3.0, -0.4, 0.3, 2.0}) {
      const Compared c =
          compare(model, {stop}, 0, VectorXd::Constant(1, q), VectorXd::Constant(1, v), 1e-9, 1e-3);
      EXPECT_EQ(c.left_out, 0) << q << " " << v;
    }
}

TEST(Tangent, of_control) {
  std::mt19937_64 generator(26);
  const Sample s = sample(generator, 16, true);
  const std::vector<std::string> joints = vector_joints(s.model);
  std::vector<Reference> references;
  for (const std::string& name : joints)
    for (int k = 0; k < s.model.joint(name).nv; ++k)
      references.push_back(references::sinusoid({0.4, 0.6, 0.1 * k, 0.2}));
  Controller c = pd_control(s.model, joints, references, {.stiffness = {8}, .damping = {0.7}});
  EXPECT_EQ(compare(s.model, {control(c)}, 0.3, s.q, s.v, 1e-10).left_out, 0);
  // Some motors are saturated, some are not.
  c.max_effort.assign(joints.size(), 3.0);
  const Compared saturated = compare(s.model, {control(c)}, 0.3, s.q, s.v, 1e-10);
  EXPECT_EQ(saturated.left_out, 0);
  Forces forces;
  forces.add(control(c));
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.q, s.v, kin);
  ForceTangent tangent;
  forces.tangent(0.3, kin, tangent);
  EXPECT_GT(tangent.joints.size(), 3u);
  EXPECT_LT(tangent.joints.size() + 3, references.size());
  // Constant between samples.
  c.period = 0.1;
  forces = {};
  forces.add(control(c));
  forces.sample(0, kin);
  forces.tangent(0.05, kin, tangent);
  EXPECT_TRUE(forces.has_tangent());
  EXPECT_TRUE(tangent.joints.empty() && tangent.elements.empty());
}

TEST(Tangent, is_missing_where_no_formula_is_known) {
  std::mt19937_64 generator(27);
  const Sample s = sample(generator, 5, true);
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.q, s.v, kin);
  const std::vector<std::string> all = vector_joints(s.model);
  ForceTangent tangent;
  Forces forces;
  EXPECT_TRUE(forces.has_tangent());
  forces.add(joint_dynamics(s.model).empty() ? joint_friction(s.model, all[0], {1, 0})
                                             : joint_dynamics(s.model)[0]);
  EXPECT_TRUE(forces.has_tangent());
  Forces with_law = forces;
  with_law.add(control(gravity_compensation(s.model, all)));
  EXPECT_FALSE(with_law.has_tangent());
  EXPECT_SAYS(with_law.tangent(0, kin, tangent), "'gravity compensation'", "no tangent");
  forces.add({"mine", s.model, [](double, const VelocityKinematics&, JointForces&) {}});
  EXPECT_FALSE(forces.has_tangent());
  EXPECT_SAYS(forces.tangent(0, kin, tangent), "'mine'", "no tangent");
}

/// A user's force with members.
struct Drag {
  double c;
  void operator()(double, const VelocityKinematics& kin, JointForces& out) const {
    for (int k = 0; k < out.tau.size(); ++k) out.tau[k] -= c * std::pow(kin.v()[k], 3);
  }
  void tangent(double, const VelocityKinematics& kin, ForceTangent& out) const {
    for (int k = 0; k < kin.v().size(); ++k)
      out.joints.push_back({.v = k, .size = 1, .D = {3 * c * kin.v()[k] * kin.v()[k]}});
  }
};
TEST(Tangent, of_an_object_is_its_member) {
  std::mt19937_64 generator(28);
  const Sample s = sample(generator, 16, true);
  EXPECT_EQ(compare(s.model, {{"drag", s.model, Drag{0.4}}}, 0, s.q, s.v, 1e-10).left_out, 0);
}

TEST(Tangent, outside_the_model_is_refused) {
  const Model model = stopped();
  VelocityKinematics kin(model);
  forward_kinematics(model, Vector{0.1}, Vector{0.2}, kin);
  ForceTangent tangent;
  const auto with = [&](auto terms) {
    Force force{"wild", model, [](double, const VelocityKinematics&, JointForces&) {}};
    force.law.tangent = [=](double, const VelocityKinematics&, ForceTangent& out) { terms(out); };
    Forces forces;
    forces.add(force);
    forces.tangent(0, kin, tangent);
  };
  EXPECT_SAYS(with([](auto& out) { out.joints.push_back({.v = 1, .size = 1}); }), "'wild'",
              "1 entries from 1", "v has 1");
  EXPECT_SAYS(with([](auto& out) { out.joints.push_back({.v = -1, .size = 1}); }), "from -1");
  EXPECT_SAYS(with([](auto& out) { out.joints.push_back({.v = 0, .size = 4}); }), "4 entries");
  EXPECT_SAYS(with([](auto& out) { out.joints.push_back({.v = 0, .size = 0}); }), "0 entries");
  EXPECT_SAYS(with([](auto& out) { out.elements.push_back({.a = -1, .b = 1, .p = {}}); }), "link 1",
              "there are 1");
  EXPECT_SAYS(with([](auto& out) { out.elements.push_back({.a = -2, .b = 0, .p = {}}); }),
              "link -2");
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(Tangent, and_forces_do_not_allocate) {
  std::mt19937_64 generator(30);
  const Sample s = sample(generator, 16, true);
  const std::vector<std::string> joints = vector_joints(s.model);
  Forces forces;
  std::size_t n = 0;
  for (const std::string& name : joints) {
    n += static_cast<std::size_t>(s.model.joint(name).nv);
    forces.add(joint_friction(s.model, name, {0.4, 3, 0.5}));
    forces.add(joint_spring_damper(s.model, name, 7, 0.3));
  }
  forces.add(control(pd_control(s.model, joints, std::vector<Reference>(n, 0.2),
                                {.stiffness = {2}, .damping = {1}, .gravity = true})));
  forces.add(body_wrench(s.model, {"body3", {}}, {1, 2, 3, 4, 5, 6}, Representation::body));
  forces.add(point_spring_damper(s.model, {"body1", {}}, {"body9", {0, 0, 2}}, 9, 1, 0.5));
  for (const Contact& c : contacts("body2", "ground", {.stiffness = 30, .friction = 0.5}))
    forces.add(contact(s.model, c));
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.q, s.v, kin);
  ForceTangent tangent;
  JointForces out{Vector(s.model.nv()), {}}, scratch = out;
  long before = 0;
  for (int k = 0; k < 10; ++k) {
    if (k == 1) before = test::allocations;
    out.wrenches.clear();
    forces.apply(0, kin, out);
    forces.tangent(0, kin, tangent);
    forces.power(0, kin, scratch);
    forces.potential(kin);
  }
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_GT(tangent.elements.size(), 3u);
}
#endif

}  // namespace tangent_test
}  // namespace chasles
