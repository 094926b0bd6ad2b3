/// Recorded runs in files, CSV or JSON by the ending of the name, written while the run goes on.
///
///     CSV:   t, q of every joint, v of every joint, quantities: one column per number, with a header
///            of names and units: "t [s]", "q:elbow [rad]", "pose:hand[0][3] [m]"
///     JSON:  {"chasles": 1, "version": .., "name": .., "model": .., "scenario": its file as
///            seen from this one, "joints": [{"name", "type", "q_index", "q_units", "v_index",
///            "v_units"}, ..], "quantities": [{"name", "unit"}, ..],
///            "samples": [{"t": .., "q": [..], "v": [..], quantity: value}, ..], "summary": {..}}
///
/// Numbers read back as the same doubles. Every sample is a line of its own, in both. RUN.csv is
/// written as RUN.part.csv, sample by sample, and gets its name at the end of the run: what a killed
/// program leaves can be read, and gone on with (output_file.hpp, CutRun).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "chasles/export.hpp"
#include "chasles/io/output_file.hpp"
#include "chasles/simulation/recorder.hpp"

namespace chasles CHASLES_API {

/// A run that was cut off: its last sample before the end of the scenario.
struct CutRun {
  State state{};
  std::uint64_t bytes = 0;       // of its file, up to the end of that sample
  std::optional<double> work{};  // there [J], if it was recorded
  Vector joints_q{};             // in maximal coordinates, of the joints of the tree
};
/// What a killed program left of a run of this scenario in RUN.part.csv, or RUN.csv of one that was interrupted, which
/// becomes RUN.part.csv again.
/// @returns none if there is no sample: the run begins at its beginning
/// @throws Error naming the file: there is none, it is not of this model, or it has come to its end
std::optional<CutRun> find_cut_run(const std::filesystem::path& path, const Scenario& scenario);
/// Makes a scenario go on from there, to the same end. With fixed steps of an explicit method and samples at steps it
/// goes on bit by bit; otherwise steps are chosen anew and it agrees to the tolerance.
void go_on(Scenario& scenario, const CutRun& run);

struct RunFileOptions {
  OutputFile::Paths inputs{};     // what may not be overwritten
  const CutRun* after = nullptr;  // outlives the recorder: samples follow those of that run
  bool temporary = false;         // of use only if the run is cut off: it is removed at the end
};
/// Opens the file. Devices, pipes and `-`, standard output, get CSV unless their name ends in .json.
/// @throws Error naming the file: it cannot be written, is an input, has what is left of a run that was cut off, or its
///         name ends neither in .csv nor .json. Its recorder throws std::system_error when writing fails.
std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        const RunFileOptions& options = {});
std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        OutputFile::Paths inputs);

/// The state at a time in a recorded run of the same model, or its last one. A last line, or a last
/// sample, that was not written to its end is not read.
/// @throws Error naming the file, and the line or the times that it has
State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at = {});
enum class RunFormat { csv, json };
/// @param name  of the text in messages
State read_recorded_state(std::istream& in, const std::string& name, RunFormat format,
                          const Model& model, std::optional<double> at = {});

}  // namespace CHASLES_API
