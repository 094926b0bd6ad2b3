/// Streaming JSON reader with source locations: for files too large for memory, or truncated ones. The caller
/// requests the type of each value; nothing is stored, so nesting costs no stack and no memory.
///
///     json.object([&](const std::string& key) {
///       if (key == "samples") json.array([&] { json.skip(); });
///     });
#pragma once

#include <istream>
#include <unordered_set>

#include "io/text.hpp"

namespace chasles::io {

class JsonStream {
 public:
  /// @param name  of the text in messages
  JsonStream(std::istream& in, const std::string& name) : in_(in, name) {}

  /// Calls entry(key) for each entry, which reads the value.
  template <class Entry>
  void object(const Entry& entry) {
    std::unordered_set<std::string> keys;
    list('{', '}', "an object", [&] {
      const LineColumn at = next_place();
      const std::string key = text();
      if (!keys.insert(key).second) fail(name(), at, "the key " + quote(key) + " is given twice");
      expect(':', "a colon after the key " + quote(key));
      entry(key);
    });
  }
  /// Calls element() for each element, which reads it.
  template <class Element>
  void array(const Element& element) {
    list('[', ']', "a list", element);
  }
  /// A finite number.
  double number();
  /// A string, unescaped.
  std::string text();
  /// Skips any value.
  void skip();
  /// Requires that only whitespace is left.
  void end();

  /// The first character of the next value; 0 at the end of the text, and for a zero byte in it.
  char peek();
  /// The type of the next value in words: "a list", "null".
  std::string peek_text();
  LineColumn next_place();
  /// Whether the text has ended: the missing part may never have been written.
  bool ended();
  [[noreturn]] void refuse(const std::string& message);
  const std::string& name() const { return in_.name(); }
  /// Number of bytes read.
  std::uint64_t count() const { return in_.count(); }

 private:
  template <class Element>
  void list(char open, char close, const char* what, const Element& element) {
    expect(open, what);
    if (accept(close)) return;
    do element();
    while (accept(','));
    expect(close, std::string("a comma or '") + close + "'");
  }
  char get();
  bool accept(char c);
  void expect(char c, const std::string& what);
  void take_word(std::string& word);

  ByteSource in_;
  LineColumn place_{1, 1};
};

}  // namespace chasles::io
