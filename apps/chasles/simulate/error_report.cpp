#include "error_report.hpp"

#include <fmt/format.h>

void print_error_estimate(const chasles::Scenario& scenario,
                          const chasles::RecordedSamples& samples, const chasles::Summary& summary,
                          const chasles::Simulation::Proceed& proceed) {
  using namespace chasles;
  const ErrorEstimate estimate = estimate_error(scenario, samples, summary, proceed);
  std::string compared, failed;
  for (const RepeatedRun& run : estimate.runs)
    if (run.failure.empty())
      compared += (compared.empty() ? "" : "; ") + run.text;
    else
      failed += fmt::format("  {} could not be compared: {}\n", run.text, run.failure);
  fmt::print("\n  estimated errors, by repeated runs: {}\n", compared);
  fmt::print("  {:<28} {:>9}  {:>9}  {:>12}  {:>9}\n", "quantity", "at end", "largest", "at t [s]",
             "its size");
  for (const QuantityError& x : estimate.quantities)
    fmt::print("  {:<28} {:>9.2e}  {:>9.2e}  {:>12.6g}  {:>9.2e}  [{}]{}\n", x.name, x.end, x.worst,
               x.worst_time, x.size, x.unit,
               x.joint.empty() ? "" : ", largest at joint '" + x.joint + "'");
  if (estimate.horizon) {
    fmt::print("\n  not predictable beyond t = {:g} s: the error reaches a tenth of the motion\n",
               *estimate.horizon);
    if (estimate.lyapunov_time)
      fmt::print(
          "  chaotic: errors grow by e every {:.3g} s (Lyapunov time), tenfold every {:.3g} s:\n"
          "  a run that is ten times as accurate predicts that much longer\n",
          *estimate.lyapunov_time, 2.302585092994046 * *estimate.lyapunov_time);
    else
      fmt::print(
          "  neighboring motions do not separate exponentially: a smaller step or tolerance gives "
          "a prediction\n");
  }
  // Failures matter only where nothing of another family could be compared.
  if (compared.find(';') == compared.npos && !failed.empty()) fmt::print("{}", failed);
}
