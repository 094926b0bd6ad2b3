/// One scenario, many threads, a Simulation each: the same bits, and nothing for a race detector.
#include <gtest/gtest.h>

#include <thread>

#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/control.hpp"
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

}  // namespace thread_test
}  // namespace chasles
