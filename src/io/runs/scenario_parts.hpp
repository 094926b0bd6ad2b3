/// The parts of a scenario file.
#pragma once

#include <filesystem>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/simulation/scenario.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

/// Reads the model that a scenario names.
using ReadModel = std::function<Mechanism(const std::filesystem::path&, const ReadOptions&)>;

/// The scenario in a text. @param path  of the text, for messages and for the files that it names
/// @param read  none: from the file
Scenario read_scenario(std::string_view text, const std::filesystem::path& path,
                       const ReadModel& read, std::vector<std::string>* warnings = nullptr,
                       std::vector<std::filesystem::path>* files = nullptr,
                       std::span<const std::string> changes = {});

/// The document with changes "path=value": keys, and numbers of lists from 0, between dots. What is not
/// there is made.
/// @throws Error naming the change
void change_document(Value& document, std::span<const std::string> changes);

/// The model whose joints a scenario is about: in maximal coordinates the tree.
inline const Model& joints_of(const Scenario& run) { return run.joints ? run.joints : run.model; }
/// Its coordinates at the start.
inline const Vector& joints_q_of(const Scenario& run) {
  return run.joints ? run.joints_q : run.start.q;
}
/// Where forces on these joints go.
inline Forces& joint_forces_of(Scenario& run) { return run.joints ? run.joint_forces : run.forces; }

/// The list `forces`, added to those of a scenario that has its models.
void read_forces(const Fields& scenario, Scenario& run);
/// The list `contacts`, added to the forces.
void read_contacts(const Fields& scenario, const Model& model, Forces& forces);

/// The list `control`, added to the forces of a scenario that has model, start and duration.
/// @param path  of the scenario; @param files  gets the files that it names; null: nobody asks
/// @param warnings   gets what controllers note about themselves; null: likewise
/// @param continued  it starts where another run ended, not where that one started
void read_control(const Fields& scenario, const std::filesystem::path& path, Scenario& run,
                  std::vector<std::filesystem::path>* files, std::vector<std::string>* warnings,
                  bool continued);
/// The list `events` of a scenario that has its models.
std::vector<RunEvent> read_events(const Fields& scenario, const Scenario& run);
/// The type of a force or controller, read before its other keys are known: its place in `known`.
std::size_t type_of(const std::string& file, const Value& value, const std::string& what,
                    const std::string& kind, std::span<const std::string_view> known);

/// What a recorded run that was written to its end (.json) knows besides its last state.
struct RecordedEnd {
  std::optional<double> time{}, work{}, origin{}, next_step{}, last_error{};
  std::string method{};
  std::vector<double> memory{};
  std::vector<double> joints_q{};  // in maximal coordinates, of the tree
};
State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at, RecordedEnd& end);
/// Work and checkpoint of a scenario that begins at the end of that run; the checkpoint only if the method is
/// the same.
void continue_from(const RecordedEnd& end, Scenario& scenario);

/// Runs `make`; an Error from it gets the place of `at` and the thing's name.
template <class Make>
auto with_location(const Fields& fields, const Value& at, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    fields.refuse(at, error.what());
  }
}

/// A number, or a list of `count` of them, which may be written without brackets if it is one.
std::vector<double> read_coordinates(const Fields& fields, const Value& value, std::string_view key,
                                     int count);

}  // namespace chasles::io
