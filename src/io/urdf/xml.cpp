#include "io/urdf/xml.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/screws/physical.hpp"
#include "chasles/suggest.hpp"

namespace chasles::io {
namespace {

constexpr int most_attributes = 256;

/// Walks through the markup of an XML text; comments and similar sections are skipped.
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

/// An element with all that is in it, in one notation.
std::string as_text(const tinyxml2::XMLElement& element) {
  tinyxml2::XMLPrinter printer(nullptr, true);
  element.Accept(&printer);
  return printer.CStr();
}

/// The message without its numbers, to group messages.
std::string kind_of(std::string_view message) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  std::string kind;
  for (std::size_t i = 0; i < message.size(); ++i) {
    const bool in_number = !kind.empty() && kind.back() == '#';
    if (in_number && std::string_view(".eE+-0123456789").find(message[i]) != std::string_view::npos)
      continue;
    const bool sign = message[i] == '-' && i + 1 < message.size() && is_digit(message[i + 1]);
    if (!sign) kind += is_digit(message[i]) ? '#' : message[i];
  }
  return kind;
}

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

const char* in_our_words(tinyxml2::XMLError error) {
  using namespace tinyxml2;
  switch (error) {
    case XML_ERROR_PARSING_ELEMENT:
      return "'<' begins no element, or the element is not closed by '>'";
    case XML_ERROR_PARSING_ATTRIBUTE:
      return "an attribute is not written NAME=\"VALUE\", or is given twice";
    case XML_ERROR_MISMATCHED_ELEMENT:
      return "the element that begins here is closed by another name, or never";
    case XML_ERROR_PARSING_COMMENT:
      return "a comment is not closed by -->";
    case XML_ERROR_PARSING_CDATA:
      return "<![CDATA[ is not closed by ]]>";
    case XML_ERROR_PARSING_DECLARATION:
      return "<? .. ?> is not closed, or stands after the first element";
    case XML_ERROR_PARSING_UNKNOWN:
      return "<! .. is not closed by '>'";
    case XML_ERROR_PARSING_TEXT:
      return "a text between elements does not end";
    case XML_ERROR_EMPTY_DOCUMENT:
      return "there is no element";
    default:
      return "it cannot be read here; check that every element and every quote is closed";
  }
}

}  // namespace

Report::~Report() {
  try {
    give_out();
  } catch (...) {  // no memory for warnings
  }
}

void Report::warn(const std::string& where, const std::string& what, const std::string& message) {
  constexpr std::size_t most_kinds = 100, shown = 3;
  if (warnings_ == nullptr) return;
  const auto [found, is_new] = index_.try_emplace(kind_of(message), kinds_.size());
  if (is_new) {
    if (kinds_.size() == most_kinds) index_.erase(found);
    if (kinds_.size() >= most_kinds) {
      too_many_ = true;
      return;
    }
    kinds_.push_back({message, where});
  }
  Kind& kind = kinds_[found->second];
  if (kind.count > 0 && kind.last == what) return;  // twice in one thing
  kind.last = what;
  if (++kind.count <= shown) kind.things.push_back(what);
}

void Report::set_aside(std::string_view tag) {
  for (auto& [name, count] : aside_)
    if (name == tag) {
      ++count;
      return;
    }
  aside_.emplace_back(tag, 1);
}

void Report::give_out() const {
  if (warnings_ == nullptr) return;
  for (const Kind& kind : kinds_) {
    std::string things;
    for (const std::string& thing : kind.things) things += (things.empty() ? "" : ", ") + thing;
    if (kind.count > kind.things.size())
      things += " and " + std::to_string(kind.count - kind.things.size()) + " more";
    warnings_->push_back(message_text(kind.where + ": " + things + ": " + kind.message));
  }
  if (too_many_) warnings_->push_back(message_text(name_ + ": further warnings are not shown"));
  if (aside_.empty()) return;
  std::string tags;
  for (const auto& [tag, count] : aside_)
    tags += (tags.empty() ? "" : ", ") + element_text(tag) +
            (count > 1 ? " (" + std::to_string(count) + ")" : "");
  warnings_->push_back(message_text(name_ + ": not read, as not part of the mechanism: " + tags));
}

XmlText::XmlText(std::string_view text, const std::string& name, std::string_view wanted)
    : name_(name) {
  check_text(text, name);
  check_xml(text, name);
  const std::string give = "; give a " + element_text(wanted);
  if (document_.Parse(text.data(), text.size()) != tinyxml2::XML_SUCCESS)
    fail(name, {std::max(1, document_.ErrorLineNum()), 0},
         std::string("not XML: ") + in_our_words(document_.ErrorID()) +
             (document_.ErrorID() == tinyxml2::XML_ERROR_EMPTY_DOCUMENT ? give : ""));
  if (document_.RootElement() == nullptr) fail(name, {1, 0}, "has no element" + give);
}

const tinyxml2::XMLElement& XmlText::root(std::string_view wanted, std::string_view format) const {
  const tinyxml2::XMLElement& top = root();
  if (top.Name() != wanted)
    fail(name_, {top.GetLineNum(), 0},
         "the outermost element is " + element_text(top.Name()) + ", not " + element_text(wanted) +
             "; give a " + std::string(format));
  return top;
}

void accept_inertia(BodyInertia& inertia, const Element& element) {
  const std::string defect =
      lie::physical_defect(lie::compose_inertia(inertia.mass, inertia.com, inertia.tensor));
  if (defect.empty()) return;
  inertia.physical = false;
  element.warn("no body can have this inertia, it is used all the same: " + defect);
}

void check_xml(std::string_view text, const std::string& name) { Walk(text, name).run(); }

void Element::refuse(const std::string& message) const {
  fail(file(), {line(), 0}, what_ + ": " + message);
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
      if (!found) {
        found.emplace(report_, *e, what_);
      } else {
        const Element second(report_, *e, what_);
        if (as_text(*e) != as_text(found->xml_))
          second.refuse("has two " + element_text(tag) + " elements; give one");
        second.warn("has the same " + element_text(tag) + " twice; it counts once");
      }
    }
  return found;
}

Element Element::require(std::string_view tag) const {
  std::optional<Element> found = child(tag);
  if (!found) refuse("has no " + element_text(tag) + " element");
  return *found;
}

void Element::refuse_xacro() const {
  if (tag().starts_with("xacro:"))
    refuse(element_text(tag()) +
           " is left over from xacro; expand the file first: "
           "xacro FILE.urdf.xacro > FILE.urdf");
}

std::vector<Element::Attribute> Element::attributes() const {
  std::vector<Attribute> list;
  for (const auto* a = xml_.FirstAttribute(); a != nullptr; a = a->Next())
    list.push_back({a->Name(), a->Value()});
  return list;
}

std::string Element::raw(const char* attribute) const {
  const char* value = xml_.Attribute(attribute);
  return value == nullptr ? "" : value;
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

double Element::to_number(std::string_view word, const std::string& which) const {
  const std::optional<double> value = parse_number(word);
  if (!value || !std::isfinite(*value))
    refuse(which + ": " + quote(word) + " is not a finite number");
  return *value;
}
std::vector<double> Element::to_numbers(std::string_view text, std::size_t least, std::size_t most,
                                        const std::string& which) const {
  const auto words = split(text);
  if (words.size() < least || words.size() > most)
    refuse(which + " is " + quote(text) + "; give " + std::to_string(least) +
           (most > least ? " to " + std::to_string(most) : "") +
           (most == 1 ? " number" : " numbers"));
  std::vector<double> list;
  list.reserve(words.size());
  for (const std::string_view word : words) list.push_back(to_number(word, which));
  return list;
}
std::string Element::attribute_text(const char* attribute) const {
  return std::string(attribute) + " of " + element_text(tag());
}

double Element::number(const char* attribute) const {
  const std::string value = text(attribute);
  const auto words = split(value);
  return to_number(words.size() == 1 ? words[0] : std::string_view(value),
                   attribute_text(attribute));
}
double Element::number(const char* attribute, double otherwise) const {
  return has(attribute) ? number(attribute) : otherwise;
}
Vec3 Element::vec3(const char* attribute, const Vec3& otherwise) const {
  if (!has(attribute)) return otherwise;
  const auto x = numbers(attribute, 3, 3);
  return {x[0], x[1], x[2]};
}
std::vector<double> Element::numbers(const char* attribute, std::size_t least,
                                     std::size_t most) const {
  return to_numbers(text(attribute), least, most, attribute_text(attribute));
}

std::string Element::content() const {
  const char* text = xml_.GetText();
  const auto words = split(text == nullptr ? "" : text);
  if (words.empty()) refuse(element_text(tag()) + " is empty");
  const char* end = words.back().data() + words.back().size();
  return {words.front().data(), end};
}
std::vector<double> Element::content_numbers(std::size_t least, std::size_t most) const {
  return to_numbers(content(), least, most, element_text(tag()));
}

}  // namespace chasles::io
