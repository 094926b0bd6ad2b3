/// The tangent of a system at a state, in independent coordinates: (2) to (4) of control/linear_system.hpp.
#pragma once

#include <Eigen/Core>
#include <string>

#include "chasles/control/linear_system.hpp"
#include "motion/free_motions.hpp"

namespace chasles {

/// "joint 'elbow'", or its number in v for a system that is no mechanism.
std::string entry_name(MechanicalSystem& system, Eigen::Index k);
/// The model of a mechanism; null: it is another system.
const Model* model_of(MechanicalSystem& system);

/// Independent equations at the state of the system, and rows of held coordinates.
/// @param positions  only those that bind positions
Eigen::MatrixXd bound_rows(MechanicalSystem& system, std::span<const int> held, bool positions);

struct ReducedTangent {
  Vector a;                       // nv
  FreeMotions q_free, v_free;     // of e and of dv
  Eigen::MatrixXd T;              // nv x z
  Eigen::MatrixXd M_r, D_r, K_r;  // w x w, w x w, w x z
  double stiffness;               // the largest entry of N^T (K + S) N
  double force;  // the largest of the forces that act, constraint forces among them

  /// @throws as linearize
  ReducedTangent(MechanicalSystem& system, double t, ConstVectorRef q, ConstVectorRef v,
                 const CoordinateChoice& choice);

 private:
  void find_rates(MechanicalSystem& system, Eigen::MatrixXd& P, Eigen::MatrixXd& Q);
};

}  // namespace chasles
