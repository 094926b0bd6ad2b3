/// Models with another gravity or another inertia of a body, against descriptions that are changed and compiled.
#include <gtest/gtest.h>

#include <thread>

#include "chasles/chasles.hpp"
#include "chasles/textbook/recursive.hpp"
#include "model/model_data.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"

namespace chasles {
namespace changed_model_test {

/// What algorithms of all layers give at one state.
std::vector<double> everything(const Model& model, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const Vector q = test::random_configuration(model, generator),
               v = test::random_vector(model.nv(), generator),
               a = test::random_vector(model.nv(), generator);
  std::vector<double> all{model.mass(), model.gravity().x, model.gravity().y, model.gravity().z};
  const auto add = [&](const auto& x) {
    for (Eigen::Index j = 0; j < x.cols(); ++j)
      for (Eigen::Index i = 0; i < x.rows(); ++i) all.push_back(x(i, j));
  };
  InverseDynamics inverse(model);
  MassMatrix mass(model);
  add(inverse_dynamics(model, q, v, a, inverse));
  add(gravity_forces(model, q, inverse));
  add(mass_matrix(model, q, mass));
  InverseDynamicsDerivatives d(model);
  d_inverse_dynamics(model, q, v, a, d);
  add(d.dq()), add(d.dv());
  TorqueRegressor Y(model);
  add(torque_regressor(model, q, v, a, Y));
  Batch<double> batch(model);
  Batch<float> floats(model);
  Eigen::MatrixXd tau(model.nv(), 1), energy(2, 1);
  Eigen::MatrixXf tau_f(model.nv(), 1);
  batch.inverse_dynamics(q, v, a, tau);
  batch.energies(q, v, energy);
  floats.inverse_dynamics(q.cast<float>(), v.cast<float>(), a.cast<float>(), tau_f);
  add(tau), add(energy), add(tau_f.cast<double>());
  MechanismState state(model);
  state.set(0, q, v);
  Vector r(model.nv());
  state.dynamics_residual(a, r);
  add(r);
  state.momentum_rate(r);
  add(r);
  textbook::RecursiveDynamics book(model);
  add(textbook::inverse_dynamics(model, state.velocity(), a, Representation::mixed, book));
  Constraints constraints(model);
  Vector Phi(constraints.constraint_count());
  constraints.constraint_error(state.position(), Phi);
  add(Phi);
  for (const ModelBody& body : model.bodies()) add(to_eigen(pose(state.position(), body.frame)));
  for (const ModelFrame& frame : model.frames())
    add(to_eigen(twist(state.velocity(), frame.frame, Representation::hybrid)));
  return all;
}
/// Both are the same to the last bit, as links and as results.
void expect_same(const Model& changed, const Model& compiled) {
  ASSERT_EQ(tree_links(changed).size(), tree_links(compiled).size());
  EXPECT_EQ(everything(changed, 5), everything(compiled, 5));
  EXPECT_EQ(everything(changed, 6), everything(compiled, 6));
  EXPECT_NE(changed.id(), compiled.id());
}
BodyInertia heavy(double mass, const Vec3& com) {
  return {.mass = mass, .com = com, .tensor = Sym3::diagonal(0.2 * mass, 0.3 * mass, 0.25 * mass)};
}
/// A random tree with all joint types and a few loops.
Mechanism random_closed(std::mt19937_64& generator) {
  Mechanism m = test::random_mechanism(generator, {.bodies = 17, .tree = true});
  const Model tree = compile(m);
  const Vector q = tree.neutral();
  int number = 0;
  for (const test::JointKind& kind : test::loop_kinds()) {
    if (++number > 3) break;
    m.loops.push_back(test::random_loop(tree, q, "loop" + std::to_string(number), "body3", "body9",
                                        kind, generator));
  }
  return m;
}

TEST(ChangedModel, has_the_bits_of_a_changed_description) {
  std::mt19937_64 generator(91);
  for (int round = 0; round < 6; ++round) {
    Mechanism m = random_closed(generator);
    const Model model = compile(m);
    const std::vector<double> before = everything(model, 5);
    m.gravity = {1, -2, 3};
    expect_same(model.with_gravity(m.gravity), compile(m));
    Model changed = model.with_gravity(m.gravity);
    for (const std::size_t k : {0u, 5u, 11u, 16u}) {
      // Far away, so that link frames move; about the origin; without mass.
      m.bodies[k].inertia = heavy(3, {40, 1, 100});
      if (k == 5) m.bodies[k].inertia->about_com = false, m.bodies[k].inertia->physical = false;
      if (k == 11) m.bodies[k].inertia = BodyInertia{};
      changed = changed.with_inertia(m.bodies[k].name, *m.bodies[k].inertia);
      expect_same(changed, compile(m));
    }
    EXPECT_EQ(everything(model, 5), before);  // the first one stays as it is
    expect_same(changed.with_gravity({}), [&] {
      m.gravity = {};
      return compile(m);
    }());
  }
}

TEST(ChangedModel, knows_its_own_bodies_and_refuses_what_belongs_to_the_other) {
  std::mt19937_64 generator(92);
  const Model model = compile(random_closed(generator)), moon = model.with_gravity({0, 0, -1.62});
  EXPECT_FALSE(model == moon);
  EXPECT_EQ(moon.joint("joint4").v_index, model.joint("joint4").v_index);
  InverseDynamics work(model);
  EXPECT_SAYS(gravity_forces(moon, moon.neutral(), work), "is of model 'random'");
  PositionKinematics kin(moon);
  forward_kinematics(moon, moon.neutral(), kin);
  EXPECT_SAYS(pose(kin, model.frame("body3")), "'random'");
  EXPECT_EQ(moon.frame("frame2").model, moon.id());
  for (const ModelLoop& loop : moon.loops()) EXPECT_EQ(loop.from.model, moon.id());
}

TEST(ChangedModel, refuses_what_cannot_be) {
  std::mt19937_64 generator(93);
  Mechanism m = test::random_mechanism(generator);
  const Model model = compile(m);
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_SAYS(model.with_gravity({0, 0, inf}), "gravity", "inf");
  EXPECT_SAYS(model.with_inertia("bodi3", {}), "has no body 'bodi3'", "did you mean 'body3'?");
  EXPECT_SAYS(model.with_inertia("ground", {}), "has no body 'ground'");
  BodyInertia bad = heavy(1, {});
  bad.tensor.xx = -1;
  EXPECT_SAYS(model.with_inertia("body3", bad), "body 'body3'", "no body can have this inertia");
  bad.physical = false;
  EXPECT_NO_THROW(model.with_inertia("body3", bad));
  bad.mass = inf;
  EXPECT_SAYS(model.with_inertia("body3", bad), "body 'body3'");
  EXPECT_THROW((void)Model().with_gravity({}), Error);
  // Masses that cancel are told as `compile` tells them.
  const Model two = compile(MechanismBuilder("two")
                                .body("a", ground, joints::revolute({0, 1, 0}))
                                .inertia(1, {1, 0, 0}, Sym3::diagonal(1, 1, 1))
                                .body("b", "a", joints::fixed())
                                .inertia(1, {1, 0, 0}, Sym3::diagonal(1, 1, 1))
                                .build());
  EXPECT_SAYS(two.with_inertia("b", {-1, {1, 0, 0}, {}, true, false}),
              "total mass of the subtree is zero");
}

/// Threads that compute with one model while others change it.
TEST(ChangedModel, leaves_other_threads_alone) {
  std::mt19937_64 generator(94);
  const Model model = compile(random_closed(generator));
  const std::vector<double> expected = everything(model, 5);
  std::vector<std::thread> threads;
  std::atomic<int> wrong = 0;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (int k = 0; k < 5; ++k) {
        if (t % 2 == 0)
          wrong += everything(model, 5) != expected;
        else
          wrong += everything(model.with_gravity({0, 0, -1.0 * k - t}), 5) == expected;
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Motion: the period of a pendulum on another planet.
TEST(ChangedModel, moves_under_its_own_gravity) {
  const Model earth = compile(MechanismBuilder("pendulum")
                                  .body("rod", ground, joints::revolute({0, 1, 0}))
                                  .inertia(2, {0, 0, -0.5}, Sym3::diagonal(0.1, 0.1, 0.01))
                                  .build());
  for (const double g : {9.81, 1.62}) {
    const Model model = earth.with_gravity({0, 0, -g});
    const double I = 0.1 + 2 * 0.25, angle = 1e-4, t = 1.3;
    MechanismState state(model);
    const auto integrator = make_integrator(state, {.method = "dop853", .tolerance = 1e-13});
    integrator->reset({0, Vector{angle}, Vector{0.0}});
    while (integrator->state().t < t) integrator->step(t);
    EXPECT_NEAR(integrator->state().q[0], angle * std::cos(std::sqrt(g / I) * t), 1e-10);
  }
}

}  // namespace changed_model_test
}  // namespace chasles
