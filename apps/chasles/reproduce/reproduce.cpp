/// Tables of the papers: what is printed there beside what is computed here.
#include <fmt/format.h>

#include <chasles/error.hpp>
#include <chasles/suggest.hpp>

#include "commands.hpp"
#include "report.hpp"

namespace {

struct Study {
  std::string_view name, description;
  void (*report)(const std::string& directory);
};
constexpr Study known_studies[] = {
    {"rcm", "paper 003, sections 2.5 and 3.6", report_rcm},
    {"park-chung", "paper 001, section VI", report_park_chung},
    {"se3-vs-so3xr3", "paper 004, section 5", report_se3_vs_so3xr3},
};

void reproduce(const std::string& what, const std::string& directory) {
  std::vector<std::string_view> known{"all"};
  bool found = false;
  for (const Study& study : known_studies) {
    known.push_back(study.name);
    if (what != study.name && what != "all") continue;
    study.report(directory);
    found = true;
  }
  if (!found)
    throw chasles::Error("reproduce: there is no '" + what + "'" + chasles::choices(what, known));
}

}  // namespace

void add_reproduce(CLI::App& program) {
  CLI::App* command = program.add_subcommand(
      "reproduce", "Tables of the papers: printed values beside computed ones");
  struct Options {
    std::string what, directory;
  };
  const auto options = std::make_shared<Options>();
  std::string help = "all";
  for (const Study& study : known_studies)
    help += fmt::format(", {} ({})", study.name, study.description);
  command->add_option("WHAT", options->what, help)->required();
  command->add_option("-o,--output", options->directory, "Also write DIR/NAME.json and data");
  command->callback([=] { reproduce(options->what, options->directory); });
}
