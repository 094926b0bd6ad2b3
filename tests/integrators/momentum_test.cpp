/// Momentum form and projection, on three spheres that tumble freely for 200 s; the bounds are near
/// what an independent program found.
#include "support/errors.hpp"
#include "support/motions.hpp"

namespace chasles {
namespace {

struct Result {
  Drift drift;
  double angles;
  long evaluations;
};

class Momentum : public ::testing::Test {
 protected:
  const test::Motion m = test::three_spheres(studies::tumbling);

  Result measure(const IntegratorOptions& options, const State* exact = nullptr) {
    ModelSystem system(m.model);
    const auto integrator = make_integrator(system, options);
    const State end = test::run(*integrator, m.start, 200);
    return {studies::drift(m.model, m.start, end), exact ? (end.q - exact->q).tail(2).norm() : 0,
            integrator->statistics().evaluations};
  }
};

TEST_F(Momentum, form_keeps_momenta_to_rounding) {
  const Result d = measure({.method = "abm", .step = 0.04, .momentum_form = true});
  EXPECT_LE(d.drift.energy, 1e-10);
  EXPECT_LE(d.drift.linear_momentum, 2e-13);
  EXPECT_LE(d.drift.angular_momentum, 4e-11);
  EXPECT_LE(d.evaluations, 10'600);
  const Result mk = measure({.method = "mk4", .step = 0.1, .momentum_form = true});
  EXPECT_LE(mk.drift.linear_momentum, 2e-13);
  EXPECT_LE(mk.drift.angular_momentum, 4e-11);
}

TEST_F(Momentum, projection_keeps_all_invariants) {
  ModelSystem system(m.model);
  const State exact =
      test::run(*make_integrator(system, {.method = "mk8", .step = 0.02}), m.start, 200);
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "mk8", .step = 0.25, .keep_invariants = true},
        IntegratorOptions{.method = "dop853", .tolerance = 1e-8, .keep_invariants = true}}) {
    const Result d = measure(options, &exact);
    EXPECT_LE(d.drift.energy, 2e-13) << options.method;
    EXPECT_LE(d.drift.linear_momentum, 2e-13) << options.method;
    EXPECT_LE(d.drift.angular_momentum, 4e-11) << options.method;
    EXPECT_LE(d.angles, 1e-2) << options.method;
    EXPECT_LE(d.evaluations, 10'500) << options.method;
  }
}

/// Errors of the pose feed back into the velocity, so the step is small.
TEST_F(Momentum, form_agrees_with_the_method_under_gravity) {
  test::Motion body = test::free_body();
  ModelSystem system(body.model);
  const State a =
      test::run(*make_integrator(system, {.method = "mk8", .step = 0.005}), body.start, 2);
  const auto form =
      make_integrator(system, {.method = "mk8", .step = 0.005, .momentum_form = true});
  const State b = test::run(*form, body.start, 2);
  EXPECT_LE(test::distance(system, a, b), 1e-10);
  State middle;
  form->interpolate(1.997, middle);
  EXPECT_LE(test::distance(system, middle,
                           test::run(*make_integrator(system, {.method = "mk8", .step = 0.005}),
                                     body.start, 1.997)),
            1e-7);  // cubic
}

TEST_F(Momentum, need_a_free_mechanism) {
  const test::Motion pendulum = test::double_pendulum();
  ModelSystem fixed(pendulum.model);
  EXPECT_SAYS(make_integrator(fixed, {.method = "mk4", .step = 0.1, .momentum_form = true}),
              "momentum form", "double pendulum", "free joint");
  EXPECT_SAYS(make_integrator(fixed, {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "keep_invariants", "free joint");
  const test::Motion falling = test::free_body();
  ModelSystem falls(falling.model);
  EXPECT_SAYS(make_integrator(falls, {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "gravity", "-9.81");
  ModelSystem pushed(m.model);
  pushed.set_forces([](double, const VelocityKinematics&, JointForces& out) { out.tau[0] = 1; });
  EXPECT_SAYS(make_integrator(pushed, {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "forces act");
  const auto form = make_integrator(pushed, {.method = "mk4", .step = 0.1, .momentum_form = true});
  form->reset(m.start);
  EXPECT_SAYS(form->step(1), "from outside");
  EXPECT_SAYS(
      make_integrator(pushed, {.method = "variational", .step = 0.1, .momentum_form = true}),
      "ModelSystem");
}

}  // namespace
}  // namespace chasles
