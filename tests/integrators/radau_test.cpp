/// radau5 on real mechanisms: orders, stiff systems, checkpoints, events, samples.
#include <gtest/gtest.h>

#include "chasles/integrators/events.hpp"
#include "support/motions.hpp"
#include "support/system_cases.hpp"

namespace chasles {
namespace radau_test {

using test::SystemCase;

State end_of(MechanicalSystem& system, const State& start, double T,
             const IntegratorOptions& options) {
  const auto integrator = make_integrator(system, options);
  return test::run(*integrator, start, T);
}
Vector saddle_multipliers(MechanicalSystem& system, const State& at) {
  Vector velocity(system.nv()), v_dot(system.nv());
  system.rates(at.t, at.q, at.v, velocity, v_dot);
  return system.multipliers();
}

struct Errors {
  double q = 0, v = 0, lambda = 0, stage_lambda = 0, sample = 0;
};
/// At the end of n steps, and of samples within the last one. Truth: DOP853 with a tolerance of 1e-13, of
/// another family, order and code.
Errors errors(const SystemCase& of, double T, int n) {
  const auto system = of.make();
  const auto integrator = make_integrator(*system, {.method = "radau5", .step = T / n});
  const State end = test::run(*integrator, of.start, T);
  const IntegratorOptions exact{.method = "dop853", .tolerance = 1e-13};
  const auto other = of.make();
  const State truth = end_of(*other, of.start, T, exact);
  Errors e;
  Vector x(system->nv());
  system->group().minus(end.q, truth.q, x);
  e.q = x.norm(), e.v = (end.v - truth.v).norm();
  const Vector lambda = saddle_multipliers(*other, truth);
  e.lambda = (integrator->multipliers() - lambda).norm();
  // h, a, lambda of the last stage, ...: compared as forces, which are unique also if equations depend on
  // each other.
  const std::vector<double> memory = integrator->checkpoint().memory;
  Vector difference(lambda.size());
  for (Eigen::Index i = 0; i < lambda.size(); ++i)
    difference[i] = memory.at(static_cast<std::size_t>(1 + system->nv() + i)) - lambda[i];
  system->set(truth);
  system->constraint_force(difference, x);
  e.stage_lambda = x.norm();
  State within = end;
  for (const double s : {0.25, 0.6, 0.85}) {
    const double t = integrator->before().t + s * T / n;
    integrator->interpolate(t, within);
    const State there = end_of(*other, of.start, t, exact);
    system->group().minus(within.q, there.q, x);
    e.sample = std::max(e.sample, x.norm() + (within.v - there.v).norm());
  }
  return e;
}

/// A top in a ball joint: a tree on SO(3); in maximal coordinates with a loop on either group.
Mechanism top() {
  return MechanismBuilder("top")
      .body("top", ground, joints::spherical())
      .inertia(1, {0.1, 0.2, 0.5}, Sym3::diagonal(0.3, 0.35, 0.2))
      .build();
}
State top_start() { return {0, Vector{1, 0, 0, 0}, Vector{0.3, 0.5, 3}}; }
SystemCase absolute_top(BodyGroup group) {
  SystemCase of =
      test::absolute_case(group == BodyGroup::se3 ? "top_se3" : "top_so3xr3", top(), group);
  const Model tree = compile(top()), model = compile(to_maximal_coordinates(top(), group));
  VelocityKinematics kin(tree);
  forward_kinematics(tree, top_start().q, top_start().v, kin);
  maximal_state(kin, model, of.start.q, of.start.v);
  return of;
}
/// A floating base with two arms: a tree on SE(3) x R^2.
SystemCase floating() {
  const Model model = compile(MechanismBuilder("floating")
                                  .body("base", ground, joints::floating())
                                  .inertia(2, {0.1, 0.05, 0.02}, Sym3::diagonal(0.1, 0.2, 0.25))
                                  .body("arm", "base", joints::revolute({0, 1, 0}, {0.3, 0, 0}))
                                  .inertia(1, {0.5, 0, 0.1}, Sym3::diagonal(0.05, 0.05, 0.02))
                                  .body("hand", "arm", joints::spherical({0.8, 0, 0}))
                                  .inertia(0.5, {0.9, 0.1, 0}, Sym3::diagonal(0.02, 0.03, 0.02))
                                  .build());
  std::mt19937_64 generator(4);
  return test::tree_case("floating", model,
                         {0, model.neutral(), test::random_vector(model.nv(), generator)}, 0);
}
SystemCase named_case(std::string_view name) {
  for (const SystemCase& of : test::system_cases())
    if (of.name == name) return of;
  throw Error("no such case");
}

TEST(Radau, has_order_five_of_positions_and_velocities) {
  const struct {
    SystemCase of;
    double T;
    int n;
  } list[] = {{test::tree_case("top", compile(top()), top_start(), 0), 0.5, 16},
              {floating(), 0.5, 16},
              {named_case("four_bar"), 0.3, 16},
              {named_case("four_bar_with_forces"), 0.3, 16},
              {named_case("bennett"), 0.5, 16},
              {absolute_top(BodyGroup::se3), 0.5, 16},
              {absolute_top(BodyGroup::so3xr3), 0.5, 16}};
  for (const auto& [of, T, n] : list) {
    const Errors a = errors(of, T, n), b = errors(of, T, 2 * n);
    const auto order = [](double coarse, double fine) { return std::log2(coarse / fine); };
    for (const auto& [key, value] :
         {std::pair{"_q", order(a.q, b.q)}, std::pair{"_v", order(a.v, b.v)},
          std::pair{"_lambda", order(a.lambda, b.lambda)},
          std::pair{"_stage_lambda", order(a.stage_lambda, b.stage_lambda)},
          std::pair{"_sample", order(a.sample, b.sample)}})
      RecordProperty(of.name + key, std::to_string(value));
    EXPECT_GE(order(a.q, b.q), 4.7) << of.name << " " << a.q << " " << b.q;
    EXPECT_GE(order(a.v, b.v), 4.7) << of.name << " " << a.v << " " << b.v;
    EXPECT_GE(order(a.sample, b.sample), 3.7) << of.name << " " << a.sample << " " << b.sample;
    if (a.lambda == 0) continue;
    EXPECT_GE(order(a.lambda, b.lambda), 4.7) << of.name << " " << a.lambda << " " << b.lambda;
    EXPECT_GE(order(a.stage_lambda, b.stage_lambda), 2.7)
        << of.name << " " << a.stage_lambda << " " << b.stage_lambda;
  }
}

/// x'' = ((1 - x^2) x' - x) / eps, eps = 1e-6, from (2, 0): x(2) of the test set of Bari and CWI.
TEST(Radau, van_der_pol) {
  const Model model = compile(MechanismBuilder("van der Pol")
                                  .gravity({})
                                  .body("mass", ground, joints::prismatic({1, 0, 0}))
                                  .inertia(1, {}, Sym3{})
                                  .build());
  constexpr double eps = 1e-6;
  const auto force = [](double, const VelocityKinematics& kin, JointForces& out) {
    const double x = kin.q()[0], v = kin.v()[0];
    out.tau[0] = ((1 - x * x) * v - x) / eps;
  };
  const auto tangent = [](double, const VelocityKinematics& kin, ForceTangent& out) {
    const double x = kin.q()[0], v = kin.v()[0];
    ForceTangent::JointBlock block{0, 1, {}, {}};
    block.K[0] = (2 * x * v + 1) / eps, block.D[0] = -(1 - x * x) / eps;
    out.joints.push_back(block);
  };
  const State start{0, Vector{2}, Vector{0}};
  for (const auto& [tolerance, error, steps] :
       {std::tuple{1e-4, 2e-5, 500}, std::tuple{1e-6, 2e-6, 1200}, std::tuple{1e-8, 1e-9, 4000}}) {
    MechanismState system(model), plain(model);
    system.set_forces(force, {}, tangent);
    plain.set_forces(force);
    for (MechanismState* s : {&system, &plain}) {
      const auto integrator = make_integrator(*s, {.method = "radau5", .tolerance = tolerance});
      const State end = test::run(*integrator, start, 2);
      RecordProperty("error_" + std::to_string(-std::log10(tolerance)),
                     std::to_string(1e9 * (end.q[0] - 1.706167732170483)) + "e-9, " +
                         std::to_string(integrator->statistics().steps) + " steps");
      EXPECT_NEAR(end.q[0], 1.706167732170483, error) << tolerance;
      EXPECT_LE(integrator->statistics().steps, steps) << tolerance;
    }
  }
}

/// Seven joints in strong springs and dampers, let go away from rest.
TEST(Radau, a_stiff_arm) {
  MechanismBuilder b("arm");
  for (int k = 0; k < 7; ++k) {
    const Vec3 axis = k % 2 == 0 ? Vec3{0, 0, 1} : Vec3{0, 1, 0}, at{0, 0, 0.2 * k};
    b.body("b" + std::to_string(k), k == 0 ? std::string(ground) : "b" + std::to_string(k - 1),
           joints::revolute(axis, at))
        .inertia(3 - 0.4 * k, at + Vec3{0.02, 0.03, 0.1}, Sym3::diagonal(0.02, 0.02, 0.01));
  }
  const Model model = compile(b.build());
  Forces forces;
  for (const ModelJoint& joint : model.joints())
    forces.add(joint_spring_damper(model, joint.name, 2e4, 200, {0.1}));
  const State start{0, Vector::Constant(7, 0.12), Vector::Zero(7)};
  const auto run = [&](const char* method, double tolerance, StepStatistics& s) {
    MechanismState system(model);
    system.set_forces(forces.function(), {},
                      [&](double t, const VelocityKinematics& kin, ForceTangent& out) {
                        forces.tangent(t, kin, out);
                      });
    const auto integrator = make_integrator(system, {.method = method, .tolerance = tolerance});
    const State end = test::run(*integrator, start, 0.2);
    s = integrator->statistics();
    return end;
  };
  StepStatistics s, of_truth;
  const State truth = run("dop853", 1e-11, of_truth);
  for (const auto& [tolerance, steps] :
       {std::pair{1e-4, 80}, std::pair{1e-6, 200}, std::pair{1e-8, 600}}) {
    const State end = run("radau5", tolerance, s);
    const double error = (end.q - truth.q).norm() + (end.v - truth.v).norm();
    RecordProperty("arm_" + std::to_string(s.steps), std::to_string(1e9 * error) + "e-9");
    EXPECT_LE(error, 10 * tolerance) << tolerance;
    EXPECT_LE(s.steps, steps) << tolerance;
    EXPECT_LE(s.iterations, 4 * (s.steps + s.rejected)) << tolerance;
  }
  EXPECT_GT(of_truth.steps, 1000);
}

/// An integration that is resumed goes on bit by bit.
TEST(Radau, resumes_from_checkpoints) {
  for (const SystemCase& of :
       {floating(), named_case("four_bar_with_forces"), named_case("bennett")})
    for (const bool fixed : {true, false}) {
      IntegratorOptions options{.method = "radau5"};
      if (fixed)
        options.step = 0.004;
      else
        options.tolerance = 1e-7;
      const auto system = of.make(), other = of.make();
      const auto whole = make_integrator(*system, options);
      whole->reset(of.start);
      for (int k = 0; k < 7; ++k) whole->step(10);
      const auto resumed = make_integrator(*other, options);
      resumed->resume(whole->state(), whole->checkpoint());
      for (int k = 0; k < 7; ++k) {
        whole->step(10), resumed->step(10);
        EXPECT_EQ(whole->state().t, resumed->state().t) << of.name << " " << fixed << " " << k;
        EXPECT_EQ(whole->state().q, resumed->state().q) << of.name << " " << fixed << " " << k;
        EXPECT_EQ(whole->state().v, resumed->state().v) << of.name << " " << fixed << " " << k;
      }
      const Checkpoint wrong{0, 0.1, 0, {0.1, 2}};
      EXPECT_THROW(resumed->resume(of.start, wrong), Error);
    }
}

/// Turning points of a double pendulum, where DOP853 finds them.
TEST(Radau, finds_events) {
  const test::Motion m = test::double_pendulum();
  const auto times = [&](const IntegratorOptions& options) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, options);
    integrator->reset(m.start);
    Events events({{"turn", [](const State& s) { return s.v[0]; }}});
    events.start(*integrator);
    std::vector<double> list;
    while (integrator->state().t < 3)
      events.advance(*integrator, 3,
                     [&](const IntegratorEvent&, const State& at) { list.push_back(at.t); });
    return list;
  };
  const std::vector<double> exact = times({.method = "dop853", .tolerance = 1e-12});
  ASSERT_GE(exact.size(), 2u);
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "radau5", .tolerance = 1e-10},
        IntegratorOptions{.method = "radau5", .step = 0.005}}) {
    const std::vector<double> found = times(options);
    ASSERT_EQ(found.size(), exact.size());
    for (std::size_t k = 0; k < exact.size(); ++k) EXPECT_NEAR(found[k], exact[k], 1e-8);
  }
}

/// Overconstrained, over many steps: multipliers stay those of least norm, and Newton's iteration converges.
TEST(Multipliers, of_overconstrained_mechanisms_do_not_grow) {
  for (const char* name : {"bennett", "bennett_so3xr3", "four_bar_se3"}) {
    const SystemCase of = named_case(name);
    for (const MethodInfo& info : methods()) {
      if (info.needs != Needs::masses) continue;
      const auto system = of.make(), other = of.make();
      const auto integrator = make_integrator(*system, test::steps_of(0.005, info));
      integrator->reset(of.start);
      for (int k = 0; k < 300; ++k) integrator->step(100);
      const Vector expected = saddle_multipliers(*other, integrator->state());
      EXPECT_LE((integrator->multipliers() - expected).norm(), 1e-3 * (1 + expected.norm()))
          << name << " " << info.name;
      for (const double x : integrator->checkpoint().memory)
        EXPECT_LE(std::abs(x), 1e3) << info.name;
    }
  }
}

/// Of every method: states between the steps are closed as well.
TEST(Samples, are_on_the_constraints) {
  for (const char* name : {"four_bar", "bennett", "bennett_so3xr3"}) {
    const SystemCase of = named_case(name);
    for (const MethodInfo& info : methods()) {
      if (info.needs >= Needs::mechanism) continue;
      const auto system = std::dynamic_pointer_cast<ConstrainedSystem>(of.make());
      const auto integrator = make_integrator(*system, test::steps_of(0.01, info));
      integrator->reset(of.start);
      State out = of.start;
      double Phi = 0, rate = 0;
      for (int k = 0; k < 12; ++k) {
        integrator->step(10);
        for (const double s : {0.1, 0.5, 0.9, 1.0}) {
          integrator->interpolate((1 - s) * integrator->before().t + s * integrator->state().t,
                                  out);
          Phi = std::max(Phi, system->violation(out.q));
          rate = std::max(rate, system->velocity_violation(out.q, out.v));
        }
      }
      EXPECT_LE(Phi, 1e-12) << name << " " << info.name;
      EXPECT_LE(rate, 1e-12) << name << " " << info.name;
    }
  }
}

}  // namespace radau_test
}  // namespace chasles
