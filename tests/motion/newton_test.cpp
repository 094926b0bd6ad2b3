/// Newton's matrix along the tree against the dense one, whose derivatives come from other formulas.
#include <gtest/gtest.h>

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

/// The largest difference of solutions, relative.
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
  double error = (d - d_tree).norm() / d.norm();
  if (m > 0) error = std::max(error, (mu - mu_tree).norm() / mu.norm());
  return error;
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
                1e-10)
          << k << " " << stages;
  }
}

}  // namespace newton_test
