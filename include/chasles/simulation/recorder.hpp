/// Receivers of the samples of a run.
#pragma once

#include <span>

#include "chasles/export.hpp"
#include "chasles/simulation/quantity.hpp"
#include "chasles/simulation/scenario.hpp"
#include "chasles/simulation/summary.hpp"

namespace chasles CHASLES_API {

struct Sample {
  const State& state;
  std::span<const Quantity> quantities;
  std::span<const Matrix> values;  // one per quantity
};

/// Receives the samples of a run, one after the other.
class Recorder {
 public:
  virtual ~Recorder() = default;
  virtual void begin(const Scenario&, std::span<const Quantity>) {}
  virtual void sample(const Sample& sample) = 0;
  virtual void end(const Summary&) {}
};

/// A recorder that stores the states.
class Trajectory : public Recorder {
 public:
  void sample(const Sample& sample) override { states.push_back(sample.state); }
  std::vector<State> states;
};

}  // namespace CHASLES_API
