/// Motions of closed mechanisms against published and closed solutions, and against themselves in
/// other coordinates.
#include <gtest/gtest.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/closed_dynamics.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "studies/mechanisms/spherical.hpp"
#include "support/errors.hpp"
#include "support/motions.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace {

using namespace studies;

State run(DynamicalSystem& system, const State& start, double until,
          const IntegratorOptions& options) {
  auto integrator = make_integrator(system, options);
  integrator->reset(start);
  while (integrator->state().t < until) integrator->step(until);
  return integrator->state();
}

ForceFunction acting(const Forces& forces) {
  return [forces](double t, const VelocityKinematics& kin, JointForces& out) {
    forces.apply(t, kin, out);
  };
}

/// A state of a tree in the coordinates of the model that was freed.
State in_absolute(const Model& tree, const Model& absolute, const State& state) {
  VelocityKinematics kin(tree);
  forward_kinematics(tree, state.q, state.v, kin);
  State out{state.t, Vector(absolute.nq()), Vector(absolute.nv())};
  maximal_state(kin, absolute, out.q, out.v);
  return out;
}

Vec3 origin(const Model& model, const State& state, const char* name) {
  PositionKinematics kin(model);
  forward_kinematics(model, state.q, kin);
  return pose(kin, model.frame(name)).r;
}

/// IFToMM A02: through its singular positions, 20 of them; with steps that are fixed and chosen.
TEST(Truth, of_two_four_bars_through_singular_positions) {
  const Model model = compile(n_four_bar(2));
  const auto error = [&](const IntegratorOptions& options) {
    ConstrainedSystem system(model);
    const State end = run(system, n_four_bar_start(2), 10, options);
    EXPECT_LE(system.violation(end.q), 1e-12);
    const ModelJoint& joint = model.joints()[0];
    const double x = 0.3284581115408153786522, y = 0.9445185381786009621613;
    // From upright, about z: x = -sin, y = cos of the angle.
    const double angle = end.q[joint.q_index];
    return std::hypot(-std::sin(angle) - x, std::cos(angle) - y);
  };
  EXPECT_LE(error({.method = "mk8", .step = 0.01}), 1e-9);
  EXPECT_LE(error({.method = "mk8", .step = 0.003}), 1e-9);
  EXPECT_LE(error({.method = "mk4", .step = 0.003}), 1e-8);
  EXPECT_LE(error({.method = "dop853", .tolerance = 1e-10}), 2e-8);
  EXPECT_LE(error({.method = "dop853", .tolerance = 1e-12}), 1e-9);
}

/// The same by an implicit method of order 2: steps in which B v = 0 has no solution near the predictor are
/// made on positions.
TEST(Truth, of_forty_four_bars_by_implicit_steps) {
  const Model model = compile(n_four_bar(40));
  ConstrainedSystem system(model);
  const State end =
      run(system, n_four_bar_start(40), 10, {.method = "generalized_alpha", .step = 0.01});
  EXPECT_LE(system.violation(end.q), 1e-10);
  EXPECT_LE(system.velocity_violation(end.q, end.v), 1e-9);
  EXPECT_NEAR(test::energy(model, end), test::energy(model, n_four_bar_start(40)),
              1e-3 * test::energy(model, n_four_bar_start(40)));
}

/// Forty of them move as one pendulum, I thdd = W sin(th).
TEST(Truth, of_forty_four_bars_is_that_of_a_pendulum) {
  const int N = 40;
  const Model model = compile(n_four_bar(N));
  ConstrainedSystem system(model);
  EXPECT_EQ(system.mobility().mobility, 1);
  EXPECT_EQ(system.mobility().rank, 2 * N);
  const State start = n_four_bar_start(N);
  const State end = run(system, start, 5, {.method = "mk8", .step = 0.01});
  const auto [I, W] = n_four_bar_reduced(N);
  const double th0 = start.q[0], w0 = start.v[0];
  // The energy of the pendulum gives its rate; both angles are measured from upright.
  const double rate = std::sqrt(w0 * w0 + 2 * W / I * (std::cos(th0) - std::cos(end.q[0])));
  EXPECT_NEAR(std::abs(end.v[0]), rate, 1e-9);
  for (int k = 0; k < 3; ++k) EXPECT_NEAR(end.v[model.joints()[0].v_index], end.v[0], 1e-12);
}

/// Andrews' squeezer at 0.03 s; in relative and in maximal coordinates.
TEST(Truth, of_andrews_squeezer) {
  const double q[] = {15.810771195153707097,     -15.756371058411839470,
                      4.0822240119645804858e-02, -5.3473011634207959377e-01,
                      5.2440996587995406937e-01, 5.3473011634207959377e-01,
                      1.0480807410419378731};
  const double v[] = {1139.9203022591060642,    -1424.3792951775400732,    11.032911910618593745,
                      19.293374105032040832,    5.7356991482950245382e-01, -19.293374105032040832,
                      3.2317914924913087499e-01};
  const Model model = compile(andrews());
  const State start = andrews_start(model);
  ConstrainedSystem system(model, {}, start.q);
  EXPECT_EQ(system.mobility().mobility, 1);
  system.set_forces(acting(andrews_forces(model)));
  State at = start;
  at.q = system.assembled();
  EXPECT_LE((at.q - start.q).norm(), 1e-13);
  const State end = run(system, at, 0.03, {.method = "dop853", .tolerance = 1e-12});
  const auto angles = andrews_order(model, end.q), rates = andrews_order(model, end.v);
  for (std::size_t k = 0; k < 7; ++k) {
    EXPECT_NEAR(angles[k], q[k], 1e-9) << andrews_angles[k];
    EXPECT_NEAR(rates[k], v[k], 1e-6) << andrews_angles[k];
  }

  const Model absolute = compile(to_maximal_coordinates(andrews(), BodyGroup::so3xr3));
  const State start_a = in_absolute(model, absolute, at);
  ConstrainedSystem free(absolute, {}, start_a.q);
  EXPECT_EQ(free.mobility().mobility, 1);
  free.set_forces(acting(andrews_forces(absolute)));
  const State end_a = run(free, start_a, 0.03, {.method = "dop853", .tolerance = 1e-11});
  PositionKinematics kin(model), kin_a(absolute);
  forward_kinematics(model, end.q, kin);
  forward_kinematics(absolute, end_a.q, kin_a);
  for (const ModelBody& body : model.bodies()) {
    const SE3 difference = inverse(pose(kin, body.frame)) * pose(kin_a, absolute.frame(body.name));
    const Twist e = log(difference);
    EXPECT_LE(norm(e.w) + norm(e.v), 1e-8) << body.name;
  }
}

/// 004 5.1 and 5.2, in maximal coordinates on both groups, against solutions in quadruple precision.
TEST(Truth, of_the_examples_of_paper_004) {
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3, BodyGroup::automatic}) {
    const Example top = spinning_top(), pendulum = double_pendulum();
    const auto end = [&](const Example& e, double until, double tolerance) {
      const Model tree = compile(e.mechanism),
                  model = compile(to_maximal_coordinates(e.mechanism, group));
      ConstrainedSystem system(model);
      const State at = run(system, in_absolute(tree, model, e.start), until,
                           {.method = "dop853", .tolerance = tolerance});
      EXPECT_LE(system.violation(at.q), 1e-13);
      PositionKinematics kin(model);
      forward_kinematics(model, at.q, kin);
      return std::pair(kin, at);
    };
    const auto [kin, at] = end(top, 1, 1e-12);
    const Model& model = kin.model();
    const Vec3 com = pose(kin, model.bodies().back().frame).r;
    EXPECT_LE(norm(com - Vec3{3.2029740668001170849e-01, 1.6977118423262557698e-01,
                              -3.4436509155010339936e-01}),
              1e-10);
    const auto [kin2, at2] = end(pendulum, 0.5, 1e-12);
    const Model& two = kin2.model();
    const SE3 first = pose(kin2, two.bodies()[0].frame);
    EXPECT_LE(
        norm(first * Vec3{0.1, 0, 0} -
             Vec3{1.476233784997842941e-01, 1.289996500313637931e-01, -3.957813047751355757e-02}),
        1e-9);
  }
}

/// Relative and maximal coordinates accelerate alike, with loops of the tree and of every joint.
class BothCoordinates : public ::testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Constraints, BothCoordinates, ::testing::Range(0, 8));
TEST_P(BothCoordinates, accelerate_alike) {
  std::mt19937_64 generator(static_cast<std::uint64_t>(GetParam()));
  test::LoopedTree tree = test::looped_tree(
      generator, 9, {{JointType::spherical}, {JointType::cylindrical}}, {}, false);
  const Model model = compile(tree.mechanism);
  ConstrainedSystem relative(model, {}, tree.q);
  const Vector v = consistent_velocity(relative.constraints(), tree.q,
                                       test::random_vector(model.nv(), generator));
  Vector velocity(model.nv()), a(model.nv());
  relative.rates(0, tree.q, v, velocity, a);
  AccelerationKinematics kin(model);
  forward_kinematics(model, tree.q, v, a, kin);
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3, BodyGroup::automatic}) {
    const Model free = compile(to_maximal_coordinates(tree.mechanism, group));
    const State state = in_absolute(model, free, {0, tree.q, v});
    ConstrainedSystem absolute(free, {}, state.q);
    EXPECT_LE(absolute.velocity_violation(state.q, state.v), 1e-11 * (1 + v.norm()));
    Vector velocity_a(free.nv()), a_a(free.nv());
    absolute.rates(0, state.q, state.v, velocity_a, a_a);
    AccelerationKinematics kin_a(free);
    forward_kinematics(free, state.q, state.v, a_a, kin_a);
    // Masses are of the order of one: what cancels in an acceleration is as large as the multipliers.
    const double size = 1 + a.norm() + v.squaredNorm() + absolute.multipliers().norm();
    for (const ModelBody& body : model.bodies()) {
      const Twist x = acceleration(kin, body.frame, Representation::hybrid),
                  y = acceleration(kin_a, free.frame(body.name), Representation::hybrid);
      EXPECT_LE(norm(x.w - y.w) + norm(x.v - y.v), 1e-11 * size) << body.name;
    }
  }
}

/// Bricard's loop has six rows on five joints, all of which depend on the others but four; it moves, and
/// keeps its energy.
TEST(Truth, bricards_loop_moves_and_is_diagnosed) {
  const Model model = compile(bricard());
  ConstrainedSystem system(model);
  EXPECT_EQ(system.mobility().mobility, 1);
  EXPECT_EQ(system.mobility().gruebler, 0);
  EXPECT_EQ(system.mobility().blocks[0].redundant, 1);
  EXPECT_FALSE(system.mobility().blocks[0].unique);
  const Vector v = Vector::Zero(model.nv());
  const State end = run(system, {0, system.assembled(), v}, 2, {.tolerance = 1e-12});
  EXPECT_LE(system.violation(end.q), 1e-12);  // of all rows, also those that are left out
  VelocityKinematics kin(model);
  const auto energy = [&](const Vector& q, const Vector& w) {
    forward_kinematics(model, q, w, kin);
    return kinetic_energy(model, kin) + potential_energy(model, kin);
  };
  EXPECT_NEAR(energy(end.q, end.v), energy(system.assembled(), v), 1e-9);
  EXPECT_GT(end.v.norm(), 0.1);
}

/// Constraints hold to 1e-12 over a million steps.
TEST(Truth, a_million_steps_keep_the_loop_closed) {
  const Model model = compile(four_bar());
  ConstrainedSystem system(model);
  Vector v = Vector::Zero(model.nv());
  v[0] = 3;
  std::vector<bool> kept(3);
  kept[0] = true;
  v = consistent_velocity(system.constraints(), system.assembled(), v, kept);
  auto integrator = make_integrator(system, {.method = "mk2", .step = 1e-3});
  integrator->reset({0, system.assembled(), v});
  double worst = 0;
  for (int k = 0; k < 1000000; ++k) {
    integrator->step(1e9);
    if (k % 1000 == 0) worst = std::max(worst, system.violation(integrator->state().q));
  }
  EXPECT_LE(worst, 1e-12);
}

/// A nut on a thread that turns many times within a step: no turn is lost.
TEST(Truth, a_thread_keeps_its_turns) {
  const Sym3 I = Sym3::diagonal(0.1, 0.1, 0.1);
  MechanismBuilder b("thread");
  b.body("screw", ground, joints::revolute({0, 0, 1})).inertia(1, {0.5, 0, 0}, I);
  b.body("nut", ground, joints::of(JointType::cylindrical, {0, 0, 1})).inertia(1, {0.2, 0, 0}, I);
  b.loop({.name = "thread",
          .bodies = {"screw", "nut"},
          .type = JointType::helical,
          .geometry = AxisGeometry{{0, 0, 1}, {}},
          .pitch = 0.01});
  const Model model = compile(b.build());
  ConstrainedSystem system(model);
  const int screw = model.joint("screw").q_index, nut = model.joint("nut").q_index;
  Vector v(3);
  v[screw] = -40, v[nut] = 30;
  v = consistent_velocity(system.constraints(), model.neutral(), v, {true, true, false});
  const State end = run(system, {0, model.neutral(), v}, 5, {.tolerance = 1e-12});
  EXPECT_NEAR(end.q[nut + 1], 0.01 * (end.q[nut] - end.q[screw]), 1e-12);
  // Gravity drives it: the height is a constant acceleration, z = h (nut - screw).
  const double M_screw = 0.1 + 0.25, M_nut = 0.1 + 0.04, h = 0.01;
  const double a = -9.81 / (1 + 1 / (h * h * (1 / M_screw + 1 / M_nut)));
  EXPECT_NEAR(end.q[nut + 1], v[nut + 1] * 5 + a * 12.5, 1e-9);
}

/// A copy that is turned and cut elsewhere moves in the same way.
TEST(Truth, a_loop_cut_elsewhere_moves_alike) {
  const Sym3 I = Sym3::diagonal(0.01, 0.02, 0.03);
  const SE3 turned = exp(Twist{{0.3, -0.5, 0.7}, {1, 2, 3}});
  const auto axis = [&](const Vec3& point) {
    return AxisGeometry{turned.R * Vec3{0, 1, 0}, turned * point, {}, DescribedIn::world};
  };
  const Vec3 O{}, A{0, 0, 0.2}, B{0.5, 0, 0.4}, C{0.6, 0, 0};
  const auto bar = [&](MechanismBuilder& b, const char* name, std::string_view parent,
                       const Vec3& joint, const Vec3& com) {
    const AxisGeometry at = axis(joint);
    b.body(name, parent, joints::revolute(at.axis, at.point)).inertia(1, turned * com, I);
  };
  const auto start = [&](bool cut_at_B) {
    MechanismBuilder b("bars");
    b.gravity(turned.R * Vec3{0, 0, -9.81});
    bar(b, "crank", ground, O, {0, 0, 0.1});
    if (cut_at_B) {
      bar(b, "coupler", "crank", A, {0.3, 0, 0.3});
      bar(b, "rocker", ground, C, {0.5, 0, 0.2});
      b.loop({.name = "pin", .bodies = {"coupler", "rocker"}, .geometry = axis(B)});
    } else {
      bar(b, "coupler", "crank", A, {0.3, 0, 0.3});
      bar(b, "rocker", "coupler", B, {0.5, 0, 0.2});
      b.loop({.name = "pin", .bodies = {"rocker", std::string(ground)}, .geometry = axis(C)});
    }
    const Model model = compile(b.build());
    ConstrainedSystem system(model);
    Vector v(3);
    v[0] = 2;
    v = consistent_velocity(system.constraints(), system.assembled(), v, {true, false, false});
    const State end = run(system, {0, system.assembled(), v}, 1, {.tolerance = 1e-13});
    return std::pair(origin(model, end, "coupler"), origin(model, end, "rocker"));
  };
  const auto [coupler, rocker] = start(true);
  const auto [coupler_2, rocker_2] = start(false);
  EXPECT_LE(norm(coupler - coupler_2), 1e-10);
  EXPECT_LE(norm(rocker - rocker_2), 1e-10);
}

}  // namespace
}  // namespace chasles
