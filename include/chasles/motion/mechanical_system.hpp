/// A system with masses, forces and constraints, at a state:
///
///     M(q) v' = f(t, q, v) - B(q)^T lambda,      Phi(q) = 0,     B v = d/dt Phi              (1)
///
/// m constraint equations, m = 0 for a tree. `set` says where everything below is evaluated; nothing that a
/// system computes depends on what was computed before. Accelerations come from the saddle point
///
///     [M  B^T] [x     ]   [b]
///     [B   0 ] [lambda] = [c]                                                                (2)
///
/// with b = f and c = -Bd v; an impulse p has b = p and c the wanted jump of B v. Vectors: Phi, B v,
/// lambda m; all others nv (q nq). Forces are dual to v. The last equations may bind velocities only
/// (rolling): their Phi is zero. Equations may depend on each other (overconstrained mechanisms): those of
/// rank r are satisfied, multipliers are those of least norm.
#pragma once

#include <limits>
#include <memory>

#include "chasles/export.hpp"
#include "chasles/motion/system.hpp"

namespace chasles CHASLES_API {

class NewtonMatrix;
enum class ConstraintLevel : unsigned char;

class MechanicalSystem : public DynamicalSystem {
 public:
  /// m, and how many of these, the first ones, bind positions.
  virtual int constraint_count() const { return 0; }
  virtual int position_constraint_count() const { return constraint_count(); }

  /// The state at which everything below is evaluated.
  /// @throws SizeError
  void set(double t, ConstVectorRef q, ConstVectorRef v);
  void set(const State& state) { set(state.t, state.q, state.v); }
  /// The entries of q, or of v, that begin at number `first`; the rest of the state stays.
  /// @throws Error naming `first` and the sizes, if they are not entries of the vector
  void set_q(int first, ConstVectorRef entries) { set_part("q", at_.q, first, entries); }
  void set_v(int first, ConstVectorRef entries) { set_part("v", at_.v, first, entries); }
  const State& at() const { return at_; }
  /// Counts calls of `set`: a caller that finds its own number knows that the state is still the one it set.
  long serial() const { return serial_; }

  /// M x, and M as a matrix, nv x nv; unless overridden column by column.
  virtual void mass_times(ConstVectorRef x, VectorRef out) = 0;
  virtual void mass_matrix(Matrix& M);
  /// f of (1): applied forces, weight, and velocity-dependent terms.
  virtual void force(VectorRef out) = 0;
  /// M a - f: residual of the unconstrained equations of motion.
  virtual void dynamics_residual(ConstVectorRef a, VectorRef out);
  /// The rate of the momentum p = M v without constraint forces, f + Md v. Unless overridden by tangent,
  /// (d(M v)/dq) v.
  virtual void momentum_rate(VectorRef out);

  /// Phi; B x; B^T lambda; Bd v, the part of d2/dt2 Phi that accelerations do not cause.
  virtual void constraint_error(VectorRef Phi);
  virtual void constraint_times(ConstVectorRef x, VectorRef out);
  virtual void constraint_force(ConstVectorRef lambda, VectorRef out);
  virtual void constraint_bias(VectorRef out);
  /// B v.
  void constraint_rate(VectorRef out) { constraint_times(at_.v, out); }

  /// B as a matrix, m x nv; unless overridden column by column.
  virtual void constraint_matrix(Matrix& B);
  /// Independent combinations of the equations, as orthonormal columns: m x r; unless overridden all.
  virtual void independent_equations(Matrix& U);
  /// How B^T lambda changes with q: d(B^T lambda) = S dq, nv x nv; unless overridden by central
  /// differences.
  virtual void constraint_stiffness(ConstVectorRef lambda, Matrix& S);

  /// (2), solved for x and lambda.
  /// @throws SingularError where M is singular on the directions that B leaves free
  virtual void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) = 0;
  /// v' of (1) by (2); its lambda is `multipliers`.
  virtual void acceleration(VectorRef v_dot);
  const Vector& multipliers() const { return lambda_; }

  /// How the residual r = M a - f of (1) changes at (t, q, v, a):
  ///
  ///     dr = K dq + D dv + M da,     q moved by plus(q, dq)                                  (3)
  struct Tangent {
    Matrix K, D, M;  // nv x nv
  };
  virtual void tangent(ConstVectorRef a, Tangent& out) = 0;
  /// Gives `out` its size, and reserves memory for all of the above: after this none of them allocates.
  virtual void prepare(Tangent& out);
  /// Newton's matrix of an implicit step; unless overridden dense. The system must outlive it.
  virtual std::unique_ptr<NewtonMatrix> newton(ConstraintLevel level, int stages);
  /// Whether there is one: not if something acts that derivatives do not know, such as held joints.
  virtual bool has_newton() const { return true; }

  /// Projects a state: q to its group and to Phi = 0, v to B v = 0. Afterwards the system is at it.
  virtual void project(State& state) = 0;

  /// Baumgarte stabilization of accelerations; zeros (the default): none.
  ///
  ///     c = -Bd v - 2 alpha B v - beta^2 Phi                                                 (4)
  ///
  /// This modifies (1): drift decays with time constant 1/alpha; alpha = beta is critical damping.
  struct Baumgarte {
    double alpha = 0, beta = 0;  // [1/s]
    bool operator==(const Baumgarte&) const = default;
  };
  /// @throws Error if one of them is negative or not finite
  static void check(const Baumgarte& rates);
  void set_baumgarte(const Baumgarte& rates);
  const Baumgarte& baumgarte() const { return baumgarte_; }

  /// `set`, then `acceleration`; the velocity is v.
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;
  MechanicalSystem* mechanical() override { return this; }

 protected:
  /// @throws Error if the state must not change now
  virtual void before_set() const {}
  /// The state has changed: what is known about the last one is no longer valid.
  virtual void invalidate() {}
  Vector& lambda() { return lambda_; }

 private:
  void reserve();
  void set_part(const char* name, Vector& to, int first, ConstVectorRef entries);
  State at_;
  long serial_ = 0;
  Baumgarte baumgarte_;
  Vector force_, bias_, lambda_, drift_;
  Vector unit_, plus_, minus_;  // scratch of the default implementations
  State kept_;
  Vector moved_;
  Tangent moving_, still_;  // of momentum_rate
};

}  // namespace CHASLES_API
