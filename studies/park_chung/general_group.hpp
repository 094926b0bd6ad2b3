/// Sections III and III-D of 001 on a general matrix group, without closed forms of exp and dexp^-1: Table IV, the
/// determinant that plain Runge-Kutta methods do not keep, and Euler angles near their singularity.
///
///     Y' = A(t, Y) Y                                                                          (1)
///
/// Munthe-Kaas with truncated dexp^-1 and the fewest commutators (Munthe-Kaas & Owren 1999), k_i = h A_i:
///
///     order 3   Theta_3 = 2/3 k_2,   Theta = k_1/4 + 3/4 (k_3 - [Theta_3, k_3]/2)             (2)
///     order 4   Theta_3 = k_2/2 - [k_1, k_2]/8,   Theta = (k_1 + 2 k_2 + 2 k_3 + k_4 - [k_1, k_4]/2) / 6   (3)
///
/// with signs for Y' = A Y: exp(Theta) Y.
#pragma once

#include <vector>

#include "studies/entry.hpp"

namespace chasles::studies::park_chung {

inline constexpr Table general_title = {
    "IV", "operations of one step on a general matrix group: exp, commutators, products"};
/// Table IV: operations counted while steps are taken on SO(4).
/// @paper 001 Table IV
std::vector<Entry> general_group_counts();
/// The order of such a method, measured at the end of a second on SO(4).
/// @param title  "CG3" ... "MK4"
double general_group_order(const char* title);

/// |det Y - 1| after a second on SL(3), and the error of Y, with a step [s].
struct Determinant {
  const char* method;
  double step, det, error;
};
/// rk4 on coordinates beside mk4 and cf4.
/// @paper 001 section III-A
std::vector<Determinant> determinants();

/// A body that turns about a fixed axis by half a turn, with its pitch passing 90 degrees at a distance `miss`: errors of the
/// attitude at the end [rad], both with steps of 0.01 s.
struct EulerAngleRun {
  double miss;                // [rad]
  double euler, munthe_kaas;  // rk4 on Euler angles z-y-x; mk4 on the group
  double largest_rate;        // of an Euler angle [rad/s]; the body turns with 1 rad/s
};
/// @paper 001 section I
std::vector<EulerAngleRun> euler_angle_runs();

}  // namespace chasles::studies::park_chung
