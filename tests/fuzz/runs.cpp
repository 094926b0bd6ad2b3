#include <cmath>
#include <sstream>

#include "chasles/io/run_file.hpp"
#include "chasles/io/states_file.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "fuzz/rig.hpp"
#include "fuzz/some_steps.hpp"
#include "io/runs/scenario_parts.hpp"
#include "support/arm.hpp"
#include "support/failing_stream.hpp"

namespace chasles::fuzz {
namespace {

const Model& arm() {
  static const Model model = compile(read_yaml(test::arm_yaml, "arm.yaml"));
  return model;
}

/// A scenario of the arm, or of the rig if its model has this name.
Scenario scenario_in(std::string_view bytes, std::span<const std::string> changes = {}) {
  const auto read = [](const std::filesystem::path& path, const ReadOptions&) {
    return path.stem() == "rig" ? read_yaml(rig_yaml, "rig.yaml")
                                : read_yaml(test::arm_yaml, "arm.yaml");
  };
  return io::read_scenario(bytes, "fuzz.yaml", read, nullptr, nullptr, changes);
}

}  // namespace

void scenario(std::string_view bytes) {
  try {
    some_steps(scenario_in(bytes));
  } catch (const Error&) {
  }
}

void absolute(std::string_view bytes) {
  const std::string changes[] = {"coordinates=maximal"};
  try {
    const Scenario s = scenario_in(bytes, changes);
    some_steps(s);
    // What is not closed in the model is closed here: the hand hangs on the arm.
    require(s.loops && !s.model.loops().empty() && s.joints, "joints are not there");
  } catch (const Error&) {
  }
}

void states(std::string_view bytes) {
  static const std::string names[] = {"inverse_dynamics", "energy", "com", "pose:hand"};
  static Evaluation evaluation(arm(), names, QuantitySource::state);
  std::istringstream in{std::string(bytes)};
  try {
    EvaluationState moment(arm());
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

void broken_run(std::string_view bytes) {
  if (bytes.size() < 3) return;
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i]));
  };
  const bool csv = bytes[0] == 'c';
  const std::size_t good = 256 * byte(1) + byte(2);
  bytes.remove_prefix(3);
  if (good >= bytes.size()) return;
  test::FailingStream in{std::string(bytes), good};
  try {
    read_recorded_state(in, "fuzz", csv ? RunFormat::csv : RunFormat::json, arm());
  } catch (const Error&) {  // the part that could be read is not a run
    return;
  } catch (const std::system_error&) {
    return;
  }
  require(false, "a failure was taken for the end");
}

}  // namespace chasles::fuzz
