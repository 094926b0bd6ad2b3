/// The parts of a scenario file.
#pragma once

#include <filesystem>
#include <map>

#include "chasles/integrators/runge_kutta.hpp"
#include "chasles/io/mechanism_file.hpp"
#include "chasles/mechanism/maximal_coordinates.hpp"
#include "chasles/mechanism/series_elastic.hpp"
#include "chasles/simulation/scenario.hpp"
#include "io/yaml/yaml_fields.hpp"

namespace chasles::io {

class StartConstraints;

/// Reads the model named by a scenario.
using ReadModel = std::function<Mechanism(const std::filesystem::path&, const ReadOptions&)>;

/// The scenario in a text. @param path  of the text, for messages and relative file names
/// @param read  none: reads the model file
Scenario read_scenario(std::string_view text, const std::filesystem::path& path,
                       const ReadModel& read, std::vector<std::string>* warnings = nullptr,
                       std::vector<std::filesystem::path>* files = nullptr,
                       std::span<const std::string> changes = {});

/// Series elastic drives of a scenario.
struct ElasticDrives {
  std::vector<SeriesElasticDrive> list;
  Mechanism
      rigid;  // the mechanism with rigid drives instead, for control laws; empty without drives
};
/// Reads the list `series_elastic` and puts the drives into the mechanism.
ElasticDrives read_series_elastic(const Fields& scenario, Mechanism& mechanism);
/// Motors whose start is not given begin where their joints are, springs relaxed.
/// @param given_q, given_v  entries of v that `initial` gives; may be empty
/// @param recorded  the start is that of a recorded run: motors of joints that are not given keep theirs
void start_motors_at_joints(const ElasticDrives& drives, const Model& tree,
                            const std::vector<bool>& given_q, const std::vector<bool>& given_v,
                            bool recorded, State& start);

/// The mechanism in maximal coordinates, with the groups of the key `group`. Those that it leaves to `auto` are those of the
/// run that `initial` continues, if that tells them (.json).
Model read_maximal(const Fields& file, const std::filesystem::path& path, Mechanism mechanism);
/// Where `group` is auto: moves bodies beside one that hardly moves at the start to SE(3), model and start. A run that
/// continues another one keeps its groups.
void choose_groups(const Fields& file, const std::filesystem::path& path,
                   const Mechanism& mechanism, Scenario& scenario);

struct RecordedEnd;
/// The initial state of a scenario with its models: by the joints of the tree, from a keyframe, or from a recorded
/// run. Adds `drivers`, and in minimal coordinates `constraints`.
/// @param described  the mechanism, with its keyframes
/// @returns the data of the end of the run that is continued
RecordedEnd read_initial(const Fields& file, const std::filesystem::path& path,
                         const Mechanism& described, const ElasticDrives& drives,
                         Scenario& scenario, std::vector<std::string>* warnings,
                         std::vector<std::filesystem::path>* files);

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
/// The list `constraints`, on the bodies of a model.
/// @param q  at the start: for lengths that are not given
std::vector<std::shared_ptr<const Constraint>> read_constraints(const Fields& scenario,
                                                                const Model& model,
                                                                ConstVectorRef q);
/// Adds `contacts` to the forces: a list, or those of the collision shapes of the mechanism.
/// @param warnings  receives pairs of shapes that never touch; may be null
void read_contacts(const Fields& scenario, const Mechanism& mechanism, const Model& model,
                   Forces& forces, std::vector<std::string>* warnings);

/// Adds contact shapes, springs, bushings and rods of a scenario that has been read to the appearance.
void read_drawn_elements(const Fields& scenario, Appearance& out);

/// Adds the list `control` to the forces of a scenario that has model, start and duration.
/// @param described  whose actuators and keyframes may be named
/// @param path  of the scenario; @param files  receives the files it names; may be null
/// @param warnings   receives warnings of controllers; may be null
/// @param continued  the run continues another one from its end
void read_control(const Fields& scenario, const std::filesystem::path& path,
                  const Mechanism& described, const ElasticDrives& drives, Scenario& run,
                  std::vector<std::filesystem::path>* files, std::vector<std::string>* warnings,
                  bool continued);
/// Adds the list `drivers` to the constraints of a scenario that has its models, and sets the coordinates that they
/// drive in `joints`, the initial state of the joints of the tree.
/// @param initial   the map `initial`, if there is one: what it says about driven joints is compared
/// @param start     receives the same drivers on the joints of the tree
/// @param warnings  receives initial velocities that drivers replace; may be null
void read_drivers(const Fields& scenario, const Value* initial, StartConstraints& start,
                  Scenario& run, State& joints, std::vector<std::string>* warnings);
/// The tableau of an integrator: {name, order, a, b, c, b_estimate, estimate_order}.
RungeKuttaTableau read_tableau(const Fields& integrator);
/// The list `events` of a scenario that has its models.
std::vector<RunEvent> read_events(const Fields& scenario, const Scenario& run);

/// Data besides the last state of a recorded run that was written to its end (.json).
struct RecordedEnd {
  std::optional<double> time{}, work{}, origin{}, next_step{}, last_error{};
  std::string method{};
  std::vector<double> memory{};
  std::vector<double> joints_q{};  // in maximal coordinates, of the tree
};
State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at, RecordedEnd& end);
/// The groups of the floating joints of a recorded run, by name; empty: it does not tell (.csv).
std::map<std::string, BodyGroup> read_recorded_groups(const std::filesystem::path& path);
/// Sets work and checkpoint of a scenario that continues that run; the checkpoint only if the integrator is
/// the same.
void continue_from(const RecordedEnd& end, Scenario& scenario);

/// Runs `make`; adds the source location of `at` and the name of the object to an Error.
template <class Make>
decltype(auto) with_location(const Fields& fields, const Value& at, const Make& make) {
  try {
    return make();
  } catch (const Error& error) {
    fields.refuse(at, error.what());
  }
}

/// Reads one of the maps by joint, `q`, `v` or `near`, into `out`; and the entries of v it sets.
void read_by_joint(const Fields& initial, std::string_view key, const Model& model, Vector& out,
                   std::vector<bool>* given = nullptr);

/// The list `actuators`.
void read_actuators(const Fields& file, Scenario& run);

/// A number, or a list of numbers, with a dimension for each; brackets may be omitted for a single one.
std::vector<double> read_coordinates(const Fields& fields, const Value& value, std::string_view key,
                                     std::span<const Dimension> wanted);

}  // namespace chasles::io
