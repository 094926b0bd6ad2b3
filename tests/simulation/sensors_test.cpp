/// Sensors of sampled controllers.
#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/control.hpp"
#include "chasles/simulation/sampled_loop.hpp"
#include "simulation/run.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace sensors_test {

Model carriage() {
  return compile(MechanismBuilder("carriage")
                     .gravity({})
                     .body("mass", ground, joints::prismatic({1, 0, 0}))
                     .inertia(2, {}, Sym3::diagonal(1, 1, 1))
                     .build());
}
/// Every measured state.
struct Log {
  std::vector<double> t, q, v;
};
Controller logging(const Model& model, const std::shared_ptr<Log>& log) {
  Controller c{"log", model, [log](double t, const VelocityKinematics& kin, VectorRef tau) {
                 log->t.push_back(t), log->q.push_back(kin.q()[0]), log->v.push_back(kin.v()[0]);
                 tau[0] = 0;
               }};
  c.period = 0.1;
  return c;
}
Scenario moving(const Model& model, const Controller& c) {
  Scenario s{.model = model,
             .start = {0, Eigen::VectorXd::Constant(1, 0.5), Eigen::VectorXd::Constant(1, 2)}};
  s.duration = 2.05;
  s.integrator = {.method = "dop853", .tolerance = 1e-10};
  s.forces.add(control(c));
  return s;
}

/// A mass at constant velocity: q = 0.5 + 2 t is measured at t - delay, by whole periods, a fraction, both.
TEST(SensorDelay, is_exact) {
  const Model model = carriage();
  for (const double delay : {0.0, 0.1, 0.3, 0.04, 0.27}) {
    const auto log = std::make_shared<Log>();
    Controller c = logging(model, log);
    c.sensors = Sensors{.delay = delay};
    test::run(moving(model, c));
    ASSERT_GE(log->t.size(), 21u);
    for (std::size_t i = 0; i < log->t.size(); ++i) {
      const double then = std::max(0.0, log->t[i] - delay);
      EXPECT_NEAR(log->q[i], 0.5 + 2 * then, 1e-12) << delay << " at " << log->t[i];
    }
  }
}

/// Measuring earlier by a delay is the same loop as acting later by it, for a reference at rest.
TEST(SensorDelay, is_equivalent_to_a_delay_of_efforts) {
  const Model model = carriage();
  Controller c = pd_control(model, {"mass"}, {0.0}, {.stiffness = {40}, .damping = {6}});
  c.period = 0.02;
  c.sensors = Sensors{.delay = 0.013};
  Controller late = c;
  late.sensors.reset(), late.delay = 0.013;
  const Eigen::VectorXd q = Eigen::VectorXd::Zero(1);
  EXPECT_EQ(sampled_loop(c, q)->radius(), sampled_loop(late, q)->radius());
  // The decay of the run, from sample to sample, is that of the largest eigenvalue.
  Scenario s = moving(model, c);
  s.duration = 8, s.every = 0.02;
  const auto path = test::run(s).path;
  double early = 0, end = 0;
  for (std::size_t i = 100; i < 150; ++i) early = std::max(early, std::abs(path[i].q[0]));
  for (std::size_t i = 300; i < 350; ++i) end = std::max(end, std::abs(path[i].q[0]));
  EXPECT_NEAR(std::pow(end / early, 1.0 / 200), sampled_loop(c, q)->radius(), 2e-3);
}

TEST(SensorNoise, is_standard_normal) {
  double mean = 0, square = 0, fourth = 0, neighbors = 0, last = 0;
  const int n = 200000;
  for (int k = 0; k < n; ++k) {
    const double z =
        standard_normal(7, static_cast<std::uint64_t>(k / 4), static_cast<std::uint64_t>(k % 4));
    mean += z / n, square += z * z / n, fourth += z * z * z * z / n, neighbors += z * last / n;
    last = z;
  }
  // Standard errors: 1, sqrt(2), sqrt(96), 1 over sqrt(n) = 447; bounds of four of them.
  EXPECT_NEAR(mean, 0, 4 / 447.0);
  EXPECT_NEAR(square, 1, 4 * 1.42 / 447);
  EXPECT_NEAR(fourth, 3, 4 * 9.8 / 447);
  EXPECT_NEAR(neighbors, 0, 4 / 447.0);
  EXPECT_EQ(standard_normal(7, 3, 1), standard_normal(7, 3, 1));
  EXPECT_NE(standard_normal(7, 3, 1), standard_normal(8, 3, 1));
}

/// The numbers depend on the sample, not on the steps, and are those of a run that begins later.
TEST(SensorNoise, is_the_same_in_every_run) {
  const Model model = carriage();
  const auto measured = [&](const std::string& method, double start) {
    const auto log = std::make_shared<Log>();
    Controller c = logging(model, log);
    c.sensors = Sensors{.position_noise = {0.01}, .velocity_noise = {0.1}, .seed = 5};
    Scenario s = moving(model, c);
    s.start.t = start, s.start.q[0] += 2 * start, s.duration -= start;
    s.integrator = {.method = method};
    if (method == "rk4") s.integrator.step = 0.03;
    test::run(s);
    return *log;
  };
  const Log all = measured("dop853", 0), other = measured("rk4", 0), late = measured("rk4", 1.0);
  double largest = 0;
  for (std::size_t i = 0; i < all.t.size(); ++i) {
    EXPECT_NEAR(all.q[i], other.q[i], 1e-13);
    EXPECT_NEAR(all.v[i] - 2, 0.1 * standard_normal(5, i, 1), 1e-13);
    largest = std::max(largest, std::abs(all.q[i] - 0.5 - 2 * all.t[i]));
  }
  EXPECT_GT(largest, 0.005);
  for (std::size_t i = 0; i < late.t.size(); ++i) EXPECT_NEAR(late.q[i], all.q[i + 10], 1e-13);
}

TEST(SensorResolution, rounds) {
  const Model model = carriage();
  const auto log = std::make_shared<Log>();
  Controller c = logging(model, log);
  c.sensors = Sensors{.position_resolution = {0.3}, .velocity_resolution = {0.7}};
  test::run(moving(model, c));
  for (std::size_t i = 0; i < log->t.size(); ++i) {
    EXPECT_NEAR(log->q[i] / 0.3, std::round((0.5 + 2 * log->t[i]) / 0.3), 1e-9);
    EXPECT_EQ(log->v[i], 0.7 * 3);
  }
}

TEST(SensorsOfControllers, are_checked) {
  const Model model = carriage();
  Controller c = logging(model, std::make_shared<Log>());
  c.sensors = Sensors{.delay = -1};
  EXPECT_SAYS(control(c), "controller 'log': sensors: delay -1 is not a time");
  c.sensors = Sensors{.position_noise = {1, 2}};
  EXPECT_SAYS(control(c), "position_noise has 2 entries");
  c.sensors = Sensors{.velocity_resolution = {-1}};
  EXPECT_SAYS(control(c), "velocity_resolution -1");
  c.sensors = Sensors{.velocity_noise = {NAN}};
  EXPECT_SAYS(control(c), "velocity_noise nan");
  c.sensors = Sensors{.delay = 1e9};
  EXPECT_SAYS(control(c), "more than 1e5 periods");
  c.sensors = Sensors{}, c.period = 0;
  EXPECT_SAYS(control(c), "sensors are read at samples; give a period");
}

}  // namespace sensors_test
}  // namespace chasles
