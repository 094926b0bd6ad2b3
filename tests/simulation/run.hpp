/// A scenario, run to its end.
#pragma once

#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"

namespace chasles::test {

struct End {
  State state;
  Summary summary;
  std::vector<State> path;
};
inline End run(const Scenario& scenario) {
  Simulation simulation(scenario);
  Trajectory path;
  simulation.run(path);
  EXPECT_SAYS(simulation.run(path), "has come to its end");
  return {simulation.state(), simulation.summary(), path.states};
}

}  // namespace chasles::test
