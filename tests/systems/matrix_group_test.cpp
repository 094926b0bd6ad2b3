/// Matrix groups: their functions against the groups of the library and finite differences, and first-order equations on
/// them against closed solutions.
#include "chasles/systems/matrix_group.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>

#include "chasles/integrators/integrator.hpp"
#include "chasles/lie/se3.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/errors.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {
namespace matrix_group_test {

Eigen::VectorXd plus_of(const Group& g, const Eigen::VectorXd& q, const Eigen::VectorXd& x) {
  Vector out(g.nq());
  g.plus(q, x, out);
  return out;
}

std::vector<MatrixGroup> all_groups() {
  return {MatrixGroup::general_linear(3),     MatrixGroup::special_linear(3),
          MatrixGroup::special_orthogonal(3), MatrixGroup::special_orthogonal(5),
          MatrixGroup::special_euclidean(2),  MatrixGroup::special_euclidean(3)};
}

TEST(MatrixGroups, have_the_functions_of_a_group) {
  std::mt19937_64 generator(1);
  for (const MatrixGroup& g : all_groups()) {
    const Eigen::VectorXd x = 0.6 * test::random_vector(g.nv(), generator),
                          u = test::random_vector(g.nv(), generator),
                          q = plus_of(g, g.identity(), 0.5 * u);
    Vector back(g.nv()), v(g.nv());
    g.minus(plus_of(g, q, x), q, back);
    EXPECT_LE((back - x).norm(), 4e-14) << g.name();
    // exp(-x) exp(x + h u) = exp(h dexp_{-x} u + O(h^2))
    const double h = 1e-4;
    Vector a(g.nv()), b(g.nv());
    const Eigen::VectorXd at = plus_of(g, q, x);
    g.minus(plus_of(g, q, x + h * u), at, a);
    g.minus(plus_of(g, q, x - h * u), at, b);
    g.dexp(x, u, v);
    EXPECT_LE((v - (a - b) / (2 * h)).norm(), 2e-7 * (1 + v.norm())) << g.name();
    g.dexp_inv(x, v, back);
    EXPECT_LE((back - u).norm(), 1e-13 * (1 + u.norm())) << g.name();
    EXPECT_LE((g.vee(g.hat(u)) - u).norm(), 1e-14);
  }
}

TEST(MatrixGroups, agree_with_those_of_the_library) {
  std::mt19937_64 generator(2);
  const MatrixGroup se3 = MatrixGroup::special_euclidean(3);
  const Eigen::VectorXd x = test::random_vector(6, generator),
                        y = test::random_vector(6, generator);
  const Twist X{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}}, Y{{y[0], y[1], y[2]}, {y[3], y[4], y[5]}};
  const SE3 C = exp(X);
  const Eigen::MatrixXd Q = se3.element(plus_of(se3, se3.identity(), x));
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) EXPECT_NEAR(Q(i, j), matrix(C.R)(i, j), 1e-15);
    EXPECT_NEAR(Q(i, 3), C.r[i], 2e-15);
  }
  Vector out(6);
  se3.dexp_inv(x, y, out);
  const Twist want = dexp_inv(-X, Y);
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(out[k], want.w[k], 1e-14);
    EXPECT_NEAR(out[3 + k], want.v[k], 1e-14);
  }
  EXPECT_NEAR(se3.rotation(4 * x), 4 * norm(X.w), 1e-8);  // a double eigenvalue
}

/// Y' = Y A(t) with A(t) = a(t) X commutes with itself: Y = exp(int a X).
TEST(FirstOrderSystem, has_the_solution_of_all_methods) {
  std::mt19937_64 generator(3);
  for (const MatrixGroup& g : all_groups()) {
    const auto group = std::make_shared<MatrixGroup>(g);
    const Eigen::VectorXd X = 0.3 * test::random_vector(g.nv(), generator);
    FirstOrderSystem system(
        group, [&](double t, ConstVectorRef, VectorRef A) { A = (1 + std::cos(t)) * X; });
    const Eigen::VectorXd want = plus_of(g, g.identity(), (1 + std::sin(1.0)) * X);
    for (const MethodInfo& info : methods()) {
      if (info.needs > Needs::coordinates || info.name == "auto" || info.order < 4) continue;
      IntegratorOptions options{.method = std::string(info.name)};
      if (info.adaptive)
        options.tolerance = 1e-10;
      else
        options.step = 0.02;
      const auto integrator = make_integrator(system, options);
      integrator->reset({0, g.identity(), Vector(g.nv())});
      while (integrator->state().t < 1) integrator->step(1);
      EXPECT_LE((integrator->state().q - want).norm(), 2e-7) << g.name() << " " << info.name;
      EXPECT_EQ(integrator->state().v.norm(), 0);
    }
  }
}

/// A(Y) that does not commute with itself, on SL(3): orders against mk8 with small steps, and det = 1, which plain
/// Runge-Kutta leaves with its order (001 section III-A).
TEST(FirstOrderSystem, stays_on_the_group_with_lie_group_methods_only) {
  const auto group = std::make_shared<MatrixGroup>(MatrixGroup::special_linear(3));
  FirstOrderSystem system(group, [&](double t, ConstVectorRef q, VectorRef A) {
    for (int k = 0; k < 8; ++k) A[k] = std::sin(q[k] + k) * std::cos(t * (k + 1)) + q[8] / 3;
  });
  const auto end = [&](const char* method, double h) {
    const auto integrator = make_integrator(system, {.method = method, .step = h});
    integrator->reset({0, group->identity(), Vector(8)});
    while (integrator->state().t < 1) integrator->step(1);
    return Eigen::VectorXd(integrator->state().q);
  };
  const auto det = [&](const Eigen::VectorXd& q) {
    return Eigen::MatrixXd(group->element(q)).determinant();
  };
  const Eigen::VectorXd truth = end("mk8", 1. / 64);
  for (const char* method : {"cg3", "cg4", "cg5", "cf3", "cf4", "mk3", "mk4", "mk5", "gauss2"}) {
    const Eigen::VectorXd coarse = end(method, 1. / 32), fine = end(method, 1. / 64);
    EXPECT_NEAR(std::log2((coarse - truth).norm() / (fine - truth).norm()),
                method_info(method).order, 0.3)
        << method;
    EXPECT_NEAR(det(fine), 1, 1e-13) << method;
  }
  const double a = std::abs(det(end("rk4", 1. / 16)) - 1),
               b = std::abs(det(end("rk4", 1. / 32)) - 1);
  EXPECT_GE(b, 1e-9);
  EXPECT_GE(std::log2(a / b), 3.5);
}

/// 001 section III-D: p - 1 terms of dexp^-1 keep order p; with fewer the order falls.
TEST(FirstOrderSystem, keeps_the_order_with_a_truncated_dexp_inverse) {
  const auto order = [](const char* method, int terms) {
    auto group = std::make_shared<MatrixGroup>(MatrixGroup::special_orthogonal(4));
    const auto rate = [](double t, ConstVectorRef q, VectorRef A) {
      for (int k = 0; k < 6; ++k) A[k] = std::sin(3 * q[k] + 2 * k) + std::cos(t * (k + 1));
    };
    const auto end = [&](const char* name, double h) {
      FirstOrderSystem system(group, rate);
      const auto integrator = make_integrator(system, {.method = name, .step = h});
      integrator->reset({0, group->identity(), Vector(6)});
      while (integrator->state().t < 1) integrator->step(1);
      return Eigen::VectorXd(integrator->state().q);
    };
    const Eigen::VectorXd truth = end("mk8", 1. / 64);
    group->truncate(terms);
    return std::log2((end(method, 1. / 64) - truth).norm() /
                     (end(method, 1. / 128) - truth).norm());
  };
  EXPECT_NEAR(order("mk3", 2), 3, 0.2);
  EXPECT_NEAR(order("mk4", 3), 4, 0.2);
  EXPECT_NEAR(order("mk5", 4), 5, 0.3);
  EXPECT_LE(order("mk4", 2), 3.5);
  EXPECT_LE(order("mk3", 1), 2.5);
}

TEST(MatrixGroups, refuse_what_is_no_algebra) {
  const auto matrix = [](std::initializer_list<double> numbers) {
    return Matrix(Eigen::MatrixXd(Eigen::Map<const Eigen::Matrix2d>(numbers.begin())));
  };
  const Matrix A = matrix({0, 1, 0, 0}), B = matrix({0, 0, 1, 0});
  EXPECT_SAYS(MatrixGroup("mine", {}), "group mine: the basis is empty");
  EXPECT_SAYS(MatrixGroup("mine", {A, B}), "the commutator of matrices 1 and 0",
              "outside their span");
  EXPECT_SAYS(MatrixGroup("mine", {A, A}), "linearly dependent, of rank 1");
  EXPECT_SAYS(MatrixGroup("mine", {A, Matrix(3, 3)}), "matrix 1 of the basis is 3 x 3");
  EXPECT_SAYS(MatrixGroup("mine", {Matrix(2, 3)}), "is 2 x 3");
  EXPECT_SAYS(MatrixGroup("mine", {matrix({1, std::nan(""), 0, 1})}), "matrix 0", "not finite");
  EXPECT_SAYS(MatrixGroup::special_orthogonal(1), "SO(1)", "from 2 to 32");
  EXPECT_SAYS(MatrixGroup::general_linear(33), "GL(33)");
  MatrixGroup so3 = MatrixGroup::special_orthogonal(3);
  EXPECT_SAYS(so3.truncate(-1), "dexp^-1 with -1 terms");
  EXPECT_SAYS(so3.truncate(17), "give 1 to 16");
  EXPECT_SAYS(so3.vee(Matrix(Eigen::Matrix3d::Identity())), "SO(3)", "not in the algebra");
  EXPECT_SAYS(so3.vee(Matrix(2, 2)), "2 x 2");
  EXPECT_SAYS(so3.hat(Vector(2)), "x has 2");
  Vector x(1);
  const Vector minus_one{-1.0};
  const MatrixGroup gl1 = MatrixGroup::general_linear(1);
  EXPECT_SAYS(gl1.minus(minus_one, gl1.identity(), x), "no real logarithm");
  EXPECT_SAYS(FirstOrderSystem(nullptr, {}), "needs a group and a function");
  FirstOrderSystem bad(std::make_shared<MatrixGroup>(so3),
                       [](double, ConstVectorRef, VectorRef rate) { rate[1] = std::nan(""); });
  const auto integrator = make_integrator(bad, {.method = "mk4", .step = 0.1});
  integrator->reset({0, so3.identity(), Vector(3)});
  EXPECT_SAYS(integrator->step(1), "rate of the first-order system is not finite at t = 0");
  EXPECT_SAYS(make_integrator(bad, {.method = "variational", .step = 0.1}), "variational: needs");
}

}  // namespace matrix_group_test
}  // namespace
}  // namespace chasles
