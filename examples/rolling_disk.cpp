/// A disk that rolls without slipping: a user-defined nonholonomic constraint. The disk stands upright; it
/// may reach any position and heading, but at any moment it moves only along its heading, as fast as it
/// rolls:
///
///     xd = r cos(heading) roll_d,     yd = r sin(heading) roll_d
///
/// Rolling and turning at constant rates it runs along a circle of radius r roll_d / heading_d.
#include <cmath>
#include <cstdio>

#include "chasles/chasles.hpp"

using namespace chasles;

namespace {

constexpr double r = 0.3;  // [m]

/// v = (xd, yd, heading_d, roll_d).
class Rolling : public Constraint {
 public:
  std::string name() const override { return "rolling"; }
  int constraint_count() const override { return 2; }
  bool binds_positions() const override { return false; }
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const override {
    const double heading = kin.q()[2];
    B << 1, 0, 0, -r * std::cos(heading),  //
        0, 1, 0, -r * std::sin(heading);
  }
  void bias(const VelocityKinematics& kin, VectorRef out) const override {
    const double heading = kin.q()[2], turn = kin.v()[2], roll = kin.v()[3];
    out[0] = r * std::sin(heading) * turn * roll;
    out[1] = -r * std::cos(heading) * turn * roll;
  }
};

}  // namespace

int main() {
  const Model model = compile(MechanismBuilder("disk")
                                  .body("fork", ground, joints::of(JointType::planar, {0, 0, 1}))
                                  .x_axis({1, 0, 0})
                                  .body("disk", "fork", joints::revolute({0, 1, 0}, {0, 0, r}))
                                  .inertia(2, {0, 0, r}, Sym3::diagonal(0.045, 0.09, 0.045))
                                  .build());
  ConstrainedSystem system(model, {.more = {std::make_shared<Rolling>()}});
  std::printf("%d velocities, %d of them free\n", model.nv(), system.mobility().mobility);

  const double turn = 0.5, roll = 4;  // [rad/s]
  const Vector v{r * roll, 0, turn, roll};
  auto integrator = make_integrator(system, {.method = "dop853", .tolerance = 1e-12});
  integrator->reset({0, model.neutral(), v});
  const double end = 2 * M_PI / turn;  // once around
  double worst = 0;
  while (integrator->state().t < end) {
    integrator->step(end);
    const State& now = integrator->state();
    const double radius = r * roll / turn, angle = turn * now.t;
    worst = std::max(worst, std::hypot(now.q[0] - radius * std::sin(angle),
                                       now.q[1] - radius * (1 - std::cos(angle))));
  }
  const Vector& lambda = integrator->multipliers();
  std::printf("a circle of %.2f m, left by %.1e m at most\n", r * roll / turn, worst);
  std::printf("the ground holds it with %.4f N; m r roll_d heading_d is %.4f\n", lambda.norm(),
              2 * r * roll * turn);
  return worst < 1e-9 && std::abs(lambda.norm() - 2 * r * roll * turn) < 1e-9 ? 0 : 1;
}
