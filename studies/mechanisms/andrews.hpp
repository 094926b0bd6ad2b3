/// Andrews' squeezer: seven bodies in a plane, three loops, one degree of freedom, driven by a motor against
/// a stiff spring: 0.03 s are some 2.5 turns of its crank. Data as in the test sets for differential
/// equations (CWI, Bari), meters, kilograms and seconds.
///
///     point            at             revolute joint of
///     O  ground        (0, 0)         K1, the crank, 7 mm long, by beta
///     P  end of K1                    K2, 28 mm, by Theta against K1
///     B  ground        xb, yb         K3, a triangle with the spring at its corner D, by gamma
///     A  ground        xa, ya         K5 by delta, K7 by epsilon
///     end of K5, of K7                K4 by Phi against K5, K6 by Omega against K7
///     F                               the ends of K2, K3, K4 and K6: three joints, three loops
///     C  ground        xc, yc         the other end of the spring, 4530 N/m, 77.85 mm
///
/// The angles of the literature are the coordinates of these joints, each named like its joint, in
/// this tree. At q = 0 the ends do not meet, so its loops are given by frames.
///
///     const Model model = compile(andrews());
///     State start = andrews_start(model);
///     Forces forces = andrews_forces(model);
#pragma once

#include <array>

#include "chasles/simulation/forces.hpp"

namespace chasles::studies {

Mechanism andrews();

/// The order of the literature.
inline constexpr const char* andrews_angles[] = {"beta",  "Theta", "gamma",  "Phi",
                                                 "delta", "Omega", "epsilon"};
/// Joint angles or rates in that order, from the order of the model.
std::array<double, 7> andrews_order(const Model& model, ConstVectorRef x);

/// At rest, in the initial configuration of the literature.
State andrews_start(const Model& model);

/// The motor, 0.033 N m on K1, and the spring. They act on bodies, so also in maximal coordinates.
Forces andrews_forces(const Model& model);

}  // namespace chasles::studies
