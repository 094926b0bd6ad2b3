/// What the end of a recorded run (.json) knows besides its last state: how the steps go on, and the work.
#include <charconv>
#include <fstream>

#include "io/runs/scenario_parts.hpp"

namespace chasles::io {
namespace {

/// The summary is the last thing in the file, and short.
constexpr std::streamoff longest_summary = 1 << 20;

std::string tail(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file ? static_cast<std::streamoff>(file.tellg()) : 0;
  std::string text(static_cast<std::size_t>(std::min(size, longest_summary)), ' ');
  file.seekg(size - static_cast<std::streamoff>(text.size()));
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  return file ? text : std::string();
}

const Value* entry(const Value& map, std::string_view key) {
  for (std::size_t i = 0; i < map.keys.size(); ++i)
    if (map.keys[i].text == key) return &map.items[i];
  return nullptr;
}
std::optional<double> number(const Value* value) {
  double x = 0;
  if (value == nullptr) return {};
  const std::string& text = value->text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return x;
}
std::optional<double> number(const Value& map, std::string_view key) {
  return number(entry(map, key));
}
/// Empty if there is none, or one that is not all numbers.
std::vector<double> numbers(const Value* value) {
  std::vector<double> list;
  if (value == nullptr) return list;
  for (const Value& item : value->items) {
    const auto x = number(&item);
    if (!x) return {};
    list.push_back(*x);
  }
  return list;
}

}  // namespace

void read_checkpoint(const std::filesystem::path& run, Scenario& scenario) {
  if (run.extension() != ".json") return;
  const std::string text = tail(run);
  constexpr std::string_view key = "\"summary\":";
  const auto at = text.rfind(key), last = text.rfind('}');
  const auto end = last == text.npos || last == 0 ? text.npos : text.rfind('}', last - 1);
  if (at == text.npos || end == text.npos || end < at)
    return;  // the program was killed before it wrote the end
  const Value summary =
      parse_yaml(std::string_view(text).substr(at + key.size(), end + 1 - at - key.size()),
                 run.string() + ", summary");
  if (number(summary, "time") != scenario.start.t) return;
  if (const auto work = number(summary, "work")) scenario.work = *work;
  const auto origin = number(summary, "origin"), next_step = number(summary, "next_step"),
             last_error = number(summary, "last_error");
  const Value* method = entry(summary, "method");
  if (method != nullptr && method->text == scenario.integrator.method && origin && next_step &&
      last_error)
    scenario.checkpoint =
        Checkpoint{*origin, *next_step, *last_error, numbers(entry(summary, "memory"))};
}

}  // namespace chasles::io
