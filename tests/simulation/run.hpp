/// A scenario, run to its end; and numbers that several have.
#pragma once

#include <gtest/gtest.h>

#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"

namespace chasles::test {

constexpr double g = 9.81;                                       // [m/s^2]
constexpr Sym3 small_tensor = Sym3::diagonal(0.01, 0.02, 0.03);  // [kg m^2]

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
