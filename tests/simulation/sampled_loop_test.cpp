/// Stability of sampled control against polynomials in z and against runs.
#include "chasles/simulation/sampled_loop.hpp"

#include <gtest/gtest.h>

#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/simulation.hpp"
#include "support/errors.hpp"

namespace chasles {
namespace sampled_loop_test {

using Complex = std::complex<double>;
constexpr double moment = 0.4;  // [kg m^2]

Model flywheel() {
  return compile(MechanismBuilder("flywheel")
                     .gravity({})
                     .body("wheel", ground, joints::revolute({0, 0, 1}))
                     .inertia(1, {}, Sym3::diagonal(1, 1, moment))
                     .build());
}
Controller sampled_pd(const Model& model, std::vector<double> stiffness,
                      std::vector<double> damping, double period, double delay = 0) {
  const std::vector<std::string> joints = vector_joints(model);
  Controller c = pd_control(model, joints, std::vector<Reference>(joints.size()),
                            {.stiffness = std::move(stiffness), .damping = std::move(damping)});
  c.period = period, c.delay = delay;
  return c;
}

/// One joint with delay m T + f by the z-transform of (2): the roots of
///
///     z^(m+1) (z - 1)^2 + L (P (T (f + s z) + (z - 1) ((T^2 - s^2) / 2 + s^2 z / 2)) + D (z - 1) (f + s z))
struct Polynomial {
  double P, D, T, f;
  int m;
  Complex operator()(Complex z) const {
    const double s = T - f;
    const Complex step = f + s * z, ramp = (T * T - s * s) / 2 + s * s / 2 * z;
    return std::pow(z, m + 1) * (z - 1.0) * (z - 1.0) +
           1 / moment * (P * (T * step + (z - 1.0) * ramp) + D * (z - 1.0) * step);
  }
  /// How many of its m + 3 roots lie within radius r, by the argument principle.
  int roots_within(double r) const {
    constexpr int n = 20000;
    double angle = 0;
    Complex last = (*this)(r);
    for (int i = 1; i <= n; ++i) {
      const Complex next = (*this)(std::polar(r, 2 * M_PI * i / n));
      angle += std::arg(next / last);
      last = next;
    }
    return static_cast<int>(std::lround(angle / (2 * M_PI)));
  }
};

TEST(SampledLoop, of_one_joint_is_the_largest_root_in_z) {
  const Model model = flywheel();
  const double T = 0.01;
  int unstable = 0, all = 0;
  for (const double P : {20.0, 400.0, 5000.0})
    for (const double D : {0.5, 10.0, 60.0, 110.0})
      for (const double delay : {0.0, 0.4 * T, T, 2.5 * T, 3 * T}) {
        const auto loop = sampled_loop(sampled_pd(model, {P}, {D}, T, delay), model.neutral());
        ASSERT_TRUE(loop);
        const int m = static_cast<int>(std::floor(delay / T + 1e-9));
        const Polynomial roots{P, D, T, delay - m * T, m};
        const double r = loop->radius();
        // Nearly a root: much less than where its neighbors are.
        EXPECT_LT(std::abs(roots(loop->eigenvalue)), 1e-9 * std::pow(std::max(r, 1.0), m + 3));
        EXPECT_LT(roots.roots_within(r - 1e-4), m + 3) << P << " " << D << " " << delay;
        EXPECT_EQ(roots.roots_within(r + 1e-4), m + 3) << P << " " << D << " " << delay;
        EXPECT_EQ(loop->joint, "wheel");
        unstable += loop->unstable(), ++all;
      }
  EXPECT_GT(unstable, 10);
  EXPECT_LT(unstable, all - 10);
}

/// Without delay: stable if and only if T P < 2 D and T D L < 2.
TEST(SampledLoop, ends_where_jury_says) {
  const Model model = flywheel();
  const double T = 0.01, most = 2 * moment / T;
  const auto unstable = [&](double P, double D) {
    return sampled_loop(sampled_pd(model, {P}, {D}, T), model.neutral())->unstable();
  };
  EXPECT_FALSE(unstable(100, most * 0.999));
  EXPECT_TRUE(unstable(100, most * 1.001));
  EXPECT_FALSE(unstable(2 * 10 / T * 0.999, 10));
  EXPECT_TRUE(unstable(2 * 10 / T * 1.001, 10));
}

Model two_links() {
  return compile(MechanismBuilder("arm")
                     .gravity({})
                     .body("upper", ground, joints::revolute({0, 1, 0}))
                     .inertia(2, {0.3, 0, 0}, Sym3::diagonal(0.01, 0.08, 0.08))
                     .body("lower", "upper", joints::revolute({0, 1, 0}, {0.6, 0, 0}))
                     .inertia(0.5, {0.8, 0, 0}, Sym3::diagonal(0.001, 0.01, 0.01))
                     .body("loose", "lower", joints::revolute({0, 0, 1}, {1, 0, 0}))
                     .inertia(0.2, {1.1, 0, 0}, Sym3::diagonal(0.001, 0.002, 0.002))
                     .build());
}

/// A wheel with viscous friction b: y' of one sample is e y' + (1 - e) / b u, e = exp(-b L T).
TEST(SampledLoop, knows_the_damping_of_joints) {
  const Model model = flywheel();
  const double T = 0.02, D = 60;
  for (const double b : {5.0, 50.0, 200.0}) {
    const double e = std::exp(-b / moment * T), z = e - (1 - e) * D / b;
    ForceTangent friction;
    friction.joints.push_back({.v = 0, .size = 1, .D = {b}});
    const auto loop = sampled_loop(sampled_pd(model, {0}, {D}, T), model.neutral(), friction);
    ASSERT_TRUE(loop);
    // The position of nothing that pulls back is the other eigenvalue, 1.
    EXPECT_NEAR(loop->radius(), std::max(1.0, std::abs(z)), 1e-12);
    EXPECT_EQ(loop->unstable(), z < -1);
    EXPECT_EQ(loop->unstable(), b < 100);
  }
}

/// Growth of a small error of the start, from sample to sample.
TEST(SampledLoop, of_an_arm_grows_as_its_run_does) {
  const Model model = two_links();
  const double T = 0.01;
  const struct {
    double delay, damping;
    bool forces;
  } cases[] = {{0, 12, false}, {0.5 * T, 12, false}, {1.7 * T, 6, true}, {0, 12, true}};
  for (const auto& [delay, damping, forces] : cases) {
    Controller c = pd_control(model, {"upper", "lower"}, {0.3, 0.7},
                              {.stiffness = {60, 30}, .damping = {20, damping}});
    c.period = T, c.delay = delay;
    Scenario s{.model = model, .start = {0, Vector{0.3, 0.7 + 1e-9, -0.2}, Vector(3)}};
    VelocityKinematics kin(model);
    forward_kinematics(model, s.start.q, s.start.v, kin);
    if (forces) {
      s.forces.add(joint_friction(model, "lower", {.viscous = 0.6}));
      s.forces.add(joint_spring_damper(model, "loose", 5, 0.1, {-0.2}));
    }
    ForceTangent others;
    s.forces.tangent(0, kin, others);
    const auto loop = sampled_loop(c, s.start.q, others);
    ASSERT_TRUE(loop && loop->unstable());
    EXPECT_EQ(loop->joint, "lower");
    const double radius = loop->radius();
    ASSERT_GT(radius, 1.05);
    const int steps = static_cast<int>(std::log(1e5) / std::log(radius));
    s.duration = steps * T;
    s.every = T;
    s.integrator = {.method = "mk4", .step = T / 4};
    s.forces.add(control(c));
    Trajectory path;
    Simulation(s).run(path);
    // c_1 z^k + c_2 conj(z)^k obeys x_{k+1} - 2 Re z x_k + |z|^2 x_{k-1} = 0.
    const auto x = [&](std::size_t back) {
      return path.states[path.states.size() - 1 - back].v[1];
    };
    const double recurrence = x(0) - 2 * loop->eigenvalue.real() * x(1) + radius * radius * x(2);
    EXPECT_LT(std::abs(recurrence), 2e-4 * (std::abs(x(0)) + radius * radius * std::abs(x(2))))
        << delay;
    EXPECT_GT(std::abs(x(0)) + std::abs(x(1)), 1e-6);
    const std::vector<std::string> said = unstable_gains(s.forces, 0, kin);
    ASSERT_EQ(said.size(), 1u);
    test::expect_parts(said[0], {"controller 'PD control'", "period 0.01 s", "unstable",
                                 to_short_text(radius).c_str(), "joint 'lower'"});
  }
  Forces stable;
  VelocityKinematics kin(model);
  forward_kinematics(model, model.neutral(), Vector(3), kin);
  stable.add(control(sampled_pd(model, {60}, {3}, 1e-4)));
  EXPECT_TRUE(unstable_gains(stable, 0, kin).empty());
}

TEST(SampledLoop, is_not_told_where_it_is_not_known) {
  const Model model = flywheel();
  const Vector q = model.neutral();
  EXPECT_FALSE(sampled_loop(sampled_pd(model, {1}, {1}, 0), q));        // continuous
  EXPECT_FALSE(sampled_loop(sampled_pd(model, {0}, {0}, 1e-3), q));     // no gains
  EXPECT_FALSE(sampled_loop(sampled_pd(model, {1}, {1}, 1e-3, 2), q));  // 2000 samples under way
  EXPECT_FALSE(sampled_loop(sampled_pd(model, {1}, {1}, 1e-3), Vector{NAN}));
  Controller other = gravity_compensation(model, {"wheel"});
  other.period = 1e-3;
  EXPECT_FALSE(sampled_loop(other, q));
  Controller wrong = sampled_pd(model, {1}, {1}, 1e-3);
  wrong.gains->damping = Vector(3);
  EXPECT_SAYS(control(wrong), "gains", "3 entries", "needs 1");
}

}  // namespace sampled_loop_test
}  // namespace chasles
