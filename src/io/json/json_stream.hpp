/// JSON as it comes, with places: for files that are too large to keep, or that may end early. What
/// reads a value decides what it must be; nothing is kept, so depth costs no stack and no memory.
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
  /// A text; what its escapes stand for.
  std::string text();
  /// Any value, unread.
  void skip();
  /// Nothing but spaces is left.
  void end();

  /// The first character of what comes next; 0 at the end of the text, and for a byte 0 in it.
  char peek();
  /// What comes next, in words: "a list", "null".
  std::string peek_text();
  LineColumn next_place();
  /// Whether the text has ended: what is missing was perhaps never written.
  bool ended();
  [[noreturn]] void refuse(const std::string& message);
  const std::string& name() const { return in_.name(); }
  /// How many bytes were read.
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
