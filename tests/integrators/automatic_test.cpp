/// `auto`: DOP853, and Radau where stability holds the steps down.
#include <gtest/gtest.h>

#include "chasles/simulation/control.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace automatic_test {

/// An arm of seven joints about z and y in turn, with the sizes of a robot.
Model robot() {
  MechanismBuilder b("robot");
  for (int k = 0; k < 7; ++k) {
    const Vec3 axis = k % 2 == 0 ? Vec3{0, 0, 1} : Vec3{0, 1, 0}, at{0, 0, 0.2 * k};
    b.body("b" + std::to_string(k), k == 0 ? std::string(ground) : "b" + std::to_string(k - 1),
           joints::revolute(axis, at))
        .inertia(4 - 0.5 * k, at + Vec3{0.02, 0.03, 0.1}, Sym3::diagonal(0.02, 0.02, 0.01));
  }
  return compile(b.build());
}
Forces friction_of(const Model& model) {
  Forces forces;
  double coulomb = 10;
  for (const ModelJoint& joint : model.joints()) {
    forces.add(
        joint_friction(model, joint.name, {.viscous = 0.5, .coulomb = coulomb, .velocity = 1e-3}));
    coulomb -= 1.5;
  }
  return forces;
}
State robot_start() {
  return {0, Vector{0, 0.8, 0.3, -0.9, 0.2, 0.5, 0}, Vector{0.5, 0, 0.4, 0, 0.5, 0, 1}};
}

/// Dry friction made smooth below 1 mm/s: joints come to rest, and rates of 1e5 / s and more remain.
TEST(Automatic, a_robot_with_friction) {
  const Model model = robot();
  const Forces forces = friction_of(model);
  for (const bool with_tangent : {true, false}) {
    Scenario s{.model = model, .start = robot_start()};
    s.duration = 2;
    s.integrator = {.method = "auto", .tolerance = 1e-6};
    if (with_tangent)
      for (const Force& force : forces.list()) s.forces.add(force);
    else  // a function of the user's: derivatives by differences
      s.forces.add(
          {"friction", model, [forces](double t, const VelocityKinematics& kin, JointForces& out) {
             forces.apply(t, kin, out);
           }});
    Simulation simulation(s);
    Trajectory path;
    simulation.run(path);
    const StepStatistics n = simulation.summary().statistics;
    RecordProperty(with_tangent ? "tangent" : "differences",
                   std::to_string(n.steps) + " steps, " + std::to_string(n.implicit_steps) +
                       " implicit, " + std::to_string(n.evaluations) + " evaluations, " +
                       std::to_string(n.switches) + " switches");
    EXPECT_GE(n.switches, 1);
    EXPECT_GT(n.first_switch, 0);
    EXPECT_GT(n.implicit_steps, 0);
    EXPECT_LE(n.steps, 5000);
    EXPECT_LE(n.evaluations, 100000);
    // Against the explicit method, which needs far more: until the joints have come to rest once.
    ModelSystem system(model);
    system.set_forces(forces.function());
    const auto explicit_one = make_integrator(system, {.method = "dop853", .tolerance = 1e-9});
    const State end = test::run(*explicit_one, robot_start(), 0.1);
    State mine;
    for (const State& at : path.states)
      if (std::abs(at.t - 0.1) < 1e-12) mine = at;
    ASSERT_EQ(mine.q.size(), 7);
    EXPECT_LE((mine.q - end.q).norm(), 1e-5);
  }
}

TEST(Automatic, a_smooth_motion_stays_explicit) {
  for (const test::Motion& m :
       {test::double_pendulum(), test::heavy_top(), test::three_spheres()}) {
    ModelSystem system(m.model), other(m.model);
    const auto integrator = make_integrator(system, {.method = "auto", .tolerance = 1e-8});
    const auto dop853 = make_integrator(other, {.method = "dop853", .tolerance = 1e-8});
    const State end = test::run(*integrator, m.start, 20), want = test::run(*dop853, m.start, 20);
    EXPECT_EQ(integrator->statistics().switches, 0) << m.name;
    EXPECT_EQ(integrator->statistics().implicit_steps, 0) << m.name;
    EXPECT_EQ(end.q, want.q) << m.name;
    EXPECT_EQ(integrator->statistics().evaluations, dop853->statistics().evaluations) << m.name;
  }
}

/// A pendulum with a second one in a damper that is strong for t in (2, 6) only.
TEST(Automatic, a_motion_that_is_stiff_for_a_while_changes_back) {
  const Model model = compile(test::double_pendulum_mechanism());
  const auto damper = [](double t) {
    return 1e4 * 0.25 * (1 + std::tanh(20 * (t - 2))) * (1 - std::tanh(20 * (t - 6)));
  };
  for (const bool with_tangent : {true, false}) {
    ModelSystem system(model);
    const auto force = [&](double t, const VelocityKinematics& kin, JointForces& out) {
      out.tau[1] = -damper(t) * kin.v()[1];
    };
    if (with_tangent)
      system.set_forces(force, {}, [&](double t, const VelocityKinematics&, ForceTangent& out) {
        ForceTangent::JointBlock block{1, 1, {}, {}};
        block.D[0] = damper(t);
        out.joints.push_back(block);
      });
    else
      system.set_forces(force);
    const auto integrator = make_integrator(system, {.method = "auto", .tolerance = 1e-7});
    integrator->reset({0, Vector{0.5, 0.3}, Vector{0.2, -0.3}});
    long at_6 = -1;
    while (integrator->state().t < 30) {
      integrator->step(30);
      if (at_6 < 0 && integrator->state().t > 6) at_6 = integrator->statistics().implicit_steps;
    }
    const StepStatistics& n = integrator->statistics();
    RecordProperty(with_tangent ? "tangent" : "differences",
                   std::to_string(n.steps) + " steps, " + std::to_string(n.implicit_steps) +
                       " implicit, " + std::to_string(n.switches) + " switches, first at " +
                       std::to_string(n.first_switch));
    EXPECT_EQ(n.switches, 2);
    EXPECT_GT(n.first_switch, 1.5);
    EXPECT_LT(n.first_switch, 2.5);
    EXPECT_GT(at_6, 10);
    EXPECT_LT(n.implicit_steps, n.steps / 2);
    EXPECT_LE(n.steps, 3000);
    ModelSystem other(model);
    other.set_forces(force);
    const auto radau = make_integrator(other, {.method = "radau5", .tolerance = 1e-10});
    const State want = test::run(*radau, {0, Vector{0.5, 0.3}, Vector{0.2, -0.3}}, 7);
    const auto again = make_integrator(system, {.method = "auto", .tolerance = 1e-7});
    EXPECT_LE(test::distance(system, test::run(*again, {0, Vector{0.5, 0.3}, Vector{0.2, -0.3}}, 7),
                             want),
              1e-4);
  }
}

/// Sampled gains that are too high for the inertia: no method can help, and the run says why.
TEST(Automatic, unstable_gains_are_named) {
  const Model model = robot();
  Scenario s{.model = model, .start = robot_start()};
  s.duration = 5;
  const std::vector<std::string> joints = vector_joints(model);
  Controller c = pd_control(model, joints, std::vector<Reference>(joints.size()),
                            {.stiffness = {50}, .damping = {4}});
  c.name = "arm";
  c.period = 0.01;
  s.integrator.tolerance = 1e-6;
  s.forces.add(control(c));
  const Forces friction = friction_of(model);
  for (const Force& force : friction.list()) s.forces.add(force);
  Simulation simulation(s);
  Trajectory path;
  const std::string text = test::message([&] { simulation.run(path); });
  RecordProperty("message", text);
  RecordProperty("steps", std::to_string(simulation.summary().statistics.steps));
  test::expect_parts(text, {"eigenvalue of magnitude", "arm", "t = "});
  EXPECT_LT(simulation.state().t, 2);
  EXPECT_LE(simulation.summary().statistics.steps, 20000);
}

}  // namespace automatic_test
}  // namespace chasles
