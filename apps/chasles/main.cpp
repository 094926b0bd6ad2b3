/// chasles: the command line program. Results on stdout, the rest on stderr; exit codes are those of guarded.hpp.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chasles/error.hpp>
#include <chasles/version.hpp>
#include <sstream>

#include "commands.hpp"
#include "guarded.hpp"
#include "usage.hpp"

namespace {

int run(int argc, char** argv) {
  CLI::App program("Multibody dynamics with screws", "chasles");
  program.set_version_flag("--version", fmt::format("chasles {}", chasles::version()));
  program.require_subcommand(1);
  const Command commands(program);
  for (AddCommand* add : all_commands) add(commands);

  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return bad_input;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    std::ostringstream text;
    program.exit(request, text, text);
    fmt::print("{}", text.str());
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}\n", chasles::message_text(usage_error(program, error)));
    return bad_input;
  }
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded([&] { return run(argc, argv); });
}
