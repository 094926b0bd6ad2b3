#include "mode_report.hpp"

#include <fmt/format.h>

#include <chasles/io/report.hpp>
#include <cmath>

#include "output.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;

constexpr int periods = 3, samples_per_period = 48;
constexpr std::size_t most_modes = 60;

/// c of (1).
double amplitude(const Model& model, const State& at, const VibrationMode& mode) {
  PositionKinematics kin(model);
  forward_kinematics(model, at.q, kin);
  double reach = 0, turned = 0, moved = 0;
  for (const SE3& C : kin.C()) reach = std::max(reach, norm(C.r - kin.C()[0].r));
  for (const ModelJoint& joint : model.joints())
    for (const JointCoordinate& c : joint.coordinates)
      for (int k = c.v_index; k < c.v_index + c.nv; ++k) {
        double& most = c.is_angular() ? turned : moved;
        most = std::max(most, std::abs(mode.shape[static_cast<std::size_t>(k)]));
      }
  const double length = reach > 0 ? 0.1 * reach : 0.1;
  return std::min(turned > 0 ? 0.3 / turned : HUGE_VAL, moved > 0 ? length / moved : HUGE_VAL);
}

/// Time over which a mode is shown [s].
double duration_of(const VibrationMode& mode) {
  const double turning = std::abs(mode.lambda.imag()), growing = std::abs(mode.lambda.real());
  if (turning > 0) return periods * 2 * M_PI / turning;
  return growing > 0 ? periods / growing : 1;
}

std::string title(std::size_t number, const VibrationMode& mode) {
  if (mode.lambda.imag() != 0)
    return fmt::format("mode {}: {:.4g} Hz, damping {:.3g}", number + 1,
                       mode.frequency / (2 * M_PI), mode.damping);
  if (mode.lambda.real() == 0) return fmt::format("mode {}: free motion", number + 1);
  return fmt::format("mode {}: {} as exp({:.4g} t)", number + 1,
                     mode.lambda.real() < 0 ? "decays" : "grows", mode.lambda.real());
}

ReportRun run_of(const Scenario& scenario, MechanicalSystem& system, const State& at,
                 const VibrationMode& mode, std::size_t number) {
  ReportRun run;
  run.name = title(number, mode);
  ReportRecorder recorder(run);
  recorder.begin(scenario, {});
  const double length = duration_of(mode), c = amplitude(scenario.model, at, mode);
  const int count = periods * samples_per_period;
  const double grows = std::max(0.0, mode.lambda.real() * length);
  Vector way(scenario.model.nv()), rate(scenario.model.nv());
  for (int i = 0; i <= count; ++i) {
    const double t = length * i / count;
    State there = at;
    there.t = t;
    for (Eigen::Index k = 0; k < way.size(); ++k) {
      const std::complex<double> s = mode.shape[static_cast<std::size_t>(k)];
      const bool is_free = mode.lambda == std::complex<double>(0);
      const std::complex<double> x = is_free ? s * (t / length) : s * std::exp(mode.lambda * t);
      way[k] = c * std::exp(-grows) * x.real();
      rate[k] = c * std::exp(-grows) * (is_free ? s / length : mode.lambda * x).real();
    }
    system.group().plus(at.q, way, there.q);
    there.v = rate;
    if (system.constraint_count() > 0) try {
        system.project(there);
      } catch (const Error&) {  // too far for its constraints: shown as it is
      }
    there.t = t;
    recorder.sample({there, {}, {}});
  }
  run.facts = {
      {"lambda [1/s]", fmt::format("{:.6g}{:+.6g}i", mode.lambda.real(), mode.lambda.imag())},
      {"frequency [Hz]", fmt::format("{:.6g}", mode.frequency / (2 * M_PI))},
      {"damping", fmt::format("{:.6g}", mode.damping)},
      {"amplitude", "chosen for the eye"}};
  return run;
}

}  // namespace

void write_mode_report(const Scenario& scenario, MechanicalSystem& system, const State& at,
                       const std::vector<VibrationMode>& modes, const std::string& path,
                       std::span<const std::filesystem::path> inputs) {
  std::vector<ReportRun> runs;
  for (std::size_t k = 0; k < std::min(modes.size(), most_modes); ++k)
    runs.push_back(run_of(scenario, system, at, modes[k], k));
  if (modes.size() > most_modes)
    runs[0].warnings.push_back(
        fmt::format("the first {} of {} modes are shown", most_modes, modes.size()));
  write_output(write_report(viewer_page(), runs), path, inputs);
}
