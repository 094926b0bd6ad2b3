/// Newton's matrix along the tree with forces that know their derivatives, against the dense one.
#include "chasles/lie/geodesic.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/newton_steps.hpp"

namespace newton_forces_test {

using namespace chasles;
using namespace chasles::test;

/// Backward errors of the equations with K and D of forces: cancellation of large moments about the origin of
/// the world leaves one or two digits less than without.
TEST(NewtonMatrix, with_forces_is_the_dense_one) {
  std::mt19937_64 generator(9);
  for (const int kinds : {1, 2, 4, 8, 15})
    for (int k = 0; k < 3; ++k) {
      const Model model = compile(random_mechanism(generator, {.bodies = 9, .tree = k % 2 == 0}));
      ExactForces<MechanismState> state(model);
      act(state, random_forces(model, kinds, generator));
      for (const int stages : {1, 3})
        EXPECT_LT(difference(state, random_states(model, stages, generator),
                             ConstraintLevel::velocity, generator, GeometricStiffness::none),
                  1e-13)
            << kinds << " " << k << " " << stages;
    }
}
/// K and D of a mechanism with forces that know their derivatives, against their assembly from Jacobians and their
/// rates, and against differences of the forces.
TEST(Tangent, has_the_derivatives_of_forces) {
  std::mt19937_64 generator(10);
  for (const int kinds : {1, 2, 4, 8, 15})
    for (int k = 0; k < 4; ++k) {
      const Model model = compile(random_mechanism(generator, {.bodies = 9, .tree = k % 2 == 0}));
      ExactForces<MechanismState> exact(model);
      MechanismState state(model), differenced(model);
      const Forces forces = random_forces(model, kinds, generator);
      act(state, forces), act(exact, forces);
      differenced.set_forces(forces.function());
      const State at = random_states(model, 1, generator)[0];
      const Vector a = random_vector(model.nv(), generator);
      MechanicalSystem::Tangent got, want, near;
      for (const auto& [system, out] :
           {std::pair<MechanismState*, MechanicalSystem::Tangent*>{&state, &got},
            {&exact, &want},
            {&differenced, &near}}) {
        system->set(at);
        system->tangent(a, *out);
      }
      for (const auto member : {&MechanicalSystem::Tangent::K, &MechanicalSystem::Tangent::D}) {
        const double size = 1 + (want.*member).norm();
        EXPECT_LE((got.*member - want.*member).norm(), 1e-13 * size) << kinds << " " << k;
        EXPECT_LE((got.*member - near.*member).norm(), 1e-7 * size) << kinds << " " << k;
      }
    }
}

/// Springs in joints at all times, between bodies and to ground only after the first stage: then displacements
/// begin to matter by themselves.
TEST(NewtonMatrix, with_forces_that_come_and_go_is_the_dense_one) {
  std::mt19937_64 generator(7);
  MechanismBuilder builder("chain");
  std::string last{ground};
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    builder
        .body(name, last,
              joints::revolute(random_tangent<Vec3>(generator, 1), {}, DescribedIn::body))
        .pose({random_rotation<double>(generator), {0.3, 0.1, 0.2}}, DescribedIn::parent)
        .inertia(2, {0.1, 0, 0.2}, Sym3::diagonal(0.3, 0.4, 0.5));
    last = name;
  }
  const Model model = compile(builder.build());
  Forces always, later;
  for (const char* joint : {"a", "b", "c", "d", "e"})
    always.add(joint_spring_damper(model, joint, 50, 2)), later.add(always.list().back());
  later.add(point_spring_damper(model, {"b", {0.1, 0.2, 0}}, {"e", {0, 0, 0.3}}, 40, 3, 0.2));
  later.add(
      point_spring_damper(model, {std::string(ground), {1, 0, 0}}, {"d", {0, 0.1, 0}}, 30, 1, 0.1));
  MechanismState state(model);
  state.set_forces([&](double t, const VelocityKinematics& kin,
                       JointForces& out) { (t > 0.05 ? later : always).apply(t, kin, out); },
                   {},
                   [&](double t, const VelocityKinematics& kin, ForceTangent& out) {
                     (t > 0.05 ? later : always).tangent(t, kin, out);
                   });
  for (const int stages : {1, 2, 3})
    EXPECT_LT(difference(state, random_states(model, stages, generator), ConstraintLevel::velocity,
                         generator, GeometricStiffness::none),
              1e-9)
        << stages;
}

}  // namespace newton_forces_test
