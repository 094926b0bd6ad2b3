/// JSON writer for recorded runs and reports: pieces of text, joined by the caller.
///
///     text += "{\"name\": " + json_text(name) + ", \"q\": " + json_numbers(q, ", ") + "}";
#pragma once

#include <string>
#include <string_view>

namespace chasles::io {

/// A text, in quotes.
std::string json_text(std::string_view text);

/// A number that reads back as the same double; inf and nan, which JSON lacks, become null.
void append_json(std::string& out, double x);
inline std::string json_number(double x) {
  std::string text;
  append_json(text, x);
  return text;
}

/// "[a,b,c]" with elements written by `each`.
template <class Range, class Each>
std::string json_list(const Range& range, const Each& each, std::string_view comma = ",") {
  std::string text = "[";
  for (const auto& x : range) text.append(text.size() > 1 ? comma : "").append(each(x));
  return text + "]";
}
template <class Range>
std::string json_numbers(const Range& range, std::string_view comma = ",") {
  std::string text = "[";
  for (const double x : range) {
    if (text.size() > 1) text += comma;
    append_json(text, x);
  }
  return text + "]";
}
template <class Range>
std::string json_texts(const Range& range, std::string_view comma = ",") {
  return json_list(
      range, [](std::string_view x) { return json_text(x); }, comma);
}

}  // namespace chasles::io
