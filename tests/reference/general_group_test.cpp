/// 001 on general matrix groups: Table IV, truncated dexp^-1, the determinant, Euler angles.
#include "studies/park_chung/general_group.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace chasles {
namespace {

TEST(GeneralGroup, table_iv) {
  const auto entries = studies::park_chung::general_group_counts();
  EXPECT_EQ(entries.size(), 18U);
  for (const studies::Entry& e : entries)
    EXPECT_EQ(e.computed, e.printed) << e.row << " " << e.column;
  // With so few commutators the order is kept.
  for (const char* title : {"CG3", "CG4", "CF3", "CF4", "MK3", "MK4"})
    EXPECT_NEAR(studies::park_chung::general_group_order(title), title[2] - '0', 0.2) << title;
}

TEST(GeneralGroup, plain_runge_kutta_leaves_the_determinant) {
  const auto list = studies::park_chung::determinants();
  ASSERT_EQ(list.size(), 9U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_GE(list[k].det, 1e-8) << list[k].step;
  EXPECT_NEAR(std::log2(list[1].det / list[2].det), 4, 1);
  for (std::size_t k = 3; k < 9; ++k) EXPECT_LE(list[k].det, 1e-13) << list[k].method;
  EXPECT_LE(list[8].error, list[2].error * 30);  // comparable accuracy
}

TEST(GeneralGroup, euler_angles_fail_near_their_singularity) {
  const auto runs = studies::park_chung::euler_angle_runs();
  for (const auto& run : runs) EXPECT_LE(run.munthe_kaas, 1e-14) << run.miss;
  EXPECT_GE(runs[0].largest_rate, 5);  // rates grow like 1 / miss
  EXPECT_GE(runs[1].largest_rate, 50);
  EXPECT_LE(runs[0].euler, 1e-6);
  EXPECT_GE(runs[2].euler, 1e-3);
}

}  // namespace
}  // namespace chasles
