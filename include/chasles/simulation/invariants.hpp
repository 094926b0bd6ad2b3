/// Conserved quantities of a motion, by which an integration is judged.
///
///     E     = T + U_gravity + sum U_force - W      energy balance, forces.hpp (1)           (1)
///     P, L  linear and angular momentum about the world's origin, L_com about the center of mass
///
/// Momenta are constant only without external forces: only floating joints connect to ground, all forces are
/// internal, and (except for L_com) there is no gravity.
#pragma once

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

struct Invariants {
  double kinetic = 0, potential = 0, work = 0;  // [J]
  Vec3 P, L, L_com;
  double orthogonality = 0;  // the largest deviation of a quaternion from unit length
  double energy() const { return kinetic + potential - work; }
};
Invariants invariants(const Model& model, const Forces& forces, const VelocityKinematics& kin,
                      double work);

/// The causes of momentum changes, in words: "gravity", "joints on ground", names of forces. Empty: the momenta are
/// constant.
/// @param about_com  for L_com, which gravity does not change
std::vector<std::string> momentum_causes(const Model& model, const Forces& forces, bool about_com);

/// Absolute deviations from the start.
struct Drift {
  double energy = 0, linear_momentum = 0, angular_momentum = 0, angular_momentum_com = 0;
  double orthogonality = 0;
};

class InvariantMonitor {
 public:
  void start(const Invariants& at);
  void watch(const Invariants& at);
  const Invariants& first() const { return start_; }
  const Drift& worst() const { return worst_; }
  const Drift& last() const { return last_; }

 private:
  Invariants start_;
  Drift worst_, last_;
};

}  // namespace CHASLES_API
