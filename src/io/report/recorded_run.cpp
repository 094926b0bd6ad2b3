/// Recorded runs for reports.
#include <fmt/format.h>

#include <map>

#include "chasles/io/report.hpp"
#include "io/runs/run_reader.hpp"
#include "io/runs/run_text.hpp"

namespace chasles {
namespace io {
namespace {

constexpr std::size_t most_plotted = 64;  // columns of one quantity

class ReportFiller : public RunVisitor {
 public:
  ReportFiller(const std::filesystem::path& path, ReportRun& run) : path_(path), run_(run) {}

  void name(const std::string& name) override { run_.name = name; }
  void scenario(const std::string& file) override { run_.file = path_.parent_path() / file; }
  std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn) override {
    std::map<std::string, std::size_t> sizes;
    for (const RunColumn& column : columns) ++sizes[column.group];
    std::vector<Cell> cells{Cell::finite};
    for (const RunColumn& column : columns.subspan(1)) {
      const bool coordinate = column.group == "q" || column.group == "v";
      const bool shown = coordinate || sizes[column.group] <= most_plotted;
      shown_.push_back(shown);
      cells.push_back(shown ? Cell::any : Cell::skip);
      if (shown) run_.columns.push_back({column.group, column.label});
    }
    return cells;
  }
  bool sample(std::span<const double> numbers, LineColumn) override {
    run_.t.push_back(numbers[0]);
    for (std::size_t i = 0; i < shown_.size(); ++i)
      if (shown_[i]) run_.table.push_back(numbers[i + 1]);
    return true;
  }
  void summary(const std::string& key, const std::string& text) override {
    run_.facts.emplace_back(key, text);
  }
  void summary(const std::string& key, std::span<const double> x) override {
    if (x.size() == 1) run_.facts.emplace_back(key, fmt::format("{:.6g}", x[0]));
  }

 private:
  const std::filesystem::path& path_;
  ReportRun& run_;
  std::vector<bool> shown_;  // of the columns after t
};

}  // namespace
}  // namespace io

ReportRun read_report_run(const std::filesystem::path& path) {
  ReportRun run;
  run.name = path.stem().string();
  io::ReportFiller filler(path, run);
  const bool whole = io::read_run(path, filler);
  if (run.t.empty()) throw Error(path.string() + ": has no samples");
  if (!whole) run.warnings.push_back(path.string() + ": was not written to its end");
  return run;
}

void set_model(ReportRun& run, const Model& model) {
  const std::vector<std::string> names = io::csv_names(model);
  for (std::size_t i = 1; i < names.size(); ++i)
    if (i > run.columns.size() || run.columns[i - 1].label != names[i])
      throw Error("is not a run of this model: it has no " + io::quote(names[i]));
  run.model = model;
}

}  // namespace chasles
