/// Recorded runs in files, CSV or JSON by the ending of the name, written while the run goes on.
///
///     CSV:   t, q of every joint, v of every joint, quantities: one column per number, with a header
///     JSON:  {"samples": [{"t": .., "q": [..], "v": [..], quantity: value}, ..], "summary": {..}}
///
/// Numbers read back as the same doubles. Every sample is a line of its own, in both.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "chasles/simulation/simulation.hpp"

namespace chasles {

/// Opens the file.
/// @throws Error naming the file: it cannot be written, or its name ends neither in .csv nor .json.
///         Its recorder throws std::runtime_error when writing fails.
std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path);

/// The state at a time in a recorded run of the same model, or its last one.
/// @throws Error naming the file, and the line or the times that it has
State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at = {});

}  // namespace chasles
