#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>

#include "states.hpp"

/// A number, a list or a matrix.
struct Value {
  enum class Shape { number, list, matrix };
  Shape shape;
  Eigen::MatrixXd entries;  // 1 x 1; n x 1; rows x columns
};

/// Where a quantity is evaluated: a state, with the kinematics at it.
struct Evaluation {
  const chasles::Model& model;
  const State& state;
  const chasles::AccelerationKinematics& kin;
};
/// A quantity with the memory it works in: not for two threads at once.
using Quantity = std::function<Value(const Evaluation&)>;

/// The quantity of a name: `com`, `mass_matrix`, `pose:FRAME`, `twist:FRAME:REP`, ... It refers to
/// the model.
/// @throws chasles::Error that suggests the nearest name, frame or representation
Quantity parse_quantity(const std::string& text, const chasles::Model& model);

/// All of them, for help.
std::string quantity_names();
