/// Stiff systems: springs of 1e8 N/m and strong dampers, in steps that the motion itself needs.
#include <gtest/gtest.h>

#include "chasles/simulation/forces.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/errors.hpp"
#include "support/exact_motions.hpp"

namespace chasles {
namespace {

using test::Numbers;
using test::Real;

/// A mass of 1 kg on a rod of 1 m that turns, and stretches against a spring of 1e8 N/m.
Model elastic_rod() {
  return compile(MechanismBuilder("rod")
                     .body("turn", ground, joints::revolute({0, -1, 0}))
                     .body("stretch", "turn", joints::prismatic({0, 0, -1}))
                     .inertia(1, {0, 0, -1}, Sym3{})
                     .build());
}
void spring(double, const VelocityKinematics& kin, JointForces& out) {
  out.tau[1] = -1e8 * kin.q()[1];
}
State rigid_pendulum(double t) {
  return test::Solution(
             [](Real, const Numbers& y) {
               return Numbers{y[1], -9.81L * std::sin(y[0])};
             },
             {0, Vector{1.0}, Vector{0.0}})
      .at(static_cast<Real>(t));
}
State hanging(double stretch) { return {0, Vector{1.0, stretch}, Vector{0, 0}}; }

/// At the stretch of the weight the spring does not vibrate, and the rod moves as a rigid one. The
/// period of the vibration is 0.6 ms: explicit methods would need ten thousand steps a second.
TEST(Stiff, a_spring_of_1e8_newtons_per_meter) {
  const Model model = elastic_rod();
  const State want = rigid_pendulum(2);
  const auto error = [&](const IntegratorOptions& options, StepStatistics& statistics) {
    ModelSystem system(model);
    system.set_forces(spring);
    const auto integrator = make_integrator(system, options);
    const State end = test::run(*integrator, hanging(9.81 * std::cos(1.) / 1e8), 2);
    statistics = integrator->statistics();
    return std::abs(end.q[0] - want.q[0]) + std::abs(end.v[0] - want.v[0]);
  };
  StepStatistics s;
  for (const char* name : {"generalized_alpha", "blied2"}) {
    const double coarse = error({.method = name, .step = 0.01}, s),
                 fine = error({.method = name, .step = 0.005}, s);
    EXPECT_EQ(s.steps, 400);
    EXPECT_LE(fine, 2e-3) << name;
    EXPECT_NEAR(std::log2(coarse / fine), 2, 0.2) << name;
    // Kept factors contract by 5e-6, then by 1e-2: a rate below 0.02 is not believed, which takes one more.
    EXPECT_LE(s.iterations, 4 * s.steps) << name;
    RecordProperty(
        std::string(name) + "_iterations_per_step",
        std::to_string(static_cast<double>(s.iterations) / static_cast<double>(s.steps)));
  }
  EXPECT_LE(error({.method = "generalized_alpha", .tolerance = 1e-6}, s), 2e-3);
  EXPECT_LE(s.steps, 500);
  EXPECT_LE(s.iterations, 4 * (s.steps + s.rejected));
}

/// Pulled by a millimetre and let go: 1e5 N. A fixed step does not see the vibration, and must not
/// be thrown off by it.
TEST(Stiff, a_spring_that_is_let_go) {
  const Model model = elastic_rod();
  for (const char* name : {"generalized_alpha", "blied2"}) {
    ModelSystem system(model);
    system.set_forces(spring);
    const auto integrator = make_integrator(system, {.method = name, .step = 0.005});
    integrator->reset(hanging(1e-3));
    const State want = rigid_pendulum(2);
    double most = 0;
    while (integrator->state().t < 2) {
      integrator->step(2);
      most = std::max(most, std::abs(integrator->state().q[1]));
    }
    EXPECT_LE(most, 1e-3) << name;
    EXPECT_LE(std::abs(integrator->state().q[0] - want.q[0]), 0.01) << name;
    EXPECT_LE(std::abs(integrator->state().q[1]), 1e-6) << name;
  }
}

/// An arm with a light hand in a damper of 100 N m s/rad: time constant 1 us.
TEST(Stiff, a_viscous_wrist) {
  const Model model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute({0, 1, 0}))
                                  .inertia(5, {0, 0, -0.3}, Sym3::diagonal(.1, .1, .1))
                                  .body("fore", "upper", joints::revolute({0, 1, 0}, {0, 0, -0.5}))
                                  .pose({{}, {0, 0, -0.5}})
                                  .inertia(2, {0, 0, -.2}, Sym3::diagonal(.02, .02, .02))
                                  .body("hand", "fore", joints::revolute({0, 0, 1}, {0, 0, -0.4}))
                                  .pose({{}, {0, 0, -0.4}})
                                  .inertia(.1, {0.01, 0, -.02}, Sym3::diagonal(1e-4, 1e-4, 1e-4))
                                  .build());
  const State start{0, Vector{1, 0.5, 0.3}, Vector{0, 0, 2}};
  const auto run = [&](const IntegratorOptions& options, StepStatistics& s) {
    ModelSystem system(model);
    system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau[2] = -100 * kin.v()[2];
    });
    const auto integrator = make_integrator(system, options);
    State end = test::run(*integrator, start, 1);
    s = integrator->statistics();
    return end;
  };
  StepStatistics s;
  ModelSystem system(model);
  const State want = run({.method = "generalized_alpha", .tolerance = 1e-9}, s);
  for (const IntegratorOptions& options :
       std::initializer_list<IntegratorOptions>{{.method = "generalized_alpha", .step = 0.005},
                                                {.method = "generalized_alpha", .tolerance = 1e-5},
                                                {.method = "blied2", .step = 0.0025}}) {
    const State end = run(options, s);
    EXPECT_LE(test::distance(system, end, want), 0.02) << options.method;
    EXPECT_LE(s.steps, 500) << options.method;
    EXPECT_LE(s.iterations, 5 * (s.steps + s.rejected)) << options.method;
    RecordProperty(options.method + "_" + std::to_string(s.steps) + "_steps_iterations",
                   std::to_string(s.iterations));
  }
}

/// Links of 0.5 m one below the other.
Model stiff_chain(const Joint& first, const Joint& next, int count) {
  MechanismBuilder builder("chain");
  for (int k = 0; k < count; ++k) {
    const std::string parent = k == 0 ? std::string(ground) : std::to_string(k - 1);
    builder.body(std::to_string(k), parent, k == 0 ? first : next);
    if (k > 0) builder.pose({{}, {0, 0, -0.5}});
    builder.inertia(1, {0.02, 0, -0.25}, Sym3::diagonal(0.05, 0.04, 0.02));
  }
  return compile(builder.build());
}
Model revolute_chain() {
  return stiff_chain(joints::revolute({0, 1, 0}), joints::revolute({0, 1, 0}, {0, 0, -0.5}), 5);
}
Model ball_chain() { return stiff_chain(joints::spherical(), joints::spherical({0, 0, -0.5}), 3); }
/// A spring and a damper in every joint but the first.
void stiffen(MechanismState& system, double stiffness, double damping) {
  const Model& model = system.model();
  Forces forces;
  for (std::size_t k = 1; k < model.joints().size(); ++k)
    forces.add(joint_spring_damper(model, model.joints()[k].name, stiffness, damping));
  system.set_forces(forces.function(), {},
                    [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                      forces.tangent(t, kin, out);
                    });
}

/// h sqrt(k / M) is about 100, and h k / c = 10: no fixed point is found, Newton's method finds it at once.
TEST(Stiff, gauss_on_chains_of_springs_and_dampers) {
  for (const Model& model : {revolute_chain(), ball_chain()}) {
    State start{0, model.neutral(), Vector::Zero(model.nv())};
    for (int i = 0; i < model.joints()[0].nv; ++i) start.v[i] = 1 + i;
    ModelSystem system(model);
    stiffen(system, 1e5, 100);
    const State want =
        test::run(*make_integrator(system, {.method = "radau5", .tolerance = 1e-11}), start, 0.5);
    for (const char* name : {"midpoint", "gauss2", "gauss3"}) {
      const auto integrator = make_integrator(system, {.method = name, .step = 0.01});
      const State end = test::run(*integrator, start, 0.5);
      EXPECT_LE(test::distance(system, end, want), name[0] == 'm' ? 2e-3 : 1e-4) << name;
      EXPECT_EQ(integrator->statistics().steps, 50) << name;
      EXPECT_LE(integrator->statistics().iterations, 6 * 50) << name;
    }
  }
}

/// Springs without dampers: there and back again, by the states with velocities turned around.
TEST(Stiff, gauss_by_newtons_method_is_symmetric) {
  for (const Model& model : {revolute_chain(), ball_chain()}) {
    State start{0, model.neutral(), Vector::Zero(model.nv())};
    for (int i = 0; i < model.nv(); ++i) start.v[i] = 0.1 * (1 + i % 3);
    ModelSystem system(model);
    stiffen(system, 1e5, 0);
    for (const char* name : {"midpoint", "gauss2", "gauss3"}) {
      const auto integrator = make_integrator(system, {.method = name, .step = 0.01});
      State end = test::run(*integrator, start, 0.3);
      EXPECT_GT(test::distance(system, end, start), 0.01) << name;
      end.v = -end.v;
      end.t = 0;
      State back = test::run(*integrator, end, 0.3);
      back.v = -back.v;
      EXPECT_LE(test::distance(system, back, start), 1e-10) << name;
    }
  }
}

/// The four-bar with a stiff damper in one of its joints.
TEST(Stiff, gauss_on_a_closed_mechanism) {
  const Model model = compile(studies::four_bar());
  ConstrainedSystem system(model);
  State start{0, system.assembled(), Vector::Zero(model.nv())};
  start.v[0] = 1;
  system.project(start);
  Forces forces;
  forces.add(joint_spring_damper(model, model.joints()[1].name, 1e5, 1e3,
                                 {start.q[model.joints()[1].q_index]}));
  system.set_forces(forces.function(), {},
                    [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                      forces.tangent(t, kin, out);
                    });
  const State want =
      test::run(*make_integrator(system, {.method = "radau5", .tolerance = 1e-11}), start, 0.5);
  for (const char* name : {"midpoint", "gauss2", "gauss3"}) {
    const auto integrator = make_integrator(system, {.method = name, .step = 0.01});
    const State end = test::run(*integrator, start, 0.5);
    EXPECT_LE((end.q - want.q).norm(), 1e-4) << name;
    EXPECT_LE(system.violation(end.q), 1e-12) << name;
    EXPECT_LE(integrator->statistics().iterations, 7 * 50) << name;
  }
}

/// Messages tell apart what does not converge, what is not finite, and what diverged.
TEST(ImplicitMethods, say_why_a_step_cannot_be_taken) {
  const Model model = elastic_rod();
  const auto says = [&](const char* name, const ForceFunction& force, double h) {
    ModelSystem system(model);
    system.set_forces(force);
    const auto integrator = make_integrator(system, {.method = name, .step = h});
    integrator->reset(hanging(1e-3));
    return test::message([&] {
      while (integrator->state().t < 1) integrator->step(1);
    });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  const auto not_a_number = [](double t, const VelocityKinematics& kin, JointForces& out) {
    out.tau[1] = t < 0.05 ? -kin.q()[1] : std::nan("");
  };
  // No stage is where this force wants it.
  const auto jumping = [](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau[1] = -1e6 * kin.q()[1] + (std::fmod(std::abs(kin.q()[1]) * 1e7, 2) < 1 ? 1e6 : -1e6);
  };
  const auto jumping_with_v = [](double, const VelocityKinematics& kin, JointForces& out) {
    out.tau[1] = std::fmod(std::abs(kin.v()[1]) * 1e3, 2) < 1 ? 1e6 : -1e6;
  };
  for (const char* name :
       {"midpoint", "gauss2", "gauss3", "generalized_alpha", "variational", "verlet", "rattle"}) {
    const std::string nan = says(name, not_a_number, 0.01);
    EXPECT_TRUE(has(nan, "not finite") && !has(nan, "diverged")) << name << ": " << nan;
  }
  for (const char* name : {"midpoint", "gauss2", "gauss3", "generalized_alpha"}) {
    const std::string none = says(name, jumping, 0.01);
    EXPECT_TRUE(has(none, "does not converge in the step of 0.01 s; take a smaller one"))
        << name << ": " << none;
  }
  for (const char* name : {"variational", "verlet", "rattle"}) {
    const std::string runs = says(name, jumping_with_v, 0.01);
    EXPECT_TRUE(has(runs, "converge") || has(runs, "settle")) << name << ": " << runs;
    EXPECT_FALSE(has(runs, "diverged")) << name << ": " << runs;
  }
}

}  // namespace
}  // namespace chasles
