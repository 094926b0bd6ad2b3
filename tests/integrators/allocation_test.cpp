/// After reset no step allocates, whatever the method, nor interpolation.
#include "support/allocation.hpp"

#include <gtest/gtest.h>

#include "chasles/systems/constrained_system.hpp"
#include "studies/mechanisms/andrews.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "support/constrained_systems.hpp"
#include "support/system_cases.hpp"

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
    const test::ConstrainedMotion m = test::mild_top(FloatingGroup::so3xr3);
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

/// Real mechanisms: loops with their own forces, maximal coordinates, trees with forces.
std::vector<test::SystemCase> allocation_cases() {
  const auto chain = [] {
    MechanismBuilder b("chain");
    for (int k = 0; k < 6; ++k) {
      const Vec3 axis = k % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, at{0, 0, -0.3 * k};
      b.body("b" + std::to_string(k), k == 0 ? std::string(ground) : "b" + std::to_string(k - 1),
             joints::revolute(axis, at))
          .inertia(1, at + Vec3{0.02, 0.01, -0.15}, Sym3::diagonal(0.02, 0.02, 0.01));
    }
    return b.build();
  };
  const Model andrews = compile(studies::andrews());
  const auto squeezer = [=] {
    auto system = std::make_shared<ConstrainedSystem>(andrews, ConstraintOptions{},
                                                      studies::andrews_start(andrews).q);
    const Forces forces = studies::andrews_forces(andrews);
    system->set_forces(forces.function(), {},
                       [forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                         forces.tangent(t, kin, out);
                       });
    return system;
  };
  std::vector<test::SystemCase> list{
      {"andrews", squeezer, {0, squeezer()->assembled(), Vector::Zero(7)}},
      test::absolute_case("chain_se3", chain(), BodyGroup::se3),
      test::absolute_case("chain_so3xr3", chain(), BodyGroup::so3xr3)};
  for (const test::SystemCase& of : test::system_cases())
    if (of.name.starts_with("tree_with") || of.name == "stewart" || of.name == "bennett" ||
        of.name == "mimic" || of.name == "held_0_four_bar")
      list.push_back(of);
  EXPECT_EQ(list.size(), 9u);
  return list;
}

/// The first steps may give memory its size, such as when Gauss first needs Newton's method; the next ones, with samples,
/// allocate nothing.
TEST(Allocation, none_on_real_mechanisms) {
  for (const test::SystemCase& of : allocation_cases())
    for (const MethodInfo& info : methods()) {
      const auto system = of.make();
      std::unique_ptr<Integrator> integrator;
      try {
        integrator = make_integrator(*system, test::steps_of(2e-4, info));
      } catch (const Error&) {
        EXPECT_TRUE(info.needs >= Needs::mechanism || of.name.starts_with("held"))
            << of.name << " " << info.name;
        continue;
      }
      integrator->reset(of.start);
      State out = of.start;
      long before = 0;
      for (int k = 0; k < 16; ++k) {
        if (k == 11) before = allocations;
        integrator->step(10);
        integrator->interpolate(0.3 * integrator->before().t + 0.7 * integrator->state().t, out);
        integrator->multipliers();
      }
      EXPECT_EQ(allocations - before, 0) << of.name << " " << info.name;
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
