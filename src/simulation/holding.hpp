/// Joints that are held where they are: by a stop that they lean on, or by dry friction.
///
///     M v' = f + sum_k e_k lambda_k,      v'_k = 0 of every coordinate k that is held           (1)
///
/// With X = M^-1 E (under the constraints of the system), G = E^T X and a the accelerations without lambda,
/// lambda = -G^-1 a_H. Which are held is decided by the bounds of lambda, at the start and at events
/// (docs/theory/stops.md):
///
///     lower <= lambda <= upper,     w = G lambda + a_H:   w = 0 between the bounds,
///                                   w >= 0 at the lower one, w <= 0 at the upper one            (2)
#pragma once

#include <memory>
#include <span>

#include "chasles/motion/mechanical_system.hpp"

namespace chasles {

/// S x = b for a symmetric matrix that is positive, but for rows that depend on each other: what is added to its
/// diagonal, 1e-12 of it, is taken back by corrections. Allocates only for more rows than ever before.
class SemidefiniteSolver {
 public:
  void factorize(const Matrix& S);
  void solve(const Vector& b, Vector& x);
  /// Row i of the last factorization depends on those before it.
  bool depends(Eigen::Index i) const { return L_(i, i) * L_(i, i) <= 1e-10 * S_(i, i); }

 private:
  void solve_once(const Vector& b, Vector& x) const;
  Matrix S_, L_;  // L L^T = S + shift
  Vector rest_, more_;
};

/// Solves (2) for lambda, by principal pivots with the least index (Murty 1974; Judice & Pires 1992).
/// G need not be regular where the rows depend on each other.
/// @returns for each whether it is at its lower bound, between, or at the upper one: -1, 0, 1
std::vector<int> solve_in_bounds(const Matrix& G, const Vector& a, const Vector& lower,
                                 const Vector& upper, Vector& lambda);

/// Another system, of which some coordinates are held: (1). Everything else is the other system's.
class HeldSystem : public MechanicalSystem {
 public:
  explicit HeldSystem(std::shared_ptr<MechanicalSystem> inner);

  /// @param coordinates  entries of v, each the rate of the entry of q that is given with it
  void hold(std::span<const std::pair<int, int>> coordinates, ConstVectorRef q);
  bool holds() const { return !held_.empty(); }
  bool holds(int v) const;
  /// lambda of entry v where rates were taken last; 0 if it is not held.
  double force_of(int v) const;
  /// X of some coordinates, one column each, and G.
  void respond(std::span<const int> coordinates, Matrix& X, Matrix& G);
  /// lambda for the accelerations a without it, added to tau.
  void add_forces(ConstVectorRef a, Vector& tau);

  const Group& group() const override { return inner_->group(); }
  void acceleration(VectorRef v_dot) override;
  /// Of a closed mechanism, on to where the coordinates are held.
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
  void constraint_bias(VectorRef out) override { inner_->constraint_bias(out); }
  void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) override {
    inner_->solve(b, c, x, lambda);
  }
  void tangent(ConstVectorRef a, Tangent& out) override { inner_->tangent(a, out); }
  void prepare(Tangent& out) override { inner_->prepare(out); }
  std::unique_ptr<NewtonMatrix> newton(ConstraintLevel level, int stages) override;
  bool has_newton() const override { return inner_->has_newton(); }
  /// Held entries of v that the constraints of the system do not hold already: those whose rows of (1) are
  /// independent of them and of each other.
  std::span<const int> independent();

 protected:
  void invalidate() override { inner_->set(at()); }

 private:
  void find_forces(ConstVectorRef a);
  /// lambda_ = G^-1 wanted_ of all held coordinates.
  void solve_held();

  std::shared_ptr<MechanicalSystem> inner_;
  std::vector<int> held_, held_q_;  // entries of v and of q
  Vector where_;                    // what these entries of q are
  std::vector<int> independent_;
  bool independent_known_ = false;
  Vector lambda_, wanted_;
  SemidefiniteSolver solver_;
  Matrix X_, G_, Mu_;  // Mu: multipliers of the constraints, by column of X
  Vector unit_, zero_, x_, mu_, there_;
};

}  // namespace chasles
