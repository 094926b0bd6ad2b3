/// 001 section VI: drift of energy and momenta of three spheres. The geometry, which the figure of the
/// paper shows only in part, is that of studies/three_spheres.hpp.
#include <gtest/gtest.h>

#include "studies/park_chung/drift_tables.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {

TEST(ParkChung, start) {
  const test::Motion m = test::three_spheres();
  const Invariants at = studies::invariants(m.model, m.start);
  EXPECT_NEAR(at.kinetic, 16.96, 1e-13);
  EXPECT_LE(norm(at.P - Vec3{0, 24, 0}), 1e-13);
  EXPECT_LE(norm(at.L - Vec3{33.6, 0, 51.2}), 1e-13);
}

/// Tables VI, VII and VIII, steps of 1 and 0.1 s.
/// @paper 001 (25), (28), (29), (32), (37), (39)-(42), (46), (47)
/// @paper 001 Table I, Table II, Table III, section VI, Figure 3
TEST(ParkChung, all_printed_digits) {
  int entries = 0;
  for (const studies::Entry& e : studies::park_chung::drift_tables()) {
    if (std::stod(e.column) < 0.1) continue;  // tests/apps/simulate_test.cpp
    const double unit = std::pow(10, std::floor(std::log10(e.printed)) - 4);
    EXPECT_NEAR(e.computed, e.printed, 0.51 * unit) << e.table << " " << e.row << " " << e.column;
    ++entries;
  }
  EXPECT_EQ(entries, 3 * 9 * 2);
}

/// What beats them on their own problem, over 200 s of a tumbling start; the bounds are twice what
/// an independent program found.
TEST(ParkChung, long_run) {
  const test::Motion m = test::three_spheres(studies::tumbling);
  const struct {
    IntegratorOptions options;
    long evaluations;
    double energy, linear;
  } rows[] = {
      {{.method = "mk4", .step = 0.05}, 16001, 4.6e-5, 1e-3},
      {{.method = "cf4", .step = 0.05}, 16001, 4.6e-5, 1e-3},
      {{.method = "dop853", .tolerance = 1e-10}, 13000, 1.6e-7, 2e-7},
      {{.method = "abm", .step = 0.05}, 8600, 1e-8, 6e-9},
  };
  for (const auto& row : rows) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, row.options);
    const Drift drift = studies::drift(m.model, m.start, test::run(*integrator, m.start, 200));
    EXPECT_LE(drift.energy, row.energy) << row.options.method;
    EXPECT_LE(drift.linear_momentum, row.linear) << row.options.method;
    EXPECT_LE(integrator->statistics().evaluations, row.evaluations) << row.options.method;
  }
}

}  // namespace
}  // namespace chasles
