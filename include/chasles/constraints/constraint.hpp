/// A user-defined constraint on the motion of a mechanism:
///
///     Phi(q) = 0,   B(q) v = d/dt Phi           or only       B(q) v = 0                     (1)
///
/// The second kind is nonholonomic (rolling, a knife edge): it has no Phi. Loops and couplings of a model are
/// constraints already (constraints/constraints.hpp); use this for anything else. With a class KnifeEdge as in
/// examples/rolling_disk.cpp:
///
///     ConstrainedSystem system(model, {.more = {std::make_shared<KnifeEdge>()}});
#pragma once

#include <string>

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
};

}  // namespace CHASLES_API
