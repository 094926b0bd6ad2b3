/// Numbers of files: units, arithmetic, and what is refused.
#include <gtest/gtest.h>

#include <cmath>

#include "chasles/io/mechanism_file.hpp"
#include "math/expression.hpp"
#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace units_test {

double number(const std::string& text) { return evaluate_constant(text).value; }

/// Plain numbers, and products and quotients with pi, are the doubles that C++ computes.
TEST(Units, arithmetic_is_that_of_doubles) {
  EXPECT_EQ(number("0.1"), 0.1);
  EXPECT_EQ(number("-1e-3"), -1e-3);
  EXPECT_EQ(number(".5"), 0.5);
  EXPECT_EQ(number("pi/2"), M_PI / 2);
  EXPECT_EQ(number("-pi"), -M_PI);
  EXPECT_EQ(number("2*pi/3"), 2 * M_PI / 3);
  EXPECT_EQ(number("2*-pi"), -2 * M_PI);
  EXPECT_EQ(number("1 / 3"), 1.0 / 3);
  EXPECT_EQ(number("sqrt(2)/2"), std::sqrt(2.0) / 2);
  EXPECT_EQ(number("1 - 2 - 3"), -4);
  EXPECT_EQ(number("2 + 3*4^2/8"), 8);
  EXPECT_EQ(number("-2^2"), -4);
  EXPECT_EQ(number("2^3^2"), 512);
  EXPECT_EQ(number("2^-1"), 0.5);
  EXPECT_EQ(number("(1 + 2)*(3 - 5)"), -6);
  EXPECT_EQ(number("atan2(1, -1)"), std::atan2(1, -1));
  EXPECT_EQ(number("min(3, max(1, 2)) + abs(-4)"), 6);
  EXPECT_EQ(number("exp(log(1))"), 1);
  EXPECT_EQ(number("sin(0.3)^2 + cos(0.3)*cos(0.3)"),
            std::sin(0.3) * std::sin(0.3) + std::cos(0.3) * std::cos(0.3));
  EXPECT_EQ(number("tan(0.3)"), std::tan(0.3));
}

/// A decimal fraction of a unit is the double of the same decimal in SI.
TEST(Units, decimal_units_are_exact) {
  for (int n = 1; n <= 2000; ++n) {
    const std::string text = std::to_string(n);
    EXPECT_EQ(number(text + " mm"), std::stod(text + "e-3"));
    EXPECT_EQ(number(text + " g"), std::stod(text + "e-3"));
    EXPECT_EQ(number(text + " um"), std::stod(text + "e-6"));
    EXPECT_EQ(number(text + " mm^2"), std::stod(text + "e-6"));
  }
  EXPECT_EQ(number("2.54 cm"), number("1 in"));
  EXPECT_EQ(number("12 in"), number("1 ft"));
  EXPECT_EQ(number("1 lb"), 0.45359237);
}

TEST(Units, of_angles_and_compounds) {
  EXPECT_NEAR(number("30 deg"), M_PI / 6, 1e-16);
  EXPECT_EQ(number("180 deg"), M_PI);
  EXPECT_EQ(number("-90deg"), -M_PI / 2);
  EXPECT_EQ(number("1 rev"), 2 * M_PI);
  EXPECT_DOUBLE_EQ(number("60 rpm"), 2 * M_PI);
  EXPECT_EQ(number("3 N m"), 3);
  EXPECT_EQ(number("3 N*m/rad"), 3);
  EXPECT_EQ(number("5 N/mm"), 5000);
  EXPECT_EQ(number("7.8 g/cm^3"), 7800);
  EXPECT_EQ(number("36 km/h"), 10);
  EXPECT_EQ(number("2 * 40 mm"), 0.08);
  EXPECT_EQ(number("40 mm / 2"), 0.02);
  EXPECT_EQ(number("(1 + 2) mm"), 0.003);
  EXPECT_EQ(number("pi rad"), M_PI);
  EXPECT_EQ(number("40 mm + 1 cm"), 0.05);
  EXPECT_EQ(number("4 mm / (2 mm)"), 2);
  EXPECT_EQ(number("sqrt(9 mm^2)"), number("3 mm"));
  EXPECT_EQ(number("sin(90 deg)"), 1);
  EXPECT_EQ(number("2 min"), 120);
  EXPECT_EQ(evaluate_constant("5 kN").dimension, dimensions::force);
  EXPECT_EQ(evaluate_constant("9 kg m^2").dimension, dimensions::inertia);
  EXPECT_EQ(evaluate_constant("2 J").dimension, evaluate_constant("2 N m").dimension);
  EXPECT_EQ(evaluate_constant("(2 m)^3").dimension, (Dimension{3}));
  EXPECT_TRUE(evaluate_constant("4 mm/2 mm").dimension.is_none());
  EXPECT_EQ(dimension_text(evaluate_constant("3 N m/rad").dimension), "N m/rad");
}

TEST(Units, say_where_an_expression_is_wrong) {
  EXPECT_SAYS(number("5 mmm"), "at column 3: there is no unit 'mmm'", "did you mean 'mm'?");
  EXPECT_SAYS(number("2 pi"), "at column 3", "no unit 'pi'", "write *");
  EXPECT_SAYS(number("sqr(2)"), "at column 1: there is no function 'sqr'; did you mean 'sqrt'?");
  EXPECT_SAYS(number("1 + pii"), "at column 5: there is no name 'pii'; did you mean 'pi'?");
  EXPECT_SAYS(number("sqrt 2"), "at column 1: 'sqrt' is a function; write sqrt(..)");
  EXPECT_SAYS(number("deg"), "at column 1: the unit 'deg' does not follow a number");
  EXPECT_SAYS(number("(1 + 2"), "at column 7: a ')' is missing for the '(' at column 1");
  EXPECT_SAYS(number("1 + "), "at column 5: the expression ends; a number is missing");
  EXPECT_SAYS(number("1 2"), "at column 3: found '2'", "write * for a product");
  EXPECT_SAYS(number("1)"), "at column 2: found ')'", "remove it");
  EXPECT_SAYS(number("3 # 4"), "at column 3: found '#'");
  EXPECT_SAYS(number("2 * µ"), "at column 5: found 'µ'");
  EXPECT_SAYS(number("atan2(1)"), "atan2 has two arguments");
  EXPECT_SAYS(number("sin(1, 2)"), "sin has one argument");
  EXPECT_SAYS(number("1 mm + 1 s"), "at column 6: sum of m and s; give both the same unit");
  EXPECT_SAYS(number("1 mm + 1"), "sum of m and a number without unit");
  EXPECT_SAYS(number("sin(1 mm)"), "sin of m; give a number without unit");
  EXPECT_SAYS(number("exp(1 deg)"), "exp of rad");
  EXPECT_SAYS(number("sqrt(2 m)"), "sqrt of m, which is not a square");
  EXPECT_SAYS(number("(2 m)^0.5"), "a power of m; give a whole exponent");
  EXPECT_SAYS(number("2 m^x"), "exponent of a unit");
  EXPECT_SAYS(number("1e999"), "out of range");
  EXPECT_SAYS(number(""), "the expression ends");
}

/// Texts that are made to exhaust the stack, memory or time.
TEST(Units, refuse_bombs) {
  const std::string deep(1000, '(');
  EXPECT_SAYS(number(deep + "1"), "nested more than 64 deep");
  EXPECT_SAYS(number(std::string(1'000'000, '(')), "1000000 characters", "at most 4096");
  std::string sum = "1", power = "2", unit = "1 m^9";
  for (int k = 0; k < 300; ++k) sum += "+1", power += "^1";
  for (int k = 0; k < 30; ++k) unit = "(" + unit + ")^9";
  EXPECT_SAYS(number(sum), "more than 256 numbers");
  EXPECT_SAYS(number(power), "too many powers");
  EXPECT_SAYS(number(unit), "exponent beyond 90");
  EXPECT_SAYS(number(std::string(2000, '-') + "1"), "at column 2: two signs");
  EXPECT_EQ(number(std::string(64 - 1, '(') + "1" + std::string(64 - 1, ')')), 1);
}

Mechanism mechanism(const std::string& rest) {
  return read_yaml("chasles: 1\nbodies:\n" + rest, "a.yaml");
}

TEST(Units, in_model_files) {
  const Mechanism m = mechanism(
      "  - name: arm\n"
      "    joint: {type: revolute, axis: [0, sqrt(2)/2, sqrt(2)/2], point: [40 mm, 0, 1 in],\n"
      "            limits: {lower: -30 deg, upper: pi/2, velocity: 60 rpm, effort: 5 N m},\n"
      "            dynamics: {damping: 0.1 N m s/rad, friction: 2 N m}}\n"
      "    pose: {xyz: [1 cm, 0, 0], rpy: [90 deg, 0, 0]}\n"
      "    inertia: {mass: 5 g, com: [0, 2 mm, 0], tensor: [2 g m^2, 0, 0, 2e-3, 0, 2e-3]}\n"
      "  - name: screw\n"
      "    joint: {type: helical, axis: [0, 0, 1], pitch: 5 mm/rev}\n"
      "  - name: slide\n"
      "    joint: {type: prismatic, axis: [0, 0, 1], limits: {lower: -3 mm, velocity: 2 cm/s}}\n");
  const Joint& joint = m.bodies[0].joint;
  const auto& axis = std::get<AxisGeometry>(joint.geometry);
  EXPECT_EQ(axis.point.x, 0.04);
  EXPECT_EQ(axis.point.z, 0.0254);
  EXPECT_EQ(axis.axis.y, std::sqrt(2.0) / 2);
  EXPECT_EQ(*joint.limits->lower, -(30 * M_PI / 180));
  EXPECT_DOUBLE_EQ(*joint.limits->velocity, 2 * M_PI);
  EXPECT_EQ(*joint.limits->effort, 5);
  EXPECT_EQ(joint.dynamics.damping, 0.1);
  EXPECT_EQ(m.bodies[0].inertia->mass, 0.005);
  EXPECT_EQ(m.bodies[0].inertia->tensor.xx, 0.002);
  EXPECT_NEAR(m.bodies[1].joint.pitch, 0.005 / (2 * M_PI), 1e-19);
  EXPECT_EQ(*m.bodies[2].joint.limits->lower, -0.003);
}

/// JSON has no text without quotes, and a comma in a list needs them.
TEST(Units, may_be_quoted) {
  const Mechanism m = mechanism("  - {name: a, inertia: {mass: \"min(5 kg, 7 kg)\"}}\n");
  EXPECT_EQ(m.bodies[0].inertia->mass, 5);
  EXPECT_SAYS(mechanism("  - {name: a, inertia: {mass: \"5\"}}\n"), "mass is quoted text");
}

TEST(Units, of_the_wrong_dimension_are_refused) {
  const auto joint = [](const std::string& text) {
    return mechanism("  - {name: a, joint: {axis: [0, 0, 1], " + text + "}}\n");
  };
  EXPECT_SAYS(mechanism("  - {name: a, inertia: {mass: 5 mm}}\n"), "a.yaml:3:",
              "body 'a', inertia: mass '5 mm' is in m; give kg, or a number without unit");
  EXPECT_SAYS(mechanism("  - {name: a, inertia: {mass: 1/2 kg}}\n"), "'1/2 kg' is in 1/kg");
  EXPECT_SAYS(joint("type: revolute, limits: {lower: 1 mm}"), "lower '1 mm' is in m; give rad");
  EXPECT_SAYS(joint("type: prismatic, limits: {lower: 1 deg}"), "is in rad; give m");
  EXPECT_SAYS(joint("type: revolute, limits: {velocity: 2 Hz}"), "is in 1/s; give rad/s");
  EXPECT_SAYS(joint("type: helical, pitch: 5 mm"), "pitch '5 mm' is in m; give m/rad");
  EXPECT_SAYS(joint("type: revolute, dynamics: {damping: 3 N s/m}"), "damping '3 N s/m'");
  EXPECT_SAYS(joint("type: revolute, point: [1 kg, 0, 0]"), "point '1 kg' is in kg; give m");
  EXPECT_SAYS(mechanism("  - {name: a, joint: {type: revolute, axis: [1 m, 0, 0]}}\n"),
              "axis '1 m' is in m; give a number");
  EXPECT_SAYS(mechanism("  - {name: a, inertia: {mass: 1/0}}\n"), "'1/0' is not a finite number");
  EXPECT_SAYS(mechanism("  - {name: a, inertia: {mass: 5 kgg}}\n"), "'5 kgg' is not a finite",
              "at column 3: there is no unit 'kgg'; did you mean 'kg'?");
  EXPECT_NO_THROW(joint("type: revolute, dynamics: {damping: 3 N m s}"));
  EXPECT_SAYS(read_yaml("chasles: 1\ngravity: [0, 0, -9.81 m/s]\nbodies: [{name: a}]", "a.yaml"),
              "give m/s^2");
}

class UnitsInScenario : public test::ScenarioFile {};

TEST_F(UnitsInScenario, are_read) {
  const Scenario s = read(
      "duration: 200 ms\n"
      "initial: {q: {shoulder: 30 deg}, v: {shoulder: 60 rpm}}\n"
      "record: {every: 10 ms}\n"
      "integrator: {method: rk4, step: 1 ms}\n"
      "forces:\n"
      "  - {type: joint_spring_damper, joint: shoulder, stiffness: 2 N m/deg, rest: 90 deg}\n"
      "  - {type: joint_torque, joint: shoulder, value: {amplitude: 2 N m, frequency: 2 Hz,\n"
      "     phase: 90 deg}}\n"
      "events: [{when: joint shoulder, crosses: 45 deg, do: log}]\n");
  EXPECT_EQ(s.duration, 0.2);
  EXPECT_EQ(s.every, 0.01);
  EXPECT_EQ(*s.integrator.step, 0.001);
  const ModelJoint& joint = s.model.joint("shoulder");
  EXPECT_EQ(s.start.q[joint.q_index], 30 * M_PI / 180);
  EXPECT_DOUBLE_EQ(s.start.v[joint.v_index], 2 * M_PI);
  VelocityKinematics kin(s.model);
  forward_kinematics(s.model, s.start.q, Eigen::VectorXd::Zero(s.model.nv()), kin);
  JointForces out{Vector(s.model.nv()), {}};
  out.tau.setZero();
  s.forces.list()[0].law.add(0, kin, out);
  EXPECT_NEAR(out.tau[joint.v_index], 2 * 60, 1e-12);  // 2 N m per degree, 60 degrees from rest
  EXPECT_NEAR(s.events[0].event.g(s.start), -M_PI / 12, 1e-15);
}

TEST_F(UnitsInScenario, are_checked) {
  refused("duration: 2 m\n", 3, {"duration '2 m' is in m; give s"});
  refused("duration: 1\ninitial: {q: {shoulder: 3 mm}}\n", 4, {"is in m; give rad"});
  refused("duration: 1\ninitial: {v: {shoulder: 3 deg}}\n", 4, {"is in rad; give rad/s"});
  refused("duration: 1\nintegrator: {tolerance: 1 mm}\n", 4, {"tolerance '1 mm' is in m"});
  refused("duration: 1\nforces: [{type: joint_torque, joint: shoulder, value: 3 N}]\n", 4,
          {"value '3 N' is in N; give N m"});
  refused(
      "duration: 1\nforces: [{type: joint_torque, joint: shoulder, value: {amplitude: 1, "
      "frequency: 60 rpm}}]\n",
      4, {"frequency '60 rpm' is in rad/s; give 1/s"});
  refused("duration: 1\nevents: [{when: joint shoulder, crosses: 1 m, do: log}]\n", 4,
          {"crosses '1 m' is in m; give rad"});
}

}  // namespace units_test
}  // namespace chasles
