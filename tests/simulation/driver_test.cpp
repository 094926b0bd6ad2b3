/// Prescribed motions: drivers against differences and closed forms, in every method that keeps constraints.
#include "chasles/simulation/driver.hpp"

#include <gtest/gtest.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/simulation/kinematic.hpp"
#include "chasles/simulation/simulation.hpp"
#include "simulation/run.hpp"
#include "support/difference.hpp"

namespace chasles {
namespace driver_test {
namespace {

using test::derivative;

TEST(References, have_the_derivatives_of_their_values) {
  const Reference all[] = {
      references::speed(3, 0.5, 0.2), references::polynomial({1, -2, 0.5, 0.25}),
      references::harmonics({0.7, 0.1, {0.3, 0, -0.2}, {0.5, 0.1}}),
      references::smooth_step({-0.5, 2, -1, 4}),
      references::spline({-2, -1, 0.5, 3, 4}, {0, 1, 0.3, -1, 0}, references::Ends::periodic)};
  for (const Reference& reference : all)
    for (const double t : {0.1, 0.9, 1.7}) {
      const Setpoint at = reference(t);
      // Harmonics of 2 Hz have derivatives of order 9 that limit the differences.
      EXPECT_NEAR(at.v, derivative([&](double s) { return reference(t + s).q; }), 1e-8);
      EXPECT_NEAR(at.a, derivative([&](double s) { return reference(t + s).v; }), 1e-8);
    }
  // The step rests outside; a periodic table repeats and tells its points.
  EXPECT_EQ(all[3](-2).q, -0.5);
  EXPECT_EQ(all[3](3).q, 2);
  EXPECT_EQ(all[3].next_break(0), 3);
  EXPECT_EQ(all[3].next_break(3), Signal::never);
  EXPECT_NEAR(all[4](0.7 + 12).q, all[4](0.7).q, 1e-14);
  EXPECT_EQ(all[4].next_break(0), 0.5);
  EXPECT_EQ(all[4].next_break(4), 5);
  EXPECT_SAYS(references::smooth_step({0, 1, 0, 0}), "must be positive");
  EXPECT_SAYS(references::harmonics({NAN, 0, {1}, {}}), "frequency of a harmonic series is nan");
  EXPECT_SAYS(references::spline({0, 1, 2, 3}, {0, 1, 1, 2}, references::Ends::periodic),
              "a period later");
}

/// Crank of length r about z at the origin, rod of length l, slider along x; at q = 0 in line.
struct SliderCrank {
  double r = 0.3, l = 0.8, m_rod = 0.7, I_rod = 0.05, m_slider = 1.4;

  Mechanism mechanism(bool masses = true) const {
    MechanismBuilder b("slider_crank");
    b.gravity({0, 0, 0});
    b.body("crank", ground, joints::revolute({0, 0, 1}));
    if (masses) b.inertia(1, {0, 0, 0}, Sym3::diagonal(0.01, 0.01, 0.02));
    b.body("rod", "crank", joints::revolute({0, 0, 1}, {r, 0, 0}));
    if (masses) b.inertia(m_rod, {r + l / 2, 0, 0}, Sym3::diagonal(I_rod, I_rod, I_rod));
    b.body("slider", ground, joints::prismatic({1, 0, 0}));
    if (masses) b.inertia(m_slider, {r + l, 0, 0}, Sym3::diagonal(0.01, 0.01, 0.01));
    b.loop({.name = "pin",
            .bodies = {"rod", "slider"},
            .type = JointType::revolute,
            .geometry = joints::revolute({0, 0, 1}, {r + l, 0, 0}).geometry});
    return b.build();
  }
  /// Slider, rod angle and their derivatives by the crank angle.
  double x(double th) const {
    return r * std::cos(th) + std::sqrt(l * l - r * r * std::sin(th) * std::sin(th));
  }
  double x1(double th) const {
    const double s = std::sin(th), c = std::cos(th);
    return -r * s - r * r * s * c / std::sqrt(l * l - r * r * s * s);
  }
  double phi(double th) const { return -std::asin(r / l * std::sin(th)); }
  double phi1(double th) const { return -r * std::cos(th) / (l * std::cos(phi(th))); }
  /// The reduced inertia J(th) of rod and slider: T = J w^2 / 2; at constant speed the torque is J' w^2 / 2.
  double J(double th) const {
    const double gx = -r * std::sin(th) - l / 2 * std::sin(phi(th)) * phi1(th);
    const double gy = r * std::cos(th) + l / 2 * std::cos(phi(th)) * phi1(th);
    return m_slider * x1(th) * x1(th) + m_rod * (gx * gx + gy * gy) + I_rod * phi1(th) * phi1(th);
  }
  double torque(double th, double w) const {
    return w * w / 2 * derivative([&](double s) { return J(th + s); });
  }
};

Scenario driven(const Model& model, std::shared_ptr<const Driver> driver, double duration) {
  Scenario s{
      .model = model, .start = {0, model.neutral(), Vector(model.nv())}, .duration = duration};
  s.constraints.more = {std::move(driver)};
  return s;
}

struct Samples : Recorder {
  std::vector<State> states;
  std::vector<std::vector<double>> values;
  void sample(const Sample& sample) override {
    states.push_back(sample.state);
    std::vector<double> row;
    for (const Matrix& value : sample.values)
      for (Eigen::Index k = 0; k < value.rows(); ++k) row.push_back(value(k, 0));
    values.push_back(row);
  }
};

/// Positions, velocities, accelerations and the torque of a crank at constant speed.
void expect_slider_crank(const SliderCrank& of, const Samples& run, double w, double tolerance) {
  for (std::size_t i = 0; i < run.states.size(); ++i) {
    const State& s = run.states[i];
    const double th = 0.4 + w * s.t;
    EXPECT_NEAR(s.q[0], th, tolerance);
    EXPECT_NEAR(of.r + of.l + s.q[2], of.x(th), tolerance);
    EXPECT_NEAR(s.v[2], of.x1(th) * w, tolerance * w);
    const double x2 = derivative([&](double d) { return of.x1(th + d); });
    EXPECT_NEAR(run.values[i][2], x2 * w * w, 10 * tolerance * w * w);
    EXPECT_NEAR(run.values[i][3], of.torque(th, w), 30 * tolerance * w * w);
    EXPECT_NEAR(run.values[i][4], of.torque(th, w) * w, 30 * tolerance * w * w * w);
  }
}

TEST(Driver, slider_crank_at_constant_speed_has_the_torque_of_virtual_work) {
  const SliderCrank of;
  const double w = 7;
  for (const Model& model : {compile(of.mechanism())}) {
    Scenario s = driven(model, joint_driver(model, "crank", references::speed(w, 0.4)), 1);
    s.quantities = {"a", "driver_force:crank", "driver_power:crank"};
    s.every = 0.05;
    for (const char* method :
         {"dop853", "hedop5", "radau5", "kinematic", "generalized_alpha", "rattle", "herk3", "hem4",
          "blied2", "gauss2", "mk4", "abm", "auto"}) {
      const MethodInfo* info = method == std::string("kinematic") ? nullptr : &method_info(method);
      Scenario run = s;
      if (info == nullptr) {
        run = kinematic(s);
      } else {
        run.integrator = {.method = method};
        if (info->adaptive)
          run.integrator.tolerance = 1e-9;
        else
          run.integrator.step = 1e-3;
      }
      Samples samples;
      Simulation simulation(run);
      simulation.run(samples);
      SCOPED_TRACE(method);
      EXPECT_EQ(samples.states.size(), 21);
      // The constraints determine everything: also methods of low order are exact at the ends of steps.
      expect_slider_crank(of, samples, w, info == nullptr || info->order > 3 ? 1e-8 : 1e-5);
      EXPECT_LE(simulation.summary().constraint_violation, 1e-9);
    }
  }
}

TEST(Driver, bodies_without_mass_have_a_kinematic_analysis) {
  const SliderCrank of;
  const Model model = compile(of.mechanism(false));
  Scenario s = driven(model, joint_driver(model, "crank", references::speed(5, 0.4)), 2);
  s.quantities = {"a"};
  Samples samples;
  Simulation simulation(kinematic(s));
  simulation.run(samples);
  EXPECT_EQ(samples.states.size(), 201);
  for (std::size_t i = 0; i < samples.states.size(); ++i) {
    const double th = 0.4 + 5 * samples.states[i].t;
    EXPECT_NEAR(of.r + of.l + samples.states[i].q[2], of.x(th), 1e-12);
    const double x2 = derivative([&](double d) { return of.x1(th + d); });
    EXPECT_NEAR(samples.values[i][2], x2 * 25, 1e-9);
  }
}

/// The joints of the tree are loops in maximal coordinates; the torque is the same, also after full turns.
TEST(Driver, acts_on_joints_in_maximal_coordinates) {
  const SliderCrank of;
  const Mechanism mechanism = of.mechanism();
  const Model tree = compile(mechanism);
  const Model model = compile(to_maximal_coordinates(mechanism, BodyGroup::so3xr3));
  const double w = 7;
  Scenario s = driven(model, joint_driver(model, "crank", references::speed(w, 0.4)), 2);
  VelocityKinematics kin(tree);
  ConstrainedSystem closed(tree, {.more = {joint_driver(tree, "crank", 0.4)}}, Vector(3));
  forward_kinematics(tree, closed.assembled(), Vector(3), kin);
  s.start.q.resize(model.nq());
  maximal_state(kin, model, s.start.q, s.start.v);
  s.joints = tree, s.joints_q = closed.assembled();
  s.integrator = {.method = "dop853", .tolerance = 1e-10};
  s.quantities = {"driver_force:crank"};
  Samples samples;
  Simulation simulation(s);
  simulation.run(samples);
  for (std::size_t i = 0; i < samples.states.size(); ++i)
    EXPECT_NEAR(samples.values[i][0], of.torque(0.4 + w * samples.states[i].t, w), 1e-5);
}

/// Phi, B v + Phi_t and the bias are derivatives of each other along a motion that satisfies the other constraints.
TEST(Driver, equations_are_derivatives_of_each_other) {
  const Model arm = compile(MechanismBuilder("arm")
                                .body("a", ground, joints::revolute({0, 1, 0.3}))
                                .inertia(1, {0.3, 0, 0.1}, Sym3::diagonal(0.1, 0.1, 0.1))
                                .body("b", "a", joints::spherical({0.5, 0, 0}))
                                .inertia(1, {0.7, 0, 0.1}, Sym3::diagonal(0.1, 0.1, 0.1))
                                .frame("tip", "b", {{}, {0.9, 0.1, 0.2}})
                                .build());
  const Reference motion = references::sinusoid({0.4, 0.8, 0.3, 0.1});
  const std::shared_ptr<const Driver> drivers[] = {joint_driver(arm, "a", motion),
                                                   frame_driver(arm, "tip", {1, 2, -1}, motion)};
  const Vector q = [&] {
    Vector out = arm.neutral();
    plus(arm, arm.neutral(), Vector{0.3, -0.2, 0.5, 0.4}, out);
    return out;
  }();
  const Vector v{0.7, -1.1, 0.4, 0.9}, zero(4);
  for (const auto& driver : drivers) {
    Constraints constraints(arm, {.more = {driver}});
    EXPECT_TRUE(constraints.depends_on_time());
    AccelerationKinematics kin(arm);
    const double t = 0.37;
    const auto at = [&](double s) {
      Vector there(arm.nq());
      plus(arm, q, Vector(s * v), there);
      forward_kinematics(arm, there, v, zero, kin);
      constraints.set_time(t + s);
      constraints.update(kin);
    };
    const auto Phi = [&](double s) {
      at(s);
      Vector out(1);
      constraints.constraint_error(kin, out);
      return out[0];
    };
    const auto rate = [&](double s) {
      at(s);
      Vector out(1), more(1);
      constraints.rate(kin, out);
      constraints.time_rate(kin, more);
      return out[0] + more[0];
    };
    const double Phi_rate = derivative(Phi), rate_rate = derivative(rate);
    EXPECT_NEAR(rate(0), Phi_rate, 1e-10);
    at(0);
    Vector bias(1);
    constraints.bias(kin, bias);
    EXPECT_NEAR(bias[0], rate_rate, 1e-9);
    Matrix B, B_rate;
    constraints.matrix(kin, B);
    constraints.matrix_rate(kin, B_rate);
    EXPECT_NEAR((B_rate * v)[0] - motion(t).a, bias[0], 1e-12);
  }
}

/// A pendulum whose pivot is driven vertically: l th'' = -(g + y'') sin th, integrated here by its own Runge-Kutta
/// steps; with fast vibrations it stands upright (Kapitza).
TEST(Driver, pendulum_with_a_driven_pivot_moves_as_its_equation) {
  const double l = 0.4, amplitude = 0.03, frequency = 30;
  const Model model = compile(MechanismBuilder("kapitza")
                                  .body("pivot", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(0.2, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("bob", "pivot", joints::revolute({0, 1, 0}))
                                  .inertia(1.5, {0, 0, l}, Sym3{})
                                  .build());
  const Reference shake = references::sinusoid({amplitude, frequency, 0.2, 0});
  Scenario s = driven(model, joint_driver(model, "pivot", shake), 1);
  s.start.q = Vector{shake(0).q, 0.3};
  s.start.v = Vector{shake(0).v, 0};
  s.integrator = {.method = "dop853", .tolerance = 1e-11};
  const test::End end = test::run(s);
  double th = 0.3, w = 0;
  const int steps = 40000;
  const double h = 1.0 / steps;
  const auto f = [&](double t, double x) { return (test::g + shake(t).a) * std::sin(x) / l; };
  for (int k = 0; k < steps; ++k) {
    const double t = k * h;
    const double a1 = f(t, th), a2 = f(t + h / 2, th + h / 2 * w),
                 a3 = f(t + h / 2, th + h / 2 * w + h * h / 4 * a1),
                 a4 = f(t + h, th + h * w + h * h / 2 * a2);
    th += h * w + h * h / 6 * (a1 + a2 + a3);
    w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
  }
  EXPECT_NEAR(end.state.q[1], th, 1e-8);
  EXPECT_NEAR(end.state.v[1], w, 1e-6);
  EXPECT_LT(std::abs(th), 0.7);  // upright, although it is not stable without vibration
  // The work of the driver is the change of energy.
  EXPECT_GT(std::abs(end.summary.end.work), 1e-2);
  EXPECT_LE(end.summary.worst.energy, 1e-7);
}

/// Steps end where the acceleration of a driver jumps, so that the motion behind is that of the exact pieces.
TEST(Driver, steps_end_at_its_breaks) {
  const Model model = compile(MechanismBuilder("cart")
                                  .body("cart", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("load", "cart", joints::prismatic({1, 0, 0}))
                                  .inertia(2, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .build());
  // Constant acceleration for 0.3 s, then constant speed: the free load stays where it is.
  const Reference motion{
      [](double t) {
        return t < 0.3 ? Setpoint{t * t, 2 * t, 2} : Setpoint{0.09 + 0.6 * (t - 0.3), 0.6, 0};
      },
      [](double t) { return t < 0.3 ? 0.3 : Signal::never; }};
  for (const char* method : {"dop853", "radau5", "hedop5"}) {
    Scenario s = driven(model, joint_driver(model, "cart", motion), 1);
    s.integrator = {.method = method, .tolerance = 1e-10};
    s.quantities = {"driver_force:cart"};
    Samples samples;
    Simulation simulation(s);
    simulation.run(samples);
    EXPECT_NEAR(simulation.state().q[0], 0.09 + 0.6 * 0.7, 1e-12) << method;
    EXPECT_NEAR(simulation.state().q[0] + simulation.state().q[1], 0, 1e-12) << method;
    for (std::size_t i = 0; i < samples.states.size(); ++i)
      if (std::abs(samples.states[i].t - 0.3) > 1e-6) {
        EXPECT_NEAR(samples.values[i][0], samples.states[i].t < 0.3 ? 2 : 0, 1e-9) << method;
      }
    EXPECT_LE(simulation.summary().statistics.steps, 20) << method;
  }
}

/// Freudenstein's equation of a four-bar linkage: with K_1 = d / a, K_2 = d / c, K_3 = (a^2 - b^2 + c^2 + d^2) / (2 a c),
/// K_1 cos th_4 - K_2 cos th_2 + K_3 = cos(th_2 - th_4), over a full turn of the crank.
TEST(Driver, four_bar_follows_freudenstein) {
  const double a = 0.5, d = 2, b = std::hypot(2.1, 1.0), c = std::hypot(0.1, 1.5);
  const Vec3 z{0, 0, 1};
  const Model model = compile(MechanismBuilder("four_bar")
                                  .body("crank", ground, joints::revolute(z))
                                  .body("coupler", "crank", joints::revolute(z, {0, a, 0}))
                                  .body("rocker", ground, joints::revolute(z, {d, 0, 0}))
                                  .loop({.name = "closure",
                                         .bodies = {"coupler", "rocker"},
                                         .type = JointType::revolute,
                                         .geometry = joints::revolute(z, {2.1, 1.5, 0}).geometry})
                                  .build());
  Scenario s = driven(model, joint_driver(model, "crank", references::speed(2 * M_PI)), 1);
  Samples samples;
  Simulation simulation(kinematic(s));
  simulation.run(samples);
  ASSERT_EQ(samples.states.size(), 201);
  const double K1 = d / a, K2 = d / c, K3 = (a * a - b * b + c * c + d * d) / (2 * a * c);
  double least = 10, most = -10;
  for (const State& x : samples.states) {
    const double th2 = M_PI / 2 + x.q[0], th4 = std::atan2(1.5, 0.1) + x.q[2];
    EXPECT_NEAR(K1 * std::cos(th4) - K2 * std::cos(th2) + K3, std::cos(th2 - th4), 1e-12);
    least = std::min(least, th4), most = std::max(most, th4);
  }
  EXPECT_GT(most - least, 0.5);
  EXPECT_NEAR(samples.states.back().q[2], 0, 1e-12);
}

/// The follower of a cam at constant speed has the acceleration f''(th) w^2; a run may start at any time.
TEST(Driver, follower_of_a_cam_has_the_acceleration_of_its_table) {
  const CurveData lift{
      {}, {{0, 0}, {1, 0.01}, {2, 0.03}, {4, 0.02}, {2 * M_PI, 0}}, Curve::Ends::periodic};
  const Model model = compile(MechanismBuilder("cam")
                                  .body("cam", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("follower", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(0.5, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .coupling({"lift", {{"follower", 1}, {"cam", -1, 0, lift}}})
                                  .build());
  const double w = 20, g = 9.81;
  const Curve f = make_curve(lift);
  for (const double start : {0.0, 5.0}) {
    Scenario s = driven(model, joint_driver(model, "cam", references::speed(w)), 0.7);
    s.start.t = start;
    s.start.q = Vector{w * start, f(w * start).f};
    s.quantities = {"a", "driver_force:cam"};
    for (const bool dynamic : {false, true}) {
      Samples samples;
      Simulation(dynamic ? s : kinematic(s)).run(samples);
      for (std::size_t i = 0; i < samples.states.size(); ++i) {
        const CurveValue at = f(w * samples.states[i].t);
        EXPECT_NEAR(samples.values[i][1], at.ddf * w * w, 1e-9);
        EXPECT_NEAR(samples.values[i][2], 0.5 * (at.ddf * w * w + g) * at.df, 1e-9);
      }
    }
  }
}

TEST(Driver, constraints_with_time_are_checked) {
  struct Wrong : RheonomicConstraint {
    std::string name() const override { return "wrong"; }
    int constraint_count() const override { return 1; }
    std::vector<int> entries() const override { return {7}; }
    void matrix_at(double, const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd>) const override {}
    void time_rate_at(double, const PositionKinematics&, VectorRef) const override {}
    void bias_at(double, const VelocityKinematics&, VectorRef) const override {}
  };
  const Model model = compile(SliderCrank().mechanism());
  EXPECT_SAYS(Constraints(model, {.more = {std::make_shared<Wrong>()}}),
              "constraint 'wrong' acts on v[7], which is not in v, with 3 entries");
  const auto driver = joint_driver(model, "crank", 0.0);
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Eigen::MatrixXd B(1, 3);
  EXPECT_SAYS(driver->matrix(kin, B), "constraint 'crank' depends on time");
}

TEST(Driver, of_what_cannot_be_driven_is_refused) {
  const SliderCrank of;
  const Model model = compile(of.mechanism());
  EXPECT_SAYS(joint_driver(model, "crnk", 0.0), "did you mean 'crank'?");
  EXPECT_SAYS(joint_driver(model, "crank", 0.0, 1), "driver of 'crank': coordinate 1 of a revolute",
              "it has 1");
  EXPECT_SAYS(frame_driver(model, "rod", {0, 0, 0}, 0.0), "has no direction");
  EXPECT_SAYS(frame_driver(model, "ground", {0, 0, 1}, 0.0), "does not move");
  const Model ball = compile(MechanismBuilder("ball")
                                 .body("ball", ground, joints::spherical())
                                 .inertia(1, {0, 0, 1}, Sym3::diagonal(1, 1, 1))
                                 .build());
  EXPECT_SAYS(joint_driver(ball, "ball", 0.0), "not a scalar; drive the position of a frame");
  // Two drivers of one joint, and a driver out of reach.
  Scenario s = driven(model, joint_driver(model, "crank", references::speed(1)), 1);
  s.constraints.more.push_back(joint_driver(model, "crank", references::speed(1), 0, "again"));
  EXPECT_SAYS(Simulation(s), "' is redundant at the start");
  s.constraints.more[1] = joint_driver(model, "crank", 1.0, 0, "again");
  EXPECT_SAYS(Simulation(s), "cannot be followed at t = 0 s", "another driver or constraint");
  s.constraints.more = {joint_driver(model, "slider", -20.0)};
  EXPECT_SAYS(Simulation(s), "cannot be");
  const Model stopped = compile(MechanismBuilder("cart")
                                    .body("cart", ground, joints::prismatic({1, 0, 0}))
                                    .limits(-1, 1)
                                    .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                                    .build());
  Scenario rigid = driven(stopped, joint_driver(stopped, "cart", references::speed(1)), 1);
  rigid.limits = LimitMode::rigid;
  EXPECT_SAYS(Simulation(rigid), "joint 'cart' has rigid stops and is driven");
  // Beyond the end of its table a natural spline would stop at once.
  Scenario ends =
      driven(stopped, joint_driver(stopped, "cart", references::spline({0, 0.5}, {0, 1})), 1);
  Simulation jumping(ends);
  Trajectory path;
  EXPECT_SAYS(jumping.run(path),
              "the velocity of driver 'cart' jumps by 2 rad/s or m/s at t = 0.5");
  // Kinematic analysis: too few drivers, and a dead center that the slider cannot pass.
  s.constraints.more.clear();
  EXPECT_SAYS(Simulation(kinematic(s)), "1 degree of freedom is not driven", "'crank'");
  const double reach = -0.55;
  s.constraints.more = {joint_driver(model, "slider", references::speed(-0.5, -0.2))};
  s.start.q = Vector{1.2, -1.5, reach};
  s.quantities = {"a"};
  Samples samples;
  Simulation far(kinematic(s));
  EXPECT_SAYS(far.run(samples), "dead center: drivers 'slider' do not determine", "between t = 0.");
  EXPECT_NEAR(samples.states.back().t, 0.8, 0.01);  // x falls from r + l - 0.2 to l - r
}

}  // namespace
}  // namespace driver_test
}  // namespace chasles
