/// Series elastic drives: oscillation of two masses in closed form, exact tracking of flat outputs, decay of errors in closed
/// form, and the balance of energy.
#include <gtest/gtest.h>

#include <cmath>

#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/error_estimate.hpp"
#include "chasles/simulation/series_elastic_control.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace series_elastic_test {

using Drives = std::vector<SeriesElasticDrive>;

/// Three joints in different directions, under gravity.
Mechanism arm() {
  return MechanismBuilder("arm")
      .body("waist", ground, joints::revolute({0, 0, 1}))
      .inertia(3, {0.02, 0.01, 0.1}, Sym3::diagonal(0.03, 0.04, 0.05))
      .body("shoulder", "waist", joints::revolute({0, 1, 0.2}, {0.1, 0, 0.3}))
      .inertia(2, {0.3, 0, 0.3}, Sym3::diagonal(0.01, 0.05, 0.06))
      .body("slide", "shoulder", joints::prismatic({1, 0.1, 0}))
      .inertia(1, {0.7, 0.1, 0.2}, Sym3::diagonal(0.01, 0.02, 0.03))
      .build();
}
Drives drives(double damping = 0, double motor_damping = 0) {
  return {{"waist", 150, damping, 1e-4, 50, motor_damping},
          {"shoulder", 200, damping, 1e-4, 60, motor_damping},
          {"slide", 900, damping, 2e-4, -70, motor_damping}};
}
std::vector<Reference> waves() {
  return {references::sinusoid({0.4, 0.7}), references::sinusoid({0.3, 0.5, 1.0, 0.2}),
          references::sinusoid({0.1, 0.9, 0.3, 0.05})};
}

struct Elastic {
  Drives list;
  Model model;
  explicit Elastic(Drives d)
      : list(std::move(d)), model(compile(with_series_elastic_drives(arm(), list))) {}
  int q(const std::string& joint) const { return model.joint(joint).q_index; }

  Scenario scenario(State start, double duration) const {
    Scenario s{.model = model, .start = std::move(start), .duration = duration};
    s.integrator = {.method = "dop853", .tolerance = 1e-12};
    return s;
  }
  /// The flat state at t: springs loaded with the efforts Q of inverse dynamics, their rates by differences of order 8.
  State flat_state(const std::vector<Reference>& wanted, double t) const {
    const Model rigid = compile(arm());
    const auto load = [&](double at) {
      Vector q(3), v(3), a(3);
      for (int k = 0; k < 3; ++k) {
        const Setpoint x = wanted[static_cast<std::size_t>(k)](at);
        q[k] = x.q, v[k] = x.v, a[k] = x.a;
      }
      InverseDynamics work(rigid);
      return Eigen::Vector3d(inverse_dynamics(rigid, q, v, a, work));
    };
    const Eigen::Vector3d Q = load(t);
    constexpr double h = 1e-2, w[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
    Eigen::Vector3d rate = Eigen::Vector3d::Zero();
    for (int k = 0; k < 4; ++k) rate += w[k] / h * (load(t + (k + 1) * h) - load(t - (k + 1) * h));
    State state{t, Vector(6), Vector(6)};
    for (int k = 0; k < 3; ++k) {
      const SeriesElasticDrive& d = list[static_cast<std::size_t>(k)];
      const Setpoint x = wanted[static_cast<std::size_t>(k)](t);
      state.q[q(d.joint)] = x.q, state.v[q(d.joint)] = x.v;
      state.q[q(d.motor())] = x.q + Q[k] / d.stiffness;
      state.v[q(d.motor())] = x.v + rate[k] / d.stiffness;
    }
    return state;
  }
};

/// Motor and link on one axis, without control: phi = q_motor - q swings with w^2 = k (1 / I + 1 / J), and the mean
/// velocity stays.
TEST(SeriesElastic, two_masses_swing_as_in_closed_form) {
  const double I = 0.7, k = 30, n = 20, Im = 1e-3, J = n * n * Im,
               w = std::sqrt(k * (1 / I + 1 / J));
  Mechanism wheel = MechanismBuilder("wheel")
                        .body("wheel", ground, joints::revolute({0, 0, 1}))
                        .inertia(1, {}, Sym3::diagonal(1, 1, I))
                        .build();
  const Model model = compile(with_series_elastic_drives(
      wheel, {{.joint = "wheel", .stiffness = k, .motor_inertia = Im, .ratio = n}}));
  ASSERT_EQ(model.nv(), 2);
  const int link = model.joint("wheel").q_index, motor = model.joint("wheel_motor").q_index;
  Scenario s{.model = model, .start = {0, Vector(2), Vector(2)}, .duration = 3};
  s.start.q[motor] = 0.4, s.start.v[link] = 0.9;
  s.integrator = {.method = "dop853", .tolerance = 1e-13};
  Simulation run(s);
  RecordedSamples samples;
  run.run(samples);
  for (const auto& row : samples.rows) {
    const double t = row.state.t, phi = 0.4 * std::cos(w * t) - 0.9 / w * std::sin(w * t),
                 mean = (J * 0.4 + I * 0.9 * t) / (I + J);
    EXPECT_NEAR(row.state.q[motor] - row.state.q[link], phi, 1e-10);
    EXPECT_NEAR((J * row.state.q[motor] + I * row.state.q[link]) / (I + J), mean, 1e-10);
  }
}

/// From the flat state the joints follow without error, to the tolerance of the run, at any gains.
TEST(SeriesElastic, flat_outputs_are_tracked_exactly) {
  const Elastic e(drives(0, 0.3));
  const std::vector<Reference> wanted = waves();
  Scenario s = e.scenario(e.flat_state(wanted, 0), 3);
  s.forces.add(control(flatness_control(e.model, e.list, wanted, {15})));
  RecordedSamples samples;
  Simulation(s).run(samples);
  double worst = 0;
  for (const auto& row : samples.rows)
    for (std::size_t k = 0; k < 3; ++k)
      worst =
          std::max(worst, std::abs(row.state.q[e.q(e.list[k].joint)] - wanted[k](row.state.t).q));
  EXPECT_LT(worst, 1e-9);
}

/// From rest, with springs that bear the weight, the error of every joint is that of (d/dt + w)^m e = 0 with e' = e'' = ... =
/// 0 at the start: m = 4 without damping of the springs, 3 with it.
TEST(SeriesElastic, errors_decay_as_in_closed_form) {
  for (const double damping : {0.0, 4.0}) {
    const Elastic e(drives(damping));
    const std::vector<Reference> held{0.1, 0.3, 0.05}, wanted{0.4, -0.2, 0.1};
    Scenario s = e.scenario(e.flat_state(held, 0), 2);
    const double w = 8;
    s.forces.add(control(flatness_control(e.model, e.list, wanted, {w})));
    RecordedSamples samples;
    Simulation(s).run(samples);
    for (const auto& row : samples.rows) {
      const double x = w * row.state.t;
      const double left = (1 + x + x * x / 2 + (damping > 0 ? 0 : x * x * x / 6)) * std::exp(-x);
      for (std::size_t k = 0; k < 3; ++k) {
        const double from = held[k](0).q, to = wanted[k](0).q;
        EXPECT_NEAR(row.state.q[e.q(e.list[k].joint)], to + (from - to) * left, 2e-9)
            << damping << " " << k;
      }
    }
  }
}

/// Motors deliver what links, rotors and springs gain and dampers take: d/dt (T + U) = u theta' - d phi'^2 - b theta'^2, as
/// a sum over samples of Simpson's rule; energies by formulas of this test.
TEST(SeriesElastic, power_is_balanced) {
  for (const double damping : {0.0, 3.0}) {
    const Elastic e(drives(damping, 0.5));
    const std::vector<Reference> wanted = waves();
    Scenario s = e.scenario(e.flat_state(wanted, 0), 1);
    s.start.q[0] += 0.1;
    const double h =
        2.5e-4;  // transients of the springs decay at k / d = 300 / s; Simpson: (300 h)^4 / 180
    s.every = h;
    s.quantities = {"motor_torque"};
    s.forces.add(control(flatness_control(e.model, e.list, wanted, {15})));
    RecordedSamples samples;
    Simulation(s).run(samples);
    const Model links = compile(arm());
    std::vector<double> energy, power;
    for (const auto& row : samples.rows) {
      Vector q(3), v(3);
      double E = 0, P = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        const SeriesElasticDrive& d = e.list[k];
        const int j = e.q(d.joint), m = e.q(d.motor()), i = static_cast<int>(k);
        q[i] = row.state.q[j], v[i] = row.state.v[j];
        const double phi = row.state.q[m] - q[i], rate = row.state.v[m] - v[i],
                     spin = row.state.v[m];
        E += d.stiffness * phi * phi / 2 + d.motor_inertia * d.ratio * d.ratio * spin * spin / 2;
        P += row.values[0](m, 0) * spin - d.damping * rate * rate - d.motor_damping * spin * spin;
      }
      VelocityKinematics kin(links);
      forward_kinematics(links, q, v, kin);
      energy.push_back(E + kinetic_energy(links, kin) + potential_energy(links, kin));
      power.push_back(P);
    }
    ASSERT_EQ(power.size(), 4001U);
    double work = 0;
    for (std::size_t i = 0; i + 2 < power.size(); i += 2)
      work += h / 3 * (power[i] + 4 * power[i + 1] + power[i + 2]);
    EXPECT_GT(std::abs(work), 0.1);
    EXPECT_NEAR(energy.back() - energy.front(), work, 1e-8 * (1 + std::abs(work))) << damping;
  }
}

/// The example: computed torque swings on the springs, flatness-based control follows. Errors of the second half of the run.
TEST(SeriesElastic, computed_torque_oscillates_and_flatness_does_not) {
  const auto worst_error = [](const std::string& type) {
    const std::string change = "control.0.type=" + type;
    const Scenario s = read_scenario("examples/scenarios/elastic_arm.yaml", nullptr, nullptr,
                                     std::span(&change, 1));
    RecordedSamples samples;
    Simulation(s).run(samples);
    const Reference wanted[] = {references::sinusoid({0.5, 0.5, -M_PI / 2, 0.2}),
                                references::sinusoid({0.6, 0.8, -M_PI / 2, -0.4})};
    double worst = 0;
    for (const auto& row : samples.rows) {
      if (row.state.t < 3) continue;
      worst = std::max(worst, std::abs(row.state.q[s.model.joint("shoulder").q_index] -
                                       wanted[0](row.state.t).q));
      worst = std::max(
          worst, std::abs(row.state.q[s.model.joint("elbow").q_index] - wanted[1](row.state.t).q));
    }
    return worst;
  };
  EXPECT_LT(worst_error("flatness"), 1e-6);
  EXPECT_GT(worst_error("computed_torque"), 0.02);
}

/// With springs as stiff as 1e6 and no control of them, a rigid law on the motors moves the joints as on rigid drives.
TEST(SeriesElastic, stiff_springs_are_rigid_drives) {
  Drives stiff = drives(30);
  for (SeriesElasticDrive& d : stiff) d.stiffness = 1e6, d.damping = 300;
  const Elastic e(stiff);
  const Model rigid = compile(with_rigid_drives(arm(), stiff));
  const auto law = [&] {
    return pd_control(rigid, {"waist", "shoulder", "slide"}, {0.3, 0.2, 0.1},
                      {.stiffness = {40}, .damping = {15}, .gravity = true});
  };
  Scenario by_motors = e.scenario({0, Vector(6), Vector(6)}, 1);
  by_motors.integrator = {.method = "radau5", .tolerance = 1e-9};
  by_motors.forces.add(control(control_by_motors(e.model, law(), e.list)));
  Scenario direct{.model = rigid, .start = {0, Vector(3), Vector(3)}, .duration = 1};
  direct.forces.add(control(law()));
  Simulation a(by_motors), b(direct);
  RecordedSamples samples;
  a.run(samples);
  b.run(samples);
  for (const SeriesElasticDrive& d : stiff)
    EXPECT_NEAR(a.state().q[e.q(d.joint)], b.state().q[rigid.joint(d.joint).q_index], 2e-4);
}

TEST(SeriesElastic, mistakes_are_named) {
  const auto made = [](const SeriesElasticDrive& d) {
    return with_series_elastic_drives(arm(), {d});
  };
  const SeriesElasticDrive good{"waist", 100, 0, 1e-4, 50};
  EXPECT_NO_THROW(made(good));
  auto bad = good;
  bad.joint = "wrist";
  EXPECT_SAYS(made(bad), "wrist", "waist");
  bad = good, bad.stiffness = 0;
  EXPECT_SAYS(made(bad), "stiffness is 0", "positive");
  bad = good, bad.stiffness = std::nan("");
  EXPECT_SAYS(made(bad), "stiffness");
  bad = good, bad.motor_inertia = -1;
  EXPECT_SAYS(made(bad), "motor_inertia is -1");
  bad = good, bad.ratio = 0;
  EXPECT_SAYS(made(bad), "ratio is 0");
  bad = good, bad.damping = -2;
  EXPECT_SAYS(made(bad), "damping is -2");
  EXPECT_SAYS(with_series_elastic_drives(arm(), {good, good}), "given twice");
  Mechanism taken = arm();
  taken.bodies[2].name = "waist_motor";
  EXPECT_SAYS(with_series_elastic_drives(taken, {good}), "waist_motor");
  Mechanism ball = arm();
  ball.bodies[0].joint = joints::spherical();
  EXPECT_SAYS(with_series_elastic_drives(ball, {good}), "exactly one coordinate");

  const Elastic e(drives());
  EXPECT_SAYS(flatness_control(e.model, e.list, {0.0}, {5}), "reference has 1", "3");
  EXPECT_SAYS(flatness_control(e.model, e.list, waves(), {5, 5}), "frequency has 2");
  EXPECT_SAYS(flatness_control(e.model, e.list, waves(), {-5}), "frequency -5");
  EXPECT_SAYS(flatness_control(e.model, {e.list[0]}, {0.0}, {5}), "no series elastic drive");
  EXPECT_SAYS(flatness_control(compile(arm()), drives(), waves(), {5}), "waist_motor");
  Drives mixed = drives();
  mixed[1].damping = 2;
  const Elastic m(mixed);
  EXPECT_SAYS(flatness_control(m.model, m.list, waves(), {5}), "shoulder", "all or none");
  std::vector<Reference> vague = waves();
  vague[0] = [](double t) { return Setpoint{t, 1, 0}; };
  Scenario s = e.scenario({0, Vector(6), Vector(6)}, 1);
  s.forces.add(control(flatness_control(e.model, e.list, vague, {5})));
  RecordedSamples samples;
  EXPECT_SAYS(Simulation(s).run(samples), "waist", "jerk");
}

}  // namespace series_elastic_test
}  // namespace chasles
