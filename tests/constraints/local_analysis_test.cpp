/// Loops by the algebra of their screws against ranks at samples, and tangent cones against closed forms.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "chasles/constraints/analysis.hpp"
#include "chasles/constraints/loop_screws.hpp"
#include "chasles/constraints/tangent_cone.hpp"
#include "studies/mechanisms/linkages.hpp"
#include "studies/mechanisms/platforms.hpp"
#include "support/overconstrained.hpp"
#include "support/parallelogram.hpp"

namespace local_analysis_test {

using namespace chasles;

/// A ring of revolute joints, the last one cut.
Mechanism revolute_ring(const std::vector<std::pair<Vec3, Vec3>>& axes) {
  MechanismBuilder b("ring");
  std::string parent(ground);
  for (std::size_t k = 0; k + 1 < axes.size(); ++k) {
    const std::string name = "b" + std::to_string(k);
    b.body(name, parent, joints::revolute(axes[k].first, axes[k].second))
        .inertia(1, axes[k].second, Sym3::diagonal(0.1, 0.2, 0.25));
    parent = name;
  }
  return b
      .loop({.name = "closure",
             .bodies = {parent, std::string(ground)},
             .type = JointType::revolute,
             .geometry = AxisGeometry{axes.back().first, axes.back().second}})
      .build();
}

struct Both {
  LoopScrewSystem algebra;
  MobilityReport samples;
  explicit Both(const Mechanism& mechanism) {
    const Model model = compile(mechanism);
    Constraints constraints(model);
    const Vector q = assemble(constraints, model.neutral());
    algebra = loop_screw_systems(constraints, q).at(0);
    samples = analyze(constraints, q);
  }
};

TEST(LoopScrews, give_the_redundancy_of_planar_and_spherical_loops) {
  const Both planar(studies::four_bar());
  EXPECT_EQ(planar.algebra.subgroup, MotionSubgroup::planar);
  EXPECT_EQ(planar.algebra.bound, 3);
  EXPECT_EQ(planar.algebra.redundant, 3);
  EXPECT_EQ(planar.samples.blocks[0].redundant, 3);
  EXPECT_EQ(planar.algebra.mobility, 1);
  EXPECT_EQ(planar.algebra.joint_freedom, 4);

  const Vec3 o{0.1, 0.2, 0.3};
  const Both spherical(
      revolute_ring({{{1, 0, 0}, o}, {{1, 1, 0}, o}, {{0, 1, 1}, o}, {{0.3, -0.2, 1}, o}}));
  EXPECT_EQ(spherical.algebra.subgroup, MotionSubgroup::spherical);
  EXPECT_EQ(spherical.algebra.redundant, 3);
  EXPECT_EQ(spherical.samples.blocks[0].redundant, 3);
}

/// Three concurrent axes close to three parallel ones: together they generate SE(3), but 5 equations are enough.
TEST(LoopScrews, cut_the_ring_into_chains) {
  const Vec3 o{0, 0, 0.5}, z{0, 0, 1};
  const Both both(revolute_ring({{{1, 0, 0.2}, o},
                                 {{0.1, 1, 0}, o},
                                 {{1, 1, 1}, o},
                                 {z, {1, 0, 0}},
                                 {z, {1.2, 0.7, 0}},
                                 {z, {0.3, 0.9, 0}}}));
  EXPECT_EQ(both.algebra.subgroup, MotionSubgroup::full);
  EXPECT_EQ(both.algebra.bound, 5);
  EXPECT_EQ(both.algebra.redundant, 1);
  EXPECT_EQ(both.samples.blocks[0].redundant, 1);
  EXPECT_EQ(both.algebra.mobility, 1);
  EXPECT_EQ(both.samples.mobility, 1);
}

/// Mobility by dimensions is not in the algebra; ranks at samples see it. Nowhere do they exceed the bound.
TEST(LoopScrews, bound_the_rank_at_samples) {
  const Both bennett(test::bennett());
  EXPECT_EQ(bennett.algebra.redundant, 0);
  EXPECT_EQ(bennett.samples.blocks[0].redundant, 3);
  for (const Mechanism& mechanism :
       {studies::n_four_bar(3), studies::bricard(), studies::stewart(), studies::delta(),
        studies::differential(), test::governor(), test::parallel_cranks(), test::ball_in_slot()}) {
    const Model model = compile(mechanism);
    Constraints constraints(model);
    const Vector q = assemble(constraints, model.neutral());
    const MobilityReport report = analyze(constraints, q);
    const std::vector<LoopScrewSystem> loops = loop_screw_systems(constraints, q);
    ASSERT_EQ(loops.size(), model.loops().size());
    for (std::size_t l = 0; l < loops.size(); ++l)
      EXPECT_GE(report.blocks[l].redundant, loops[l].redundant)
          << model.name() << ", " << loops[l].name;
  }
  const Model model = compile(studies::four_bar());
  Constraints constraints(model);
  EXPECT_THROW(loop_screw_systems(constraints, Vector(1)), SizeError);
  EXPECT_THROW(tangent_cone(constraints, Vector(1)), SizeError);
}

/// A platform on legs of revolute and prismatic joints, the last joint of the first leg in the tree.
struct Leg {
  std::vector<Joint> joints;  // the last one on the platform
};
Mechanism platform_on(const std::vector<Leg>& legs, const std::vector<std::size_t>& order) {
  MechanismBuilder b("platform");
  for (const std::size_t k : order) {
    std::string parent(ground);
    for (std::size_t i = 0; i + 1 < legs[k].joints.size(); ++i) {
      const std::string name = "leg" + std::to_string(k) + std::to_string(i);
      b.body(name, parent, legs[k].joints[i])
          .inertia(1, {0.1, 0.2, 0.3}, Sym3::diagonal(0.5, 0.6, 0.7));
      parent = name;
    }
    const Joint& last = legs[k].joints.back();
    if (k == order[0])
      b.body("platform", parent, last).inertia(1, {0.1, 0.2, 0.3}, Sym3::diagonal(0.5, 0.6, 0.7));
    else
      b.loop({.name = "loop" + std::to_string(k),
              .bodies = {parent, "platform"},
              .type = last.type,
              .geometry = last.geometry});
  }
  return b.build();
}

/// Redundancy of a platform on legs, in every order of the legs: by the algebra, which sees what the loops before leave,
/// and by ranks at samples. Both must be `redundant`, which follows from the mobility that such platforms are known for.
void expect_redundancy(const std::vector<Leg>& legs, int mobility, int redundant) {
  std::vector<std::size_t> order(legs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  do {
    const Model model = compile(platform_on(legs, order));
    Constraints constraints(model);
    const Vector q = assemble(constraints, model.neutral());
    const MobilityReport samples = analyze(constraints, q);
    int algebra = 0, alone = 0;
    for (const LoopScrewSystem& loop : loop_screw_systems(constraints, q)) {
      algebra += loop.redundant;
      alone += 6 - loop.bound;
      EXPECT_LE(loop.bound_with_others, loop.bound);
    }
    EXPECT_EQ(samples.mobility, mobility);
    EXPECT_EQ(samples.equations - samples.rank, redundant);
    EXPECT_EQ(algebra, redundant);
    EXPECT_LT(alone, redundant);
  } while (std::next_permutation(order.begin(), order.end()));
}

/// Three legs with a slide and three axes along x, y and z: the platform translates, by any two of them.
TEST(LoopScrews, see_what_other_loops_leave_of_a_tripteron) {
  const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::vector<Leg> legs;
  for (std::size_t k = 0; k < 3; ++k) {
    const Vec3 e = axes[k], f = axes[(k + 1) % 3], g = axes[(k + 2) % 3];
    legs.push_back({{joints::prismatic(e), joints::revolute(e, 2.0 * g + 0.3 * f),
                     joints::revolute(e, 1.2 * g + f), joints::revolute(e, 0.1 * g + 0.2 * f)}});
  }
  expect_redundancy(legs, 3, 3);  // 12 joints, 2 loops: 12 - 12 + 3
}

/// Sarrus' linkage with three and with four legs, which fold in vertical planes: the platform moves along the vertical.
TEST(LoopScrews, see_what_other_loops_leave_of_the_linkage_of_sarrus) {
  for (const int count : {3, 4}) {
    std::vector<Leg> legs;
    for (int k = 0; k < count; ++k) {
      const double angle = 0.2 + 1.4 * k;
      const Vec3 out{std::cos(angle), std::sin(angle), 0}, side{-out.y, out.x, 0};
      legs.push_back(
          {{joints::revolute(side, out), joints::revolute(side, 1.5 * out + Vec3{0, 0, 1}),
            joints::revolute(side, out + Vec3{0, 0, 1.9})}});
    }
    expect_redundancy(legs, 1, 1 - 3 * count + 6 * (count - 1));
  }
}

/// Two shafts at an angle b: by a constant velocity joint both turn equally, R_out = exp(b y) Rz(angle); by a universal
/// joint tan(out) = tan(in) / cos b or its inverse.
TEST(ConstantVelocityJoint, turns_both_shafts_equally) {
  const double bend = 0.6;
  const Vec3 y{0, 1, 0};
  const auto shafts = [&](const Joint& joint) {
    return compile(MechanismBuilder("shafts")
                       .body("in", ground, joints::revolute({0, 0, 1}))
                       .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                       .body("out", "in", joint)
                       .inertia(1, {}, Sym3::diagonal(1, 1, 1))
                       .loop({.name = "bearing",
                              .bodies = {"out", std::string(ground)},
                              .type = JointType::cylindrical,
                              .geometry = FramesGeometry{{}, {exp(bend * y), {}}, {0, 0, 1}, {}}})
                       .build());
  };
  const auto spin = [&](const Model& model, double angle) {
    Constraints constraints(model);
    Vector start = model.neutral();
    start[0] = angle;
    start[1] = bend * -std::sin(-angle), start[2] = bend * std::cos(-angle);
    std::vector<bool> kept(static_cast<std::size_t>(model.nv()));
    kept[0] = true;
    const Vector q = assemble(constraints, start, kept);
    PositionKinematics kin(model);
    forward_kinematics(model, q, kin);
    const SO3 R = inverse(exp(bend * y)) * pose(kin, model.frame("out")).R;
    const Vec3 x = R * Vec3{1, 0, 0};
    EXPECT_NEAR(x.z, 0, 1e-9);
    return std::atan2(x.y, x.x);
  };
  Joint cross = joints::of(JointType::universal, {1, 0, 0});
  std::get<AxisGeometry>(cross.geometry).x_axis = y;
  const Model even = shafts(joints::constant_velocity({0, 0, 1})), uneven = shafts(cross);
  double worst = 0;
  for (double angle = -3; angle <= 3; angle += 0.5) {
    EXPECT_NEAR(spin(even, angle), angle, 1e-9);
    worst = std::max(worst, std::abs(std::sin(spin(uneven, angle) - angle)));
  }
  EXPECT_GT(worst, 0.05);
  EXPECT_THROW(joints::constant_velocity({0, 0, 0}), Error);
  EXPECT_THROW(joints::constant_velocity({0, 0, 1}, {}, DescribedIn::world, {0, 0, 1}), Error);
}

TangentCone cone_of(const Mechanism& mechanism, const std::vector<double>& angles = {}) {
  const Model model = compile(mechanism);
  Constraints constraints(model);
  Vector q = model.neutral();
  for (std::size_t k = 0; k < angles.size(); ++k) q[static_cast<Eigen::Index>(k)] = angles[k];
  if (angles.empty()) q = assemble(constraints, q);
  return tangent_cone(constraints, q);
}
bool has_line(const TangentCone& cone, const Eigen::Vector3d& along) {
  return std::any_of(cone.branches.begin(), cone.branches.end(), [&](const auto& branch) {
    return std::abs(branch.tangent.dot(along.normalized())) > 1 - 1e-10;
  });
}

/// Rods of length 2 and a bar of length 1, in line. With angular velocities L, b, R of left rod, bar and right rod,
/// 2 L + b = 2 R and 2 L^2 + b^2 = 2 R^2: b = 0 is the parallelogram, b = 4 L the antiparallelogram.
TEST(TangentCone, of_a_parallelogram_in_line_is_two_lines) {
  const double a = -M_PI / 2;
  const TangentCone cone = cone_of(test::hanging_parallelogram(2, 1, 1), {a, -a, a});
  EXPECT_EQ(cone.kernel, 2);
  EXPECT_EQ(cone.conditions, 1);
  EXPECT_EQ(cone.dimension, 1);
  ASSERT_EQ(cone.branches.size(), 2u);
  EXPECT_TRUE(has_line(cone, {1, -1, 1}));
  EXPECT_TRUE(has_line(cone, {1, 3, 3}));
  EXPECT_TRUE(cone.branches[0].finite && cone.branches[1].finite);
  EXPECT_FALSE(cone.only_instantaneous());
}

TEST(TangentCone, of_regular_loops_is_the_tangent_space) {
  for (const Mechanism& mechanism : {studies::four_bar(), test::bennett(), studies::bricard()}) {
    const TangentCone cone = cone_of(mechanism);
    EXPECT_EQ(cone.kernel, 1);
    EXPECT_EQ(cone.conditions, 0);
    EXPECT_TRUE(cone.moves());
  }
  EXPECT_EQ(cone_of(studies::stewart()).kernel, 6);
}

/// Links in line that are just long enough: they can be pushed, but not moved.
TEST(TangentCone, tells_instantaneous_from_finite_mobility) {
  const Vec3 z{0, 0, 1};
  const TangentCone two = cone_of(revolute_ring({{z, {0, 0, 0}}, {z, {2, 0, 0}}, {z, {3, 0, 0}}}));
  EXPECT_EQ(two.kernel, 1);
  EXPECT_EQ(two.dimension, 0);
  EXPECT_TRUE(two.only_instantaneous());
  const TangentCone three =
      cone_of(revolute_ring({{z, {0, 0, 0}}, {z, {2, 0, 0}}, {z, {3, 0, 0}}, {z, {5, 0, 0}}}));
  EXPECT_EQ(three.kernel, 2);
  EXPECT_EQ(three.conditions, 1);  // a definite form
  EXPECT_TRUE(three.branches.empty());
  EXPECT_TRUE(three.only_instantaneous());
}

/// Five links in line that may fold: one form in three variables, a cone of dimension 2.
TEST(TangentCone, of_larger_dimension) {
  const Vec3 z{0, 0, 1};
  const TangentCone cone = cone_of(revolute_ring(
      {{z, {0, 0, 0}}, {z, {2, 0, 0}}, {z, {1, 0, 0}}, {z, {4, 0, 0}}, {z, {2.5, 0, 0}}}));
  EXPECT_EQ(cone.kernel, 3);
  EXPECT_EQ(cone.conditions, 1);
  EXPECT_EQ(cone.dimension, 2);
  EXPECT_TRUE(cone.moves());
}

}  // namespace local_analysis_test
