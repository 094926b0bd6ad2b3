#include <cmath>
#include <sstream>

#include "chasles/io/run_file.hpp"
#include "chasles/io/states_file.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/simulation.hpp"
#include "fuzz/targets.hpp"
#include "io/runs/scenario_parts.hpp"
#include "support/arm.hpp"

namespace chasles::fuzz {
namespace {

const Model& arm() {
  static const Model model = compile(read_yaml(test::arm_yaml, "arm.yaml"));
  return model;
}

struct Enough {};
/// Takes some samples.
struct FewSamples : Recorder {
  int left = 20;
  void sample(const Sample& sample) override {
    require(sample.state.q.size() > 0, "a sample without q");
    if (--left == 0) throw Enough();
  }
};

}  // namespace

void scenario(std::string_view bytes) {
  try {
    const auto read = [](const std::filesystem::path&, const ReadOptions&) {
      return read_yaml(test::arm_yaml, "arm.yaml");
    };
    const Scenario s = io::read_scenario(bytes, "fuzz.yaml", read);
    Simulation simulation(s);
    FewSamples recorder;
    int steps = 0;
    simulation.run(recorder, [&](double) { return ++steps < 5; });
  } catch (const Error&) {
  } catch (const Enough&) {
  }
}

void states(std::string_view bytes) {
  static const std::string names[] = {"inverse_dynamics", "energy", "com", "pose:hand"};
  static Evaluation evaluation(arm(), names, Source::state);
  std::istringstream in{std::string(bytes)};
  try {
    Moment moment(arm());
    for (const GivenState& state : read_states(in, "fuzz.json", arm())) {
      require(state.q.allFinite() && state.v.allFinite() && state.a.allFinite(), "not finite");
      state.write_to(moment);
      evaluation.at(moment);
    }
  } catch (const Error&) {
  }
}

void run(std::string_view bytes) {
  const bool csv = bytes.starts_with('c');
  if (!bytes.empty()) bytes.remove_prefix(1);
  std::istringstream in{std::string(bytes)};
  try {
    const State state =
        read_recorded_state(in, "fuzz", csv ? RunFormat::csv : RunFormat::json, arm());
    require(std::isfinite(state.t) && state.q.size() == 5 && state.v.size() == 4 &&
                state.q.allFinite() && state.v.allFinite(),
            "a state that is none");
  } catch (const Error&) {
  }
}

}  // namespace chasles::fuzz
