/// Published problems, timed: the CPU time of our methods over their error, for the league with other programs
/// (bench/peers/league.py).
///
///     verify [--quick] [--examples FOLDER] [-o FILE]
///
/// Problems are scenarios of examples/verification. Each is run by several methods over a range of tolerances; a time
/// is the least of three runs without set-up. The reference is a number from elsewhere (closed forms, quadruple precision), its
/// uncertainty the difference to our run with a tolerance of 1e-14; else that run, and its differences to a looser one
/// and to another method. Writes JSON.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "chasles/integrators/integrator.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/simulation/scenario_system.hpp"

namespace {

using namespace chasles;
namespace fs = std::filesystem;

/// Measured at the end of the run: the position of a frame or body, the direction of its x axis, or v.
enum class Outcome { position, direction, velocity };
struct Problem {
  const char *name, *scenario, *frame;
  Outcome outcome;
  double duration;  // [s]
  std::vector<const char*> methods;
  const char* check;               // method for the uncertainty
  std::vector<double> exact = {};  // known from elsewhere: closed forms, quadruple precision
};
const std::vector<Problem>& problems() {
  static const std::vector<Problem> all = {
      {"pendulum",
       "pendulum",
       "mass",
       Outcome::position,
       10,
       {"dop853", "dp54", "taylor"},
       "dp54",
       {-0.27508746257611686, -0.9614192050991251, 0}},
      {"double pendulum",
       "double_pendulum",
       "lower",
       Outcome::position,
       5,
       {"dop853", "dp54", "taylor"},
       "dp54"},
      {"four-bars A02",
       "two_four_bars",
       "B0",
       Outcome::position,
       10,
       {"dop853", "dp54"},
       "dp54",
       {0.3284581115408154, 0.9445185381786010, 0}},
      {"Andrews A03",
       "andrews",
       "K1",
       Outcome::direction,
       0.03,
       {"dop853", "dp54"},
       "hedop5",
       {std::cos(15.810771195153707), std::sin(15.810771195153707), 0}},
      {"Bricard A04", "bricard", "bar2", Outcome::position, 9, {"dop853", "dp54"}, "hedop5"},
      {"governor A05",
       "flyball_governor",
       "slider",
       Outcome::position,
       1,
       {"auto", "radau5", "dop853", "dp54"},
       "dop853",
       {0, 0, 0.501420922379561}},
      {"slider-crank",
       "slider_crank_3d",
       "slider",
       Outcome::position,
       5,
       {"dop853", "dp54"},
       "hedop5"},
      {"heavy top",
       "heavy_top",
       "center",
       Outcome::position,
       2,
       {"dop853", "dp54", "taylor"},
       "taylor",
       {-0.15041682274564176, -0.72416559163689565, -0.67302226956044410}},
      {"brick", "nasa_brick", "", Outcome::velocity, 30, {"dop853", "dp54", "taylor"}, "taylor"},
  };
  return all;
}

struct Result {
  std::string method;
  double tolerance, ms;
  long evaluations;
  std::vector<double> value;
};

class Runs {
 public:
  Runs(const Problem& problem, const fs::path& folder)
      : problem_(problem),
        run_(read_scenario(folder / "scenarios" / (std::string(problem.scenario) + ".yaml"))),
        start_(run_.start()) {}

  Result run(const char* method, double tolerance, int repeats) {
    const auto integrator =
        make_integrator(run_.system(), {.method = method, .tolerance = tolerance});
    Result out{method, tolerance, 1e300, 0, {}};
    for (int k = 0; k < repeats; ++k) {
      const std::clock_t begin = std::clock();
      integrator->reset(start_);
      const long before = integrator->statistics().evaluations;
      while (integrator->state().t < problem_.duration) integrator->step(problem_.duration);
      out.ms = std::min(out.ms, 1e3 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      out.evaluations = integrator->statistics().evaluations - before;
    }
    out.value = outcome(integrator->state());
    return out;
  }

 private:
  std::vector<double> outcome(const State& state) const {
    if (problem_.outcome == Outcome::velocity) return {state.v.begin(), state.v.end()};
    const Model& model = run_.scenario().model;
    PositionKinematics kin(model);
    forward_kinematics(model, state.q, kin);
    const SE3 C = pose(kin, model.frame(problem_.frame));
    const Vec3 x = problem_.outcome == Outcome::position ? C.r : C.R.matrix().c0;
    return {x.x, x.y, x.z};
  }
  const Problem& problem_;
  ScenarioSystem run_;
  State start_;
};

double difference(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}
std::string list(const std::vector<double>& x) {
  std::string out;
  for (const double v : x) out += fmt::format("{}{:.17g}", out.empty() ? "" : ", ", v);
  return "[" + out + "]";
}

std::string measure(const Problem& problem, const fs::path& folder, bool quick) {
  Runs runs(problem, folder);
  const bool stiff = problem.methods[0] == std::string_view("auto");
  const char* best = stiff ? "auto" : "dop853";
  const std::vector<double> ours = runs.run(best, stiff ? 1e-13 : 1e-14, 1).value;
  const std::vector<double>& reference = problem.exact.empty() ? ours : problem.exact;
  double uncertainty = difference(ours, reference);
  if (problem.exact.empty())
    uncertainty = std::max(difference(runs.run(best, 1e-13, 1).value, ours),
                           difference(runs.run(problem.check, 1e-12, 1).value, ours));
  std::string out = fmt::format(
      "{{\"problem\": \"{}\", \"duration\": {}, \"reference\": {}, \"uncertainty\": {:.2e}, "
      "\"runs\": [",
      problem.name, problem.duration, list(reference), uncertainty);
  std::fprintf(stderr, "%s: reference to %.0e\n", problem.name, uncertainty);
  bool first = true;
  for (const char* method : problem.methods)
    for (double tolerance = 1e-2; tolerance > 0.5e-13; tolerance /= quick ? 100 : 10) {
      Result r;
      try {
        r = runs.run(method, tolerance, quick ? 1 : 3);
      } catch (
          const std::exception&
              e) {  // of a tolerance that is too loose, or a method that needs more than it has
        std::fprintf(stderr, "%s, %s %.0e: %s\n", problem.name, method, tolerance, e.what());
        continue;
      }
      out += fmt::format(
          "{}\n  {{\"method\": \"{}\", \"setting\": {:g}, \"ms\": {:.4f}, \"evaluations\": {}, "
          "\"error\": {:.3e}}}",
          first ? "" : ",", r.method, r.tolerance, r.ms, r.evaluations,
          difference(r.value, reference));
      first = false;
      // Beyond the goals, or so slow that tighter tolerances add nothing.
      if (difference(r.value, reference) < 1e-10 || r.ms > 2000) break;
    }
  return out + "]}";
}

}  // namespace

int main(int argc, char** argv) {
  bool quick = false;
  std::string file, examples = CHASLES_EXAMPLES;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--quick")
      quick = true;
    else if (option == "-o" && i + 1 < argc)
      file = argv[++i];
    else if (option == "--examples" && i + 1 < argc)
      examples = argv[++i];
    else
      return std::fprintf(stderr, "verify [--quick] [--examples FOLDER] [-o FILE]\n"), 2;
  }
  std::string out;
  for (const Problem& problem : problems())
    out +=
        (out.empty() ? "[" : ",\n") + measure(problem, fs::path(examples) / "verification", quick);
  out += "]\n";
  if (file.empty())
    fmt::print("{}", out);
  else
    std::ofstream(file) << out;
  return 0;
}
