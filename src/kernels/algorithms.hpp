/// The algorithms that have kernels, and their properties that do not depend on a model. The compiler checks
/// that both switches are complete (-Wswitch): an algorithm is added here and in dynamics_table.inl.
#pragma once

namespace chasles::kernels {

enum Algorithm {
  inverse_dynamics,
  forward_dynamics,
  mass_matrix,
  mass_matrix_inverse,
  totals,
  coriolis_matrix,
  regressor,
  centroidal,
  positions,
  velocities,
  accelerations,
  jacobian,
  frame_poses,
  frame_twists,
  frame_accelerations,
  d_inverse_dynamics,
  d_forward_dynamics
};

/// Shape of the result per state in Pass::out. `frames`: six or twelve numbers for each frame; for links,
/// poses, twists and accelerations in their own arrays of Pass.
enum class Output { vector, matrix, derivatives, totals, regressor, centroidal, jacobian, frames };

struct AlgorithmTraits {
  Output output;
  bool known = true;
  bool matrix =
      false;  // reads the index lists of Tree for joint-by-joint or joint-by-link matrices
  bool derivative = false;  // needs the derivatives of external joint data, Pass::group
};
constexpr AlgorithmTraits traits(Algorithm algorithm) {
  switch (algorithm) {
    case inverse_dynamics:
    case forward_dynamics:
      return {.output = Output::vector};
    case mass_matrix:
    case mass_matrix_inverse:
    case coriolis_matrix:
      return {.output = Output::matrix, .matrix = true};
    case totals:
      return {.output = Output::totals};
    case regressor:
      return {.output = Output::regressor, .matrix = true};
    case centroidal:
      return {.output = Output::centroidal};
    case jacobian:
      return {.output = Output::jacobian};
    case positions:
    case velocities:
    case accelerations:
    case frame_poses:
    case frame_twists:
    case frame_accelerations:
      return {.output = Output::frames};
    case d_inverse_dynamics:
    case d_forward_dynamics:
      return {.output = Output::derivatives, .matrix = true, .derivative = true};
  }
  return {.output = Output::vector, .known = false};
}
inline constexpr int algorithm_count = [] {
  int count = 0;
  while (traits(static_cast<Algorithm>(count)).known) ++count;
  return count;
}();
constexpr bool is_matrix(Algorithm algorithm) { return traits(algorithm).matrix; }
constexpr bool is_derivative(Algorithm algorithm) { return traits(algorithm).derivative; }

}  // namespace chasles::kernels
