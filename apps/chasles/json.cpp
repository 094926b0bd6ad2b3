#include "json.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "utf8.hpp"

namespace {

/// A text in quotes.
std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = chasles::utf8_length(text, i);
    const auto byte = static_cast<unsigned char>(text[i]);
    constexpr const char* digits = "0123456789abcdef";
    if (length == 0)
      out += "\xEF\xBF\xBD";
    else if (byte < 0x20)
      (out += "\\u00").append({digits[byte >> 4U], digits[byte & 15U]});
    else
      (out += byte == '"' || byte == '\\' ? "\\" : "").append(text.substr(i, length));
    i += std::max<std::size_t>(length, 1);
  }
  return out + "\"";
}

}  // namespace

Json::Json(double x) {
  if (!std::isfinite(x)) return;
  char digits[32];
  text_.assign(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
  if (text_.find_first_of(".e") == text_.npos) text_ += ".0";
}

Json::Json(std::string_view text) : text_(quoted(text)) {}

Json::Json(std::initializer_list<Json> elements) {
  const bool object =
      std::ranges::all_of(elements, [](const Json& element) { return element.is_pair(); });
  if (!object) {
    *this = array(elements);
    return;
  }
  kind_ = Kind::object;
  for (const Json& element : elements) {
    keys_.push_back(element.elements_[0].text_);
    elements_.push_back(element.elements_[1]);
  }
}

Json Json::array(std::initializer_list<Json> elements) {
  Json out;
  out.kind_ = Kind::array;
  out.text_.clear();
  out.elements_ = elements;
  return out;
}

Json Json::object() {
  Json out;
  out.kind_ = Kind::object;
  return out;
}

bool Json::is_pair() const {
  return kind_ == Kind::array && text_.empty() && elements_.size() == 2 &&
         elements_[0].kind_ == Kind::scalar && elements_[0].text_.starts_with('"');
}

void Json::push_back(Json element) {
  if (is_null()) *this = array();
  if (element.kind_ == Kind::scalar && elements_.empty())
    (text_ += text_.empty() ? "" : ", ").append(element.text_);
  else
    elements_.push_back(std::move(element));
}

Json& Json::operator[](std::string_view key) {
  if (is_null()) *this = object();
  const std::string name = quoted(key);
  const auto found = std::ranges::find(keys_, name) - keys_.begin();
  if (static_cast<std::size_t>(found) == keys_.size()) {
    keys_.push_back(name);
    elements_.emplace_back();
  }
  return elements_[static_cast<std::size_t>(found)];
}

std::string Json::dump(int indent) const {
  std::string out;
  append(out, indent, 0);
  return out;
}

void Json::append(std::string& out, int indent, int depth) const {
  if (kind_ == Kind::scalar) {
    out += text_;
    return;
  }
  const bool list = kind_ == Kind::array;
  const bool line = elements_.empty() || (list && std::ranges::all_of(elements_, [](const Json& x) {
                                            return x.kind_ == Kind::scalar;
                                          }));
  const auto new_line = [&](int level) {
    if (!line) out.append("\n").append(static_cast<std::size_t>(indent * level), ' ');
  };
  out += list ? '[' : '{';
  const char* comma = line ? ", " : ",";
  bool first = true;
  if (list && !text_.empty()) {
    new_line(depth + 1);
    out += text_;
    first = false;
  }
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (!first) out += comma;
    first = false;
    new_line(depth + 1);
    if (!list) out.append(keys_[i]).append(": ");
    elements_[i].append(out, indent, depth + 1);
  }
  new_line(depth);
  out += list ? ']' : '}';
}
