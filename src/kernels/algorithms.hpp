/// The algorithms that there are kernels of, and what is known of them without a model. Both switches are
/// complete, which the compiler checks (-Wswitch): an algorithm is added here and in dynamics_table.inl.
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

/// What a kernel writes to Pass::out, per state; `places`: six or twelve numbers for each of the places, or
/// poses, twists and accelerations of links elsewhere.
enum class Output { vector, matrix, derivatives, totals, regressor, centroidal, jacobian, frames };

struct AlgorithmTraits {
  Output output;
  bool known = true;
  bool matrix = false;  // it reads the lists of Tree for matrices of joints by joints, or by links
  bool derivative = false;  // it asks how the motions given as data vary
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
