#include "chasles/io/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "chasles/io/summary_text.hpp"
#include "chasles/version.hpp"
#include "io/report/report_json.hpp"

namespace chasles {
namespace io {
namespace {

constexpr int most_columns = 64;  // of a quantity that is plotted
constexpr std::size_t most_steps = 20000;
constexpr std::size_t most_bytes = 18 << 20U;  // of numbers; in base64 a third more
constexpr std::string_view mark = "CHASLES_DATA";

void warn_of(const Summary& s, std::vector<std::string>& warnings) {
  for (const Violation& v : s.violations) warnings.push_back("beyond bounds: " + v.text());
  for (std::string& note : summary_notes(s)) warnings.push_back(std::move(note));
}

/// How well conserved quantities were kept; momenta only if nothing changes them.
std::vector<std::string> headline_of(const Summary& s) {
  std::vector<std::string> out{fmt::format("energy kept to {:.1e} J", s.worst.energy)};
  if (s.momentum_causes.empty())
    out.push_back(fmt::format("momentum to {:.1e} kg m/s, angular to {:.1e} kg m\u00b2/s",
                              s.worst.linear_momentum, s.worst.angular_momentum));
  else if (s.spin_causes.empty())
    out.push_back(fmt::format("angular momentum about the center of mass to {:.1e} kg m\u00b2/s",
                              s.worst.angular_momentum_com));
  if (s.closed) out.push_back(fmt::format("constraints to {:.1e} rad, m", s.constraint_violation));
  return out;
}

std::string pair_json(const std::string& a, const std::string& b) {
  return fmt::format("[{},{}]", json_text(a), json_text(b));
}

/// Data reduction: most columns of a run are q and v. They are stored in 4 bytes per number, or 3 or 2, to
/// keep the report small; then without v; then with fewer samples.
struct Packing {
  std::size_t bytes = 4, columns, stride = 1;

  Packing(const ReportRun& run, std::size_t runs) : columns(run.columns.size()) {
    const std::size_t most = most_bytes / runs, rows = std::max<std::size_t>(run.t.size(), 1);
    const auto fits = [&] { return rows / stride * columns * bytes <= most; };
    while (bytes > 2 && !fits()) --bytes;
    if (!fits() && run.model) columns = static_cast<std::size_t>(run.model.nq());
    while (!fits() && stride < rows) stride *= 2;
  }
};

std::string run_json(const ReportRun& run, std::size_t runs) {
  std::vector<std::string> warnings = run.warnings;
  const Packing packing(run, runs);
  const std::size_t all = run.columns.size();
  std::vector<double> t, table;
  const bool whole = packing.columns == all && packing.stride == 1;
  for (std::size_t i = 0; !whole && i < run.t.size(); ++i) {
    if (i % packing.stride != 0 && i + 1 != run.t.size()) continue;
    t.push_back(run.t[i]);
    const auto row = run.table.begin() + static_cast<std::ptrdiff_t>(i * all);
    table.insert(table.end(), row, row + static_cast<std::ptrdiff_t>(packing.columns));
  }
  if (packing.columns < all)
    warnings.emplace_back("only coordinates are kept: with all else the report would be too large");
  if (packing.stride > 1)
    warnings.push_back(
        fmt::format("one of {} samples is kept: all of them would be too large", packing.stride));
  std::vector<double> steps;
  for (const auto& [time, length] : run.steps) steps.insert(steps.end(), {time, length});
  const std::span columns(run.columns.data(), packing.columns);
  const std::string model =
      run.model ? model_json(run.model, run.appearance, warnings) : std::string("null");
  return "{\"name\":" + json_text(run.name) + ",\"scenario\":" + json_text(run.scenario) +
         ",\n\"facts\":" +
         json_list(run.facts, [](const auto& fact) { return pair_json(fact.first, fact.second); }) +
         ",\n\"headline\":" + json_texts(run.headline) + ",\"failure\":" + json_text(run.failure) +
         ",\n\"events\":" +
         json_list(run.events,
                   [](const EventRecord& event) {
                     return fmt::format("[{},{}]", json_number(event.t), json_text(event.name));
                   }) +
         ",\n\"warnings\":" + json_texts(warnings) + ",\n\"columns\":" +
         json_list(columns,
                   [](const ReportRun::Column& column) {
                     return pair_json(column.group, column.label);
                   }) +
         ",\n\"model\":" + model + ",\n\"steps\":\"" + base64(steps) + "\",\n\"t\":\"" +
         base64(whole ? run.t : t) +
         "\",\n\"table\":" + quantised(whole ? run.table : table, packing.columns, packing.bytes) +
         "}";
}

/// Inserts the data into the page. In JSON '<' occurs only inside strings, where it is escaped, so no string
/// ends the script.
std::string fill_in(std::string_view page, const std::string& json) {
  const auto at = page.find(mark);
  if (at == page.npos) throw Error("the page has no place for data, " + std::string(mark));
  std::string out(page.substr(0, at));
  out.reserve(page.size() + json.size() + 1000);
  for (std::size_t begin = 0; begin < json.size();) {
    const std::size_t end = std::min(json.find('<', begin), json.size());
    out.append(json, begin, end - begin);
    if (end < json.size()) out += "\\u003c";
    begin = end + 1;
  }
  return out.append(page.substr(at + mark.size()));
}

std::string head(std::string_view kind, const std::string& title) {
  return "{\"kind\":\"" + std::string(kind) + "\",\"title\":" + json_text(title) +
         ",\"version\":" + json_text(version());
}

}  // namespace
}  // namespace io

std::vector<std::string> report_quantities() {
  return {"energy", "work", "momentum", "constraint_violation"};
}

void ReportRecorder::begin(const Scenario& scenario, std::span<const Quantity> quantities) {
  scenario_ = &scenario;
  run_.scenario = scenario.source;
  run_.appearance = scenario.appearance;
  for (const std::string& note : scenario.appearance.notes) run_.warnings.push_back(note);
  if (run_.name.empty()) run_.name = scenario.name;
  run_.model = scenario.model;
  run_.columns.clear(), run_.t.clear(), run_.table.clear(), run_.steps.clear();
  last_step_ = scenario.start.t;
  const std::vector<std::string> names = io::csv_names(scenario.model);  // t, q, v
  for (std::size_t i = 1; i < names.size(); ++i)
    run_.columns.push_back({names[i].substr(0, 1), names[i]});
  shown_.clear();
  for (const Quantity& quantity : quantities) {
    shown_.push_back(quantity.rows * quantity.columns <= io::most_columns);
    if (!shown_.back()) {
      run_.warnings.push_back(
          fmt::format("'{}' has {} numbers, too many to be plotted; it is in the files of -o",
                      quantity.name, quantity.rows * quantity.columns));
      continue;
    }
    for (std::string& label : io::csv_names(quantity, scenario.model))
      run_.columns.push_back(
          {quantity.of_joints ? std::string(quantity.base) : quantity.name, std::move(label)});
  }
}

void ReportRecorder::sample(const Sample& sample) {
  run_.t.push_back(sample.state.t);
  std::vector<double>& table = run_.table;
  const auto add = [&](const Vector& x) {
    table.insert(table.end(), x.data(), x.data() + x.size());
  };
  add(sample.state.q);
  add(sample.state.v);
  for (std::size_t i = 0; i < sample.values.size(); ++i)
    if (shown_[i])
      for (Eigen::Index r = 0; r < sample.values[i].rows(); ++r)
        for (Eigen::Index c = 0; c < sample.values[i].cols(); ++c)
          table.push_back(sample.values[i](r, c));
}

void ReportRecorder::step(double t) {
  const double length = t - last_step_;
  last_step_ = t;
  if (count_++ % stride_ != 0) return;
  run_.steps.push_back({t, length});
  if (run_.steps.size() < io::most_steps) return;
  for (std::size_t i = 1; 2 * i < run_.steps.size(); ++i) run_.steps[i] = run_.steps[2 * i];
  run_.steps.resize((run_.steps.size() + 1) / 2);
  stride_ *= 2;
}

void ReportRecorder::end(const Summary& summary) {
  run_.facts = summary_facts(*scenario_, summary);
  run_.headline = io::headline_of(summary);
  run_.events = summary.events;
  if (!summary.finished) run_.failure = fmt::format("ended early, at t = {:g} s", summary.time);
  io::warn_of(summary, run_.warnings);
}

std::string write_report(std::string_view page, std::span<const ReportRun> runs) {
  using namespace io;
  const std::string title = runs.empty() ? "no runs" : runs[0].name;
  return fill_in(page,
                 head("report", title) + ",\"runs\":" + json_list(runs, [&](const ReportRun& run) {
                   return run_json(run, runs.size());
                 }) + "}");
}

std::string write_view(std::string_view page, const Model& model, const Appearance& appearance,
                       ConstVectorRef q, std::span<const std::string> warnings) {
  using namespace io;
  require_size("q", q, model.nq());
  std::vector<std::string> notes(warnings.begin(), warnings.end());
  const std::string json = model_json(model, appearance, notes);
  return fill_in(page, head("view", model.name()) + ",\"q\":" + json_numbers(q) +
                           ",\"warnings\":" + json_texts(notes) + ",\"model\":" + json + "}");
}

}  // namespace chasles
