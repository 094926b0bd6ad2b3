/// A system with masses, forces and constraints:
///
///     M(q) v' = f(t, q, v) - B(q)^T lambda,      Phi(q) = 0,     B v = d/dt Phi              (1)
///
/// m rows of constraints, m = 0 for a tree. Rates come from the saddle point
///
///     [M  B^T] [x     ]   [b]
///     [B   0 ] [lambda] = [c]                                                                (2)
///
/// with b = f and c = -Bd v; an impulse p has b = p and c the wanted jump of B v. Vectors: Phi, B v,
/// lambda m; all others nv (q nq). Forces are dual to v. Rows are independent of each other, but for
/// single configurations. The last ones may bind velocities only (rolling): they have no Phi, it is
/// zero there.
#pragma once

#include <limits>

#include "chasles/motion/system.hpp"

namespace chasles {

class MechanicalSystem : public System {
 public:
  /// m, and how many of these, the first ones, bind positions.
  virtual int rows() const { return 0; }
  virtual int position_rows() const { return rows(); }

  /// M x, and M as a matrix, nv x nv; unless overridden column by column.
  virtual void mass_times(ConstVectorRef q, ConstVectorRef x, VectorRef out) = 0;
  virtual void mass_matrix(ConstVectorRef q, Matrix& M);
  /// f of (1): all that acts, weight and what velocities need included.
  virtual void force(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out) = 0;
  /// r = M a - f: what is missing besides constraint forces.
  virtual void imbalance(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                         VectorRef out);
  /// The rate of the momentum p = M v without constraint forces, f + Md v: what acts, and what
  /// velocities need. Unless overridden by tangent, (d(M v)/dq) v.
  virtual void momentum_rate(double t, ConstVectorRef q, ConstVectorRef v, VectorRef out);

  /// Phi; B v; B^T lambda; Bd v, the part of d2/dt2 Phi that accelerations do not cause.
  virtual void residual(ConstVectorRef q, VectorRef Phi);
  virtual void constraint_rate(ConstVectorRef q, ConstVectorRef v, VectorRef out);
  virtual void constraint_force(ConstVectorRef q, ConstVectorRef lambda, VectorRef out);
  virtual void constraint_bias(ConstVectorRef q, ConstVectorRef v, VectorRef out);

  /// B as a matrix, m x nv; unless overridden column by column.
  virtual void constraint_matrix(ConstVectorRef q, Matrix& B);
  /// How B^T lambda changes with q: d(B^T lambda) = S dq, nv x nv; unless overridden by central
  /// differences.
  virtual void constraint_stiffness(ConstVectorRef q, ConstVectorRef lambda, Matrix& S);

  /// (2), solved for x and lambda.
  /// @throws SingularError where M is singular on the directions that B leaves free
  virtual void solve(ConstVectorRef q, ConstVectorRef b, ConstVectorRef c, VectorRef x,
                     VectorRef lambda) = 0;

  /// How the residual r = M a - f of (1) changes at (t, q, v, a):
  ///
  ///     dr = K dq + D dv + M da,     q moved by plus(q, dq)                                  (3)
  struct Tangent {
    Matrix K, D, M;  // nv x nv
  };
  virtual void tangent(double t, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a,
                       Tangent& out) = 0;
  /// Gives `out` its size, and reserves what all the above need: after this none of them allocates.
  virtual void prepare(Tangent& out);

  /// Brings a state back to where it belongs: q to its group and to Phi = 0, v to B v = 0.
  virtual void project(State& state) = 0;

  /// Baumgarte's stabilisation of rates; zeros: none, as at first.
  ///
  ///     c = -Bd v - 2 alpha B v - beta^2 Phi                                                 (4)
  ///
  /// Another equation than (1): what leaves Phi = 0 comes back within some 1 / alpha. With alpha = beta
  /// it does not swing.
  struct Baumgarte {
    double alpha = 0, beta = 0;  // [1/s]
    bool operator==(const Baumgarte&) const = default;
  };
  /// @throws Error if one of them is negative or not finite
  static void check(const Baumgarte& rates);
  void set_baumgarte(const Baumgarte& rates);
  const Baumgarte& baumgarte() const { return baumgarte_; }

  /// v' of (1), by (2); the velocity is v.
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;
  MechanicalSystem* mechanical() override { return this; }
  /// lambda of the last rates.
  const Vector& multipliers() const { return lambda_; }

 protected:
  /// For systems that have rates of their own.
  Vector& rates_multipliers() { return lambda_; }

 private:
  void reserve();
  Baumgarte baumgarte_;
  Vector force_, bias_, lambda_, drift_;
  Vector unit_, there_, plus_, minus_, row_;  // scratch of what is not overridden
  Tangent moving_, still_;                    // of momentum_rate
};

}  // namespace chasles
