/// After reset no step allocates, whatever the method, nor interpolation.
#include "support/allocation.hpp"

#include <gtest/gtest.h>

#include "chasles/motion/constrained_system.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "support/constrained_systems.hpp"

#ifdef CHASLES_COUNTS_ALLOCATIONS

namespace chasles {
namespace {

using test::allocations;

void expect_none_after_reset(Integrator& integrator, const State& start, std::string_view name) {
  integrator.reset(start);
  State out = start;
  const long before = allocations;
  for (int k = 0; k < 20; ++k) {
    integrator.step(10);
    integrator.interpolate(0.5 * (integrator.before().t + integrator.state().t), out);
  }
  EXPECT_EQ(allocations - before, 0) << name;
}

TEST(Allocation, none_after_reset) {
  const test::Motion m = test::three_spheres();
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, test::steps_of(0.01, info));
    expect_none_after_reset(*integrator, m.start, info.name);
  }
}

TEST(Allocation, none_with_constraints) {
  for (const MethodInfo& info : methods()) {
    if (info.needs >= Needs::mechanism) continue;
    const test::ConstrainedMotion m = test::mild_top(FreeGroup::so3xr3);
    m.system->tree().set_forces(
        [](double, const VelocityKinematics& kin, JointForces& out) { out.tau = -0.01 * kin.v(); });
    const auto integrator = make_integrator(*m.system, test::steps_of(0.01, info));
    MechanicalSystem::Tangent tangent;
    m.system->prepare(tangent);
    expect_none_after_reset(*integrator, m.start, info.name);
  }
}

/// Every call at another configuration.
TEST(Allocation, none_in_constrained_forward_dynamics) {
  const Model model = compile(studies::stewart());
  ConstrainedSystem system(model);
  const Vector v = Vector::Constant(model.nv(), 0.1), tau = Vector::Zero(model.nv());
  Vector q = system.assembled(), velocity(model.nv()), v_dot(model.nv());
  long before = 0;
  for (int k = 0; k < 6; ++k) {
    if (k == 2) before = allocations;  // until then workspaces may grow
    q[0] += 1e-6;
    system.rates(0, q, v, velocity, v_dot);
    q[0] += 1e-6;
    system.forward_dynamics(q, v, tau);
  }
  EXPECT_EQ(allocations - before, 0);
}

/// Springs on 40 sliders: matrices larger than Eigen's blocks.
TEST(Allocation, none_in_newtons_method) {
  MechanismBuilder builder("sliders");
  for (int k = 0; k < 40; ++k)
    builder.body(std::to_string(k), ground, joints::prismatic({1, 0, 0}))
        .inertia(1 + k, {}, Sym3::diagonal(1, 1, 1));
  const Model model = compile(builder.build());
  for (const char* name : {"generalized_alpha", "blied2", "rattle"}) {
    ModelSystem system(model);
    system.set_forces([](double, const VelocityKinematics& kin, JointForces& out) {
      out.tau = -1e3 * kin.q() - kin.v();
    });
    const auto integrator = make_integrator(system, {.method = name, .step = 1e-3});
    integrator->reset({0, Eigen::VectorXd::Ones(40), Eigen::VectorXd::Zero(40)});
    const long before = allocations;
    for (int k = 0; k < 5; ++k) integrator->step(10);
    EXPECT_EQ(allocations - before, 0) << name;
  }
}

TEST(Allocation, none_in_momentum_form_and_projection) {
  const test::Motion m = test::three_spheres();
  for (const bool form : {true, false}) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(
        system, {.method = "mk8", .step = 0.01, .momentum_form = form, .keep_invariants = !form});
    integrator->reset(m.start);
    const long before = allocations;
    for (int k = 0; k < 20; ++k) integrator->step(10);
    EXPECT_EQ(allocations - before, 0) << form;
  }
}

}  // namespace
}  // namespace chasles

#endif
