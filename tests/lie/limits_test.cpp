/// The ends of the domain: half turns, full turns, huge and tiny numbers, long products.
#include <gtest/gtest.h>

#include <random>

#include "chasles/lie/cayley.hpp"
#include "chasles/lie/geodesic.hpp"
#include "support/near.hpp"
#include "support/reference.hpp"

namespace chasles {
namespace {

TEST(Sincos, is_accurate_to_an_ulp) {
  std::mt19937_64 generator(3);
  double worst = 0;
  const auto check = [&](double x) {
    const auto [s, c] = lie::sincos(x);
    const long double exact_s = std::sin(static_cast<long double>(x)),
                      exact_c = std::cos(static_cast<long double>(x));
    const auto error = [](double got, long double want) {
      return static_cast<double>(std::abs(got - want) / std::scalbn(1.0L, std::ilogb(want) - 52));
    };
    if (x != 0) worst = std::max({worst, error(s, exact_s), error(c, exact_c)});
  };
  for (const double range : {1.0, 10.0, 1e3, 9.9e4}) {
    std::uniform_real_distribution<double> uniform(-range, range);
    for (int i = 0; i < 100000; ++i) check(uniform(generator));
    EXPECT_LE(worst, range <= 1e3 ? 1.0 : 1.3);
  }
  // At the double nearest to k pi/2 the sine or cosine is what the reduction leaves over.
  for (int k = 1; k < 60000; k += 7) {
    const double x = k * 1.5707963267948966;
    const auto [s, c] = lie::sincos(x);
    EXPECT_NEAR(s, std::sin(x), 2e-16);
    EXPECT_NEAR(c, std::cos(x), 2e-16);
  }
  for (const double x : {0.0, -0.0, 1e-300, 1e5, 1e22, 1e300}) {
    EXPECT_EQ(lie::sincos(x).sin, std::sin(x));
    EXPECT_EQ(lie::sincos(x).cos, std::cos(x));
  }
  EXPECT_TRUE(std::isnan(lie::sincos(std::nan("")).sin));
}

TEST(Log, near_a_half_turn_keeps_the_axis_and_its_sign) {
  std::mt19937_64 generator(5);
  for (int i = 0; i < 200; ++i) {
    Vec3 n = random_tangent<Vec3>(generator);
    n = n / norm(n);
    for (const double gap : {1e-3, 1e-6, 1e-9, 1e-12, 1e-14}) {
      const Vec3 below = (M_PI - gap) * n, above = (M_PI + gap) * n;
      EXPECT_CLOSE(log(exp(below)), below, 4e-15) << gap;
      EXPECT_CLOSE(log(exp(above)), (gap - M_PI) * n, 4e-15) << gap;
    }
  }
}

/// At pi the two axes are one rotation: the sign must not depend on noise, nor on which component
/// is the largest.
TEST(Log, at_a_half_turn_has_a_stable_sign) {
  const double h = std::sqrt(0.5);
  for (const Vec3 n : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{h, -h, 0}, Vec3{0, h, -h},
                       Vec3{h, 0, -h}, Vec3{0.6, -0.8, 0}, Vec3{0.36, 0.48, -0.8}}) {
    const Vec3 expected = M_PI * n;  // the first nonzero component of each is positive
    EXPECT_CLOSE(log(exp(expected)), expected, 2e-15);
    EXPECT_CLOSE(log(exp(-expected)), expected, 2e-15);
    std::mt19937_64 generator(1);
    std::uniform_real_distribution<double> noise(-1.1e-16, 1.1e-16);
    for (int i = 0; i < 100; ++i) {
      Mat3 R = exp(expected).matrix();
      for (int j = 0; j < 3; ++j)
        for (int k = 0; k < 3; ++k) R(j, k) += noise(generator);
      EXPECT_CLOSE(log(SO3::unchecked(R)), expected, 3e-15);
    }
  }
}

template <class X>
bool finite(const X& x) {
  for (const auto e : test::entries(x))
    if (!std::isfinite(e)) return false;
  return true;
}

/// Every finite input gives a finite result; linear parts leave room for one product with an angle.
TEST(Extremes, finite_in_finite_out) {
  const double sizes[] = {0,   5e-324, 1e-310, 1e-300, 1e-160, 1e-8,  1,     1e3,
                          1e8, 1e100,  1e150,  1e154,  1e160,  1e200, 1e300, 1.7e308};
  for (const double w : sizes)
    for (const double v : {0.0, 1e-300, 1.0, 1e100, 1e140})
      for (const Vec3 direction : {Vec3{1, 0, 0}, Vec3{0.5, -0.5, 0.25}, Vec3{0.3, -0.7, 0.59}}) {
        const Twist X{w * direction, {v, -v, 0.5 * v}}, Y{{1, 2, 3}, {4, 5, 6}};
        EXPECT_TRUE(finite(exp(X.w))) << w;
        EXPECT_TRUE(finite(exp(X))) << w << " " << v;
        EXPECT_TRUE(finite(dexp(X, Y))) << w << " " << v;
        EXPECT_TRUE(finite(dexp_inv(X.w, Y.w))) << w;
        EXPECT_TRUE(finite(d_dexp(X.w, Y.w, Y.v))) << w;
        EXPECT_TRUE(finite(log(exp(X)))) << w << " " << v;
        EXPECT_TRUE(finite(cay(X))) << w << " " << v;
        EXPECT_LE(lie::orthogonality_defect(exp(X.w).matrix()), 4e-15) << w;
      }
}

TEST(Extremes, the_limit_of_dexp_for_a_huge_rotation_is_the_projection_on_the_axis) {
  const Vec3 y{1, 2, 3};
  EXPECT_CLOSE(dexp(Vec3{0, 0, 1e300}, y), (Vec3{0, 0, 3}), 1e-15);
  EXPECT_CLOSE(dexp(Vec3{0, 1e20, 0}, y), (Vec3{0, 2, 0}), 1e-15);
}

/// dexp_inv grows like 1 / (2 pi - t) towards a full turn: large, with the right sign, never
/// silently wrong.
TEST(Extremes, dexp_inv_at_full_turns) {
  for (const double gap : {1e-3, 1e-6, 1e-9}) {
    const Vec3 y = dexp_inv(Vec3{0, 0, 2 * M_PI - gap}, Vec3{1, 0, 0});
    EXPECT_NEAR(y.x * gap / (2 * M_PI), -1, 1e-2 * gap / 1e-3 + 1e-5);
    EXPECT_NEAR(y.y, -M_PI, 1e-2);
  }
  EXPECT_GE(std::abs(dexp_inv(Vec3{0, 0, 2 * M_PI}, Vec3{1, 0, 0}).x), 1e14);
  EXPECT_CLOSE(dexp_inv(Vec3{0, 0, 2 * M_PI}, Vec3{0, 0, 1}), (Vec3{0, 0, 1}), 0);
  const Vec3 w{3, 4, 5}, y{1, -1, 2};  // beyond one turn
  EXPECT_CLOSE(dexp_inv(w, dexp(w, y)), y, 1e-13);
}

/// Rounding moves a product of rotations off the group; normalized() brings it back.
TEST(Drift, after_a_million_compositions) {
  std::mt19937_64 generator(9);
  const SO3 steps[4] = {random_rotation<double>(generator), random_rotation<double>(generator),
                        random_rotation<double>(generator), exp(Vec3{1e-3, 2e-3, -1e-3})};
  SO3 R, repeated;
  for (int i = 0; i < 1000000; ++i) {
    R = R * steps[i % 3];
    repeated = repeated * steps[3];
  }
  for (const SO3& C : {R, repeated}) {
    const double defect = lie::orthogonality_defect(C.matrix());
    EXPECT_LE(defect, 1e-9);  // the documented bound
    EXPECT_LE(lie::orthogonality_defect(C.normalized().matrix()), 4e-16);
    EXPECT_CLOSE(C.normalized(), C, defect);
    std::printf("  defect after 1e6 compositions %.2g\n", defect);
  }
}

TEST(Drift, normalized_squares_the_defect) {
  Mat3 R = exp(Vec3{0.3, -0.4, 0.5}).matrix();
  R(0, 1) += 1e-4;
  const double before = lie::orthogonality_defect(R);
  const double after = lie::orthogonality_defect(SO3::unchecked(R).normalized().matrix());
  EXPECT_GT(before, 5e-5);
  EXPECT_LE(after, 3 * before * before);
}

}  // namespace
}  // namespace chasles
