/// The Newton-Euler equations of one body against the rate of its momentum, by differences along a
/// smooth motion.
#include "chasles/textbook/newton_euler.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/lie/geodesic.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace chasles {
using namespace chasles::textbook;
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;

/// C(t) = C0 exp(x), x = t X + t^2 Y: pose and body-fixed twist.
struct Motion {
  SE3 C0;
  Twist X, Y;
  explicit Motion(std::mt19937_64& generator)
      : C0(random_element<SE3>(generator, 1)),
        X(random_tangent<Twist>(generator, 1)),
        Y(random_tangent<Twist>(generator, 1)) {}
  SE3 C(double t) const { return C0 * exp(t * X + (t * t) * Y); }
  Twist V(double t) const { return dexp(-(t * X + (t * t) * Y), X + (2 * t) * Y); }
  Twist A() const {
    return from_eigen<Twist>(test::derivative([&](double t) -> Vector6 { return to_eigen(V(t)); }));
  }
};

Inertia random_inertia(std::mt19937_64& generator) {
  const Vec3 c = random_tangent<Vec3>(generator, 0.5);
  return lie::compose_inertia(
      1.7, c, rotate(random_rotation<double>(generator).matrix(), Sym3::diagonal(0.3, 0.4, 0.5)));
}

/// d/dt of the spatial momentum: the wrench about the world's origin.
Wrench wrench(const Motion& motion, const Inertia& M) {
  return from_eigen<Wrench>(test::derivative(
      [&](double t) -> Vector6 { return to_eigen(Ad_inv_dual(motion.C(t), M * motion.V(t))); }));
}

TEST(NewtonEuler, of_one_body_in_four_representations) {
  std::mt19937_64 generator(51);
  for (int trial = 0; trial < 20; ++trial) {
    const Motion motion(generator);
    const Inertia M = random_inertia(generator);
    const Wrench W_s = wrench(motion, M);
    for (const Representation rep : {Representation::body, Representation::spatial,
                                     Representation::hybrid, Representation::mixed}) {
      const auto V = [&](double t) { return lie::from_body(motion.V(t), motion.C(t), rep); };
      const Twist A =
          from_eigen<Twist>(test::derivative([&](double t) -> Vector6 { return to_eigen(V(t)); }));
      const Wrench W = newton_euler(M, motion.C0, V(0), A, rep);
      EXPECT_CLOSE(lie::convert(W, motion.C0, rep, Representation::spatial), W_s,
                   1e-10 * (1 + max_abs(W_s)));
      if (rep == Representation::mixed) continue;
      // The same by the general frame.
      const MovingFrame frame = moving_frame(motion.C0, motion.V(0), rep);
      const BodyInFrame body = in_frame(M, motion.C0, motion.V(0), motion.A(), frame);
      EXPECT_CLOSE(body.V, V(0), 1e-13 * (1 + max_abs(V(0))));
      EXPECT_CLOSE(body.V_dot, A, 1e-10 * (1 + max_abs(A)));
      EXPECT_CLOSE(newton_euler(body, frame), W, 1e-10 * (1 + max_abs(W)));
    }
  }
}

/// @paper 000 (60)-(64)
TEST(NewtonEuler, in_the_frame_at_j_with_the_axes_of_k) {
  std::mt19937_64 generator(52);
  for (int trial = 0; trial < 20; ++trial) {
    const Motion motion(generator), j(generator), k(generator);
    const Inertia M = random_inertia(generator);
    const auto frame_at = [&](double t) { return moving_frame(j.C(t), j.V(t), k.C(t), k.V(t)); };
    const auto at = [&](double t) {
      return in_frame(M, motion.C(t), motion.V(t), motion.A(), frame_at(t));
    };
    const MovingFrame frame = frame_at(0);
    const BodyInFrame body = at(0);
    const Wrench want = Ad_dual(frame.F, wrench(motion, M));
    const Wrench W = newton_euler(body, frame);
    EXPECT_CLOSE(W, want, 1e-9 * (1 + max_abs(want)));

    const auto V_dot = test::derivative([&](double t) -> Vector6 { return to_eigen(at(t).V); });
    EXPECT_CLOSE(body.V_dot, from_eigen<Twist>(V_dot), 1e-10 * (1 + max_abs(body.V_dot)));
    const auto Pi_rate =
        test::derivative([&](double t) -> Vector6 { return to_eigen(at(t).M * at(t).V); });
    EXPECT_CLOSE(momentum_rate(W, body.M * body.V, frame), from_eigen<Wrench>(Pi_rate),
                 1e-9 * (1 + max_abs(W)));
  }
}

TEST(NewtonEuler, has_no_single_frame_for_mixed) {
  EXPECT_SAYS(moving_frame(SE3{}, Twist{}, Representation::mixed), "mixed", "newton_euler");
}

}  // namespace
}  // namespace chasles
