/// A state of a recorded run, and further data at its end: integrator checkpoint and work.
#include "io/runs/state_finder.hpp"

namespace chasles {
namespace io {
namespace {

class GroupFinder : public RunVisitor {
 public:
  void joint(std::size_t, const RunJoint& joint, LineColumn) override {
    if (joint.group == "se3") groups.emplace(joint.name, BodyGroup::se3);
    if (joint.group == "so3xr3") groups.emplace(joint.name, BodyGroup::so3xr3);
  }
  std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn) override {
    return std::vector<Cell>(columns.size(), Cell::skip);
  }
  bool sample(std::span<const double>, LineColumn) override { return false; }

  std::map<std::string, BodyGroup> groups;
};

}  // namespace

std::map<std::string, BodyGroup> read_recorded_groups(const std::filesystem::path& path) {
  if (path.extension() != ".json") return {};
  GroupFinder finder;
  read_run(path, finder);
  return finder.groups;
}

State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at, RecordedEnd& end) {
  const RunFormat format = path.extension() == ".json" ? RunFormat::json : RunFormat::csv;
  StateFinder finder(path.string(), format, model, at);
  const bool whole = read_run(path, finder);
  end = whole ? finder.end() : RecordedEnd{};
  return finder.state();
}

void continue_from(const RecordedEnd& end, Scenario& scenario) {
  if (end.time != scenario.start.t) return;
  if (end.work) scenario.work = *end.work;
  if (end.method == scenario.integrator.method && end.origin && end.next_step && end.last_error)
    scenario.checkpoint = Checkpoint{*end.origin, *end.next_step, *end.last_error, end.memory};
}

}  // namespace io

State read_recorded_state(std::istream& in, const std::string& name, RunFormat format,
                          const Model& model, std::optional<double> at) {
  io::StateFinder finder(name, format, model, at);
  io::read_run(in, name, format, finder);
  return finder.state();
}

State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at) {
  io::RecordedEnd end;
  return io::read_recorded_state(path, model, at, end);
}

}  // namespace chasles
