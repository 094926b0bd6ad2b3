/// Continuation of interrupted runs.
#include <fstream>

#include "io/runs/state_finder.hpp"
#include "simulation/maximal_joints.hpp"

namespace chasles {
namespace io {
namespace {

/// Finds the last complete sample, its end in bytes, and the revolutions of joints up to there.
class LastSample : public RunVisitor {
 public:
  LastSample(StateFinder& finder, const Scenario& scenario)
      : finder_(finder), end_(scenario.start.t + scenario.duration) {
    if (scenario.joints) joints_.emplace(scenario.joints, scenario.model, joints_q_of(scenario));
  }
  void joint(std::size_t i, const RunJoint& joint, LineColumn at) override {
    finder_.joint(i, joint, at);
  }
  std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn at) override {
    for (std::size_t i = 0; i < columns.size(); ++i)
      if (columns[i].group == "work") work_ = i;
    std::vector<Cell> cells = finder_.begin(columns, at);
    if (work_ > 0) cells.resize(work_ + 1, Cell::skip), cells[work_] = Cell::any;
    return cells;
  }
  bool sample(std::span<const double> x, LineColumn at) override {
    const double rounding = 1e-9 * std::max(1.0, std::abs(end_));
    is_end_ = x[0] >= end_ - rounding;
    if (is_end_) return true;
    finder_.sample(x, at);
    if (work_ > 0 && std::isfinite(x[work_])) work_there_ = x[work_];
    return true;
  }
  void after_sample(std::uint64_t bytes) override {
    if (is_end_) return;
    found_ = true;
    run_.bytes = bytes;
    run_.state = finder_.state();
    run_.work = work_there_;
    if (!joints_) return;
    joints_->follow(run_.state);
    run_.joints_q = joints_->last().q;
  }
  std::optional<CutRun> found() const { return found_ ? std::optional(run_) : std::nullopt; }
  bool came_to_its_end() const { return is_end_; }

 private:
  StateFinder& finder_;
  double end_;
  std::optional<double> work_there_;
  std::optional<MaximalJoints> joints_;
  std::size_t work_ = 0;  // its column; 0: none
  bool is_end_ = false, found_ = false;
  CutRun run_;
};

/// Whether it has more than its first line: otherwise its contents are unknown.
bool has_line(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::string line;
  return std::getline(file, line) && !file.eof();
}

}  // namespace
}  // namespace io

std::optional<CutRun> find_cut_run(const std::filesystem::path& path, const Scenario& scenario) {
  namespace fs = std::filesystem;
  if (is_stream(path))
    throw Error(path.string() + ": only a run in a file can be gone on with; give -o RUN.csv");
  for (const std::string& name : scenario.quantities)
    if (name == "motor_energy")
      throw Error(
          "quantity 'motor_energy' is summed up since the start of a run, so that it cannot go on; "
          "record "
          "motor_power instead");
  const fs::path part = part_of(path);
  std::error_code error;
  const bool left = fs::exists(part, error);
  if (!left && !fs::exists(path, error))
    throw Error(path.string() + ": there is no such run, nor " + part.string() +
                "; leave out --resume to begin one");
  const fs::path source = left ? part : path;
  if (!io::has_line(source)) {
    if (left) fs::remove(part);
    return std::nullopt;
  }
  const RunFormat format = path.extension() == ".json" ? RunFormat::json : RunFormat::csv;
  io::StateFinder finder(source.string(), format, scenario.model, {});
  io::LastSample last(finder, scenario);
  const bool whole = io::read_run(source, last);
  if (!left && last.came_to_its_end() && (whole || format == RunFormat::csv))
    throw Error(path.string() + ": has come to its end at t = " +
                to_text(scenario.start.t + scenario.duration) + " s; there is nothing to resume");
  if (!last.found())
    fs::remove(part);
  else if (!left)
    fs::copy_file(path, part);
  return last.found();
}

void go_on(Scenario& scenario, const CutRun& run) {
  const double end = scenario.start.t + scenario.duration;
  scenario.origin = {scenario.start.t, io::joints_q_of(scenario)};
  if (scenario.every == 0) scenario.every = scenario.duration / 200;
  const double steps_from = scenario.checkpoint ? scenario.checkpoint->origin : scenario.start.t;
  scenario.checkpoint = Checkpoint{steps_from, 0, 0, {}};
  scenario.start = run.state;
  scenario.duration = end - run.state.t;
  if (run.work) scenario.work = *run.work;
  scenario.kept_q.clear(), scenario.kept_v.clear();
  if (scenario.joints) scenario.joints_q = run.joints_q;
}

}  // namespace chasles
