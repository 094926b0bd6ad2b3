#pragma once

#include <chasles/simulation/error_estimate.hpp>

/// Repeats a run to estimate its error, and prints that of each recorded quantity, at the end and at worst; for motions
/// that cannot be predicted until the end, from which time on, and the Lyapunov time.
void print_error_estimate(const chasles::Scenario& scenario,
                          const chasles::RecordedSamples& samples, const chasles::Summary& summary,
                          const chasles::Simulation::Proceed& proceed);
