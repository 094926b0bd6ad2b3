/// Newton's matrix along the tree against the dense one, whose derivatives come from other formulas.
#include <gtest/gtest.h>

#include "chasles/lie/geodesic.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/motion/constrained_system.hpp"
#include "chasles/simulation/forces.hpp"
#include "motion/dense_newton.hpp"
#include "motion/mechanism_newton.hpp"
#include "support/random_loops.hpp"

namespace newton_test {

using namespace chasles;
using namespace chasles::test;

/// Relations of a step with S stages, and states of them.
struct Step {
  StageRelations relations;
  Matrix x, v, w;

  Step(const Group& group, int stages, std::mt19937_64& generator)
      : relations(group, stages), x(group.nv(), stages), v(x), w(stages, stages) {
    std::normal_distribution<double> dice;
    for (double* p = x.data(); p != x.data() + x.size(); ++p) *p = 0.1 * dice(generator);
    for (double* p = v.data(); p != v.data() + v.size(); ++p) *p = dice(generator);
    for (int i = 0; i < stages; ++i)
      for (int j = 0; j < stages; ++j) w(i, j) = (i == j ? 20 : 0) + 5 * dice(generator);
    if (stages == 1)
      relations.newmark(x.col(0), 30, 900);
    else
      relations.collocation(x, v, w);
  }
};

/// The backward error of the solution along the tree in the dense equations.
double difference(MechanismState& state, const std::vector<State>& stages, ConstraintLevel level,
                  std::mt19937_64& generator, GeometricStiffness stiffness) {
  const int S = static_cast<int>(stages.size()), n = state.nv(), m = state.rows();
  Step step(state.group(), S, generator);
  DenseNewton dense(state, level, S);
  const auto tree = make_tree_newton(state.model(), state.constraints(), level, S,
                                     m > 0 || state.has_forces(), stiffness);
  Matrix r(n, S), g(m, S), d(n, S), d_tree(n, S), mu(m, S), mu_tree(m, S);
  for (int i = 0; i < S; ++i) {
    const Vector a = random_vector(n, generator), lambda = random_vector(m, generator);
    r.col(i) = random_vector(n, generator), g.col(i) = random_vector(m, generator);
    state.set(stages[static_cast<std::size_t>(i)]);
    dense.linearize(i, a, lambda);
    state.constraint_error(Vector(m));
    tree->linearize(i,
                    {state.kinematics(a), a, state.forces().wrenches, state.force_tangent(),
                     state.constraints()},
                    lambda);
  }
  if (!dense.factorize(step.relations) || !tree->factorize(step.relations)) return 1;
  dense.solve(r, g, d, mu);
  tree->solve(r, g, d_tree, mu_tree);
  EXPECT_TRUE(d_tree.allFinite() && mu_tree.allFinite());
  return dense.backward_error(r, g, d_tree, mu_tree);
}

std::vector<State> random_states(const Model& model, int count, std::mt19937_64& generator) {
  std::vector<State> list;
  for (int k = 0; k < count; ++k)
    list.push_back({0.1 * k, random_configuration(model, generator),
                    random_vector(model.nv(), generator)});
  return list;
}

TEST(NewtonMatrix, along_trees_of_all_joints_is_the_dense_one) {
  std::mt19937_64 generator(3);
  for (int k = 0; k < 20; ++k) {
    const Model model = compile(random_mechanism(generator, {.bodies = 16, .tree = k % 2 == 0}));
    MechanismState state(model);
    for (const int stages : {1, 2, 3})
      EXPECT_LT(difference(state, random_states(model, stages, generator),
                           ConstraintLevel::velocity, generator, GeometricStiffness::none),
                1e-14)
          << k << " " << stages;
  }
}

/// Joints whose screws are constant, and loops whose wrenches are: the dense matrix has formulas for these.
std::vector<JointKind> plain(std::vector<JointKind> kinds) {
  std::erase_if(kinds, [](const JointKind& k) {
    return k.type == JointType::universal || k.type == JointType::custom ||
           k.type == JointType::fixed || k.group == FreeGroup::so3xr3;
  });
  return kinds;
}

/// @param tolerance  the dense matrix has d(B v)/dq by differences
void check_loops(ConstraintLevel level, double tolerance) {
  std::mt19937_64 generator(5);
  for (int k = 0; k < 12; ++k) {
    const std::vector<JointKind> kinds = plain(loop_kinds());
    const auto one = static_cast<std::size_t>(k) % kinds.size();
    const auto two = static_cast<std::size_t>(k + 3) % kinds.size();
    const LoopedTree tree = looped_tree(generator, 14, {kinds[one], kinds[two]}, plain(all_joint_kinds()));
    const Model model = compile(tree.mechanism);
    ConstrainedSystem state(model, {}, tree.q);
    if (state.mobility().rank < state.rows()) continue;
    for (const int stages : {1, 3}) {
      std::vector<State> at = random_states(model, stages, generator);
      for (State& s : at) s.q = state.assembled();
      EXPECT_LT(difference(state, at, level, generator, GeometricStiffness::full), tolerance)
          << k << " " << stages << " " << state.rows();
    }
  }
}
TEST(NewtonMatrix, with_loops_on_positions_is_the_dense_one) {
  check_loops(ConstraintLevel::position, 1e-13);
}
TEST(NewtonMatrix, with_loops_on_velocities_is_the_dense_one) {
  check_loops(ConstraintLevel::velocity, 1e-8);
}

/// Springs in joints at all times, between bodies and to ground only after the first stage: then displacements
/// begin to matter by themselves. The dense matrix has the derivatives of forces by differences.
TEST(NewtonMatrix, with_forces_that_come_and_go_is_the_dense_one) {
  std::mt19937_64 generator(7);
  MechanismBuilder builder("chain");
  std::string last{ground};
  for (const std::string name : {"a", "b", "c", "d", "e"}) {
    builder.body(name, last, joints::revolute(random_tangent<Vec3>(generator, 1), {}, In::body))
        .pose({random_rotation<double>(generator), {0.3, 0.1, 0.2}}, In::parent)
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

}  // namespace newton_test
