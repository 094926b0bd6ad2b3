/// What implicit steps cost: iterations, bodies visited, kinematics passes; and the relations of their stages.
#include "chasles/integrators/integrator.hpp"
#include "chasles/mechanism/builder.hpp"
#include "support/newton_steps.hpp"

namespace newton_work_test {

using namespace chasles;
using namespace chasles::test;

/// Wrenches of universal and custom loops depend on q, and the tree leaves their derivative out: Newton's
/// iteration converges all the same.
TEST(NewtonMatrix, with_universal_loops_converges) {
  for (const JointType type : {JointType::universal, JointType::custom})
    for (const char* method : {"generalized_alpha", "radau5"}) {
      std::mt19937_64 generator(3);
      const LoopedTree tree = looped_tree(generator, 9, {{type}, {type}});
      const Model model = compile(tree.mechanism);
      ConstrainedSystem system(model, {}, tree.q);
      const State start =
          on_constraints(system, system.assembled(), random_vector(model.nv(), generator, 0.2));
      const auto integrator = make_integrator(system, {.method = method, .step = 1e-3});
      integrator->reset(start);
      for (int k = 0; k < 30; ++k) integrator->step(1);
      RecordProperty(std::string(method) + "_iterations",
                     std::to_string(integrator->statistics().iterations));
      EXPECT_LE(integrator->statistics().iterations, 6 * 30) << method;
    }
}

Mechanism long_chain(int n) {
  MechanismBuilder b("chain");
  for (int k = 0; k < n; ++k) {
    const Vec3 axis = k % 2 == 0 ? Vec3{0, 1, 0} : Vec3{1, 0, 0}, at{0, 0, -0.1 * k};
    b.body("b" + std::to_string(k), k == 0 ? std::string(ground) : "b" + std::to_string(k - 1),
           joints::revolute(axis, at))
        .pose({{}, at})
        .inertia(1, {0.02, 0.01, -0.05}, Sym3::diagonal(0.02, 0.02, 0.01));
  }
  return b.build();
}
/// Bodies that a factorization and a solution visit.
long visits(MechanismState& state) {
  const int n = state.nv(), m = state.constraint_count();
  const auto tree = make_tree_newton(state.model(), state.constraints(), ConstraintLevel::velocity,
                                     1, m > 0, GeometricStiffness::free);
  const Vector a = Vector::Zero(n), lambda = Vector::Zero(m);
  state.constraint_error(Vector(m));
  tree->linearize(
      0,
      {state.kinematics(a), a, state.forces().wrenches, state.force_tangent(), state.constraints()},
      lambda);
  StageRelations relations(state.group(), 1);
  relations.newmark(a, 100, 1e4);
  EXPECT_TRUE(tree->factorize(relations));
  Matrix r(n, 1), g(m, 1), d(n, 1), mu(m, 1);
  tree->solve(r, g, d, mu);
  return tree->visits();
}

TEST(NewtonMatrix, work_grows_with_the_number_of_bodies) {
  const auto of_chain = [](int n) {
    MechanismState state(compile(long_chain(n)));
    return visits(state);
  };
  const auto of_freed = [](int n, BodyGroup group) {
    ConstrainedSystem state(compile(to_maximal_coordinates(long_chain(n), group)));
    return visits(state);
  };
  const long first = of_chain(10);
  EXPECT_GT(first, 0);
  EXPECT_LE(of_chain(40), 4 * first);
  EXPECT_LE(of_chain(160), 16 * first);
  for (const BodyGroup group : {BodyGroup::se3, BodyGroup::so3xr3}) {
    const long small = of_freed(10, group);
    EXPECT_LE(of_freed(40, group), 4 * small);
  }
}

/// One kinematics pass per Newton iteration, and a number per step that does not depend on the mechanism: new
/// factors, and with constraints the equations at the start and the projection at the end.
TEST(NewtonMatrix, an_iteration_of_generalized_alpha_is_one_kinematics_pass) {
  const auto count = [](MechanismState& state, const State& start, const std::string& name,
                        int most_a_step) {
    const auto integrator = make_integrator(state, {.method = "generalized_alpha", .step = 1e-3});
    integrator->reset(start);
    for (int k = 0; k < 5; ++k) integrator->step(1);
    const long passes = state.passes(), iterations = integrator->statistics().iterations;
    for (int k = 0; k < 40; ++k) integrator->step(1);
    const long more = state.passes() - passes - (integrator->statistics().iterations - iterations);
    RecordProperty(name, std::to_string(more) + " more in 40 steps, " +
                             std::to_string(integrator->statistics().iterations - iterations) +
                             " iterations");
    EXPECT_GE(more, 0) << name;
    EXPECT_LE(more, 40L * most_a_step) << name;
  };
  for (const int n : {10, 40}) {
    const Model model = compile(long_chain(n));
    MechanismState tree(model);
    count(tree, {0, Vector::Constant(n, 0.1), Vector::Zero(n)}, "tree_" + std::to_string(n), 2);
    MechanismState with_forces(model);
    add_forces(with_forces, true);
    count(with_forces, {0, Vector::Constant(n, 0.1), Vector::Zero(n)},
          "forces_" + std::to_string(n), 2);
  }
  for (const int n : {5, 10}) {
    const SystemCase of = absolute_case("freed", long_chain(n), BodyGroup::se3);
    const auto system = of.make();
    count(*system->mechanism(), of.start, "freed_" + std::to_string(n), 4);
  }
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

}  // namespace newton_work_test
