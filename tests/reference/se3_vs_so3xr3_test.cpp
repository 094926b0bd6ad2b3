/// The study of 004 section 5 against a second implementation, which shares nothing with this one. Numbers that
/// truncation makes agree in all digits that are known; of rounding only the magnitude means something, and
/// of the double pendulum, which is chaotic, that of the first second at most.

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "chasles/integrators/integrator.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/se3_vs_so3xr3/costs.hpp"

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

/// 5.1: both groups have the attitude error of the method on the rotations alone, here of mk4 in minimal coordinates, a body
/// on a spherical joint.
TEST(Se3VsSo3xR3, attitude_errors_of_both_groups_are_those_of_rotations) {
  const studies::Example example = problems()[0].example();
  const Model model = compile(example.mechanism);
  ConstrainedSystem system(model);
  Eigen::Quaterniond ends[2];
  for (int k = 0; k < 2; ++k) {
    const auto integrator = k == 0
                                ? make_integrator(system, {.method = "mk4", .step = 1e-3})
                                : make_integrator(system, {.method = "dop853", .tolerance = 1e-13});
    integrator->reset(example.start);
    while (integrator->state().t < 10) integrator->step(10);
    const Vector& q = integrator->state().q;
    ends[k] = Eigen::Quaterniond(q[0], q[1], q[2], q[3]);
  }
  const double angle = ends[0].angularDistance(ends[1]);
  const std::vector<AttitudeError> errors = attitude_errors();
  ASSERT_EQ(errors.size(), 2U);
  for (const AttitudeError& e : errors) {
    EXPECT_NEAR(e.last, angle, 1e-3 * angle) << name_of(e.group);
    EXPECT_GE(e.worst, e.last);
  }
}

/// Errors fall at least with the order of the method, with both groups; some fall faster, where the leading term is small.
TEST(Se3VsSo3xR3, errors_of_methods_have_their_orders) {
  const Problem& top = problems()[0];
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3})
    for (const auto& [method, order] : {std::pair{"mk2", 2}, {"mk4", 4}, {"cf4", 4}}) {
      const double coarse = run_method(top, group, method, 2.5e-4).error,
                   fine = run_method(top, group, method, 1.25e-4).error;
      EXPECT_GT(std::log2(coarse / fine), order - 0.3) << method << " " << name_of(group);
    }
}

/// The reference of 5.1 after 1 s: Euler's equations about the pivot, q' = q w / 2, by classical Runge-Kutta in this test.
TEST(Se3VsSo3xR3, adaptive_runs_reach_eulers_equations) {
  const double I[3] = {0.36, 0.306 + 21.6 * 0.25, 0.09 + 21.6 * 0.25};
  using Seven = Eigen::Matrix<double, 7, 1>;
  const auto rate = [&](const Seven& x) {
    const Eigen::Quaterniond q(x[0], x[1], x[2], x[3]), w(0, x[4], x[5], x[6]), dq = q * w;
    Seven d;
    d << dq.w() / 2, dq.x() / 2, dq.y() / 2, dq.z() / 2, (I[1] - I[2]) / I[0] * x[5] * x[6],
        (I[2] - I[0]) / I[1] * x[6] * x[4], (I[0] - I[1]) / I[2] * x[4] * x[5];
    return d;
  };
  Seven x;
  x << 1, 0, 0, 0, 0, 20 * M_PI, 10 * M_PI;
  const double h = 2e-5;
  for (int k = 0; k < 50000; ++k) {
    const Seven a = rate(x), b = rate(x + h / 2 * a), c = rate(x + h / 2 * b), d = rate(x + h * c);
    x += h / 6 * (a + 2 * b + 2 * c + d);
  }
  const studies::Example example = problems()[0].example();
  const Model model = compile(example.mechanism);
  ConstrainedSystem system(model);
  const auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-13});
  integrator->reset(example.start);
  while (integrator->state().t < 1) integrator->step(1);
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(integrator->state().q[i], x[i], 2e-9) << i;
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
