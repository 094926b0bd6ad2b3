/// A program outside the project. It makes, copies, moves and destroys whatever the library hands
/// out; compiled with other flags than the library, it must not notice.
#include <Eigen/Core>
#include <chasles/dynamics/batch.hpp>
#include <chasles/dynamics/inverse_dynamics.hpp>
#include <chasles/dynamics/mass_matrix.hpp>
#include <chasles/integrators/integrator.hpp>
#include <chasles/kinematics/inverse_kinematics.hpp>
#include <chasles/kinematics/system_jacobian.hpp>
#include <chasles/lie/quaternion.hpp>
#include <chasles/mechanism/builder.hpp>
#include <chasles/screws/eigen.hpp>
#include <chasles/suggest.hpp>
#include <chasles/textbook/closed_form.hpp>
#include <chasles/textbook/hamiltonian.hpp>
#include <chasles/textbook/recursive.hpp>
#include <chasles/textbook/regressor.hpp>
#include <chasles/version.hpp>
#include <cmath>
#include <iostream>

#include "own.hpp"

using namespace chasles;

namespace {

Model arm() {
  return compile(MechanismBuilder("arm")
                     .body("upper", ground, joints::revolute({0, 1, 0}, {0, 0, 0.3}))
                     .inertia(2, {0, 0, 0.5}, Sym3::diagonal(0.1, 0.1, 0.02))
                     .body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, 0.7}))
                     .inertia(1, {0, 0, 0.9}, Sym3::diagonal(0.05, 0.05, 0.01))
                     .body("ball", "lower", joints::spherical({0, 0, 1.1}))
                     .inertia(0.5, {0, 0, 1.2}, Sym3::diagonal(0.01, 0.01, 0.01))
                     .frame("tip", "lower", {{}, {0, 0, 1.1}})
                     .build());
}

/// 0 if all is well; each line lets something cross the border between program and library.
double run() {
  const Model model = arm();
  Vector q = model.neutral(), v(model.nv()), a(model.nv());
  q[0] = M_PI / 2;
  v[1] = 0.5;
  AccelerationKinematics kin(model);
  forward_kinematics(model, q, v, a, kin);
  InverseDynamics inverse(model);
  Vector tau = inverse_dynamics(model, q, v, a, inverse);
  const Eigen::VectorXd mine = 2 * tau;
  MassMatrix M(model);
  const Eigen::MatrixXd M_copy = mass_matrix(model, q, M);
  Matrix C = textbook::coriolis_matrix(model, kin), moved = std::move(C);
  const Matrix Y = textbook::torque_regressor(model, kin);
  const Vector pi = textbook::inertial_parameters(model);
  textbook::RecursiveDynamics recursive(model);
  textbook::inverse_dynamics(model, kin, a, Representation::hybrid, recursive);
  textbook::HamiltonianDynamics hamilton(model);
  textbook::hamiltonian_dynamics(model, kin, tau, tau, hamilton);
  const SystemKinematics system = system_kinematics(model, kin, Representation::body);
  const Eigen::VectorXd V = system.J * v;
  const IkResult ik =
      inverse_kinematics(model, model.frame("tip"), {rotation_from_rpy(0., 1., 0.), {0.5, 0, 0.5}},
                         {.rotation_weight = 0});
  const auto integrator = make_integrator(ModelSystem(model), {.method = "dop853"});
  integrator->reset({0, q, v});
  integrator->step(0.01);
  State state = integrator->state(), between;
  integrator->interpolate(0.5 * state.t, between);
  Batch<double> batch(model);
  const std::vector<double> many(static_cast<std::size_t>(3 * model.nv()));
  std::vector<double> torques = many;
  batch.inverse_dynamics(3, std::vector<double>(static_cast<std::size_t>(3 * model.nq()), 1.), many,
                         {}, torques);
  const Eigen::Matrix4d pose_of_tip = to_eigen(pose(kin, model.frame("tip")));

  double wrong = (Y * pi - tau).norm() + (mine - 2 * tau).norm() + (recursive.Q - tau).norm();
  wrong += (M_copy - M_copy.transpose()).norm() + std::abs(pose_of_tip(0, 3) - 0.8);
  wrong += (moved * v - textbook::coriolis_forces(model, kin)).norm();
  wrong += V.size() == 18 && ik.q.size() == model.nq() && between.q.size() == model.nq() ? 0 : 1;
  return wrong;
}

}  // namespace

int main() {
  std::cout << "chasles " << version() << '\n';
  double wrong = 0;
  for (int k = 0; k < 20; ++k) wrong += run() + own_eigen();
  if (!(wrong < 1e-9)) std::cout << "wrong by " << wrong << '\n';
  return did_you_mean("inof", {{"info"}}).empty() || !(wrong < 1e-9);
}
