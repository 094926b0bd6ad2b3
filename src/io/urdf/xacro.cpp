#include "io/urdf/xacro.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>

#include "io/text.hpp"

extern char** environ;

namespace chasles::io {
namespace {

constexpr std::chrono::seconds longest_time{30};
constexpr std::size_t longest_message = 4000;

/// A pipe, whose ends are closed at the end.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0)
      throw std::system_error(errno, std::generic_category());
  }
  ~Pipe() { close_end(0), close_end(1); }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  int read_end() const { return ends_[0]; }
  int write_end() const { return ends_[1]; }
  void close_end(std::size_t k) {
    if (ends_[k] >= 0) close(ends_[k]);
    ends_[k] = -1;
  }

 private:
  std::array<int, 2> ends_{-1, -1};
};

/// A program that runs; it is ended with the object.
class Process {
 public:
  /// @throws std::system_error: no_such_file_or_directory if it is not
  /// installed
  Process(const char* program, const std::string& argument, const Pipe& out, const Pipe& err) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out.write_end(), STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err.write_end(), STDERR_FILENO);
    std::string name = program, text = argument;
    char* arguments[] = {name.data(), text.data(), nullptr};
    const int error = posix_spawnp(&pid_, program, &actions, nullptr, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (error != 0) throw std::system_error(error, std::generic_category());
  }
  ~Process() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    wait();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;
  /// Whether it ended well.
  bool wait() {
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }

 private:
  pid_t pid_ = -1;
};

/// Reads what is there. @returns false at the end
bool read_some(int end, std::string& text) {
  char bytes[65536];
  const ssize_t count = read(end, bytes, sizeof bytes);
  if (count > 0) text.append(bytes, static_cast<std::size_t>(count));
  return count > 0 || (count < 0 && errno == EINTR);
}

}  // namespace

std::string expand_xacro(const std::filesystem::path& path) {
  const std::string name = input_name(path);
  const std::string by_hand = "expand it elsewhere: xacro " + name + " > MODEL.urdf";
  std::string text, messages;
  Pipe out, err;
  try {
    Process process("xacro", std::filesystem::absolute(path).string(), out, err);
    out.close_end(1), err.close_end(1);
    pollfd ends[] = {{out.read_end(), POLLIN, 0}, {err.read_end(), POLLIN, 0}};
    const auto deadline = std::chrono::steady_clock::now() + longest_time;
    while (ends[0].fd >= 0 || ends[1].fd >= 0) {
      const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
          deadline - std::chrono::steady_clock::now());
      if (left.count() <= 0)
        throw Error(name + ": xacro takes longer than " + std::to_string(longest_time.count()) +
                    " s; " + by_hand);
      if (poll(ends, 2, static_cast<int>(left.count())) < 0 && errno != EINTR)
        throw std::system_error(errno, std::generic_category());
      if (ends[0].revents != 0 && !read_some(ends[0].fd, text)) ends[0].fd = -1;
      if (ends[1].revents != 0 && !read_some(ends[1].fd, messages)) ends[1].fd = -1;
      if (messages.size() > longest_message) messages.resize(longest_message);
      if (text.size() > largest_text)
        throw Error(name + ": xacro writes more than " + std::to_string(largest_text >> 20) +
                    " MB, the limit for a mechanism file");
    }
    if (!process.wait()) throw Error(name + ": xacro fails: " + message_text(messages));
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory)
      throw Error(name + ": xacro cannot be started: " + error.code().message() + "; " + by_hand);
    throw Error(name +
                ": is xacro, and the program xacro is not installed; install "
                "it (Debian: xacro; "
                "pip install xacro), or " +
                by_hand);
  }
  return text;
}

}  // namespace chasles::io
