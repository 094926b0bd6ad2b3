#include "io/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <system_error>

#include "math/expression.hpp"
#include "utf8.hpp"

namespace chasles::io {
namespace {

std::string megabytes(std::size_t bytes) { return std::to_string(bytes >> 20) + " MB"; }

[[noreturn]] void too_large(const std::string& name) {
  throw Error(name + ": larger than " + megabytes(largest_text) +
              ", the limit for a mechanism file; is it the right file?");
}

std::string hexadecimal(unsigned char byte) {
  constexpr const char* digits = "0123456789abcdef";
  return {'0', 'x', digits[byte >> 4U], digits[byte & 15U]};
}

/// Words with a special meaning in some YAML parsers.
constexpr std::string_view yaml_words[] = {"null", "true", "false", "yes", "no", "on",
                                           "off",  "y",    "n",     "inf", "nan"};

/// Whether a text is a plain string in YAML without quotes.
bool is_plain(std::string_view text) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  if (text.empty() || !is_letter(text.front())) return false;
  for (const char c : text)
    if (!is_letter(c) && !(c >= '0' && c <= '9') && c != '-' && c != '.') return false;
  const auto lower = [](char c) { return static_cast<char>(c | 0x20); };
  return std::none_of(std::begin(yaml_words), std::end(yaml_words), [&](std::string_view word) {
    return std::equal(text.begin(), text.end(), word.begin(), word.end(),
                      [&](char x, char y) { return lower(x) == y; });
  });
}

}  // namespace

std::string yaml_word(std::string_view text) {
  if (is_plain(text)) return std::string(text);
  constexpr const char* digits = "0123456789abcdef";
  std::string quoted = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      quoted += {'\\', 'x', digits[byte >> 4U], digits[byte & 15U]};
    else if (c == '"' || c == '\\')
      quoted += {'\\', c};
    else
      quoted += c;
  }
  return quoted + "\"";
}

std::string location_text(const std::string& name, LineColumn location) {
  std::string text = name + ':' + std::to_string(location.line);
  if (location.column > 0) text += ':' + std::to_string(location.column);
  return text;
}

void fail(const std::string& name, LineColumn location, const std::string& message) {
  throw Error(location_text(name, location) + ": " + message);
}

std::string input_name(const std::filesystem::path& path) {
  return is_standard_stream(path) ? "standard input" : path.string();
}

std::string read_file(const std::filesystem::path& path) {
  namespace fs = std::filesystem;
  const std::string name = input_name(path);
  std::ifstream file;
  if (!is_standard_stream(path)) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) throw Error(name + ": there is no such file");
    if (fs::is_directory(status)) throw Error(name + ": is a directory; give a file");
    if (fs::is_regular_file(status) && fs::file_size(path, error) > largest_text && !error)
      too_large(name);
    file.open(path, std::ios::binary);
    if (!file) throw Error(name + ": cannot be opened for reading");
  }
  ByteSource in(is_standard_stream(path) ? std::cin : file, name);
  std::string text;
  for (int c = in.get(); c != ByteSource::end; c = in.get()) {
    text += static_cast<char>(c);
    if (text.size() > largest_text) too_large(name);  // pipes and devices report no size
  }
  return text;
}

void ByteSource::reading_failed(const std::error_code& code) const {
  throw std::system_error(code, name_ + ": reading failed");
}
/// For standard input the library hides read failures.
void ByteSource::check_end() const {
  if (&in_ == &std::cin && std::ferror(stdin) != 0)
    reading_failed({errno != 0 ? errno : EIO, std::generic_category()});
}

bool ByteSource::line(std::string& text) {
  text.clear();
  for (int c = get(); c != end; c = get()) {
    if (c == '\n') return true;
    text += static_cast<char>(c);
    if (text.size() > largest_line)
      throw Error(name_ + ": a line is longer than " + megabytes(largest_line) +
                  "; is it a recorded run?");
  }
  return false;
}

void check_text(std::string_view text, const std::string& name) {
  if (text.size() > largest_text) too_large(name);
  LineColumn location{1, 1};
  bool blank = true;
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool space = byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
    const std::size_t length = utf8_length(text, i);
    if ((byte < 0x20 && !space) || length == 0)
      fail(name, location, "byte " + hexadecimal(byte) + " is not text; give a text file in UTF-8");
    blank = blank && space;
    i += length;
    location = byte == '\n' ? LineColumn{location.line + 1, 1}
                            : LineColumn{location.line, location.column + 1};
  }
  if (blank) fail(name, {1, 0}, "the file is empty; give a mechanism");
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

std::optional<double> parse_expression(std::string_view text) {
  if (const std::optional<double> number = parse_number(text)) return number;
  try {
    return evaluate_constant(text).value;
  } catch (const ExpressionError&) {
    return std::nullopt;
  }
}

std::string xml_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

std::string quote(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string shown(text.substr(0, longest));
  if (text.size() > longest) {
    while (!shown.empty() && (static_cast<unsigned char>(shown.back()) & 0xC0U) == 0x80U)
      shown.pop_back();  // do not cut a UTF-8 character
    if (!shown.empty() && static_cast<unsigned char>(shown.back()) >= 0xC0U) shown.pop_back();
    shown += "...";
  }
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
  // A quote within the text does not end it.
  const char mark = shown.find('\'') != shown.npos && shown.find('"') == shown.npos ? '"' : '\'';
  return mark + shown + mark;
}

}  // namespace chasles::io
