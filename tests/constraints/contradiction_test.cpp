/// Redundant equations that contradict each other in the last digits of a file.
#include "support/contradiction.hpp"

#include <gtest/gtest.h>

#include "chasles/systems/constrained_system.hpp"
#include "support/errors.hpp"

namespace contradiction_test {

using namespace chasles;
using test::pinned_four_bar;

Vector gaps_of(Constraints& constraints, const Vector& q) {
  PositionKinematics kin(constraints.model());
  forward_kinematics(constraints.model(), q, kin);
  constraints.update(kin);
  Vector Phi(constraints.constraint_count());
  constraints.constraint_error(kin, Phi);
  return Phi;
}

TEST(Contradictions, of_rounded_numbers_are_met_in_the_sense_of_least_squares) {
  const Model exact = compile(pinned_four_bar({}));
  // Along the pin, where nothing moves; across it, on either bar.
  for (const Vec3& error : {Vec3{0, 3e-8, 0}, Vec3{3e-8, 0, 0}, Vec3{0, 0, 2e-6}})
    for (const bool on_coupler : {false, true}) {
      const Model model = compile(
          pinned_four_bar(on_coupler ? test::PinError{error, {}} : test::PinError{{}, error}));
      Constraints constraints(model);
      EXPECT_EQ(constraints.contradiction(), "");
      const Vector start{0.3, -0.2, 0.1}, q = assemble(constraints, start);
      // Stationary: by the equations as they were written, no motion makes the gaps smaller.
      Constraints plain(model);
      const Vector Phi = gaps_of(plain, q);
      Matrix B;
      PositionKinematics kin(model);
      forward_kinematics(model, q, kin);
      plain.matrix(kin, B);
      EXPECT_LT((B.transpose() * Phi).norm(), 1e-5 * Phi.norm());
      EXPECT_LE(Phi.norm(), norm(error) * (1 + 1e-6));
      EXPECT_GE(Phi.norm(), 0.5 * norm(error));
      // What is left counts as zero, and is told.
      EXPECT_LT(gaps_of(constraints, q).norm(), 1e-15);
      EXPECT_EQ(constraints.accepted_gap(), Phi.lpNorm<Eigen::Infinity>());
      const std::string said = constraints.contradiction();
      EXPECT_NE(said.find("loop 'far'"), std::string::npos) << said;
      EXPECT_NE(said.find(to_short_text(constraints.accepted_gap())), std::string::npos) << said;
      EXPECT_NE(said.find("least squares"), std::string::npos) << said;
      // The same pose as that of the exact linkage, but for as much as the error.
      Constraints of_exact(exact);
      EXPECT_LT((assemble(of_exact, start) - q).norm(), 20 * norm(error));
      EXPECT_EQ(of_exact.contradiction(), "");
      ConstrainedSystem system(model, {}, start);
      EXPECT_EQ(system.mobility().mobility, 1);
      EXPECT_LT(system.violation(system.assembled()), 1e-14);
    }
}

TEST(Contradictions, that_are_larger_or_come_from_what_is_kept_are_errors) {
  EXPECT_SAYS(ConstrainedSystem(compile(pinned_four_bar({{}, {0, 1e-4, 0}}))), "loop 'far'",
              "cannot be closed", "gap of 0.0001");
  // A configuration that is off in its last digits, and may not move: no equation is redundant in that direction.
  const Model model = compile(pinned_four_bar({}));
  const Vector closed = ConstrainedSystem(model, {}, Vector{0.3, -0.2, 0.1}).assembled();
  Vector off = closed;
  off[1] += 1e-6;
  EXPECT_SAYS(ConstrainedSystem(model, {}, off, {true, true, true}), "cannot be closed");
  EXPECT_NO_THROW(ConstrainedSystem(model, {}, off, {true, false, false}));
}

/// Few rows are analyzed as matrices, many along the tree.
TEST(Contradictions, leave_as_many_degrees_of_freedom_in_small_and_in_large_mechanisms) {
  for (const int count : {2, 60})
    for (const double error : {0.0, 3e-8, 4e-6}) {
      const Model model = compile(test::pinned_four_bars({{0, 0, error}, {error, 0, 0}}, count));
      Vector start(model.nq());
      for (Eigen::Index k = 0; k < start.size(); ++k)
        start[k] = k % 3 == 0 ? 0.3 : k % 3 == 1 ? -0.2 : 0.1;
      const ConstrainedSystem system(model, {}, start);
      EXPECT_EQ(system.constraint_count(), 6 * count);
      EXPECT_EQ(system.mobility().mobility, count) << error;
      // Errors of both bars cancel at some angle of the coupler: it is not gone there for.
      const Vector exact =
          ConstrainedSystem(compile(test::pinned_four_bars({}, count)), {}, start).assembled();
      EXPECT_LT((system.assembled() - exact).lpNorm<Eigen::Infinity>(), 1e-3) << error;
    }
}

TEST(Contradictions, of_couplings_are_met_too) {
  const auto gears = [](double offset) {
    MechanismBuilder b("gears");
    b.body("left", ground, joints::revolute({0, 1, 0})).inertia(1, {}, Sym3::diagonal(1, 1, 1));
    b.body("right", ground, joints::revolute({0, 1, 0})).inertia(1, {}, Sym3::diagonal(1, 1, 1));
    b.coupling({"gear", {{"left", 1}, {"right", -1}}, 0});
    b.coupling({"belt", {{"left", 1}, {"right", -1}}, offset});
    return compile(b.build());
  };
  Constraints constraints(gears(2e-7));
  const Vector q = assemble(constraints, Vector{0.2, 0.3});
  EXPECT_NEAR(q[0] - q[1], 1e-7, 1e-12);  // in the middle
  EXPECT_NE(constraints.contradiction().find("coupling 'gear', coupling 'belt'"),
            std::string::npos);
  EXPECT_NEAR(constraints.accepted_gap(), 1e-7, 1e-12);
}

}  // namespace contradiction_test
