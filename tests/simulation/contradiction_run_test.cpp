/// Runs of mechanisms whose redundant equations contradict each other in their last digits.
#include "chasles/io/summary_text.hpp"
#include "run.hpp"
#include "support/contradiction.hpp"

namespace contradiction_run_test {

using namespace chasles;
using namespace chasles::test;

Scenario swing(const PinError& error, const char* method) {
  Scenario s;
  s.model = compile(pinned_four_bar(error));
  s.start = {0, Vector{0.3, -0.2, 0.1}, Vector::Zero(3)};
  s.duration = 2;
  s.integrator.method = method;
  return s;
}

/// The run, and that of the exact mechanism beside it.
void compare(const PinError& error, const char* method, std::optional<double> step = {}) {
  Scenario of_exact = swing({}, method), of_rounded = swing(error, method);
  of_exact.integrator.step = of_rounded.integrator.step = step;
  const End exact = run(of_exact), end = run(of_rounded);
  EXPECT_EQ(exact.summary.contradiction, "");
  EXPECT_TRUE(end.summary.finished);
  // Gaps of the rocker turn with the frame that they are measured in, those of the coupler against it.
  const double size = norm(error.on_coupler) + norm(error.on_rocker);
  EXPECT_LT(end.summary.constraint_violation, norm(error.on_coupler) > 0 ? 2 * size : 1e-9)
      << method;
  // It swings through some radians: lengths that are off by a part of 1e-7 show with a factor of some hundred.
  EXPECT_LT((end.state.q - exact.state.q).norm(), 500 * size + 1e-8) << method;
  const auto notes = summary_notes(end.summary);
  EXPECT_TRUE(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
    return note.find("loop 'far'") != std::string::npos &&
           note.find("contradict") != std::string::npos;
  }));
}

TEST(ContradictionRuns, go_as_those_of_the_exact_mechanism) {
  for (const Vec3& error : {Vec3{0, 3e-8, 0}, Vec3{3e-8, 0, 0}, Vec3{0, 0, 4e-6}}) {
    compare({error, {}}, "dop853");
    compare({{}, error}, "dop853");
  }
  compare({{0, 0, 4e-6}, {}}, "radau5");
  compare({{0, 0, 4e-6}, {}}, "generalized_alpha", 4e-3);
}

TEST(ContradictionRuns, begin_with_velocities_that_are_given) {
  Scenario s = swing({{0, 0, 4e-6}, {}}, "dop853");
  s.start.v = Vector{1, 0, 0};
  s.kept_v = {true, false, false};
  s.duration = 0.1;
  const End end = run(s);
  EXPECT_NEAR(end.path.front().v[0], 1, 1e-9);
  EXPECT_GT(std::abs(end.path.front().v[2]), 0.1);  // the rocker is moved
}

}  // namespace contradiction_run_test
