/// Runs do not depend on each other: the same scenario gives the same bits again, also after runs that
/// failed, in one process.
#include <gtest/gtest.h>

#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/control.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/overconstrained.hpp"
#include "support/small_runs.hpp"

namespace chasles {
namespace run_memory_test {

/// Samples and statistics; of a run that fails, until there and with its message.
struct Record {
  std::vector<double> numbers;
  std::string message;
  bool operator==(const Record&) const = default;
};
Record record(const Scenario& scenario) {
  Record out;
  Trajectory path;
  Simulation simulation(scenario);
  try {
    simulation.run(path);
  } catch (const Error& error) {
    out.message = error.what();
  }
  for (const State& s : path.states) {
    out.numbers.push_back(s.t);
    out.numbers.insert(out.numbers.end(), s.q.begin(), s.q.end());
    out.numbers.insert(out.numbers.end(), s.v.begin(), s.v.end());
  }
  const Summary summary = simulation.summary();
  const StepStatistics& n = summary.statistics;
  for (const long count : {n.steps, n.rejected, n.evaluations, n.iterations, n.switches})
    out.numbers.push_back(static_cast<double>(count));
  out.numbers.push_back(summary.worst.energy);
  return out;
}

Scenario closed(const Mechanism& mechanism) {
  Scenario s{.model = compile(mechanism), .start = {}};
  s.start = {0, s.model.neutral(), Vector::Zero(s.model.nv())};
  s.start.v[0] = 1;
  s.duration = 0.4;
  return s;
}
/// A ball that falls on ground, with a sampled controller and stops in its other joint.
Scenario busy() {
  Scenario s{.model = compile(MechanismBuilder("busy")
                                  .body("ball", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                  .body("arm", "ball", joints::revolute({0, 1, 0}))
                                  .limits(-0.3, 0.5)
                                  .inertia(0.2, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.01, 0.01))
                                  .build()),
             .start = {0, Vector{0.15, 0}, Vector{0, 0.4}}};
  s.duration = 0.5;
  s.forces.add(contact(s.model, {.name = "ball",
                                 .balls = {"ball", {Vec3{}}, 0.1},
                                 .law = {.stiffness = 1e5, .dissipation = 0.2, .friction = 0.6}}));
  s.forces.add(joint_friction(s.model, "arm", {.coulomb = 0.02, .stick = true}));
  Controller c = pd_control(s.model, {"arm"}, {0.6}, {.stiffness = {4}, .damping = {0.1}});
  c.period = 0.005;
  s.forces.add(control(c));
  s.limits = LimitMode::rigid;
  return s;
}
/// Ends with an error.
Scenario failing(Scenario s) {
  s.forces.add({"broken motor", s.model, [](double t, const VelocityKinematics&, JointForces& out) {
                  if (t > 0.04) out.tau[0] = std::nan("");
                }});
  return s;
}

TEST(RunMemory, the_same_scenario_gives_the_same_bits) {
  std::vector<std::pair<std::string, Scenario>> list;
  for (const MethodInfo& info : methods()) {
    IntegratorOptions options{.method = std::string(info.name)};
    if (!info.adaptive) options.step = 0.002;
    Scenario s = test::swing(options);
    s.duration = 0.2;
    list.emplace_back("swing " + options.method, s);
    if (info.needs >= Needs::mechanism) continue;
    for (const Mechanism& mechanism : {studies::four_bar(), test::bennett()}) {
      Scenario loop = closed(mechanism);
      loop.integrator = options;
      loop.duration = 0.1;
      list.emplace_back(mechanism.name + " " + options.method, loop);
    }
  }
  list.emplace_back("busy", busy());
  std::vector<Record> first;
  for (const auto& [name, scenario] : list) {
    first.push_back(record(scenario));
    EXPECT_EQ(first.back().message, "") << name;
  }
  for (const auto& [name, scenario] : list)
    if (scenario.integrator.method != "taylor") {
      EXPECT_NE(record(failing(scenario)).message, "") << name;
    }
  for (std::size_t k = list.size(); k-- > 0;)
    EXPECT_EQ(record(list[k].second), first[k]) << list[k].first;
}

/// A Simulation that failed cannot change the scenario that it was made from.
TEST(RunMemory, a_failed_run_fails_in_the_same_way_again) {
  for (const Scenario& s :
       {failing(busy()), failing(test::spring()), failing(closed(test::bennett()))}) {
    const Record once = record(s), again = record(s);
    EXPECT_NE(once.message, "");
    EXPECT_EQ(once, again) << once.message << "\n" << again.message;
  }
}

}  // namespace run_memory_test
}  // namespace chasles
