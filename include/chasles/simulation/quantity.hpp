/// Quantities that a run can record, by the names that `chasles eval` uses.
///
///     Quantity hand = quantity("pose:hand", model);       // 4 x 4
#pragma once

#include "chasles/simulation/forces.hpp"

namespace chasles {

/// Where a quantity is evaluated. All up to date at (t, q, v).
struct Moment {
  const Model& model;
  const Forces& forces;
  const VelocityKinematics& kin;
  double work;  // done by the forces since the start [J]
};

struct Quantity {
  enum class Shape { number, list, matrix };
  std::string name;
  Shape shape;
  int rows, columns;  // number: 1 x 1, list: rows x 1
  std::function<void(const Moment&, Eigen::Ref<Eigen::MatrixXd> out)> compute;
};

/// kinetic_energy; potential_energy, of gravity and of the forces that store energy; work, done by
/// the other forces since the start; energy, the sum of the first two; momentum, centroidal_momentum,
/// com, pose:FRAME, twist:FRAME:REP.
/// @throws Error that suggests the nearest name, frame or representation
Quantity quantity(std::string_view name, const Model& model);

}  // namespace chasles
