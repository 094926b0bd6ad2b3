/// XML elements with typed attributes, their places, and warnings about what is not known.
#pragma once

#include <tinyxml2.h>

#include <initializer_list>
#include <vector>

#include "chasles/lie/se3.hpp"
#include "io/text.hpp"

namespace chasles::io {

/// Where messages about a file go. After a hundred warnings the file is plainly something else.
class Report {
 public:
  Report(const std::string& name, std::vector<std::string>* warnings)
      : name_(name), warnings_(warnings) {}
  const std::string& name() const { return name_; }
  bool is_open() const { return warnings_ != nullptr && count_ < 100; }
  void warn(int line, const std::string& message) {
    if (!is_open()) return;
    warnings_->push_back(message_text(place_text(name_, {line, 0}) + ": " + message));
    if (++count_ == 100) warnings_->push_back(name_ + ": further warnings are not shown");
  }

 private:
  const std::string& name_;
  std::vector<std::string>* warnings_;
  int count_ = 0;
};

/// Refuses what would make tinyxml2 slow or deep: nesting beyond `deepest_nesting`, and more than
/// 256 attributes on one element, since it compares each with all.
/// @throws Error with line
void check_xml(std::string_view text, const std::string& name);

/// An element, and the thing it belongs to for messages: "joint 'j1'".
class Element {
 public:
  using Names = std::initializer_list<std::string_view>;
  Element(Report& report, const tinyxml2::XMLElement& xml, std::string what)
      : report_(report), xml_(xml), what_(std::move(what)) {}

  std::string_view tag() const { return xml_.Name(); }
  int line() const { return xml_.GetLineNum(); }
  /// The same element as part of another thing.
  Element of(std::string what) const { return {report_, xml_, std::move(what)}; }
  std::string where() const { return place_text(report_.name(), {line(), 0}); }
  [[noreturn]] void refuse(const std::string& message) const;
  void warn(const std::string& message) const { report_.warn(line(), what_ + ": " + message); }

  /// All children in order, named after this element's owner.
  std::vector<Element> children() const;
  /// The child with this tag, if there is one; two are an error.
  std::optional<Element> child(std::string_view tag) const;
  Element require(std::string_view tag) const;
  /// Warns about children that are neither read nor known to be somebody else's.
  void warn_unknown_children(Names read, Names others) const;
  /// Warns about attributes that are near a known one. Others are extensions of vendors.
  void warn_misspelt_attributes(Names known) const;

  bool has(const char* attribute) const { return xml_.Attribute(attribute) != nullptr; }
  std::string text(const char* attribute) const;
  double number(const char* attribute) const;
  double number(const char* attribute, double otherwise) const;
  Vec3 vec3(const char* attribute, const Vec3& otherwise) const;

 private:
  double to_number(std::string_view word, const char* attribute) const;
  Report& report_;
  const tinyxml2::XMLElement& xml_;
  std::string what_;
};

}  // namespace chasles::io
