#include "guarded.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chasles/error.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>

#include "interrupted.hpp"

namespace {

/// A file opened while descriptor 0, 1 or 2 is closed would get that number, and receive all output. The descriptor
/// opened here instead can be neither read nor written, so that errors are detected.
void occupy_standard_streams() {
  for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; ++fd)
    if (fcntl(fd, F_GETFD) < 0) open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/// Output is buffered; errors show only when it is flushed.
void flush_standard_output() {
  errno = 0;
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            "standard output: writing failed");
}

}  // namespace

int guarded(const std::function<int()>& run) try {
  occupy_standard_streams();
  std::signal(SIGPIPE, SIG_IGN);  // writing fails instead, and files are left in order
  const int code = run();
  if (code == done) flush_standard_output();
  return code;
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
