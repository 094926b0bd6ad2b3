/// Atomic output files: written to a temporary name, renamed on commit.
///
///     OutputFile file("arm.yaml", {{"arm.urdf"}});  // refused if both are the same file
///     file.write(text);
///     file.commit();                                // arm.yaml is created or replaced now
///
/// NAME.EXT is written as NAME.part.EXT beside it and renamed by `commit`: readers never see a partial file, and a
/// failure leaves the old file intact. Data is passed to the operating system before `write` returns, so it survives a
/// crash of the program. Devices, pipes, names of open files such as /dev/fd/3, and `-` (standard output) are written
/// directly.
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
  /// What happens to NAME.part.EXT without `commit`.
  enum class Unfinished { removed, kept };

  /// @param inputs  files that must not be overwritten under any name: links are followed
  /// @param go_on   resume a kept file: keep this many bytes of NAME.part.EXT and append
  /// @throws Error naming the file: it is an input, is being written by another process, cannot be written; or a kept
  ///         partial file would be lost
  explicit OutputFile(const std::filesystem::path& path, Paths inputs = {},
                      Unfinished unfinished = Unfinished::removed,
                      std::optional<std::uint64_t> go_on = {});
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// @throws std::system_error naming the file: disk full, pipe closed by its reader, ...
  void write(std::string_view text);
  /// @throws std::system_error
  void commit();

  /// Removes the partial file on destruction, whatever `unfinished` was.
  void discard() { unfinished_ = Unfinished::removed; }

  /// The name under which the file is being written, for messages.
  const std::string& name() const { return part_.empty() ? name_ : part_; }

 private:
  void open_directly();
  void open_beside(Paths inputs, std::optional<std::uint64_t> go_on);
  void keep_begun(std::optional<std::uint64_t> go_on);
  [[noreturn]] void fail_writing(int error) const;

  std::string name_;    // as given
  std::string target_;  // name after `commit`
  std::string part_;    // temporary name until then; empty: written directly
  Unfinished unfinished_;
  int descriptor_ = -1;
};

/// "run.part.csv" for "run.csv": the temporary name until `commit`.
std::filesystem::path part_of(const std::filesystem::path& target);

/// Whether this is `-` or another name of standard output.
bool is_standard_output(const std::filesystem::path& path);

/// Whether a name is `-`, a device or a pipe, which may have any extension.
bool is_stream(const std::filesystem::path& path);

}  // namespace CHASLES_API
