/// XML for the readers of URDF, MJCF and SDF: elements with typed attributes and texts, source locations, and
/// warnings about unknown content.
#pragma once

#include <tinyxml2.h>

#include <unordered_map>
#include <vector>

#include "chasles/mechanism/mechanism.hpp"
#include "io/text.hpp"

namespace chasles::io {

/// Means "no limit" where URDF requires a number: larger values count as none.
inline constexpr double no_limit = 1e30;

/// Collects the warnings about a file. Warnings that differ only in numbers and in their object are merged to
/// one line, with the first names and a count; `aside` elements (formats/format.hpp) are one line. They are
/// issued when the report ends, in order of occurrence. Limited to a hundred kinds.
class Report {
 public:
  Report(const std::string& name, std::vector<std::string>* warnings)
      : name_(name), warnings_(warnings) {}
  Report(const Report&) = delete;
  Report& operator=(const Report&) = delete;
  ~Report();
  const std::string& name() const { return name_; }
  /// @param where  "file:12"
  /// @param what   the object of the warning: "joint 'j1'"
  void warn(const std::string& where, const std::string& what, const std::string& message);
  void set_aside(std::string_view tag);

 private:
  struct Kind {
    std::string message, where;
    std::vector<std::string> things{};  // the first ones
    std::size_t count = 0;              // of things
    std::string last{};
  };
  void give_out() const;
  const std::string& name_;
  std::vector<std::string>* warnings_;
  std::vector<Kind> kinds_;
  std::unordered_map<std::string, std::size_t> index_;  // by message without numbers
  std::vector<std::pair<std::string, std::size_t>> aside_;
  bool too_many_ = false;
};

/// Rejects text that would make tinyxml2 slow or recurse deeply: nesting beyond `deepest_nesting`, and more
/// than 256 attributes on one element, as it compares each with all others.
/// @throws Error with line
void check_xml(std::string_view text, const std::string& name);

/// A text that has been parsed.
/// @throws Error with line, if it is not XML or has no element
class XmlText {
 public:
  /// @param wanted  the outermost element, for messages
  XmlText(std::string_view text, const std::string& name, std::string_view wanted);
  const tinyxml2::XMLElement& root() const { return *document_.RootElement(); }
  tinyxml2::XMLElement& root() { return *document_.RootElement(); }
  /// The same, if it is called `wanted`.
  /// @param format  for the message if not: "URDF"
  const tinyxml2::XMLElement& root(std::string_view wanted, std::string_view format) const;

 private:
  const std::string& name_;
  tinyxml2::XMLDocument document_;
};

/// Where an element was written, if not at its own line of the file that the report is about: in a file that is
/// included. The user data of its XML node.
struct Origin {
  const std::string* file;
  int line;
};

/// An element, and the object it belongs to for messages: "joint 'j1'".
class Element {
 public:
  Element(Report& report, const tinyxml2::XMLElement& xml, std::string what)
      : report_(report), xml_(xml), what_(std::move(what)) {}

  std::string_view tag() const { return xml_.Name(); }
  int line() const { return origin() != nullptr ? origin()->line : xml_.GetLineNum(); }
  const std::string& file() const { return origin() != nullptr ? *origin()->file : report_.name(); }
  /// Null: this line of this file.
  const Origin* origin() const { return static_cast<const Origin*>(xml_.GetUserData()); }
  /// The same element as part of another object.
  Element of(std::string what) const { return {report_, xml_, std::move(what)}; }
  std::string where() const { return location_text(file(), {line(), 0}); }
  [[noreturn]] void refuse(const std::string& message) const;
  void warn(const std::string& message) const { report_.warn(where(), what_, message); }
  /// One line names all elements that are not part of the mechanism.
  void set_aside() const { report_.set_aside(tag()); }
  /// @throws Error if it is an unexpanded xacro element
  void refuse_xacro() const;

  const tinyxml2::XMLElement& xml() const { return xml_; }
  /// All children in order, named after this element's owner.
  std::vector<Element> children() const;
  /// The child with this tag, if present; a second, identical one is a warning, a different one an error.
  std::optional<Element> child(std::string_view tag) const;
  Element require(std::string_view tag) const;
  struct Attribute {
    std::string_view name, value;
  };
  std::vector<Attribute> attributes() const;

  bool has(const char* attribute) const { return xml_.Attribute(attribute) != nullptr; }
  std::string text(const char* attribute) const;
  /// As written, unchecked; empty if missing.
  std::string raw(const char* attribute) const;
  double number(const char* attribute) const;
  double number(const char* attribute, double otherwise) const;
  Vec3 vec3(const char* attribute, const Vec3& otherwise) const;
  /// Finite numbers between spaces, `least` to `most` of them.
  std::vector<double> numbers(const char* attribute, std::size_t least, std::size_t most) const;

  /// The trimmed text between its tags; an error if empty.
  std::string content() const;
  /// As written, empty if there is none.
  std::string_view raw_content() const { return xml_.GetText() == nullptr ? "" : xml_.GetText(); }
  bool has_content() const { return xml_.GetText() != nullptr; }
  std::vector<double> content_numbers(std::size_t least, std::size_t most) const;
  double content_number() const { return content_numbers(1, 1)[0]; }

 private:
  std::string attribute_text(const char* attribute) const;
  double to_number(std::string_view word, const std::string& which) const;
  std::vector<double> to_numbers(std::string_view text, std::size_t least, std::size_t most,
                                 const std::string& which) const;
  Report& report_;
  const tinyxml2::XMLElement& xml_;
  std::string what_;
};

/// The name of a body in Chasles: `ground` is the world, so a body of that name is renamed.
/// @param taken  whether another body has a name
template <class Taken>
std::string beside_ground(std::string name, const Taken& taken) {
  if (name == ground) do {
      name += '_';
    } while (taken(name));
  return name;
}

/// Physically impossible inertias, which occur in files, are used with a warning.
void accept_inertia(BodyInertia& inertia, const Element& element);

}  // namespace chasles::io
