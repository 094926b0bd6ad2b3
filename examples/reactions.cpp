/// Bearing loads of an arm. A joint transmits a wrench: its part along the axis is the
/// torque of the motor, the rest is carried by the bearing.
#include <cstdio>

#include "chasles/mechanism/builder.hpp"
#include "chasles/textbook/recursive.hpp"

using namespace chasles;

int main() {
  const Vec3 y{0, 1, 0};
  const Model model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute(y))
                                  .joint_name("shoulder")
                                  .inertia(2.0, {0.25, 0, 0}, Sym3::diagonal(0.002, 0.02, 0.02))
                                  .body("lower", "upper", joints::revolute(y, {0.5, 0, 0}))
                                  .joint_name("elbow")
                                  .pose({{}, {0.5, 0, 0}})
                                  .inertia(1.0, {0.2, 0, 0}, Sym3::diagonal(0.001, 0.01, 0.01))
                                  .frame("tip", "lower", {{}, {0.4, 0, 0}})
                                  .build());
  const Eigen::Vector2d q(0.2, -0.5), v(3, -1), a(5, 10);
  const AppliedWrench load{model.frame("tip"), {{}, {0, 7, -20}}, Representation::hybrid};

  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  textbook::RecursiveDynamics dynamics(model);
  const Vector tau =
      textbook::inverse_dynamics(model, kin, a, Representation::spatial, dynamics, {&load, 1});
  double error = 0;
  for (std::size_t i = 0; i < model.joints().size(); ++i) {
    const ModelJoint& joint = model.joints()[i];
    // In the frame of the child body, whose origin is on the axis of the joint here.
    const Wrench W = textbook::reaction(model, kin, dynamics, i, Representation::body);
    std::printf("%-8s  torque (%7.3f, %7.3f, %7.3f) N m, force (%7.3f, %7.3f, %7.3f) N\n",
                joint.name.c_str(), W.t.x, W.t.y, W.t.z, W.f.x, W.f.y, W.f.z);
    const double motor = tau[joint.v_index];
    std::printf("          of it the motor gives %.3f N m\n", motor);
    error += std::abs(dot(W, joint.X[0]) - motor);  // X^T W
  }
  std::printf("projected on the screws, reactions and torques differ by %.1e N m\n", error);
  return error < 1e-12 ? 0 : 1;
}
