/// Every method against what is not of this library: closed forms, and an extrapolation method in long
/// double on coordinates (exact_motions.hpp), also for mechanisms of all joint types.
#include <gtest/gtest.h>

#include "support/exact_motions.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

/// The solver itself, where the solution is known.
TEST(Extrapolation, is_right_to_rounding) {
  const test::Rate circle = [](test::Real, const test::Numbers& y) {
    return test::Numbers{y[1], -y[0]};
  };
  test::Numbers y{1, 0};
  for (int k = 0; k < 10; ++k) y = test::extrapolated_step(circle, 0, y, 0.3L, 10);
  EXPECT_LE(std::abs(y[0] - std::cos(3.0L)), 1e-16L);
  EXPECT_LE(std::abs(y[1] + std::sin(3.0L)), 1e-16L);
}

/// sn, cn and dn by descending Landen transformations (Abramowitz & Stegun 16.4).
struct Jacobi {
  double sn, cn, dn;
  Jacobi(double u, double k2) {
    double a[12], c[12], b = std::sqrt(1 - k2);
    a[0] = 1, c[0] = std::sqrt(k2);
    int n = 0;
    for (; n < 11 && c[n] > 1e-17; ++n) {
      a[n + 1] = (a[n] + b) / 2, c[n + 1] = (a[n] - b) / 2;
      b = std::sqrt(a[n] * b);
    }
    double phi = std::ldexp(a[n] * u, n), last = phi;
    for (; n > 0; --n) last = phi, phi = (phi + std::asin(c[n] * std::sin(phi) / a[n])) / 2;
    sn = std::sin(phi), cn = std::cos(phi), dn = cn / std::cos(last - phi);
  }
};

/// Euler's top (Landau & Lifshitz, 37), and angular momentum that stays in space. An armature is the same for all
/// axes, w x I_a w = 0, so that a part of J may be given as one.
void turn_eulers_top(double armature) {
  const double J[] = {1, 2, 2.6}, w1 = 0.4, w3 = 1.1, I_a = armature;
  const test::Motion m =
      test::motion("top",
                   MechanismBuilder("top")
                       .gravity({})
                       .body("top", ground, joints::spherical())
                       .inertia(1, {}, Sym3::diagonal(J[0] - I_a, J[1] - I_a, J[2] - I_a))
                       .armature(I_a)
                       .build(),
                   {1, 0, 0, 0}, {w1, 0, w3});
  const double E2 = J[0] * w1 * w1 + J[2] * w3 * w3,
               L2 = J[0] * J[0] * w1 * w1 + J[2] * J[2] * w3 * w3;
  const double rate = std::sqrt((J[2] - J[1]) * (L2 - E2 * J[0]) / (J[0] * J[1] * J[2])),
               k2 = (J[1] - J[0]) * (E2 * J[2] - L2) / ((J[2] - J[1]) * (L2 - E2 * J[0])),
               w2 = std::sqrt((E2 * J[2] - L2) / (J[1] * (J[2] - J[1])));
  for (const MethodInfo& info : methods()) {
    ModelSystem system(m.model);
    IntegratorOptions options{.method = std::string(info.name)};
    const double h = info.order == 1 ? 1e-4 : info.order == 2 ? 1e-3 : 0.01;
    const bool controlled = info.adaptive && !info.fixed_or_adaptive;
    if (controlled)
      options.tolerance = 1e-11;
    else
      options.step = h;
    // The constants of the errors are below 1.
    const double bound = controlled ? 1e-8 : 5 * std::pow(h, info.order) + 1e-11;
    const auto integrator = make_integrator(system, options);
    for (const double t : {3.0, 11.7}) {
      const State end = test::run(*integrator, m.start, t);
      const Jacobi of(rate * t, k2);
      EXPECT_NEAR(end.v[0], w1 * of.cn, bound) << info.name;
      EXPECT_NEAR(end.v[1], w2 * of.sn, bound) << info.name;
      EXPECT_NEAR(end.v[2], w3 * of.dn, bound) << info.name;
      const Vec3 L = lie::rotation(lie::normalized(
                         lie::Quaternion<double>{end.q[0], end.q[1], end.q[2], end.q[3]})) *
                     Vec3{J[0] * end.v[0], J[1] * end.v[1], J[2] * end.v[2]};
      EXPECT_LE(norm(L - Vec3{J[0] * w1, 0, J[2] * w3}), 20 * bound) << info.name;
    }
  }
}
TEST(EveryMethod, turns_eulers_top_as_the_elliptic_functions_do) { turn_eulers_top(0); }
TEST(EveryMethod, turns_a_top_with_armature_as_the_elliptic_functions_do) { turn_eulers_top(0.3); }

/// Random trees of all joint types: halving the step divides the error as the order says.
TEST(EveryMethod, converges_on_mechanisms_of_all_joint_types) {
  for (const int seed : {1, 2, 3}) {
    std::mt19937_64 generator(static_cast<std::uint64_t>(seed));
    const Model model = compile(test::random_mechanism(generator, {.bodies = 16, .tree = true}));
    const State start{0, test::random_configuration(model, generator, 0.5),
                      test::random_vector(model.nv(), generator, 0.3)};
    const double T = 0.04;
    const State truth = test::Solution(test::coordinate_rates(model), start, 0.005L, 7).at(T);
    for (const MethodInfo& info : methods()) {
      ModelSystem system(model);
      const auto error = [&](double h) {
        const auto integrator = make_integrator(system, test::steps_of(h, info));
        return test::distance(system, test::run(*integrator, start, T), truth);
      };
      const int order = info.takes_order && !info.symmetric ? 5 : info.order;
      // Implicit methods need short steps for their stages to be found.
      const int steps = info.symmetric ? 64 : order >= 8 ? 4 : order >= 4 ? 8 : 32;
      const double coarse = error(T / steps), fine = error(T / (2 * steps));
      EXPECT_LE(fine, 1e-10 + coarse * std::exp2(0.6 - order))
          << info.name << ", seed " << seed << ": " << coarse << ", " << fine;
      EXPECT_LE(fine, 0.1) << info.name << ", seed " << seed;
    }
  }
}

/// Along a motion quaternions go on, instead of jumping to the other one of the same rotation.
TEST(EveryMethod, has_quaternions_that_do_not_jump) {
  const test::Motion bodies[] = {test::heavy_top(), test::free_body(),
                                 test::three_spheres(studies::tumbling)};
  for (const test::Motion& m : bodies)
    for (const MethodInfo& info : methods()) {
      ModelSystem system(m.model);
      const auto integrator = make_integrator(system, test::steps_of(0.05, info));
      integrator->reset(m.start);
      State out;
      Eigen::Vector4d last = m.start.q.head<4>();
      bool negative = false;
      while (integrator->state().t < 8) {
        integrator->step(8);
        for (const double s : {0.3, 0.7, 1.0}) {
          const double t0 = integrator->before().t, t1 = integrator->state().t;
          integrator->interpolate(s < 1 ? t0 + s * (t1 - t0) : t1, out);
          const Eigen::Vector4d now = out.q.head<4>();
          ASSERT_GT(now.dot(last), 0.5) << m.name << " " << info.name << " at " << out.t;
          negative = negative || now[0] < -0.1;
          last = now;
        }
      }
      // It could have jumped.
      EXPECT_TRUE(negative || m.name == "three spheres") << m.name << " " << info.name;
    }
}
TEST(KeptInvariants, have_quaternions_that_do_not_jump) {
  const test::Motion m = test::three_spheres(studies::tumbling);
  const auto integrator = make_integrator(ModelSystem(m.model),
                                          {.method = "mk8", .step = 0.1, .keep_invariants = true});
  integrator->reset(m.start);
  while (integrator->state().t < 60) {
    integrator->step(60);
    ASSERT_GT(
        Eigen::Vector4d(integrator->state().q.head<4>()).dot(integrator->before().q.head<4>()),
        0.5);
  }
}
/// More than half a turn within one step, and samples in it.
TEST(Quaternions, do_not_jump_within_a_long_step) {
  test::Motion m = test::free_body();
  m.start.v << 0, 0, 5.5, 0, 0, 0;
  ModelSystem system(m.model);
  const auto integrator = make_integrator(system, {.method = "mk4", .step = 1});
  integrator->reset(m.start);
  Eigen::Vector4d last = m.start.q.head<4>();
  for (int k = 0; k < 3; ++k) {
    integrator->step(10);
    State out;
    for (int i = 1; i <= 20; ++i) {
      integrator->interpolate(integrator->before().t + 0.05 * i, out);
      const Eigen::Vector4d now = out.q.head<4>();
      ASSERT_GT(now.dot(last), 0.5) << out.t;
      last = now;
    }
  }
}

}  // namespace
}  // namespace chasles
