/// The parts of a scenario file.
#pragma once

#include <filesystem>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/simulation/scenario.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// Reads the model named by a scenario.
using ReadModel = std::function<Mechanism(const std::filesystem::path&, const ReadOptions&)>;

/// The scenario in a text. @param path  of the text, for messages and relative file names
/// @param read  none: reads the model file
Scenario read_scenario(std::string_view text, const std::filesystem::path& path,
                       const ReadModel& read, std::vector<std::string>* warnings = nullptr,
                       std::vector<std::filesystem::path>* files = nullptr,
                       std::span<const std::string> changes = {});

/// Applies changes "path=value" to the document: keys, and list indices from 0, separated by dots. Missing
/// keys are created.
/// @throws Error naming the change
void change_document(Value& document, std::span<const std::string> changes);

/// The model with the joints of a scenario: the tree, if it runs in maximal coordinates.
inline const Model& joints_of(const Scenario& run) { return run.joints ? run.joints : run.model; }
/// Its coordinates at the start.
inline const Vector& joints_q_of(const Scenario& run) {
  return run.joints ? run.joints_q : run.start.q;
}
/// The list for forces on these joints.
inline Forces& joint_forces_of(Scenario& run) { return run.joints ? run.joint_forces : run.forces; }

/// Adds the list `forces` to a scenario that has its models.
void read_forces(const Fields& scenario, Scenario& run);
/// Adds the list `contacts` to the forces.
void read_contacts(const Fields& scenario, const Model& model, Forces& forces);

/// Adds the list `control` to the forces of a scenario that has model, start and duration.
/// @param path  of the scenario; @param files  receives the files it names; may be null
/// @param warnings   receives warnings of controllers; may be null
/// @param continued  the run continues another one from its end
void read_control(const Fields& scenario, const std::filesystem::path& path, Scenario& run,
                  std::vector<std::filesystem::path>* files, std::vector<std::string>* warnings,
                  bool continued);
/// The list `events` of a scenario that has its models.
std::vector<RunEvent> read_events(const Fields& scenario, const Scenario& run);
/// The type of a force or controller, read before its other keys are known: its index in `known`.
std::size_t type_of(const std::string& file, const Value& value, const std::string& what,
                    const std::string& kind, std::span<const std::string_view> known);

/// Data besides the last state of a recorded run that was written to its end (.json).
struct RecordedEnd {
  std::optional<double> time{}, work{}, origin{}, next_step{}, last_error{};
  std::string method{};
  std::vector<double> memory{};
  std::vector<double> joints_q{};  // in maximal coordinates, of the tree
};
State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at, RecordedEnd& end);
/// Sets work and checkpoint of a scenario that continues that run; the checkpoint only if the integrator is
/// the same.
void continue_from(const RecordedEnd& end, Scenario& scenario);

/// Runs `make`; adds the source location of `at` and the name of the object to an Error.
template <class Make>
auto with_location(const Fields& fields, const Value& at, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    fields.refuse(at, error.what());
  }
}

/// A number, or a list of `count` numbers; brackets may be omitted if count is 1.
std::vector<double> read_coordinates(const Fields& fields, const Value& value, std::string_view key,
                                     int count);

}  // namespace chasles::io
