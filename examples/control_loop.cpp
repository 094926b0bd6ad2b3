/// docs/control-loop.md: a loop of 1 kHz that moves the hand of an arm to a point, by the operational-space inertia.
/// The arm is simulated; the loop itself would be the same on a real one.
#include <Eigen/LU>
#include <chasles/chasles.hpp>
#include <cstdio>

using namespace chasles;

namespace {

/// Khatib's law: the hand moves as a unit mass on a spring and a damper would, at rest at `target`.
class HandControl {
 public:
  HandControl(const Model& model, const Vec3& target)
      : hand_(model.frame("hand")),
        target_(target),
        state_(model),
        h_(model.nv()),
        tau_(model.nv()),
        Lambda_inv_(6, 6),
        J_(6, model.nv()),
        J_rate_(6, model.nv()) {}

  /// Joint forces at a state. Nothing here allocates.
  const Vector& operator()(const State& x) {
    const Model& model = state_.model();
    const Representation rep = Representation::hybrid;
    state_.set(x);
    state_.force(h_);  // minus the velocity terms and the weight
    jacobian(model, state_.position(), hand_, rep, J_);
    jacobian_rate(model, state_.velocity(), hand_, rep, J_rate_);
    state_.inverse_operational_space_inertia(hand_, rep, Lambda_inv_);
    const Eigen::Vector3d e = to_eigen(target_ - pose(state_.position(), hand_).r),
                          rate = J_.bottomRows<3>() * x.v,
                          a = 100 * e - 20 * rate - J_rate_.bottomRows<3>() * x.v;
    // The hand moves in the plane y = 0: two directions of the six.
    const Eigen::Matrix2d A{{Lambda_inv_(3, 3), Lambda_inv_(3, 5)},
                            {Lambda_inv_(5, 3), Lambda_inv_(5, 5)}};
    // F such that J M^-1 (J^T F) = a; h holds the arm.
    const Eigen::Vector2d F = A.inverse() * Eigen::Vector2d(a.x(), a.z());
    tau_ = F.x() * J_.row(3).transpose() + F.y() * J_.row(5).transpose() - h_;
    return tau_;
  }
  double distance(const State& x) {
    state_.set(x);
    return norm(pose(state_.position(), hand_).r - target_);
  }

 private:
  Frame hand_;
  Vec3 target_;
  MechanismState state_;
  Vector h_, tau_;
  Matrix Lambda_inv_;
  Matrix6X J_, J_rate_;
};

}  // namespace

int main() {
  const Vec3 y{0, 1, 0};
  const Model model = compile(MechanismBuilder("arm")
                                  .body("upper", ground, joints::revolute(y))
                                  .joint_name("shoulder")
                                  .inertia(2.0, {0.25, 0, 0}, Sym3::diagonal(0.002, 0.02, 0.02))
                                  .body("lower", "upper", joints::revolute(y, {0.5, 0, 0}))
                                  .joint_name("elbow")
                                  .inertia(1.0, {0.7, 0, 0}, Sym3::diagonal(0.001, 0.01, 0.01))
                                  .frame("hand", "lower", {{}, {0.9, 0, 0}})
                                  .build());
  ModelState start(model);
  start["shoulder"].q = 0.4;
  start["elbow"].q = -1.2;
  Scenario scenario{.model = model, .start = start};
  scenario.duration = 2;
  scenario.joint_inputs = true;

  const double period = 1e-3;  // [s]
  Simulation simulation(scenario);
  HandControl control(model, {0.5, 0, 0.3});
  for (int k = 1; k <= 2000; ++k) {
    simulation.set_joint_forces(control(simulation.state()));
    simulation.step(k * period);
    if (k % 400 == 0)
      std::printf("t = %.1f s: %.2e m to go\n", simulation.state().t,
                  control.distance(simulation.state()));
  }
  return control.distance(simulation.state()) < 1e-6 ? 0 : 1;
}
