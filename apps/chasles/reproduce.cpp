/// Tables of the papers: what is printed there beside what is computed here.
#include "reproduce.hpp"

#include <fmt/format.h>

#include <chasles/suggest.hpp>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "commands.hpp"
#include "json.hpp"

namespace {

using namespace chasles;
using to_json::Json;

void rcm(const std::string& directory) {
  const std::vector<Entry> entries = reproduce_rcm();
  int misprints = 0;
  fmt::print("rcm: printed formula evaluated, beside the computed value\n");
  for (const Entry& e : entries) {
    const bool differs = std::abs(e.printed - e.computed) > 1e-12;
    misprints += differs;
    fmt::print("  {:<6} row {} column {}  {:12.6f}  {:12.6f}{}\n", e.table, e.row, e.column,
               e.printed, e.computed, differs ? "  misprinted" : "");
  }
  fmt::print("{} entries, {} misprinted in the paper\n", entries.size(), misprints);
  write_entries("rcm", entries, directory);
}

struct Study {
  std::string_view name, description;
  void (*run)(const std::string& directory);
};
constexpr Study studies[] = {
    {"rcm", "paper 003, sections 2.5 and 3.6", rcm},
    {"park-chung", "paper 001, section VI", reproduce_park_chung},
};

void reproduce(const std::string& what, const std::string& directory) {
  std::vector<std::string_view> known{"all"};
  bool found = false;
  for (const Study& study : studies) {
    known.push_back(study.name);
    if (what != study.name && what != "all") continue;
    study.run(directory);
    found = true;
  }
  if (!found)
    throw Error("reproduce: there is no '" + what + "'" + did_you_mean(what, known) + " (" +
                fmt::format("{}", fmt::join(known, ", ")) + ")");
}

}  // namespace

std::ofstream open_result(const std::string& directory, const std::string& name) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const auto path = std::filesystem::path(directory) / name;
  std::ofstream file(path);
  if (!file) throw std::runtime_error(path.string() + ": cannot be written");
  return file;
}

void write_entries(const std::string& name, const std::vector<Entry>& entries,
                   const std::string& directory) {
  if (directory.empty()) return;
  Json rows = Json::array();
  for (const Entry& e : entries)
    rows.push_back({{"table", e.table},
                    {"row", e.row},
                    {"column", e.column},
                    {"printed", e.printed},
                    {"computed", e.computed}});
  std::ofstream file = open_result(directory, name + ".json");
  if (!(file << Json{{"entries", rows}}.dump(1) << '\n').flush())
    throw std::runtime_error(directory + "/" + name + ".json: writing failed");
}

void add_reproduce(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "reproduce", "Tables of the papers: printed values beside computed ones");
  struct Options {
    std::string what, directory;
  };
  const auto options = std::make_shared<Options>();
  std::string help = "all";
  for (const Study& study : studies)
    help += fmt::format(", {} ({})", study.name, study.description);
  command->add_option("WHAT", options->what, help)->required();
  command->add_option("-o,--output", options->directory, "Also write DIR/NAME.json and data");
  command->callback([=] { reproduce(options->what, options->directory); });
}
