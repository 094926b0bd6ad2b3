/// How often the analysis of mobility evaluates constraints: its cost, whatever the machine.
#include <gtest/gtest.h>

#include "chasles/constraints/analysis.hpp"
#include "chasles/mechanism/builder.hpp"

namespace analysis_work_test {

using namespace chasles;

/// A relation that always holds, 0 = 0, and counts how often its row is asked for.
class Counting : public Constraint {
 public:
  explicit Counting(int& count) : count_(count) {}
  std::string name() const override { return "counting"; }
  int constraint_count() const override { return 1; }
  void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd>) const override { ++count_; }
  void bias(const VelocityKinematics&, VectorRef out) const override { out.setZero(); }

 private:
  int& count_;
};

/// A chain of 3 n bodies by universal joints; body k is pinned to body 3 n - 1 - k: loops in loops, tens of meters
/// long. A step of a third of a radian in all joints leads far away from where they are closed.
Mechanism nested_loops(int n) {
  MechanismBuilder builder("nested");
  const auto name = [](int i) { return "a" + std::to_string(i); };
  for (int i = 0; i < 3 * n; ++i)
    builder
        .body(name(i), i == 0 ? std::string(ground) : name(i - 1),
              joints::of(JointType::universal, {0, 0, 1},
                         {1.0 * i, 1.0 * (i % 2), 1.0 * (i * 7 % 5)}))
        .x_axis({1, 0, 0})
        .inertia(1, {1.0 * i, 0, 0}, Sym3::diagonal(1, 1, 1));
  for (int i = 0; i < n; ++i)
    builder.loop({.name = "l" + std::to_string(i),
                  .bodies = {name(i), name(3 * n - 1 - i)},
                  .type = JointType::spherical,
                  .geometry = AxisGeometry{.point = {1.5 * n, 1.0 * i, 0}}});
  return builder.build();
}

TEST(AnalysisWork, long_chains_take_as_few_evaluations_as_short_ones) {
  for (const int n : {2, 8, 24}) {
    const Model model = compile(nested_loops(n));
    int count = 0;
    Constraints constraints(model, {.more = {std::make_shared<Counting>(count)}});
    const Vector q = assemble(constraints, model.neutral());
    const MobilityReport report = analyze(constraints, q);
    EXPECT_EQ(report.rank, 3 * n);
    EXPECT_EQ(report.nearby.size(), 5u);
    // Three for rows that vanish, five of nearby configurations, and those of the iterations that lead there.
    EXPECT_LE(count, 45) << n;
  }
}

}  // namespace analysis_work_test
