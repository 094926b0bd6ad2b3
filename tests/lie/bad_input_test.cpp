/// What cannot be: an error that prints the value and the defect, and a projecting alternative
/// where one exists.
#include <gtest/gtest.h>

#include <limits>

#include "chasles/lie/geodesic.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/physical.hpp"
#include "chasles/screws/projection.hpp"
#include "chasles/screws/representation.hpp"
#include "chasles/screws/screw.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN(),
                 infinity = std::numeric_limits<double>::infinity();

const Mat3 sheared{{1, 0, 0}, {0.3, 1, 0}, {0, 0, 1}};
const Mat3 mirror{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};

TEST(BadInput, a_matrix_that_is_not_a_rotation) {
  EXPECT_SAYS(SO3(sheared), "not a rotation: |R^T R - I| = 0.3", "(1, 0.3, 0)", "nearest_rotation");
  EXPECT_SAYS(SO3(mirror), "not a rotation", "determinant is -1", "(0, 0, -1)");
  EXPECT_SAYS(SO3(Mat3{}), "|R^T R - I| = 1");
  Mat3 bad = Mat3::identity();
  bad(1, 2) = nan;
  EXPECT_SAYS(SO3(bad), "not a rotation", "nan");
  bad(1, 2) = infinity;
  EXPECT_SAYS(SO3(bad), "not a rotation", "inf");
  EXPECT_SAYS(lie::SO3<float>(lie::Mat3<float>{}), "not a rotation");
}

TEST(BadInput, rounded_rotations_are_accepted_and_made_exact) {
  Mat3 R = exp(Vec3{0.1, 0.2, 0.3}).matrix();
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) R(i, j) = std::round(R(i, j) * 1e7) / 1e7;
  ASSERT_GT(lie::orthogonality_defect(R), 1e-9);
  EXPECT_LE(lie::orthogonality_defect(SO3(R).matrix()), 4e-16);
  const Mat3 exact = exp(Vec3{0.1, 0.2, 0.3}).matrix();
  EXPECT_EQ(SO3(exact).matrix(), exact);
}

TEST(BadInput, nearest_rotation_projects) {
  const SO3 R = nearest_rotation(sheared);
  EXPECT_LE(lie::orthogonality_defect(R.matrix()), 4e-16);
  // The polar factor: R^T A is symmetric, and no small rotation brings R nearer.
  const Mat3 S = transpose_times(R.matrix(), sheared);
  EXPECT_CLOSE(S, transpose(S), 1e-15);
  const auto distance = [&](const SO3& C) {
    double d = 0;
    for (const double e : test::entries(C.matrix() - sheared)) d += e * e;
    return d;
  };
  for (const Vec3 step : {Vec3{1e-3, 0, 0}, Vec3{0, -1e-3, 0}, Vec3{0, 0, 1e-3}, Vec3{0, 0, -1e-3}})
    EXPECT_GT(distance(R * exp(step)), distance(R));
  EXPECT_CLOSE(nearest_rotation(1e200 * exp(Vec3{1, 2, 3}).matrix()), exp(Vec3{1, 2, 3}), 1e-14);
  EXPECT_CLOSE(nearest_rotation(1e-200 * exp(Vec3{3, 0, 0.1}).matrix()), exp(Vec3{3, 0, 0.1}),
               1e-14);
  const Mat3 flat{{1, 0, 0}, {0, 2, 0}, {0, 0, -0.5}};  // a reflection with a nearest rotation
  EXPECT_CLOSE(nearest_rotation(flat), SO3::identity(), 1e-15);
  EXPECT_SAYS(nearest_rotation(Mat3{}), "no nearest rotation", "zero");
  EXPECT_SAYS(nearest_rotation(mirror), "no nearest rotation", "many");
  Mat3 bad;
  bad(0, 0) = nan;
  EXPECT_SAYS(nearest_rotation(bad), "no nearest rotation", "not finite");
}

TEST(BadInput, quaternions) {
  EXPECT_SAYS(rotation(Quaternion{0, 0, 0, 0}), "quaternion (0, 0, 0, 0) has no direction");
  EXPECT_SAYS(rotation(Quaternion{nan, 0, 0, 1}), "no direction");
  EXPECT_SAYS(rotation(Quaternion{1, nan, 0, 0}), "quaternion (1, nan, 0, 0)");
  EXPECT_SAYS(rotation(Quaternion{infinity, 0, 0, 1}), "no direction");
  EXPECT_SAYS(rotation(Quaternion{2, 0, 0, 0}), "is not unit: |q| - 1 = 1", "normalized");
  EXPECT_CLOSE(rotation(normalized(Quaternion{2, 0, 0, 2})), exp(Vec3{0, 0, M_PI / 2}), 1e-15);
  EXPECT_CLOSE(rotation(normalized(Quaternion{2e-300, 0, 0, 2e-300})), exp(Vec3{0, 0, M_PI / 2}),
               1e-15);
  EXPECT_CLOSE(rotation(normalized(Quaternion{1e308, 0, 0, 1e308})), exp(Vec3{0, 0, M_PI / 2}),
               1e-15);
  const SO3 R = rotation(Quaternion{1 + 5e-7, 0, 0, 0});  // rounding of a file
  EXPECT_CLOSE(R, SO3::identity(), 0);
  EXPECT_SAYS(rotation(Quaternion{1 + 2e-6, 0, 0, 0}), "is not unit");
}

TEST(BadInput, poses) {
  auto m = matrix(SE3{exp(Vec3{1, 2, 3}), {4, 5, 6}});
  EXPECT_CLOSE(SE3::from_matrix(m), (SE3{exp(Vec3{1, 2, 3}), {4, 5, 6}}), 1e-15);
  m(3, 1) = 0.5;
  EXPECT_SAYS(SE3::from_matrix(m), "not a rigid motion", "(0, 0.5, 0, 1)", "must be (0, 0, 0, 1)");
  m(3, 1) = 0;
  m(3, 3) = nan;
  EXPECT_SAYS(SE3::from_matrix(m), "not a rigid motion", "nan");
  m(3, 3) = 1;
  m(0, 0) += 0.1;
  EXPECT_SAYS(SE3::from_matrix(m), "not a rotation");
  m(0, 0) -= 0.1;
  m(0, 3) = infinity;
  EXPECT_SAYS(SE3::from_matrix(m), "not a rigid motion", "inf", "finite");
}

TEST(BadInput, screws) {
  EXPECT_SAYS(screw(Vec3{0, 0, 0}, Vec3{1, 0, 0}),
              "axis (0, 0, 0) has no direction; give a nonzero axis");
  EXPECT_SAYS(screw(Vec3{nan, 0, 1}, Vec3{1, 0, 0}), "axis (nan, 0, 1)");
  EXPECT_SAYS(screw(Vec3{0, 0, 1}, Vec3{1, 0, 0}, nan), "pitch", "not a number");
  EXPECT_SAYS(screw(Vec3{0, 0, 1}, Vec3{infinity, 0, 0}), "point (inf, 0, 0)", "finite");
  EXPECT_CLOSE(screw(Vec3{0, 0, 1e-320}, Vec3{}).w, (Vec3{0, 0, 1}), 1e-15);
  EXPECT_CLOSE(screw(Vec3{0, 1e308, 1e308}, Vec3{}).w, (Vec3{0, std::sqrt(0.5), std::sqrt(0.5)}),
               1e-15);
}

TEST(BadInput, inertias) {
  const Sym3 I = Sym3::diagonal(1, 1, 1);
  EXPECT_SAYS(inertia_about_com(-1, Vec3{}, I), "no body can have this inertia",
              "mass -1 kg is negative");
  EXPECT_SAYS(inertia_about_com(1, Vec3{}, Sym3::diagonal(1, 1, 3)), "(1, 1, 3)",
              "triangle inequality violated by 1");
  EXPECT_SAYS(inertia_about_com(1, Vec3{}, Sym3::diagonal(-1, 1, 1)), "one is negative");
  EXPECT_SAYS(inertia_about_com(0, Vec3{}, I), "mass is 0", "3 kg m^2");
  EXPECT_SAYS(inertia_about_com(nan, Vec3{}, I), "not finite");
  EXPECT_SAYS(inertia_about_com(1, Vec3{0, infinity, 0}, I), "not finite");
  EXPECT_SAYS(inertia_about_origin(2, Vec3{1, 0, 0}, I),
              "one is negative");  // less than the mass alone has there
  EXPECT_NO_THROW(inertia_about_com(0, Vec3{}, Sym3{}));
  EXPECT_NO_THROW(inertia_about_com(1, Vec3{}, Sym3{}));  // a point
  EXPECT_NO_THROW(
      inertia_about_com(1, Vec3{1e3, 0, 0}, Sym3::diagonal(1, 1, 2)));  // a disc, far away
  EXPECT_NO_THROW(inertia_about_com(1, Vec3{}, Sym3::diagonal(0.333333, 0.333333, 0.666667)));
}

TEST(BadInput, nearest_physical_projects) {
  const Inertia good = compose_inertia(2.0, Vec3{0.1, 0.2, 0.3}, Sym3::diagonal(0.1, 0.2, 0.25));
  EXPECT_CLOSE(nearest_physical(good), good, 4e-15);
  const Inertia bad = compose_inertia(1.0, Vec3{}, Sym3::diagonal(1, 1, 3));
  const Inertia projected = nearest_physical(bad);
  EXPECT_TRUE(lie::is_physical(projected));
  EXPECT_CLOSE(projected, (Inertia{1, {}, Sym3::diagonal(1.5, 1.5, 3)}),
               1e-15);  // Binet -0.5 becomes 0
  EXPECT_SAYS(nearest_physical(Inertia{nan, {}, {}}), "not finite");
}

TEST(BadInput, means_and_mixed_inertias) {
  EXPECT_SAYS(mean(std::span<const SE3>()), "mean of no elements");
  const SO3 apart[3] = {exp(Vec3{0, 0, 0}), exp(Vec3{0, 0, 2.1}), exp(Vec3{0, 0, -2.1})};
  EXPECT_NO_THROW(mean(std::span<const SO3>(apart)));
  EXPECT_SAYS(lie::convert(Inertia{}, SE3{}, Representation::body, Representation::mixed),
              "inertia_matrix");
}

}  // namespace
}  // namespace chasles
