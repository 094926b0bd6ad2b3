#include "chasles/simulation/error_estimate.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "chasles/kinematics/kinematics.hpp"
#include "simulation/closed_actuation.hpp"

namespace chasles {

void RecordedSamples::begin(const Scenario&, std::span<const Quantity> quantities) {
  names.clear(), units.clear(), rows.clear();
  for (const Quantity& quantity : quantities)
    names.push_back(quantity.name), units.emplace_back(quantity.unit);
}

void RecordedSamples::sample(const Sample& sample) {
  rows.push_back({sample.state, {sample.values.begin(), sample.values.end()}});
}

namespace {

using Rows = std::vector<RecordedSamples::Row>;

constexpr double perturbation = 1e-7;  // of the start, for Lyapunov times [rad, m, rad/s, m/s]
constexpr double unpredictable =
    0.1;  // error as a fraction of the motion from which a run predicts nothing
constexpr long least_steps = 20'000;  // that a repetition may take, however few the run took

bool is_munthe_kaas(std::string_view method) {
  static constexpr std::string_view names[] = {"auto", "euler", "bs32", "dp54", "dop853"};
  return method.starts_with("mk") || std::ranges::find(names, method) != std::end(names);
}

std::string text_of(const IntegratorOptions& options) {
  const std::string name(method_info(options).name);
  return name + (options.step ? ", step " + to_short_text(*options.step) + " s"
                              : ", tolerance " + to_short_text(options.tolerance.value_or(1e-10)));
}

/// The same method with a tenth of its tolerance or step.
IntegratorOptions refined(IntegratorOptions options) {
  if (options.step)
    options.step = *options.step / 10;
  else
    options.tolerance = std::max(options.tolerance.value_or(1e-10) / 10, 1e-15);
  if (options.first_step) options.first_step = *options.first_step / 10;
  return options;
}

/// Methods of other families, in the order of preference. Explicit ones come last for stiff runs: they compare those of
/// radau5, as far as their steps suffice.
std::vector<IntegratorOptions> other_methods(const Scenario& scenario, const Summary& summary) {
  const IntegratorOptions& own = scenario.integrator;
  const std::string name(method_info(own).name);
  const bool stiff = summary.statistics.implicit_steps > 0 || summary.statistics.is_stiff() ||
                     method_info(own).newton;
  static constexpr std::string_view smooth[] = {"taylor", "hedop5", "dop853", "radau5"},
                                    closed[] = {"hedop5", "dop853", "radau5"},
                                    rigid[] = {"radau5", "dop853", "hedop5"};
  const bool bound = is_bound(scenario.model, scenario.loops, scenario.constraints);
  std::vector<IntegratorOptions> list;
  for (const std::string_view method : stiff   ? std::span<const std::string_view>(rigid)
                                       : bound ? std::span<const std::string_view>(closed)
                                               : std::span<const std::string_view>(smooth)) {
    if (method == name || (is_munthe_kaas(method) && is_munthe_kaas(name))) continue;
    IntegratorOptions other{.method = std::string(method)};
    other.tolerance = std::max(own.step ? 1e-11 : own.tolerance.value_or(1e-10) / 10, 1e-15);
    other.scales = own.scales;
    list.push_back(std::move(other));
  }
  return list;
}

/// Largest entry of q_1 - q_0 on the Lie group; its index.
double distance(const Model& model, const State& a, const State& b, Vector& work,
                Eigen::Index& most) {
  work.resize(model.nv());
  if (model.nv() == 0) return 0;
  minus(model, a.q, b.q, work);
  return work.cwiseAbs().maxCoeff(&most);
}

/// Unit quaternions are compared up to their sign.
double difference(const std::string& name, const Matrix& a, const Matrix& b) {
  if (a.size() == 0) return 0;
  const double as_is = (a - b).cwiseAbs().maxCoeff();
  if (!name.starts_with("orientation:")) return as_is;
  return std::min(as_is, (a + b).cwiseAbs().maxCoeff());
}

using Errors = std::vector<QuantityError>;  // q, v, the recorded quantities, the end of the run

class Comparison {
 public:
  Comparison(const Scenario& scenario, const RecordedSamples& run)
      : scenario_(scenario), run_(run) {
    none_.push_back({"q", "rad, m"});
    none_.push_back({"v", "rad/s, m/s"});
    for (std::size_t k = 0; k < run.names.size(); ++k)
      none_.push_back({run.names[k], run.units[k]});
    none_.push_back({"end of the run", "s"});
    none_.back().size = run.rows.back().state.t;
    for (QuantityError& x : none_)
      x.errors.assign(run.rows.size(), std::numeric_limits<double>::quiet_NaN());
    Eigen::Index most = 0;
    for (const auto& row : run.rows) {
      const double moved = distance(scenario.model, row.state, run.rows[0].state, work_, most);
      excursion_ = std::max(excursion_, moved);
      grow(0, moved);
      if (row.state.v.size() > 0) grow(1, row.state.v.cwiseAbs().maxCoeff());
      for (std::size_t k = 0; k < row.values.size(); ++k)
        if (row.values[k].size() > 0) grow(2 + k, row.values[k].cwiseAbs().maxCoeff());
    }
  }

  /// The differences from one repetition. Last samples are compared with each other, also where an event ends the runs
  /// at different times, with a sample of one between.
  Errors compare(const Rows& rows) {
    Errors errors = none_;
    const std::size_t end = run_.rows.size() - 1;
    for (std::size_t i = 0; i < std::min(end, rows.size()); ++i) {
      if (std::abs(run_.rows[i].state.t - rows[i].state.t) > 1e-9 * scenario_.duration) break;
      compare(run_.rows[i], rows[i], i, errors);
    }
    compare(run_.rows[end], rows.back(), end, errors);
    const double apart = std::abs(run_.rows[end].state.t - rows.back().state.t);
    note(errors.back(), apart > 1e-14 * scenario_.duration ? apart : 0, end);
    return errors;
  }

  /// The larger ones of both, sample by sample.
  static void merge(Errors& into, const Errors& from) {
    for (std::size_t k = 0; k < into.size(); ++k) {
      QuantityError& x = into[k];
      const QuantityError& y = from[k];
      x.end = std::max(x.end, y.end);
      if (y.worst > x.worst) x.worst = y.worst, x.worst_time = y.worst_time, x.joint = y.joint;
      for (std::size_t i = 0; i < x.errors.size(); ++i)
        x.errors[i] = std::fmax(x.errors[i], y.errors[i]);
    }
  }

  /// (1) of all repetitions.
  ErrorEstimate estimate(Errors errors) const {
    ErrorEstimate out;
    for (std::size_t i = 0; i < run_.rows.size() && !out.horizon; ++i)
      if (excursion_ > 0 && errors[0].errors[i] > threshold()) out.horizon = run_.rows[i].state.t;
    if (errors.back().end == 0) errors.pop_back();
    out.quantities = std::move(errors);
    return out;
  }

 private:
  /// A tenth of the motion, or of 1 rad, 1 m.
  double threshold() const { return unpredictable * std::min(excursion_, 1.0); }
  void grow(std::size_t k, double size) { none_[k].size = std::max(none_[k].size, size); }
  /// @param i  index of the sample; @returns whether it is the largest error so far
  bool note(QuantityError& x, double error, std::size_t i) const {
    if (i + 1 == run_.rows.size()) x.end = error;
    x.errors[i] = error;
    if (!(error > x.worst)) return false;
    x.worst = error, x.worst_time = run_.rows[i].state.t;
    return true;
  }
  void compare(const RecordedSamples::Row& a, const RecordedSamples::Row& b, std::size_t i,
               Errors& errors) {
    const auto joint = [&](Eigen::Index k) {
      return scenario_.model.joint_of_v(static_cast<int>(k)).name;
    };
    for (std::size_t k = 0; k < a.values.size(); ++k)
      note(errors[2 + k], difference(run_.names[k], a.values[k], b.values[k]), i);
    Eigen::Index most = 0;
    const double apart = distance(scenario_.model, a.state, b.state, work_, most);
    if (note(errors[0], apart, i)) errors[0].joint = joint(most);
    if (a.state.v.size() == 0) return;
    const double faster = (a.state.v - b.state.v).cwiseAbs().maxCoeff(&most);
    if (note(errors[1], faster, i)) errors[1].joint = joint(most);
  }

  const Scenario& scenario_;
  const RecordedSamples& run_;
  Errors none_;  // without errors; sizes of the quantities
  double excursion_ = 0;
  Vector work_;
};

/// Whether an error of `a`, at worst or at the end, is more than `times` that of `b`, and more than rounding.
bool exceeds(const Errors& a, const Errors& b, double times) {
  for (std::size_t k = 0; k < a.size(); ++k) {
    const double rounding = 1e-13 * a[k].size;
    if (a[k].worst > std::max(times * b[k].worst, rounding) ||
        a[k].end > std::max(times * b[k].end, rounding))
      return true;
  }
  return false;
}

/// Runs a scenario with other options.
/// @throws Error why it cannot be run, or not to its end
Rows repeat(Scenario scenario, const IntegratorOptions& options, long most_steps,
            const Simulation::Proceed& proceed) {
  scenario.integrator = options;
  scenario.checkpoint.reset();
  RecordedSamples samples;
  Simulation simulation(scenario);
  long steps = 0;
  bool stopped = false;
  simulation.run(samples, [&](double t) {
    stopped = ++steps > most_steps || (proceed && !proceed(t));
    return !stopped;
  });
  if (stopped)
    throw Error("it was stopped after " + std::to_string(steps) +
                " steps, at t = " + to_text(simulation.state().t) + " s");
  return std::move(samples.rows);
}

/// Least squares y = c_0 + c_1 x: the slope, and the sum of squares of the residuals.
std::array<double, 2> fit(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<Eigen::Index>(x.size());
  const Eigen::Map<const Eigen::ArrayXd> X(x.data(), n), Y(y.data(), n);
  const Eigen::ArrayXd dx = X - X.mean(), dy = Y - Y.mean();
  const double slope = (dx * dy).sum() / dx.square().sum();
  return {slope, (dy - slope * dx).square().sum()};
}

}  // namespace

ErrorEstimate estimate_error(const Scenario& scenario, const RecordedSamples& run,
                             const Summary& summary, const Simulation::Proceed& proceed) {
  if (run.rows.empty())
    throw Error("the error of a run is estimated from its samples, and here are none");
  Comparison comparison(scenario, run);
  std::vector<RepeatedRun> runs;
  const auto compare = [&](const IntegratorOptions& options) -> std::optional<Errors> {
    runs.push_back({options, text_of(options), ""});
    try {
      const long most = least_steps + 200 * summary.statistics.steps;
      return comparison.compare(repeat(scenario, options, most, proceed));
    } catch (const Error& error) {
      runs.back().failure = error.what();
      return std::nullopt;
    }
  };
  std::optional<Errors> errors = compare(refined(scenario.integrator));
  for (IntegratorOptions other : other_methods(scenario, summary)) {
    std::optional<Errors> apart = compare(other);
    if (!apart) continue;
    // A method that needs a smaller tolerance to be more accurate than the run gets it: until what it finds beyond the
    // first repetition no longer falls with the tolerance.
    for (int k = 0; k < 3 && errors && exceeds(*apart, *errors, 2); ++k) {
      if (!(*other.tolerance > 1e-15)) break;
      other = refined(other);
      std::optional<Errors> closer = compare(other);
      const bool fell = closer && exceeds(*apart, *closer, 2);
      runs.erase(runs.end() - (closer ? 2 : 1));
      if (closer) apart = std::move(closer);
      if (!fell) break;
    }
    if (errors)
      Comparison::merge(*errors, *apart);
    else
      errors = std::move(apart);
    break;
  }
  std::string failures;
  for (const RepeatedRun& repeated : runs) {
    if (repeated.failure.empty()) continue;
    failures += "\n  " + repeated.text + ": " + repeated.failure;
  }
  if (!errors)
    throw Error("the error cannot be estimated: no repetition of the run succeeds" + failures);
  ErrorEstimate estimate = comparison.estimate(std::move(*errors));
  estimate.runs = std::move(runs);
  if (estimate.horizon) {
    try {
      estimate.lyapunov_time = lyapunov_time(scenario, run, proceed);
    } catch (const Error&) {  // the start cannot be changed, such as that of a driven mechanism
    }
  }
  return estimate;
}

std::optional<double> lyapunov_time(const Scenario& scenario, const RecordedSamples& run,
                                    const Simulation::Proceed& proceed) {
  Scenario nearby = scenario;
  const Model& model = scenario.model;
  // A fixed direction without symmetry; constraints and fixed entries of the start are satisfied again by the run.
  Vector direction(model.nv());
  for (int k = 0; k < model.nv(); ++k) direction[k] = perturbation * std::cos(1.0 + 2.3 * k);
  plus(model, scenario.start.q, direction, nearby.start.q);
  nearby.start.v += direction;
  nearby.kept_q.clear(), nearby.kept_v.clear();
  const Rows rows =
      repeat(std::move(nearby), scenario.integrator, std::numeric_limits<long>::max(), proceed);
  Vector work;
  Eigen::Index most = 0;
  double excursion = 0;
  for (const auto& row : run.rows)
    excursion = std::max(excursion, distance(model, row.state, run.rows[0].state, work, most));
  // Beyond a hundredth of the motion the growth is no longer that of neighbors.
  const double limit = 0.01 * (excursion > 0 ? std::min(excursion, 1.0) : 1.0);
  std::vector<double> t, log_t, growth;
  for (std::size_t i = 1; i < std::min(rows.size(), run.rows.size()); ++i) {
    const State &a = run.rows[i].state, &b = rows[i].state;
    const double apart = distance(model, a, b, work, most);
    if (apart > limit) break;
    if (!(apart > 0)) continue;
    t.push_back(a.t), log_t.push_back(std::log(a.t - run.rows[0].state.t));
    growth.push_back(std::log(apart));
  }
  if (t.size() < 5) return std::nullopt;
  const auto [rate, exponential] = fit(t, growth);
  const double power = fit(log_t, growth)[1];
  if (rate * (t.back() - t.front()) < 3 || exponential > power) return std::nullopt;
  return 1 / rate;
}

}  // namespace chasles
