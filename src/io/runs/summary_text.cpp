#include "chasles/io/summary_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace chasles {
namespace io {
namespace {

/// A drift: its maximum, its final value, and remarks.
struct DriftRow {
  std::string name;
  double worst, last;
  std::string note;
};

/// "changed by gravity, joints on ground, wrench on 'hand'"; names beyond the third are counted.
std::string causes_text(const std::vector<std::string>& causes, double at_start) {
  if (causes.empty()) return fmt::format("at the start {:.6g}", at_start);
  constexpr std::size_t most = 3;
  std::string text = "changed by ";
  for (std::size_t i = 0; i < std::min(causes.size(), most); ++i)
    text += (i > 0 ? ", " : "") + causes[i];
  return text + (causes.size() > most ? fmt::format(" and {} more", causes.size() - most) : "");
}

std::vector<DriftRow> drift_rows(const Scenario& scenario, const Summary& s) {
  std::string energy = fmt::format("at the start {:.6g}", s.start.kinetic + s.start.potential);
  if (scenario.forces.works()) energy += fmt::format("; work of the forces {:.6g}", s.end.work);
  std::vector<DriftRow> rows{
      {"energy [J]", s.worst.energy, s.last.energy, energy},
      {"linear momentum [kg m/s]", s.worst.linear_momentum, s.last.linear_momentum,
       causes_text(s.momentum_causes, norm(s.start.P))},
      {"angular momentum [kg m^2/s]", s.worst.angular_momentum, s.last.angular_momentum,
       causes_text(s.momentum_causes, norm(s.start.L))},
      {"  about the center of mass", s.worst.angular_momentum_com, s.last.angular_momentum_com,
       causes_text(s.spin_causes, norm(s.start.L_com))},
      {"unit quaternions", s.worst.orthogonality, s.last.orthogonality, ""}};
  if (s.closed)
    rows.push_back({"constraints [rad, m]", s.constraint_violation, s.last_violation,
                    fmt::format("velocities {:.2e}", s.velocity_violation)});
  return rows;
}

std::string steps_text(const StepStatistics& n) {
  return fmt::format("{} steps of {:.3g} to {:.3g} s, {} rejected, {} evaluations", n.steps,
                     n.steps > 0 ? n.smallest : 0, n.largest, n.rejected, n.evaluations);
}

/// "  - line" for the first twenty, and how many more there are.
void append_list(std::string& text, const std::string& title, long count,
                 const std::vector<std::string>& lines) {
  if (count == 0) return;
  constexpr std::size_t most = 20;
  const std::size_t shown = std::min(lines.size(), most);
  text += fmt::format("\n  {}: {}\n", title, count);
  for (std::size_t i = 0; i < shown; ++i) text += "  - " + lines[i] + "\n";
  if (count > static_cast<long>(shown))
    text += fmt::format("  - and {} more\n", count - static_cast<long>(shown));
}

}  // namespace
}  // namespace io

std::vector<std::string> summary_notes(const Summary& s) {
  std::vector<std::string> notes;
  if (s.statistics.switches > 0)
    notes.push_back(fmt::format(
        "stiff: radau5 took over from dop853 at t = {:.3g} s and made {} of the {} steps ({} "
        "change{} of method)",
        s.statistics.first_switch, s.statistics.implicit_steps, s.statistics.steps,
        s.statistics.switches, s.statistics.switches == 1 ? "" : "s"));
  else if (s.statistics.is_stiff())
    notes.push_back(
        fmt::format("stiff: about {} steps were limited by stability rather than accuracy",
                    s.statistics.stiff));
  if (!s.contradiction.empty()) notes.push_back(s.contradiction);
  if (s.closed && s.constraint_violation > s.allowed_violation)
    notes.push_back(fmt::format("the constraints were off by up to {:.2e} [rad, m], beyond {:.1e}",
                                s.constraint_violation, s.allowed_violation));
  if (s.closed && s.mobility == 0 && !s.driven)
    notes.emplace_back(
        "the constraints leave no degree of freedom: nothing moves, and the recorded values are "
        "static");
  else if (s.closed && s.reciprocal_condition < 1e-3)
    notes.push_back(
        fmt::format("passed within {:.1e} of a singular configuration at t = {:.6g} s: the "
                    "constraint Jacobian is "
                    "nearly rank deficient there; check the motion",
                    std::sqrt(std::max(0.0, s.reciprocal_condition)), s.singular_time));
  return notes;
}

std::vector<std::pair<std::string, std::string>> summary_facts(const Scenario& scenario,
                                                               const Summary& s) {
  std::vector<std::pair<std::string, std::string>> facts{
      {"method", s.method},
      {"time", fmt::format("from t = {:g} to {:g} s{}", scenario.start.t, s.time,
                           s.finished ? "" : ", not the end")},
      {"steps", io::steps_text(s.statistics)},
      {"wall time", fmt::format("{:.3g} s", s.wall_seconds)},
      {"samples", std::to_string(s.samples)}};
  for (const io::DriftRow& row : io::drift_rows(scenario, s)) {
    const std::string name = row.name.substr(row.name.find_first_not_of(' '));  // below another
    facts.emplace_back(
        (name.starts_with("about") ? "drift of angular momentum " : "drift of ") + name,
        fmt::format("{:.2e} at most, {:.2e} at the end{}{}", row.worst, row.last,
                    row.note.empty() ? "" : "; ", row.note));
  }
  return facts;
}

std::string summary_text(const Scenario& scenario, const Summary& s) {
  std::string text =
      fmt::format("{}: {} from t = {:g} to {:g} s in {:.3g} s\n  {}\n", scenario.name, s.method,
                  scenario.start.t, s.time, s.wall_seconds, io::steps_text(s.statistics));
  text += fmt::format("\n  {:<28} {:>9}  {:>9}\n", "drift", "largest", "at end");
  for (const io::DriftRow& row : io::drift_rows(scenario, s))
    text +=
        fmt::format("  {:<28} {:>9.2e}  {:>9.2e}  {}\n", row.name, row.worst, row.last, row.note);
  const std::vector<std::string> notes = summary_notes(s);
  if (!notes.empty()) text += "\n";
  for (const std::string& note : notes) text += "  " + note + "\n";
  std::vector<std::string> lines;
  for (const Violation& violation : s.violations) lines.push_back(violation.text());
  io::append_list(text, "beyond the bounds of joints", static_cast<long>(lines.size()), lines);
  lines.clear();
  for (const EventRecord& event : s.events)
    lines.push_back(fmt::format("{} at t = {:.9g} s", event.name, event.t));
  io::append_list(text, "events", s.event_count, lines);
  return text;
}

}  // namespace chasles
