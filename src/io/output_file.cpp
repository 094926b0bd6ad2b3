#include "chasles/io/output_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <system_error>
#include <utility>

#include "io/text.hpp"

namespace chasles {
namespace {

namespace fs = std::filesystem;

constexpr mode_t permissions = 0777, new_file = 0666;

/// The file a path refers to, following links.
std::optional<struct stat> file_at(const std::string& path) {
  struct stat found {};
  if (::stat(path.c_str(), &found) != 0) return std::nullopt;
  return found;
}
std::optional<struct stat> file_of(int descriptor) {
  struct stat found {};
  if (::fstat(descriptor, &found) != 0) return std::nullopt;
  return found;
}
bool same(const std::optional<struct stat>& a, const std::optional<struct stat>& b) {
  return a && b && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

[[noreturn]] void cannot(const std::string& name, int error) {
  throw Error(name + ": cannot be written: " + std::strerror(error));
}

/// Devices and pipes are not inputs that writing would destroy.
void refuse_inputs(const std::string& name, const std::string& candidate,
                   OutputFile::Paths inputs) {
  const auto file = file_at(candidate);
  if (!file || !S_ISREG(file->st_mode)) return;
  for (const fs::path& input : inputs)
    if (same(file, io::is_standard_stream(input) ? file_of(STDIN_FILENO) : file_at(input.string())))
      throw Error(name + ": " + (candidate == name ? "" : candidate + " ") + "is the input " +
                  io::quote(input.string()) +
                  " itself and would be overwritten; give another name");
}

/// A name of an open file descriptor, such as /dev/stdout: opening it does not create or replace a file.
bool names_descriptor(const fs::path& path) {
  const std::string whole = fs::absolute(path).lexically_normal().string();
  return whole == "/dev/stdout" || whole == "/dev/stderr" || whole.starts_with("/dev/fd/") ||
         whole.starts_with("/proc/");
}

/// Opens or creates the file with an exclusive lock.
int open_alone(const std::string& name, const std::string& part, mode_t mode) {
  for (;;) {
    const int fd = ::open(part.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, mode);
    if (fd < 0) cannot(name, errno);
    const auto fail = [&](int error) {
      ::close(fd);
      cannot(name, error);
    };
    if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
      if (errno == EWOULDBLOCK) {
        ::close(fd);
        throw Error(name + ": another program is writing it; wait, or give another name");
      }
      if (errno != ENOLCK && errno != EOPNOTSUPP) fail(errno);  // some file systems have no locks
    }
    if (!same(file_of(fd), file_at(part))) {  // its last owner has just renamed it
      ::close(fd);
      continue;
    }
    return fd;
  }
}

}  // namespace

fs::path part_of(const fs::path& target) {
  std::error_code error;
  const fs::path real = fs::canonical(target, error), &whole = error ? target : real;
  fs::path name = whole.stem();
  name += ".part";
  name += whole.extension();
  return whole.parent_path() / name;
}

bool is_standard_output(const fs::path& path) {
  return io::is_standard_stream(path) ||
         (names_descriptor(path) && same(file_at(path.string()), file_of(STDOUT_FILENO)));
}

bool is_stream(const fs::path& path) {
  if (io::is_standard_stream(path) || names_descriptor(path)) return true;
  const auto file = file_at(path.string());
  return file && !S_ISREG(file->st_mode) && !S_ISDIR(file->st_mode);
}

OutputFile::OutputFile(const fs::path& path, Paths inputs, Unfinished unfinished,
                       std::optional<std::uint64_t> go_on)
    : name_(path.string()), target_(name_), unfinished_(unfinished) {
  require_known(unfinished, Unfinished::kept, "treatment of unfinished files");
  if (is_standard_output(path)) {
    name_ = "standard output";
    descriptor_ = ::dup(STDOUT_FILENO);
    if (descriptor_ < 0) cannot(name_, errno);
    return;
  }
  refuse_inputs(name_, name_, inputs);
  if (is_stream(path))
    open_directly();
  else
    open_beside(inputs, go_on);
}

void OutputFile::open_directly() {
  do descriptor_ = ::open(target_.c_str(), O_WRONLY | O_TRUNC | O_CLOEXEC);
  while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) cannot(name_, errno);
}

/// Empties NAME.part.EXT, or truncates it to the part to keep.
void OutputFile::keep_begun(std::optional<std::uint64_t> go_on) {
  const auto begun = file_of(descriptor_);
  const auto size = begun ? static_cast<std::uint64_t>(begun->st_size) : 0;
  const auto refuse = [&](const std::string& why) {
    ::close(std::exchange(descriptor_, -1));
    throw Error(name_ + ": " + why);
  };
  if (unfinished_ == Unfinished::kept && size > 0 && !go_on)
    refuse(part_ +
           " is what was recorded by a run that was cut off, and would be lost; go on with it "
           "(simulate --resume), remove it, or give another name");
  if (go_on && *go_on > size) refuse(part_ + " has become shorter; is it in use?");
  if (::ftruncate(descriptor_, static_cast<off_t>(go_on.value_or(0))) != 0 ||
      ::lseek(descriptor_, 0, SEEK_END) < 0)
    refuse(std::string("cannot be written: ") + std::strerror(errno));
}

void OutputFile::open_beside(Paths inputs, std::optional<std::uint64_t> go_on) {
  const auto old = file_at(target_);
  if (old && S_ISDIR(old->st_mode)) throw Error(name_ + ": is a directory; give a file");
  if (old && ::access(target_.c_str(), W_OK) != 0) cannot(name_, errno);
  std::error_code error;
  part_ = part_of(target_).string();
  if (const fs::path real = fs::canonical(target_, error); !error) target_ = real.string();
  refuse_inputs(name_, part_, inputs);
  descriptor_ = open_alone(name_, part_, new_file);
  keep_begun(go_on);
  if (old) ::fchmod(descriptor_, old->st_mode & permissions);
}

OutputFile::~OutputFile() {
  if (descriptor_ < 0) return;
  const auto written = file_of(descriptor_);
  const bool empty = written && written->st_size == 0;
  if (!part_.empty() && (unfinished_ == Unfinished::removed || empty)) ::unlink(part_.c_str());
  ::close(descriptor_);
}

void OutputFile::fail_writing(int error) const {
  std::string what = name_ + ": writing failed";
  if (!part_.empty() && unfinished_ == Unfinished::kept)
    what += " (the part written so far is in " + part_ + ")";
  throw std::system_error(error, std::generic_category(), what);
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor_, text.data(), text.size());
    if (count >= 0) {
      text.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno == EAGAIN) {
      pollfd wait{descriptor_, POLLOUT, 0};
      ::poll(&wait, 1, -1);
    } else if (errno != EINTR) {
      fail_writing(errno);
    }
  }
}

void OutputFile::commit() {
  // Renamed while open and locked, so that no other process truncates it in between.
  if (!part_.empty() && ::rename(part_.c_str(), target_.c_str()) != 0) fail_writing(errno);
  part_.clear();
  if (const int fd = std::exchange(descriptor_, -1); ::close(fd) != 0) fail_writing(errno);
}

}  // namespace chasles
