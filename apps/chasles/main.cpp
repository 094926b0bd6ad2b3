/// chasles: the command line program.
/// Exit codes: 0 done, 1 a computation failed, 2 bad input, 130 interrupted. Results on stdout, the rest on stderr.

#include <fmt/format.h>

#include <chasles/error.hpp>
#include <chasles/version.hpp>
#include <cstdio>
#include <exception>

#include "commands.hpp"
#include "interrupted.hpp"
#include "usage.hpp"

int main(int argc, char** argv) try {
  CLI::App program("Multibody dynamics with screws", "chasles");
  program.set_version_flag("--version", fmt::format("chasles {}", chasles::version()));
  program.require_subcommand(1);
  add_bench(program);
  add_convert(program);
  add_eval(program);
  add_info(program);
  add_reproduce(program);
  add_simulate(program);

  if (argc < 2) {
    fmt::print(stderr, "{}", program.help());
    return 2;
  }
  try {
    program.parse(argc, argv);
  } catch (const CLI::Success& request) {  // --help, --version
    return program.exit(request);
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "{}\n", usage_error(program, error));
    return 2;
  }
  return 0;
} catch (const chasles::Error& error) {
  fmt::print(stderr, "chasles: {}\n", error.what());
  return 2;
} catch (const Interrupted&) {
  return 130;
} catch (const std::exception& error) {
  fmt::print(stderr, "chasles: {}\n", error.what());
  return 1;
}
