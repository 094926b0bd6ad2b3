/// Gears, racks, belts, constraints, force elements and sensors in files.
#include <gtest/gtest.h>

#include <Eigen/LU>

#include "chasles/constraints/constraints.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/kinematic.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"
#include "support/scenario_files.hpp"

namespace chasles {
namespace elements_file_test {

const char* const planetary =
    "chasles: 1\nname: planetary\ngravity: [0, 0, 0]\nbodies:\n"
    "  - {name: sun, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, tensor: [1, 0, "
    "0, 1, 0, 1]}}\n"
    "  - {name: ring, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, tensor: [1, 0, "
    "0, 1, 0, 1]}}\n"
    "  - {name: arm, joint: {type: revolute, axis: [0, 0, 1]}, inertia: {mass: 1, tensor: [1, 0, "
    "0, 1, 0, 1]}}\n"
    "  - {name: planet, parent: arm, joint: {type: revolute, axis: [0, 0, 1], point: [1, 0, 0]}, "
    "inertia: {mass: 1, "
    "com: [1, 0, 0], tensor: [1, 0, 0, 1, 0, 1]}}\n"
    "couplings:\n";
const char* const meshes =
    "  - {name: inner, gear: {joints: [sun, planet], teeth: [20, 15], carrier: arm}}\n"
    "  - {name: outer, gear: {joints: [planet, ring], teeth: [15, 50], internal: true, carrier: "
    "arm}}\n";

/// Willis: (w_sun - w_arm) / (w_ring - w_arm) = -teeth_ring / teeth_sun.
TEST(Gears, of_a_planetary_gear_obey_willis) {
  const Mechanism mechanism = read_yaml(std::string(planetary) + meshes, "a.yaml");
  const Model model = compile(mechanism);
  Constraints constraints(model);
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  constraints.update(kin);
  Matrix B(2, 4);
  constraints.matrix(kin, B);
  const Eigen::MatrixXd kernel = Eigen::MatrixXd(B).fullPivLu().kernel();
  ASSERT_EQ(kernel.cols(), 2);
  const auto w = [&](const char* joint, int k) { return kernel(model.joint(joint).v_index, k); };
  for (int k = 0; k < 2; ++k) {
    const double sun = w("sun", k) - w("arm", k), ring = w("ring", k) - w("arm", k);
    EXPECT_NEAR(20 * sun, -50 * ring, 1e-12);
    EXPECT_NEAR(20 * sun, -15 * w("planet", k), 1e-12);
  }
  // Written as couplings, read back.
  const Mechanism again = read_yaml(write_yaml(mechanism), "b.yaml");
  ASSERT_EQ(again.couplings.size(), 2u);
  for (std::size_t i = 0; i < 2; ++i)
    for (std::size_t k = 0; k < 3; ++k) {
      if (k >= mechanism.couplings[i].terms.size()) continue;
      EXPECT_EQ(again.couplings[i].terms[k].joint, mechanism.couplings[i].terms[k].joint);
      EXPECT_EQ(again.couplings[i].terms[k].coefficient,
                mechanism.couplings[i].terms[k].coefficient);
    }
}

TEST(Gears, racks_and_belts) {
  const std::string bodies =
      "chasles: 1\nbodies:\n  - {name: pinion, joint: {type: revolute, axis: [0, 0, 1]}}\n"
      "  - {name: wheel, joint: {type: revolute, axis: [0, 0, 1], point: [1, 0, 0]}}\n"
      "  - {name: rack, joint: {type: prismatic, axis: [1, 0, 0]}}\ncouplings:\n";
  const auto terms = [&](const std::string& text) {
    return read_yaml(bodies + "  - {name: c, " + text + "}\n", "a.yaml").couplings[0].terms;
  };
  const auto rack = terms("rack: {rack: rack, pinion: pinion, radius: 50 mm}");  // x = r theta
  EXPECT_EQ(rack[0].joint, "rack");
  EXPECT_EQ(rack[0].coefficient, 1);
  EXPECT_EQ(rack[1].joint, "pinion");
  EXPECT_EQ(rack[1].coefficient, -0.05);
  const auto belt = terms("belt: {joints: [pinion, wheel], radii: [20 mm, 60 mm]}");
  EXPECT_EQ(belt[0].coefficient, 0.02);
  EXPECT_EQ(belt[1].coefficient, -0.06);
  EXPECT_EQ(terms("belt: {joints: [pinion, wheel], radii: [1, 2], crossed: true}")[1].coefficient,
            2);
  EXPECT_EQ(terms("gear: {joints: [pinion, wheel], teeth: [1, 2]}")[1].coefficient, 2);
  EXPECT_SAYS(terms("gear: {joints: [pinoin, wheel], teeth: [1, 2]}"),
              "a.yaml:7:", "there is no joint 'pinoin'; did you mean 'pinion'?");
  EXPECT_SAYS(terms("gear: {joints: [pinion], teeth: [1, 2]}"), "joints: give two");
  EXPECT_SAYS(terms("gear: {joints: [pinion, wheel], teeth: [1]}"), "teeth: give two numbers");
  EXPECT_SAYS(terms("gear: {joints: [pinion, wheel], teeth: [1, 0]}"), "teeth 0 is not positive");
  EXPECT_SAYS(terms("rack: {rack: rack, pinion: pinion, radius: 5 kg}"), "is in kg; give m");
  EXPECT_SAYS(terms("rack: {rack: rack, pinion: pinion, radius: 1}, joints: {rack: 1}"),
              "give one of joints, gear, rack and belt");
  EXPECT_SAYS(terms("joint: {rack: 1}"), "unknown key 'joint'", "did you mean 'joints'?");
  EXPECT_SAYS(terms("rack: {rack: wheel, pinion: pinion, radius: 1}"),
              "a.yaml:7:", "rack: joint 'wheel' is revolute; give a joint that slides");
  EXPECT_SAYS(terms("rack: {rack: rack, pinion: rack, radius: 1}"),
              "pinion: joint 'rack' is prismatic and has no angle");
  EXPECT_SAYS(terms("gear: {joints: [pinion, rack], teeth: [1, 2]}"),
              "joints: joint 'rack' is prismatic and has no angle; give a joint that rotates");
  EXPECT_SAYS(terms("belt: {joints: [pinion, rack], radii: [1, 2]}"), "has no angle");
}
TEST(Gears, carriers_are_checked) {
  EXPECT_SAYS(
      read_yaml(std::string(planetary) +
                    "  - {name: c, gear: {joints: [planet, sun], teeth: [1, 2], carrier: ring}}\n",
                "a.yaml"),
      "joint 'planet' is neither on the carrier 'ring' nor, like it, on 'ground'");
  EXPECT_SAYS(
      read_yaml(std::string(planetary) +
                    "  - {name: c, gear: {joints: [planet, sun], teeth: [1, 2], carrier: amr}}\n",
                "a.yaml"),
      "carrier: there is no joint 'amr'; did you mean 'arm'?");
}

class ElementsFile : public test::ScenarioFile {
 protected:
  State end_of(const std::string& text) {
    Simulation simulation(read_scenario(write("e.yaml", text)));
    Trajectory path;
    simulation.run(path);
    summary = simulation.summary();
    return simulation.state();
  }
  Summary summary;
};

/// A bar tied to the ceiling by a rod, in both kinds of coordinates.
TEST_F(ElementsFile, constraints_hold_in_both_coordinates) {
  write("bar.yaml",
        "chasles: 1\nname: bar\nbodies:\n"
        "  - {name: bar, joint: {type: revolute, axis: [0, 1, 0]}, inertia: {mass: 1, com: [0.5, "
        "0, 0], "
        "tensor: [0.01, 0, 0, 0.1, 0, 0.1]}}\n"
        "  - {name: weight, joint: {type: translation3, axis: [0, 0, 1], x_axis: [1, 0, 0]}, "
        "inertia: {mass: 2, "
        "tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}\n"
        "frames: [{name: tip, body: bar, pose: {xyz: [1, 0, 0]}}]\n");
  const std::string text =
      "chasles: 1\nmodel: bar.yaml\nduration: 0.5\n"
      "initial: {q: {weight: [1.3, 0, -40 cm]}}\n"
      "constraints:\n  - {type: distance, name: rod, a: {body: tip}, b: {body: weight}, length: 50 "
      "cm}\n"
      "  - {type: point_on_plane, body: weight, plane: {point: [1.3, 0, 0], normal: [1, 0, 0]}}\n"
      "integrator: {method: dop853, tolerance: 1e-11}\n";
  const State minimal = end_of(text);
  EXPECT_LT(summary.constraint_violation, 1e-10);
  EXPECT_NEAR(minimal.q[1], 1.3, 1e-10);
  EXPECT_LT(summary.worst.energy, 1e-8);
  const State maximal = end_of(text + "coordinates: maximal\n");
  const Scenario s = read_scenario(write("e.yaml", text + "coordinates: maximal\n"));
  PositionKinematics kin(s.model);
  forward_kinematics(s.model, maximal.q, kin);
  const Vec3 weight = pose(kin, s.model.frame("weight")).r, tip = pose(kin, s.model.frame("tip")).r;
  EXPECT_NEAR(weight.z, minimal.q[3], 1e-7);
  EXPECT_NEAR(norm(weight - tip), 0.5, 1e-9);
}

TEST_F(ElementsFile, rolling_in_a_file) {
  write("ball.yaml",
        "chasles: 1\nname: ball\nbodies:\n  - {name: ball, joint: {type: floating}, inertia: "
        "{mass: 3, "
        "tensor: [0.048, 0, 0, 0.048, 0, 0.048]}}\n");
  const State end = end_of(
      "chasles: 1\nmodel: ball.yaml\nduration: 1\ngravity: [3, 0, -9]\n"
      "initial: {q: {ball: [1, 0, 0, 0, 0, 0, 0.2]}}\n"
      "constraints: [{type: rolling, body: ball, radius: 20 cm}]\n"
      "integrator: {method: dop853, tolerance: 1e-11}\n");
  EXPECT_NEAR(end.q[4], 5.0 / 14 * 3, 1e-9);
}

/// Looks at each sample.
struct Tape : Recorder {
  std::function<void(const Sample&)> look;
  void sample(const Sample& sample) override { look(sample); }
};
/// A bead on a cycloid returns after 4 pi sqrt(a / g); at its lowest point the wire bears m g + m v^2 / (4 a).
TEST_F(ElementsFile, points_on_curves) {
  write("bead.yaml",
        "chasles: 1\nname: bead\nbodies: [{name: bead, joint: {type: translation3, axis: [0, 0, "
        "1], x_axis: [1, 0, 0]}, inertia: {mass: 2, tensor: [0.1, 0, 0, 0.1, 0, 0.1]}}]\n");
  const double a = 0.3, g = 9.81, period = 4 * M_PI * std::sqrt(a / g), s = 1.5;
  const std::string text =
      "chasles: 1\nmodel: bead.yaml\ninitial: {q: {bead: [0.3*(1.5 + sin(1.5)), 0, "
      "-0.3*cos(1.5)]}}\n"
      "integrator: {method: dop853, tolerance: 1e-12}\n"
      "record: {every: " +
      to_text(period / 4) +
      ", quantities: ['constraint_force:wire']}\n"
      "constraints: [{type: point_on_curve, name: wire, body: bead, curve: {x: 0.3*(s + sin(s)), ";
  const std::string wire = text + "y: 0, z: -0.3*cos(s), from: -3, to: 3}}]\nduration: ";
  const State end = end_of(wire + to_text(period) + "\n");
  EXPECT_NEAR(end.q[0], a * (s + std::sin(s)), 1e-8);
  EXPECT_NEAR(end.q[2], -a * std::cos(s), 1e-8);
  Simulation simulation(read_scenario(write("e.yaml", wire + to_text(period / 4) + "\n")));
  Tape tape;
  double force = 0;
  tape.look = [&](const Sample& sample) { force = sample.values[0](0, 0); };
  simulation.run(tape);
  const double square = 2 * g * a * (1 - std::cos(s));
  EXPECT_NEAR(force, 2 * g + 2 * square / (4 * a), 1e-7);
  // Without z, a profile: here of the x y plane, along which nothing pulls.
  const State still = end_of(text + "y: s^2 - 2.25, from: 0, to: 4}}]\nduration: 1\n");
  EXPECT_NEAR(still.q[2], -a * std::cos(s) - g / 2, 1e-9);
  EXPECT_NEAR(still.q[0], a * (s + std::sin(s)), 1e-12);
}
/// A follower on an eccentric disk, given by points.
TEST_F(ElementsFile, profiles_by_points) {
  write("cam.yaml",
        "chasles: 1\nname: cam\ngravity: [0, 0, 0]\nbodies:\n"
        "  - {name: cam, joint: {type: revolute, axis: [0, 0, 1]}}\n"
        "  - {name: follower, joint: {type: prismatic, axis: [1, 0, 0]}}\n");
  std::string points;
  for (int k = 0; k < 72; ++k)
    points += (k > 0 ? ", [" : "[") + to_text(0.02 + 0.06 * std::cos(5 * k * M_PI / 180)) + ", " +
              to_text(0.06 * std::sin(5 * k * M_PI / 180)) + "]";
  Scenario scenario = read_scenario(
      write("e.yaml",
            "chasles: 1\nmodel: cam.yaml\nduration: 1\ndrivers: [{joint: cam, speed: 2}]\n"
            "initial: {q: {follower: 0.08}}\n"
            "constraints: [{type: point_on_curve, body: follower, curve: {body: cam, closed: true, "
            "points: [" +
                points + "]}}]\n"));
  State end;
  Tape tape;
  tape.look = [&](const Sample& sample) { end = sample.state; };
  Simulation(kinematic(scenario)).run(tape);
  EXPECT_NEAR(end.q[0], 2, 1e-12);
  EXPECT_NEAR(end.q[1], 0.02 * std::cos(2) + std::sqrt(0.0036 - 0.0004 * std::sin(2) * std::sin(2)),
              2e-8);
}
TEST_F(ElementsFile, curves_are_checked) {
  const auto curve = [&](const std::string& text, std::initializer_list<const char*> parts) {
    refused(
        "duration: 1\nconstraints: [{type: point_on_curve, body: hand, curve: {" + text + "}}]\n",
        4, parts);
  };
  curve("", {"curve", "give points, or expressions"});
  curve("points: [[0, 0, 0], [1, 2]]", {"give all as [x, y], or all as [x, y, z]"});
  curve("points: [1, 2]", {"give all as [x, y]"});
  curve("points: [[0, 0], [0, 0]]", {"points 0 and 1", "both (0, 0, 0)"});
  curve("points: [[0, 0], [1, 2 s]]", {"is in s; give m"});
  curve("points: [[0, 0], [1, 2]], from: 0", {"from: the curve is given by points"});
  curve("x: s", {"needs 'from'"});
  curve("x: t, from: 0, to: 1", {"x of a curve, 't'", "the parameter of a curve is s"});
  curve("x: [s], from: 0, to: 1", {"x is not an expression"});
  curve("x: s, from: 1, to: 0", {"interval that increases"});
  curve("x: s, from: 0, to: 1, closed: true", {"not closed"});
  curve("x: s, from: 0, to: 1, body: hnd", {"did you mean 'hand'?"});
  refused("duration: 1\nrecord: {quantities: ['constraint_force:rod']}\n", 4,
          {"there is no constraint 'rod': the scenario has none"});
}

TEST_F(ElementsFile, constraints_are_checked) {
  refused("duration: 1\nconstraints: [{type: distanc}]\n", 4, {"did you mean 'distance'?"});
  refused("duration: 1\nconstraints: [{type: distance, a: {body: hand}, b: {body: grund}}]\n", 4,
          {"grund", "did you mean 'ground'?"});
  refused("duration: 1\nconstraints: [{type: distance, a: {body: hand}}]\n", 4, {"needs 'b'"});
  refused(
      "duration: 1\nconstraints: [{type: distance, a: {body: hand}, b: {body: ground}, length: 2 "
      "s}]\n",
      4, {"length '2 s' is in s; give m"});
  refused("duration: 1\nconstraints: [{type: rolling, body: hand, radius: -1}]\n", 4,
          {"radius -1 is not positive"});
  refused("duration: 1\nloops: open\nconstraints: [{type: rolling, body: hand, radius: 1}]\n", 5,
          {"with loops: open nothing is constrained"});
  refused(
      "duration: 1\nconstraints:\n"
      "  - {type: point_on_plane, name: a, body: hand, plane: {}}\n"
      "  - {type: point_on_plane, name: a, body: hand, plane: {}}\n",
      6, {"another constraint of the name 'a'"});
}

TEST_F(ElementsFile, force_elements_are_read) {
  const Scenario s = read(
      "duration: 1\nforces:\n"
      "  - {type: bushing, a: {body: ground, rpy: [0, 0, 90 deg]}, b: {body: hand, point: [1 cm, "
      "0, 0]},\n"
      "     stiffness: [1 N m/deg, 2, 3, 4 N/mm, 5, 6], damping: [1, 1, 1, 1, 1, 1], preload: [0, "
      "0, 0, 1 N, 0, 0]}\n"
      "  - {type: joint_spring_table, joint: shoulder, positions: [-90 deg, 90 deg], forces: [3, "
      "-3], interpolation: cubic}\n"
      "  - {type: point_drag, body: hand, density: 1.2, coefficient: 0.5, area: 100 cm^2}\n"
      "  - {type: expression, joint: shoulder, force: '-k*q.shoulder', parameters: {k: 2 N "
      "m/rad}}\n"
      "  - {type: point_expression, a: {body: ground}, b: {body: hand}, force: '3*d'}\n");
  EXPECT_EQ(s.forces.list().size(), 5u);
  EXPECT_TRUE(s.forces.has_tangent());
  const auto force = [&](const std::string& text, std::initializer_list<const char*> parts) {
    refused("duration: 1\nforces: [{" + text + "}]\n", 4, parts);
  };
  force("type: bushing, a: {body: ground}, b: {body: hand}, stiffness: [1, 2]",
        {"give six numbers"});
  force("type: bushing, a: {body: ground}, b: {body: hand}, stiffness: [1 N/m, 2, 3, 4, 5, 6]",
        {"stiffness '1 N/m'"});
  force("type: joint_spring_table, joint: shoulder, positions: [1, 0], forces: [0, 1]",
        {"do not increase"});
  force("type: point_drag, body: hand", {"needs density, coefficient and area, or viscous"});
  force("type: point_drag, body: hand, density: 1", {"needs 'coefficient'"});
  force("type: expression, joint: shoulder, force: '-k*q.sholder'", {"there is no variable 'k'"});
  force("type: expression, joint: shoulder, force: '-q.sholder'", {"did you mean 'shoulder'?"});
  force("type: expression, joint: shoulder, force: [1, 2]", {"force has"});
  force("type: expression, joint: shoulder, force: '(((1'", {"a ')' is missing"});
}

/// Forces as text act in maximal coordinates too.
TEST_F(ElementsFile, expressions_in_both_coordinates) {
  const std::string text =
      "duration: 0.3\nforces: [{type: expression, joint: shoulder, force: '-20*(q.shoulder - 0.3) "
      "- v.shoulder'}]\n"
      "integrator: {method: dop853, tolerance: 1e-11}\nrecord: {quantities: ['pose:hand']}\n";
  const auto hand = [&](const std::string& all) {
    const Scenario s = read(all);
    Simulation simulation(s);
    Trajectory path;
    simulation.run(path);
    PositionKinematics kin(s.model);
    forward_kinematics(s.model, simulation.state().q, kin);
    return pose(kin, s.model.frame("hand")).r;
  };
  EXPECT_LT(norm(hand(text) - hand(text + "coordinates: maximal\n")), 1e-7);
}

TEST_F(ElementsFile, sensors_are_read) {
  const Scenario s = read(
      "duration: 1\ncontrol:\n  - {type: pd, joints: [shoulder], stiffness: 5, period: 1 ms, "
      "sensors: {position_noise: 1 deg,\n"
      "     velocity_resolution: {shoulder: 0.1}, delay: 1.5 ms, seed: 9}}\n");
  const Sensors& sensors = *s.forces.list()[0].controller->sensors;
  EXPECT_EQ(sensors.position_noise[0], M_PI / 180);
  EXPECT_EQ(sensors.delay, 0.0015);
  EXPECT_EQ(sensors.seed, 9u);
  const std::string pd = "duration: 1\ncontrol: [{type: pd, joints: [shoulder], stiffness: 5, ";
  refused(pd + "sensors: {}}]\n", 4, {"sensors are read at samples; give a period"});
  refused(pd + "period: 1, sensors: {noise: 1}}]\n", 4, {"unknown key 'noise'"});
  refused(pd + "period: 1, sensors: {seed: 1.5}}]\n", 4, {"seed 1.5 is not a whole number"});
  refused(pd + "period: 1, sensors: {position_noise: {shoulder: 1 kg}}}]\n", 4, {"is in kg"});
  refused(pd + "period: 1, sensors: {position_noise: {sholder: 1}}}]\n", 4,
          {"did you mean 'shoulder'?"});
}

}  // namespace elements_file_test
}  // namespace chasles
