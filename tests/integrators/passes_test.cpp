/// Kinematics passes are counted: evaluations of the mechanism after a step are shared with the next step.
#include <gtest/gtest.h>

#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/motions.hpp"

namespace passes_test {

using namespace chasles;

/// Velocities and constraints at the end of a step, as monitors of runs read them.
void look_at(const Integrator& integrator) {
  MechanismState* mechanism = integrator.mechanism_at_state();
  ASSERT_NE(mechanism, nullptr);
  EXPECT_EQ(mechanism->at().t, integrator.state().t);
  EXPECT_EQ(mechanism->velocity().q(), integrator.state().q);
  EXPECT_EQ(mechanism->velocity().v(), integrator.state().v);
  Vector rows(mechanism->constraint_count());
  if (rows.size() == 0) return;
  mechanism->constraint_error(rows);
  EXPECT_LE(rows.lpNorm<Eigen::Infinity>(), 1e-9);
  mechanism->constraint_rate(rows);
}

struct Passes {
  long count;
  State end;
};
Passes passes(MechanismState& system, const State& start, const MethodInfo& info, bool looks) {
  const auto integrator = make_integrator(system, test::steps_of(0.005, info));
  integrator->reset(start);
  integrator->step(1);
  if (looks) look_at(*integrator);
  const long before = system.passes();
  for (int k = 0; k < 10; ++k) {
    integrator->step(1);
    if (looks) look_at(*integrator);
  }
  return {system.passes() - before, integrator->state()};
}

/// @param more  passes of a step by looking, if the method does without rates at the start of its steps
void expect_shared(MechanismState& system, const State& start) {
  for (const MethodInfo& info : methods()) {
    if (system.constraint_count() > 0 && info.needs >= Needs::mechanism) continue;
    if (info.needs == Needs::expansion) continue;
    const Passes alone = passes(system, start, info, false),
                 looked = passes(system, start, info, true);
    // The same motion, bit by bit.
    EXPECT_EQ(looked.end.q, alone.end.q) << info.name;
    EXPECT_EQ(looked.end.v, alone.end.v) << info.name;
    // Methods with rates at both ends of a step have them already.
    // cf43 checks a small estimate at a state within the step, and leaves the system there.
    const bool has_rates = info.needs < Needs::masses && !info.constrained && info.name != "cf43";
    EXPECT_LE(looked.count, alone.count + (has_rates ? 1 : 10)) << info.name;
  }
}

TEST(Passes, are_shared_by_steps_and_those_who_look_at_a_tree) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  system.set_forces(
      [](double, const VelocityKinematics& kin, JointForces& out) { out.tau = -0.1 * kin.v(); });
  expect_shared(system, m.start);
}
TEST(Passes, are_shared_by_steps_and_those_who_look_at_a_closed_mechanism) {
  const Model model = compile(studies::four_bar());
  ConstrainedSystem system(model);
  // Without forces accelerations need no kinematics.
  system.set_forces(
      [](double, const VelocityKinematics& kin, JointForces& out) { out.tau = -0.1 * kin.v(); });
  State start{0, system.assembled(), Vector::Zero(model.nv())};
  start.v[0] = 1;
  system.project(start);
  expect_shared(system, start);
}

/// One pass a stage, and none besides.
TEST(Passes, of_explicit_methods_are_their_stages) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  system.set_forces(
      [](double, const VelocityKinematics& kin, JointForces& out) { out.tau = -0.1 * kin.v(); });
  for (const auto& [name, stages] : {std::pair{"mk4", 4}, {"rk4", 4}, {"dop853", 12}, {"dp54", 6}})
    EXPECT_EQ(passes(system, m.start, method_info(name), true).count, 10 * stages) << name;
}

/// A state that was put there is looked at anew, also if the time is the same.
TEST(Passes, are_not_those_of_another_state) {
  const test::Motion m = test::double_pendulum();
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = 0.01});
  integrator->reset(m.start);
  look_at(*integrator);
  integrator->step(1);
  look_at(*integrator);
  State out = m.start;
  integrator->interpolate(0.005, out);
  look_at(*integrator);
  integrator->retry(0.005);
  look_at(*integrator);
  const Vector q = m.start.q + Vector{0.1, 0.2}, v = m.start.v;
  integrator->replace(q, v);
  look_at(*integrator);
  system.set(m.start);
  look_at(*integrator);
}

}  // namespace passes_test
