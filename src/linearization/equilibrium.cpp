#include "chasles/linearization/equilibrium.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "chasles/error.hpp"
#include "chasles/linearization/linear_system.hpp"
#include "linearization/reduced_tangent.hpp"
#include "math/decompositions.hpp"

namespace chasles {
namespace {

/// "joint 'elbow' by 3 N m or N", of the largest entry.
std::string largest(MechanicalSystem& system, ConstVectorRef x, const char* unit) {
  Eigen::Index worst = 0;
  const double size = x.size() > 0 ? x.cwiseAbs().maxCoeff(&worst) : 0;
  return entry_name(system, worst) + " by " + to_short_text(size) + unit;
}

VibrationMode mode(std::complex<double> lambda, const Eigen::VectorXcd& shape) {
  Eigen::Index worst = 0;
  shape.cwiseAbs().maxCoeff(&worst);
  const Eigen::VectorXcd scaled = shape / shape[worst];
  const double size = std::abs(lambda);
  return {lambda, size, size > 0 ? 0 - lambda.real() / size : 0, {scaled.begin(), scaled.end()}};
}

/// (2) for systems without damping and with symmetric K_r.
std::vector<VibrationMode> undamped(const ReducedTangent& at) {
  const SymmetricEigen<Eigen::Dynamic> solved = generalized_symmetric_eigen(at.K_r, at.M_r);
  std::vector<VibrationMode> all;
  const double most = solved.values.cwiseAbs().maxCoeff();
  for (Eigen::Index k = 0; k < at.K_r.rows(); ++k) {
    const double square = solved.values[k];
    const Eigen::VectorXcd shape = at.q_free.N() * solved.vectors.col(k);
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
Eigenpairs eigenpairs_of(const LinearSystem& system, bool vectors) {
  if (auto found = eigenpairs(system.A, vectors)) return *std::move(found);
  throw Error("the eigenvalues of A are not found: the iteration for them does not converge");
}
std::vector<VibrationMode> damped(const ReducedTangent& at, const LinearSystem& system) {
  const Eigenpairs solved = eigenpairs_of(system, true);
  const double most = solved.values.cwiseAbs().maxCoeff();
  const Eigen::MatrixXd& N = at.q_free.N();
  std::vector<VibrationMode> all;
  for (Eigen::Index k = 0; k < system.A.rows(); ++k) {
    std::complex<double> lambda = solved.values[k];
    if (lambda.imag() < 0) continue;
    if (std::abs(lambda) < 1e-7 * most) lambda = 0;  // the root of a rounding
    all.push_back(mode(lambda, N * solved.vectors.col(k).head(N.cols())));
  }
  return all;
}

/// The search for an equilibrium: forces along the motions permitted by the constraints, g = Z^T f with
/// orthonormal columns Z, and their derivative. With the multipliers lambda that minimize |f - B^T lambda|,
///
///     dg = -Z^T (K + S) Z z        for the step q exp(Z z)                                      (3)
class Balance {
 public:
  Balance(MechanicalSystem& system, double t, const std::vector<int>& held)
      : system_(&system), held_(&held), at_{t, {}, Vector(system.nv())}, f_(system.nv()) {}

  /// Moves to q, or to the nearest configuration that satisfies the constraints.
  void go(const Vector& q) {
    at_.q = q, at_.v.setZero();
    if (system_->constraint_count() > 0) system_->project(at_);
    at_.v.setZero();
    system_->set(at_);
    system_->force(f_);
    if (held_back_.size() > 0) f_ -= held_back_;
    free_ = FreeMotions(bound_rows(*system_, *held_, true), model_of(*system_));
    g_ = free_.basis().transpose() * f_;
  }
  /// K_r of (3).
  Eigen::MatrixXd stiffness() {
    MechanicalSystem::Tangent tangent;
    system_->tangent(at_.v, tangent);
    if (system_->constraint_count() > 0) {
      Matrix S;
      system_->constraint_stiffness(multipliers(), S);
      tangent.K += S;
    }
    return free_.basis().transpose() * tangent.K * free_.basis();
  }
  Vector moved(const Eigen::VectorXd& z) const {
    Vector there(at_.q.size());
    const Vector e = free_.basis() * z;
    system_->group().plus(at_.q, e, there);
    return there;
  }
  /// Joint forces that balance a part of f from the next `go` on (load steps).
  void hold_back(const Vector& forces) { held_back_ = forces; }
  const Vector& q() const { return at_.q; }
  const Vector& f() const { return f_; }
  const Eigen::VectorXd& g() const { return g_; }
  /// g as joint forces.
  Vector force_left() const { return free_.basis() * g_; }

 private:
  /// lambda of (3), without the forces that hold fixed coordinates.
  Vector multipliers() {
    Matrix B, U;
    system_->constraint_matrix(B);
    system_->independent_equations(U);
    Eigen::MatrixXd both =
        Eigen::MatrixXd::Zero(f_.size(), U.cols() + static_cast<Eigen::Index>(held_->size()));
    both.leftCols(U.cols()) = B.transpose() * U;
    for (std::size_t k = 0; k < held_->size(); ++k)
      both((*held_)[k], U.cols() + static_cast<Eigen::Index>(k)) = 1;
    return U * solve_least_norm(both, f_).x.head(U.cols());
  }

  MechanicalSystem* system_;
  const std::vector<int>* held_;
  State at_;
  Vector f_, held_back_;
  FreeMotions free_;
  Eigen::VectorXd g_;
};

double largest_entry(ConstMatrixRef x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

/// One damped Newton step, (K^T K + damping) z = K^T g. False if no step reduces g.
bool newton(Balance& here, const Eigen::MatrixXd& K, double& damping) {
  const Eigen::MatrixXd square = K.transpose() * K;
  const Eigen::VectorXd right = K.transpose() * here.g();
  const double unit = std::max(square.diagonal().maxCoeff(), 1e-300);
  Balance there = here;
  for (int tries = 0; tries < 40; ++tries) {
    Eigen::MatrixXd left = square;
    left.diagonal().array() += damping * unit;
    bool better = false;
    try {
      there.go(here.moved(solve_ldlt(left, right)));
      better = there.f().allFinite() && there.g().norm() < here.g().norm();
    } catch (const Error&) {  // too far: the constraints cannot be satisfied there
    }
    damping = better ? damping / 10 : damping * 4;
    if (damping < 1e-30) damping = 0;
    if (!better) continue;
    here = there;
    return true;
  }
  return false;
}

/// A descent step on the potential, z = |K|^-1 g with the absolute eigenvalues of K, limited to 0.2 rad or m:
/// used where a local minimum of |g| is not an equilibrium.
/// @returns whether a stable equilibrium is almost reached
bool descend(Balance& here, const Eigen::MatrixXd& K) {
  const auto [values, vectors] = symmetric_eigen_of_any_size((K + K.transpose()) / 2);
  const double most = values.cwiseAbs().maxCoeff();
  const Eigen::VectorXd size = values.cwiseAbs().cwiseMax(std::max(1e-3 * most, 1e-300));
  Eigen::VectorXd z = vectors * (vectors.transpose() * here.g()).cwiseQuotient(size);
  const double length = z.lpNorm<Eigen::Infinity>();
  constexpr double longest = 0.2, nearly = 1e-3;
  if (length > longest) z *= longest / length;
  here.go(here.moved(z));
  return length < nearly && values[0] > 0;
}

/// Newton's method alone, from where `here` is.
/// @returns whether it converged
bool balance_by_newton(Balance& here) {
  double damping = 1e-3, scale = largest_entry(here.f());
  for (int k = 0; k < 40; ++k) {
    if (here.g().size() == 0) return true;
    if (!here.f().allFinite()) return false;
    const Eigen::MatrixXd K = here.stiffness();
    scale = std::max({scale, largest_entry(K), 1e-300});
    if (largest_entry(here.g()) <= 1e-10 * scale) return true;
    if (!newton(here, K, damping)) return largest_entry(here.g()) <= 1e-8 * scale;
  }
  return false;
}

/// Releases the forces at the start in `steps` steps, halved where Newton's method fails.
/// @returns whether all of them are released
bool release(Balance& here, int steps) {
  const Vector at_start = here.f();
  Balance reached = here;
  double part = 0, step = 1.0 / steps;
  while (part < 1) {
    const double next = part + step > 1 - 1e-9 ? 1 : part + step;
    Balance trial = reached;
    bool balanced = false;
    try {
      trial.hold_back((1 - next) * at_start);
      trial.go(reached.q());
      balanced = balance_by_newton(trial);
    } catch (const Error&) {  // too far, or a singular configuration
    }
    if (balanced) {
      reached = trial, part = next;
      step = std::min(2 * step, 1.0 / steps);
    } else if ((step /= 2) < 1e-3 / steps) {
      return false;
    }
  }
  here = reached;
  return true;
}

/// With angles within half a revolution of those of another configuration, if that is an equilibrium too.
Vector unwound(MechanicalSystem& system, double t, const std::vector<int>& held, const Vector& q,
               const Vector& around) {
  const Model* model = model_of(system);
  if (model == nullptr) return q;
  constexpr double turn = 2 * M_PI;
  Vector less = q;
  for (const ModelJoint& joint : model->joints())
    for (const JointCoordinate& c : joint.coordinates)
      if (c.kind == CoordinateKind::angle)
        less[c.q_index] -= turn * std::ceil((q[c.q_index] - around[c.q_index]) / turn - 0.5 - 1e-9);
  if ((less - q).cwiseAbs().sum() == 0) return q;
  Balance there(system, t, held);
  try {
    there.go(less);
    const double scale = std::max(largest_entry(there.f()), largest_entry(there.stiffness()));
    if (largest_entry(there.g()) <= 1e-8 * scale && (there.q() - less).norm() < 1e-8) return less;
  } catch (const Error&) {  // revolutions count in its constraints
  }
  return q;
}

}  // namespace

Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start,
                        const std::vector<int>& held) {
  return find_equilibrium(system, t, start, EquilibriumOptions{.held = held});
}

Vector find_equilibrium(MechanicalSystem& system, double t, ConstVectorRef start,
                        const EquilibriumOptions& options) {
  require_size("start", start, system.group().nq());
  if (options.load_steps < 0)
    throw Error("load_steps is " + std::to_string(options.load_steps) +
                "; give the number of load steps, or 0 for none");
  Balance here(system, t, options.held);
  here.go(start);
  if (options.load_steps > 0 && !release(here, options.load_steps))
    throw Error(
        "the load steps end before all forces are released: no equilibrium follows there, as at a "
        "snap-through; leave out load steps, or start elsewhere");
  std::optional<Balance> nearest;  // end of Newton's method
  double damping = 1e-3, scale = largest_entry(here.f());
  bool descending = false;
  for (int k = 0; k < 500; ++k) {
    if (here.g().size() == 0) return here.q();
    if (!here.f().allFinite()) break;
    const Eigen::MatrixXd K = here.stiffness();
    scale = std::max(scale, largest_entry(K));
    const double size = largest_entry(here.g());
    if (size <= 1e-14 * scale) return unwound(system, t, options.held, here.q(), start);
    if (descending) {
      try {
        descending = !descend(here, K);
      } catch (const Error&) {
        break;
      }
      continue;
    }
    if (newton(here, K, damping)) continue;
    if (size <= 1e-9 * scale)  // as good as rounding allows
      return unwound(system, t, options.held, here.q(), start);
    if (nearest) break;
    nearest = here, descending = true, damping = 1e-3;
    here.go(here.q());
  }
  throw Error(
      "there is no equilibrium near the start: at the nearest point the forces are not in balance, "
      "most of all at " +
      largest(system, (nearest ? *nearest : here).force_left(), " N m or N") +
      "; start elsewhere, or support what falls");
}

std::vector<Vector> find_equilibria(MechanicalSystem& system, double t,
                                    std::span<const Vector> starts,
                                    const EquilibriumOptions& options) {
  constexpr double same = 1e-5;  // [rad, m]
  std::vector<Vector> found;
  const Vector zero(system.group().nq());
  Vector way(system.group().nv());
  for (const Vector& start : starts) {
    try {
      const Vector q =
          unwound(system, t, options.held, find_equilibrium(system, t, start, options), zero);
      const bool is_new = std::ranges::none_of(found, [&](const Vector& known) {
        system.group().minus(q, known, way);
        return way.size() == 0 || way.cwiseAbs().maxCoeff() < same;
      });
      if (is_new) found.push_back(q);
    } catch (const SizeError&) {
      throw;
    } catch (const Error&) {  // none from there
    }
  }
  return found;
}

std::vector<VibrationMode> modes(MechanicalSystem& system, double t, ConstVectorRef q,
                                 const CoordinateChoice& choice) {
  const Vector rest(system.group().nv());
  const ReducedTangent at(system, t, q, rest, choice);
  if (at.q_free.N().cols() == 0) return {};
  const double force = largest_entry(at.M_r * at.v_free.rows(at.a));
  const double scale = std::max({at.stiffness, 1e-5 * at.force, 1e-300});
  if (force > 1e-6 * scale)
    throw Error("modes are those of an equilibrium, and here something accelerates, most of all " +
                largest(system, at.a, " rad/s^2 or m/s^2") +
                "; find an equilibrium first, with drivers at rest");
  const bool symmetric = at.K_r.rows() == at.K_r.cols() &&
                         largest_entry(at.K_r - at.K_r.transpose()) <= 1e-9 * scale &&
                         largest_entry(at.D_r) == 0;
  std::vector<VibrationMode> all =
      symmetric ? undamped(at) : damped(at, linearize(system, t, q, rest, choice));
  std::stable_sort(all.begin(), all.end(), [](const VibrationMode& a, const VibrationMode& b) {
    return a.frequency < b.frequency;
  });
  return all;
}

std::vector<std::complex<double>> eigenvalues(const LinearSystem& system) {
  if (system.A.size() == 0) return {};
  const Eigen::VectorXcd values = eigenpairs_of(system, false).values;
  return {values.begin(), values.end()};
}

}  // namespace chasles
