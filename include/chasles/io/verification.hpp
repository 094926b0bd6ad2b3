/// Verification by published problems: files that name a scenario (or a model at a state), published numbers with
/// their sources and tolerances. `chasles verify` runs them; adding a problem adds files only.
///
///     chasles: 1
///     problem: Heavy top, Brüls, Cardona and Arnold
///     source: Mechanism and Machine Theory 48 (2012), section 5
///     scenario: scenarios/heavy_top.yaml
///     published:
///       - {quantity: position:tip, at: 2, value: [-0.15, -0.72, -0.67], tolerance: 1e-4, source: Table 1}
///       - {quantity: energy_drift, value: 0, tolerance: 1e-9}                   an entry of the summary
///       - {quantity: eigenvalues, joints: [lean], value: [[-1, 2], [-1, -2]], tolerance: 1e-8}
///
/// Further keys of a value: `entries`, those that are published, from 0; `set`, changes of the scenario as of
/// `chasles simulate --set`; `reduce: absolute_sum`; `state`, q, v, a and tau by joint, for quantities of a model that
/// moves by no scenario. Values at times are compared in runs that estimate their own error
/// (simulation/error_estimate.hpp).
#pragma once

#include <array>
#include <filesystem>
#include <map>

#include "chasles/export.hpp"
#include "chasles/simulation/error_estimate.hpp"

namespace chasles CHASLES_API {

/// A published number or list of numbers, and the way to compute it.
struct PublishedValue {
  std::vector<std::string>
      quantities;  // of a run or state; entries of the summary; "eigenvalues", "critical"
  std::optional<double> at{};   // [s]; none: the end of the run
  std::vector<int> entries{};   // those that are published; empty: all
  bool absolute_sum = false;    // the sum of absolute values is published
  std::vector<double> value{};  // eigenvalues: real and imaginary parts in turn
  double tolerance = 0;         // of each number, absolute: digits printed, errors known
  std::string source{}, note{};
  std::vector<std::string> changes{};          // of the scenario
  std::map<std::string, std::string> state{};  // q, v, a, tau: as for set_by_joint
  std::vector<std::string>
      joints{};  // eigenvalues: of these independent coordinates alone; empty: all
  std::vector<std::string> independent{};  // eigenvalues: joints whose velocities are independent
  /// Of a critical value: the changed parameter ("initial.v.drive"), and values on either side of the root.
  std::string parameter{};
  std::array<double, 2> between{};
};

struct VerificationProblem {
  std::string name;  // of the file
  std::string title, source, note;
  std::filesystem::path file, scenario;  // scenario: or model, with states
  bool is_model = false;
  std::vector<PublishedValue> published;
};

/// @throws Error with its source location
VerificationProblem read_problem(const std::filesystem::path& path);
/// The names of the problems in a folder, sorted.
/// @throws Error if there is no such folder, or if it has no problems
std::vector<std::string> problem_names(const std::filesystem::path& folder);
/// The problem of this name in a folder.
/// @throws Error for an unknown one, with the nearest name; as read_problem
VerificationProblem find_problem(const std::filesystem::path& folder, const std::string& name);

/// Our value of a published number.
struct VerifiedValue {
  std::string quantity, source, note;
  std::vector<double> published, computed;
  double tolerance = 0;
  double error = 0;       // estimate for the computed value, absolute
  double difference = 0;  // largest of all entries
  double digits = 0;      // decimal digits in agreement, relative to the largest entry
  bool agrees = false;    // both are at most the tolerance
};
struct Verification {
  VerificationProblem problem;
  std::vector<VerifiedValue> values;
  std::vector<std::string> methods;  // of the runs and their repetitions
  double cpu_seconds = 0;
  bool passed = false;  // all values agree
};
/// @throws Error that begins with the name of the problem
Verification verify(const VerificationProblem& problem);

/// The results as a document in Markdown.
/// @param cpu  with CPU times, which differ from run to run
std::string verification_markdown(std::span<const Verification> results, bool cpu = true);
/// The same as an HTML page.
std::string verification_html(std::span<const Verification> results);

}  // namespace CHASLES_API
