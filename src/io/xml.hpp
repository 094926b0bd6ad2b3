/// XML elements with typed attributes, their places, and warnings about what is not known.
#pragma once

#include <tinyxml2.h>

#include <initializer_list>
#include <vector>

#include "chasles/lie/se3.hpp"
#include "io/text.hpp"

namespace chasles::io {

/// Where messages about a file go.
struct Report {
  const std::string& name;
  std::vector<std::string>* warnings;
  void warn(int line, const std::string& message) const {
    if (warnings != nullptr) warnings->push_back(place_text(name, {line, 0}) + ": " + message);
  }
};

/// Refuses what would make tinyxml2 slow or deep: nesting beyond `deepest_nesting`, and more than
/// 256 attributes on one element, since it compares each with all.
/// @throws Error with line
void check_xml(std::string_view text, const std::string& name);

/// An element, and the thing it belongs to for messages: "joint 'j1'".
class Element {
 public:
  using Names = std::initializer_list<std::string_view>;
  Element(const Report& report, const tinyxml2::XMLElement& xml, std::string what)
      : report_(report), xml_(xml), what_(std::move(what)) {}

  std::string_view tag() const { return xml_.Name(); }
  int line() const { return xml_.GetLineNum(); }
  /// The same element as part of another thing.
  Element of(std::string what) const { return {report_, xml_, std::move(what)}; }
  std::string where() const { return place_text(report_.name, {line(), 0}); }
  [[noreturn]] void refuse(const std::string& message) const;
  void warn(const std::string& message) const { report_.warn(line(), what_ + ": " + message); }

  /// All children in order, named after this element's owner.
  std::vector<Element> children() const;
  /// The child with this tag, if there is one; two are an error.
  std::optional<Element> child(std::string_view tag) const;
  Element require(std::string_view tag) const;
  /// Warns about children that are neither read nor known to be somebody else's.
  void warn_unknown_children(Names read, Names others) const;
  void warn_unknown_attributes(Names known) const;

  bool has(const char* attribute) const { return xml_.Attribute(attribute) != nullptr; }
  std::string text(const char* attribute) const;
  double number(const char* attribute) const;
  double number(const char* attribute, double otherwise) const;
  Vec3 vec3(const char* attribute, const Vec3& otherwise) const;

 private:
  double to_number(std::string_view word, const char* attribute) const;
  const Report& report_;
  const tinyxml2::XMLElement& xml_;
  std::string what_;
};

}  // namespace chasles::io
