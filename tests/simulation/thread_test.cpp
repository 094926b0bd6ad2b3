/// One scenario, many threads, a Simulation each: the same bits, and nothing for a race detector.
#include <gtest/gtest.h>

#include <thread>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/control.hpp"
#include "fuzz/rig.hpp"
#include "io/runs/scenario_parts.hpp"
#include "simulation/run.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace thread_test {

void expect_the_same_in_threads(const Scenario& scenario, const std::string& what) {
  const State expected = test::run(scenario).state;
  std::vector<State> ends(4);
  std::vector<std::thread> threads;
  threads.reserve(ends.size());
  for (State& end : ends)
    threads.emplace_back([&] {
      Simulation simulation(scenario);
      Trajectory path;
      simulation.run(path);
      end = simulation.state();
    });
  for (std::thread& thread : threads) thread.join();
  for (const State& end : ends) {
    EXPECT_EQ(end.q, expected.q) << what;
    EXPECT_EQ(end.v, expected.v) << what;
  }
}

/// With loops, in relative and in maximal coordinates, by an explicit and by implicit methods.
TEST(Threads, share_a_scenario_with_loops) {
  const Mechanism linkage = studies::four_bar();
  for (const Model& model :
       {compile(linkage), compile(to_maximal_coordinates(linkage, BodyGroup::se3))})
    for (const char* method : {"auto", "radau5", "generalized_alpha", "rattle"}) {
      Scenario s{
          .model = model, .start = {0, model.neutral(), Vector(model.nv())}, .duration = 0.2};
      s.integrator.method = method;
      if (!method_info(method).adaptive) s.integrator.step = 0.005;
      expect_the_same_in_threads(s, method);
    }
}

/// With friction that sticks and a sampled controller, which remember.
TEST(Threads, share_a_scenario_with_memory) {
  Scenario s = test::spring(0.1);
  s.integrator = {};
  s.forces.add(joint_friction(s.model, "mass", {.coulomb = 1, .stick = true}));
  Controller hold = pd_control(s.model, {"mass"}, {Reference(0.5)}, {.damping = {1.0}});
  hold.period = 0.01;
  s.forces.add(control(hold));
  s.duration = 1;
  expect_the_same_in_threads(s, "a mass that sticks");
}

/// Springs, tendons, actuators, contacts of shapes, curves, expressions, drivers and sensors: their laws, curves and
/// expressions are shared by all.
TEST(Threads, share_a_scenario_with_all_elements) {
  const auto read = [](const std::filesystem::path&, const ReadOptions&) {
    return read_yaml(fuzz::rig_yaml, "rig.yaml");
  };
  const std::string begins = "chasles: 1\nmodel: rig.yaml\nduration: 0.02\n";
  const char* const elements[] = {
      R"yaml(
contacts: {from: model, floor: 0, friction: 0.5, rolling_friction: 0.01}
control: [{type: actuators}]
limits: soft
initial: {keyframe: home}
)yaml",
      R"yaml(
constraints:
  - {type: point_on_curve, body: nut, curve: {x: 0.3*cos(s), y: 0.8 + 0.3*sin(s), z: 0.5, from: 0, to: 2*pi, closed: true}}
forces:
  - {type: expression, joint: crank, force: "-k*(q.crank - 0.3) - c*v.crank^3 + t", parameters: {k: 10, c: 0.1}}
  - {type: point_expression, a: {body: ground, point: [0, 0, 1]}, b: {body: tip}, force: "max(0, 8*(d - 0.3) + 2*d_dot)"}
integrator: {method: radau5, tolerance: 1e-6}
)yaml",
      R"yaml(
constraints:
  - {type: point_on_curve, body: nut, curve: {points: [[0, 1, 0.5], [0.3, 1.2, 0.4], [0.5, 1, 0.8]]}}
drivers: [{joint: crank, harmonics: {frequency: 1, cos: [0.1], sin: [0.2]}}]
forces: [{type: point_drag, body: base, viscous: 2}]
)yaml",
      R"yaml(
control:
  - {type: pd, joints: [nut], stiffness: 60, damping: 8, period: 1 ms, delay: 0.5 ms,
     sensors: {position_noise: 0.01, velocity_noise: 0.02, delay: 2.5 ms}}
  - {type: state_feedback, joints: [crank], gain: [[1, 2]]}
integrator: {method: dop853, tolerance: 1e-8}
)yaml"};
  for (const char* part : elements)
    expect_the_same_in_threads(io::read_scenario(begins + part, "threads.yaml", read), part);
}

}  // namespace thread_test
}  // namespace chasles
