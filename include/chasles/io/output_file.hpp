/// Files that are there whole or not at all.
///
///     OutputFile file("arm.yaml", {{"arm.urdf"}});  // refused if both are the same file
///     file.write(text);
///     file.commit();                                // only now arm.yaml is there, or another
///
/// NAME.EXT is written as NAME.part.EXT beside it and takes its name by `commit`: who reads it never
/// meets half of it, and a failure leaves what was there before. What is written is with the system
/// when `write` returns, so that it outlives the program. Devices, pipes, names of open
/// files such as /dev/fd/3, and `-`, standard output, are written as they are.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

class OutputFile {
 public:
  using Paths = std::span<const std::filesystem::path>;
  /// What becomes of NAME.part.EXT if there is no `commit`.
  enum class Unfinished { removed, kept };

  /// @param inputs  what may not be overwritten under any of its names: links are followed
  /// @param go_on   of what is kept: so many bytes of NAME.part.EXT stay, and what is written follows them
  /// @throws Error naming the file: it is an input, is written by somebody else, cannot be written; or what was kept
  ///         is there already and would be lost
  explicit OutputFile(const std::filesystem::path& path, Paths inputs = {},
                      Unfinished unfinished = Unfinished::removed,
                      std::optional<std::uint64_t> go_on = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// @throws std::system_error naming the file: the disk is full, the reader of the pipe is gone, ...
  void write(std::string_view text);
  /// @throws std::system_error
  void commit();

  /// It is not wanted any more: removed, however it was to be left.
  void discard() { unfinished_ = Unfinished::removed; }

  /// The name that it is written under, for messages.
  const std::string& name() const { return part_.empty() ? name_ : part_; }

 private:
  void open_directly();
  void open_beside(Paths inputs, std::optional<std::uint64_t> go_on);
  void keep_begun(std::optional<std::uint64_t> go_on);
  [[noreturn]] void fail_writing(int error) const;

  std::string name_;    // as it was given
  std::string target_;  // what `commit` makes
  std::string part_;    // what is written until then; empty: the file itself
  Unfinished unfinished_;
  int descriptor_ = -1;
};

/// "run.part.csv" of "run.csv": what it is written as until it is whole.
std::filesystem::path part_of(const std::filesystem::path& target);

/// Whether this is `-` or another name of standard output.
bool is_standard_output(const std::filesystem::path& path);

/// Whether a name is that of a device or a pipe, which may have any ending, or `-`.
bool is_stream(const std::filesystem::path& path);

}  // namespace CHASLES_API
