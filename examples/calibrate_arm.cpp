/// Calibration: estimates the joint axes of an arm from noisy measurements of tool poses, by Gauss-Newton
/// with the derivatives of poses with respect to the geometry. Not every parameter is identifiable: for
/// example, moving a joint frame along or about its own axis can be compensated elsewhere.
#include <Eigen/SVD>
#include <cmath>
#include <cstdio>
#include <random>

#include "chasles/derivatives/parameters.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"

using namespace chasles;

namespace {

constexpr double noise = 1e-4;  // of a measured pose, each coordinate [rad], [m]
constexpr int joints_of_arm = 6;
std::mt19937_64 generator(1);

Eigen::VectorXd random_vector(int size, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(generator); });
}

Mechanism drawn_arm() {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const Vec3 axis[] = {z, y, y, x, y, x};
  const Vec3 step[] = {{}, {0, 0, 0.4}, {0, 0, 0.5}, {0.2, 0, 0}, {0.2, 0, 0}, {0.1, 0, 0}};
  MechanismBuilder builder("arm");
  std::string parent(ground);
  for (int k = 0; k < joints_of_arm; ++k) {
    const std::string name = "joint" + std::to_string(k + 1);
    builder.body(name, parent,
                 joints::between(JointType::revolute, {SO3{}, step[k]}, SE3{}, axis[k]));
    parent = name;
  }
  return builder.frame("tool", parent, {SO3{}, {0.1, 0, 0.05}}).build();
}

/// The frames of all joints, and the axis of the last in the hand: where the tool is on it.
std::vector<Parameter> unknowns(const Model& model) {
  std::vector<Parameter> list;
  for (const ModelJoint& joint : model.joints())
    for (const char* c : {"wx", "wy", "wz", "vx", "vy", "vz"})
      list.push_back(parameter(model, joint.name, std::string("frame.") + c));
  for (const char* c : {"wx", "wy", "wz", "vx", "vy", "vz"})
    list.push_back(parameter(model, model.joints().back().name, std::string("axis.") + c));
  return list;
}
/// The arm with the parameters changed by pi: six numbers are a screw.
Mechanism changed(Mechanism arm, const Eigen::VectorXd& pi) {
  const auto screw = [&](Eigen::Index k) { return from_eigen<Twist>(pi.segment<6>(6 * k)); };
  for (int k = 0; k < joints_of_arm; ++k) {
    auto& frames = std::get<FramesGeometry>(arm.bodies[static_cast<std::size_t>(k)].joint.geometry);
    const SE3 B = frames.parent * inverse(frames.child) * exp(screw(k));
    if (k == joints_of_arm - 1) frames.child = exp(screw(joints_of_arm)) * frames.child;
    frames.parent = B * frames.child;
  }
  return arm;
}

SE3 tool_pose(const Model& model, const Eigen::VectorXd& q) {
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  return pose(kin, model.frame("tool"));
}
/// The largest distance and angle between the tools of two arms over random configurations.
std::pair<double, double> deviation(const Model& a, const Model& b) {
  double distance = 0, angle = 0;
  for (int i = 0; i < 500; ++i) {
    const Eigen::VectorXd q = random_vector(joints_of_arm, 1.2);
    const SE3 gap = inverse(tool_pose(a, q)) * tool_pose(b, q);
    distance = std::max(distance, norm(gap.r)), angle = std::max(angle, norm(log(gap.R)));
  }
  return {distance, angle};
}

}  // namespace

int main() {
  Mechanism arm = drawn_arm();
  const Model real = compile(changed(arm, random_vector(6 * joints_of_arm + 6, 4e-3)));
  const auto before = deviation(compile(arm), real);

  constexpr int poses = 80;
  std::vector<Eigen::VectorXd> q;
  std::vector<SE3> measured;
  for (int i = 0; i < poses; ++i) {
    q.push_back(random_vector(joints_of_arm, 1.2));
    const Eigen::VectorXd error = random_vector(6, noise);
    measured.push_back(tool_pose(real, q.back()) * exp(from_eigen<Twist>(error)));
  }

  int rank = 0, alone = 0;
  Eigen::VectorXd gap(6 * poses);
  for (int iteration = 0; iteration < 6; ++iteration) {
    const Model model = compile(arm);
    const std::vector<Parameter> list = unknowns(model);
    const auto n = static_cast<Eigen::Index>(list.size());
    Eigen::MatrixXd J(6 * poses, n);
    PositionKinematics kin(model);
    const Frame tool = model.frame("tool");
    for (int i = 0; i < poses; ++i) {
      const auto k = static_cast<std::size_t>(i);
      forward_kinematics(model, q[k], kin);
      Matrix6X rows(6, n);
      pose_sensitivity(model, kin, tool, Representation::body, list, rows);
      J.middleRows<6>(6L * i) = rows;
      gap.segment<6>(6L * i) = to_eigen(log(inverse(pose(kin, tool)) * measured[k]));
    }
    Eigen::JacobiSVD<Eigen::MatrixXd> svd(J, Eigen::ComputeThinU | Eigen::ComputeThinV);
    svd.setThreshold(
        1e-6);  // smaller singular values are unidentifiable; the minimum-norm solution is taken
    rank = static_cast<int>(svd.rank());
    const Eigen::MatrixXd hidden = svd.matrixV().rightCols(n - rank);
    alone = static_cast<int>((hidden.rowwise().norm().array() < 1e-6).count());
    arm = changed(arm, svd.solve(gap));
  }
  const double rms = std::sqrt(gap.squaredNorm() / (6 * poses - rank));
  const auto after = deviation(compile(arm), real);
  std::printf("%d of %d parameters, or combinations of them, can be told, %d of them alone\n", rank,
              6 * joints_of_arm + 6, alone);
  std::printf("deviation of the drawn arm     %.3f mm, %.3f mrad at most\n", 1e3 * before.first,
              1e3 * before.second);
  std::printf("deviation of the calibrated    %.3f mm, %.3f mrad at most\n", 1e3 * after.first,
              1e3 * after.second);
  std::printf("what it leaves of measurements %.4f mm or mrad, and their noise was %.4f\n",
              1e3 * rms, 1e3 * noise);
  // Four numbers for every axis and six for the tool; noise is averaged over 480 measured numbers.
  const bool ok = rank == 4 * joints_of_arm + 6 && std::abs(rms / noise - 1) < 0.15 &&
                  after.first < 3 * noise && after.second < 3 * noise && before.first > 5e-3;
  return ok ? 0 : 1;
}
