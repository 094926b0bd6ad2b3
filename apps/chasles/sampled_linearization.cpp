#include "sampled_linearization.hpp"

#include <fmt/format.h>

#include <cmath>

using namespace chasles;

std::string joint_name(const Model& model, Eigen::Index k) {
  const ModelJoint& joint = model.joint_of_v(static_cast<int>(k));
  return joint.nv == 1 ? joint.name : fmt::format("{}[{}]", joint.name, k - joint.v_index);
}

SampledLinearization sampled_linearization(std::span<const Controller> controllers, const State& at,
                                           const LinearSystem& plant) {
  std::vector<SampledFeedback> feedback;
  SampledLinearization out;
  for (const Controller& c : controllers) {
    if (c.period != controllers[0].period)
      throw Error(fmt::format(
          "'{}' has a period of {} s and '{}' one of {} s; the linear system from sample to sample "
          "takes one period for all: linearize with one of them, or with the same period",
          controllers[0].name, to_text(controllers[0].period), c.name, to_text(c.period)));
    const ControlTangent law = control_tangent(c, at.t, at.q, at.v, plant.C);
    feedback.push_back({law.entries, law.gain, c.loop_delay()});
    out.controllers.push_back(c.name);
  }
  out.system = sample(plant, controllers[0].period, feedback);
  out.eigenvalues = out.system.eigenvalues();
  return out;
}

namespace {

const char* verdict(const SampledSystem& loop) {
  if (loop.is_stable()) return "stable";
  return loop.is_unstable() ? "unstable" : "neither decays nor grows";
}

}  // namespace

Json describe(const Model& model, const SampledLinearization& loop) {
  Json numbers = Json::array(), delayed = Json::array();
  for (const auto& z : loop.eigenvalues) numbers.push_back({z.real(), z.imag()});
  for (const SampledSystem::Delayed& effort : loop.system.delayed)
    delayed.push_back({{"controller", loop.controllers[effort.feedback]},
                       {"joint", joint_name(model, effort.entry)},
                       {"samples_ago", effort.samples}});
  return {{"period", loop.system.period},
          {"controllers", loop.controllers},
          {"A", to_json::matrix(loop.system.A)},
          {"B", to_json::matrix(loop.system.B)},
          {"delayed_efforts", delayed},
          {"eigenvalues", numbers},
          {"spectral_radius", loop.system.spectral_radius()},
          {"stable", loop.system.is_stable()},
          {"stability", verdict(loop.system)}};
}

void print(const Model& model, const SampledLinearization& loop) {
  std::string names;
  for (const SampledSystem::Delayed& effort : loop.system.delayed)
    names += fmt::format("{}{} {} ago", names.empty() ? "" : ", ", joint_name(model, effort.entry),
                         effort.samples);
  if (!names.empty()) fmt::print("  x has the efforts that are delayed, by samples: {}\n", names);
  fmt::print("\n  {:>26} {:>12} {:>16} {:>10}\n", "eigenvalue z of A", "|z|", "frequency [Hz]",
             "damping");
  for (const auto& z : loop.eigenvalues) {
    const std::string text = fmt::format("{:.6g}{:+.6g}i", z.real(), z.imag());
    if (z == 0.0) {  // gone after one sample
      fmt::print("  {:>26} {:>12.6g} {:>16} {:>10}\n", text, 0.0, "-", "-");
      continue;
    }
    const auto s = std::log(z) / loop.system.period;
    fmt::print("  {:>26} {:>12.6g} {:>16.6g} {:>10.4g}\n", text, std::abs(z),
               std::abs(s) / (2 * M_PI), s == 0.0 ? 0.0 : -s.real() / std::abs(s));
  }
  fmt::print("\n  spectral radius {:.9g}: {}\n", loop.system.spectral_radius(),
             verdict(loop.system));
}
