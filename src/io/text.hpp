/// Text before parsing: files, limits, source locations, numbers.
#pragma once

#include <cstdint>
#include <filesystem>
#include <istream>
#include <optional>
#include <string>
#include <string_view>

#include "chasles/error.hpp"

namespace chasles::io {

inline constexpr std::size_t largest_text = 16 << 20;  // bytes
inline constexpr std::size_t largest_line = 64 << 20;  // bytes, of a recorded run
inline constexpr int deepest_nesting = 64;

/// A source location, counted from 1; column 0: only the line is known.
struct LineColumn {
  int line = 1, column = 0;
};
/// "file:12:5" or "file:12".
std::string location_text(const std::string& name, LineColumn location);
/// Throws "file:12:5: message".
[[noreturn]] void fail(const std::string& name, LineColumn location, const std::string& message);

/// "-": standard input or output.
inline bool is_standard_stream(const std::filesystem::path& path) { return path == "-"; }
/// The name of an input in messages.
std::string input_name(const std::filesystem::path& path);

/// The whole file, or standard input if its name is "-".
/// @throws Error if it is missing, a directory, unreadable or larger than `largest_text`; std::system_error if reading
///         fails
std::string read_file(const std::filesystem::path& path);

/// The bytes of a stream. Standard streams also report a read failure as end of file; this one throws.
class ByteSource {
 public:
  static constexpr int end = std::char_traits<char>::eof();
  /// @param name  of the text in messages
  ByteSource(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  /// The next byte, left or consumed; `end` if there is none.
  /// @throws std::system_error naming the text: reading failed
  int peek() const {
    return guarded([&] { return in_.rdbuf()->sgetc(); });
  }
  int get() {
    const int c = guarded([&] { return in_.rdbuf()->sbumpc(); });
    count_ += c != end;
    return c;
  }
  /// A line without its end.
  /// @returns false if it has none: the text ends before
  /// @throws Error for a line that is longer than `largest_line`
  bool line(std::string& text);
  /// Number of bytes consumed.
  std::uint64_t count() const { return count_; }
  const std::string& name() const { return name_; }

 private:
  template <class Read>
  int guarded(const Read& read) const {
    int c = end;
    try {
      c = read();
    } catch (const std::ios_base::failure& failure) {
      reading_failed(failure.code());
    }
    if (c == end) [[unlikely]]
      check_end();
    return c;
  }
  [[noreturn]] void reading_failed(const std::error_code& code) const;
  void check_end() const;

  std::istream& in_;
  std::string name_;
  std::uint64_t count_ = 0;
};

/// Text that a parser may see: not empty, not too large, UTF-8, no control characters but
/// tab and newline.
/// @throws Error naming the location and the byte
void check_text(std::string_view text, const std::string& name);

/// A decimal number, all of the text; "inf" and "nan" count.
std::optional<double> parse_number(std::string_view text);
/// A number or a constant expression (math/expression.hpp), in SI units: "pi/2", "30 deg", "sqrt(2)/2"; none for other
/// text.
std::optional<double> parse_expression(std::string_view text);

/// A text as YAML, in quotes unless every reader of YAML takes it for a text without them.
std::string yaml_word(std::string_view text);

/// A text as XML, in elements and between the quotes of attributes.
std::string xml_text(std::string_view text);

/// A piece of the user's text for a message: quoted, in double quotes if it has single ones, shortened, without line
/// breaks.
std::string quote(std::string_view text);

}  // namespace chasles::io
