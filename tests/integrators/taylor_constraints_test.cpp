/// Power series of motions with loops, couplings and forces that follow from the motion: against dop853, which knows
/// accelerations only.
#include <gtest/gtest.h>

#include "chasles/dynamics/energy.hpp"
#include "chasles/simulation/contact.hpp"
#include "chasles/simulation/element_forces.hpp"
#include "chasles/simulation/expression_force.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"
#include "support/exact_motions.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

State moved(MechanicalSystem& system, const IntegratorOptions& options, const State& start,
            double T) {
  return test::run(*make_integrator(system, options), start, T);
}
State true_end(MechanicalSystem& system, const State& start, double T) {
  return moved(system, {.method = "dop853", .tolerance = 1e-14}, start, T);
}

/// A tree with joints of all kinds and a loop, at a state on the constraints.
struct Closed {
  test::LoopedTree tree;
  Model model;
  ConstrainedSystem system;
  State start;
  Closed(std::mt19937_64& generator, const std::vector<test::JointKind>& loops, int bodies)
      : tree(test::looped_tree(generator, bodies, loops)),
        model(compile(tree.mechanism)),
        system(model, {}, tree.q),
        start{0, system.assembled(), test::random_vector(model.nv(), generator, 0.3)} {
    system.project(start);
  }
};

/// One joint of each kind closes a loop, whether its motions are a subgroup or its wrenches turn; all kinds are in the tree.
TEST(TaylorLoops, of_every_kind_follow_the_motion) {
  unsigned seed = 0;
  for (const test::JointKind& kind : test::loop_kinds()) {
    std::mt19937_64 generator(++seed);
    Closed closed(generator, {kind}, 12);
    const double T = 0.03;
    const State want = true_end(closed.system, closed.start, T),
                got =
                    moved(closed.system, {.method = "taylor", .tolerance = 1e-13}, closed.start, T);
    EXPECT_LE(test::distance(closed.system, got, want) / (1 + want.v.norm()), 1e-9)
        << joint_type_info(kind.type).name;
    EXPECT_LE(closed.system.violation(got.q), 1e-12) << joint_type_info(kind.type).name;
    EXPECT_LE(closed.system.velocity_violation(got.q, got.v), 1e-11 * (1 + got.v.norm()))
        << joint_type_info(kind.type).name;
  }
}

/// The planar four-bar, whose revolute loop is overconstrained in space.
Mechanism four_bar() {
  MechanismBuilder builder("four-bar");
  builder.body("crank", ground, joints::revolute({0, 1, 0}))
      .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.02, 0.02))
      .body("coupler", "crank", joints::revolute({0, 1, 0}, {0.3, 0, 0}))
      .inertia(1.5, {0.3, 0, 0}, Sym3::diagonal(0.02, 0.05, 0.05))
      .body("rocker", ground, joints::revolute({0, 1, 0}, {0.7, 0, 0}))
      .inertia(1.2, {0, 0, 0.2}, Sym3::diagonal(0.03, 0.03, 0.01));
  return builder.build();
}
struct FourBar {
  Model model;
  ConstrainedSystem system;
  State start;
  static Mechanism described() {
    Mechanism m = four_bar();
    Loop loop{.name = "pin", .bodies = {"coupler", "rocker"}, .type = JointType::revolute};
    // At q = (0.9, -0.5, 0.4), whatever that is in the frames of both.
    const Model tree = compile(m);
    PositionKinematics kin(tree);
    forward_kinematics(tree, Vector{0.9, -0.5, 0.4}, kin);
    const SE3 C = pose(kin, tree.frame("coupler")) * SE3{SO3{}, {0.6, 0, 0}};
    const SE3 turned{exp(Vec3{-M_PI / 2, 0, 0}), {}};  // z along the pins
    loop.geometry = FramesGeometry{SE3{SO3{}, {0.6, 0, 0}} * turned,
                                   inverse(pose(kin, tree.frame("rocker"))) * C * turned};
    m.loops.push_back(loop);
    return m;
  }
  FourBar()
      : model(compile(described())),
        system(model, {}, Vector{0.9, -0.5, 0.4}),
        start{0, system.assembled(), Vector{1.5, 0, 0}} {
    system.project(start);
  }
};

/// The error of one step falls with h^(p+1).
TEST(TaylorLoops, have_the_order_that_is_asked_for) {
  FourBar bar;
  for (const int p : {3, 5, 8, 12}) {
    const auto error = [&](double h) {
      const State end =
          moved(bar.system,
                {.method = "taylor", .tolerance = 1e3, .first_step = h, .max_step = h, .order = p},
                bar.start, h);
      return test::distance(bar.system, end, true_end(bar.system, bar.start, h));
    };
    double h = 0.4;
    while (error(h) > 1e-6) h *= 0.8;
    EXPECT_NEAR(std::log2(error(h) / error(h / 2)), p + 1, 0.6) << "order " << p << ", h " << h;
  }
}

/// Energy and constraints over a long run; without projection the equations are violated by the truncation alone.
TEST(TaylorLoops, keep_energy_and_constraints) {
  FourBar bar;
  const auto energy = [&](const State& s) {
    PositionKinematics kin(bar.model);
    forward_kinematics(bar.model, s.q, kin);
    Vector p(bar.model.nv());
    bar.system.set(s);
    bar.system.mass_times(s.v, p);
    return 0.5 * s.v.dot(p) + potential_energy(bar.model, kin);
  };
  const double before = energy(bar.start);
  const auto integrator = make_integrator(bar.system, {.method = "taylor", .tolerance = 1e-13});
  integrator->reset(bar.start);
  while (integrator->state().t < 20) {
    integrator->step(20);
    EXPECT_LE(bar.system.violation(integrator->state().q), 1e-14);
    EXPECT_LE(std::abs(energy(integrator->state()) - before), 1e-10);
  }
  EXPECT_EQ(integrator->statistics().rejected, 0);
  const State drifted = moved(
      bar.system, {.method = "taylor", .tolerance = 1e-13, .stabilization = Stabilization::none},
      bar.start, 5);
  EXPECT_LE(bar.system.violation(drifted.q), 1e-11);
}

TEST(TaylorLoops, take_couplings_and_forces) {
  MechanismBuilder builder("geared");
  builder.body("crank", ground, joints::revolute({0, 1, 0}))
      .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.02, 0.02))
      .body("wheel", ground, joints::revolute({0, 0, 1}))
      .inertia(1, {0, 0.05, 0}, Sym3::diagonal(0.01, 0.02, 0.02));
  Mechanism m = builder.build();
  Coupling gear;
  gear.name = "gear";
  gear.terms = {{m.bodies[0].name, 2}, {m.bodies[1].name, -3}};
  m.couplings.push_back(gear);
  const Model model = compile(m);
  ConstrainedSystem system(model);
  Forces forces;
  forces.add(joint_friction(model, model.joints()[1].name, {.viscous = 0.02, .coulomb = 0.1}));
  forces.add(
      point_spring_damper(model, {"crank", {0.2, 0, 0}}, {"wheel", {0, 0.1, 0}}, 30, 0.4, 0.1));
  system.set_forces(forces.function(), forces.expansion());
  State start{0, system.assembled(), Vector{3, 2}};
  system.project(start);
  const State want = true_end(system, start, 0.5),
              got = moved(system, {.method = "taylor", .tolerance = 1e-13}, start, 0.5);
  EXPECT_LE(test::distance(system, got, want), 1e-9);
}

TEST(TaylorLoops, refuse_what_has_no_series) {
  std::mt19937_64 generator(3);
  Closed universal(generator, {{JointType::universal}}, 6);
  EXPECT_SAYS(make_integrator(universal.system, {.method = "verlet", .step = 0.1}), "constraints");

  Mechanism m = MechanismBuilder("cam")
                    .body("crank", ground, joints::revolute({0, 0, 1}))
                    .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.02, 0.02))
                    .body("follower", ground, joints::prismatic({1, 0, 0}))
                    .inertia(1, {}, Sym3::diagonal(0.01, 0.02, 0.02))
                    .build();
  Coupling cam;
  cam.name = "profile";
  cam.terms = {{"crank", 0.1, 0, {.polynomial = {0, 0, 1}}}, {"follower", 1}};
  m.couplings.push_back(cam);
  ConstrainedSystem nonlinear(compile(m));
  EXPECT_SAYS(make_integrator(nonlinear, {.method = "taylor"}), "coupling 'profile'",
              "is not linear", "dop853");
}

/// A ball in a slot with the first and the third of its turns in line: no series of its wrenches begins there, and taylor
/// says so at once.
TEST(TaylorLoops, name_a_joint_whose_screws_lose_rank) {
  Mechanism m = MechanismBuilder("slot")
                    .body("ball", ground, joints::floating())
                    .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.01, 0.02, 0.02))
                    .build();
  constexpr double slide = std::numeric_limits<double>::infinity();
  m.loops.push_back(
      {.name = "slot",
       .bodies = {std::string(ground), "ball"},
       .type = JointType::custom,
       .screws = {{{0, 0, 1}, {}}, {{1, 0, 0}, {}}, {{0, 1, 0}, {}}, {{1, 0, 0}, {}, slide}}});
  const Model model = compile(m);
  const double half = std::sqrt(0.5);
  const Vector q{half, half, 0, 0, 0, 0, 0};
  ConstrainedSystem system(model, {}, q);
  const auto integrator = make_integrator(system, {.method = "taylor"});
  EXPECT_SAYS((integrator->reset({0, q, Vector(model.nv())}), integrator->step(1)),
              "taylor: loop 'slot'", "lose rank", "dop853");
}

/// Every force that has an expansion, against dop853 with the same force.
TEST(TaylorForces, follow_the_motion) {
  std::mt19937_64 generator(5);
  const Model model = compile(MechanismBuilder("arm")
                                  .body("base", ground, joints::floating())
                                  .inertia(3, {0.1, 0, 0}, Sym3::diagonal(0.3, 0.2, 0.4))
                                  .body("upper", "base", joints::revolute({0, 1, 0}, {0.2, 0, 0}))
                                  .inertia(1, {0.1, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("slide", "upper", joints::prismatic({0, 0, 1}))
                                  .inertia(1, {}, Sym3::diagonal(0.1, 0.1, 0.1))
                                  .body("ball", "upper", joints::spherical())
                                  .inertia(1, {0.3, 0.1, -0.2}, Sym3::diagonal(0.1, 0.15, 0.12))
                                  .build());
  const std::string upper = model.joints()[1].name, slide = model.joints()[2].name,
                    ball = model.joints()[3].name;
  State start{0, model.neutral(), test::random_vector(model.nv(), generator)};
  const auto wave =
      signals::sinusoid({.amplitude = 2, .frequency = 0.7, .phase = 0.3, .offset = 1});
  const auto expect = [&](const Force& force, double goal = 1e-9) {
    Forces one;
    one.add(force);
    ModelSystem system(model);
    system.set_forces(one.function(), one.expansion());
    const State want = true_end(system, start, 0.6),
                got = moved(system, {.method = "taylor", .tolerance = 1e-12}, start, 0.6);
    EXPECT_LE(test::distance(system, got, want), goal) << force.name;
    ModelSystem free(model);
    EXPECT_GT(test::distance(system, got, true_end(free, start, 0.6)), 1e-4) << force.name;
  };
  expect(joint_torque(model, upper, {wave}));
  expect(joint_torque(model, ball, {wave, 0.3, wave}));
  expect(pd_hold(model, upper, 20, 1, {wave}));
  expect(joint_friction(model, upper, {.viscous = 0.3, .coulomb = 1, .velocity = 0.5}));
  for (const Representation rep : {Representation::body, Representation::spatial,
                                   Representation::hybrid, Representation::mixed})
    expect(body_wrench(model, {"ball", {0.1, 0.2, 0.3}}, {wave, 0.2, -0.3, 1, wave, 1.5}, rep));
  expect(point_spring_damper(model, {"ball", {0, 0, 1}}, {"base", {0.3, 0, 0}}, 10, 0.3, 0.4));
  expect(point_spring_damper(model, {"ball", {0, 0, 1}}, {std::string(ground), {0.3, 0, 0}}, 10, 0,
                             0));
  expect(point_drag(model, {"ball", {0.1, 0, 0.2}},
                    {.viscous = 0.2, .quadratic = 0.7, .wind = {1, 2, 0.5}}));
  expect(point_drag(model, {"upper", {0.1, 0, 0.2}}, {.viscous = 2}));
  expect(expression_force(model, upper,
                          {"-k*sin(q." + upper + ")^3 + exp(-t)*v." + slide + "/(1 + q." + slide +
                           "^2) + tan(t/4) + sqrt(2 + t)"},
                          {{"k", 5}}));
  expect(expression_force(model, upper, {"7"}));
  expect(point_expression(model, {"ball", {0, 0, 1}}, {"base", {0.3, 0, 0}},
                          "20*log(1 + d^2) + atan2(d, 1 + t) + 0.3*d_dot", {}));
  Tendon tendon{.name = "cable", .stiffness = 30, .damping = 0.4, .rest = {0.3, 0.3}};
  tendon.terms = {{upper, 0.4}, {slide, -0.7}};
  expect(tendon_force(model, tendon));
}

/// Released from rest: quadratic drag is a series of t |t| there.
TEST(TaylorForces, drag_starts_from_rest) {
  const Model model = compile(MechanismBuilder("stone")
                                  .body("stone", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(2, {}, Sym3::diagonal(1, 1, 1))
                                  .build());
  Forces forces;
  forces.add(point_drag(model, {"stone"}, {.quadratic = 0.3}));
  ModelSystem system(model);
  system.set_forces(forces.function(), forces.expansion());
  const State end =
      moved(system, {.method = "taylor", .tolerance = 1e-12}, {0, Vector(1), Vector(1)}, 3);
  const double terminal = std::sqrt(2 * 9.81 / 0.3);  // v = -v_t tanh(g t / v_t)
  EXPECT_NEAR(end.v[0], -terminal * std::tanh(9.81 * 3 / terminal), 1e-10);
}

TEST(TaylorForces, without_series_are_named) {
  const Model model = compile(MechanismBuilder("pair")
                                  .body("arm", ground, joints::revolute({0, 1, 0}))
                                  .inertia(1, {0.1, 0, 0}, Sym3::diagonal(0.3, 0.2, 0.4))
                                  .body("ball", "arm", joints::spherical())
                                  .inertia(1, {0.3, 0.1, -0.2}, Sym3::diagonal(0.1, 0.15, 0.12))
                                  .build());
  const std::string arm = model.joints()[0].name, ball = model.joints()[1].name;
  const auto refused = [&](const Force& force) {
    Forces one;
    one.add(force);
    ModelSystem with(model);
    with.set_forces(one.function(), one.expansion());
    EXPECT_SAYS(make_integrator(with, {.method = "taylor"}), "taylor", force.name, "dop853");
  };
  refused(joint_spring_damper(model, ball, 1));
  refused(joint_friction(model, arm, {.coulomb = 1, .stick = true}));
  refused(joint_torque(model, arm, {signals::table({0, 1}, {0, 1})}));
  refused(joint_torque(model, arm, {Signal([](double t) { return t; })}));
  refused(joint_spring_table(model, arm, {0, 1, 2}, {1, 0, -3}));
  refused(expression_force(model, arm, {"abs(q." + arm + ")"}));
  Bushing mount{.a = {"arm"}, .b = {std::string(ground)}};
  mount.stiffness[0] = 1;
  refused(bushing(model, mount));
  refused(contact(model, {.name = "tip", .balls = {"ball", {Vec3{}}, 0.1}}));
  Tendon slack{.name = "cable", .stiffness = 30, .rest = {0.3, 0.5}};
  slack.terms = {{arm, 0.4}};
  refused(tendon_force(model, slack));
}

}  // namespace
}  // namespace chasles
