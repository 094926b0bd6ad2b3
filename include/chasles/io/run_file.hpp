/// Recorded runs in files, CSV or JSON by file extension, written during the run.
///
///     CSV:   t, q of every joint, v of every joint, quantities: one column per number, with a header
///            of names and units: "t [s]", "q:elbow [rad]", "pose:hand[0][3] [m]"
///     JSON:  {"chasles": 1, "version": .., "name": .., "model": .., "scenario": its path relative to
///            this file, "joints": [{"name", "type", "q_index", "q_units", "v_index",
///            "v_units"}, ..], "quantities": [{"name", "unit"}, ..],
///            "samples": [{"t": .., "q": [..], "v": [..], quantity: value}, ..], "summary": {..}}
///
/// Numbers read back as the same doubles. In both formats every sample is one line. RUN.csv is written as RUN.part.csv,
/// sample by sample, and renamed at the end of the run: the partial file of a killed program can be read, and the run
/// resumed (output_file.hpp, CutRun).
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "chasles/export.hpp"
#include "chasles/io/output_file.hpp"
#include "chasles/simulation/recorder.hpp"

namespace chasles CHASLES_API {

/// An interrupted run: its last sample before the end of the scenario.
struct CutRun {
  State state{};
  std::uint64_t bytes = 0;       // length of its file up to the end of that sample
  std::optional<double> work{};  // at that sample [J], if recorded
  Vector joints_q{};             // in maximal coordinates: q of the joints of the tree
};
/// The interrupted run of this scenario in RUN.part.csv of a killed program, or in RUN.csv of a stopped run, which is
/// renamed to RUN.part.csv again.
/// @returns none if there is no sample: the run starts from the beginning
/// @throws Error naming the file: it is missing, belongs to another model, or is complete
std::optional<CutRun> find_cut_run(const std::filesystem::path& path, const Scenario& scenario);
/// Makes a scenario continue from there, to the same end. With fixed steps of an explicit method and samples at steps
/// the result is bit-identical; otherwise step sizes are chosen anew and it agrees to the tolerance.
void go_on(Scenario& scenario, const CutRun& run);

struct RunFileOptions {
  OutputFile::Paths inputs{};     // files that must not be overwritten
  const CutRun* after = nullptr;  // must outlive the recorder: append to the samples of that run
  bool temporary = false;         // needed only if the run is interrupted: removed at the end
};
/// Opens the file. Devices, pipes and `-` (standard output) get CSV unless their name ends in .json.
/// @throws Error naming the file: it cannot be written, is an input, holds an interrupted run, or its name ends in
///         neither .csv nor .json. Its recorder throws std::system_error when writing fails.
std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        const RunFileOptions& options = {});
std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        OutputFile::Paths inputs);

/// The state at a time in a recorded run of the same model, or its last state. An incomplete last line or sample is
/// ignored.
/// @throws Error naming the file, and the line or the available times
State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at = {});
enum class RunFormat { csv, json };
/// @param name  name of the text in messages
State read_recorded_state(std::istream& in, const std::string& name, RunFormat format,
                          const Model& model, std::optional<double> at = {});

}  // namespace CHASLES_API
