/// The examples of 004 section 5: bodies with spherical joints, body frames at the centers of mass as in the
/// paper. Data missing in the paper are stated with each. All are in minimal coordinates;
/// `to_maximal_coordinates` (mechanism/maximal_coordinates.hpp) and `maximal_state` convert them to the
/// paper's.
#pragma once

#include "chasles/systems/system.hpp"

namespace chasles::studies {

struct Example {
  Mechanism mechanism;
  State start;  // in minimal coordinates
};

/// 5.1: a box of 21.6 kg and moments (0.36, 0.306, 0.09) kg m^2 rotates about a fixed point 0.5 m from its
/// center of mass, w = (0, 20 pi, 10 pi) rad/s. Despite its title, without gravity.
/// @paper 004 section 5.1, Figure 1
Example spinning_top();

/// 5.2: two boxes of 0.2 x 0.1 x 0.05 m in line along x on spherical joints at their ends, the first on
/// ground; w_1 =
/// (10, 0, 0), w_2 = (10 pi, 10 pi, 20 pi) rad/s. Aluminum as in 5.1: 2.7 kg each. Joints are also closed at
/// velocity level, which determines the velocities that are not printed.
/// @paper 004 section 5.2, Figure 4
Example double_pendulum();

/// 5.3: the same two bodies without ground and gravity; w_1 = (0, 0, -10), w_2 = (1, -1, 2 pi) rad/s. The
/// joint starts at rest.
/// @paper 004 section 5.3, Figure 8
Example floating_bodies();

/// 5.4: two of these boxes as a closed chain of three spherical joints. Only a figure is printed. Here:
/// joints on ground at (0, 0, 0) and (0.3, 0, 0), the boxes hang down from them in the plane y = 0 and meet;
/// the triangle swings about x at 10 pi rad/s, and the boxes spin at 2 pi and -3 pi rad/s about their own
/// axes, from joint 1 to 2 and from 2 to 3.
/// @paper 004 section 5.4, Figure 11
Example three_bar();

}  // namespace chasles::studies
