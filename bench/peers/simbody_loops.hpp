/// Motions of mechanisms with loops (bench/constraints.cpp) in Simbody, behind an interface of plain
/// numbers: Simbody's headers are not C++20.
#pragma once

#include <vector>

#include "simbody_tree.hpp"

/// A revolute loop joint about the common axis of a planar mechanism: two equations in the plane, a point of
/// one link on a line of another. Points and axis in link frames.
struct SimbodyClosure {
  int from, to;  // links; -1: ground
  double from_point[3], from_axis[3], to_point[3];
};
/// Between a point of a link and one of ground.
struct SimbodySpring {
  int link;
  double point[3], ground[3], stiffness, length;
};
/// Constant, about the axis of a joint to ground.
struct SimbodyMotor {
  int link;
  double torque;
};

struct SimbodyLoops {
  std::vector<SimbodyLink> links;
  std::vector<SimbodyClosure> closures;
  std::vector<SimbodySpring> springs;
  std::vector<SimbodyMotor> motors;
  double gravity[3];
  std::vector<double> q, v;  // of the links, at the start
};

enum class SimbodyMethod { merson, cpodes };

struct SimbodyLoopsRun {
  double ms;  // CPU time, least of the runs
  long evaluations;
  double energy_error, gap;  // the largest at the samples
  std::vector<double> q;     // at the end
};
/// @param accuracy   of the method; constraints are kept to `tolerance`
/// @param samples    number of samples of energy and gap
SimbodyLoopsRun simbody_run(const SimbodyLoops& mechanism, SimbodyMethod method, double duration,
                            double accuracy, double tolerance, int samples, int runs);
