/// Redundant constraint equations whose rank is constant: Bennett's linkage, a governor in maximal coordinates,
/// joints whose screws lose rank.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/SVD>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/overconstrained.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace rank_test {

/// M x + B^T lambda = f with the r dominant combinations U of the rows, M = C C^T, B C^-T = U S V^T.
struct Reference {
  Eigen::VectorXd a;
  double ratio;  // sigma_r / sigma_1
};
Reference by_svd(ConstrainedSystem& system, const Vector& q, const Vector& v) {
  const Model& model = system.model();
  const int n = model.nv(), r = system.mobility().rank;
  MassMatrix mass(model);
  InverseDynamics inverse(model);
  AccelerationKinematics kin(model);
  const Vector still = Vector::Zero(n);
  forward_kinematics(model, q, v, still, kin);
  Constraints& constraints = system.constraints();
  Matrix B;
  Vector bias(constraints.constraint_count());
  constraints.update(kin);
  constraints.matrix(kin, B);
  constraints.bias(kin, bias);
  const Eigen::MatrixXd M = mass_matrix(model, q, mass);
  const Eigen::VectorXd f = -inverse_dynamics(model, q, v, still, inverse);
  const Eigen::LLT<Eigen::MatrixXd> C(M);
  const Eigen::MatrixXd B_w = C.matrixL().solve(B.transpose()).transpose();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(B_w, Eigen::ComputeThinU);
  const Eigen::MatrixXd A = svd.matrixU().leftCols(r).transpose() * B;
  const Eigen::VectorXd c = svd.matrixU().leftCols(r).transpose() * -bias;
  const Eigen::MatrixXd X = C.solve(A.transpose());
  const Eigen::VectorXd mu = (A * X).ldlt().solve(X.transpose() * f - c);
  return {C.solve(f) - X * mu, svd.singularValues()[r - 1] / svd.singularValues()[0]};
}

/// q after a way along the motion, at which loops are closed.
void go_on(ConstrainedSystem& system, State& state, double way) {
  const Vector d = way / state.v.norm() * state.v;
  Vector q(state.q.size());
  plus(system.model(), state.q, d, q);
  state.q = q;
  system.project(state);
}
State moving(ConstrainedSystem& system) {
  State state{0, system.assembled(), Vector(system.nv())};
  state.v[0] = 1;
  system.project(state);
  return state;
}

TEST(Rank, of_bennetts_linkage_is_two_all_around) {
  ConstrainedSystem system(compile(test::bennett()));
  EXPECT_EQ(system.mobility().mobility, 1);
  EXPECT_EQ(system.mobility().rank, 2);
  EXPECT_EQ(system.mobility().equations, 5);
  EXPECT_EQ(system.mobility().blocks[0].rank, 2);
  State state = moving(system);
  std::mt19937_64 generator(3);
  double turned = 0, least = 1;
  Vector velocity(3), a(3), q(3);
  for (int k = 0; k < 2000 && turned < 2 * M_PI; ++k) {
    const double before = state.q[0];
    go_on(system, state, 0.02);
    turned += std::abs(state.q[0] - before);
    system.rates(0, state.q, state.v, velocity, a);
    least = std::min(least, system.reciprocal_condition());
    const Reference expected = by_svd(system, state.q, state.v);
    EXPECT_GT(expected.ratio, 0.1);
    EXPECT_LE((a - expected.a).norm(), 1e-10 * (1 + a.norm())) << k;
    // Off the loop, where redundant equations contradict each other.
    for (const double size : {1e-6, 1e-3}) {
      const Vector aside = size * test::random_vector(3, generator);
      const Vector v = state.v + aside;
      plus(system.model(), state.q, aside, q);
      system.rates(0, q, v, velocity, a);
      EXPECT_LE((a - by_svd(system, q, v).a).norm(), 1e-10 * (1 + a.norm())) << k;
    }
  }
  EXPECT_GE(turned, 2 * M_PI);
  EXPECT_GT(least, 0.05);  // 0.02 is "singular nearby"
}

/// Far from closed loops too, where no combination is redundant.
TEST(Rank, combinations_are_the_dominant_ones_everywhere) {
  ConstrainedSystem system(compile(test::bennett()));
  std::mt19937_64 generator(5);
  for (int k = 0; k < 200; ++k) {
    const Vector q = 3 * test::random_vector(3, generator), v = Vector::Zero(3);
    const Vector a = system.forward_dynamics(q, v, Vector::Zero(3));
    if (system.reciprocal_condition() < 1e-3) continue;
    const Reference expected = by_svd(system, q, v);
    EXPECT_LE((a - expected.a).norm(), 1e-9 * (1 + a.norm())) << k;
  }
}

/// Steps that were taken.
struct Outcome {
  State end;
  long steps, rejected;
};
Outcome run(ConstrainedSystem& system, const State& start, double until,
            const IntegratorOptions& options) {
  auto integrator = make_integrator(system, options);
  integrator->reset(start);
  while (integrator->state().t < until && integrator->statistics().steps < 2000)
    integrator->step(until);
  return {integrator->state(), integrator->statistics().steps, integrator->statistics().rejected};
}
double energy_of(const Model& model, const State& state) {
  VelocityKinematics kin(model);
  forward_kinematics(model, state.q, state.v, kin);
  return kinetic_energy(model, kin) + potential_energy(model, kin);
}
State in_bodies(const Model& tree, const Model& model, const State& state) {
  VelocityKinematics kin(tree);
  forward_kinematics(tree, state.q, state.v, kin);
  State out{state.t, Vector(model.nq()), Vector(model.nv())};
  maximal_state(kin, model, out.q, out.v);
  return out;
}

/// In relative and maximal coordinates; with defaults, and with a first step that goes nowhere.
TEST(Rank, overconstrained_runs_take_a_few_hundred_steps) {
  for (const Mechanism& mechanism : {test::bennett(), test::governor()}) {
    const Model tree = compile(mechanism);
    ConstrainedSystem relative(tree);
    State start = moving(relative);
    start.v *= mechanism.name == "governor" ? 5 : 1;
    const double E = energy_of(tree, start);
    const auto check = [&](ConstrainedSystem& system, const State& from, const char* what) {
      for (const IntegratorOptions& options :
           {IntegratorOptions{}, IntegratorOptions{.tolerance = 1e-8},
            IntegratorOptions{.tolerance = 1e-8, .first_step = 1.0}}) {
        const Outcome out = run(system, from, 3, options);
        EXPECT_EQ(out.end.t, 3) << mechanism.name << what;
        EXPECT_LE(out.steps + out.rejected, 300) << mechanism.name << what;
        EXPECT_NEAR(energy_of(system.model(), out.end), E, 1e-6) << mechanism.name << what;
        EXPECT_LE(system.violation(out.end.q), 1e-12) << mechanism.name << what;
      }
    };
    check(relative, start, ", relative");
    for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3}) {
      const Model model = compile(to_maximal_coordinates(mechanism, group));
      const State from = in_bodies(tree, model, start);
      ConstrainedSystem system(model, {}, from.q);
      EXPECT_EQ(system.mobility().mobility, relative.mobility().mobility);
      check(system, from, ", absolute");
    }
  }
}

/// Trees of all joints with a loop in maximal coordinates: first steps that are far too long.
TEST(Rank, a_wild_stage_spoils_no_later_step) {
  for (const std::uint64_t seed : {11u, 12u, 13u}) {
    std::mt19937_64 generator(seed);
    using enum JointType;
    const test::LoopedTree looped = test::looped_tree(
        generator, 4, {{spherical}}, {{spherical}, {universal}, {planar}, {revolute}}, false);
    const Model tree = compile(looped.mechanism),
                model = compile(to_maximal_coordinates(looped.mechanism, BodyGroup::so3xr3));
    ConstrainedSystem relative(tree, {}, looped.q);
    const Vector v = consistent_velocity(relative.constraints(), relative.assembled(),
                                         test::random_vector(tree.nv(), generator));
    const State start = in_bodies(tree, model, {0, relative.assembled(), v});
    ConstrainedSystem system(model, {}, start.q);
    const Outcome small = run(system, start, 0.5, {.tolerance = 1e-8}),
                  large = run(system, start, 0.5, {.tolerance = 1e-8, .first_step = 1.0});
    EXPECT_EQ(large.end.t, 0.5);
    EXPECT_LE(large.steps + large.rejected, 2 * (small.steps + small.rejected) + 20) << seed;
    EXPECT_LE((large.end.q - small.end.q).norm(), 1e-5) << seed;
  }
}

/// Planar loops in space: equations across the plane are gone for good, whatever the axes.
TEST(Rank, equations_that_vanish_everywhere_are_dropped) {
  const SE3 turned = exp(Twist{{0.3, -0.5, 0.7}, {}});
  MechanismBuilder b("ball_pin");
  const auto bar = [&](const char* name, std::string_view parent, Vec3 joint, Vec3 com) {
    b.body(name, parent, joints::revolute(turned.R * Vec3{0, 1, 0}, turned.R * joint))
        .inertia(1, turned.R * com, Sym3::diagonal(0.01, 0.02, 0.03));
  };
  bar("crank", ground, {}, {0, 0, 0.1});
  bar("coupler", "crank", {0, 0, 0.2}, {0.3, 0, 0.3});
  bar("rocker", ground, {0.6, 0, 0}, {0.5, 0, 0.2});
  // A ball: its frame has axes of its own, none of which is across the plane.
  b.loop(studies::closure("pin", "coupler", "rocker", JointType::spherical,
                          turned.R * Vec3{0.5, 0, 0.4}));
  ConstrainedSystem system(compile(b.build()));
  const MobilityReport::Block& block = system.mobility().blocks[0];
  EXPECT_EQ(block.kept.rows(), 3);
  EXPECT_EQ(block.kept.cols(), 2);
  EXPECT_EQ(block.rank, 2);
  EXPECT_EQ(system.mobility().mobility, 1);
  State state = moving(system);
  Vector velocity(3), a(3);
  system.rates(0, state.q, state.v, velocity, a);
  EXPECT_LE((a - by_svd(system, state.q, state.v).a).norm(), 1e-11 * (1 + a.norm()));
  // Of the four-bar they are rows.
  ConstrainedSystem four_bar(compile(studies::four_bar()));
  EXPECT_EQ(four_bar.mobility().blocks[0].kept.cols(), 2);
  EXPECT_EQ(four_bar.mobility().blocks[0].kept.cwiseAbs().sum(), 2);
}

/// Along the tree, of many loops: a planar joint in the plane of each adds nothing but rounding.
TEST(Rank, of_many_loops_is_found_along_the_tree) {
  const int n = 80;
  Mechanism ladder = studies::ladder(n);
  const int rank = ConstrainedSystem(compile(ladder)).mobility().rank;
  EXPECT_EQ(rank, 2 * n);
  for (int i = 0; i < n; i += 7)
    ladder.loops.push_back(studies::closure("plane" + std::to_string(i), "rung" + std::to_string(i),
                                            "right" + std::to_string(i), JointType::planar,
                                            {0.4, 0, 0.3 * (i + 1)}, {0, 1, 0}));
  const Model model = compile(ladder);
  ConstrainedSystem system(model);
  EXPECT_EQ(system.mobility().rank, rank);
  EXPECT_EQ(system.mobility().blocks.back().redundant, 3);
  // The same pins once more depend on the first wherever loops are closed.
  for (int i = 0; i < n; i += 9)
    ladder.loops.push_back(studies::closure("twin" + std::to_string(i), "rung" + std::to_string(i),
                                            "right" + std::to_string(i), JointType::spherical,
                                            {0.4, 0, 0.3 * (i + 1)}));
  const Model twice = compile(ladder);
  ConstrainedSystem other(twice);
  EXPECT_EQ(other.mobility().rank, rank);
  EXPECT_EQ(other.mobility().independent_equations.size(), static_cast<std::size_t>(rank));
  std::mt19937_64 generator(1);
  State state{0, system.assembled(), test::random_vector(model.nv(), generator)};
  plus(model, system.assembled(), Vector(1e-2 * test::random_vector(model.nv(), generator)),
       state.q);
  system.project(state);
  const Vector zero = Vector::Zero(model.nv()), a = system.forward_dynamics(state.q, state.v, zero),
               a_2 = other.forward_dynamics(state.q, state.v, zero);
  EXPECT_LE((a - a_2).norm(), 1e-9 * (1 + a.norm()));
}

/// Six independent screws bind nothing: a loop without rows.
TEST(Rank, of_a_loop_without_equations_is_zero) {
  Mechanism mechanism = studies::four_bar();
  Loop loop{.name = "free", .bodies = {"coupler", std::string(ground)}, .type = JointType::custom};
  loop.geometry = FramesGeometry{{}, {}};
  const double slide = std::numeric_limits<double>::infinity();
  for (const double pitch : {slide, 0.0})
    for (int k = 0; k < 3; ++k) {
      Vec3 axis;
      axis[k] = 1;
      loop.screws.push_back({axis, {}, pitch});
    }
  mechanism.loops.push_back(loop);
  ConstrainedSystem system(compile(mechanism));
  EXPECT_EQ(system.constraints().constraint_count(), 5);
  EXPECT_EQ(system.mobility().mobility, 1);
  EXPECT_EQ(system.mobility().blocks[1].redundant, 0);
}

/// A point of ground stays on the x axis of the body, p = R^T (-r): p_y = p_z = 0, with rates p x w - v.
Eigen::VectorXd slot_acceleration(const Model& model, const Vector& q, const Vector& v) {
  MassMatrix mass(model);
  InverseDynamics inverse(model);
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  const SE3 C = pose(kin, model.frame("body"));
  const Vec3 p = inverse_times(C.R, -1.0 * C.r), w{v[0], v[1], v[2]}, u{v[3], v[4], v[5]};
  Eigen::MatrixXd B = Eigen::MatrixXd::Zero(2, 6);
  B << p.z, 0, -p.x, 0, -1, 0, -p.y, p.x, 0, 0, 0, -1;
  const Vec3 bias = cross(w, cross(w, p)) + cross(w, u);
  Eigen::VectorXd right(8);
  right << -inverse_dynamics(model, q, v, Vector::Zero(6), inverse), -bias.y, -bias.z;
  Eigen::MatrixXd A = Eigen::MatrixXd::Zero(8, 8);
  A.topLeftCorner(6, 6) = mass_matrix(model, q, mass);
  A.topRightCorner(6, 2) = B.transpose();
  A.bottomLeftCorner(2, 6) = B;
  return A.fullPivLu().solve(right).head(6);
}

TEST(Rank, a_ball_in_a_slot_passes_gimbal_lock) {
  const Model model = compile(test::ball_in_slot());
  Vector velocity(6), a(6);
  for (const double angle : {M_PI / 2, M_PI / 2 - 1e-7, M_PI / 2 - 1e-3, 1.0, 0.0}) {
    const Vector q{std::cos(angle / 2), std::sin(angle / 2), 0, 0, 0, 0, 0};
    ConstrainedSystem system(model, {}, q);
    EXPECT_EQ(system.constraints().constraint_count(), 2);
    EXPECT_EQ(system.mobility().mobility, 4);
    EXPECT_LE((system.assembled() - q).norm(), 1e-12);
    // Any turning is allowed, and sliding.
    const Vector v{0.3, -0.4, 0.5, 0.7, 0, 0};
    EXPECT_LE((consistent_velocity(system.constraints(), q, v) - v).norm(), 1e-6);
    system.rates(0, q, v, velocity, a);
    const Eigen::VectorXd expected = slot_acceleration(model, q, v);
    // At the lock the equations are a mean of those to both sides: 5e-4 rad squared.
    const double tolerance = angle > 1.57 ? 2e-6 : 1e-9;
    EXPECT_LE((a - expected).norm(), tolerance * (1 + expected.norm())) << angle;
  }
  // A run that starts at the lock.
  ConstrainedSystem system(model, {}, {std::sqrt(0.5), std::sqrt(0.5), 0, 0, 0, 0, 0});
  State start{0, system.assembled(), Vector{0.3, -0.4, 0.5, 0.1, 0, 0}};
  system.project(start);
  const Outcome out = run(system, start, 0.5, {.tolerance = 1e-9});
  EXPECT_EQ(out.end.t, 0.5);
  EXPECT_LE(out.steps + out.rejected, 300);
  EXPECT_LE(system.violation(out.end.q), 1e-10);
  EXPECT_NEAR(energy_of(model, out.end), energy_of(model, start), 1e-6);
}

/// Three turns z, x, z are a ball joint, of which q = 0 shows two degrees of freedom.
TEST(Rank, a_ring_of_turns_is_a_ball) {
  const Model ring = compile(test::ring(JointType::custom)),
              ball = compile(test::ring(JointType::spherical));
  ConstrainedSystem system(ring), other(ball);
  EXPECT_EQ(system.constraints().constraint_count(), 3);
  EXPECT_EQ(system.mobility().mobility, 3);
  const Vector v{1, 2, 3, 0, 0, 0};
  for (const Vector& q : {ring.neutral(), Vector{std::cos(0.3), 0.6 * std::sin(0.3),
                                                 0.8 * std::sin(0.3), 0, 0, 0, 0}}) {
    EXPECT_LE((consistent_velocity(system.constraints(), q, v) - v).norm(), 1e-12);
    Vector velocity(6), a(6), a_2(6);
    system.rates(0, q, v, velocity, a);
    other.rates(0, q, v, velocity, a_2);
    EXPECT_LE((a - a_2).norm(), 1e-12 * (1 + a.norm()));
  }
}

}  // namespace rank_test
}  // namespace chasles
