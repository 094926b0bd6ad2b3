/// Steps that were rejected, that failed or that a force threw out of leave nothing behind: after `reset`
/// an integrator gives the same bits as a new one on a new system. Every method, every kind of system.
#include <gtest/gtest.h>

#include <stdexcept>

#include "chasles/integrators/integrator.hpp"
#include "studies/three_spheres.hpp"
#include "support/motions.hpp"
#include "support/system_cases.hpp"

namespace chasles {
namespace step_memory_test {

using test::same_bits;
using test::SystemCase;

/// Whether a method can integrate the system at all.
std::unique_ptr<Integrator> integrator_of(MechanicalSystem& system,
                                          const IntegratorOptions& options) {
  try {
    return make_integrator(system, options);
  } catch (const Error&) {
    return nullptr;
  }
}

/// Steps from the start, with samples between them; where a step fails, one number.
std::vector<double> path(Integrator& integrator, const State& start, int steps) {
  std::vector<double> out;
  const auto add = [&](const State& s) {
    out.push_back(s.t);
    out.insert(out.end(), s.q.begin(), s.q.end());
    out.insert(out.end(), s.v.begin(), s.v.end());
  };
  State within = start;
  integrator.reset(start);
  for (int k = 0; k < steps; ++k) {
    try {
      integrator.step(10);
      add(integrator.state());
      integrator.interpolate(0.3 * integrator.before().t + 0.7 * integrator.state().t, within);
    } catch (const Error&) {
      out.push_back(-1);
      return out;
    }
    add(within);
  }
  const Vector& lambda = integrator.multipliers();
  out.insert(out.end(), lambda.begin(), lambda.end());
  return out;
}

std::vector<SystemCase> cases() {
  std::vector<SystemCase> list;
  const std::string_view wanted[] = {"tree_with_tangents",
                                     "tree_with_forces",
                                     "four_bar_with_forces",
                                     "bennett",
                                     "bennett_so3xr3",
                                     "differential",
                                     "mimic",
                                     "rolling",
                                     "held_0_four_bar",
                                     "held_1_gimbal",
                                     "held_1_four_bar"};
  for (const SystemCase& of : test::system_cases())
    if (std::ranges::find(wanted, of.name) != std::end(wanted)) list.push_back(of);
  EXPECT_EQ(list.size(), std::size(wanted));
  return list;
}

class StepMemory : public ::testing::TestWithParam<std::string_view> {
 protected:
  const MethodInfo& info = method_info(GetParam());
  IntegratorOptions options(double h) const { return test::steps_of(h, info); }
};
std::vector<std::string_view> every_method() {
  std::vector<std::string_view> list;
  for (const MethodInfo& info : methods()) list.push_back(info.name);
  return list;
}
INSTANTIATE_TEST_SUITE_P(EveryMethod, StepMemory, ::testing::ValuesIn(every_method()),
                         [](const auto& name) { return std::string(name.param); });

/// The system and the integrator are used for something else, then for the motion.
TEST_P(StepMemory, nothing_is_left_after_reset) {
  int run = 0;
  for (const SystemCase& of : cases()) {
    const auto fresh_system = of.make();
    const auto fresh = integrator_of(*fresh_system, options(1e-3));
    if (!fresh) continue;
    ++run;
    const std::vector<double> expected = path(*fresh, of.start, 5);
    EXPECT_GT(expected.size(), of.start.q.size() * 4u) << of.name;

    const auto system = of.make();
    const auto integrator = integrator_of(*system, options(1e-3));
    State far = of.start;
    far.v *= 1e6;  // fails, or is far away
    path(*integrator, far, 3);
    EXPECT_TRUE(same_bits(path(*integrator, of.start, 5), expected)) << of.name << ", far";
    far.v = Vector::Constant(far.v.size(), std::nan(""));
    path(*integrator, far, 3);
    EXPECT_TRUE(same_bits(path(*integrator, of.start, 5), expected)) << of.name << ", NaN";
    EXPECT_TRUE(same_bits(path(*integrator, of.start, 5), expected)) << of.name << ", again";
    // Another integrator of the same system.
    const auto other = integrator_of(*system, options(3));
    path(*other, of.start, 2);
    EXPECT_TRUE(same_bits(path(*integrator, of.start, 5), expected)) << of.name << ", long steps";
  }
  EXPECT_GT(run, info.needs >= Needs::mechanism ? 0 : 6);
}

/// A force that throws or is not a number at some evaluation.
TEST_P(StepMemory, a_force_that_fails_leaves_nothing) {
  for (const bool closed : {false, true})
    for (const bool throws : {true, false}) {
      const Model model = compile(closed ? studies::four_bar() : studies::three_spheres());
      long left = 0;  // evaluations before it fails; negative: never
      const auto make = [&]() -> std::unique_ptr<MechanismState> {
        std::unique_ptr<MechanismState> system;
        if (closed)
          system = std::make_unique<ConstrainedSystem>(model);
        else
          system = std::make_unique<MechanismState>(model);
        system->set_forces(
            [&](double, const VelocityKinematics& kin, JointForces& out) {
              out.tau = -0.1 * kin.v();
              if (left < 0 || --left >= 0) return;
              left = 0;
              if (throws) throw std::domain_error("out of paper");
              out.tau.setConstant(std::nan(""));
            },
            [](ForceExpansion& out) { out.damping.array() += 0.1; });
        return system;
      };
      const auto fresh_system = make(), system = make();
      std::mt19937_64 generator(2);
      const State start = test::on_constraints(*system, model.neutral(),
                                               test::random_vector(model.nv(), generator));
      left = -1;
      const auto fresh = integrator_of(*fresh_system, options(1e-3)),
                 integrator = integrator_of(*system, options(1e-3));
      if (!fresh) continue;
      const std::vector<double> expected = path(*fresh, start, 5);
      for (const long good : {0, 1, 3, 8, 21}) {
        left = good;
        try {
          path(*integrator, start, 5);
        } catch (const std::domain_error&) {
        } catch (const Error&) {
        }
        left = -1;
        EXPECT_TRUE(same_bits(path(*integrator, start, 5), expected))
            << closed << " " << throws << " " << good;
      }
    }
}

/// A first step far too long: the one that is accepted in the end is that of an integrator that began with it.
TEST_P(StepMemory, rejected_trials_leave_nothing) {
  if (!info.adaptive) return;
  int rejected = 0, run = 0;
  for (const SystemCase& of : cases()) {
    const auto system = of.make(), fresh_system = of.make();
    IntegratorOptions long_step{.method = std::string(info.name), .tolerance = 1e-6};
    long_step.first_step = 5;
    const auto integrator = integrator_of(*system, long_step);
    if (!integrator) continue;
    ++run;
    integrator->reset(of.start);
    integrator->step(10);
    if (integrator->statistics().rejected == 0) continue;
    ++rejected;
    IntegratorOptions right = long_step;
    right.first_step = integrator->state().t;
    const auto fresh = integrator_of(*fresh_system, right);
    fresh->reset(of.start);
    fresh->step(10);
    EXPECT_EQ(fresh->statistics().rejected, 0) << of.name;
    EXPECT_EQ(fresh->state().t, integrator->state().t) << of.name;
    EXPECT_EQ(fresh->state().q, integrator->state().q) << of.name;
    EXPECT_EQ(fresh->state().v, integrator->state().v) << of.name;
    EXPECT_EQ(fresh->multipliers(), integrator->multipliers()) << of.name;
  }
  EXPECT_GE(rejected, info.needs == Needs::expansion ? 0 : run / 2) << run;
}

}  // namespace step_memory_test
}  // namespace chasles
