/// Remark 16 of paper 003 asks for the cost of the four kinematic recursions, and 000 expects less of the momentum form
/// than of the acceleration form: counted operations per joint, and measured times of both forms.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chasles/mechanism/builder.hpp>
#include <chasles/textbook/hamiltonian.hpp>
#include <chasles/textbook/operation_counts.hpp>
#include <chasles/textbook/recursive.hpp>

#include "json.hpp"
#include "report.hpp"

namespace {

using namespace chasles;
using textbook::CountedAlgorithm;

constexpr std::pair<CountedAlgorithm, const char*> algorithms[] = {
    {CountedAlgorithm::poses, "poses"},
    {CountedAlgorithm::twists, "twists"},
    {CountedAlgorithm::accelerations, "twists and accelerations"},
    {CountedAlgorithm::inverse_dynamics, "inverse dynamics"},
    {CountedAlgorithm::forward_dynamics, "forward dynamics, acceleration form"},
    {CountedAlgorithm::momentum_dynamics, "forward dynamics, momentum form"}};
constexpr std::pair<Representation, const char*> forms[] = {{Representation::body, "body"},
                                                            {Representation::spatial, "spatial"},
                                                            {Representation::hybrid, "hybrid"},
                                                            {Representation::mixed, "mixed"}};

double cpu_time() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}
/// The least of several times of a call [us].
template <class Call>
double time_of(const Call& call) {
  double least = 1e9;
  for (int sample = 0; sample < 9; ++sample) {
    const double start = cpu_time();
    for (int k = 0; k < 200; ++k) call();
    least = std::min(least, (cpu_time() - start) / 200 * 1e6);
  }
  return least;
}

Model chain(int bodies) {
  MechanismBuilder builder("chain");
  std::string parent(ground);
  for (int k = 0; k < bodies; ++k) {
    const std::string name = std::to_string(k);
    const Vec3 at{0, 0, -0.1 * k};
    builder.body(name, parent, joints::revolute(k % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, at))
        .pose({{}, at})
        .inertia(1, {0.02, 0.01, -0.05}, Sym3::diagonal(0.02, 0.02, 0.01));
    parent = name;
  }
  return compile(builder.build());
}

/// Both forms of the papers' algorithms, in spatial form, from the same poses.
Json print_times() {
  Json out = Json::array();
  fmt::print("\nCPU time of the spatial forms [us]: acceleration form, momentum form\n");
  for (const int n : {10, 40}) {
    const Model model = chain(n);
    const Vector q = Vector::Constant(n, 0.3), v = Vector::Constant(n, 0.2), zero(n);
    VelocityKinematics kin(model);
    forward_kinematics(model, q, v, kin);
    textbook::RecursiveDynamics acceleration(model);
    textbook::HamiltonianDynamics momentum(model);
    const double a = time_of([&] {
      textbook::forward_dynamics(model, kin, zero, Representation::spatial, acceleration);
    });
    const double p =
        time_of([&] { textbook::hamiltonian_dynamics(model, kin, v, zero, momentum); });
    fmt::print("  {:3} joints  {:8.2f}  {:8.2f}\n", n, a, p);
    out.push_back({{"joints", n}, {"acceleration_us", a}, {"momentum_us", p}});
  }
  return out;
}

}  // namespace

void report_costs(const std::string& directory) {
  fmt::print(
      "costs: operations per revolute joint (multiplications, additions, divisions), paper 003, "
      "Remark 16\n");
  Json counts = Json::array();
  for (const auto& [algorithm, name] : algorithms) {
    fmt::print("  {}\n", name);
    for (const auto& [rep, form] : forms) {
      if (algorithm == CountedAlgorithm::momentum_dynamics && rep == Representation::mixed)
        continue;
      const textbook::OperationCount c = textbook::operations_per_joint(algorithm, rep);
      fmt::print("    {:<8} {:4} mul {:4} add {:2} div  {:4} in all\n", form, c.multiplications,
                 c.additions, c.divisions, c.total());
      counts.push_back({{"algorithm", name},
                        {"form", form},
                        {"multiplications", c.multiplications},
                        {"additions", c.additions},
                        {"divisions", c.divisions}});
    }
  }
  const Json times = print_times();
  if (directory.empty()) return;
  ResultFile file(directory, "costs.json");
  file.stream() << Json{{"counts", counts}, {"times", times}}.dump(1) << "\n";
  file.close();
}
