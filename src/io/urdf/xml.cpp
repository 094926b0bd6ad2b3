#include "io/urdf/xml.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/suggest.hpp"

namespace chasles::io {
namespace {

constexpr int most_attributes = 256;

bool is_xacro(std::string_view tag) { return tag.starts_with("xacro:"); }

/// A walk through the markup of an XML text: comments and the like are passed over whole.
class Walk {
 public:
  Walk(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  void run() {
    while (skip_to('<')) {
      if (at("<!--"))
        skip_past("-->");
      else if (at("<![CDATA["))
        skip_past("]]>");
      else if (at("<?"))
        skip_past("?>");
      else if (at("<!"))
        skip_past(">");
      else
        tag();
    }
  }

 private:
  bool at(std::string_view token) const { return text_.substr(i_, token.size()) == token; }
  void advance() { line_ += text_[i_++] == '\n'; }
  bool skip_to(char c) {
    while (i_ < text_.size() && text_[i_] != c) advance();
    return i_ < text_.size();
  }
  void skip_past(std::string_view token) {
    while (i_ < text_.size() && !at(token)) advance();
    i_ = std::min(text_.size(), i_ + token.size());
  }
  void tag() {
    const bool closes = at("</");
    const int line = line_;
    int attributes = 0;
    char before = 0;
    for (; i_ < text_.size() && text_[i_] != '>'; advance()) {
      before = text_[i_];
      if (before == '=') ++attributes;
      if (before == '"' || before == '\'') {
        ++i_;
        skip_to(before);
        if (i_ == text_.size()) return;  // tinyxml2 says what is wrong
      }
    }
    if (attributes > most_attributes)
      fail(name_, {line, 0},
           "an element has more than " + std::to_string(most_attributes) + " attributes");
    if (before != '/') depth_ += closes ? -1 : 1;
    if (depth_ > deepest_nesting)
      fail(name_, {line, 0}, "nested deeper than " + std::to_string(deepest_nesting) + " elements");
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t i_ = 0;
  int line_ = 1, depth_ = 0;
};

/// "<tag>".
std::string element_text(std::string_view tag) { return std::string(1, '<').append(tag) + '>'; }

std::vector<std::string_view> split(std::string_view text) {
  constexpr const char* spaces = " \t\r\n";
  std::vector<std::string_view> words;
  for (auto begin = text.find_first_not_of(spaces); begin != text.npos;) {
    const auto end = text.find_first_of(spaces, begin);
    words.push_back(text.substr(begin, end - begin));
    begin = text.find_first_not_of(spaces, end);
  }
  return words;
}

}  // namespace

void check_xml(std::string_view text, const std::string& name) { Walk(text, name).run(); }

void Element::refuse(const std::string& message) const {
  fail(report_.name(), {line(), 0}, what_ + ": " + message);
}

std::vector<Element> Element::children() const {
  std::vector<Element> list;
  for (const auto* e = xml_.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    list.emplace_back(report_, *e, what_);
  return list;
}

std::optional<Element> Element::child(std::string_view tag) const {
  std::optional<Element> found;
  for (const auto* e = xml_.FirstChildElement(); e != nullptr; e = e->NextSiblingElement())
    if (e->Name() == tag) {
      if (found)
        Element(report_, *e, what_).refuse("has two " + element_text(tag) + " elements; give one");
      found.emplace(report_, *e, what_);
    }
  return found;
}

Element Element::require(std::string_view tag) const {
  std::optional<Element> found = child(tag);
  if (!found) refuse("has no " + element_text(tag) + " element");
  return *found;
}

void Element::warn_unknown_children(Names read, Names others) const {
  std::vector<std::string_view> known(read);
  known.insert(known.end(), others);
  for (const Element& e : children()) {
    if (is_xacro(e.tag()))
      e.refuse(element_text(e.tag()) +
               " is left over from xacro; expand the file first: "
               "xacro FILE.urdf.xacro > FILE.urdf");
    const bool extension = e.tag().find(':') != std::string_view::npos;
    if (!extension && report_.is_open() &&
        std::find(known.begin(), known.end(), e.tag()) == known.end())
      e.warn("the element " + element_text(e.tag()) + " is not known and not read" +
             did_you_mean(e.tag(), known));
  }
}

void Element::warn_misspelt_attributes(Names names) const {
  const std::vector<std::string_view> known(names);
  for (const auto* a = xml_.FirstAttribute(); a != nullptr; a = a->Next()) {
    const std::string_view attribute = a->Name();
    const std::string near = did_you_mean(attribute, known);
    if (!near.empty() && std::find(known.begin(), known.end(), attribute) == known.end())
      warn("the attribute '" + std::string(attribute) + "' of " + element_text(tag()) +
           " is not known and not read" + near);
  }
}

std::string Element::text(const char* attribute) const {
  const char* value = xml_.Attribute(attribute);
  const std::string which = std::string(attribute) + " of " + element_text(tag());
  if (value == nullptr) refuse("the attribute " + which + " is missing");
  if (*value == 0) refuse("the attribute " + which + " is empty");
  const std::string_view view = value;
  if (view.find("${") != view.npos || view.find("$(") != view.npos)
    refuse("the attribute " + which + " is " + quote(view) +
           ", left over from xacro; expand the file first: xacro FILE.urdf.xacro > FILE.urdf");
  return value;
}

double Element::to_number(std::string_view word, const char* attribute) const {
  const std::optional<double> value = parse_number(word);
  if (!value || !std::isfinite(*value))
    refuse(std::string(attribute) + " of " + element_text(tag()) + ": " + quote(word) +
           " is not a finite number");
  return *value;
}
double Element::number(const char* attribute) const {
  const std::string value = text(attribute);
  const auto words = split(value);
  return to_number(words.size() == 1 ? words[0] : std::string_view(value), attribute);
}
double Element::number(const char* attribute, double otherwise) const {
  return has(attribute) ? number(attribute) : otherwise;
}

Vec3 Element::vec3(const char* attribute, const Vec3& otherwise) const {
  if (!has(attribute)) return otherwise;
  const std::string value = text(attribute);
  const auto words = split(value);
  if (words.size() != 3)
    refuse(std::string(attribute) + " of " + element_text(tag()) + " is " + quote(value) +
           "; give 3 numbers");
  return {to_number(words[0], attribute), to_number(words[1], attribute),
          to_number(words[2], attribute)};
}

}  // namespace chasles::io
