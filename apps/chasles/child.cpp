#include "child.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

namespace {

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

/// In the new process: its descriptors, then the program. Only calls that are allowed after fork.
[[noreturn]] void become(char** words, int in, int out, int input, int output) {
  setpgid(0, 0);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) std::signal(signal, SIG_DFL);
  const int null = open("/dev/null", O_RDWR);
  // Above all numbers in use, so that neither end is lost while they are put in their places.
  const int kept_in = fcntl(input, F_DUPFD, 64), kept_out = fcntl(output, F_DUPFD, 64);
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) dup2(null, fd);
  if (kept_in < 0 || kept_out < 0 || dup2(kept_in, in) < 0 || dup2(kept_out, out) < 0) _exit(126);
  for (const int fd : {kept_in, kept_out}) close(fd);
  execv(words[0], words);
  _exit(127);
}

int milliseconds_until(Child::Clock::time_point end) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Child::Clock::now());
  return static_cast<int>(std::clamp<long>(left.count(), 0, 1 << 30));
}

}  // namespace

std::optional<std::string> find_program(std::initializer_list<const char*> names) {
  const char* path = std::getenv("PATH");
  const std::string folders = path != nullptr ? path : "/usr/bin:/bin";
  for (const char* name : names)
    for (std::size_t from = 0; from <= folders.size();) {
      const std::size_t colon = std::min(folders.find(':', from), folders.size());
      const std::string file = folders.substr(from, colon - from) + "/" + name;
      std::error_code error;
      if (file[0] == '/' && access(file.c_str(), X_OK) == 0 &&
          std::filesystem::is_regular_file(file, error))
        return file;
      from = colon + 1;
    }
  return std::nullopt;
}

Child::Child(const std::vector<std::string>& words, int in, int out) : name_(words.at(0)) {
  const std::optional<std::string> file = find_program({name_.c_str()});
  std::vector<std::string> all = words;
  if (name_.find('/') == name_.npos && file) all[0] = *file;
  std::vector<char*> pointers;
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  int to[2], from[2];  // ours, the program's
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, to) != 0) fail(name_);
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, from) != 0) fail(name_);
  pid_ = fork();
  if (pid_ == 0) become(pointers.data(), in, out, to[1], from[1]);
  close(to[1]), close(from[1]);
  to_ = to[0], from_ = from[0];
  if (pid_ < 0) fail(name_);
  setpgid(pid_, pid_);  // also here: whichever is first
  for (const int fd : {to_, from_}) fcntl(fd, F_SETFL, O_NONBLOCK);
}

Child::~Child() {
  end_input();
  if (from_ >= 0) close(from_);
  if (pid_ <= 0) return;
  kill(-pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
}

void Child::end_input() {
  if (to_ >= 0) close(to_);
  to_ = -1;
}

bool Child::receive() {
  char buffer[1 << 16];
  const ssize_t n = ::read(from_, buffer, sizeof buffer);
  if (n > 0) arrived_.append(buffer, static_cast<std::size_t>(n));
  at_end_ = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
  return !at_end_;
}

void Child::write(std::string_view text, Clock::time_point end) {
  while (!text.empty()) {
    pollfd both[] = {{to_, POLLOUT, 0}, {at_end_ ? -1 : from_, POLLIN, 0}};
    if (poll(both, 2, milliseconds_until(end)) == 0)
      throw std::runtime_error(name_ + " takes too long to read its input");
    if (both[1].revents != 0) receive();
    if (both[0].revents == 0) continue;
    const ssize_t n = send(to_, text.data(), text.size(), MSG_NOSIGNAL);
    if (n >= 0)
      text.remove_prefix(static_cast<std::size_t>(n));
    else if (errno != EAGAIN && errno != EINTR)
      throw std::runtime_error(name_ + " has ended before it read all of its input");
  }
}

std::string Child::read(Clock::time_point end) {
  while (arrived_.empty() && !at_end_) {
    pollfd one{from_, POLLIN, 0};
    if (poll(&one, 1, milliseconds_until(end)) == 0)
      throw std::runtime_error(name_ + " takes too long to answer");
    if (one.revents != 0) receive();
  }
  return std::exchange(arrived_, {});
}

int Child::wait(Clock::time_point end) {
  int status = 0;
  while (waitpid(pid_, &status, WNOHANG) == 0) {
    if (Clock::now() > end) throw std::runtime_error(name_ + " takes too long to end");
    usleep(5000);
  }
  kill(-pid_, SIGKILL);  // what it may have left behind
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}
