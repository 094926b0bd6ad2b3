/// Derivatives of motions through the onset and the end of compliant contacts: closed forms of a bounce, and differences.
#include <gtest/gtest.h>

#include "chasles/linearization/sensitivities.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/simulation/contact.hpp"
#include "support/difference.hpp"

namespace chasles {
namespace {
namespace contact_sensitivities_test {

void set_forces(ModelSystem& system, const Forces& forces) {
  system.set_forces(forces.function(), {},
                    [&forces](double t, const VelocityKinematics& kin, ForceTangent& out) {
                      forces.tangent(t, kin, out);
                    });
}

/// A ball of 2 kg meets a floor with the velocity v, without gravity and dissipation, and leaves it with v after
///
///     T_c = 2 x / v int_0^1 du / sqrt(1 - u^(e+1)),    m v^2 / 2 = k x^(e+1) / (e+1)
///
/// so that z(T) = r + v T - (z_0 - r) - v T_c with d(v T_c)/dv = 2 T_c / (e+1): T_c is proportional to v^(2/(e+1) - 1).
struct Bounce {
  double k, exponent, v, z = 0.15, r = 0.1, T = 0.2;
  double duration() const {
    const double p = exponent + 1, x = std::pow(p * v * v / k, 1 / p);  // m = 2
    // int_0^1 du / sqrt(1 - u^p) = sqrt(pi) Gamma(1 + 1/p) / Gamma(1/2 + 1/p).
    return 2 * x / v * std::sqrt(M_PI) * std::tgamma(1 + 1 / p) / std::tgamma(0.5 + 1 / p);
  }
  Eigen::Matrix2d by_start() const {  // by z_0 and by w_0 = -v
    Eigen::Matrix2d d;
    d << -1, -(T - 2 / (exponent + 1) * duration()), 0, -1;
    return d;
  }
};

double error_of(const Bounce& bounce, const IntegratorOptions& options, double h) {
  const Model model = compile(MechanismBuilder("slide")
                                  .gravity({})
                                  .body("ball", ground, joints::prismatic({0, 0, 1}))
                                  .inertia(2, {}, Sym3::diagonal(0.008, 0.008, 0.008))
                                  .build());
  Forces forces;
  forces.add(contact(model, {"ball",
                             {"ball", {Vec3{}}, bounce.r},
                             {},
                             {.stiffness = bounce.k, .exponent = bounce.exponent}}));
  ModelSystem system(model);
  set_forces(system, forces);
  DifferentiableStep step(system, options);
  const auto N = static_cast<Eigen::Index>(std::lround(bounce.T / h));
  const MotionSensitivities found = sensitivities(step, {0, Vector{bounce.z}, Vector{-bounce.v}},
                                                  bounce.T / static_cast<double>(N), Matrix(1, N));
  EXPECT_NEAR(found.end.v[0], bounce.v, 0.05 * bounce.v);
  return (Eigen::MatrixXd(found.dx) - bounce.by_start()).cwiseAbs().maxCoeff();
}

/// Steps that do not end at the onset: the derivatives of the method are those of the motion up to its error, which
/// falls with the step.
TEST(ContactSensitivities, of_a_bounce_have_the_closed_form) {
  for (const double exponent : {1.5, 2.2})
    for (const char* method : {"mk4", "gauss2", "radau5"}) {
      const Bounce bounce{exponent < 2 ? 1e4 : 5e5, exponent, 1};
      const double coarse = error_of(bounce, {.method = method}, 1e-3),
                   fine = error_of(bounce, {.method = method}, 2e-4);
      EXPECT_LE(fine, 2e-3) << method << ", exponent " << exponent << ", coarse " << coarse;
      EXPECT_LE(fine, 0.3 * coarse) << method << ", exponent " << exponent;
    }
}

/// With friction, dissipation and a turning box: the steps themselves, by differences; the motion touches and leaves.
TEST(ContactSensitivities, are_those_of_the_steps) {
  const Model model = compile(MechanismBuilder("box")
                                  .body("box", ground, joints::floating())
                                  .inertia(2, {}, Sym3::diagonal(0.02, 0.03, 0.025))
                                  .build());
  Forces forces;
  forces.add(contact(
      model, {.name = "corners",
              .balls = {"box", box_corners({0.3, 0.2, 0.1})},
              .law = {.stiffness = 2e4, .dissipation = 0.3, .friction = 0.4, .velocity = 0.1}}));
  ModelSystem system(model);
  set_forces(system, forces);
  State start{0, Vector{1, 0, 0, 0, 0, 0, 0.1}, Vector{0.4, 0.9, 0.2, 0.5, -0.3, -0.6}};
  const double h = 1e-3;
  const int N = 150, n = 6;
  for (const char* method : {"mk4", "radau5"}) {
    DifferentiableStep step(system, method);
    const Eigen::MatrixXd U = Eigen::MatrixXd::Zero(n, N);
    const MotionSensitivities found = sensitivities(step, start, h, U);
    const auto end_of = [&](const Eigen::VectorXd& x) {
      State s = start;
      plus(model, start.q, Vector(x.head(n)), s.q);
      s.v += x.tail(n);
      int touching = 0;
      for (int k = 0; k < N; ++k) {
        step.move(h, U.col(k), s);
        VelocityKinematics kin(model);
        forward_kinematics(model, s.q, s.v, kin);
        touching += contact_named(forces, "corners").normal_force(kin) > 0;
      }
      EXPECT_GT(touching, 5) << method;
      EXPECT_LT(touching, N - 5) << method;
      Vector e(n);
      minus(model, s.q, found.end.q, e);
      Eigen::VectorXd out(2 * n);
      out << e, s.v - found.end.v;
      return out;
    };
    Eigen::MatrixXd want(2 * n, 2 * n);
    for (int k = 0; k < 2 * n; ++k) {
      const Eigen::VectorXd unit = Eigen::VectorXd::Unit(2 * n, k);
      const double s = 1e-6;  // the force has a second derivative without bound at the onset
      want.col(k) = (end_of(s * unit) - end_of(-s * unit)) / (2 * s);
    }
    EXPECT_LE((Eigen::MatrixXd(found.dx) - want).cwiseAbs().maxCoeff(),
              1e-4 * (1 + want.cwiseAbs().maxCoeff()))
        << method;
  }
}

}  // namespace contact_sensitivities_test
}  // namespace
}  // namespace chasles
