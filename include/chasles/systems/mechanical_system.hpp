/// A system with a mass matrix, forces and constraints, at a state:
///
///     M(q) v' = f(t, q, v) - B^T lambda,      Phi(q, t) = 0,     B v + Phi_t = d/dt Phi      (1)
///
/// with m constraint equations; m = 0 for a tree. `set` sets the state at which everything below is evaluated;
/// results do not depend on earlier computations. Accelerations solve the KKT (saddle-point) system
///
///     [M  B^T] [x     ]   [b]
///     [B   0 ] [lambda] = [c]                                                                (2)
///
/// with b = f and c = -Bd v (with time: -(Bd v + 2 Phi_qt v + Phi_tt)); for an impulse p, b = p and c is the required jump of B v. Sizes: Phi, B v, lambda m; all
/// others nv (q nq). Forces are dual to v. The last equations may be nonholonomic (rolling): their Phi is zero.
/// Equations may be dependent (overconstrained mechanisms): then r = rank B combinations are enforced, and the
/// multipliers are those of least norm.
#pragma once

#include <limits>
#include <memory>

#include "chasles/export.hpp"
#include "chasles/systems/system.hpp"

namespace chasles CHASLES_API {

class NewtonMatrix;
enum class ConstraintLevel : unsigned char;

class MechanicalSystem : public DynamicalSystem {
 public:
  /// m, and the number of holonomic equations, which come first.
  virtual int constraint_count() const { return 0; }
  virtual int position_constraint_count() const { return constraint_count(); }

  /// Sets the state at which everything below is evaluated.
  /// @throws SizeError
  void set(double t, ConstVectorRef q, ConstVectorRef v);
  void set(const State& state) { set(state.t, state.q, state.v); }
  /// Sets entries of q or v from index `first` on; the rest of the state is unchanged.
  /// @throws Error naming `first` and the sizes, if the range exceeds the vector
  void set_q(int first, ConstVectorRef entries) { set_part("q", at_.q, first, entries); }
  void set_v(int first, ConstVectorRef entries) { set_part("v", at_.v, first, entries); }
  const State& at() const { return at_; }
  /// Number of calls of `set`: if it is unchanged, the state is still the one that the caller set.
  long serial() const { return serial_; }

  /// M x, and M as a matrix, nv x nv; the default computes it column by column.
  virtual void mass_times(ConstVectorRef x, VectorRef out) = 0;
  virtual void mass_matrix(Matrix& M);
  /// f in (1): applied forces, gravity, and velocity-dependent terms.
  virtual void force(VectorRef out) = 0;
  /// M a - f: residual of the unconstrained equations of motion.
  virtual void dynamics_residual(ConstVectorRef a, VectorRef out);
  /// The time derivative of the momentum p = M v without constraint forces, f + Md v. The default uses `tangent`:
  /// (d(M v)/dq) v.
  virtual void momentum_rate(VectorRef out);

  /// Phi; B x; B^T lambda; Bd v, the velocity-dependent part of d2/dt2 Phi.
  virtual void constraint_error(VectorRef Phi);
  virtual void constraint_times(ConstVectorRef x, VectorRef out);
  virtual void constraint_force(ConstVectorRef lambda, VectorRef out);
  virtual void constraint_bias(VectorRef out);
  /// Phi_t; zero unless constraints depend on time.
  virtual void constraint_time_rate(VectorRef out);
  /// B v + Phi_t.
  void constraint_rate(VectorRef out);

  /// B as a matrix, m x nv; the default computes it column by column.
  virtual void constraint_matrix(Matrix& B);
  /// Independent combinations of the equations, as orthonormal columns: m x r; default: all equations.
  virtual void independent_equations(Matrix& U);
  /// Derivative of B^T lambda with respect to q: d(B^T lambda) = S dq, nv x nv; default: central differences.
  virtual void constraint_stiffness(ConstVectorRef lambda, Matrix& S);

  /// Solves (2) for x and lambda.
  /// @throws SingularError where M is singular on the null space of B
  virtual void solve(ConstVectorRef b, ConstVectorRef c, VectorRef x, VectorRef lambda) = 0;
  /// v' in (1) by (2); its lambda is `multipliers`.
  virtual void acceleration(VectorRef v_dot);
  const Vector& multipliers() const { return lambda_; }

  /// Derivatives of the residual r = M a - f of (1) at (t, q, v, a):
  ///
  ///     dr = K dq + D dv + M da,     q moved by plus(q, dq)                                  (3)
  struct Tangent {
    Matrix K, D, M;  // nv x nv
  };
  virtual void tangent(ConstVectorRef a, Tangent& out) = 0;
  /// Resizes `out` and reserves memory for all functions above: afterwards none allocates.
  virtual void prepare(Tangent& out);
  /// Newton matrix of an implicit step; default: dense. The system must outlive it.
  virtual std::unique_ptr<NewtonMatrix> newton(ConstraintLevel level, int stages);
  /// Whether it is available: not with effects that the derivatives do not cover, such as held joints.
  virtual bool has_newton() const { return true; }

  /// Projects a state: q onto its manifold and onto Phi = 0, v onto B v + Phi_t = 0. Afterwards the system is at that state.
  virtual void project(State& state) = 0;

  /// Baumgarte stabilization of accelerations; zeros (the default): none.
  ///
  ///     c = -Bd v - 2 alpha (B v + Phi_t) - beta^2 Phi                                       (4)
  ///
  /// This modifies (1): drift decays with time constant 1/alpha; alpha = beta is critical damping.
  struct Baumgarte {
    double alpha = 0, beta = 0;  // [1/s]
    bool operator==(const Baumgarte&) const = default;
  };
  /// @throws Error if a rate is negative or not finite
  static void check(const Baumgarte& rates);
  void set_baumgarte(const Baumgarte& rates);
  const Baumgarte& baumgarte() const { return baumgarte_; }

  /// `set`, then `acceleration`; `velocity` is v.
  void rates(double t, ConstVectorRef q, ConstVectorRef v, VectorRef velocity,
             VectorRef v_dot) override;
  MechanicalSystem* mechanical() override { return this; }

 protected:
  /// @throws Error if the state must not change now
  virtual void before_set() const {}
  /// Called when the state has changed: discards cached results.
  virtual void invalidate() {}
  Vector& lambda() { return lambda_; }

 private:
  void reserve();
  void set_part(const char* name, Vector& to, int first, ConstVectorRef entries);
  State at_;
  long serial_ = 0;
  Baumgarte baumgarte_;
  Vector force_, bias_, lambda_, drift_, time_rate_;
  Vector unit_, plus_, minus_;  // scratch of the default implementations
  State kept_;
  Vector moved_;
  Tangent moving_, still_;  // of momentum_rate
};

}  // namespace CHASLES_API
