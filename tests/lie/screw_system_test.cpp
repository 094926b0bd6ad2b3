/// Screw systems against the list of subgroups of 003 Table 1, the dimensions that reciprocity prescribes, and chains
/// whose motion is known.
#include "chasles/screws/screw_system.hpp"

#include <gtest/gtest.h>

#include <random>

#include "chasles/lie/geodesic.hpp"
#include "support/near.hpp"

namespace chasles {
namespace {

const Twist x_turn = screw({1, 0, 0}, {0, 0, 0}), y_turn = screw({0, 1, 0}, {0, 0, 0}),
            z_turn = screw({0, 0, 1}, {0, 0, 0});
Twist along(const Vec3& e) { return {{}, e}; }

/// Generators of every subgroup, with no more than are needed; moved anywhere, to 1000 km, and in mm.
TEST(ScrewSystem, closures_are_the_subgroups_of_table_1) {
  using enum MotionSubgroup;
  const Twist far_z = screw({0, 0, 1}, {0.3, 0.4, 0});
  const std::vector<std::pair<MotionSubgroup, std::vector<Twist>>> table = {
      {trivial, {}},
      {translation, {along({1, 2, 3})}},
      {rotation, {far_z}},
      {helical, {screw({0, 0, 1}, {0.3, 0.4, 0}, 0.02)}},
      {translation2, {along({1, 0, 0}), along({1, 1, 0})}},
      {cylindrical, {far_z, along({0, 0, 1})}},
      {cylindrical, {far_z, screw({0, 0, 1}, {0.3, 0.4, 0}, 0.02)}},
      {translation3, {along({1, 0, 0}), along({0, 1, 0}), along({0, 1, 1})}},
      {spherical, {x_turn, y_turn}},
      {planar_helical, {screw({0, 0, 1}, {0, 0, 0}, 0.1), screw({0, 0, 1}, {1, 0, 0}, 0.1)}},
      {planar, {z_turn, far_z}},
      {schoenflies, {z_turn, screw({0, 0, 1}, {1, 0, 0}, 0.1)}},
      {schoenflies, {z_turn, along({1, 0, 1})}},
      {full, {x_turn, far_z}},
  };
  const int dimensions[] = {0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 6};
  std::mt19937_64 generator(12);
  for (const auto& [subgroup, screws] : table)
    for (int trial = 0; trial < 5; ++trial) {
      const SE3 C = trial == 0 ? SE3{} : random_element<SE3>(generator, 2);
      const ScrewSystem S = closure(transform(C, ScrewSystem(screws)));
      EXPECT_EQ(S.dimension(), dimensions[static_cast<int>(subgroup)]) << subgroup_name(subgroup);
      EXPECT_EQ(motion_subgroup(S), subgroup) << subgroup_name(subgroup);
      EXPECT_EQ(reciprocal(S).dimension(), 6 - S.dimension());
      EXPECT_FALSE(subgroup_motion(subgroup).empty());
    }
}

TEST(ScrewSystem, reciprocal_screws_do_no_work_and_come_back) {
  std::mt19937_64 generator(13);
  for (int n = 0; n <= 6; ++n) {
    std::vector<Twist> screws;
    for (int k = 0; k < n; ++k) screws.push_back(random_tangent<Twist>(generator));
    const ScrewSystem S(screws), other = reciprocal(S), back = reciprocal(other);
    EXPECT_EQ(S.dimension(), n);
    EXPECT_EQ(other.dimension(), 6 - n);
    for (const Twist& Y : other.basis())
      for (const Twist& X : screws) EXPECT_NEAR(power(as_wrench(Y), X), 0, 1e-13);
    EXPECT_EQ(back.dimension(), n);
    for (const Twist& X : screws) EXPECT_TRUE(back.contains(X));
  }
  // The wrenches of a revolute joint: no moment about its axis.
  const ScrewSystem hinge = reciprocal({screw({0, 0, 1}, {1, 2, 0})});
  EXPECT_TRUE(hinge.contains(screw({0, 0, 1}, {1, 2, 0})));  // a force along the axis
  EXPECT_TRUE(hinge.contains(screw({1, 0, 0}, {5, 2, 0})));  // a force through it
  EXPECT_FALSE(hinge.contains(along({0, 0, 1})));            // a couple about it
}

/// dim(A + B) + dim(A n B) = dim A + dim B, also where the sum is random.
TEST(ScrewSystem, sums_and_intersections_have_the_right_dimensions) {
  std::mt19937_64 generator(14);
  for (int trial = 0; trial < 30; ++trial) {
    const int shared = trial % 3;
    std::vector<Twist> a, b;
    for (int k = 0; k < shared; ++k)
      a.push_back(random_tangent<Twist>(generator)), b.push_back(a.back());
    for (int k = 0; k < 2; ++k) a.push_back(random_tangent<Twist>(generator));
    b.push_back(random_tangent<Twist>(generator));
    const ScrewSystem A(a), B(b);
    EXPECT_EQ(intersection(A, B).dimension(), shared);
    EXPECT_EQ(sum(A, B).dimension(), 3 + shared);
    for (const Twist& X : intersection(A, B).basis()) EXPECT_TRUE(A.contains(X) && B.contains(X));
  }
  // Spherical about a point and planar: rotations about the normal through that point are common.
  const ScrewSystem ball({x_turn, y_turn, z_turn}),
      plane({z_turn, along({1, 0, 0}), along({0, 1, 0})});
  const ScrewSystem common = intersection(ball, plane);
  EXPECT_EQ(common.dimension(), 1);
  EXPECT_TRUE(common.contains(z_turn));
}

/// What a basis has does not depend on the unit of length or the place of the origin.
TEST(ScrewSystem, is_independent_of_scale_and_place) {
  for (const double unit : {1e-6, 1.0, 1e6}) {
    const ScrewSystem bar({screw({0, 0, 1}, {0, 0, 0}), screw({0, 0, 1}, {unit, 0, 0}),
                           screw({0, 0, 1}, {2 * unit, unit, 0})});
    EXPECT_EQ(bar.dimension(), 3) << unit;
    EXPECT_EQ(motion_subgroup(closure(bar)), MotionSubgroup::planar) << unit;
  }
  const Vec3 away{1e5, -2e5, 1e5};
  const ScrewSystem ball({screw({1, 0, 0}, away), screw({0, 1, 0}, away), screw({0, 1, 1}, away)});
  EXPECT_EQ(motion_subgroup(closure(ball)), MotionSubgroup::spherical);
}

TEST(ScrewSystem, refuses_what_is_not_a_screw_or_a_group) {
  EXPECT_THROW(ScrewSystem({Twist{{NAN, 0, 0}, {}}}), Error);
  EXPECT_THROW(motion_subgroup(ScrewSystem({x_turn, y_turn})), Error);
  EXPECT_THROW(subgroup_name(static_cast<MotionSubgroup>(40)), Error);
  EXPECT_EQ(ScrewSystem({Twist{}, Twist{}}).dimension(), 0);
  EXPECT_FALSE(is_closed({x_turn, y_turn}));
  EXPECT_TRUE(is_closed({x_turn, y_turn, z_turn}));
}

}  // namespace
}  // namespace chasles
