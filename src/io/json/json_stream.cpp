#include "io/json/json_stream.hpp"

#include <cmath>

namespace chasles::io {
namespace {

bool is_space(int c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool in_word(int c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' ||
         c == '+' || c == '.' || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// JSON numbers start with a digit (or minus), without leading zeros.
bool begins_like_json(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  if (word.empty() || !is_digit(word[0])) return false;
  return word[0] != '0' || word.size() == 1 || !is_digit(word[1]);
}

void append_utf8(std::string& text, unsigned code) {
  const auto add = [&](unsigned byte) { text += static_cast<char>(byte); };
  if (code < 0x80) return add(code);
  if (code < 0x800) return add(0xC0U | code >> 6U), add(0x80U | (code & 0x3FU));
  if (code < 0x10000) {
    add(0xE0U | code >> 12U);
  } else {
    add(0xF0U | code >> 18U);
    add(0x80U | (code >> 12U & 0x3FU));
  }
  add(0x80U | (code >> 6U & 0x3FU));
  add(0x80U | (code & 0x3FU));
}

}  // namespace

char JsonStream::get() {
  const int c = in_.get();
  if (c == ByteSource::end) refuse("ends too early");
  place_ = c == '\n' ? LineColumn{place_.line + 1, 1} : LineColumn{place_.line, place_.column + 1};
  return static_cast<char>(c);
}

char JsonStream::peek() {
  while (is_space(in_.peek())) get();
  const int c = in_.peek();
  return c == ByteSource::end ? '\0' : static_cast<char>(c);
}

bool JsonStream::ended() {
  peek();
  return in_.peek() == ByteSource::end;
}

LineColumn JsonStream::next_place() {
  peek();
  return place_;
}

std::string JsonStream::peek_text() {
  const char c = peek();
  if (ended()) return "the end of the text";
  if (c == 0) return "a byte 0";
  if (c == '{') return "an object";
  if (c == '[') return "a list";
  if (c == '"') return "a text";
  if (c == '-' || is_digit(c)) return "a number";
  if (c == 'n') return "null";
  if (c == 't' || c == 'f') return "true or false";
  return quote({&c, 1});
}

void JsonStream::refuse(const std::string& message) { fail(name(), next_place(), message); }

bool JsonStream::accept(char c) {
  if (peek() != c) return false;
  get();
  return true;
}
void JsonStream::expect(char c, const std::string& what) {
  if (!accept(c)) refuse("here is " + peek_text() + "; give " + what);
}

void JsonStream::take_word(std::string& word) {
  word.clear();
  constexpr std::size_t longest = 1000;  // any number is shorter
  while (in_word(in_.peek())) {
    word += get();
    if (word.size() > longest) refuse(quote(word) + " is not a value of JSON");
  }
}

double JsonStream::number() {
  const LineColumn at = next_place();
  const std::string found = peek_text();
  std::string word;
  take_word(word);
  const std::optional<double> value = parse_number(word);
  if (!value || !std::isfinite(*value) || !begins_like_json(word))
    fail(name(), at, (word.empty() ? found : quote(word)) + " is not a finite number");
  return *value;
}

std::string JsonStream::text() {
  const auto hexadecimal = [&] {
    unsigned code = 0;
    for (int k = 0; k < 4; ++k) {
      const char c = get();
      const auto digit = std::string_view("0123456789abcdef").find(static_cast<char>(c | 0x20));
      const bool decimal = is_digit(c);
      if (!decimal && (digit == std::string_view::npos || digit < 10))
        refuse("\\u is not followed by 4 hexadecimal digits");
      code = 16 * code + static_cast<unsigned>(decimal ? c - '0' : static_cast<int>(digit));
    }
    return code;
  };
  expect('"', "a text in quotes");
  std::string text;
  for (char c = get(); c != '"'; c = get()) {
    if (text.size() > largest_text) refuse("a text is larger than 16 MB");
    if (static_cast<unsigned char>(c) < 0x20) refuse("a text is not closed in its line");
    if (c != '\\') {
      text += c;
      continue;
    }
    constexpr std::string_view escapes = "\"\\/bfnrt", meanings = "\"\\/\b\f\n\r\t";
    c = get();
    if (const auto which = escapes.find(c); which != std::string_view::npos) {
      text += meanings[which];
      continue;
    }
    if (c != 'u') refuse("a backslash before " + quote({&c, 1}) + " means nothing in a text");
    unsigned code = hexadecimal();
    if (code >= 0xD800 && code < 0xDC00) {  // high surrogate of a pair
      if (get() != '\\' || get() != 'u') refuse("\\u has half a character");
      const unsigned low = hexadecimal();
      if (low < 0xDC00 || low > 0xDFFF) refuse("\\u has half a character");
      code = 0x10000 + ((code & 0x3FFU) << 10U) + (low & 0x3FFU);
    } else if (code >= 0xDC00 && code < 0xE000) {
      refuse("\\u has half a character");
    }
    append_utf8(text, code);
  }
  return text;
}

void JsonStream::skip() {
  std::string open;  // open brackets around the next value
  do {
    const char c = peek();
    if (c == '{' || c == '[') {
      open += get();
      if (open.size() > deepest_nesting)
        refuse("nested deeper than " + std::to_string(deepest_nesting) + " levels");
      const char close = c == '{' ? '}' : ']';
      if (peek() != close) {
        if (c == '{') text(), expect(':', "a colon after the key");
        continue;
      }
    } else if (c == '"') {
      text();
    } else {
      const LineColumn at = place_;
      std::string word;
      take_word(word);
      if (word != "null" && word != "true" && word != "false" &&
          !(begins_like_json(word) && parse_number(word)))
        fail(name(), at, (word.empty() ? peek_text() : quote(word)) + " is not a value of JSON");
    }
    // After a value: its list continues, or closes and so is itself a complete value.
    while (!open.empty()) {
      const bool map = open.back() == '{';
      if (accept(map ? '}' : ']')) {
        open.pop_back();
      } else {
        expect(',', map ? "a comma or '}'" : "a comma or ']'");
        if (map) text(), expect(':', "a colon after the key");
        break;
      }
    }
  } while (!open.empty());
}

void JsonStream::end() {
  if (!ended()) refuse("here is " + peek_text() + " after the end of the JSON");
}

}  // namespace chasles::io
