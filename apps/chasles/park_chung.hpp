#pragma once

#include <chasles/integrators/integrator.hpp>
#include <chasles/lie/se3.hpp>
#include <chasles/motion/model_system.hpp>

#include "reproduce.hpp"

/// The example of paper 001, section VI: three spheres of 10 kg and 4 kg m^2 in a chain that floats
/// freely. Joint 1 turns about z through the centre of sphere 1, joint 2 about x through that of
/// sphere 2; the centres are at (0, 0, 0), (2, 0, 0), (2, 0, -2).
namespace park_chung {

chasles::Model three_spheres();

/// @param V  of the base, (w; v) body-fixed; the joints start with 0.4 rad/s
chasles::State start(const chasles::Twist& V);

/// What nothing should change: kinetic energy, linear momentum, angular momentum about the origin.
struct Conserved {
  double E = 0;
  chasles::Vec3 P, L, L_com;
};
Conserved conserved(const chasles::Model& model, const chasles::State& state);
/// Absolute deviations of E, P, L and L_com.
std::array<double, 4> drift(const Conserved& from, const Conserved& to);

/// The methods of the paper in the order of its tables.
struct PaperMethod {
  const char *title, *name;
};
inline constexpr PaperMethod methods[] = {{"CG2", "cg2"}, {"CG3", "cg3"}, {"CG4", "cg4"},
                                          {"CF2", "cf2"}, {"CF3", "cf3"}, {"CF4", "cf4"},
                                          {"MK2", "mk2"}, {"MK3", "mk3"}, {"MK4", "mk4"}};

/// Tables VI, VII and VIII.
std::vector<Entry> drift_tables();
/// Tables V, IX and X.
std::vector<Entry> operation_counts();
/// Figures 7 and 8 as data: DIR/park-chung-order3.csv and -order4.csv.
void long_run_drift(const std::string& directory);
/// Evaluations against errors over 200 s, for the methods of the paper and others; also as
/// DIR/park-chung-work-precision.csv.
void work_precision(const std::string& directory);

}  // namespace park_chung
