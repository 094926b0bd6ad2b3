#include "chasles/control/equilibrium.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "chasles/control/linear_system.hpp"
#include "chasles/error.hpp"
#include "control/tangent_at.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

/// What forces and accelerations are measured by: the largest that weight and springs have there.
std::string largest(ConstVectorRef x, const char* unit) {
  Eigen::Index worst = 0;
  const double size = x.size() > 0 ? x.cwiseAbs().maxCoeff(&worst) : 0;
  return "entry " + std::to_string(worst) + " of v, " + to_short_text(size) + unit;
}

Mode mode(std::complex<double> lambda, const Eigen::VectorXcd& shape) {
  Eigen::Index worst = 0;
  shape.cwiseAbs().maxCoeff(&worst);
  const Eigen::VectorXcd scaled = shape / shape[worst];
  const double size = std::abs(lambda);
  return {lambda, size, size > 0 ? 0 - lambda.real() / size : 0, {scaled.begin(), scaled.end()}};
}

/// (2) where nothing damps and K is symmetric.
std::vector<Mode> undamped(const MechanicalSystem::Tangent& at) {
  const Eigen::GeneralizedSelfAdjointEigenSolver<Eigen::MatrixXd> solved(at.K, at.M);
  std::vector<Mode> all;
  const double most = solved.eigenvalues().cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < at.K.rows(); ++k) {
    const double square = solved.eigenvalues()[k];
    const Eigen::VectorXcd shape = solved.eigenvectors().col(k);
    if (square > 1e-12 * most) {
      all.push_back(mode({0, std::sqrt(square)}, shape));
    } else if (square < -1e-12 * most) {
      all.push_back(mode(-std::sqrt(-square), shape));
      all.push_back(mode(std::sqrt(-square), shape));
    } else {
      all.push_back(mode(0, shape));
      all.push_back(mode(0, shape));
    }
  }
  return all;
}
std::vector<Mode> damped(const LinearSystem& system) {
  const Eigen::Index n = system.B.cols();
  const Eigen::EigenSolver<Eigen::MatrixXd> solved(system.A);
  const double most = solved.eigenvalues().cwiseAbs().maxCoeff();
  std::vector<Mode> all;
  for (Eigen::Index k = 0; k < 2 * n; ++k) {
    std::complex<double> lambda = solved.eigenvalues()[k];
    if (lambda.imag() < 0) continue;
    if (std::abs(lambda) < 1e-7 * most) lambda = 0;  // the root of a rounding
    all.push_back(mode(lambda, solved.eigenvectors().col(k).head(n)));
  }
  return all;
}

}  // namespace

Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start) {
  const Eigen::Index n = system.group().nv();
  require_size("start", start, system.group().nq());
  const Vector rest(n);
  Vector q = start, there = start, f(n), f_there(n);
  system.set(t, q, rest);
  system.force(f);
  double damping = 1e-3, scale = f.cwiseAbs().size() > 0 ? f.cwiseAbs().maxCoeff() : 0;
  MechanicalSystem::Tangent at;
  for (int k = 0; k < 200 && n > 0; ++k) {
    if (!f.allFinite()) break;
    system.set(t, q, rest);
    system.tangent(rest, at);
    scale = std::max(scale, at.K.cwiseAbs().maxCoeff());
    const double size = f.cwiseAbs().maxCoeff();
    if (size <= 1e-14 * scale) return q;
    // (K^T K + damping) e = K^T f, and on while it gets better.
    const Eigen::MatrixXd square = at.K.transpose() * at.K;
    const double unit = std::max(square.diagonal().maxCoeff(), 1e-300);
    bool better = false;
    for (int tries = 0; tries < 40 && !better; ++tries) {
      Eigen::MatrixXd left = square;
      left.diagonal().array() += damping * unit;
      const Eigen::VectorXd e = solve_ldlt(left, at.K.transpose() * f);
      system.group().plus(q, e, there);
      system.set(t, there, rest);
      system.force(f_there);
      better = f_there.allFinite() && f_there.norm() < f.norm();
      damping = better ? damping / 10 : damping * 4;
      if (damping < 1e-30) damping = 0;
    }
    if (!better) {
      if (size <= 1e-9 * scale) return q;  // as good as rounding allows
      break;
    }
    q = there, f = f_there;
  }
  if (n == 0) return q;
  throw Error(
      "there is no equilibrium near the start: at the nearest point what acts is not in "
      "balance, most of all at " +
      largest(f, " N m or N") + "; start elsewhere, or support what falls");
}

std::vector<Mode> modes(MechanicalSystem& system, double t, ConstVectorRef q) {
  const Vector rest(system.group().nv());
  const TangentAt at(system, t, q, rest);
  if (rest.size() == 0) return {};
  const Eigen::VectorXd force = at.tangent.M * at.a;
  const double scale = std::max(at.tangent.K.cwiseAbs().maxCoeff(), 1e-300);
  if (force.cwiseAbs().maxCoeff() > 1e-6 * scale)
    throw Error("modes are those of an equilibrium, and here something accelerates, most of all " +
                largest(at.a, " rad/s^2 or m/s^2") + "; find_equilibrium finds one nearby");
  const auto& [K, D, M] = at.tangent;
  const bool symmetric =
      (K - K.transpose()).cwiseAbs().maxCoeff() <= 1e-9 * scale && D.cwiseAbs().maxCoeff() == 0;
  std::vector<Mode> all = symmetric ? undamped(at.tangent) : damped(linearize(system, t, q, rest));
  std::stable_sort(all.begin(), all.end(),
                   [](const Mode& a, const Mode& b) { return a.frequency < b.frequency; });
  return all;
}

std::vector<std::complex<double>> eigenvalues(const LinearSystem& system) {
  if (system.A.size() == 0) return {};
  const Eigen::EigenSolver<Eigen::MatrixXd> solved(system.A, false);
  return {solved.eigenvalues().begin(), solved.eigenvalues().end()};
}

}  // namespace chasles
