#pragma once

#include <chasles/linearization/equilibrium.hpp>
#include <chasles/simulation/scenario.hpp>
#include <filesystem>
#include <string>

/// Vibration modes as a report that moves: one run per mode, a few of its periods around the equilibrium.
///
///     q(t) = q_0 exp(c Re(s e^(lambda t)))                                                      (1)
///
/// brought back to the constraints of the system. The amplitude c is chosen for the eye: 0.3 rad, and a tenth of the
/// reach of the mechanism, at most.
/// @param path  REPORT.html, or -
void write_mode_report(const chasles::Scenario& scenario, chasles::MechanicalSystem& system,
                       const chasles::State& at, const std::vector<chasles::VibrationMode>& modes,
                       const std::string& path, std::span<const std::filesystem::path> inputs);
