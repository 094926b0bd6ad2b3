#include "chasles/systems/matrix_group.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <cmath>

#include "chasles/state_error.hpp"
#include "math/decompositions.hpp"
#include "math/sampled_transition.hpp"

namespace chasles {
namespace {

using Eigen::Index, Eigen::MatrixXd, Eigen::VectorXd;

/// Bernoulli numbers over factorials: B_k / k!, with B_1 = +1/2 as in matrix_group.hpp (3).
constexpr double bernoulli[] = {1,
                                1. / 2,
                                1. / 12,
                                0,
                                -1. / 720,
                                0,
                                1. / 30240,
                                0,
                                -1. / 1209600,
                                0,
                                1. / 47900160,
                                0,
                                -691. / 1307674368000,
                                0,
                                1. / 74724249600,
                                0};
constexpr int most_terms = static_cast<int>(std::size(bernoulli));
constexpr double in_algebra = 1e-8;
constexpr int most_size = 32;  // of GL, .., whose algebras have about its square as dimension

MatrixXd unit(int n, int i, int j) {
  MatrixXd E = MatrixXd::Zero(n, n);
  E(i, j) = 1;
  return E;
}

void require_dimension(const char* name, int n, int least) {
  if (n < least || n > most_size)
    throw Error(std::string(name) + "(" + std::to_string(n) + "): give a size from " +
                std::to_string(least) + " to " + std::to_string(most_size));
}

/// x and y of the algebra without relation to its basis: [x, y] is outside of a span that is not closed, as the
/// components outside are bilinear forms, which vanish at almost no pair.
std::pair<VectorXd, VectorXd> any_pair(Index m) {
  VectorXd x(m), y(m);
  for (Index k = 0; k < m; ++k) {
    const auto t = static_cast<double>(k + 1);
    x[k] = std::cos(0.7 * t * t), y[k] = std::sin(1.3 * t * t + 0.4);
  }
  return {x, y};
}

/// log Y by inverse scaling and squaring: square roots by Denman and Beavers until Y is near 1, then
/// 2 atanh((Y - 1) (Y + 1)^-1). Not finite: there is no real logarithm.
MatrixXd matrix_logarithm(const MatrixXd& Y) {
  const Index n = Y.rows();
  const MatrixXd one = MatrixXd::Identity(n, n);
  MatrixXd root = Y;
  int roots = 0;
  for (; (root - one).lpNorm<1>() > 0.3 && roots < 60 && root.allFinite(); ++roots) {
    MatrixXd inverse = one;
    for (int k = 0; k < 60; ++k) {
      const MatrixXd next = 0.5 * (root + inverse.inverse());
      inverse = (0.5 * (inverse + root.inverse())).eval();
      const double change = (next - root).lpNorm<1>();
      root = next;
      if (!(change > 1e-15 * root.lpNorm<1>())) break;
    }
  }
  if (roots == 60) return MatrixXd::Constant(n, n, std::nan(""));
  const MatrixXd X = (root + one).partialPivLu().solve(root - one), square = X * X;
  MatrixXd power = X, sum = X;
  for (int k = 3; k < 60 && power.lpNorm<1>() > 1e-18; k += 2) {
    power = (power * square).eval();
    sum += power / k;
  }
  return std::ldexp(2.0, roots) * sum;
}

}  // namespace

MatrixGroup::MatrixGroup(std::string name, std::vector<Matrix> basis)
    : name_(std::move(name)), basis_(std::move(basis)) {
  const auto refuse = [&](const std::string& why) { throw Error("group " + name_ + ": " + why); };
  if (basis_.empty()) refuse("the basis is empty; give at least one matrix");
  n_ = static_cast<int>(basis_[0].rows());
  const Index m = nv();
  MatrixXd columns(n_ * n_, m);
  for (Index k = 0; k < m; ++k) {
    const Matrix& E = basis_[static_cast<std::size_t>(k)];
    if (n_ == 0 || E.rows() != n_ || E.cols() != n_)
      refuse("matrix " + std::to_string(k) + " of the basis is " + std::to_string(E.rows()) +
             " x " + std::to_string(E.cols()) + "; all must be square and of one size");
    if (!E.allFinite()) refuse("matrix " + std::to_string(k) + " of the basis is not finite");
    columns.col(k) = E.reshaped();
  }
  const Eigen::ColPivHouseholderQR<MatrixXd> qr(columns);
  if (qr.rank() < m)
    refuse("the " + std::to_string(m) + " matrices of the basis are linearly dependent, of rank " +
           std::to_string(qr.rank()));
  pseudo_inverse_ = MatrixXd(qr.solve(MatrixXd::Identity(n_ * n_, n_ * n_)));
  const auto outside_of = [&](const MatrixXd& A, const MatrixXd& B) {
    const MatrixXd C = A * B - B * A;
    const double outside = (hat(coordinates(C)) - C).norm();
    return outside > in_algebra * (1 + C.norm()) ? outside : 0;
  };
  const auto [x, y] = any_pair(m);
  if (outside_of(hat(x), hat(y)) == 0) return;
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j) {
      const double outside =
          outside_of(basis_[static_cast<std::size_t>(i)], basis_[static_cast<std::size_t>(j)]);
      if (outside > 0)
        refuse("the commutator of matrices " + std::to_string(i) + " and " + std::to_string(j) +
               " of the basis is outside their span, by " + to_short_text(outside) +
               "; complete the basis to an algebra");
    }
}

MatrixGroup MatrixGroup::general_linear(int n) {
  require_dimension("GL", n, 1);
  std::vector<Matrix> basis;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i) basis.emplace_back(unit(n, i, j));
  return {"GL(" + std::to_string(n) + ")", std::move(basis)};
}
MatrixGroup MatrixGroup::special_linear(int n) {
  require_dimension("SL", n, 2);
  std::vector<Matrix> basis;
  for (int j = 0; j < n; ++j)
    for (int i = 0; i < n; ++i)
      if (i != j) basis.emplace_back(unit(n, i, j));
  for (int i = 0; i + 1 < n; ++i) basis.emplace_back(unit(n, i, i) - unit(n, i + 1, i + 1));
  return {"SL(" + std::to_string(n) + ")", std::move(basis)};
}

namespace {

/// Rotations in the planes (i, j) of the first n axes: for n = 3 about x, y and z, as hat.
std::vector<Matrix> rotations(int n, int size) {
  std::vector<Matrix> basis;
  if (n == 3) {
    for (const auto& [i, j] : {std::pair{2, 1}, {0, 2}, {1, 0}})
      basis.emplace_back(unit(size, i, j) - unit(size, j, i));
    return basis;
  }
  for (int j = 0; j < n; ++j)
    for (int i = j + 1; i < n; ++i) basis.emplace_back(unit(size, i, j) - unit(size, j, i));
  return basis;
}

}  // namespace

MatrixGroup MatrixGroup::special_orthogonal(int n) {
  require_dimension("SO", n, 2);
  return {"SO(" + std::to_string(n) + ")", rotations(n, n)};
}
MatrixGroup MatrixGroup::special_euclidean(int n) {
  require_dimension("SE", n, 2);
  std::vector<Matrix> basis = rotations(n, n + 1);
  for (int i = 0; i < n; ++i) basis.emplace_back(unit(n + 1, i, n));
  return {"SE(" + std::to_string(n) + ")", std::move(basis)};
}

Vector MatrixGroup::identity() const { return VectorXd(MatrixXd::Identity(n_, n_).reshaped()); }
Matrix MatrixGroup::element(ConstVectorRef q) const {
  require_size("q", q, nq());
  return MatrixXd(q.reshaped(n_, n_));
}
Matrix MatrixGroup::hat(ConstVectorRef x) const {
  require_size("x", x, nv());
  Matrix X(n_, n_);
  for (int k = 0; k < nv(); ++k) X += x[k] * basis_[static_cast<std::size_t>(k)];
  return X;
}
Vector MatrixGroup::coordinates(ConstMatrixRef X) const {
  return VectorXd(pseudo_inverse_ * X.reshaped());
}
Vector MatrixGroup::vee(ConstMatrixRef X) const {
  if (X.rows() != n_ || X.cols() != n_)
    throw Error("group " + name_ + ": a matrix of " + std::to_string(X.rows()) + " x " +
                std::to_string(X.cols()) + "; the algebra has those of " + std::to_string(n_) +
                " x " + std::to_string(n_));
  Vector x = coordinates(X);
  const double outside = (hat(x) - X).norm();
  if (!(outside <= in_algebra * (1 + X.norm())))
    throw Error("group " + name_ + ": the matrix is not in the algebra; it is off by " +
                to_short_text(outside));
  return x;
}
void MatrixGroup::truncate(int terms) {
  if (terms < 0 || terms > most_terms)
    throw Error("group " + name_ + ": dexp^-1 with " + std::to_string(terms) +
                " terms; give 1 to " + std::to_string(most_terms) + ", or 0 for the closed form");
  terms_ = terms;
}

Matrix MatrixGroup::ad(ConstVectorRef x) const {
  const MatrixXd X = hat(x);
  Matrix out(nv(), nv());
  for (int k = 0; k < nv(); ++k) {
    const Matrix& E = basis_[static_cast<std::size_t>(k)];
    out.col(k) = coordinates(X * E - E * X);
  }
  return out;
}

void MatrixGroup::plus(ConstVectorRef q, ConstVectorRef x, VectorRef out) const {
  require_size("out", out, nq());
  out = VectorXd((element(q) * matrix_exponential(hat(x))).reshaped());
}
void MatrixGroup::minus(ConstVectorRef q1, ConstVectorRef q0, VectorRef out) const {
  require_size("out", out, nv());
  const MatrixXd Y = MatrixXd(element(q0)).partialPivLu().solve(MatrixXd(element(q1)));
  const MatrixXd X = matrix_logarithm(Y);
  if (!X.allFinite())
    throw StateError("group " + name_ +
                     ": the element that leads from one state to the other has no real logarithm; "
                     "take a smaller step");
  out = coordinates(X);
}
void MatrixGroup::dexp(ConstVectorRef x, ConstVectorRef u, VectorRef out) const {
  require_size("u", u, nv());
  require_size("out", out, nv());
  out = VectorXd(held_step(-MatrixXd(ad(x)), u, 1).rightCols(1));  // int_0^1 exp(-s ad_x) u ds
}
void MatrixGroup::dexp_inv(ConstVectorRef x, ConstVectorRef v, VectorRef out) const {
  require_size("v", v, nv());
  require_size("out", out, nv());
  const MatrixXd A = ad(x);
  const Index m = nv();
  if (terms_ == 0) {
    const MatrixXd D = held_step(-A, MatrixXd::Identity(m, m), 1).rightCols(m);
    out = VectorXd(D.partialPivLu().solve(VectorXd(v)));
    return;
  }
  VectorXd term = v, sum = v;
  for (int k = 1; k < terms_; ++k) {
    term = (A * term).eval();
    sum += bernoulli[k] * term;
  }
  out = sum;
}
/// Imaginary parts of the eigenvalues of ad, which are at most its norm; dexp is singular if one is 2 pi.
double MatrixGroup::rotation(ConstVectorRef x) const {
  const MatrixXd A = ad(x);
  const double norm = A.cwiseAbs().colwise().sum().maxCoeff();
  if (!(norm > 1.5)) return norm;
  const std::optional<Eigenpairs> pairs = eigenpairs(A, false);
  return pairs ? pairs->values.imag().cwiseAbs().maxCoeff() : norm;
}
void MatrixGroup::coordinate_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out) const {
  require_size("out", out, nq());
  out = VectorXd((element(q) * hat(v)).reshaped());
}

FirstOrderSystem::FirstOrderSystem(std::shared_ptr<const Group> group, Rate rate)
    : group_(std::move(group)), rate_(std::move(rate)) {
  if (!group_ || !rate_)
    throw Error("a first-order system needs a group and a function for its rate; give both");
  A_.setZero(group_->nv());
}

void FirstOrderSystem::rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
                             VectorRef v_dot) {
  require_size("q", q, nq());
  require_size("v", v, nv());
  require_size("velocity", velocity, nv());
  require_size("v_dot", v_dot, nv());
  A_.setZero();
  rate_(t, q, A_);
  if (!A_.allFinite())
    throw StateError("the rate of the first-order system is not finite at t = " + to_short_text(t) +
                     " s; look at its function, or take a smaller step");
  velocity = A_;
  v_dot.setZero();
}

}  // namespace chasles
