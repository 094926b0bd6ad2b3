/// First-order forms of the equations of motion: the same motion as in (q, v), trees and loops.
#include "chasles/systems/first_order_forms.hpp"

#include <gtest/gtest.h>

#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "support/random_mechanism.hpp"

namespace first_order_forms_test {

using namespace chasles;

State at_end(DynamicalSystem& system, const State& state, double t) {
  auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-11});
  integrator->reset(state);
  while (integrator->state().t < t) integrator->step(t);
  return integrator->state();
}
double difference(const Model& model, const State& a, const State& b) {
  Vector d(model.nv());
  minus(model, a.q, b.q, d);
  return std::max(d.cwiseAbs().maxCoeff(), (a.v - b.v).cwiseAbs().maxCoeff());
}

TEST(FirstOrderForms, of_trees_give_the_same_motion) {
  std::mt19937_64 generator(71);
  const Model model = compile(test::random_mechanism(
      generator,
      {.bodies = 4,
       .kinds = {{JointType::revolute}, {JointType::spherical}, {JointType::prismatic}}}));
  ModelSystem system(model);
  const State start{0, test::random_configuration(model, generator),
                    0.3 * test::random_vector(model.nv(), generator)};
  const double t = 0.2;
  const State want = at_end(system, start, t);
  CanonicalForm canonical(system);
  EXPECT_LE(
      difference(model, canonical.mechanism_state(at_end(canonical, canonical.state(start), t)),
                 want),
      1e-8);
  {
    TwistForm form(system);
    const State first = form.state(start);
    EXPECT_EQ(first.q.size(), model.nq() + 6 * 4);
    EXPECT_LE(difference(model, form.mechanism_state(first), start), 1e-12);
    EXPECT_LE(form.inconsistency(first), 1e-12);
    const State end = at_end(form, first, t);
    EXPECT_LE(difference(model, form.mechanism_state(end), want), 1e-7);
    EXPECT_LE(form.inconsistency(end), 1e-6);
  }
}

/// B v = 0 at every evaluation, whatever p is; the motion is that of the constrained system.
TEST(FirstOrderForms, canonical_momenta_of_loops_give_the_same_motion) {
  ConstrainedSystem system(compile(studies::four_bar()));
  const Model& model = system.model();
  State start{0, system.assembled(), Vector(model.nv())};
  start.v[0] = 1;
  system.project(start);
  CanonicalForm form(system);
  const State first = form.state(start);
  EXPECT_LE(difference(model, form.mechanism_state(first), start), 1e-10);
  const State end = form.mechanism_state(at_end(form, first, 0.5));
  EXPECT_LE(system.velocity_violation(end.q, end.v), 1e-10);
  EXPECT_LE(system.violation(end.q), 1e-6);
  EXPECT_LE(difference(model, end, at_end(system, start, 0.5)), 1e-6);
}

TEST(FirstOrderForms, refuse_bad_input) {
  const Model model = compile(
      MechanismBuilder("massless").body("rod", ground, joints::revolute({0, 0, 1})).build());
  ModelSystem system(model);
  TwistForm form(system);
  EXPECT_THROW(form.state({0, Vector(3), Vector(1)}), SizeError);
  CanonicalForm canonical(system);
  Vector one(1), two(2);
  EXPECT_THROW(canonical.rates(0, one, two, one, one), SizeError);
}

}  // namespace first_order_forms_test
