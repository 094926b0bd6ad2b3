#include "linearization/riccati.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <cmath>
#include <complex>

namespace chasles {
namespace {

using Real = Eigen::MatrixXd;
using Complex = Eigen::MatrixXcd;
using Schur = Eigen::ComplexSchur<Real>;

Real symmetric_part(const Real& A) { return 0.5 * (A + A.transpose()); }

/// Columns of Y = U^H X U one after another, by `solve_column(T, k, F_k, sum_j Y_j T_jk)`; then X.
template <class SolveColumn>
Real by_columns(ConstMatrixRef A, ConstMatrixRef W, const SolveColumn& solve_column) {
  const Eigen::Index n = A.rows();
  if (n == 0) return Real(0, 0);
  const Schur schur(Real(A), true);
  if (schur.info() != Eigen::Success) return {};
  const Complex &T = schur.matrixT(), &U = schur.matrixU();
  const Complex F = U.adjoint() * W * U;
  Complex Y = Complex::Zero(n, n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::VectorXcd before = Y.leftCols(k) * T.col(k).head(k);
    Y.col(k) = solve_column(T, k, F.col(k), before);
  }
  const Real X = (U * Y * U.adjoint()).real();
  return X.allFinite() ? symmetric_part(X) : Real();
}

/// The matrix of (3), its balancing D, and the factor r with P = r D^-1 P_balanced D^-1.
struct Hamiltonian {
  Real H;
  Eigen::VectorXd D;
  double r = 1;

  Hamiltonian(ConstMatrixRef A, ConstMatrixRef G, ConstMatrixRef Q)
      : H(2 * A.rows(), 2 * A.rows()) {
    const Eigen::Index n = A.rows();
    const double g = G.norm(), q = Q.norm();
    if (g > 0 && q > 0) r = std::sqrt(q / g);
    H << A, -r * G, -Q / r, -A.transpose();
    D = Eigen::VectorXd::Ones(n);
    for (int sweep = 0, changed = 1; changed > 0 && sweep < 20; ++sweep) {
      changed = 0;
      for (Eigen::Index i = 0; i < n; ++i) changed += balance(i) ? 1 : 0;
    }
  }

 private:
  /// Scales coordinate i, and its dual, where that makes the sum of absolute values smaller.
  bool balance(Eigen::Index i) {
    const Eigen::Index n = D.size(), m = n + i;
    double with = 0, against = 0;  // entries that are multiplied and divided by a factor
    for (Eigen::Index j = 0; j < 2 * n; ++j) {
      if (j == i || j == m) continue;
      with += std::abs(H(j, i)) + std::abs(H(m, j));
      against += std::abs(H(i, j)) + std::abs(H(j, m));
    }
    const auto size = [&](double f) {
      return with * f + against / f + std::abs(H(m, i)) * f * f + std::abs(H(i, m)) / (f * f);
    };
    constexpr double worthwhile = 0.95;
    double f = 1;
    while (f < 0x1p60 && size(2 * f) < worthwhile * size(f)) f *= 2;
    while (f > 0x1p-60 && size(f / 2) < worthwhile * size(f)) f /= 2;
    if (f == 1) return false;
    H.row(i) /= f, H.col(i) *= f;
    H.row(m) *= f, H.col(m) /= f;
    D[i] *= f;
    return true;
  }
};

/// Exchanges diagonal entries k - 1 and k of T by a rotation.
void exchange(Complex& T, Complex& U, Eigen::Index k) {
  Eigen::JacobiRotation<std::complex<double>> rotation;
  rotation.makeGivens(T(k - 1, k), T(k, k) - T(k - 1, k - 1));
  T.applyOnTheLeft(k - 1, k, rotation.adjoint());
  T.applyOnTheRight(k - 1, k, rotation);
  U.applyOnTheRight(k - 1, k, rotation);
  T(k, k - 1) = 0;
}

}  // namespace

Real lyapunov_solution(ConstMatrixRef A, ConstMatrixRef W) {
  return by_columns(A, W, [](const Complex& T, Eigen::Index k, const auto& F, const auto& before) {
    Complex L = T.adjoint();
    L.diagonal().array() += T(k, k);
    Eigen::VectorXcd y = -F - before;
    L.triangularView<Eigen::Lower>().solveInPlace(y);
    return y;
  });
}

Real stein_solution(ConstMatrixRef A, ConstMatrixRef W) {
  return by_columns(A, W, [](const Complex& T, Eigen::Index k, const auto& F, const auto& before) {
    Complex L = -T(k, k) * T.adjoint();
    L.diagonal().array() += 1.0;
    Eigen::VectorXcd y = F + T.adjoint() * before;
    L.triangularView<Eigen::Lower>().solveInPlace(y);
    return y;
  });
}

Real riccati_solution(ConstMatrixRef A, ConstMatrixRef G, ConstMatrixRef Q) {
  const Eigen::Index n = A.rows();
  const Hamiltonian balanced(A, G, Q);
  const Schur schur(balanced.H, true);
  if (schur.info() != Eigen::Success) return {};
  Complex T = schur.matrixT(), U = schur.matrixU();
  for (Eigen::Index front = 0; front < n; ++front) {  // stable eigenvalues to the front
    Eigen::Index k = front;
    while (k < 2 * n && !(T(k, k).real() < 0)) ++k;
    if (k == 2 * n) return {};
    for (; k > front; --k) exchange(T, U, k);
  }
  const Complex X = U.topLeftCorner(n, n), Y = U.bottomLeftCorner(n, n);
  const Real P = X.transpose().partialPivLu().solve(Y.transpose()).transpose().real() * balanced.r;
  const Eigen::VectorXd scale = balanced.D.cwiseInverse();
  const Real out = symmetric_part(scale.asDiagonal() * P * scale.asDiagonal());
  return out.allFinite() ? out : Real();
}

}  // namespace chasles
