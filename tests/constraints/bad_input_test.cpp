/// Constraints that cannot hold, say nothing or contradict each other; and what is odd but legal.
#include <gtest/gtest.h>

#include "chasles/constraints/point_constraints.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/closed_kinematics.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace {

const Sym3 inertia = Sym3::diagonal(0.01, 0.01, 0.01);

/// Two bars on ground, `apart` meters from each other.
MechanismBuilder two_bars(double apart) {
  MechanismBuilder b("bars");
  b.body("left", ground, joints::revolute({0, 1, 0})).inertia(1, {0, 0, 0.5}, inertia);
  b.body("right", ground, joints::revolute({0, 1, 0}, {apart, 0, 0}))
      .inertia(1, {apart, 0, 0.5}, inertia);
  return b;
}
/// A pin through the upper ends, which need not meet at q = 0.
Loop pin(double apart) {
  return {.name = "pin",
          .bodies = {"left", "right"},
          .geometry = FramesGeometry{{{}, {0, 0, 1}}, {{}, {apart, 0, 1}}, {0, 1, 0}}};
}

TEST(BadConstraints, loops_that_cannot_be_closed_are_named_with_their_gap) {
  const Model model = compile(two_bars(3).loop(pin(3)).build());  // two bars of 1 m, 3 m apart
  EXPECT_SAYS(ConstrainedSystem(model), "loop 'pin'", "cannot be closed", "gap of 1");
}

TEST(BadConstraints, the_branch_of_the_start_is_kept) {
  const Model model = compile(two_bars(1).loop(pin(1)).build());
  for (const double side : {1.0, -1.0}) {
    ConstrainedSystem system(model, {}, Vector{side * 0.4, -side * 0.4});
    EXPECT_NEAR(system.assembled()[0], M_PI / 6 * side, 2) << side;
    EXPECT_LE(system.violation(system.assembled()), 1e-12);
  }
  ConstrainedSystem up(model, {}, Vector{0.5, -0.5});
  EXPECT_NEAR(up.assembled()[0], M_PI / 6, 1e-10);  // an equilateral triangle
  ConstrainedSystem down(model, {}, Vector{M_PI - 0.5, -M_PI + 0.5});
  EXPECT_NEAR(down.assembled()[0], M_PI - M_PI / 6, 1e-10);
  // What is given stays.
  EXPECT_SAYS(ConstrainedSystem(model, {}, Vector{0.3, -0.5}, {true, true}), "loop 'pin'");
}

TEST(BadConstraints, that_contradict_each_other) {
  MechanismBuilder b = two_bars(1);
  b.coupling({"gear", {{"left", 1}, {"right", -1}}, 0});
  b.coupling({"belt", {{"left", 1}, {"right", -1}}, 0.5});
  EXPECT_SAYS(ConstrainedSystem(compile(b.build())), "coupling '", "cannot be closed", "0.25");
}

TEST(BadConstraints, velocities_that_contradict_them) {
  MechanismBuilder b = two_bars(1);
  b.coupling({"gear", {{"left", 1}, {"right", -2}}, 0});
  const Model model = compile(b.build());
  Constraints constraints(model);
  const Vector q = model.neutral();
  EXPECT_SAYS(consistent_velocity(constraints, q, Vector{1, 1}, {true, true}), "coupling 'gear'",
              "by 1");
  const Vector v = consistent_velocity(constraints, q, Vector{1, 0}, {true, false});
  EXPECT_NEAR(v[0], 1, 1e-15);
  EXPECT_NEAR(v[1], 0.5, 1e-14);
}

/// A rod between two bodies that a third joint carries: its row has only rounding errors in the entries of that joint,
/// by which velocities of 1e14 rad/s once closed it.
TEST(BadConstraints, velocities_that_only_rounding_could_cure) {
  MechanismBuilder b("stage");
  b.body("carrier", ground, joints::spherical({-0.376, -0.473, 0.291})).inertia(1, {}, inertia);
  b.body("stage", "carrier", joints::of(JointType::translation2, {-0.851, -0.667, 0.046}))
      .inertia(1, {}, inertia);
  const Model model = compile(b.build());
  const ConstraintPoint one{"carrier", {0.108, -0.035, -0.024}},
      other{"stage", {-0.136, -0.094, 0.25}};
  const Vec3 r = other.point - one.point;
  Constraints constraints(model,
                          {.more = {distance_constraint(model, "rod", one, other, norm(r))}});
  const Vector q = model.neutral();
  EXPECT_SAYS(
      consistent_velocity(constraints, q, Vector{0, 0, 0, 1, 0}, {false, false, false, true, true}),
      "the initial velocities contradict constraint 'rod'");
  const Vector v = consistent_velocity(constraints, q, Vector{0, 0, 0, 1, 0},
                                       {false, false, false, true, false});
  EXPECT_LE(v.head(3).norm(), 1e-12);
}

TEST(BadConstraints, ends_on_one_body) {
  EXPECT_SAYS(two_bars(1).loop({"l", {"left", "left"}}).build(), "both ends are on 'left'");
  MechanismBuilder b = two_bars(1);
  b.body("cap", "left", joints::fixed());
  b.loop({"l", {"left", "cap"}});
  const Model model = compile(b.build());
  EXPECT_SAYS(Constraints{model}, "loop 'l'", "'left' and 'cap'", "fixed to each other");
}

/// A triangle: nothing moves, and what its joints bear is what statics says.
TEST(BadConstraints, structures_stand_still_and_bear_their_weight) {
  const Model model = compile(two_bars(1).loop(pin(1)).build());
  ConstrainedSystem system(model, {}, Vector{0.5, -0.5});
  EXPECT_EQ(system.mobility().mobility, 0);
  const Vector& q = system.assembled();
  auto integrator = make_integrator(system, {.method = "mk4", .step = 0.01});
  integrator->reset({0, q, Vector(2)});
  for (int k = 0; k < 100; ++k) integrator->step(10);
  EXPECT_LE((integrator->state().q - q).norm(), 1e-12);
  EXPECT_LE(integrator->state().v.norm(), 1e-12);
  // By symmetry the pin bears a force along x only: its moment about the foot of a bar of length 1, at
  // 30 degrees from upright, balances the weight at half of it.
  const Vector a = system.forward_dynamics(q, Vector(2), Vector(2));
  EXPECT_LE(a.norm(), 1e-12);
  JointForces binding{Vector(2), {}};
  system.constraint_forces(binding);
  EXPECT_NEAR(norm(binding.wrenches[0].W.f), 9.81 / 2 * std::tan(M_PI / 6), 1e-10);
}

/// Bars without mass that the loop holds: M is singular, the saddle point is not.
TEST(BadConstraints, bodies_without_mass_are_legal_if_they_are_held) {
  const auto accelerate = [](double m) {
    MechanismBuilder b("four_bar");
    b.body("crank", ground, joints::revolute({0, 1, 0})).inertia(1, {0, 0, 0.5}, inertia);
    b.body("coupler", "crank", joints::revolute({0, 1, 0}, {0, 0, 1}));
    if (m > 0) b.inertia(m, {1, 0, 1}, m * inertia);
    b.body("rocker", ground, joints::revolute({0, 1, 0}, {2, 0, 0}));
    if (m > 0) b.inertia(m, {2, 0, 0.5}, m * inertia);
    b.loop({.name = "pin",
            .bodies = {"coupler", "rocker"},
            .geometry = AxisGeometry{{0, 1, 0}, {2, 0, 1.3}}});
    const Model model = compile(b.build());
    ConstrainedSystem system(model, {}, model.neutral());
    Vector v(3);
    v[0] = 1;
    v = consistent_velocity(system.constraints(), system.assembled(), v, {true, false, false});
    return Vector(system.forward_dynamics(system.assembled(), v, Vector(3)));
  };
  const Vector without = accelerate(0);
  EXPECT_TRUE(without.allFinite());
  EXPECT_LE((without - accelerate(1e-9)).norm(), 1e-7 * without.norm());
}

TEST(BadConstraints, constraints_of_ones_own) {
  class Strange : public Constraint {
   public:
    int count = 1;
    std::string name() const override { return "strange"; }
    int constraint_count() const override { return count; }
    void matrix(const PositionKinematics&, Eigen::Ref<Eigen::MatrixXd> B) const override {
      B(0, 0) = 1;
    }
    void bias(const VelocityKinematics&, VectorRef out) const override { out.setZero(); }
  };
  const Model model = compile(two_bars(1).build());
  auto strange = std::make_shared<Strange>();
  EXPECT_EQ(ConstrainedSystem(model, {.more = {strange}}).mobility().mobility, 1);
  EXPECT_SAYS(ClosedKinematics(ConstrainedSystem(model, {.more = {strange}}))
                  .at(model.neutral(), Vector(2)),
              "'strange'", "matrix_rate");
  strange->count = 0;
  EXPECT_SAYS(ConstrainedSystem(model, {.more = {strange}}), "'strange' has 0 rows");
  EXPECT_SAYS(ConstrainedSystem(model, {.more = {nullptr}}), "null");
}

TEST(BadConstraints, sizes_and_choices) {
  const Model model = compile(studies::four_bar());
  ConstrainedSystem system(model);
  Vector x(3), lambda(system.constraint_count());
  system.set(0, system.assembled(), Vector(3));
  EXPECT_SAYS(system.solve(Vector(2), lambda, x, lambda), "b has 2");
  EXPECT_SAYS(ConstrainedSystem(model, {}, Vector(2)), "the start has 2");
  EXPECT_SAYS(ConstrainedSystem(model, {}, model.neutral(), {true}), "kept has 1");
  EXPECT_SAYS(ClosedKinematics(system, {0, 1}), "2 independent entries", "1 degrees of freedom");
  EXPECT_SAYS(ClosedKinematics(system, {7}), "no entry 7");
  EXPECT_SAYS(system.constraints().block_of(99), "no row 99");
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Vector Phi(5);
  Constraints fresh(model);
  Matrix B;
  EXPECT_SAYS(fresh.matrix(kin, B), "call update first");
}

/// Ladders and ropes cost what their length is.
TEST(KktFactorization, is_linear_in_the_length_of_ladders_and_ropes) {
  const Model ladder = compile(studies::ladder(40));
  ConstrainedSystem system(ladder);
  EXPECT_EQ(system.mobility().mobility, 40);
  EXPECT_EQ(system.mobility().rank, 80);
}

}  // namespace
}  // namespace chasles
