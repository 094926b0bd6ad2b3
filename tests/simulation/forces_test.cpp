/// Forces against formulas by hand, and the accounts of their energy against each other: the power
/// of all that a force does is P - dU/dt.
#include "chasles/simulation/forces.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "chasles/mechanism/builder.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

using test::expect_parts;

const Sym3 unit = Sym3::diagonal(1, 1, 1);

/// A slider on ground, a ball joint on it, a free body beside.
Model machine() {
  return compile(MechanismBuilder("machine")
                     .body("slider", ground, joints::prismatic({1, 0, 0}))
                     .inertia(1, {}, unit)
                     .body("ball", "slider", joints::spherical({0, 0, 1}))
                     .inertia(2, {0.1, 0.2, 1.5}, unit)
                     .body("flyer", ground, joints::floating())
                     .inertia(3, {0, 0.1, 0}, unit)
                     .build());
}
struct At {
  Model model = machine();
  VelocityKinematics kin{model};
  JointForces out{Eigen::VectorXd::Zero(model.nv()), {}};
  Eigen::VectorXd q, v;
  explicit At(unsigned seed) : v(Eigen::VectorXd(model.nv())) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1, 1);
    const Vector zero = model.neutral();
    Eigen::VectorXd dv(model.nv());
    for (int i = 0; i < model.nv(); ++i) dv[i] = uniform(random), v[i] = uniform(random);
    q = Eigen::Map<const Eigen::VectorXd>(zero.data(), model.nq());
    plus(model, q, dv, q);
    forward_kinematics(model, q, v, kin);
  }
  JointForces apply(const Force& force, double t = 0) {
    JointForces acting = out;
    force.law.add(t, kin, acting);
    return acting;
  }
  /// d/dt of the potential along v, by central differences.
  double potential_rate(const Force& force) {
    const double h = 1e-5;
    PositionKinematics ahead(model), behind(model);
    Eigen::VectorXd moved(model.nq());
    plus(model, q, h * v, moved);
    forward_kinematics(model, moved, ahead);
    plus(model, q, -h * v, moved);
    forward_kinematics(model, moved, behind);
    return (force.law.potential(ahead) - force.law.potential(behind)) / (2 * h);
  }
};

std::vector<Force> with_energy(const Model& model) {
  return {joint_spring_damper(model, "slider", 3, 0.2, {0.7}),
          joint_spring_damper(model, "ball", 5, 0.3),
          joint_spring_damper(model, "ball", 5, 0, {std::sqrt(0.5), 0, std::sqrt(0.5), 0}),
          point_spring_damper(model, {"ball", {0.1, 0, 0.3}}, {"flyer", {0, 1, 0}}, 7, 0.4, 0.5),
          point_spring_damper(model, {"ground", {1, 2, 3}}, {"flyer", {0, 1, 0}}, 7, 0, 0)};
}

TEST(Forces, power_is_that_of_the_damper_less_the_rate_of_the_stored_energy) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    At at(seed);
    JointForces scratch = at.out;
    for (const Force& force : with_energy(at.model)) {
      Forces alone;
      alone.add(force);
      const double all = at.apply(force).power(at.kin);
      const double lost = alone.power(0, at.kin, scratch);
      EXPECT_LE(lost, 0) << force.name;
      // Central differences leave h^2 = 1e-10 and rounding / h, both times some tens.
      EXPECT_NEAR(all, lost - at.potential_rate(force), 1e-8) << force.name;
    }
  }
}

TEST(Forces, of_joints_by_hand) {
  At at(1);
  const double q = at.q[0], v = at.v[0];
  EXPECT_DOUBLE_EQ(at.apply(joint_spring_damper(at.model, "slider", 3, 0.2, {0.7})).tau[0],
                   -3 * (q - 0.7) - 0.2 * v);
  EXPECT_DOUBLE_EQ(at.apply(joint_friction(at.model, "slider", {0.1, 2, 0.5})).tau[0],
                   -0.1 * v - 2 * std::tanh(v / 0.5));
  EXPECT_DOUBLE_EQ(
      at.apply(pd_hold(at.model, "slider", 4, 0.5, {signals::sinusoid({2, 1, 0, 1})}), 0.25).tau[0],
      -4 * (q - 3) - 0.5 * v);
  EXPECT_EQ(
      at.apply(joint_torque(at.model, "ball",
                            {signals::constant(1), signals::constant(2), signals::constant(3)}))
          .tau.segment<3>(1),
      Eigen::Vector3d(1, 2, 3));
}

TEST(Forces, spring_of_a_ball_joint_pulls_back_along_the_rotation_vector) {
  At at(2);
  const Vec3 x{0.4, -0.8, 1.1};
  Eigen::VectorXd dv = Eigen::VectorXd::Zero(at.model.nv());
  const Vector zero = at.model.neutral();
  dv.segment<3>(1) << x.x, x.y, x.z;
  Eigen::VectorXd q(at.model.nq());
  plus(at.model, Eigen::Map<const Eigen::VectorXd>(zero.data(), at.model.nq()), dv, q);
  q.segment<4>(1) *= -3;  // the same rotation
  forward_kinematics(at.model, q, at.v, at.kin);
  const JointForces f = at.apply(joint_spring_damper(at.model, "ball", 2));
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(f.tau[1 + k], -2 * x[k], 1e-14);
}

TEST(Forces, between_points_are_equal_and_opposite) {
  At at(3);
  const Force spring = point_spring_damper(at.model, {"slider", {}}, {"flyer", {}}, 10, 0, 0.5);
  const JointForces f = at.apply(spring);
  ASSERT_EQ(f.wrenches.size(), 2u);
  EXPECT_EQ(norm(f.wrenches[0].W.f + f.wrenches[1].W.f), 0);
  const Vec3 r = pose(at.kin, at.model.frame("flyer")).r - pose(at.kin, at.model.frame("slider")).r;
  EXPECT_NEAR(norm(f.wrenches[0].W.f), 10 * std::abs(norm(r) - 0.5), 1e-13);
  EXPECT_NEAR(dot(f.wrenches[0].W.f, r), 10 * (norm(r) - 0.5) * norm(r), 1e-12);
}

TEST(Forces, a_wrench_acts_where_it_is_said_to) {
  At at(4);
  const Force push =
      body_wrench(at.model, {"flyer", {1, 2, 3}},
                  {signals::constant(1), signals::constant(2), signals::constant(3),
                   signals::constant(4), signals::constant(5), signals::sinusoid({6, 1})});
  const JointForces f = at.apply(push, 0.25);
  ASSERT_EQ(f.wrenches.size(), 1u);
  EXPECT_EQ(f.wrenches[0].representation, Representation::hybrid);
  const SE3 C = pose(at.kin, at.model.frame("flyer")) * SE3{SO3{}, {1, 2, 3}};
  EXPECT_NEAR(norm(pose(at.kin, f.wrenches[0].frame).r - C.r), 0, 1e-15);
  EXPECT_NEAR(f.wrenches[0].W.f.z, 6, 1e-15);
}

TEST(Forces, what_stores_nothing_does_work) {
  At at(5);
  Forces forces;
  EXPECT_FALSE(forces.works());
  EXPECT_FALSE(static_cast<bool>(forces.function()));
  forces.add(joint_spring_damper(at.model, "slider", 3));
  EXPECT_FALSE(forces.works());
  forces.add(joint_torque(at.model, "slider", {signals::constant(2)}));
  EXPECT_TRUE(forces.works());
  JointForces scratch = at.out;
  EXPECT_DOUBLE_EQ(forces.power(0, at.kin, scratch), 2 * at.v[0]);
  JointForces acting = at.out;
  forces.function()(0, at.kin, acting);
  EXPECT_DOUBLE_EQ(acting.tau[0], 2 - 3 * at.q[0]);
}

TEST(Forces, that_are_not_numbers_are_named) {
  At at(6);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  Forces forces;
  forces.add(joint_torque(at.model, "slider", {signals::constant(1)}));
  forces.add(joint_torque(at.model, "ball",
                          {signals::constant(0), signals::constant(nan), signals::constant(0)}));
  expect_parts(test::message([&] { forces.apply(2.5, at.kin, at.out); }),
               {"torque of joint 'ball'", "nan on joint 'ball'", "t = 2.5"});
  Forces wrenches;
  at.out = {Eigen::VectorXd::Zero(at.model.nv()), {}};
  wrenches.add({"storm", at.model, [](double, const VelocityKinematics& kin, JointForces& out) {
                  out.wrenches.push_back({{1, {}, kin.model().id()},
                                          {{}, {0, std::numeric_limits<double>::infinity(), 0}}});
                }});
  expect_parts(test::message([&] { wrenches.apply(1, at.kin, at.out); }),
               {"'storm'", "inf", "on body 'ball'", "t = 1"});
}

TEST(Forces, that_resize_tau_are_named) {
  At at(8);
  Forces forces;
  forces.add(joint_torque(at.model, "slider", {signals::constant(1)}));
  forces.add({"greedy", at.model,
              [](double, const VelocityKinematics&, JointForces& out) { out.tau.resize(99); }});
  forces.add(joint_torque(at.model, "slider", {signals::constant(1)}));
  const auto n = at.model.nv();
  const auto expect_named = [&](auto call) {
    expect_parts(test::message(call), {"'greedy'", "size of tau", "to 99", "t = 2.5"});
    EXPECT_EQ(at.out.tau.size(), n);
  };
  expect_named([&] { forces.apply(2.5, at.kin, at.out); });
  expect_named([&] { forces.apply_motors(2.5, at.kin, at.out); });
  expect_named([&] { forces.power(2.5, at.kin, at.out); });
  JointForces none;
  expect_parts(test::message([&] { forces.apply(0, at.kin, none); }), {"tau has 0 entries"});
}

TEST(Forces, refuse_what_they_cannot_do) {
  const Model model = machine();
  const double inf = std::numeric_limits<double>::infinity();
  expect_parts(test::message([&] { joint_torque(model, "slidr", {signals::constant(1)}); }),
               {"no joint 'slidr'", "did you mean 'slider'"});
  expect_parts(test::message([&] { joint_torque(model, "ball", {signals::constant(1)}); }),
               {"joint 'ball'", "value has 1 entries", "needs 3"});
  expect_parts(test::message([&] { joint_spring_damper(model, "flyer", 1); }),
               {"joint 'flyer'", "a floating joint has no such force"});
  expect_parts(test::message([&] {
                 joint_spring_damper(model, "ball", 1, 0, {1, 1, 0, 0});
               }),
               {"not a unit quaternion"});
  for (const double bad : {-1.0, std::nan(""), inf}) {
    const std::string value = to_text(bad);
    const auto refused = [&](auto make, const char* force, const char* entry) {
      expect_parts(test::message(make), {force, entry, value.c_str()});
    };
    refused([&] { joint_spring_damper(model, "slider", bad); },
            "spring and damper of joint 'slider'", "stiffness");
    refused([&] { joint_spring_damper(model, "slider", 1, bad); },
            "spring and damper of joint 'slider'", "damping");
    refused(
        [&] {
          joint_friction(model, "slider", {bad, 1});
        },
        "friction of joint 'slider'", "viscous");
    refused(
        [&] {
          joint_friction(model, "slider", {1, bad});
        },
        "friction of joint 'slider'", "coulomb");
    refused(
        [&] {
          joint_friction(model, "slider", {1, 1, bad});
        },
        "friction of joint 'slider'", "velocity");
    refused([&] { pd_hold(model, "slider", bad, 1, {0}); }, "hold of joint 'slider'", "stiffness");
    refused([&] { pd_hold(model, "slider", 1, bad, {0}); }, "hold of joint 'slider'", "damping");
    refused(
        [&] {
          point_spring_damper(model, {"ball", {}}, {"ground", {}}, bad, 0, 0);
        },
        "between 'ball' and 'ground'", "stiffness");
    refused(
        [&] {
          point_spring_damper(model, {"ball", {}}, {"ground", {}}, 0, bad, 0);
        },
        "between 'ball' and 'ground'", "damping");
  }
  expect_parts(test::message([&] {
                 joint_friction(model, "slider", {1, 1, 0});
               }),
               {"velocity 0 is not positive"});
  expect_parts(test::message([&] { pd_hold(model, "slider", 1, 1, {}); }),
               {"target has 0 entries"});
  expect_parts(test::message([&] {
                 point_spring_damper(model, {"bal", {}}, {"ground", {}}, 1, 0, 0);
               }),
               {"no body or frame 'bal'", "did you mean 'ball'"});
  expect_parts(test::message([&] {
                 point_spring_damper(model, {"ball", {}}, {"ground", {}}, 1, 0, -1);
               }),
               {"length -1 is not a length"});
  expect_parts(test::message([&] {
                 point_spring_damper(model, {"ball", {}}, {"ball", {1, 0, 0}}, 1, 0, 1);
               }),
               {"move together"});
  At at(7);
  expect_parts(test::message([&] {
                 const Vec3 there = pose(at.kin, at.model.frame("flyer")).r;
                 at.apply(point_spring_damper(at.model, {"ground", there}, {"flyer", {}}, 1, 0, 1));
               }),
               {"the points coincide"});
}

TEST(Signals, are_constant_wave_and_table) {
  EXPECT_EQ(signals::constant(3)(7), 3);
  EXPECT_DOUBLE_EQ(signals::sinusoid({2, 0.25, M_PI / 2, 1})(1), 1 + 2 * std::cos(M_PI / 2));
  const Signal steps = signals::table({0, 1, 3}, {5, 7, -1});
  EXPECT_EQ(steps(-1), 5);
  EXPECT_EQ(steps(0.5), 6);
  EXPECT_EQ(steps(1), 7);
  EXPECT_EQ(steps(2), 3);
  EXPECT_EQ(steps(4), -1);
  expect_parts(test::message([] { signals::table({}, {}); }), {"0 times and 0 values"});
  expect_parts(test::message([] { signals::table({0, 1}, {1}); }), {"2 times and 1 values"});
  const Signal jump = signals::table({0, 1, 1, 2}, {5, 7, -1, 3});
  EXPECT_EQ(jump(1), -1);
  EXPECT_NEAR(jump(std::nextafter(1, 0)), 7, 1e-14);
  EXPECT_EQ(jump(1.5), 1);
  expect_parts(test::message([] {
                 signals::table({1, 0}, {1, 2});
               }),
               {"do not increase: 0 after 1"});
  expect_parts(test::message([] { signals::table({0, 0, 0}, {1, 2, 3}); }), {"time 0 three times"});
  expect_parts(test::message([] { signals::table({0, NAN}, {1, 2}); }), {"entry 1", "not finite"});
}

}  // namespace
}  // namespace chasles
