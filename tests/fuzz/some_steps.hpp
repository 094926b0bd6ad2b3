/// The first steps of a scenario, for targets that run what they read.
#pragma once

#include "chasles/simulation/simulation.hpp"
#include "fuzz/targets.hpp"

namespace chasles::fuzz {

struct Enough {};
/// Takes some samples.
struct FewSamples : Recorder {
  explicit FewSamples(int n) : nq(n) {}
  int nq, left = 20;
  void sample(const Sample& sample) override {
    require(sample.state.q.size() == nq, "a sample without its q");
    if (--left == 0) throw Enough();
  }
};

inline State some_steps(const Scenario& scenario) {
  Simulation simulation(scenario);
  FewSamples recorder(scenario.model.nq());
  int steps = 0;
  try {
    simulation.run(recorder, [&](double) { return ++steps < 5; });
  } catch (const Enough&) {
  }
  State state = simulation.state();
  require(state.q.allFinite() && state.v.allFinite(), "a state that is not finite");
  return state;
}

}  // namespace chasles::fuzz
