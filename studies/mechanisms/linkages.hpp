/// Linkages of bars with revolute joints, minimal coordinates with loops. Points are those of the joints at q
/// = 0, where all loops are closed; bars are uniform.
#pragma once

#include "chasles/systems/system.hpp"

namespace chasles::studies {

/// Crank and rocker in the plane y = 0: joints about y at (0, 0, 0), (0, 0, 0.2), (0.5, 0, 0.4) and
/// (0.6, 0, 0); crank 0.5 kg, coupler 1 kg, rocker 0.8 kg. The shortest and the longest bar together are
/// shorter than the other two (Grashof, 0.8 < 0.95 m), so the crank rotates fully. Of the five equations of
/// its loop three are redundant. As a file: examples/four_bar.yaml.
Mechanism four_bar();

/// Crank of 0.15 m at (0, 0, 0), about y, rod of 0.39 m, and a slider on the x axis, 0.36 m away:
/// 0.4, 0.8 and 0.5 kg. As a file: examples/slider_crank.yaml.
Mechanism slider_crank();

/// N four-bars in a row, the benchmark A02 of the IFToMM library: N + 1 bars stand on ground at (i, 0, 0), N
/// bars connect their ends, all of 1 m and 1 kg, joints about z, gravity along -y. Twice per revolution all
/// bars are collinear, a singular configuration where the motion may branch.
Mechanism n_four_bar(int N);
/// Upright, the ends of the standing bars at 1 m/s along x.
State n_four_bar_start(int N);
/// The equivalent pendulum: I thdd = W sin(th), th the angle of the standing bars from upright.
struct Pendulum {
  double I, W;
};
Pendulum n_four_bar_reduced(int N);

/// Bricard's trihedral loop of six revolute joints: five bars of 1 m and 1 kg along edges of a cube,
///
///     (0, 0, 0)  (1, 0, 0)  (1, -1, 0)  (1, -1, 1)  (0, -1, 1)  (0, 0, 1)
///
/// and ground the sixth; the axis of each joint is the common perpendicular of its bars. The Gruebler formula
/// gives zero degrees of freedom, but it has one. Gravity along -y. As a file: examples/bricard.yaml.
Mechanism bricard();

/// n parallelograms on top of each other: two standing bars of 0.3 m, 0.3 kg, and a rung of 0.4 m,
/// 0.4 kg, each, in the plane y = 0; the lowest stands on ground. A tree of 3 n joints with n loops, n
/// degrees of freedom.
Mechanism ladder(int n);

/// n bars of 0.1 m, 0.05 kg, along x, each on a spherical joint at the end of the one before; the first at
/// the world origin.
Mechanism rope(int n);

}  // namespace chasles::studies
