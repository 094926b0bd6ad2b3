#include "studies/park_chung/long_runs.hpp"

#include <fmt/format.h>

#include <iterator>

#include "studies/drift.hpp"
#include "studies/three_spheres.hpp"

namespace chasles::studies::park_chung {

std::vector<PaperMethod> methods_of_order(int order) {
  std::vector<PaperMethod> list;
  for (const PaperMethod& method : methods)
    if (method.order == order) list.push_back(method);
  return list;
}

void drift_over_time(int order,
                     const std::function<void(double t, std::span<const Drift> drifts)>& each) {
  const Model model = compile(three_spheres());
  ModelSystem system(model);
  const State start = three_spheres_start(tumbling);
  const Invariants first = invariants(model, start);
  std::vector<std::unique_ptr<Integrator>> runs;
  for (const PaperMethod& method : methods_of_order(order)) {
    runs.push_back(make_integrator(system, {.method = method.name, .step = 0.05}));
    runs.back()->reset(start);
  }
  std::vector<Drift> drifts(runs.size());
  for (int i = 0; i <= 2 * static_cast<int>(long_run); ++i) {
    const double t = 0.5 * i;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      while (runs[k]->state().t < t) runs[k]->step(t);
      drifts[k] = drift(first, invariants(model, runs[k]->state()));
    }
    each(t, drifts);
  }
}

namespace {

std::vector<IntegratorOptions> settings() {
  std::vector<IntegratorOptions> list;
  const auto fixed = [&](const char* method, double step, std::optional<int> order = {}) {
    list.push_back({.method = method, .step = step, .order = order});
  };
  const auto adaptive = [&](const char* method, double tolerance) {
    list.push_back({.method = method, .tolerance = tolerance});
  };
  for (const char* method : {"cg3", "cf3", "mk3", "cg4", "cf4", "mk4", "rk4"}) fixed(method, 0.05);
  fixed("mk6", 0.1), fixed("mk8", 0.25);
  fixed("abm", 0.05, 10), fixed("abm", 0.04, 12);
  fixed("gauss2", 0.1), fixed("gauss3", 0.2), fixed("variational", 0.05);
  for (const double tolerance : {1e-8, 1e-10}) adaptive("dp54", tolerance);
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) adaptive("dop853", tolerance);
  return list;
}

std::string title(const IntegratorOptions& options) {
  const std::string order = options.order ? fmt::format(" of order {}", *options.order) : "";
  return options.step ? fmt::format("{}{} h={:g}", options.method, order, *options.step)
                      : fmt::format("{} tol={:g}", options.method, *options.tolerance);
}

}  // namespace

void work_precision(const std::function<void(const WorkPrecision&)>& each) {
  const Model model = compile(three_spheres());
  ModelSystem system(model);
  const State start = three_spheres_start(tumbling);
  const auto exact = make_integrator(system, {.method = "mk8", .step = 0.02});
  const State reference = run(*exact, start, long_run);
  Vector x(model.nv());
  for (const IntegratorOptions& options : settings()) {
    const auto integrator = make_integrator(system, options);
    const State end = run(*integrator, start, long_run);
    minus(model, end.q, reference.q, x);
    each({title(options), integrator->statistics().evaluations, drift(model, start, end),
          x.tail<2>().norm()});
  }
}

}  // namespace chasles::studies::park_chung
