/// First-order forms, groups of matrices, screw systems, linear feedback, fits and sensitivities: sizes of vectors that
/// they take or fill, and numbers at the ends of the range.
#include <gtest/gtest.h>

#include "chasles/chasles.hpp"
#include "support/errors.hpp"
#include "support/random_loops.hpp"
#include "support/small_runs.hpp"

namespace forms_test {

using namespace chasles;

using View = Eigen::Map<Eigen::VectorXd>;
using Views = std::vector<View>;

/// A call with vectors of these sizes, each of which is checked.
struct Row {
  const char* name;
  std::vector<int> sizes;
  std::function<void(Views&)> call;
};

void expect_checked(const Row& row) {
  const auto call = [&](const std::vector<int>& sizes) {
    std::vector<std::vector<double>> memory;
    for (const int size : sizes)
      memory.emplace_back(static_cast<std::size_t>(size) + 64, 0.1);  // what follows is not touched
    Views views;
    for (std::size_t k = 0; k < sizes.size(); ++k) views.emplace_back(memory[k].data(), sizes[k]);
    row.call(views);
    for (std::size_t k = 0; k < sizes.size(); ++k)
      for (std::size_t i = static_cast<std::size_t>(sizes[k]); i < memory[k].size(); ++i)
        EXPECT_EQ(memory[k][i], 0.1) << row.name << ": beyond vector " << k;
  };
  EXPECT_NO_THROW(call(row.sizes)) << row.name;
  for (std::size_t k = 0; k < row.sizes.size(); ++k)
    for (const int size : {row.sizes[k] - 1, row.sizes[k] + 1, 0}) {
      std::vector<int> wrong = row.sizes;
      wrong[k] = size;
      EXPECT_THROW(call(wrong), SizeError) << row.name << ": vector " << k << " of " << size;
    }
}

std::vector<Row> rows_of(const char* name, const Group& g) {
  const int n = g.nq(), m = g.nv();
  const auto filled = [&](std::vector<int> sizes, std::function<void(Views&)> call) {
    return Row{name, std::move(sizes), std::move(call)};
  };
  return {filled({n, m, n}, [&](Views& x) { g.plus(x[0], x[1], x[2]); }),
          filled({n, n, m}, [&](Views& x) { g.minus(x[0], x[1], x[2]); }),
          filled({m, m, m}, [&](Views& x) { g.dexp_inv(x[0], x[1], x[2]); }),
          filled({m, m, m}, [&](Views& x) { g.dexp(x[0], x[1], x[2]); }),
          filled({m}, [&](Views& x) { g.rotation(x[0]); })};
}

TEST(FormsMisuse, groups_check_their_vectors) {
  // An arm, whose coordinates of 0.1 are a configuration.
  std::mt19937_64 generator(1);
  const Model model =
      compile(test::random_mechanism(generator, {.bodies = 3, .kinds = {{JointType::revolute}}}));
  ModelSystem system(model);
  const TwistForm twists(system);
  for (const Row& row : rows_of("group of twists", twists.group())) expect_checked(row);
  MatrixGroup so3 = MatrixGroup::special_orthogonal(3);
  for (Row row : rows_of("SO(3)", so3)) {
    if (row.sizes == std::vector<int>{9, 9, 3})
      continue;  // below: 0.1 times ones is not a rotation
    expect_checked(row);
  }
  Vector out(3), short_out(2), one = so3.identity();
  so3.minus(one, one, out);
  EXPECT_EQ(out.norm(), 0);
  EXPECT_THROW(so3.minus(one, one, short_out), SizeError);
  EXPECT_THROW(so3.minus(one, Vector(4), out), SizeError);
  expect_checked(
      {"coordinate_rate", {9, 3, 9}, [&](Views& x) { so3.coordinate_rate(x[0], x[1], x[2]); }});
  so3.truncate(3);
  expect_checked({"truncated", {3, 3, 3}, [&](Views& x) { so3.dexp_inv(x[0], x[1], x[2]); }});
}

TEST(FormsMisuse, rates_check_their_vectors) {
  std::mt19937_64 generator(1);
  const Model model =
      compile(test::random_mechanism(generator, {.bodies = 3, .kinds = {{JointType::revolute}}}));
  ModelSystem system(model);
  TwistForm twists(system);
  CanonicalForm momenta(system);
  FirstOrderSystem first(std::make_shared<MatrixGroup>(MatrixGroup::special_orthogonal(3)),
                         [](double, ConstVectorRef, VectorRef A) { A.setOnes(); });
  const auto rates = [](const char* name, DynamicalSystem& s) {
    const int n = s.nq(), m = s.nv();
    expect_checked({name, {n, m, m, m}, [&](Views& x) { s.rates(0, x[0], x[1], x[2], x[3]); }});
  };
  rates("momenta", momenta);
  rates("first order", first);
  rates("twists", twists);
  expect_checked({"CanonicalForm::state", {3, 3}, [&](Views& x) {
                    momenta.state({0, Eigen::VectorXd(x[0]), Eigen::VectorXd(x[1])});
                  }});
  expect_checked({"CanonicalForm::mechanism_state", {3, 3}, [&](Views& x) {
                    momenta.mechanism_state({0, Eigen::VectorXd(x[0]), Eigen::VectorXd(x[1])});
                  }});
}

/// Large groups are made in a moment, or refused.
TEST(FormsMisuse, groups_of_large_matrices) {
  const MatrixGroup sl = MatrixGroup::special_linear(20);
  EXPECT_EQ(sl.nv(), 399);
  EXPECT_SAYS(MatrixGroup::general_linear(1000), "GL(1000)", "give a size from 1 to");
}

TEST(FormsMisuse, screws_of_any_magnitude_span_the_same) {
  for (const double s : {1e-200, 1.0, 1e200}) {
    const ScrewSystem turns({Twist{{0, 0, s}, {}}, Twist{{0, s, 0}, {}}, Twist{{s, 0, 0}, {}}});
    EXPECT_EQ(turns.dimension(), 3) << s;
    EXPECT_EQ(motion_subgroup(closure(turns)), MotionSubgroup::spherical) << s;
    EXPECT_TRUE(turns.contains(Twist{{0, s, s}, {}})) << s;
    EXPECT_FALSE(turns.contains(Twist{{}, {0, 0, s}})) << s;
    const ScrewSystem slides({Twist{{}, {0, 0, s}}, Twist{{}, {0, s, 0}}});
    EXPECT_EQ(motion_subgroup(slides), MotionSubgroup::translation2) << s;
  }
  EXPECT_SAYS(ScrewSystem({Twist{{0, 0, HUGE_VAL}, {}}}), "not finite");
}

/// Whether inputs reach states does not depend on units.
TEST(FormsMisuse, controllability_in_any_units) {
  for (const double a : {1e-200, 1.0, 1e200})
    for (const double b : {1e-200, 1.0, 1e200}) {
      Matrix A(3, 3), B(3, 1);
      A(0, 1) = a, A(1, 2) = a, B(2, 0) = b;
      EXPECT_EQ(controllability(A, B).rank, 3) << a << ' ' << b;
      EXPECT_EQ(observability(A, B.transpose()).rank, 1) << a << ' ' << b;
    }
  const Matrix A = Matrix(Eigen::MatrixXd::Identity(2, 2)), B(2, 1);
  EXPECT_SAYS(controllability_gramian(1e300 * A, Eigen::MatrixXd::Ones(2, 1), 1e10), "not finite",
              "shorter time");
  EXPECT_SAYS(controllability_gramian(A, Eigen::MatrixXd::Ones(2, 1), 1e4), "shorter");
  EXPECT_EQ(controllability_gramian(A, B, 1).norm(), 0);
}

/// Weights and matrices that are none: one message each, and no numbers.
TEST(FormsMisuse, regulators_refuse_what_is_none) {
  const double nan = std::nan("");
  const Matrix A(Eigen::Matrix2d{{0, 1}, {0, 0}}), B(Eigen::MatrixXd{{0.0}, {1.0}}),
      Q(Eigen::Matrix2d::Identity()), R(Eigen::MatrixXd::Ones(1, 1));
  EXPECT_NO_THROW(lqr(A, B, Q, R));
  const auto with = [](Matrix X, int i, int j, double x) {
    X(i, j) = x;
    return X;
  };
  for (const auto& solve : {lqr, sampled_lqr}) {
    EXPECT_SAYS(solve(with(A, 0, 0, nan), B, Q, R), "A has", "not finite");
    EXPECT_SAYS(solve(A, with(B, 0, 0, HUGE_VAL), Q, R), "B has", "not finite");
    EXPECT_SAYS(solve(A, B, with(Q, 1, 1, nan), R), "Q has", "not finite");
    EXPECT_SAYS(solve(A, B, with(Q, 1, 1, -1), R), "Q has the eigenvalue", "negative");
    EXPECT_SAYS(solve(A, B, with(Q, 0, 1, 0.5), R), "Q is not symmetric");
    EXPECT_SAYS(solve(A, B, Q, with(R, 0, 0, 0)), "R has the eigenvalue", "positive");
    EXPECT_SAYS(solve(A, B, Q, with(R, 0, 0, -1)), "R has the eigenvalue", "positive");
    EXPECT_SAYS(solve(A, B, Q, with(R, 0, 0, nan)), "R has", "not finite");
    EXPECT_SAYS(solve(A, B, Matrix(3, 3), R), "Q is 3 x 3", "2 x 2");
    EXPECT_SAYS(solve(A, B, Q, Matrix(2, 2)), "R is 2 x 2", "1 x 1");
    EXPECT_SAYS(solve(A, Matrix(3, 1), Q, R), "B is 3 x 1");
    EXPECT_SAYS(solve(Matrix(2, 3), B, Q, R), "A is 2 x 3");
  }
  EXPECT_SAYS(lqr(A, Matrix(2, 1), Q, R), "not affected");
  EXPECT_SAYS(sampled_lqr(Q, Matrix(2, 1), Q, R), "not affected");
  EXPECT_SAYS(kalman_filter(A, Matrix(1, 3), Q, R), "C is 1 x 3");
  EXPECT_SAYS(kalman_filter(A, B.transpose(), Q, R), "not affected by the measurements");
  EXPECT_SAYS(solve_lyapunov(A, Matrix(3, 3)), "W is 3 x 3");
  EXPECT_SAYS(solve_lyapunov(A, Q), "must be stable");
}

/// Whose terms are so large that conditions hold within their rounding.
TEST(FormsMisuse, tableaux_of_large_numbers_show_nothing) {
  RungeKuttaTableau t{.name = "large", .order = 1, .a = {{}, {1}}, .b = {1e20, -1e20}};
  EXPECT_SAYS(check_tableau(t), "large", "is of order 0");
  EXPECT_EQ(order_of(t), 0);
  t.b = {1e308, 1e308};
  EXPECT_SAYS(runge_kutta_method(t), "is of order 0");
  t = {.name = "far", .order = 2, .a = {{}, {1e200}}, .b = {1, 5e-201}};
  EXPECT_EQ(order_of(t), 2);
  t.a[1][0] = std::nan("");
  EXPECT_SAYS(order_of(t), "a[0] is", "finite");
}

TEST(FormsMisuse, cones_are_those_of_closed_loops) {
  std::mt19937_64 generator(4);
  const test::LoopedTree looped =
      test::looped_tree(generator, 6, {{JointType::spherical}}, {{JointType::revolute}});
  const Model model = compile(looped.mechanism);
  Constraints constraints(model);
  EXPECT_NO_THROW(tangent_cone(constraints, looped.q));
  Vector open = looped.q, nothing = looped.q;
  for (int k = 0; k < model.nq(); ++k) open[k] *= 1.1;
  EXPECT_SAYS(tangent_cone(constraints, open), "gap");
  nothing[model.nq() - 1] = std::nan("");
  EXPECT_SAYS(tangent_cone(constraints, nothing), "");
}

TEST(FormsMisuse, fits_to_frames_and_numbers_of_others) {
  const Model model = test::pendulum(), other = test::slide();
  Constraints constraints(model);
  const MeasuredPose foreign[] = {{other.bodies()[0].frame}};
  MeasuredPose far[] = {{model.frame("arm"), SE3{SO3{}, {1e200, 0, 0}}}};
  EXPECT_SAYS(fit_poses(constraints, foreign), "slide");
  const PoseFit fit = fit_poses(constraints, far);
  EXPECT_TRUE(fit.q.allFinite());
  EXPECT_FALSE(fit.converged && fit.residual < 1);
  far[0].C.r.x = std::nan("");
  EXPECT_SAYS(fit_poses(constraints, far), "measurement 0", "not finite");
  far[0].C.r.x = 0, far[0].position = -1;
  EXPECT_SAYS(fit_poses(constraints, far), "measurement 0", "weight");
  EXPECT_SAYS(fit_poses(constraints, {}, {.starts = 0}), "starts");
  EXPECT_SAYS(fit_poses(constraints, {}, {.q0 = Vector(1)}), "q");
}

TEST(FormsMisuse, slopes_by_parameters_keep_their_size) {
  ModelSystem system(test::slide());
  DifferentiableStep step(system, "mk4");
  step.set_parameters(2, [](double, ConstVectorRef, ConstVectorRef, ConstVectorRef, Matrix& P) {
    P = Matrix(1, 1);
  });
  State state{0, Vector(1), Vector(1)};
  EXPECT_SAYS(step(0.1, Vector(1), state), "1 x 1", "1 x 2");
  DifferentiableStep plain(system, "mk4");
  EXPECT_SAYS(adjoint(plain, state, 0.1, Matrix(1, 2), {}), "gradient at the end");
  EXPECT_SAYS(adjoint(plain, state, 0.1, Matrix(1, 2), [](const State&) { return Vector(1); }),
              "dJ/dx");
}

}  // namespace forms_test
