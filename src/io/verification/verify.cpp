/// Computes published values: by runs with error estimates, by linearization, or at states.
#include <algorithm>
#include <cmath>
#include <complex>
#include <ctime>

#include "chasles/io/scenario_file.hpp"
#include "chasles/io/states_file.hpp"
#include "chasles/io/verification.hpp"
#include "chasles/linearization/equilibrium.hpp"
#include "chasles/simulation/evaluation.hpp"
#include "chasles/simulation/scenario_system.hpp"
#include "chasles/suggest.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

using Complex = std::complex<double>;
constexpr std::string_view of_summary = "summary:";

/// Numbers with the estimate of their error.
struct Computed {
  std::vector<double> numbers;
  double error = 0;
};

void append(std::vector<double>& out, ConstMatrixRef x) {
  for (Eigen::Index i = 0; i < x.rows(); ++i)
    for (Eigen::Index j = 0; j < x.cols(); ++j) out.push_back(x(i, j));
}

/// Runs of one scenario with certain changes, shared by the values that need it.
class ProblemRun {
 public:
  ProblemRun(const VerificationProblem& problem, std::vector<std::string> made)
      : changes(std::move(made)),
        scenario(read_scenario(problem.scenario, nullptr, nullptr, changes)) {
    scenario.quantities.clear();
    for (const PublishedValue& value : problem.published)
      if (value.changes == changes) add(value);
  }

  const std::vector<std::string> changes;
  Scenario scenario;
  std::vector<std::string> methods;

  Computed compute(const PublishedValue& value) {
    run();
    Computed out;
    for (const std::string& name : value.quantities)
      name.starts_with(of_summary) ? add_summary(name, out) : add_sample(name, value.at, out);
    return out;
  }

 private:
  void add(const PublishedValue& value) {
    for (const std::string& name : value.quantities) {
      if (name == "eigenvalues" || name == "critical" || name.starts_with(of_summary)) continue;
      estimated_ = true;
      auto& names = scenario.quantities;
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }

  void run() {
    if (done_) return;
    Simulation simulation(scenario);
    simulation.run(samples_);
    summary_ = simulation.summary();
    methods.push_back(summary_.method);
    if (estimated_) {
      estimate_ = estimate_error(scenario, samples_, summary_);
      for (const RepeatedRun& repeated : estimate_.runs)
        if (repeated.failure.empty()) methods.push_back(repeated.text);
    }
    done_ = true;
  }

  void add_summary(const std::string& name, Computed& out) const {
    const std::string word = name.substr(of_summary.size());
    std::vector<std::string_view> known;
    const auto entries = summary_.entries();
    for (const auto& [key, number] : entries) {
      known.emplace_back(key);
      if (key == word) return out.numbers.push_back(number);
    }
    throw Error("the summary of a run has no " + quote(word) + choices(word, known));
  }

  void add_sample(const std::string& name, std::optional<double> at, Computed& out) const {
    const double t = at.value_or(samples_.rows.back().state.t);
    std::size_t i = 0;
    while (i < samples_.rows.size() && std::abs(samples_.rows[i].state.t - t) > 1e-9 * (1 + t)) ++i;
    if (i == samples_.rows.size())
      throw Error(name + ": the run has no sample at t = " + to_text(t) +
                  " s; change record.every or the duration of the scenario");
    const auto& row = samples_.rows[i];
    if (is_part_of_every_sample(name)) return add_state(name, row.state, i, out);
    const auto k =
        static_cast<std::size_t>(std::ranges::find(samples_.names, name) - samples_.names.begin());
    append(out.numbers, row.values[k]);
    out.error = std::max(out.error, estimate_.quantities[2 + k].errors[i]);
  }

  /// q, v, q:JOINT or v:JOINT.
  void add_state(const std::string& name, const State& state, std::size_t i, Computed& out) const {
    const bool is_q = name[0] == 'q';
    const Vector& all = is_q ? state.q : state.v;
    int first = 0, count = static_cast<int>(all.size());
    if (const auto colon = name.find(':'); colon != name.npos) {
      const ModelJoint& joint = scenario.model.joint(name.substr(colon + 1));
      first = is_q ? joint.q_index : joint.v_index, count = is_q ? joint.nq : joint.nv;
    }
    append(out.numbers, all.segment(first, count));
    out.error = std::max(out.error, estimate_.quantities[is_q ? 0 : 1].errors[i]);
  }

  bool estimated_ = false, done_ = false;
  RecordedSamples samples_;
  Summary summary_;
  ErrorEstimate estimate_;
};

std::vector<int> entries_of(const Model& model, const std::vector<std::string>& joints) {
  std::vector<int> entries;
  for (const std::string& name : joints) {
    const ModelJoint& joint = model.joint(name);
    for (int k = 0; k < joint.nv; ++k) entries.push_back(joint.v_index + k);
  }
  return entries;
}

/// The linear system of the named joints, which others must not affect.
LinearSystem linear_system(const VerificationProblem& problem, const PublishedValue& value,
                           const std::vector<std::string>& changes) {
  const Scenario scenario = read_scenario(problem.scenario, nullptr, nullptr, changes);
  ScenarioSystem run(with_continuous_control(scenario));
  State at = run.start();
  const CoordinateChoice choice{entries_of(scenario.model, value.independent), run.hold(at)};
  LinearSystem all = linearize(run.system(), at.t, at.q, at.v, choice);
  if (value.joints.empty()) return all;
  const std::vector<int> wanted = entries_of(scenario.model, value.joints);
  std::vector<int> kept, left;
  const auto sort = [&](const std::vector<int>& entries, int offset) {
    for (std::size_t i = 0; i < entries.size(); ++i)
      (std::ranges::find(wanted, entries[i]) != wanted.end() ? kept : left)
          .push_back(offset + static_cast<int>(i));
  };
  sort(all.positions, 0);
  sort(all.velocities, static_cast<int>(all.positions.size()));
  const auto n = static_cast<Eigen::Index>(kept.size());
  if (kept.size() != 2 * wanted.size())
    throw Error("joints: they are not independent coordinates; name them in `independent` as well");
  LinearSystem part;
  part.A.setZero(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const int row = kept[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < n; ++j)
      part.A(i, j) = all.A(row, kept[static_cast<std::size_t>(j)]);
    for (const int j : left)
      if (std::abs(all.A(row, j)) > 1e-8 * (1 + all.A.row(row).cwiseAbs().maxCoeff()))
        throw Error(
            "joints: other joints act on them, so their eigenvalues are not those of a part");
  }
  return part;
}

/// Relative error of the entries of A: rounding, or that of central differences, by which the constraints and forces of a
/// scenario are differentiated.
double linearization_error(const VerificationProblem& problem) {
  const Scenario scenario = read_scenario(problem.scenario);
  return scenario.constraints.more.empty() && scenario.forces.empty() ? 1e-14 : 1e-10;
}

/// Eigenvalues nearest to the published ones, in their order. The error is the change by errors of the entries of A.
Computed nearest_eigenvalues(const LinearSystem& system, const std::vector<double>& published,
                             double relative_error) {
  LinearSystem changed = system;
  for (Eigen::Index i = 0; i < changed.A.size(); ++i)
    changed.A.data()[i] *= 1 + relative_error * std::cos(1.0 + 2.3 * static_cast<double>(i));
  const std::vector<Complex> all = eigenvalues(system), moved = eigenvalues(changed);
  const auto nearest_to = [](Complex x, const std::vector<Complex>& list) {
    return *std::ranges::min_element(list, {}, [&](Complex y) { return std::abs(x - y); });
  };
  if (published.size() % 2 != 0) throw Error("eigenvalues: give pairs [real, imaginary]");
  Computed out;
  for (std::size_t k = 0; k < published.size(); k += 2) {
    const Complex x = nearest_to({published[k], published[k + 1]}, all);
    out.numbers.insert(out.numbers.end(), {x.real(), x.imag()});
    out.error = std::max(out.error, std::abs(x - nearest_to(x, moved)));
  }
  return out;
}

/// The parameter at which the largest real part of the eigenvalues changes its sign: the Illinois variant of regula
/// falsi.
Computed critical(const VerificationProblem& problem, const PublishedValue& value) {
  const auto growth = [&](double p) {
    std::vector<std::string> changes = value.changes;
    changes.push_back(value.parameter + "=" + to_text(p));
    double most = -std::numeric_limits<double>::infinity();
    for (const Complex x : eigenvalues(linear_system(problem, value, changes)))
      most = std::max(most, x.real());
    return most;
  };
  auto [a, b] = value.between;
  double f_a = growth(a), f_b = growth(b), x = a, before = b;
  if (!(f_a * f_b < 0))
    throw Error("critical: the largest real part is " + to_short_text(f_a) + " and " +
                to_short_text(f_b) + " at the ends of `between`; it must change its sign");
  for (int k = 0; k < 60 && std::abs(x - before) > 1e-14 * std::abs(x); ++k) {
    before = x;
    x = (a * f_b - b * f_a) / (f_b - f_a);
    const double f = growth(x);
    if (f == 0) break;
    if (f * f_b < 0)
      a = b, f_a = f_b;
    else
      f_a /= 2;
    b = x, f_b = f;
  }
  // The error of the eigenvalue there, divided by its slope.
  const double step = 1e-4 * std::abs(x), slope = (growth(x + step) - growth(x)) / step;
  return {{x}, std::abs(x - before) + std::abs(linearization_error(problem) / slope)};
}

/// Quantities of a model at a given state; errors are those of rounding.
Computed at_state(const VerificationProblem& problem, const PublishedValue& value) {
  const Model model = compile(read_mechanism(problem.scenario));
  GivenState state = state_by_joint(model);
  for (const auto& [key, text] : value.state) set_by_joint(model, state, key, text);
  Evaluation evaluation(model, value.quantities, QuantitySource::state);
  EvaluationState moment(model);
  state.write_to(moment);
  evaluation.at(moment);
  Computed out;
  for (const Matrix& x : evaluation.values()) append(out.numbers, x);
  for (const double x : out.numbers) out.error = std::max(out.error, 1e-15 * std::abs(x));
  return out;
}

VerifiedValue compare(const PublishedValue& value, Computed computed) {
  VerifiedValue out;
  for (const std::string& name : value.quantities)
    out.quantity += (out.quantity.empty() ? "" : ", ") + name;
  if (value.absolute_sum) out.quantity = "sum of |" + out.quantity + "|";
  if (value.at) out.quantity += " at " + to_text(*value.at) + " s";
  for (const std::string& change : value.changes) out.quantity += "; " + change;
  if (!value.parameter.empty()) out.quantity += " " + value.parameter;
  out.source = value.source, out.note = value.note;
  out.published = value.value, out.tolerance = value.tolerance, out.error = computed.error;
  std::vector<double>& numbers = computed.numbers;
  if (!value.entries.empty()) {
    std::vector<double> chosen;
    for (const int k : value.entries) {
      if (k >= static_cast<int>(numbers.size()))
        throw Error(out.quantity + ": entry " + std::to_string(k) + " of " +
                    std::to_string(numbers.size()) + "; they count from 0");
      chosen.push_back(numbers[static_cast<std::size_t>(k)]);
    }
    numbers = chosen;
  }
  if (value.absolute_sum) {
    double sum = 0;
    for (const double x : numbers) sum += std::abs(x);
    out.error *= static_cast<double>(numbers.size());
    numbers = {sum};
  }
  if (numbers.size() != value.value.size())
    throw Error(out.quantity + ": has " + std::to_string(numbers.size()) + " numbers, and " +
                std::to_string(value.value.size()) + " are published; choose by `entries`");
  double size = 0;
  // A unit quaternion and its negative are the same orientation.
  const bool flips = value.quantities[0].starts_with("orientation:") && !value.absolute_sum &&
                     value.entries.empty() && numbers[0] * value.value[0] < 0;
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (flips) numbers[k] = -numbers[k];
    const double off = std::abs(numbers[k] - value.value[k]);
    out.difference = std::isnan(off) ? off : std::max(out.difference, off);
    size = std::max(size, std::abs(value.value[k]));
  }
  out.computed = numbers;
  if (size > 0) out.digits = std::min(16.0, -std::log10(out.difference / size));
  out.digits = std::max(out.digits, 0.0);
  out.agrees = out.difference <= value.tolerance && out.error <= value.tolerance;
  return out;
}

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace
}  // namespace io

Verification verify(const VerificationProblem& problem) {
  const double begin = io::cpu_seconds();
  Verification out;
  out.problem = problem;
  std::vector<std::unique_ptr<io::ProblemRun>> runs;
  const auto run_with = [&](const PublishedValue& value) -> io::ProblemRun& {
    for (const auto& run : runs)
      if (run->changes == value.changes) return *run;
    runs.push_back(std::make_unique<io::ProblemRun>(problem, value.changes));
    return *runs.back();
  };
  try {
    for (const PublishedValue& value : problem.published) {
      const std::string& what = value.quantities[0];
      io::Computed computed;
      if (problem.is_model)
        computed = io::at_state(problem, value);
      else if (what == "critical")
        computed = io::critical(problem, value);
      else if (what == "eigenvalues")
        computed = io::nearest_eigenvalues(io::linear_system(problem, value, value.changes),
                                           value.value, io::linearization_error(problem));
      else
        computed = run_with(value).compute(value);
      out.values.push_back(io::compare(value, std::move(computed)));
    }
  } catch (const Error& error) {
    throw Error(problem.name + ": " + error.what());
  }
  for (const auto& run : runs)
    for (const std::string& method : run->methods)
      if (std::ranges::find(out.methods, method) == out.methods.end())
        out.methods.push_back(method);
  out.cpu_seconds = io::cpu_seconds() - begin;
  out.passed = std::ranges::all_of(out.values, &VerifiedValue::agrees);
  return out;
}

}  // namespace chasles
