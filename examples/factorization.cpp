/// A chain of 1000 bodies: M x = b is solved in a few sweeps over the bodies, and the determinant of M
/// computed, without forming M and its million entries.
#include "chasles/textbook/factorization.hpp"

#include <cmath>
#include <cstdio>

#include "chasles/mechanism/builder.hpp"

using namespace chasles;

int main() {
  constexpr int n = 1000;
  MechanismBuilder builder("chain");
  std::string last(ground);
  for (int i = 0; i < n; ++i) {
    const Vec3 at{0.1 * i, 0, 0}, axis = i % 2 == 0 ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
    const std::string name = "body" + std::to_string(i);
    builder.body(name, last, joints::revolute(axis, at)).pose({{}, at});
    builder.inertia(0.1, {0.05, 0, 0}, Sym3::diagonal(1e-5, 1e-4, 1e-4));
    last = name;
  }
  const Model model = compile(builder.build());

  PositionKinematics kin(model);
  forward_kinematics(model, Eigen::VectorXd::Constant(n, 0.3), kin);
  textbook::Factorization factorization(model);
  factorize(model, kin, factorization);  // M = L D L^T, as the articulated inertias of the links

  const Eigen::VectorXd x = Eigen::VectorXd::LinSpaced(n, -1, 1);
  Eigen::VectorXd b(n), again(n), nu(n);
  factorization.multiply(x, b);   // b = M x
  factorization.solve(b, again);  // M^-1 b
  const double error = (again - x).cwiseAbs().maxCoeff();
  std::printf("M^-1 M x differs from x by %.1e\n", error);
  std::printf("log det M = %.6f\n", factorization.log_determinant());

  // The square root, M = S S^T, makes the kinetic energy a sum of squares: nu = S^T v.
  factorization.diagonal_velocities(x, nu);
  const double T = 0.5 * x.dot(b), sum = 0.5 * nu.squaredNorm();
  std::printf("kinetic energy v.M v / 2 = %.9f J, |nu|^2 / 2 = %.9f J\n", T, sum);
  return error < 1e-6 && std::abs(T - sum) < 1e-10 * T ? 0 : 1;
}
