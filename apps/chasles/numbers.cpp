#include "numbers.hpp"

#include <charconv>
#include <chasles/error.hpp>
#include <cmath>
#include <optional>
#include <string_view>

namespace {

/// All of a word, without spaces around it.
std::optional<double> finite_number(std::string_view word) {
  const auto first = word.find_first_not_of(' ');
  if (first == word.npos) return std::nullopt;
  word = word.substr(first, word.find_last_not_of(' ') - first + 1);
  if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
  double value = 0;
  const char* end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc{} || stop != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace

std::vector<double> parse_numbers(const std::string& option, const std::string& text,
                                  std::size_t count, const std::string& example) {
  std::vector<double> numbers;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const auto number = finite_number(std::string_view(text).substr(begin, end - begin));
    if (!number) {
      numbers.clear();
      break;
    }
    numbers.push_back(*number);
    begin = end + 1;
  }
  if (numbers.empty() || (count > 0 && numbers.size() != count))
    throw chasles::Error(option + " '" + text + "': give " + example);
  return numbers;
}
