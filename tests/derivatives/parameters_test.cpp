/// Sensitivities against the model that is compiled from the mechanism with changed numbers, every kind
/// of parameter, joint and description; and against a complex step.
#include "chasles/derivatives/parameters.hpp"

#include <gtest/gtest.h>

#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/regressor.hpp"
#include "chasles/kinematics/jacobian.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/mechanism/redescribe.hpp"
#include "derivatives/changed_mechanism.hpp"
#include "support/difference.hpp"
#include "support/errors.hpp"
#include "support/matrices.hpp"
#include "support/near.hpp"
#include "support/representations.hpp"

namespace chasles {
namespace {

using test::all_representations, test::Changed, test::largest;

/// Relative to the largest entry, or to one.
double relative_to_one(const Eigen::MatrixXd& got, const Eigen::MatrixXd& want) {
  return largest(got - want) / std::max(1.0, largest(want));
}

/// A random mechanism at a random state, with wrenches on its frames in every representation.
struct Sample {
  Mechanism mechanism;  // every joint between two frames
  Model model;
  Eigen::VectorXd q, v, a, tau;
  PositionKinematics kin;
  std::vector<Wrench> W;

  Sample(std::mt19937_64& generator, const test::RandomMechanismOptions& options)
      : mechanism(
            redescribe(test::without_common_armatures(test::random_mechanism(generator, options)),
                       Description::frames)),
        model(compile(mechanism)),
        q(test::random_configuration(model, generator)),
        v(test::random_vector(model.nv(), generator)),
        a(test::random_vector(model.nv(), generator)),
        tau(test::random_vector(model.nv(), generator)),
        kin(model) {
    forward_kinematics(model, q, kin);
    for (std::size_t i = 0; i < model.frames().size(); ++i)
      W.push_back(random_tangent<Wrench>(generator, 1));
  }
  std::vector<AppliedWrench> wrenches(const Model& on) const {
    std::vector<AppliedWrench> list{{on.frame("ground"), {{1, 2, 3}, {4, 5, 6}}}};
    for (std::size_t i = 0; i < W.size(); ++i)
      list.push_back({on.frames()[i].frame, W[i], all_representations[i % 4]});
    return list;
  }
  Frame tip() const { return model.frames().back().frame; }
};

/// Custom joints may have screws that nearly depend on each other: accelerations are then not determined.
Sample regular_sample(std::mt19937_64& generator, bool tree) {
  for (;;) {
    Sample s(generator, {.bodies = 16, .tree = tree, .size = 0.3});
    MassMatrix mass(s.model);
    if (test::condition(mass_matrix(s.model, s.q, mass)) < 1e5) return s;
  }
}

/// One parameter of each kind of every joint, along random screws. A translation stays one: next to it
/// are pitches without bound, with which a description loses digits; the complex step turns them.
std::vector<Parameter> joint_parameters(const Model& model, std::mt19937_64& generator) {
  std::vector<Parameter> list;
  for (const ModelJoint& joint : model.joints()) {
    const auto U = [&] { return random_tangent<Twist>(generator, 0.5); };
    list.push_back(frame_parameter(model, joint.name, U()));
    list.push_back(axis_parameter(model, joint.name, U()));
    for (const std::string& name : parameter_names(model, joint.name)) {
      if (name.starts_with("pitch")) list.push_back(parameter(model, joint.name, name));
      if (!name.starts_with("screw") || !name.ends_with(".wx")) continue;
      const int k = name[5] == '.' ? 0 : name[5] - '0';
      Twist dX = U();
      if (joint.X[static_cast<std::size_t>(k)].w == Vec3{}) dX.w = {};
      list.push_back(screw_parameter(model, joint.name, k, dX));
    }
  }
  return list;
}

/// d/ds of the pose and the Jacobians of the last frame, of compiled mechanisms.
TEST(Sensitivity, of_poses_and_jacobians_equals_differences_of_compiled_mechanisms) {
  std::mt19937_64 generator(31);
  double pose_error = 0, jacobian_error = 0;
  for (int trial = 0; trial < 2; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const std::vector<Parameter> list = joint_parameters(s.model, generator);
    for (const Parameter& p : list) {
      const SE3 C = pose(s.kin, s.tip());
      const auto moved = [&](double h, const auto& f) {
        const Changed at(s.mechanism, p, h);
        PositionKinematics kin(at.model);
        forward_kinematics(at.model, at.configuration(s.q), kin);
        return f(at, kin, at.model.frames().back().frame);
      };
      const auto displacement = test::derivative([&](double h) {
        return moved(h, [&](const Changed&, const PositionKinematics& kin, const Frame& frame) {
          return Eigen::Matrix<double, 6, 1>(to_eigen(log(inverse(C) * pose(kin, frame))));
        });
      });
      for (const Representation rep : all_representations) {
        Matrix6X got(6, 1), J(6, s.model.nv());
        pose_sensitivity(s.model, s.kin, s.tip(), rep, {&p, 1}, got);
        const Twist want =
            lie::convert(lie::from_eigen<Twist>(displacement), C, Representation::body, rep);
        pose_error = std::max(pose_error, relative_to_one(got, to_eigen(want)));
        jacobian_sensitivity(s.model, s.kin, s.tip(), rep, p, J);
        const Eigen::MatrixXd J_want = test::derivative([&](double h) {
          return moved(h,
                       [&](const Changed& at, const PositionKinematics& kin, const Frame& frame) {
                         Matrix6X J_h(6, at.model.nv());
                         jacobian(at.model, kin, frame, rep, J_h);
                         return Eigen::MatrixXd(J_h * at.scale.asDiagonal());
                       });
        });
        jacobian_error = std::max(jacobian_error, relative_to_one(J, J_want));
      }
    }
  }
  std::printf("  poses %.1e, Jacobians %.1e\n", pose_error, jacobian_error);
  EXPECT_LE(pose_error, 1e-11);
  EXPECT_LE(jacobian_error, 1e-11);
}

/// Errors relative to the largest entry for all parameters of the mechanism.
TEST(Sensitivity, of_forces_equals_differences_of_compiled_mechanisms) {
  std::mt19937_64 generator(32);
  double worst = 0;
  for (int trial = 0; trial < 12; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    const std::vector<Parameter> list = joint_parameters(s.model, generator);
    ForceSensitivity work(s.model, list);
    const Matrix& got = force_sensitivity(s.model, s.q, s.v, s.a, work, s.wrenches(s.model));
    Matrix want(got.rows(), got.cols());
    for (std::size_t l = 0; l < list.size(); ++l)
      want.col(static_cast<Eigen::Index>(l)) = test::derivative([&](double h) {
        const Changed at(s.mechanism, list[l], h);
        InverseDynamics changed(at.model);
        const auto& scale = at.scale;
        return Eigen::VectorXd(inverse_dynamics(at.model, at.configuration(s.q),
                                                s.v.cwiseProduct(scale), s.a.cwiseProduct(scale),
                                                changed, s.wrenches(at.model))
                                   .cwiseProduct(scale));
      });
    worst = std::max(worst, relative_to_one(got, want));
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-11);
}
TEST(Sensitivity, of_accelerations_equals_differences_of_compiled_mechanisms) {
  std::mt19937_64 generator(35);
  double worst = 0;
  for (int trial = 0; trial < 6; ++trial) {
    const Sample s = regular_sample(generator, trial % 2 == 1);
    std::vector<Parameter> list = joint_parameters(s.model, generator);
    for (Parameter& p : list) p.U = 0.1 * p.U;  // accelerations bend more
    AccelerationSensitivity work(s.model, list);
    const Matrix& got =
        acceleration_sensitivity(s.model, s.q, s.v, s.tau, work, s.wrenches(s.model));
    ForwardDynamics forward(s.model);
    EXPECT_EQ(work.a(), forward_dynamics(s.model, s.q, s.v, s.tau, forward, s.wrenches(s.model)));
    Matrix want(got.rows(), got.cols());
    for (std::size_t l = 0; l < list.size(); ++l)
      want.col(static_cast<Eigen::Index>(l)) = test::derivative([&](double h) {
        const Changed at(s.mechanism, list[l], h);
        ForwardDynamics changed(at.model);
        const auto& scale = at.scale;
        return Eigen::VectorXd(forward_dynamics(at.model, at.configuration(s.q),
                                                s.v.cwiseProduct(scale), s.tau.cwiseQuotient(scale),
                                                changed, s.wrenches(at.model))
                                   .cwiseQuotient(scale));
      });
    worst = std::max(worst, relative_to_one(got, want));
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-8);
}

TEST(Sensitivity, with_respect_to_inertias_is_the_regressor) {
  std::mt19937_64 generator(33);
  double worst = 0;
  for (int trial = 0; trial < 10; ++trial) {
    const Sample s(generator, {.bodies = 16, .tree = trial % 2 == 1});
    std::vector<Parameter> list;
    for (const ModelBody& body : s.model.bodies())
      for (int entry = 0; entry < 10; ++entry)
        list.push_back(inertial_parameter(s.model, body.name, entry));
    ForceSensitivity forces(s.model, list);
    TorqueRegressor work(s.model);
    const RowMatrix& Y = torque_regressor(s.model, s.q, s.v, s.a, work);
    worst = std::max(worst, relative_to_one(force_sensitivity(s.model, s.q, s.v, s.a, forces), Y));
    Matrix6X poses(6, static_cast<Eigen::Index>(list.size())), J(6, s.model.nv());
    pose_sensitivity(s.model, s.kin, s.tip(), Representation::body, list, poses);
    jacobian_sensitivity(s.model, s.kin, s.tip(), Representation::body, list[3], J);
    EXPECT_EQ(largest(poses), 0);
    EXPECT_EQ(largest(J), 0);
  }
  std::printf("  largest relative deviation %.1e\n", worst);
  EXPECT_LE(worst, 1e-12);
}

/// Away from zero, B(pi) = B_0 exp(U_1 pi_1) ... exp(U_6 pi_6).
TEST(Sensitivity, of_six_parameters_of_one_frame_away_from_zero) {
  std::mt19937_64 generator(34);
  const Sample s(generator, {.bodies = 8});
  const ModelJoint& joint = s.model.joints()[3];
  std::vector<Twist> U(6);
  for (Twist& u : U) u = random_tangent<Twist>(generator, 0.6);
  const Eigen::VectorXd pi = test::random_vector(6, generator, 0.5);
  const auto compiled = [&](const Eigen::VectorXd& x) {
    Mechanism m = s.mechanism;
    for (Eigen::Index a = 0; a < 6; ++a)
      m = test::changed(m, joint, Parameter::Kind::frame, x[a] * U[static_cast<std::size_t>(a)]);
    return compile(m);
  };
  const Model model = compiled(pi);
  PositionKinematics kin(model);
  forward_kinematics(model, s.q, kin);
  const SE3 C = pose(kin, model.frames().back().frame);
  const std::vector<Twist> screws = frame_screws(U, pi);
  for (Eigen::Index a = 0; a < 6; ++a) {
    const Parameter p = frame_parameter(model, joint.name, screws[static_cast<std::size_t>(a)]);
    Matrix6X got(6, 1);
    pose_sensitivity(model, kin, model.frames().back().frame, Representation::body, {&p, 1}, got);
    const Eigen::MatrixXd want = test::derivative([&](double h) {
      const Model moved = compiled(pi + h * Eigen::VectorXd::Unit(6, a));
      PositionKinematics kin_h(moved);
      forward_kinematics(moved, s.q, kin_h);
      return Eigen::MatrixXd(to_eigen(log(inverse(C) * pose(kin_h, moved.frames().back().frame))));
    });
    EXPECT_LE(relative_to_one(got, want), 1e-11) << a;
  }
  EXPECT_THROW(frame_screws(U, Eigen::VectorXd::Zero(5)), SizeError);
}

}  // namespace
}  // namespace chasles
