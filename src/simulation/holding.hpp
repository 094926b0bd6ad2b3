/// Joints that are held at rest: by a stop in contact, or by dry friction.
///
///     M v' = f + sum_k e_k lambda_k,      v'_k = 0 of every coordinate k that is held           (1)
///
/// With X = M^-1 E (under the constraints of the system), G = E^T X and a the accelerations without lambda,
/// lambda = -G^-1 a_H. The set of held joints is determined by bounds on lambda, at the start and at events
/// (docs/theory/stops.md):
///
///     lower <= lambda <= upper,     w = G lambda + a_H:   w = 0 between the bounds,
///                                   w >= 0 at the lower one, w <= 0 at the upper one            (2)
#pragma once

#include <memory>
#include <span>

#include "chasles/systems/mechanical_system.hpp"

namespace chasles {

/// Solves S x = b for a symmetric positive semidefinite matrix: 1e-12 of the diagonal is added, and iterative
/// refinement removes its effect. Allocates only when the size exceeds all previous ones.
class SemidefiniteSolver {
 public:
  void factorize(const Matrix& S);
  void solve(const Vector& b, Vector& x);
  /// Whether row i of the last factorization depends on the rows before it.
  bool depends(Eigen::Index i) const { return L_(i, i) * L_(i, i) <= 1e-10 * S_(i, i); }

 private:
  void solve_once(const Vector& b, Vector& x) const;
  Matrix S_, L_;  // L L^T = S + shift
  Vector rest_, more_;
};

/// Solves (2) for lambda, by principal pivoting with the least-index rule (Murty 1974; Judice & Pires 1992). G may be
/// singular if rows are dependent.
/// @returns -1, 0 or 1 for each lambda: at its lower bound, between the bounds, at its upper bound
std::vector<int> solve_in_bounds(const Matrix& G, const Vector& a, const Vector& lower,
                                 const Vector& upper, Vector& lambda);

/// Wraps another system and holds some of its coordinates, (1); everything else is forwarded.
class HeldSystem : public MechanicalSystem {
 public:
  explicit HeldSystem(std::shared_ptr<MechanicalSystem> inner);

  /// @param coordinates  pairs of indices into v and q; the entry of v is the rate of the entry of q
  void hold(std::span<const std::pair<int, int>> coordinates, ConstVectorRef q);
  bool holds() const { return !held_.empty(); }
  bool holds(int v) const;
  /// lambda of entry v at the last evaluation of rates; 0 if it is not held.
  double force_of(int v) const;
  /// X and G for the given coordinates, one column each.
  void respond(std::span<const int> coordinates, Matrix& X, Matrix& G);
  /// Adds to tau the lambda for the accelerations a without it.
  void add_forces(ConstVectorRef a, Vector& tau);

  const Group& group() const override { return inner_->group(); }
  void acceleration(VectorRef v_dot) override;
  /// Projects on the constraints of a closed mechanism and on the positions of held coordinates.
  void project(State& state) override;
  MechanismState* mechanism() override { return inner_->mechanism(); }

  int constraint_count() const override { return inner_->constraint_count(); }
  int position_constraint_count() const override { return inner_->position_constraint_count(); }
  void mass_times(ConstVectorRef x, VectorRef out) override { inner_->mass_times(x, out); }
  void mass_matrix(Matrix& M) override { inner_->mass_matrix(M); }
  void force(VectorRef out) override { inner_->force(out); }
  void dynamics_residual(ConstVectorRef a, VectorRef out) override {
    inner_->dynamics_residual(a, out);
  }
  void momentum_rate(VectorRef out) override { inner_->momentum_rate(out); }
  void constraint_matrix(Matrix& B) override { inner_->constraint_matrix(B); }
  void independent_equations(Matrix& U) override { inner_->independent_equations(U); }
  void constraint_stiffness(ConstVectorRef lambda, Matrix& S) override {
    inner_->constraint_stiffness(lambda, S);
  }
  void constraint_error(VectorRef Phi) override { inner_->constraint_error(Phi); }
  void constraint_times(ConstVectorRef x, VectorRef out) override {
    inner_->constraint_times(x, out);
  }
  void constraint_force(ConstVectorRef lambda, VectorRef out) override {
    inner_->constraint_force(lambda, out);
  }
  void constraint_time_rate(VectorRef out) override { inner_->constraint_time_rate(out); }
  void constraint_bias(VectorRef out) override { inner_->constraint_bias(out); }
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) override {
    inner_->solve(b, c, x, lambda);
  }
  void tangent(ConstVectorRef a, Tangent& out) override { inner_->tangent(a, out); }
  void prepare(Tangent& out) override { inner_->prepare(out); }
  std::unique_ptr<NewtonMatrix> newton(ConstraintLevel level, int stages) override;
  bool has_newton() const override { return inner_->has_newton(); }
  /// Held entries of v whose equations v'_k = 0 are independent of the constraints of the system and of each other.
  std::span<const int> independent();

 protected:
  void invalidate() override { inner_->set(at()); }

 private:
  void find_forces(ConstVectorRef a);
  /// lambda_ = G^-1 wanted_ for all held coordinates.
  void solve_held();

  std::shared_ptr<MechanicalSystem> inner_;
  std::vector<int> held_, held_q_;  // indices into v and q
  Vector where_;                    // positions of the held coordinates
  std::vector<int> independent_;
  bool independent_known_ = false;
  Vector lambda_, wanted_;
  SemidefiniteSolver solver_;
  Matrix X_, G_, Mu_;  // Mu: multipliers of the constraints, by column of X
  Vector unit_, zero_, x_, mu_, there_;
};

}  // namespace chasles
