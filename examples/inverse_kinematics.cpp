/// Inverse kinematics: the joint angles that bring the tool of an arm to a pose. One target is reachable, one
/// is not, and one is a position only.
#include "chasles/kinematics/inverse_kinematics.hpp"

#include <cmath>
#include <cstdio>

#include "chasles/lie/rotation_vector.hpp"
#include "chasles/mechanism/builder.hpp"

using namespace chasles;

namespace {

/// Six joints: shoulder, elbow, and a wrist whose axes meet.
Model arm() {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  MechanismBuilder builder("arm");
  builder.body("column", ground, joints::revolute(z)).limits(-M_PI, M_PI);
  builder.body("upper", "column", joints::revolute(y, {0, 0, 0.4})).limits(-2, 2);
  builder.body("lower", "upper", joints::revolute(y, {0, 0, 0.9})).limits(-2.5, 2.5);
  builder.body("roll", "lower", joints::revolute(x, {0.4, 0, 0.9})).limits(-M_PI, M_PI);
  builder.body("pitch", "roll", joints::revolute(y, {0.4, 0, 0.9})).limits(-2, 2);
  builder.body("hand", "pitch", joints::revolute(x, {0.4, 0, 0.9})).limits(-M_PI, M_PI);
  builder.frame("tool", "hand", {{}, {0.5, 0, 0.9}});
  return compile(builder.build());
}

bool report(const Model& model, const char* what, const IkResult& ik) {
  std::printf("%-18s %s after %d starts, %d iterations: (", what, ik.success ? "found" : "missed",
              ik.starts, ik.iterations);
  for (Eigen::Index i = 0; i < ik.q.size(); ++i) std::printf(i > 0 ? ", %.3f" : "%.3f", ik.q[i]);
  std::printf("), off by %.1e m, %.1e rad\n", ik.position_error, ik.rotation_error);
  for (const int joint : ik.active_limits)
    std::printf("%18s joint '%s' stands on a limit\n", "",
                model.joints()[static_cast<std::size_t>(joint)].name.c_str());
  return ik.success;
}

}  // namespace

int main() {
  const Model model = arm();
  const Frame tool = model.frame("tool");
  const SE3 near{exp(Vec3{0.3, 0.9, -0.4}), {0.35, 0.3, 0.5}};
  const SE3 far{near.R, {0.9, 0.9, 0.9}};

  const IkResult reached = inverse_kinematics(model, tool, near);
  bool ok = report(model, "in reach", reached);
  PositionKinematics kin(model);
  forward_kinematics(model, reached.q, kin);
  ok &= norm(pose(kin, tool).r - near.r) < 1e-9;

  ok &= !report(model, "out of reach", inverse_kinematics(model, tool, far));

  IkOptions position_only;
  position_only.rotation_weight = 0;  // any orientation
  ok &= report(model, "position only", inverse_kinematics(model, tool, near, position_only));
  return ok ? 0 : 1;
}
