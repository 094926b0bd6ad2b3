#include "chasles/linearization/linear_quadratic.hpp"

#include <algorithm>
#include <cmath>

#include "linearization/riccati.hpp"
#include "math/decompositions.hpp"
#include "math/sampled_transition.hpp"

namespace chasles {
namespace {

using Dense2 = Eigen::MatrixXd;
using Complex = std::complex<double>;

Dense2 inverse_times(const Dense2& A, const Dense2& B) {
  RowPivotedLu lu(A.rows());
  lu.compute(A);
  return lu.solve_columns(B);
}
Dense2 symmetrized(const Dense2& A) { return 0.5 * (A + A.transpose()); }
std::string text_of(Complex x) {
  return to_short_text(x.real()) +
         (x.imag() == 0 ? "" : (x.imag() > 0 ? "+" : "") + to_short_text(x.imag()) + "i");
}

void require_shape(const char* name, ConstMatrixRef X, Eigen::Index rows, Eigen::Index columns) {
  if (X.rows() != rows || X.cols() != columns)
    throw Error(std::string(name) + " is " + std::to_string(X.rows()) + " x " +
                std::to_string(X.cols()) + "; it must be " + std::to_string(rows) + " x " +
                std::to_string(columns));
  if (!X.allFinite()) throw Error(std::string(name) + " has numbers that are not finite");
}
/// Symmetric, with eigenvalues above zero, or at least zero up to rounding.
void require_definite(const char* name, ConstMatrixRef X, Eigen::Index size, bool strictly) {
  require_shape(name, X, size, size);
  if (size == 0) return;
  const double largest = X.cwiseAbs().maxCoeff();
  if ((X - X.transpose()).cwiseAbs().maxCoeff() > 1e-12 * largest)
    throw Error(std::string(name) + " is not symmetric");
  const double least = symmetric_eigenvalues(X)[0];
  if (strictly ? !(least > 1e-14 * largest) : !(least >= -1e-12 * largest))
    throw Error(std::string(name) + " has the eigenvalue " + to_short_text(least) + "; it must " +
                (strictly ? "be positive" : "not be negative"));
}

/// H of the doubling iteration for X = A^T X (1 + G X)^-1 A + H; empty if it does not converge.
Dense2 doubling(Dense2 A, Dense2 G, Dense2 H) {
  const Dense2 one = Dense2::Identity(A.rows(), A.rows());
  for (int k = 0; k < 80; ++k) {
    const Dense2 T = inverse_times(one + G * H, A);  // (1 + G H)^-1 A
    const Dense2 step = A.transpose() * H * T;
    const Dense2 S = inverse_times(one + H * G, A.transpose());  // (1 + H G)^-1 A^T
    G = symmetrized(G + A * G * S);
    A = A * T;
    H = symmetrized(H + step);
    if (!H.allFinite()) return {};
    if (step.norm() <= 1e-16 * H.norm() || step.norm() == 0) return H;
  }
  return {};
}

/// The matrix without its size, whose square may be beyond the range of numbers.
Dense2 of_size_one(ConstMatrixRef A) {
  const double largest = A.size() == 0 ? 0 : A.cwiseAbs().maxCoeff();
  return largest > 0 ? Dense2(A / largest) : Dense2(A);
}

/// Rank of [A - s, B], complex, as a real matrix of twice the size.
bool affects(ConstMatrixRef A, ConstMatrixRef B, Complex s) {
  const Eigen::Index n = A.rows(), m = B.cols();
  Dense2 X = Dense2::Zero(2 * n, 2 * (n + m));
  const Dense2 one = Dense2::Identity(n, n);
  X.topLeftCorner(n, n) = X.block(n, n, n, n) = A - s.real() * one;
  X.block(0, n, n, n) = s.imag() * one, X.block(n, 0, n, n) = -s.imag() * one;
  X.block(0, 2 * n, n, m) = X.block(n, 2 * n + m, n, m) =
      std::max(A.norm(), 1e-300) * of_size_one(B);
  return pivoted_qr(X.transpose(), 1e-9).rank == 2 * n;
}

struct Problem {
  Dense2 A, B, Q, R;
  bool sampled;
  const char *inputs, *weights;  // words of messages
};

std::vector<Complex> poles_of(const Dense2& A) {
  std::vector<Complex> list;
  if (A.rows() == 0) return list;
  const auto pairs = eigenpairs(A, false);
  if (!pairs) throw Error("the eigenvalues of the closed loop do not converge");
  list.assign(pairs->values.begin(), pairs->values.end());
  return list;
}
/// Not stable, or so near that no feedback of the weights moved it.
bool is_stable(Complex pole, bool sampled) {
  return sampled ? std::abs(pole) < 1 : pole.real() < 0;
}

/// Negative for stable poles.
double margin(const Problem& p, Complex s) { return p.sampled ? std::abs(s) - 1 : s.real(); }
double size_of(const Problem& p) { return p.sampled ? 1 : std::max(p.A.norm(), 1e-300); }

void require_stabilizable(const Problem& p) {
  for (const Complex s : poles_of(p.A))
    if (margin(p, s) >= -1e-9 * size_of(p) && !affects(p.A, p.B, s))
      throw Error(std::string("no feedback makes the loop stable: the eigenvalue ") + text_of(s) +
                  " of A is not affected by the " + p.inputs);
}

[[noreturn]] void explain(const Problem& p) {
  require_stabilizable(p);
  for (const Complex s : poles_of(p.A)) {
    if (std::abs(margin(p, s)) <= 1e-6 * size_of(p) && !affects(p.A.transpose(), p.Q, s))
      throw Error(std::string("the neutral eigenvalue ") + text_of(s) +
                  " of A is not seen by the " + p.weights + "; give it a weight");
  }
  throw Error("the Riccati equation has no stabilizing solution that can be computed");
}

/// Residual of (1) or (2), and the size of its largest term.
struct Defect {
  Dense2 value;
  double size;
};
Dense2 gain(const Problem& p, const Dense2& P) {
  if (!p.sampled) return inverse_times(p.R, p.B.transpose() * P);
  return inverse_times(p.R + p.B.transpose() * P * p.B, p.B.transpose() * P * p.A);
}
Defect defect(const Problem& p, const Dense2& P, const Dense2& K) {
  if (p.sampled) {
    const Dense2 X = p.A.transpose() * P * p.A, Y = p.A.transpose() * P * p.B * K;
    return {X - Y + p.Q - P, std::max({X.norm(), Y.norm(), p.Q.norm(), P.norm()})};
  }
  const Dense2 X = P * p.A, Y = P * p.B * K;
  return {X + X.transpose() - Y + p.Q, std::max({X.norm(), Y.norm(), p.Q.norm()})};
}

Dense2 first_solution(const Problem& p) {
  const Dense2 G = symmetrized(p.B * inverse_times(p.R, p.B.transpose()));
  return p.sampled ? doubling(p.A, G, p.Q) : riccati_solution(p.A, G, p.Q);
}

Regulator solve(const Problem& p) {
  const Eigen::Index n = p.A.rows(), m = p.B.cols();
  Dense2 P = n == 0 ? Dense2(0, 0) : first_solution(p);
  if (n > 0 && P.size() == 0) explain(p);
  Dense2 K = gain(p, P);
  Defect off = defect(p, P, K);
  for (int k = 0; k < 10 && n > 0; ++k) {  // Newton's method
    const Dense2 loop = p.A - p.B * K, W = symmetrized(off.value);
    const Dense2 change = p.sampled ? stein_solution(loop, W) : lyapunov_solution(loop, W);
    if (change.size() == 0) break;
    const Dense2 better = symmetrized(P + change), K_better = gain(p, better);
    const Defect left = defect(p, better, K_better);
    if (!(left.value.norm() < 0.5 * off.value.norm())) break;
    P = better, K = K_better, off = left;
  }
  Regulator out{Matrix(K), Matrix(P), poles_of(p.A - p.B * K), 0};
  out.residual = off.size > 0 ? off.value.norm() / off.size : 0;
  const bool stable =
      std::ranges::all_of(out.poles, [&](Complex pole) { return is_stable(pole, p.sampled); });
  if (m > 0 && n > 0 && (!stable || !(out.residual < 1e-6))) explain(p);
  if (m == 0 && !stable) explain(p);
  // Rounding alone may make a pole on the axis stable.
  if (std::ranges::any_of(out.poles, [&](Complex s) { return margin(p, s) >= -1e-9 * size_of(p); }))
    require_stabilizable(p);
  return out;
}

void check(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef Q, ConstMatrixRef R) {
  require_shape("A", A, A.rows(), A.rows());
  require_shape("B", B, A.rows(), B.cols());
  require_definite("Q", Q, A.rows(), false);
  require_definite("R", R, B.cols(), true);
}
Regulator filter(ConstMatrixRef A, ConstMatrixRef C, ConstMatrixRef W, ConstMatrixRef V,
                 bool sampled) {
  require_shape("A", A, A.rows(), A.rows());
  require_shape("C", C, C.rows(), A.rows());
  require_definite("W", W, A.rows(), false);
  require_definite("V", V, C.rows(), true);
  Regulator out = solve(
      {Dense2(A.transpose()), Dense2(C.transpose()), W, V, sampled, "measurements", "noise W"});
  out.K = Dense2(out.K.transpose());
  return out;
}

/// Extends an orthonormal basis V by the columns of N, the largest remainders first.
/// @returns the new columns
Dense2 extend(Dense2& V, Dense2 N, double least) {
  const Eigen::Index n = N.rows(), before = V.cols();
  for (int pass = 0; pass < 2; ++pass) N -= V * (V.transpose() * N);
  while (N.cols() > 0 && V.cols() < n) {
    Eigen::Index most = 0;
    const double size = N.colwise().norm().maxCoeff(&most);
    if (!(size > least)) break;
    Eigen::VectorXd u = N.col(most) / size;
    u -= V * (V.transpose() * u);
    u.normalize();
    N -= u * (u.transpose() * N);
    V.conservativeResize(n, V.cols() + 1);
    V.col(V.cols() - 1) = u;
  }
  return V.rightCols(V.cols() - before);
}

}  // namespace

Regulator lqr(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef Q, ConstMatrixRef R) {
  check(A, B, Q, R);
  return solve({A, B, Q, R, false, "inputs", "weights Q"});
}
Regulator sampled_lqr(ConstMatrixRef A, ConstMatrixRef B, ConstMatrixRef Q, ConstMatrixRef R) {
  check(A, B, Q, R);
  return solve({A, B, Q, R, true, "inputs", "weights Q"});
}
Regulator kalman_filter(ConstMatrixRef A, ConstMatrixRef C, ConstMatrixRef W, ConstMatrixRef V) {
  return filter(A, C, W, V, false);
}
Regulator sampled_kalman_filter(ConstMatrixRef A, ConstMatrixRef C, ConstMatrixRef W,
                                ConstMatrixRef V) {
  return filter(A, C, W, V, true);
}

Reachability controllability(ConstMatrixRef A, ConstMatrixRef B, double tolerance) {
  require_shape("A", A, A.rows(), A.rows());
  require_shape("B", B, A.rows(), B.cols());
  if (!(tolerance > 0 && tolerance < 1))
    throw Error("tolerance " + to_text(tolerance) + " is out of range; give 0 to 1, such as 1e-10");
  const Eigen::Index n = A.rows();
  const Dense2 slope = of_size_one(A), input = of_size_one(B);
  Dense2 V(n, 0);
  Dense2 added = extend(V, input, tolerance * input.norm());
  while (added.cols() > 0 && V.cols() < n)
    added = extend(V, slope * added, tolerance * slope.norm());
  Reachability out{static_cast<int>(V.cols()), Matrix(V), {}};
  if (V.cols() == n) return out;
  const Dense2 U = V.cols() == 0 ? Dense2(Dense2::Identity(n, n)) : orthogonal_complement(V).basis;
  out.fixed = poles_of(U.transpose() * A * U);
  return out;
}
Reachability observability(ConstMatrixRef A, ConstMatrixRef C, double tolerance) {
  require_shape("C", C, C.rows(), A.rows());
  return controllability(Dense2(A.transpose()), Dense2(C.transpose()), tolerance);
}

Matrix controllability_gramian(ConstMatrixRef A, ConstMatrixRef B, double horizon) {
  require_shape("A", A, A.rows(), A.rows());
  require_shape("B", B, A.rows(), B.cols());
  if (!(horizon > 0 && std::isfinite(horizon)))
    throw Error("horizon " + to_text(horizon) + " is not a time; give seconds, more than 0");
  // Over a short time by the exponential of (Van Loan 1978), doubled: W(2 h) = W(h) + Phi W(h) Phi^T.
  const Eigen::Index n = A.rows();
  const double size = A.norm() * horizon;
  const int doublings = size > 1 && std::isfinite(size) ? std::ilogb(size) + 1 : 0;
  const double h = std::ldexp(horizon, -doublings);
  Dense2 X = Dense2::Zero(2 * n, 2 * n);
  X.topLeftCorner(n, n) = -h * A;
  X.topRightCorner(n, n) = h * B * B.transpose();
  X.bottomRightCorner(n, n) = h * A.transpose();
  const Dense2 E = matrix_exponential(X);
  Dense2 Phi = E.bottomRightCorner(n, n).transpose();
  Dense2 W = symmetrized(Phi * E.topRightCorner(n, n));
  for (int k = 0; k < doublings; ++k) {
    W = symmetrized(W + Phi * W * Phi.transpose());
    Phi = (Phi * Phi).eval();
  }
  if (!W.allFinite())
    throw Error("the Gramian over " + to_text(horizon) +
                " s leaves the range of numbers; give a shorter horizon");
  return W;
}

Matrix solve_lyapunov(ConstMatrixRef A, ConstMatrixRef W) {
  require_shape("A", A, A.rows(), A.rows());
  require_shape("W", W, A.rows(), A.rows());
  for (const Complex s : poles_of(A))
    if (!(s.real() < 0)) throw Error("A has the eigenvalue " + text_of(s) + "; it must be stable");
  if (A.rows() == 0) return Matrix(0, 0);
  const Dense2 X = lyapunov_solution(A.transpose(), symmetrized(W));
  if (X.size() == 0) throw Error("A is too near to an unstable matrix for its Lyapunov equation");
  return X;
}

}  // namespace chasles
