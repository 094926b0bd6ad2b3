/// Momentum form and kept invariants, on three spheres that tumble freely for 200 s; the bounds are near
/// what an independent program found.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <random>

#include "chasles/dynamics/mass_matrix.hpp"
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

TEST_F(Momentum, invariants_are_kept) {
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

/// Multistep methods keep their history through the small changes of the hook.
TEST_F(Momentum, kept_invariants_and_adams_work_together) {
  const Result plain = measure({.method = "abm", .step = 0.1});
  const Result kept = measure({.method = "abm", .step = 0.1, .keep_invariants = true});
  EXPECT_LE(kept.evaluations, plain.evaluations + 10);
  EXPECT_LE(kept.drift.energy, 2e-13);
  EXPECT_LE(kept.drift.linear_momentum, 2e-13);
  EXPECT_LE(kept.drift.angular_momentum, 4e-11);
  const Result both =
      measure({.method = "mk8", .step = 0.1, .momentum_form = true, .keep_invariants = true});
  EXPECT_LE(both.drift.energy, 2e-13);
  EXPECT_LE(both.drift.linear_momentum, 2e-13);
}

/// The same motion with the base on either group.
TEST_F(Momentum, does_not_depend_on_the_group_of_the_base) {
  const auto on = [](FloatingGroup group) {
    return compile(MechanismBuilder("two bodies")
                       .gravity({})
                       .body("base", ground, joints::floating(group))
                       .pose({rotation_from_rpy(0.3, -0.2, 0.7), {0.1, 0.2, 0.3}})
                       .inertia(3, {0.1, 0, 0.05}, Sym3::diagonal(0.2, 0.3, 0.25))
                       .body("arm", "base", joints::revolute({0, 1, 0}, {0.5, 0, 0}))
                       .inertia(1, {0.7, 0, 0}, Sym3::diagonal(0.05, 0.06, 0.07))
                       .build());
  };
  const Model se3 = on(FloatingGroup::se3), so3xr3 = on(FloatingGroup::so3xr3);
  State start{0, se3.neutral(), {0.5, -0.7, 0.3, 0.2, 0.1, -0.4, 1.1}};
  PositionKinematics at(se3);
  forward_kinematics(se3, start.q, at);
  State other{0, so3xr3.neutral(), start.v};
  const Vec3 rd = pose(at, se3.frame("base")).R * Vec3{0.2, 0.1, -0.4};
  other.v.segment<3>(3) << rd.x, rd.y, rd.z;
  for (const IntegratorOptions& options :
       {IntegratorOptions{.method = "dop853", .tolerance = 1e-12},
        IntegratorOptions{.method = "mk8", .step = 0.01, .momentum_form = true},
        IntegratorOptions{.method = "mk8", .step = 0.01, .keep_invariants = true}}) {
    const State a = test::run(*make_integrator(ModelSystem(se3), options), start, 2),
                b = test::run(*make_integrator(ModelSystem(so3xr3), options), other, 2);
    VelocityKinematics kin_a(se3), kin_b(so3xr3);
    forward_kinematics(se3, a.q, a.v, kin_a);
    forward_kinematics(so3xr3, b.q, b.v, kin_b);
    for (const char* body : {"base", "arm"}) {
      const SE3 A = pose(kin_a, se3.frame(body)), B = pose(kin_b, so3xr3.frame(body));
      EXPECT_LE(norm(A.r - B.r) + norm(log(inverse(A.R) * B.R)), 1e-10) << options.method;
      const Twist V = twist(kin_a, se3.frame(body), Representation::hybrid) -
                      twist(kin_b, so3xr3.frame(body), Representation::hybrid);
      EXPECT_LE(norm(V.w) + norm(V.v), 1e-10) << options.method;
    }
    const Wrench h = spatial_momentum(se3, kin_a) - spatial_momentum(so3xr3, kin_b);
    EXPECT_LE(norm(h.t) + norm(h.f), 1e-10) << options.momentum_form << options.keep_invariants;
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
              "momentum form", "double pendulum", "floating joint");
  EXPECT_SAYS(make_integrator(fixed, {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "keep_invariants", "floating joint");
  const test::Motion falling = test::free_body();
  ModelSystem falls(falling.model);
  EXPECT_SAYS(make_integrator(falls, {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "gravity", "-9.81");
  ModelSystem pushed(m.model);
  pushed.set_forces([](double, const VelocityKinematics&, JointForces& out) { out.tau[0] = 1; });
  EXPECT_SAYS(make_integrator(pushed, {.method = "mk4", .step = 0.1, .keep_invariants = true}),
              "forces act");
  EXPECT_SAYS(
      make_integrator(pushed, {.method = "variational", .step = 0.1, .momentum_form = true}),
      "ModelSystem");
}

/// A base and nine joints whose momenta are zero at the start, both or one of them: where they vanish their squares have
/// no gradients, and 1e-7 and more was left.
TEST(KeptInvariants, hold_where_momenta_are_zero) {
  std::mt19937_64 generator(3);
  std::normal_distribution<double> dice;
  MechanismBuilder b("tree");
  b.gravity({}).body("base", ground, joints::floating());
  b.inertia(3, {0.1, 0, 0.05}, Sym3::diagonal(0.3, 0.4, 0.5));
  for (int k = 0; k < 9; ++k) {
    const std::string parent = k < 3 ? "base" : "b" + std::to_string(k - 3);
    const Vec3 axis{dice(generator), dice(generator), dice(generator)},
        at{0.3 * dice(generator), 0.3 * dice(generator), 0.3 * dice(generator)};
    b.body("b" + std::to_string(k), parent, joints::revolute(axis, at))
        .inertia(0.5, at + Vec3{0.2, 0.1, 0}, Sym3::diagonal(0.02, 0.03, 0.025));
  }
  const Model model = compile(b.build());
  Vector v(model.nv());
  for (double& x : v) x = dice(generator);
  MassMatrix work(model);
  const Eigen::MatrixXd M = mass_matrix(model, model.neutral(), work);
  for (const auto& [spin, way] : {std::pair{0, 0}, {1, 0}, {0, 1}, {1, 1}}) {
    State start{0, model.neutral(), v};
    Eigen::VectorXd h = (M * Eigen::VectorXd(v)).head(6);  // at the origin of the world
    if (spin) h.head(3).setZero();
    if (way) h.tail(3).setZero();
    start.v.head(6) -= Vector(M.topLeftCorner(6, 6).ldlt().solve(h));
    ModelSystem system(model);
    const auto integrator =
        make_integrator(system, {.method = "mk4", .step = 0.05, .keep_invariants = true});
    const auto want = studies::invariants(model, start);
    integrator->reset(start);
    for (int k = 0; k < 200; ++k) {
      integrator->step(100);
      const auto got = studies::invariants(model, integrator->state());
      ASSERT_LE(std::abs(got.energy() - want.energy()), 1e-12) << spin << way;
      ASSERT_LE(norm(got.P - want.P), 1e-12) << spin << way;
      ASSERT_LE(norm(got.L - want.L), 1e-12) << spin << way;
    }
  }
}

}  // namespace
}  // namespace chasles
