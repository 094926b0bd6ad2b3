/// The motion of three spheres (bench/integrators.cpp) in Simbody, behind an interface of plain
/// numbers: Simbody's headers are not C++20.
#pragma once

struct SimbodyRun {
  double ms;  // CPU time, least of three runs
  long evaluations;
  double energy_drift;
};
/// By Runge-Kutta-Merson, its usual method, with the given accuracy.
SimbodyRun simbody_three_spheres(double duration, double accuracy);
