/// A constraint of one's own on the motion of a mechanism:
///
///     Phi(q) = 0,   B(q) v = d/dt Phi           or only       B(q) v = 0                     (1)
///
/// The second kind binds velocities and not positions (rolling, a knife edge): no Phi belongs to it.
/// Loops and couplings of a model are constraints already (constraints/constraints.hpp); this is for
/// what they cannot say. With a class KnifeEdge such as that of examples/rolling_disk.cpp:
///
///     ConstrainedSystem system(model, {.more = {std::make_shared<KnifeEdge>()}});
#pragma once

#include <string>

#include "chasles/export.hpp"
#include "chasles/kinematics/kinematics.hpp"

namespace chasles CHASLES_API {

/// Const, and so shared by threads.
class Constraint {
 public:
  virtual ~Constraint() = default;
  virtual std::string name() const = 0;
  virtual int constraint_count() const = 0;
  virtual bool binds_positions() const { return true; }
  /// Phi, `rows` entries; of a constraint that binds velocities only it is not asked for.
  virtual void constraint_error(const PositionKinematics& kin, VectorRef Phi) const;
  /// B, rows x nv; zero before the call.
  virtual void matrix(const PositionKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B) const = 0;
  /// d/dt B along v, rows x nv; zero before the call. Only for kinematics of closed mechanisms.
  /// @throws Error unless overridden
  virtual void matrix_rate(const VelocityKinematics& kin, Eigen::Ref<Eigen::MatrixXd> B_rate) const;
  /// Bd v: the part of d/dt (B v) that accelerations do not cause; `rows` entries.
  virtual void bias(const VelocityKinematics& kin, VectorRef out) const = 0;
};

}  // namespace CHASLES_API
