/// Paper 001 over 200 s: how drifts grow (figures 7 and 8), and what a given accuracy costs.
#include <fmt/ostream.h>

#include <chasles/kinematics/kinematics.hpp>
#include <cmath>
#include <cstdio>

#include "park_chung.hpp"

namespace park_chung {

using namespace chasles;

namespace {

constexpr double duration = 200;
const Twist tumbling{{0.3, 0.3, 0.3}, {0.1, 0.1, 0.1}};

std::unique_ptr<Integrator> begin(ModelSystem& system, const IntegratorOptions& options) {
  auto integrator = make_integrator(system, options);
  integrator->reset(start(tumbling));
  return integrator;
}

/// A method at one setting of its step or tolerance.
struct Setting {
  IntegratorOptions options;
  std::string title() const {
    const std::string order = options.order > 0 ? fmt::format(" of order {}", options.order) : "";
    return options.step > 0 ? fmt::format("{}{} h={:g}", options.method, order, options.step)
                            : fmt::format("{} tol={:g}", options.method, options.tolerance);
  }
};
std::vector<Setting> settings() {
  std::vector<Setting> list;
  const auto fixed = [&](const char* method, double step, int order = 0) {
    list.push_back({{.method = method, .step = step, .order = order}});
  };
  const auto adaptive = [&](const char* method, double tolerance) {
    list.push_back({{.method = method, .tolerance = tolerance}});
  };
  for (const char* method : {"cg3", "cf3", "mk3", "cg4", "cf4", "mk4", "rk4"}) fixed(method, 0.05);
  fixed("mk6", 0.1), fixed("mk8", 0.25);
  fixed("abm", 0.05, 10), fixed("abm", 0.04, 12);
  fixed("gauss2", 0.1), fixed("gauss3", 0.2), fixed("variational", 0.05);
  for (const double tolerance : {1e-8, 1e-10}) adaptive("dp54", tolerance);
  for (const double tolerance : {1e-6, 1e-8, 1e-10, 1e-12}) adaptive("dop853", tolerance);
  return list;
}

struct Result {
  long evaluations;
  std::array<double, 4> drifts;
  double error;  // of the joint angles and the base, in the algebra
};
Result measure(ModelSystem& system, const IntegratorOptions& options, const State& reference) {
  const auto integrator = begin(system, options);
  while (integrator->state().t < duration) integrator->step(duration);
  const State& end = integrator->state();
  const Model& model = system.model();
  Eigen::VectorXd x(model.nv());
  minus(model, end.q, reference.q, x);
  return {integrator->statistics().evaluations,
          drift(conserved(model, start(tumbling)), conserved(model, end)), x.tail<2>().norm()};
}

}  // namespace

void work_precision(const std::string& directory) {
  const Model model = three_spheres();
  ModelSystem system(model);
  const auto reference = begin(system, {.method = "mk8", .step = 0.02});
  while (reference->state().t < duration) reference->step(duration);

  std::ofstream file;
  if (!directory.empty()) {
    file = open_result(directory, "park-chung-work-precision.csv");
    file << "method,evaluations,energy,linear momentum,angular momentum,about com,error in q\n";
  }
  fmt::print("\nwork and precision over {:g} s, V(0) = (0.3, 0.3, 0.3; 0.1, 0.1, 0.1)\n", duration);
  fmt::print("  {:<22} {:>11}  {:>9} {:>9} {:>9} {:>9} {:>9}\n", "method", "evaluations", "energy",
             "linear", "angular", "about com", "angles");
  for (const Setting& setting : settings()) {
    const Result r = measure(system, setting.options, reference->state());
    fmt::print("  {:<22} {:>11}  {:9.1e} {:9.1e} {:9.1e} {:9.1e} {:9.1e}\n", setting.title(),
               r.evaluations, r.drifts[0], r.drifts[1], r.drifts[2], r.drifts[3], r.error);
    if (file.is_open())
      fmt::print(file, "{},{},{},{},{},{},{}\n", setting.title(), r.evaluations, r.drifts[0],
                 r.drifts[1], r.drifts[2], r.drifts[3], r.error);
  }
  if (file.is_open() && !file.flush())
    throw std::runtime_error(directory + "/park-chung-work-precision.csv: writing failed");
}

void long_run_drift(const std::string& directory) {
  const Model model = three_spheres();
  ModelSystem system(model);
  const Conserved first = conserved(model, start(tumbling));
  for (const char order : {'3', '4'}) {
    const std::string name = std::string("park-chung-order") + order + ".csv";
    std::ofstream file = open_result(directory, name);
    file << "t";
    std::vector<std::unique_ptr<Integrator>> runs;
    for (const PaperMethod& method : methods) {
      if (method.name[2] != order) continue;
      runs.push_back(begin(system, {.method = method.name, .step = 0.05}));
      for (const char* what : {"energy", "linear", "angular"})
        file << ',' << method.title << ' ' << what;
    }
    for (int i = 0; i <= 400; ++i) {
      const double t = 0.5 * i;
      fmt::print(file, "\n{}", t);
      for (const auto& run : runs) {
        while (run->state().t < t) run->step(t);
        const auto d = drift(first, conserved(model, run->state()));
        fmt::print(file, ",{},{},{}", d[0], d[1], d[2]);
      }
    }
    if (!(file << '\n').flush())
      throw std::runtime_error(directory + "/" + name + ": writing failed");
  }
}

}  // namespace park_chung
