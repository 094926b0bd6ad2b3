/// Identification of physically consistent masses. Noisy torques of a motion determine 36 of the 60 inertial
/// parameters of this arm, or combinations of them. Least squares leaves the others arbitrary, and the result
/// is not physical. The inertia of a real body is a positive definite matrix P, its pseudo-inertia, linear in
/// the parameters. So with P_0 of the drawing
///
///     |tau - Y pi|^2 / (2 noise^2) + trust sum_bodies (tr(P_0^-1 P) - log det P)
///
/// is convex, keeps every body physical, and stays near the drawing where torques carry no information.
/// Newton's method finds its minimum.
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>
#include <cstdio>
#include <random>

#include "chasles/derivatives/parameters.hpp"
#include "chasles/dynamics/inverse_dynamics.hpp"
#include "chasles/mechanism/builder.hpp"
#include "chasles/screws/eigen.hpp"
#include "chasles/screws/physical.hpp"
#include "chasles/textbook/regressor.hpp"

using namespace chasles;

namespace {

constexpr double noise = 0.05;  // of a measured torque [N m]
constexpr int n = 6, states = 150;
std::mt19937_64 generator(2);

Eigen::VectorXd random_vector(int size, double deviation) {
  std::normal_distribution<double> normal(0, deviation);
  return Eigen::VectorXd::NullaryExpr(size, [&] { return normal(generator); });
}

/// Boxes on six axes; `error` is that of their drawing.
Model arm(double error) {
  const Vec3 x{1, 0, 0}, y{0, 1, 0}, z{0, 0, 1};
  const Vec3 axis[] = {z, y, y, x, y, x};
  const Vec3 point[] = {{}, {0, 0, 0.4}, {0, 0, 0.9}, {0.2, 0, 0.9}, {0.4, 0, 0.9}, {0.5, 0, 0.9}};
  const double mass[] = {8, 6, 4, 2, 1.5, 1};
  MechanismBuilder builder("arm");
  std::string parent(ground);
  for (int k = 0; k < n; ++k) {
    const std::string name = "body" + std::to_string(k + 1);
    const double m = mass[k] * std::exp(random_vector(1, error)[0]);
    const Eigen::Vector3d size = 0.15 * random_vector(3, error).array().exp(),
                          shift = random_vector(3, 0.1 * error);
    const Vec3 com{0.1 + shift[0], shift[1], shift[2]};
    const double a = size[0] * size[0], b = size[1] * size[1], c = size[2] * size[2];
    builder.body(name, parent, joints::revolute(axis[k], point[k]))
        .pose({SO3{}, point[k]})
        .inertia(m, com, (m / 12) * Sym3::diagonal(b + c, a + c, a + b));
    parent = name;
  }
  return compile(builder.build());
}

Inertia inertia_of(const Eigen::VectorXd& pi, int body) {
  std::array<double, 10> p;
  Eigen::Matrix<double, 10, 1>::Map(p.data()) = pi.segment<10>(10L * body);
  return inertia_from_parameters(p);
}
Eigen::Matrix4d pseudo(const Inertia& M) { return to_eigen(lie::pseudo_inertia(M)); }

int impossible_bodies(const Eigen::VectorXd& pi) {
  int count = 0;
  for (int b = 0; b < n; ++b) count += !lie::is_physical(inertia_of(pi, b));
  return count;
}

/// The function above, for all bodies at once.
struct Fit {
  const Eigen::MatrixXd& Y;
  const Eigen::VectorXd &tau, &drawn;
  double trust = 0.1;

  /// Infinite if a body is not physical.
  double value(const Eigen::VectorXd& pi) const {
    double sum = 0.5 * (tau - Y * pi).squaredNorm() / (noise * noise);
    for (int b = 0; b < n; ++b) {
      const Eigen::LLT<Eigen::Matrix4d> L(pseudo(inertia_of(pi, b)));
      if (L.info() != Eigen::Success) return HUGE_VAL;
      sum += trust * ((pseudo(inertia_of(drawn, b)).inverse() * L.reconstructedMatrix()).trace() -
                      2 * L.matrixLLT().diagonal().array().log().sum());
    }
    return sum;
  }
  /// The Newton step.
  Eigen::VectorXd step(const Eigen::VectorXd& pi) const {
    Eigen::MatrixXd H = Y.transpose() * Y / (noise * noise);
    Eigen::VectorXd g = Y.transpose() * (Y * pi - tau) / (noise * noise);
    for (int b = 0; b < n; ++b) {
      const Eigen::Matrix4d P_inv = pseudo(inertia_of(pi, b)).inverse(),
                            P_0_inv = pseudo(inertia_of(drawn, b)).inverse();
      const auto unit = [](int k) { return pseudo(inertia_of(Eigen::VectorXd::Unit(10, k), 0)); };
      for (int k = 0; k < 10; ++k) {
        g[10 * b + k] += trust * ((P_0_inv - P_inv) * unit(k)).trace();
        for (int l = 0; l < 10; ++l)
          H(10 * b + k, 10 * b + l) += trust * (P_inv * unit(k) * P_inv * unit(l)).trace();
      }
    }
    return -H.ldlt().solve(g);
  }
};

}  // namespace

int main() {
  const Model drawn = arm(0), real = arm(0.3);
  std::vector<Parameter> list;
  for (const ModelBody& body : drawn.bodies())
    for (int entry = 0; entry < 10; ++entry)
      list.push_back(inertial_parameter(drawn, body.name, entry));
  ForceSensitivity work(drawn, list);
  InverseDynamics dynamics(real);

  Eigen::MatrixXd Y(n * states, 10 * n);  // torques are linear in the parameters: tau = Y pi
  Eigen::VectorXd tau(n * states);
  for (Eigen::Index i = 0; i < states; ++i) {
    const Eigen::VectorXd q = random_vector(n, 1), v = random_vector(n, 2), a = random_vector(n, 5);
    Y.middleRows(n * i, n) = force_sensitivity(drawn, q, v, a, work);
    tau.segment(n * i, n) = inverse_dynamics(real, q, v, a, dynamics) + random_vector(n, noise);
  }
  const Eigen::VectorXd plain = Y.completeOrthogonalDecomposition().solve(tau);

  const Eigen::VectorXd pi_0 = textbook::inertial_parameters(drawn);
  const Fit fit{Y, tau, pi_0};
  Eigen::VectorXd pi = pi_0;
  for (int iteration = 0; iteration < 40; ++iteration) {
    Eigen::VectorXd step = fit.step(pi);
    const double before = fit.value(pi);
    while (fit.value(pi + step) > before && step.norm() > 1e-12 * pi.norm()) step *= 0.5;
    pi += step;
  }

  // Identifiable combinations must match the truth, up to the effect of noise on least squares.
  const textbook::BaseParameters base = textbook::base_parameters(drawn);
  const Eigen::MatrixXd Y_base = base.columns(Y);
  const Eigen::VectorXd truth = base.values(textbook::inertial_parameters(real));
  const Eigen::VectorXd deviation =
      noise * (Y_base.transpose() * Y_base).inverse().diagonal().cwiseSqrt();
  const double off = (base.values(pi) - truth).cwiseQuotient(deviation).cwiseAbs().maxCoeff();
  const double was = (base.values(pi_0) - truth).cwiseQuotient(deviation).cwiseAbs().maxCoeff();
  const double rms = std::sqrt((tau - Y * pi).squaredNorm() / static_cast<double>(tau.size()));
  std::printf("%zu combinations of %d parameters act on the torques\n", base.independent.size(),
              10 * n);
  std::printf("least squares: %d of %d bodies are impossible\n", impossible_bodies(plain), n);
  std::printf("convex fit:    %d of %d\n", impossible_bodies(pi), n);
  std::printf("off the truth by %.1f standard deviations at most; the drawing by %.0f\n", off, was);
  std::printf("torques are left off by %.4f N m, and their noise was %.4f N m\n", rms, noise);
  const bool ok = impossible_bodies(plain) > 0 && impossible_bodies(pi) == 0 && off < 4 &&
                  was > 100 && std::abs(rms / noise - 1) < 0.1;
  return ok ? 0 : 1;
}
