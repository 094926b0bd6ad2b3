/// The study of 004 section 5 against a second implementation, which shares nothing with this one. Numbers that
/// truncation makes agree in all digits that are known; of rounding only the magnitude means something, and
/// of the double pendulum, which is chaotic, that of the first second at most.

#include <gtest/gtest.h>

#include <cmath>

#include "studies/se3_vs_so3xr3/violations.hpp"

namespace {

using namespace chasles;
using namespace chasles::studies::se3_vs_so3xr3;

/// Two or three digits were noted.
void expect_digits(double computed, double known, const std::string& what) {
  EXPECT_NEAR(computed, known, 0.05 * std::abs(known)) << what;
}

TEST(Se3VsSo3xR3, agrees_with_a_second_implementation) {
  const std::vector<Row> all = rows();
  int numbers = 0;
  for (const Row& row : all) {
    const std::string what = std::string(row.problem.file) + ", " + name_of(row.group);
    EXPECT_FALSE(std::isnan(row.computed.energy)) << what;
    if (row.problem.section == std::string("5.2")) continue;
    for (std::size_t k = 0; k < 3; ++k) {
      if (std::isnan(row.second.gaps[k])) continue;
      ++numbers;
      if (row.second.gaps[k] > 1e-11)
        expect_digits(row.computed.gaps[k], row.second.gaps[k], what);
      else
        EXPECT_LT(row.computed.gaps[k], 1e-11) << what;
    }
    if (std::isnan(row.second.energy)) continue;
    expect_digits(row.computed.energy, row.second.energy, what);
    ++numbers;
  }
  EXPECT_EQ(numbers, 4 + 8 + 16);
}

/// What the proposal of the paper gives: where all bodies are on ground, what SE(3) gives, where none is, what
/// SO(3) x R^3 does.
TEST(Se3VsSo3xR3, a_group_for_each_body_is_one_of_both) {
  const auto extremes = [](std::size_t problem, BodyGroup group) {
    Problem shorter = problems()[problem];
    shorter.duration = 1;
    GapSample last;
    run(shorter, group, [&](const GapSample& sample) { last = sample; });
    return last;
  };
  using enum BodyGroup;
  for (const std::size_t problem : {0, 4})
    EXPECT_EQ(extremes(problem, automatic).gaps, extremes(problem, se3).gaps);
  EXPECT_EQ(extremes(2, automatic).gaps, extremes(2, so3xr3).gaps);
  const GapSample pendulum = extremes(1, automatic);
  EXPECT_LT(pendulum.gaps[0], 1e-13);
  EXPECT_GT(pendulum.gaps[1], 1e-8);
}

/// What drifts has the order of the method.
TEST(Se3VsSo3xR3, violations_fall_with_the_fourth_power_of_the_step) {
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3}) {
    double gaps[2];
    for (std::size_t k = 0; k < 2; ++k)
      run(problems()[2 + k], group, [&](const GapSample& sample) { gaps[k] = sample.gaps[0]; });
    EXPECT_NEAR(std::log2(gaps[1] / gaps[0]), 4, 0.1) << name_of(group);
  }
}

}  // namespace
