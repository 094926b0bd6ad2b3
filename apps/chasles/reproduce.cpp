/// Tables of the papers: printed values beside computed ones. A program of its own computes them (apps/reproduce),
/// which takes as long to build as all other commands.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chasles/error.hpp>
#include <chasles/suggest.hpp>
#include <filesystem>

#include "../reproduce/studies.hpp"
#include "commands.hpp"

namespace {

/// Beside the program, as they are built, or where it is installed.
std::filesystem::path find_reproduce() {
  const std::filesystem::path here = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  for (const std::filesystem::path& path :
       {here / "chasles-reproduce", here / CHASLES_LIBEXEC / "chasles-reproduce"})
    if (std::filesystem::exists(path)) return path;
  throw std::runtime_error("reproduce: there is no program chasles-reproduce in " + here.string() +
                           "; build its target, chasles_reproduce, which ./run reproduce does");
}

void reproduce(const std::string& what, const std::string& directory) {
  std::vector<std::string_view> known{"all"};
  for (const Study& study : known_studies) known.push_back(study.name);
  if (std::ranges::find(known, what) == known.end())
    throw chasles::Error("reproduce: there is no '" + what + "'" + chasles::choices(what, known));
  const std::string path = find_reproduce();
  execl(path.c_str(), path.c_str(), what.c_str(), directory.c_str(), nullptr);
  throw std::system_error(errno, std::generic_category(), path);
}

}  // namespace

void add_reproduce(Command program) {
  const Command command =
      program.add_command("reproduce", "Tables of the papers: printed values beside computed ones");
  struct Options {
    std::string what, directory;
  };
  const auto options = std::make_shared<Options>();
  std::string help = "all";
  for (const Study& study : known_studies)
    help += fmt::format(", {} ({})", study.name, study.description);
  command.add_option("WHAT", options->what, help).required();
  command.add_option("-o,--output", options->directory, "Also write DIR/NAME.json and data");
  command.callback([=] { reproduce(options->what, options->directory); });
}
