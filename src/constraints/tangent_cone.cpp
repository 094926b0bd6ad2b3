#include "chasles/constraints/tangent_cone.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "constraints/closing.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

constexpr int most_dimensions = 12;
constexpr double dependent = 1e-7;  // remainder of a unit row across the others
constexpr double no_form = 1e-7;    // entries of F relative to the largest bias

/// B at q, rows of length one: its kernel and left kernel. Vectors are columns.
struct Kernels {
  Eigen::MatrixXd K, N;
};
Kernels kernels_of(Eigen::MatrixXd B) {
  const Eigen::Index n = B.cols(), m = B.rows();
  if (m == 0 || n == 0) return {Eigen::MatrixXd::Identity(n, n), Eigen::MatrixXd::Identity(m, m)};
  const Eigen::VectorXd lengths = B.rowwise().norm();
  Eigen::VectorXd scale = Eigen::VectorXd::Ones(m);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (lengths[i] > 1e-12 * lengths.maxCoeff())
      scale[i] = 1 / lengths[i];
    else
      B.row(i).setZero();
  }
  B = scale.asDiagonal() * B;
  const PivotedQr qr = pivoted_qr(B.transpose());
  Eigen::Index rank = 0;
  while (rank < std::min(m, n) && std::abs(qr.R(rank, rank)) > dependent) ++rank;
  const Eigen::MatrixXd X = qr.combinations(static_cast<int>(rank));
  Eigen::MatrixXd N = Eigen::MatrixXd::Zero(m, m - rank), rows(n, rank);
  for (Eigen::Index k = 0; k < rank; ++k) {
    rows.col(k) = B.row(qr.order[k]).transpose();
    N.row(qr.order[k]) = -X.row(k);
  }
  for (Eigen::Index k = 0; k < m - rank; ++k) N(qr.order[rank + k], k) = 1;
  N = scale.asDiagonal() * N;
  if (rank == 0) return {Eigen::MatrixXd::Identity(n, n), N};
  return {rank == n ? Eigen::MatrixXd(n, 0) : orthogonal_complement(rows).basis, N};
}

/// Bd(v) v of the position constraints.
class Bias {
 public:
  Bias(Constraints& constraints, ConstVectorRef q)
      : constraints_(constraints), kin_(constraints.model()), q_(q) {}
  Eigen::VectorXd operator()(const Eigen::VectorXd& v) {
    forward_kinematics(constraints_.model(), q_, v, Vector(v.size()), kin_);
    constraints_.update(kin_);
    Vector out(constraints_.constraint_count());
    constraints_.bias(kin_, out);
    return out.head(constraints_.position_constraint_count());
  }

 private:
  Constraints& constraints_;
  AccelerationKinematics kin_;
  Vector q_;
};

/// F_c of (2): independent ones, of length one as vectors of their entries.
std::vector<Eigen::MatrixXd> forms_of(Bias& bias, const Kernels& kernels) {
  const Eigen::Index k = kernels.K.cols(), c = kernels.N.cols();
  if (k == 0 || c == 0) return {};
  Eigen::MatrixXd all = Eigen::MatrixXd::Zero(c, k * k);
  std::vector<Eigen::VectorXd> own;
  double largest = 0;
  for (Eigen::Index i = 0; i < k; ++i) {
    own.push_back(bias(kernels.K.col(i)));
    largest = std::max(largest, max_abs_entry(own.back()));
  }
  for (Eigen::Index i = 0; i < k; ++i)
    for (Eigen::Index j = 0; j <= i; ++j) {
      const auto& b_i = own[static_cast<std::size_t>(i)];
      const auto& b_j = own[static_cast<std::size_t>(j)];
      Eigen::VectorXd b = b_i;
      if (i != j) b = (bias(kernels.K.col(i) + kernels.K.col(j)) - b_i - b_j) / 2;
      all.col(i * k + j) = all.col(j * k + i) = kernels.N.transpose() * b;
    }
  if (!(all.cwiseAbs().maxCoeff() > no_form * largest)) return {};
  const PivotedQr qr = pivoted_qr(all.transpose());
  std::vector<Eigen::MatrixXd> forms;
  for (Eigen::Index r = 0; r < std::min(c, k * k); ++r) {
    if (!(std::abs(qr.R(r, r)) > no_form * std::abs(qr.R(0, 0)))) break;
    const Eigen::VectorXd entries = all.row(qr.order[r]).transpose().normalized();
    forms.push_back(Eigen::Map<const Eigen::MatrixXd>(entries.data(), k, k));
  }
  return forms;
}

double value(const Eigen::MatrixXd& F, const Eigen::VectorXd& x) { return x.dot(F * x); }

/// Common roots of forms in two variables, as angles: those of the first that satisfy the others.
std::vector<Eigen::VectorXd> lines_in_the_plane(const std::vector<Eigen::MatrixXd>& forms) {
  const Eigen::MatrixXd& F = forms[0];
  // F = m + d cos 2t + e sin 2t
  const double m = (F(0, 0) + F(1, 1)) / 2, d = (F(0, 0) - F(1, 1)) / 2, e = F(0, 1);
  const double radius = std::hypot(d, e);
  std::vector<Eigen::VectorXd> lines;
  if (std::abs(m) > radius * (1 + 1e-9)) return lines;
  const double middle = std::atan2(e, d), half = std::acos(std::clamp(-m / radius, -1.0, 1.0));
  for (const double twice : {middle + half, middle - half}) {
    const Eigen::VectorXd x = Eigen::Vector2d(std::cos(twice / 2), std::sin(twice / 2));
    const bool known = std::any_of(lines.begin(), lines.end(), [&](const Eigen::VectorXd& y) {
      return std::abs(x.dot(y)) > 1 - 1e-8;
    });
    const bool common = std::all_of(forms.begin(), forms.end(), [&](const Eigen::MatrixXd& G) {
      return std::abs(value(G, x)) <= 1e-6;
    });
    if (common && !known) lines.push_back(x);
  }
  return lines;
}

/// Solutions of (2) on the unit sphere by Newton's method from random starts, and the dimension of the cone there.
std::vector<Eigen::VectorXd> found_in_space(const std::vector<Eigen::MatrixXd>& forms,
                                            int& dimension) {
  const Eigen::Index k = forms[0].rows(), c = static_cast<Eigen::Index>(forms.size());
  std::mt19937_64 generator(3);
  std::normal_distribution<double> dice;
  std::vector<Eigen::VectorXd> found;
  Eigen::MatrixXd J(c, k);
  Eigen::VectorXd r(c), x(k);
  for (int start = 0; start < 60; ++start) {
    for (double& entry : x) entry = dice(generator);
    x.normalize();
    for (int iteration = 0; iteration < 60; ++iteration) {
      for (Eigen::Index i = 0; i < c; ++i) {
        const Eigen::VectorXd g = forms[static_cast<std::size_t>(i)] * x;
        J.row(i) = 2 * g.transpose();
        r[i] = x.dot(g);
      }
      if (r.norm() <= 1e-13) break;
      x -= solve_least_norm(J, r, 1e-9).x;
      x.normalize();
    }
    if (!(r.norm() <= 1e-10)) continue;
    const int local = static_cast<int>(k) - pivoted_qr(J, 1e-6).rank;
    const bool known = std::any_of(found.begin(), found.end(), [&](const Eigen::VectorXd& y) {
      return std::abs(x.dot(y)) > 1 - 1e-8;
    });
    dimension = std::max(dimension, local);
    if (!known && found.size() < 16) found.push_back(x);
  }
  return found;
}

/// Whether a motion continues from q along t: Phi = 0 at a point whose displacement has the component `way` along t and
/// is near way t.
bool continues(Constraints& constraints, ConstVectorRef q, const Eigen::VectorXd& t, double way) {
  const Model& model = constraints.model();
  Closing closing(constraints);
  Vector at(model.nq()), moved(model.nv());
  const Vector start = q;
  plus(model, start, way * t, at);
  for (int iteration = 0; iteration < 40; ++iteration) {
    closing.measure(at);
    minus(model, at, start, moved);
    const double off = way - t.dot(moved);
    if (closing.gap() <= 1e-12 && std::abs(off) <= 1e-10)
      return (moved - way * t).norm() <= 0.2 * std::abs(way);
    const Eigen::MatrixXd B = closing.slope_at(at);
    Eigen::MatrixXd A(B.rows() + 1, B.cols());
    Eigen::VectorXd b(B.rows() + 1);
    A << B, t.transpose();
    b << -closing.Phi().head(B.rows()), off;
    const Vector step = solve_least_norm(A, b, 1e-8).x;
    if (!(step.norm() <= 1)) return false;
    Vector next(model.nq());
    plus(model, at, step, next);
    at = next;
  }
  return false;
}

}  // namespace

bool TangentCone::moves() const {
  return std::any_of(branches.begin(), branches.end(),
                     [](const Branch& branch) { return branch.finite; });
}

TangentCone tangent_cone(Constraints& constraints, ConstVectorRef q) {
  const Model& model = constraints.model();
  require_size("q", q, model.nq());
  if (constraints.depends_on_time())
    throw Error(
        "the tangent cone is that of constraints that do not depend on time; leave out drivers");
  Closing closing(constraints);
  closing.measure(q);
  if (!(closing.gap() <= 1e-6))
    throw Error("the tangent cone is that of a configuration with closed loops, and a gap of " +
                to_short_text(closing.gap()) + " is left at q; assemble it first");
  const Kernels kernels = kernels_of(closing.slope_at(q));
  TangentCone cone;
  cone.kernel = static_cast<int>(kernels.K.cols());
  if (cone.kernel > most_dimensions)
    throw Error("the tangent cone has " + std::to_string(cone.kernel) +
                " instantaneous degrees of freedom; at most " + std::to_string(most_dimensions) +
                " are analyzed: keep some joints fixed");
  Bias bias(constraints, q);
  const std::vector<Eigen::MatrixXd> forms = forms_of(bias, kernels);
  cone.conditions = static_cast<int>(forms.size());
  std::vector<Eigen::VectorXd> lines;
  if (forms.empty()) {
    cone.dimension = cone.kernel;
    for (int k = 0; k < cone.kernel; ++k) lines.push_back(Eigen::VectorXd::Unit(cone.kernel, k));
  } else if (cone.kernel == 2) {
    lines = lines_in_the_plane(forms);
    cone.dimension = lines.empty() ? 0 : 1;
  } else if (cone.kernel > 2) {
    lines = found_in_space(forms, cone.dimension);
  }
  for (const Eigen::VectorXd& x : lines) {
    const Eigen::VectorXd t = kernels.K * x;
    const bool finite = continues(constraints, q, t, 0.01) || continues(constraints, q, t, -0.01) ||
                        continues(constraints, q, t, 0.001) || continues(constraints, q, t, -0.001);
    cone.branches.push_back({t, finite});
  }
  return cone;
}

}  // namespace chasles
