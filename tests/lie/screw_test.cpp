#include "chasles/screws/screw.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/lie/geodesic.hpp"
#include "chasles/screws/pluecker.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

TEST(Screws, take_a_pitch_of_any_type) {
  static_assert(std::is_same_v<decltype(screw({0, 0, 1}, {1, 0, 0}, 2)), Twist>);
  EXPECT_CLOSE(screw({0, 0, 1}, {1, 0, 0}, 2), (Twist{{0, 0, 1}, {0, -1, 2}}), 0);
  EXPECT_CLOSE(screw({0, 0, 1}, {1, 0, 0}, 0), screw({0, 0, 1}, {1, 0, 0}), 0);
}

/// @paper 003 (1), Remark 1, (2), (67)
TEST(Screw, moves_points_on_its_axis_along_the_axis) {
  const Vec3 axis{1, 2, 2}, point{0.3, -0.1, 0.7};
  const double pitch = 0.25, angle = 1.3;
  const SE3 C = exp(angle * screw(axis, point, pitch));
  EXPECT_CLOSE(C * point, point + (angle * pitch / 3) * axis, 1e-15);
  EXPECT_CLOSE(C * (point + axis), point + axis + (angle * pitch / 3) * axis, 2e-15);
}

TEST(Screw, with_infinite_pitch_translates) {
  const Twist X = screw(Vec3{0, 3, 4}, Vec3{5, 6, 7}, std::numeric_limits<double>::infinity());
  EXPECT_EQ(X, (Twist{{}, {0, 0.6, 0.8}}));
  EXPECT_CLOSE(exp(2.0 * X), (SE3{{}, {0, 1.2, 1.6}}), 0);
}

TEST(Screw, and_back) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 100; ++i) {
    const Vec3 axis = random_tangent<Vec3>(generator), point = random_tangent<Vec3>(generator);
    const double pitch = random_tangent<Vec3>(generator).x,
                 magnitude = 0.1 + std::abs(random_tangent<Vec3>(generator).x);
    const ScrewAxis s = screw_axis(magnitude * screw(axis, point, pitch));
    EXPECT_CLOSE(s.axis, axis / norm(axis), 2e-15);
    EXPECT_NEAR(s.pitch, pitch, 2e-14);
    EXPECT_NEAR(s.magnitude, magnitude, 1e-15 * magnitude * 4);
    EXPECT_NEAR(dot(s.point, s.axis), 0, 1e-14);                  // the point nearest to the origin
    EXPECT_CLOSE(cross(point - s.point, s.axis), Vec3{}, 2e-14);  // on the axis
  }
  const ScrewAxis translation = screw_axis(Twist{{}, {0, 0, -2}});
  EXPECT_EQ(translation.axis, (Vec3{0, 0, -1}));
  EXPECT_EQ(translation.pitch, std::numeric_limits<double>::infinity());
  EXPECT_EQ(translation.magnitude, 2);
  const ScrewAxis rest = screw_axis(Twist{});
  EXPECT_EQ(rest.axis, Vec3{});
  EXPECT_EQ(rest.magnitude, 0);
}

/// Mozzi: every displacement is a turn about an axis and a slide along it. Points of the axis move
/// along it only, by the same amount; and the displacement is recovered from the axis.
TEST(MozziAxis, of_random_displacements) {
  std::mt19937_64 generator(4);
  for (int i = 0; i < 100; ++i) {
    const SE3 C = random_element<SE3>(generator, 3);
    const ScrewAxis s = mozzi_axis(C);
    const Vec3 moved = C * s.point - s.point;
    EXPECT_CLOSE(moved, (s.pitch * s.magnitude) * s.axis, 2e-13);
    EXPECT_CLOSE(exp(s.magnitude * screw(s.axis, s.point, s.pitch)), C, 2e-13);
    EXPECT_LE(s.magnitude, M_PI + 1e-15);
  }
}

TEST(MozziAxis, of_a_half_turn_and_of_a_translation) {
  const ScrewAxis half = mozzi_axis(SE3{exp(Vec3{0, 0, M_PI}), {2, 0, 1}});
  EXPECT_CLOSE(half.axis, (Vec3{0, 0, 1}), 1e-15);
  EXPECT_CLOSE(half.point, (Vec3{1, 0, 0}), 2e-15);
  EXPECT_NEAR(half.pitch * half.magnitude, 1, 1e-15);
  const ScrewAxis slide = mozzi_axis(SE3{{}, {0, 3, 4}});
  EXPECT_CLOSE(slide.axis, (Vec3{0, 0.6, 0.8}), 1e-15);
  EXPECT_EQ(slide.magnitude, 5);
}

/// Forces at points, summed: the resultant reduced to Poinsot's axis has the same moment about every point, and its
/// couple is parallel to the force.
TEST(PoinsotAxis, of_forces_at_points) {
  std::mt19937_64 generator(8);
  for (int i = 0; i < 50; ++i) {
    Wrench W{};
    for (int k = 0; k < 3; ++k) {
      const Vec3 p = random_tangent<Vec3>(generator), f = random_tangent<Vec3>(generator);
      W += Wrench{cross(p, f), f};
    }
    const ScrewAxis s = poinsot_axis(W);
    const Vec3 at_axis = W.t - cross(s.point, W.f);  // torque about a point of the axis
    EXPECT_CLOSE(cross(at_axis, W.f), Vec3{}, 2e-14);
    EXPECT_CLOSE(at_axis, s.pitch * W.f, 2e-14);
    EXPECT_NEAR(s.magnitude, norm(W.f), 1e-15);
    EXPECT_NEAR(s.pitch, dot(W.t, W.f) / dot(W.f, W.f), 4e-14);
  }
  const ScrewAxis couple = poinsot_axis(Wrench{{0, 0, -3}, {}});
  EXPECT_EQ(couple.pitch, std::numeric_limits<double>::infinity());
  EXPECT_EQ(couple.magnitude, 3);
  EXPECT_EQ(poinsot_axis(Wrench{}).magnitude, 0);
}

TEST(ReciprocalProduct, is_power_in_every_frame_and_a_formula_of_axes) {
  std::mt19937_64 generator(9);
  for (int i = 0; i < 50; ++i) {
    const Twist X = random_tangent<Twist>(generator), Y = random_tangent<Twist>(generator);
    const SE3 C = random_element<SE3>(generator, 2);
    EXPECT_NEAR(reciprocal_product(X, Y), power(as_wrench(X), Y), 0);
    EXPECT_NEAR(reciprocal_product(Ad(C, X), Ad(C, Y)), reciprocal_product(X, Y), 1e-12);
    EXPECT_EQ(as_screw(as_wrench(X)), X);
  }
  // Axes z through the origin and, at the distance d along x, turned about x by the angle a.
  const double d = 0.7, a = 0.4, h_1 = 0.2, h_2 = -0.5;
  const Twist one = screw({0, 0, 1}, {0, 0, 0}, h_1),
              two = screw({0, -std::sin(a), std::cos(a)}, {d, 0, 0.3}, h_2);
  EXPECT_NEAR(reciprocal_product(one, two), (h_1 + h_2) * std::cos(a) - d * std::sin(a), 1e-15);
  EXPECT_EQ(reciprocal_product(screw({0, 0, 1}, {1, 0, 0}), screw({1, 0, 0}, {0, 0, 0})), 0);
}

TEST(PlueckerLine, of_points_and_screws) {
  std::mt19937_64 generator(10);
  for (int i = 0; i < 50; ++i) {
    const Vec3 p = random_tangent<Vec3>(generator), e = random_tangent<Vec3>(generator),
               f = random_tangent<Vec3>(generator);
    const PlueckerLine line = pluecker_line(e, p);
    EXPECT_NEAR(dot(line.direction, line.moment), 0, 2e-15);
    const Vec3 foot = nearest_point(line);
    EXPECT_CLOSE(cross(foot - p, line.direction), Vec3{}, 2e-15);
    EXPECT_NEAR(dot(foot, line.direction), 0, 2e-15);
    const PlueckerLine same = pluecker_line(screw_axis(screw(line, 0.3)));
    EXPECT_CLOSE(same.moment, line.moment, 4e-15);
    // Distance by the common normal, from any two points.
    const Vec3 n = cross(e, f), other{0.1, 2, -1};
    EXPECT_NEAR(line_distance(line, pluecker_line(f, other)), std::abs(dot(other - p, n)) / norm(n),
                4e-14);
  }
  EXPECT_NEAR(
      line_distance(pluecker_line({0, 0, 2}, {1, 0, 5}), pluecker_line({0, 0, -1}, {4, 4, 0})), 5,
      1e-15);
  EXPECT_THROW(pluecker_line(screw_axis(Twist{{}, {0, 0, 1}})), Error);
  EXPECT_THROW(pluecker_line(screw_axis(Twist{})), Error);
  EXPECT_THROW(pluecker_line({0, 0, 0}, {1, 0, 0}), Error);
  EXPECT_THROW(pluecker_line({0, 0, 1}, {NAN, 0, 0}), Error);
}

}  // namespace
}  // namespace chasles
