/// A user-defined constraint on the motion of a mechanism:
///
///     Phi(q) = 0,   B(q) v = d/dt Phi           or only       B(q) v = 0                     (1)
///
/// The second kind is nonholonomic (rolling, a knife edge): it has no Phi. Loops and couplings of a model are
/// constraints already (constraints/constraints.hpp); use this for anything else, and RheonomicConstraint for
/// constraints with time. With a class KnifeEdge as in
/// examples/rolling_disk.cpp:
///
///     ConstrainedSystem system(model, {.more = {std::make_shared<KnifeEdge>()}});
#pragma once

#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"

namespace chasles CHASLES_API {

/// Immutable, so that threads can share it.
class Constraint {
 public:
  virtual ~Constraint() = default;
  virtual std::string name() const = 0;
  virtual int constraint_count() const = 0;
  virtual bool binds_positions() const { return true; }
  /// Phi, `constraint_count` entries; not called for nonholonomic constraints.
  virtual void constraint_error(const PositionKinematics& kin, VectorRef Phi) const;
  /// B, constraint_count x nv; zero before the call.
  virtual void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const = 0;
  /// d/dt B along v, constraint_count x nv; zero before the call. Only needed for kinematics of closed mechanisms.
  /// @throws Error unless overridden
  virtual void matrix_rate(const VelocityKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B_rate) const;
  /// Bd v: the velocity-dependent part of d/dt (B v); `constraint_count` entries.
  virtual void bias(const VelocityKinematics& kin, VectorRef out) const = 0;
  /// Entries of v whose columns of B may be nonzero; empty: all. Fewer entries make factorizations faster.
  virtual std::vector<int> entries() const { return {}; }
  /// The kind of constraint in messages.
  virtual std::string kind() const { return "constraint"; }
};

/// A constraint that depends on time (rheonomic): prescribed motions, moving guides.
///
///     Phi(q, t) = 0,    B v + Phi_t = 0,    B v' + b = 0,     b = Bd v + 2 Phi_qt v + Phi_tt         (2)
///
/// where Bd v is the derivative at fixed t. A nonholonomic one has no Phi: B(q, t) v + c(q, t) = 0, with c in place of
/// Phi_t and b = d/dt (B v + c) at v' = 0.
class RheonomicConstraint : public Constraint {
 public:
  /// Phi; not called for nonholonomic constraints.
  virtual void error_at(double t, const PositionKinematics& kin, VectorRef Phi) const;
  /// B, constraint_count x nv; zero before the call.
  virtual void matrix_at(double t, const PositionKinematics& kin,
                         Eigen::Ref<Eigen::MatrixXd> B) const = 0;
  /// Phi_t, or c.
  virtual void time_rate_at(double t, const PositionKinematics& kin, VectorRef out) const = 0;
  /// b.
  virtual void bias_at(double t, const VelocityKinematics& kin, VectorRef out) const = 0;
  /// The first time after t at which Phi_tt or its time derivative jumps; infinity: never. Runs end steps there.
  virtual double next_break(double t) const;

  // The forms without time are not used.
  void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const final;
  void bias(const VelocityKinematics& kin, VectorRef out) const final;
};

}  // namespace CHASLES_API
