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
    list.push_back(
        {0.1 * k, random_configuration(model, generator), random_vector(model.nv(), generator)});
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
    const LoopedTree tree =
        looped_tree(generator, 14, {kinds[one], kinds[two]}, plain(all_joint_kinds()));
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

/// The tableau of Gauss with two stages, and what centered_collocation differentiates.
struct Centered {
  const Group& group;
  double h = 0.1;
  Matrix a{2, 2}, w{2, 2};
  Vector b{0.5, 0.5}, q_0, v_0;

  Centered(const MechanismState& state, std::mt19937_64& generator)
      : group(state.group()),
        q_0(random_configuration(state.model(), generator)),
        v_0(random_vector(state.nv(), generator)) {
    const double r = std::sqrt(3.0) / 6;
    a << 0.25, 0.25 - r, 0.25 + r, 0.25;
    w = Matrix(Eigen::MatrixXd(a).inverse()) / h;
  }
  /// q_i, v_i and a_i of the unknowns z = h K.
  void stages(const Matrix& z, std::vector<Vector>& q, Matrix& v, Matrix& acc, Vector& x,
              Matrix& y) const {
    x = b[0] * z.col(0) + b[1] * z.col(1);
    const Vector half = 0.5 * x;
    Vector q_m(group.nq());
    group.plus(q_0, half, q_m);
    q.assign(2, q_m);
    for (int i = 0; i < 2; ++i) {
      y.col(i) = (a(i, 0) - b[0] / 2) * z.col(0) + (a(i, 1) - b[1] / 2) * z.col(1);
      const Vector K = z.col(i) / h;
      group.plus(q_m, y.col(i), q[static_cast<std::size_t>(i)]);
      group.dexp(y.col(i), K, v.col(i));
    }
    for (int i = 0; i < 2; ++i)
      acc.col(i) = w(i, 0) * (v.col(0) - v_0) + w(i, 1) * (v.col(1) - v_0);
  }
};

TEST(StageRelations, of_centered_collocation_are_its_differences) {
  std::mt19937_64 generator(8);
  for (int k = 0; k < 6; ++k) {
    const Model model = compile(random_mechanism(generator, {.bodies = 10, .tree = true}));
    const MechanismState state(model);
    const int n = model.nv();
    const Centered at(state, generator);
    Matrix z(n, 2), d(n, 2), y(n, 2), v(n, 2), acc(n, 2);
    for (int i = 0; i < 2; ++i) {
      z.col(i) = random_vector(n, generator, 0.3);
      d.col(i) = random_vector(n, generator);
    }
    Vector x(n), x_near(n), dq(n);
    std::vector<Vector> q;
    at.stages(z, q, v, acc, x, y);
    StageRelations relations(at.group, 2);
    relations.centered_collocation(x, y, v, at.a, at.b, at.w, at.h);
    Matrix got_q(n, 2), got_v(n, 2), got_a(n, 2);
    relations.apply_q(d, got_q), relations.apply_v(d, got_v), relations.apply_a(d, got_a);
    // Central differences of order 4: errors of 1e-3^4 and of rounding / 1e-3.
    const double e = 1e-3;
    Matrix want_q(n, 2), want_v(n, 2), want_a(n, 2), y_near(n, 2), v_near(n, 2), a_near(n, 2);
    want_q.setZero(), want_v.setZero(), want_a.setZero();
    for (const auto& [steps, weight] :
         {std::pair{1, 2 / 3.}, {-1, -2 / 3.}, {2, -1 / 12.}, {-2, 1 / 12.}}) {
      const Matrix near = z + steps * e * d;
      std::vector<Vector> q_near;
      at.stages(near, q_near, v_near, a_near, x_near, y_near);
      for (int i = 0; i < 2; ++i) {
        at.group.minus(q_near[static_cast<std::size_t>(i)], q[static_cast<std::size_t>(i)], dq);
        want_q.col(i) += weight / e * dq;
      }
      want_v += weight / e * v_near, want_a += weight / e * a_near;
    }
    EXPECT_LT((got_q - want_q).cwiseAbs().maxCoeff(), 1e-9) << k;
    EXPECT_LT((got_v - want_v).cwiseAbs().maxCoeff(), 1e-8) << k;
    EXPECT_LT((got_a - want_a).cwiseAbs().maxCoeff(), 1e-6) << k;  // a is 100 v
  }
}

}  // namespace newton_test
