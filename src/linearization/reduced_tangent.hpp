/// The tangent of a system at a state, in independent coordinates: (2) to (4) of linearization/linear_system.hpp.
#pragma once

#include <Eigen/Core>
#include <string>

#include "chasles/linearization/linear_system.hpp"
#include "systems/free_motions.hpp"

namespace chasles {

/// "joint 'elbow'", or the index in v for a system that is not a mechanism.
std::string entry_name(MechanicalSystem& system, Eigen::Index k);
/// The model of a mechanism; null for other systems.
const Model* model_of(MechanicalSystem& system);

/// Independent constraint equations at the state of the system, and rows for fixed coordinates.
/// @param positions  only position-level equations
Eigen::MatrixXd bound_rows(MechanicalSystem& system, std::span<const int> held, bool positions);

struct ReducedTangent {
  Vector a;                       // nv
  FreeMotions q_free, v_free;     // of e and of dv
  Eigen::MatrixXd T;              // nv x z
  Eigen::MatrixXd M_r, D_r, K_r;  // w x w, w x w, w x z
  double stiffness;               // the largest entry of N^T (K + S) N
  double force;                   // the largest applied or constraint force

  /// @throws as linearize
  ReducedTangent(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v,
                 const CoordinateChoice& choice);

 private:
  void find_rates(MechanicalSystem& system, Eigen::MatrixXd& P, Eigen::MatrixXd& Q);
};

}  // namespace chasles
