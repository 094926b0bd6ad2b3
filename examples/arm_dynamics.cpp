/// The dynamics of an arm that is described by two axes and two masses: which torques does a motion
/// need, what do they do, and how much energy is in it?
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "chasles/dynamics/batch.hpp"
#include "chasles/dynamics/energy.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/mechanism/builder.hpp"

using namespace chasles;

int main() {
  MechanismBuilder builder("arm");  // axes and points in the world, at q = 0
  builder.body("upper", ground, joints::revolute({0, 1, 0}, {0, 0, 0.3}))
      .inertia(2.0, {0, 0, 0.5}, Sym3::diagonal(0.03, 0.03, 0.002));
  builder.body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, 0.7}))
      .inertia(1.0, {0, 0, 0.9}, Sym3::diagonal(0.01, 0.01, 0.001))
      .frame("tip", "lower", {{}, {0, 0, 1.1}});
  const Model model = compile(builder.build());

  const Eigen::Vector2d q(0.5, 0.8), v(1, -2), a(0.3, 0.1);
  const AppliedWrench load{model.frame("tip"), {{}, {0, 0, -5}}, Representation::hybrid};
  InverseDynamics inverse(model);
  ForwardDynamics forward(model);
  const Eigen::VectorXd tau = inverse_dynamics(model, q, v, a, inverse, {&load, 1});
  const Eigen::VectorXd back = forward_dynamics(model, q, v, tau, forward, {&load, 1});
  std::printf("torques (%.4f, %.4f) N m with 5 N on the tip, accelerations (%.4f, %.4f) again\n",
              tau[0], tau[1], back[0], back[1]);

  MassMatrix mass(model);
  const Eigen::MatrixXd& M = mass_matrix(model, q, mass);
  VelocityKinematics kin(model);
  forward_kinematics(model, q, v, kin);
  std::printf("kinetic energy %.6f J, and v.M v / 2 = %.6f J\n", kinetic_energy(model, kin),
              0.5 * v.dot(M * v));

  // Many states at once: here the torques that hold the arm still, every 10 degrees.
  std::vector<double> angles, rest(72), hold(72);
  for (int i = 0; i < 36; ++i) angles.insert(angles.end(), {i * M_PI / 18, 0});
  Batch<double> batch(model);
  batch.inverse_dynamics(36, angles, rest, {}, hold);
  double most = 0;
  for (std::size_t i = 0; i < 36; ++i) most = std::max(most, std::abs(hold[2 * i]));
  std::printf("at most %.4f N m hold it still\n", most);
  return (back - a).norm() < 1e-12 ? 0 : 1;
}
