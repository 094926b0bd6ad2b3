/// Groups beside bodies that hardly move: chosen where SE(3) keeps the joint much better, and nowhere else.

#include "chasles/systems/body_groups.hpp"

#include <gtest/gtest.h>

#include "chasles/constraints/maximal_state.hpp"
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"

namespace {

using namespace chasles;

/// A satellite, and an arm of 1 kg that turns at 3 rad/s, 0.5 m from the hinge to its center of mass.
struct Satellite {
  double mass = 1000, drift = 0;
  Vec3 gravity{};
  Joint hinge = joints::revolute({0, 0, 1}, {1, 0, 0});
  double center = 1.5;  // of the arm, x

  Mechanism mechanism() const {
    return MechanismBuilder("satellite")
        .gravity(gravity)
        .body("hub", ground, joints::floating())
        .inertia(mass, {}, Sym3::diagonal(0.6 * mass, 0.7 * mass, 0.8 * mass))
        .body("arm", "hub", hinge)
        .pose({{}, {center, 0, 0}})
        .inertia(1, {}, Sym3::diagonal(0.01, 0.3, 0.3))
        .build();
  }
  State start(const Mechanism& m, const Model& maximal) const {
    const Model tree = compile(m);
    Vector v(tree.nv());
    v[3] = drift, v[tree.nv() - 1] = 3;
    VelocityKinematics kin(tree);
    forward_kinematics(tree, tree.neutral(), v, kin);
    State out{0, Vector(maximal.nq()), Vector(maximal.nv())};
    maximal_state(kin, maximal, out.q, out.v);
    return out;
  }
  std::map<std::string, BodyGroup> groups(BodyGroup group = BodyGroup::automatic) const {
    const Mechanism m = mechanism();
    const Model maximal = compile(to_maximal_coordinates(m, group));
    return groups_beside_slow_bodies(maximal, start(m, maximal));
  }
};

struct Errors {
  double gap, energy;
};

/// After 10 s by mk4, without projection.
Errors errors(const Satellite& satellite, const std::map<std::string, BodyGroup>& groups) {
  const Mechanism m = satellite.mechanism();
  const Model maximal = compile(to_maximal_coordinates(m, BodyGroup::automatic, groups));
  ConstrainedSystem system(maximal);
  const auto integrator = make_integrator(
      system, {.method = "mk4", .step = 0.01, .stabilization = Stabilization::none});
  integrator->reset(satellite.start(m, maximal));
  const auto energy = [&] {
    const State& x = integrator->state();
    system.set(x.t, x.q, x.v);
    Vector p(maximal.nv());
    system.mass_times(x.v, p);
    return 0.5 * p.dot(x.v);
  };
  const double before = energy();
  while (integrator->state().t < 10) integrator->step(10);
  return {system.violation(integrator->state().q), std::abs(energy() - before)};
}

/// Measured: 1.0e-10 instead of 1.0e-7 m, and 2.7e-9 instead of 6.8e-6 J.
TEST(BodyGroups, pay_beside_a_heavy_body) {
  const Satellite satellite;
  const auto groups = satellite.groups();
  ASSERT_EQ(groups, (std::map<std::string, BodyGroup>{{"arm", BodyGroup::se3}}));
  const Errors plain = errors(satellite, {}), chosen = errors(satellite, groups);
  EXPECT_GT(plain.gap, 1e-8);
  EXPECT_LT(chosen.gap, plain.gap / 100);
  EXPECT_LT(chosen.energy, plain.energy / 100);
}

TEST(BodyGroups, are_those_of_the_description_elsewhere) {
  EXPECT_TRUE((Satellite{.mass = 1}.groups().empty())) << "both move alike";
  EXPECT_TRUE((Satellite{.drift = 1}.groups().empty())) << "the heavy one is fast";
  EXPECT_FALSE((Satellite{.drift = 0.1}.groups().empty()));
  EXPECT_TRUE((Satellite{.gravity = {0, 0, -9.81}}.groups().empty())) << "both fall";
  EXPECT_TRUE((Satellite{.center = 1}.groups().empty())) << "the arm turns about its own origin";
  EXPECT_TRUE(Satellite{}.groups(BodyGroup::se3).empty()) << "all are on SE(3) already";
  Joint universal = joints::of(JointType::universal, {1, 0, 0}, {1, 0, 0});
  std::get<AxisGeometry>(universal.geometry).x_axis = {0, 0, 1};
  EXPECT_TRUE((Satellite{.hinge = universal}.groups().empty())) << "not a subgroup";
}

TEST(BodyGroups, says_what_does_not_fit) {
  const Mechanism m = Satellite{}.mechanism();
  const Model tree = compile(m), maximal = compile(to_maximal_coordinates(m, BodyGroup::se3));
  EXPECT_SAYS(groups_beside_slow_bodies(tree, {0, tree.neutral(), Vector(tree.nv())}),
              "joint 'arm' of 'satellite' is not a floating joint on ground");
  EXPECT_THROW(groups_beside_slow_bodies(maximal, {0, Vector(3), Vector(maximal.nv())}), SizeError);
  EXPECT_THROW(groups_beside_slow_bodies(maximal, {0, maximal.neutral(), Vector(1)}), SizeError);
}

}  // namespace
