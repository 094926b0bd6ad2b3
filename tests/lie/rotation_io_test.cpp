/// Quaternions, roll-pitch-yaw and Eigen: rotations and the rest on their way in and out.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

#include "chasles/lie/geodesic.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/eigen.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

TEST(QuaternionOf, agrees_with_eigen_and_returns) {
  std::mt19937_64 generator(1);
  for (int i = 0; i < 1000; ++i) {
    const SO3 R = random_rotation<double>(generator);
    const Quaternion q = quaternion(R);
    const Eigen::Quaterniond e(to_eigen(R));
    const double sign = q.w * e.w() + q.x * e.x() + q.y * e.y() + q.z * e.z() < 0 ? -1 : 1;
    EXPECT_NEAR(q.w, sign * e.w(), 1e-15);
    EXPECT_NEAR(q.x, sign * e.x(), 1e-15);
    EXPECT_NEAR(q.y, sign * e.y(), 1e-15);
    EXPECT_NEAR(q.z, sign * e.z(), 1e-15);
    EXPECT_CLOSE(rotation(q), R, 2e-15);
  }
}

TEST(QuaternionOf, half_turns_about_each_axis) {
  EXPECT_CLOSE(rotation(Quaternion{0, 1, 0, 0}), (SO3(Mat3{{1, 0, 0}, {0, -1, 0}, {0, 0, -1}})), 0);
  EXPECT_EQ(quaternion(rotation(Quaternion{0, 0, 1, 0})), (Quaternion{0, 0, 1, 0}));
  EXPECT_EQ(quaternion(rotation(Quaternion{0, 0, 0, 1})), (Quaternion{0, 0, 0, 1}));
  EXPECT_EQ(quaternion(SO3::identity()), (Quaternion{1, 0, 0, 0}));
}

TEST(Rpy, is_yaw_times_pitch_times_roll) {
  const double roll = 0.3, pitch = -0.7, yaw = 2.1;
  const SO3 R = exp(Vec3{0, 0, yaw}) * exp(Vec3{0, pitch, 0}) * exp(Vec3{roll, 0, 0});
  EXPECT_CLOSE(rotation_from_rpy(roll, pitch, yaw), R, 1e-15);
  EXPECT_CLOSE(rpy(R), (Vec3{roll, pitch, yaw}), 1e-15);
}

TEST(Rpy, takes_numbers_of_any_types) {
  EXPECT_CLOSE(rotation_from_rpy(0, 0.5, 0), exp(Vec3{0, 0.5, 0}), 1e-16);
  EXPECT_CLOSE(rotation_from_rpy(1, 0, 2L), exp(Vec3{0, 0, 2}) * exp(Vec3{1, 0, 0}), 1e-16);
  EXPECT_CLOSE(rotation_from_rpy(0.5f, -1, 2.0), rotation_from_rpy(0.5, -1.0, 2.0), 0);
  static_assert(std::is_same_v<decltype(rotation_from_rpy(0, 0, 0)), SO3>);
  static_assert(std::is_same_v<decltype(rotation_from_rpy(0, 1.f, 0)), lie::SO3<float>>);
  static_assert(std::is_same_v<decltype(rotation_from_rpy(0, 1.L, 0.f)), lie::SO3<long double>>);
}

TEST(Rpy, round_trips_also_at_the_lock) {
  std::mt19937_64 generator(2);
  for (int i = 0; i < 1000; ++i) {
    const SO3 R = random_rotation<double>(generator);
    const Vec3 a = rpy(R);
    EXPECT_CLOSE(rotation_from_rpy(a.x, a.y, a.z), R, 2e-15);
  }
  for (const double pitch : {M_PI / 2, -M_PI / 2, M_PI / 2 - 1e-9, -M_PI / 2 + 1e-12}) {
    const SO3 R = rotation_from_rpy(0.4, pitch, 1.1);
    const Vec3 a = rpy(R);
    EXPECT_CLOSE(rotation_from_rpy(a.x, a.y, a.z), R, 2e-15);
  }
  EXPECT_EQ(rpy(SO3::identity()), Vec3{});
}

TEST(Eigen, there_and_back) {
  std::mt19937_64 generator(3);
  const SE3 C = random_element<SE3>(generator);
  const Twist V = random_tangent<Twist>(generator);
  const Vec3 p = random_tangent<Vec3>(generator);
  EXPECT_EQ(from_eigen<Vec3>(to_eigen(p)), p);
  EXPECT_EQ(from_eigen<Twist>(to_eigen(V)), V);
  EXPECT_EQ(from_eigen<Mat3>(to_eigen(C.R)), C.R.matrix());
  EXPECT_EQ(from_eigen<SE3>(to_eigen(C)), C);
  EXPECT_EQ(from_eigen<Sym3>(to_eigen(Sym3{1, 2, 3, 4, 5, 6})), (Sym3{1, 2, 3, 4, 5, 6}));
  EXPECT_THROW(from_eigen<SO3>(Eigen::Matrix3d::Zero()), Error);
  // Products with Eigen's own arithmetic.
  EXPECT_LE((to_eigen(C * p) - (to_eigen(C.R) * to_eigen(p) + to_eigen(C.r))).norm(), 1e-15);
  EXPECT_LE((to_eigen(Ad_matrix(C)) * to_eigen(V) - to_eigen(Ad(C, V))).norm(), 4e-15);
  EXPECT_EQ(to_eigen(C)(3, 3), 1);
  EXPECT_EQ(to_eigen(matrix(C))(0, 3), C.r.x);
}

TEST(Symmetric, tensors_rotate_and_multiply_as_matrices) {
  std::mt19937_64 generator(4);
  const Sym3 a{1, 2, 3, 4, 5, 6};
  const SO3 R = random_rotation<double>(generator);
  const Vec3 p = random_tangent<Vec3>(generator), q = random_tangent<Vec3>(generator);
  EXPECT_CLOSE(matrix(rotate(R.matrix(), a)), R.matrix() * matrix(a) * transpose(R.matrix()),
               1e-14);
  EXPECT_CLOSE(a * p, matrix(a) * p, 2e-15);
  EXPECT_CLOSE(matrix(symmetric_outer(p, q)), outer(p, q) + outer(q, p), 0);
  EXPECT_NEAR(determinant(R.matrix()), 1, 1e-15);
}

}  // namespace
}  // namespace chasles
