/// Constraints in model files: against the same ones in scenarios, joints that do the same, and what is written.
#include <gtest/gtest.h>

#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/point_constraints.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace model_constraints_test {

using namespace chasles;
using namespace chasles::test;

/// Two points in space, a wheel, and a plate that carries frames.
const std::string bodies =
    "chasles: 1\nname: parts\nbodies:\n"
    "  - {name: bead, joint: {type: translation3, axis: [0, 0, 1], x_axis: [1, 0, 0]}, inertia: "
    "{mass: 2, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}\n"
    "  - {name: plate, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0.1, 0, "
    "0], tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}\n"
    "  - {name: wheel, joint: {type: floating}, pose: {xyz: [2, 0, 0.2]}, inertia: {mass: 3, "
    "tensor: [0.05, 0, 0, 0.05, 0, 0.05]}}\n"
    "frames:\n  - {name: eye, body: plate, pose: {xyz: [0.5, 0, 0]}}\n";

/// Of each type; what is left out here has its default.
const char* const elements[] = {
    "{type: distance, name: one, a: {body: bead}, b: {body: ground, point: [0, 3 cm, 1]}}",
    "{type: distance, name: one, a: {body: eye, point: [0, 0.1, 0]}, b: {body: bead, point: [1, 1, "
    "1]}, length: 1.7}",
    "{type: cable, name: one, points: [{body: ground, point: [0, 0, 1]}, {body: bead}, {body: eye, "
    "point: [0, 0, 1]}]}",
    "{type: point_on_plane, name: one, body: bead, plane: {normal: [1, 0, 2]}}",
    "{type: point_on_plane, name: one, body: bead, plane: {body: eye, point: [-0.5, 0, 0]}}",
    "{type: point_on_line, name: one, body: bead, line: {body: plate, direction: [1, 1, 0]}}",
    "{type: point_on_curve, name: one, body: bead, curve: {points: [[0, 0, 0], [1, 0.5, 0], [2, 1, "
    "1]]}}",
    "{type: point_on_curve, name: one, body: bead, curve: {body: plate, points: [[-1, 0], [0, 0], "
    "[1, 0.5]]}}",
    "{type: point_on_curve, name: one, body: bead, curve: {body: plate, x: s, y: 0.1*s^2, from: "
    "-3, to: 3}}",
    "{type: point_on_curve, name: one, body: bead, curve: {x: 0.3*cos(s) - 0.3, y: '0.3*sin(s)', "
    "z: "
    "0, from: 0, to: 2*pi, closed: true}}",
    "{type: rolling, name: one, body: wheel, radius: 20 cm}",
    "{type: rolling, name: one, body: wheel, axis: [0, 1, 0], radius: 0.2, contact: false, plane: "
    "{point: [0, 0, 0], normal: [0, 0, 1]}}"};

class ModelConstraints : public ScenarioFile {
 protected:
  /// The end of a run of a second.
  State end_of(const std::string& scenario) {
    Simulation simulation(read_scenario(write("s.yaml", scenario)));
    Trajectory path;
    simulation.run(path);
    return simulation.state();
  }
};

TEST_F(ModelConstraints, do_what_those_of_scenarios_do) {
  write("plain.yaml", bodies);
  for (const char* element : elements) {
    write("bound.yaml", bodies + "constraints:\n  - " + element + "\n");
    const std::string run =
        "duration: 0.5\ngravity: [1, 0.5, -9.81]\ninitial: {v: {plate: 0.7, wheel: [0, 0.5, 0, "
        "0.1, 0, 0]}}\n"
        "integrator: {method: dop853, tolerance: 1e-10}\n";
    const State here = end_of("chasles: 1\nmodel: bound.yaml\n" + run);
    const State there =
        end_of("chasles: 1\nmodel: plain.yaml\n" + run + "constraints: [" + element + "]\n");
    EXPECT_EQ(Eigen::VectorXd(here.q), Eigen::VectorXd(there.q)) << element;
    EXPECT_EQ(Eigen::VectorXd(here.v), Eigen::VectorXd(there.v)) << element;
    const State free = end_of("chasles: 1\nmodel: bound.yaml\nloops: open\n" + run);
    EXPECT_GT((Eigen::VectorXd(free.q) - Eigen::VectorXd(here.q)).norm(), 1e-3) << element;
  }
}

/// What is written is what was read, word by word after the first time.
TEST_F(ModelConstraints, are_written_without_loss) {
  for (const char* element : elements) {
    const Mechanism first = read_yaml(bodies + "constraints:\n  - " + element + "\n", "a.yaml");
    const std::string text = write_yaml(first);
    const Mechanism again = read_yaml(text, "b.yaml");
    EXPECT_EQ(write_yaml(again), text) << element;
    ASSERT_EQ(again.constraints.size(), 1u);
    EXPECT_EQ(again.constraints[0].data.index(), first.constraints[0].data.index());
    // The same equations, bit for bit, at a state where they do not hold.
    const auto errors = [](const Mechanism& mechanism) {
      const Model model = compile(mechanism);
      Vector step(model.nv()), q(model.nq());
      for (int k = 0; k < model.nv(); ++k) step[k] = 0.1 * (k + 1);
      plus(model, model.neutral(), step, q);
      Constraints constraints(model);
      PositionKinematics kin(model);
      forward_kinematics(model, q, kin);
      constraints.update(kin);
      Vector Phi(constraints.constraint_count());
      constraints.constraint_error(kin, Phi);
      Matrix B(constraints.constraint_count(), model.nv());
      constraints.matrix(kin, B);
      Eigen::MatrixXd all(B.rows(), B.cols() + 1);
      all << B, Phi;
      return all;
    };
    EXPECT_EQ(errors(first), errors(again)) << element;
  }
}

/// A rod makes a pendulum; in other coordinates, under another gravity, with its tension as of a joint.
TEST_F(ModelConstraints, a_rod_is_a_pendulum) {
  const double l = 0.8, g = 9.81;
  Mechanism ball;
  ball.name = "ball";
  Body& body = ball.bodies.emplace_back();
  body.name = "ball";
  body.joint.type = JointType::translation3;
  body.joint.geometry = AxisGeometry{.axis = {0, 0, 1}, .point = {}, .x_axis = Vec3{1, 0, 0}};
  body.pose.C.r = {l, 0, 0};
  body.inertia = BodyInertia{.mass = 2, .com = {}, .tensor = Sym3::diagonal(0.1, 0.1, 0.1)};
  ball.constraints = {{"rod", CableElement{{{"ball"}, {"ground"}}, {}}, {}}};
  const Model model = compile(ball), on_moon = model.with_gravity({0, 0, -1.62});
  EXPECT_TRUE(model.is_bound());
  EXPECT_TRUE(on_moon.is_bound());
  const auto speed = [&](const Model& with, const Model& joints) {
    Scenario s{.model = with, .start = {0, with.neutral(), Vector(with.nv())}, .duration = 0.3};
    s.start.v.setZero();
    s.integrator = {.method = "dop853", .tolerance = 1e-11};
    s.joints = joints;
    if (joints) s.joints_q = joints.neutral();
    Simulation simulation(s);
    Trajectory path;
    simulation.run(path);
    const State& end = simulation.state();
    PositionKinematics kin(with);
    forward_kinematics(with, end.q, kin);
    const Vec3 at = pose(kin, with.frame("ball")).r;
    EXPECT_NEAR(norm(at), l, 1e-10);
    return at.z;  // from rest in the horizontal: v^2 = -2 g z
  };
  // theta'' = (g / l) cos theta, theta = 0 at the start, by a fine Runge-Kutta of its own.
  const auto fall = [&](double gravity) {
    double theta = 0, w = 0;
    const int n = 20000;
    const double h = 0.3 / n;
    const auto a = [&](double x) { return gravity / l * std::cos(x); };
    for (int i = 0; i < n; ++i) {
      const double k1 = w, m1 = a(theta), k2 = w + h / 2 * m1, m2 = a(theta + h / 2 * k1),
                   k3 = w + h / 2 * m2, m3 = a(theta + h / 2 * k2), k4 = w + h * m3,
                   m4 = a(theta + h * k3);
      theta += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), w += h / 6 * (m1 + 2 * m2 + 2 * m3 + m4);
    }
    return -l * std::sin(theta);
  };
  EXPECT_NEAR(speed(model, {}), fall(g), 1e-9);
  EXPECT_NEAR(speed(on_moon, {}), fall(1.62), 1e-9);
  const Mechanism absolute = to_maximal_coordinates(ball, BodyGroup::so3xr3);
  ASSERT_EQ(absolute.constraints.size(), 1u);
  EXPECT_NEAR(speed(compile(absolute), model), fall(g), 1e-9);
}

/// Assembly, mobility and the quantities of a run know them.
TEST_F(ModelConstraints, are_used_by_all) {
  write("m.yaml", bodies +
                      "constraints:\n  - {type: distance, name: rod, a: {body: eye}, b: {body: "
                      "bead, point: [0.5, 0, 0.3]}, length: 0.5}\n");
  const Model model = compile(read_mechanism(folder / "m.yaml"));
  Constraints constraints(model);
  EXPECT_EQ(analyze(constraints, assemble(constraints, model.neutral())).mobility, 9);
  const Scenario s =
      read_scenario(write("s.yaml",
                          "chasles: 1\nmodel: m.yaml\nduration: 0.1\nrecord: {quantities: "
                          "['constraint_force:rod', constraint_violation]}\n"));
  Simulation simulation(s);
  Trajectory path;
  simulation.run(path);
  EXPECT_SAYS(read_scenario(write("t.yaml",
                                  "chasles: 1\nmodel: m.yaml\nduration: 0.1\nrecord: "
                                  "{quantities: ['constraint_force:rd']}\n")),
              "there is no constraint 'rd'", "did you mean 'rod'?");
  EXPECT_SAYS(read_scenario(write("t.yaml",
                                  "chasles: 1\nmodel: m.yaml\nduration: 0.1\nconstraints: "
                                  "[{type: point_on_plane, name: rod, body: bead, plane: {}}]\n")),
              "t.yaml:4", "another constraint of the name 'rod'");
}

TEST_F(ModelConstraints, mistakes_are_named) {
  const auto refused = [&](const std::string& element, std::initializer_list<const char*> parts) {
    expect_parts(message([&] {
                   const Model model =
                       compile(read_yaml(bodies + "constraints:\n  - " + element + "\n", "m.yaml"));
                   Constraints constraints(model);
                 }),
                 parts);
  };
  refused("{type: distanc}", {"m.yaml:10", "did you mean 'distance'?"});
  refused("{type: distance, name: rod, a: {body: bed}, b: {body: ground}}",
          {"m.yaml:10", "constraint 'rod'", "no body or frame 'bed'", "did you mean 'bead'?"});
  refused("{type: distance, name: rod, a: {body: bead}, b: {body: ground}, length: -1}",
          {"m.yaml:10", "length -1 is not positive"});
  refused("{type: distance, name: rod, a: {body: bead}, b: {body: ground}}",
          {"m.yaml:10", "constraint 'rod'",
           "its points are at one place at the start; give its length"});
  refused("{type: distance, name: rod, a: {body: eye}, b: {body: plate}}",
          {"m.yaml:10", "move together"});
  refused("{type: rolling, name: r, body: wheel, radius: 1 s}", {"m.yaml:10", "is in s; give m"});
  refused("{type: point_on_curve, name: c, body: bead, curve: {points: []}}",
          {"m.yaml:10", "the list is empty"});
  refused("{type: point_on_curve, name: c, body: bead, curve: {x: t, from: 0, to: 1}}",
          {"m.yaml:10", "the parameter of a curve is s"});
  refused(
      "{type: rolling, name: a, body: wheel, radius: 1}\n"
      "  - {type: point_on_plane, name: a contact, body: bead, plane: {}}",
      {"m.yaml:11", "constraint 'a contact'", "the name is used twice"});
}

/// MJCF has rods and cables as tendons of constant length; other formats name what they leave out.
TEST_F(ModelConstraints, other_formats) {
  const auto with = [&](const std::string& element) {
    return read_yaml(bodies + "constraints:\n  - " + element + "\n", "m.yaml");
  };
  for (const int i : {0, 1, 2}) {
    const Mechanism given = with(elements[i]);
    std::vector<std::string> warnings;
    const Mechanism again = read_mjcf(write_mjcf(given, &warnings), "m.xml");
    ASSERT_EQ(again.constraints.size(), 1u) << i;
    const Model a = compile(given), b = compile(again);
    ASSERT_EQ(a.nv(), b.nv());
    Constraints of_a(a), of_b(b);
    const auto error = [](const Model& model, Constraints& constraints, double x) {
      // The joint of the bead is written as three; all others keep their entries of q.
      Vector q = model.neutral(), Phi(1);
      q[0] = x, q[1] = 0.2, q[2] = -0.4, q[3] = 0.3;
      PositionKinematics kin(model);
      forward_kinematics(model, q, kin);
      constraints.update(kin);
      constraints.constraint_error(kin, Phi);
      return Phi[0];
    };
    for (const double x : {0.0, 0.3, -0.7})
      EXPECT_NEAR(error(a, of_a, x), error(b, of_b, x), 1e-14) << i << x;
  }
  for (const auto& [name, write] :
       {std::pair<std::string, std::string (*)(const Mechanism&, std::vector<std::string>*)>{
            "MJCF", write_mjcf},
        {"SDF", write_sdf}}) {
    std::vector<std::string> warnings;
    (void)write(with(elements[5]), &warnings);
    EXPECT_TRUE(std::ranges::any_of(warnings, [&](const std::string& warning) {
      return warning.starts_with("constraint 'one' is not written: " + name);
    })) << name;
  }
}

}  // namespace model_constraints_test
