/// The marks `dominated_by` of the list of methods: with at most the same number of evaluations, the other method has the
/// smaller error, in all motions and at all steps here.
#include <gtest/gtest.h>

#include "support/constrained_systems.hpp"
#include "support/exact_motions.hpp"

namespace chasles {
namespace {
namespace dominated_test {

struct Outcome {
  long evaluations;
  double error;  // at the end of a second
};
struct Problem {
  std::string name;
  std::shared_ptr<MechanicalSystem> system;
  State start, end;
};

std::vector<Problem> dominated_problems() {
  std::vector<Problem> list;
  for (const test::ExactMotion& exact :
       {test::exact_heavy_top(), test::exact_free_body(), test::exact_double_pendulum()}) {
    test::Solution truth(exact.rate, exact.motion.start);
    list.push_back({exact.motion.name, std::make_shared<ModelSystem>(exact.motion.model),
                    exact.motion.start, truth.at(1)});
  }
  for (test::ConstrainedMotion m :
       {test::double_pendulum_in_the_plane(), test::mild_top(FloatingGroup::se3)}) {
    const auto truth = make_integrator(*m.system, {.method = "dop853", .tolerance = 1e-13});
    list.push_back({m.name, std::move(m.system), m.start, test::run(*truth, m.start, 1)});
  }
  return list;
}

/// A method with compositions counts with its order 4.
Outcome run_with(const Problem& p, const MethodInfo& info, double h) {
  IntegratorOptions options{.method = std::string(info.name), .step = h};
  if (info.takes_composition) options.order = 4;
  const auto integrator = make_integrator(*p.system, options);
  const State end = test::run(*integrator, p.start, 1);
  return {integrator->statistics().evaluations, test::distance(*p.system, end, p.end)};
}

TEST(DominatedMethods, need_more_work_for_the_same_error) {
  int marked = 0;
  const std::vector<Problem> problems = dominated_problems();
  for (const MethodInfo& info : methods()) {
    if (info.dominated_by.empty()) continue;
    ++marked;
    const MethodInfo& other = method_info(info.dominated_by);
    EXPECT_TRUE(other.dominated_by.empty()) << info.name;
    for (const Problem& p : problems) {
      if (p.system->constraint_count() > 0 && info.needs == Needs::mechanism) continue;
      for (const double h : {0.02, 0.01}) {
        const Outcome worse = run_with(p, info, h);
        // As many steps as take at most the same number of evaluations.
        Outcome better = run_with(p, other, h);
        double steps = 1 / h * static_cast<double>(worse.evaluations) /
                       static_cast<double>(better.evaluations);
        do {
          steps = std::floor(0.99 * steps);
          better = run_with(p, other, 1 / steps);
        } while (better.evaluations > worse.evaluations);
        EXPECT_LE(better.evaluations, worse.evaluations) << info.name << " " << p.name;
        EXPECT_LE(better.error, worse.error)
            << info.name << ", h = " << h << ", " << p.name << ": " << info.dominated_by
            << " with h = " << 1 / steps << ", " << better.evaluations << " instead of "
            << worse.evaluations << " evaluations";
      }
    }
  }
  EXPECT_GE(marked, 6);
}

}  // namespace dominated_test
}  // namespace
}  // namespace chasles
