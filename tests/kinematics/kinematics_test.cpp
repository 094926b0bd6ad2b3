/// Poses, twists, accelerations and Jacobians on random trees of every joint type, against the
/// product of exponentials in the world frame, 003 (10), and against finite differences.
#include "chasles/kinematics/kinematics.hpp"

#include <gtest/gtest.h>

#include "chasles/kinematics/jacobian.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/eigen.hpp"
#include "model/model_data.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/near.hpp"
#include "support/random_mechanism.hpp"

namespace chasles {
namespace {

using test::derivative;

using enum Representation;
constexpr Representation all[] = {body, spatial, hybrid, mixed};

/// The displacement of one joint in the world: exp of its spatial screws Y_k at q = 0.
SE3 displacement(const ModelJoint& joint, Parameterization parameterization,
                 const Eigen::VectorXd& q) {
  const double* c = q.data() + joint.q_index;
  const auto log_of_rotation = [](const double* p) {
    return log(lie::rotation(Quaternion{p[0], p[1], p[2], p[3]}));
  };
  if (joint.group == FloatingGroup::so3xr3) {  // a translation after a rotation
    const Vec3 w = log_of_rotation(c);
    return exp(c[4] * joint.Y[3] + c[5] * joint.Y[4] + c[6] * joint.Y[5]) *
           exp(w.x * joint.Y[0] + w.y * joint.Y[1] + w.z * joint.Y[2]);
  }
  if (joint.has_position()) {  // the logarithm in the joint frame
    const SO3 R = lie::rotation(Quaternion{c[0], c[1], c[2], c[3]});
    const auto X = lie::coordinates(log(SE3{R, {c[4], c[5], c[6]}}));
    Twist sum;
    for (std::size_t k = 0; k < 6; ++k) sum += X[k] * joint.Y[k];
    return exp(sum);
  }
  Twist sum;
  SE3 product;
  for (const JointCoordinate& at : joint.coordinates) {
    const Twist* Y = &joint.Y[static_cast<std::size_t>(at.v_index - joint.v_index)];
    Twist part = q[at.q_index] * Y[0];
    if (at.kind == CoordinateKind::quaternion) {
      const Vec3 w = log_of_rotation(q.data() + at.q_index);
      part = w.x * Y[0] + w.y * Y[1] + w.z * Y[2];
    }
    sum += part;
    product = product * exp(part);
  }
  return parameterization == Parameterization::sum ? exp(sum) : product;
}

/// C_i = E_1 E_2 ... E_i A_i over the ancestors, 003 (10).
std::vector<SE3> poses_by_exponentials(const Mechanism& mechanism, const Model& model,
                                       const Eigen::VectorXd& q) {
  const ReferenceGeometry g = reference_geometry(mechanism);
  std::vector<SE3> E(model.bodies().size()), C(model.bodies().size());
  for (std::size_t b = 0; b < model.bodies().size(); ++b) {
    const ModelBody& body = model.bodies()[b];
    const auto i = static_cast<std::size_t>(find_body(mechanism, body.name));
    if (body.parent >= 0) E[b] = E[static_cast<std::size_t>(body.parent)];
    for (const ModelJoint& joint : model.joints())
      if (joint.child == static_cast<int>(b))
        E[b] = E[b] * displacement(joint, mechanism.bodies[i].joint.parameterization, q);
    C[b] = E[b] * g.A[i];
  }
  return C;
}

class RandomTree : public ::testing::TestWithParam<int> {
 protected:
  std::mt19937_64 generator{static_cast<std::uint64_t>(GetParam())};
  Mechanism mechanism =
      test::random_mechanism(generator, {.bodies = 15, .tree = GetParam() % 2 == 1});
  Model model = compile(mechanism);
  Eigen::VectorXd q = test::random_configuration(model, generator);
  Eigen::VectorXd v = test::random_vector(model.nv(), generator, 0.5);
  Eigen::VectorXd a = test::random_vector(model.nv(), generator, 0.5);
  AccelerationKinematics kin{model};

  void SetUp() override { forward_kinematics(model, q, v, a, kin); }

  std::vector<Frame> frames() const {
    std::vector<Frame> list{model.frame("ground")};
    for (const ModelBody& b : model.bodies()) list.push_back(b.frame);
    for (const ModelFrame& f : model.frames()) list.push_back(f.frame);
    return list;
  }
  /// The state a time t later at the acceleration a: the motion x = v t + a t^2 / 2 from q.
  Eigen::VectorXd later(double t) const {
    Eigen::VectorXd out(model.nq());
    plus(model, q, t * v + 0.5 * t * t * a, out);
    return out;
  }
};
INSTANTIATE_TEST_SUITE_P(Kinematics, RandomTree, ::testing::Range(0, 12));

/// @paper 000 (93)
/// @paper 003 (10)
TEST_P(RandomTree, poses_are_the_product_of_exponentials) {
  const std::vector<SE3> expected = poses_by_exponentials(mechanism, model, q);
  for (std::size_t b = 0; b < expected.size(); ++b)
    EXPECT_CLOSE(pose(kin, model.bodies()[b].frame), expected[b], 2e-13) << model.bodies()[b].name;
}

/// The recursive forms: 003 (8), C_i = C_p B_i exp(iX_i q_i), with screws in the body, and 003 (3),
/// C_i = C_p S_{p,i} exp(Z_i q_i) S_{i,i}^-1, with two joint frames.
/// @paper 000 (91), (92)
/// @paper 003 section 2.2, (3), (4), (6), (8), Remark 3
TEST_P(RandomTree, poses_by_body_screws_and_by_joint_frames) {
  const ReferenceGeometry g = reference_geometry(mechanism);
  for (const ModelJoint& joint : model.joints()) {
    const ModelBody& child = model.bodies()[static_cast<std::size_t>(joint.child)];
    const auto i = static_cast<std::size_t>(find_body(mechanism, child.name));
    const std::string& parent = mechanism.bodies[i].parent;
    const SE3 A_p =
        parent == ground ? SE3{} : g.A[static_cast<std::size_t>(find_body(mechanism, parent))];
    const SE3 C_p = pose(kin, model.frame(parent)), C_i = pose(kin, child.frame);
    const Parameterization kind = mechanism.bodies[i].joint.parameterization;

    ModelJoint in_body = joint, in_frame = joint;
    in_body.Y = joint.X;
    EXPECT_CLOSE(C_p * (inverse(A_p) * g.A[i]) * displacement(in_body, kind, q), C_i, 2e-13);

    const SE3 S_p = inverse(A_p) * g.J[i], S_i = inverse(g.A[i]) * g.J[i];
    for (Twist& Z : in_frame.Y) Z = Ad_inv(g.J[i], Z);
    EXPECT_CLOSE(C_p * S_p * displacement(in_frame, kind, q) * inverse(S_i), C_i, 2e-13);
  }
}

TEST_P(RandomTree, at_zero_bodies_are_where_they_were_described) {
  const Vector zero = model.neutral();
  PositionKinematics at_zero(model);
  forward_kinematics(model, Eigen::Map<const Eigen::VectorXd>(zero.data(), model.nq()), at_zero);
  const ReferenceGeometry g = reference_geometry(mechanism);
  for (const ModelBody& b : model.bodies())
    EXPECT_CLOSE(pose(at_zero, b.frame),
                 g.A[static_cast<std::size_t>(find_body(mechanism, b.name))], 1e-13);
}

/// @paper 000 (97), (108)-(110)
/// @paper 003 (14), (30), (42), (80)
TEST_P(RandomTree, twists_are_the_rates_of_poses) {
  for (const Frame& frame : frames()) {
    const auto C_dot = derivative([&](double t) {
      PositionKinematics k(model);
      forward_kinematics(model, later(t), k);
      return to_eigen(pose(k, frame));
    });
    const Eigen::Matrix4d V_hat = to_eigen(inverse(pose(kin, frame))) * C_dot;
    EXPECT_CLOSE(twist(kin, frame, body), lie::vee(from_eigen<lie::Matrix<double, 4>>(V_hat)),
                 1e-10);
  }
}

/// @paper 000 (65), (68), (69), (72)-(74)
TEST_P(RandomTree, accelerations_are_the_rates_of_twists) {
  for (const Representation rep : all)
    for (const Frame& frame : frames()) {
      // v(t) of the same motion: for joints on a group the body-fixed rate of v t + a t^2/2.
      const auto rate = derivative([&](double t) {
        Eigen::VectorXd v_t = v + t * a;
        for (const Link& link : tree_links(model)) {
          const Eigen::VectorXd x = t * v + 0.5 * t * t * a;
          if (link.motion == LinkMotion::spherical || link.motion == LinkMotion::floating_so3xr3)
            v_t.segment<3>(link.v_index) =
                to_eigen(dexp(-from_eigen<Vec3>(x.segment<3>(link.v_index)),
                              from_eigen<Vec3>((v + t * a).segment<3>(link.v_index))));
          if (link.motion == LinkMotion::floating_se3)
            v_t.segment<6>(link.v_index) =
                to_eigen(dexp(-from_eigen<Twist>(x.segment<6>(link.v_index)),
                              from_eigen<Twist>((v + t * a).segment<6>(link.v_index))));
        }
        VelocityKinematics k(model);
        forward_kinematics(model, later(t), v_t, k);
        return twist(k, frame, rep);
      });
      EXPECT_CLOSE(acceleration(kin, frame, rep), rate, 2e-9);
    }
}

/// @paper 003 Table 3
TEST_P(RandomTree, representations_agree_through_table_3) {
  for (const Frame& frame : frames()) {
    const SE3 C = pose(kin, frame);
    for (const Representation from : all)
      for (const Representation to : all) {
        EXPECT_CLOSE(lie::convert(twist(kin, frame, from), C, from, to), twist(kin, frame, to),
                     1e-12);
        EXPECT_CLOSE(lie::convert_acceleration(acceleration(kin, frame, from),
                                               twist(kin, frame, from), C, from, to),
                     acceleration(kin, frame, to), 1e-11);
      }
  }
}

TEST_P(RandomTree, jacobians_give_twists_and_accelerations) {
  Matrix6X J(6, model.nv()), J_rate(6, model.nv());
  for (const Representation rep : all)
    for (const Frame& frame : frames()) {
      jacobian(model, kin, frame, rep, J);
      jacobian_rate(model, kin, frame, rep, J_rate);
      const double size = 1 + J.norm() + J_rate.norm();
      EXPECT_LE((J * v - to_eigen(twist(kin, frame, rep))).norm(), 1e-13 * size);
      EXPECT_LE((J * a + J_rate * v - to_eigen(acceleration(kin, frame, rep))).norm(),
                1e-13 * size);
    }
}

/// @paper 003 (16)-(19), (28), (29), (40), (41), (48)-(51)
TEST_P(RandomTree, jacobian_columns_are_partial_derivatives) {
  Matrix6X J(6, model.nv());
  for (const Frame& frame : frames()) {
    jacobian(model, kin, frame, body, J);
    const Eigen::Matrix4d C_inv = to_eigen(inverse(pose(kin, frame)));
    for (int k = 0; k < model.nv(); ++k) {
      const auto partial = derivative([&](double t) {
        PositionKinematics at(model);
        Eigen::VectorXd moved(model.nq());
        plus(model, q, t * Eigen::VectorXd::Unit(model.nv(), k), moved);
        forward_kinematics(model, moved, at);
        return to_eigen(pose(at, frame));
      });
      const Twist column = lie::vee(from_eigen<lie::Matrix<double, 4>>(C_inv * partial));
      EXPECT_CLOSE(from_eigen<Twist>(J.col(k)), column, 1e-10);
    }
  }
}

/// @paper 000 (2), (16), (26), (27)
TEST_P(RandomTree, jacobian_rates_are_the_rates_of_jacobians) {
  Matrix6X J(6, model.nv()), J_rate(6, model.nv());
  for (const Representation rep : all)
    for (const Frame& frame : frames()) {
      jacobian_rate(model, kin, frame, rep, J_rate);
      const Matrix6X expected = derivative([&](double t) {
        PositionKinematics k(model);
        Eigen::VectorXd moved(model.nq());
        plus(model, q, t * v, moved);
        forward_kinematics(model, moved, k);
        jacobian(model, k, frame, rep, J);
        return Matrix6X(J);
      });
      EXPECT_LE((J_rate - expected).norm(), 1e-9 * (1 + expected.norm()));
    }
}

TEST_P(RandomTree, relative_motion) {
  const std::vector<Frame> list = frames();
  Matrix6X J(6, model.nv());
  for (std::size_t i = 0; i + 1 < list.size(); ++i) {
    const Frame &from = list[i], &to = list[i + 1];
    EXPECT_CLOSE(pose(kin, from) * relative_pose(kin, from, to), pose(kin, to), 1e-12);
    const Twist V = relative_twist(kin, from, to);
    const Twist expected =
        Ad_inv(pose(kin, from), twist(kin, to, spatial) - twist(kin, from, spatial));
    EXPECT_CLOSE(V, expected, 1e-11);
    relative_jacobian(model, kin, from, to, J);
    EXPECT_LE((J * v - to_eigen(V)).norm(), 1e-13 * (1 + J.norm()));
  }
  relative_jacobian(model, kin, list[3], list[3], J);
  EXPECT_EQ(J.norm(), 0);
}

TEST_P(RandomTree, center_of_mass) {
  Vec3 sum;
  double mass = 0;
  for (const Body& b : mechanism.bodies) {
    if (model.frame(b.name).link < 0) continue;  // fixed to ground
    const SE3 C = pose(kin, model.frame(b.name));
    sum += b.inertia->mass * (C * b.inertia->com);
    mass += b.inertia->mass;
  }
  EXPECT_NEAR(mass, model.mass(), 1e-12 * mass);
  EXPECT_CLOSE(center_of_mass(model, kin), sum / mass, 1e-13);
  CenterOfMassJacobian com(model);
  center_of_mass_jacobian(model, kin, com);
  const Vec3 rate = derivative([&](double t) {
    PositionKinematics k(model);
    forward_kinematics(model, later(t), k);
    return center_of_mass(model, k);
  });
  EXPECT_CLOSE(from_eigen<Vec3>(com.J * v), rate, 1e-10);
}

TEST_P(RandomTree, plus_and_minus) {
  Eigen::VectorXd q1(model.nq()), d(model.nv());
  plus(model, q, v, q1);
  minus(model, q1, q, d);
  EXPECT_LE((d - v).norm(), 1e-14 * (1 + v.norm()) * 10);
  plus(model, q, Eigen::VectorXd::Zero(model.nv()), q1);
  minus(model, q1, q, d);
  EXPECT_LE(d.norm(), 1e-14);
}

TEST(Arguments, of_wrong_size_are_named) {
  std::mt19937_64 generator(1);
  const Model model = compile(test::random_mechanism(generator));
  AccelerationKinematics kin(model);
  const Eigen::VectorXd q = test::random_configuration(model, generator);
  const Eigen::VectorXd v = Eigen::VectorXd::Zero(model.nv()), short_one = Eigen::VectorXd::Zero(2);
  PositionKinematics at(model);
  VelocityKinematics moving(model);
  EXPECT_THROW(forward_kinematics(model, short_one, at), SizeError);
  EXPECT_SAYS(forward_kinematics(model, short_one, at), "q has 2 entries; the model needs ");
  EXPECT_SAYS(forward_kinematics(model, q, short_one, moving), "v has 2 entries");
  EXPECT_SAYS(forward_kinematics(model, q, v, short_one, kin), "vd has 2 entries");
  Matrix6X J(6, 3);
  EXPECT_SAYS(jacobian(model, kin, {}, body, J), "J, by columns, has 3");
  Eigen::VectorXd out(model.nq());
  EXPECT_SAYS(plus(model, short_one, v, out), "q has 2");
}

TEST(Arguments, configurations_from_outside_are_checked) {
  std::mt19937_64 generator(2);
  const Model model =
      compile(test::random_mechanism(generator, {.bodies = 1, .kinds = {{JointType::spherical}}}));
  const auto q = [](double w) { return Eigen::VectorXd{{w, 0, 0, 0}}; };
  EXPECT_EQ(checked_configuration(model, q(1 + 5e-7))[0], 1);
  EXPECT_SAYS(checked_configuration(model, q(1.1)), "joint 'joint0'", "is not unit");
  EXPECT_SAYS(checked_configuration(model, q(0)), "joint 'joint0'", "no direction");
  EXPECT_SAYS(checked_configuration(model, q(std::nan(""))), "joint 'joint0'", "not finite");
}

}  // namespace
}  // namespace chasles
