/// chasles: the command line program.
/// Exit codes: 0 done, 1 a computation or writing failed, 2 bad input, 128 + N ended by signal N (130:
/// Ctrl-C, 141: nobody reads what is written). Results on stdout, the rest on stderr.

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chasles/error.hpp>
#include <chasles/version.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <sstream>
#include <system_error>

#include "commands.hpp"
#include "interrupted.hpp"
#include "usage.hpp"

namespace {

constexpr int done = 0, failed = 1, bad_input = 2, by_signal = 128;

/// A file that is opened while 0, 1 or 2 is closed would get that number, and all that is printed.
/// What stands there instead can be neither read nor written: that must be noticed.
void occupy_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// What is printed is buffered; only now is it known whether it arrived.
void flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            "standard output: writing failed");
}

int run(int argc, char** argv) {
  CLI::App program("Multibody dynamics with screws", "chasles");
  program.set_version_flag("--version", fmt::format("chasles {}", chasles::version()));
  program.require_subcommand(1);
  add_bench(program);
  add_convert(program);
  add_eval(program);
  add_ik(program);
  add_info(program);
  add_linearize(program);
  add_methods(program);
  add_plot(program);
  add_report(program);
  add_reproduce(program);
  add_simulate(program);
  add_view(program);
  add_help(program);

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
  flush_standard_output();
  return done;
}

}  // namespace

int main(int argc, char** argv) try {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // writing fails instead, and files are left in order
  return run(argc, argv);
} catch (const chasles::Error& error) {
  fmt::print(stderr, "chasles: {}\n", error.what());
  return bad_input;
} catch (const Interrupted& interrupted) {
  return by_signal + interrupted.signal;
} catch (const std::bad_alloc&) {
  fmt::print(stderr, "chasles: there is not enough memory for this computation\n");
  return failed;
} catch (const std::system_error& error) {
  if (error.code() == std::errc::broken_pipe) return by_signal + SIGPIPE;
  const bool printing = std::ferror(stdout) != 0;  // fmt does not say what it was writing to
  fmt::print(stderr, "chasles: {}\n",
             printing ? "standard output: writing failed: " + error.code().message()
                      : chasles::message_text(error.what()));
  return failed;
} catch (const std::exception& error) {
  fmt::print(stderr, "chasles: {}\n", error.what());
  return failed;
}
