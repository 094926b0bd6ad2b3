/// Forces as expressions: values and derivatives of expressions, and runs against the built-in forces.
#include "math/expression.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "simulation/run.hpp"
#include "support/allocation.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace expression_test {

/// x and y are the variables 0 and 1.
int by_letter(std::string_view name) {
  if (name == "x") return 0;
  if (name == "y") return 1;
  throw Error("there is no such letter");
}

/// Every operation, and the same function in C++.
struct Pair {
  const char* text;
  double (*same)(double x, double y);
};
const Pair pairs[] = {
    {"x + 2*y - 3", [](double x, double y) { return x + 2 * y - 3; }},
    {"-x*y/(1 + y^2)", [](double x, double y) { return -x * y / (1 + y * y); }},
    {"x^3 - x^-2", [](double x, double) { return x * x * x - 1 / (x * x); }},
    {"x^y", [](double x, double y) { return std::pow(x, y); }},
    {"x^1.5", [](double x, double) { return std::pow(x, 1.5); }},
    {"sqrt(x) + exp(-y)", [](double x, double y) { return std::sqrt(x) + std::exp(-y); }},
    {"sin(x*y) + cos(x - y) + tan(y)",
     [](double x, double y) { return std::sin(x * y) + std::cos(x - y) + std::tan(y); }},
    {"log(x)*abs(y - 2)", [](double x, double y) { return std::log(x) * std::abs(y - 2); }},
    {"atan2(x, y)", [](double x, double y) { return std::atan2(x, y); }},
    {"atan2(-y, x)", [](double x, double y) { return std::atan2(-y, x); }},
    {"min(x, y^2 + 0.2) + max(x*y, x)",
     [](double x, double y) { return std::min(x, y * y + 0.2) + std::max(x * y, x); }},
    {"x*x*x*x", [](double x, double) { return x * x * x * x; }},
    {"(x - 30 deg)*2 mm", [](double x, double) { return (x - 30 * M_PI / 180) * 0.002; }},
};

TEST(Expressions, have_values_and_derivatives) {
  for (const Pair& pair : pairs) {
    const Expression e(pair.text, by_letter);
    for (const double x : {0.3, 0.9, 1.7})
      for (const double y : {0.2, 0.8, 1.3}) {
        const double at[] = {x, y};
        double gradient[2];
        const double same = pair.same(x, y), size = 1 + std::abs(same);
        EXPECT_NEAR(e.value(at), same, 1e-15 * size) << pair.text;
        EXPECT_EQ(e.value(at, gradient), e.value(at)) << pair.text;
        const auto difference = [&](int k) {
          return test::derivative(
              [&](double s) { return k == 0 ? pair.same(x + s, y) : pair.same(x, y + s); }, 1e-3);
        };
        for (int k : {0, 1})
          EXPECT_NEAR(gradient[k], difference(k), 1e-9 * (size + std::abs(gradient[k])))
              << pair.text << " at " << x << ", " << y;
      }
  }
}

/// Powers with whole exponents exist for negative and zero bases, with their derivatives.
TEST(Expressions, of_powers_at_zero_and_below) {
  const Expression cube("x^3", by_letter), one("x^0", by_letter), square("x^2", by_letter);
  double gradient[1];
  const double below[] = {-2}, zero[] = {0};
  EXPECT_EQ(cube.value(below, gradient), -8);
  EXPECT_EQ(gradient[0], 12);
  EXPECT_EQ(square.value(zero, gradient), 0);
  EXPECT_EQ(gradient[0], 0);
  EXPECT_EQ(one.value(zero, gradient), 1);
  EXPECT_EQ(gradient[0], 0);
}

Model two_joints() {
  return compile(MechanismBuilder("two")
                     .body("arm", ground, joints::revolute({0, 1, 0}))
                     .inertia(1, {0.5, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.3))
                     .body("fore-arm", "arm", joints::revolute({0, 1, 0}, {1, 0, 0}))
                     .inertia(1, {1.5, 0, 0}, Sym3::diagonal(0.1, 0.2, 0.3))
                     .body("nut", "arm", joints::of(JointType::cylindrical, {0, 0, 1}))
                     .inertia(0.5, {0.5, 0, 0.1}, Sym3::diagonal(0.1, 0.2, 0.3))
                     .build());
}
Scenario released(const Model& model, const std::string& method) {
  Scenario s{.model = model,
             .start = {0, Eigen::VectorXd{{0.3, -0.4, 0.2, 0.1}}, Eigen::VectorXd::Zero(4)}};
  s.duration = 1;
  s.integrator = {.method = method};
  if (method == "rk4" || method == "gauss2")
    s.integrator.step = 0.01;
  else
    s.integrator.tolerance = 1e-8;
  return s;
}

/// The same operations in the same order as joint_spring_damper: the same bits, with explicit and implicit methods.
TEST(ExpressionForce, is_the_built_in_spring) {
  const Model model = two_joints();
  for (const char* method : {"rk4", "gauss2", "radau5", "dop853"}) {
    Scenario built_in = released(model, method), text = built_in;
    built_in.forces.add(joint_spring_damper(model, "arm", 40, 0.7, {0.3}));
    built_in.forces.add(joint_spring_damper(model, "fore-arm", 30, 0.2));
    text.forces.add(
        expression_force(model, "arm", {"-(k*(q.arm - 0.3) + c*v.arm)"}, {{"k", 40}, {"c", 0.7}}));
    text.forces.add(expression_force(model, "fore-arm", {"-(30*q.{fore-arm} + 0.2*v.{fore-arm})"}));
    const State a = test::run(built_in).state, b = test::run(text).state;
    EXPECT_EQ((a.q - b.q).cwiseAbs().maxCoeff(), 0) << method;
    EXPECT_EQ((a.v - b.v).cwiseAbs().maxCoeff(), 0) << method;
  }
}

/// A force in one joint that depends on others: implicit methods have its exact tangent, so they need as many
/// iterations as they do for forces in their own joints, and agree with an explicit method.
TEST(ExpressionForce, couples_joints) {
  const Model model = two_joints();
  const auto with = [&](const std::string& method) {
    Scenario s = released(model, method);
    s.integrator.tolerance = 1e-9;
    s.forces.add(expression_force(model, "arm",
                                  {"-50*(q.arm + q.{fore-arm}) - 3*v.arm + sin(3*t)*q.nut.1"}));
    s.forces.add(expression_force(model, "fore-arm", {"-40*q.{fore-arm} - 2*v.{fore-arm}"}));
    s.forces.add(expression_force(
        model, "nut", {"-20*q.nut.0^3 - v.nut.0", "-300*(q.nut.1 - 2 cm) - 10*v.nut.1*v.arm^2"}));
    return test::run(s);
  };
  const auto exact = with("dop853"), implicit = with("radau5");
  EXPECT_LT((exact.state.q - implicit.state.q).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_LT(implicit.summary.worst.energy, 1e-7);
}

#ifdef CHASLES_COUNTS_ALLOCATIONS
TEST(ExpressionForce, does_not_allocate) {
  const Model model = two_joints();
  const Force force = expression_force(model, "arm", {"-k*q.arm + sin(t)*v.nut.0"}, {{"k", 3}});
  VelocityKinematics kin(model);
  forward_kinematics(model, Eigen::VectorXd{{0.3, -0.4, 0.2, 0.1}}, Eigen::VectorXd::Ones(4), kin);
  JointForces out{Vector(model.nv()), {}};
  ForceTangent tangent;
  force.law.tangent(0.2, kin, tangent);
  tangent.clear();
  const long before = test::allocations;
  force.law.add(0.2, kin, out);
  force.law.tangent(0.2, kin, tangent);
  EXPECT_EQ(test::allocations - before, 0);
  EXPECT_EQ(tangent.joints.size(), 1u);
  EXPECT_EQ(tangent.crosses.size(), 1u);
}
#endif

/// T = k (d - l) + c d' as text is the built-in one bit for bit.
TEST(PointExpression, is_the_built_in_spring) {
  const Model model = two_joints();
  for (const char* method : {"rk4", "radau5"}) {
    Scenario built_in = released(model, method), text = built_in;
    const BodyPoint a{"ground", {0, 0, 2}}, b{"fore-arm", {1.5, 0, 0.1}};
    built_in.forces.add(point_spring_damper(model, a, b, 60, 3, 1.5));
    text.forces.add(point_expression(model, a, b, "60*(d - l) + 3*d_dot", {{"l", 1.5}}));
    const State x = test::run(built_in).state, y = test::run(text).state;
    EXPECT_EQ((x.q - y.q).cwiseAbs().maxCoeff(), 0) << method;
  }
}

TEST(ExpressionForce, says_what_is_wrong) {
  const Model model = two_joints();
  const auto make = [&](const std::string& text, const ExpressionParameters& parameters = {}) {
    return expression_force(model, "arm", {text}, parameters);
  };
  EXPECT_SAYS(make("-k*q.arm"), "expression of joint 'arm': '-k*q.arm': at column 2",
              "there is no variable 'k'; give t, q.JOINT or v.JOINT, or a number in parameters");
  EXPECT_SAYS(make("-stifness*q.arm", {{"stiffness", 1}}), "did you mean 'stiffness'?");
  EXPECT_SAYS(make("-q.arn"), "at column 2", "did you mean 'arm'?");
  EXPECT_SAYS(make("-q.nut"), "joint 'nut' has 2 coordinates; give an index from 0, q.nut.1");
  EXPECT_SAYS(make("-q.nut.2"), "joint 'nut' has 2 coordinates");
  EXPECT_SAYS(make("-q.arm.x"), "'.x' after joint 'arm' is not the index");
  EXPECT_SAYS(make("-q.{arm"), "at column 4: a '}' is missing");
  EXPECT_SAYS(make("q.arm", {{"k", 1}}), "the parameter 'k' is not used");
  EXPECT_SAYS(make("t", {{"t", 1}}), "'t' cannot be the name of a parameter");
  EXPECT_SAYS(make("t", {{"a b", 1}}), "'a b' cannot be the name");
  EXPECT_SAYS(make("k", {{"k", NAN}}), "parameter 'k' is nan");
  EXPECT_SAYS(expression_force(model, "nut", {"1"}), "expression of joint 'nut': force");
  EXPECT_SAYS(expression_force(model, "amr", {"1"}), "did you mean 'arm'?");
  EXPECT_SAYS(point_expression(model, {"arm", {}}, {"arm", {1, 0, 0}}, "d"), "move together");
  EXPECT_SAYS(point_expression(model, {"ground", {}}, {"arm", {1, 0, 0}}, "q.arm"),
              "give t, d or d_dot");
  const Model ball = compile(MechanismBuilder("ball")
                                 .body("ball", ground, joints::spherical())
                                 .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                 .build());
  EXPECT_SAYS(expression_force(ball, "ball", {"q.ball.1", "0", "0"}), "part of a rotation");
  EXPECT_NO_THROW(expression_force(ball, "ball", {"-v.ball.0", "0", "sin(t)"}));
}

/// Division by zero ends the run with the force, the joint and the time.
TEST(ExpressionForce, that_is_not_finite_is_named) {
  const Model model = two_joints();
  Scenario s = released(model, "rk4");
  s.forces.add(expression_force(model, "arm", {"1/(t - 0.5)"}));
  EXPECT_SAYS(test::run(s), "force 'expression of joint 'arm'': gives inf on joint 'arm'",
              "t = 0.5");
  Scenario root = released(model, "rk4");
  root.forces.add(expression_force(model, "arm", {"sqrt(q.arm - 10)"}));
  EXPECT_SAYS(test::run(root), "expression of joint 'arm'", "nan", "t = 0");
}

}  // namespace expression_test
}  // namespace chasles
