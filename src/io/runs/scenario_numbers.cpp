#include "chasles/io/scenario_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chasles/suggest.hpp"
#include "io/text.hpp"
#include "io/yaml/yaml_document.hpp"

namespace chasles {
namespace io {
namespace {

/// The byte at which a line and a column begin.
std::size_t offset_of(std::string_view text, LineColumn location) {
  std::size_t at = 0;
  for (int line = 1; line < location.line && at != text.npos; ++line)
    if (at = text.find('\n', at); at != text.npos) ++at;
  return at == text.npos
             ? text.size()
             : std::min(text.size(),
                        at + static_cast<std::size_t>(std::max(location.column - 1, 0)));
}

class NumberList {
 public:
  explicit NumberList(std::string_view text) : text_(text) {}

  void visit(const Value& value, const std::string& path) {
    if (value.kind == Value::Kind::scalar) return add(value, path);
    for (std::size_t i = 0; i < value.items.size(); ++i) {
      const bool map = value.kind == Value::Kind::map;
      const std::string name = map ? value.keys[i].text : std::to_string(i);
      if (name.empty() || name.find_first_of(".=") != name.npos) continue;
      if (path.empty() && name == "chasles") continue;
      visit(value.items[i], path.empty() ? name : path + "." + name);
    }
  }
  std::vector<ScenarioNumber> list{};

 private:
  void add(const Value& value, const std::string& path) {
    if (value.quoted || path.empty()) return;
    const std::optional<double> number = parse_number(value.text);
    if (!number || !std::isfinite(*number)) return;
    // Only where the text is as it was read: it can be replaced there.
    if (!text_.substr(offset_of(text_, value.location)).starts_with(value.text)) return;
    list.push_back({path, *number, value.location.line, value.location.column, value.text});
  }
  std::string_view text_;
};

}  // namespace
}  // namespace io

std::vector<ScenarioNumber> scenario_numbers(std::string_view text, const std::string& name) {
  io::NumberList numbers(text);
  numbers.visit(io::parse_yaml(text, name), "");
  return std::move(numbers.list);
}

std::string with_number(std::string_view text, const std::string& name, std::string_view path,
                        double value) {
  if (!std::isfinite(value))
    throw Error(fmt::format("{}: '{}': {} is not a finite number", name, path, value));
  const std::vector<ScenarioNumber> numbers = scenario_numbers(text, name);
  const auto found = std::ranges::find(numbers, path, &ScenarioNumber::path);
  if (found == numbers.end()) {
    std::vector<std::string_view> known;
    for (const ScenarioNumber& number : numbers) known.push_back(number.path);
    throw Error(fmt::format("{}: has no number '{}'{}", name, path, did_you_mean(path, known)));
  }
  std::string out(text);
  return out.replace(io::offset_of(text, {found->line, found->column}), found->text.size(),
                     fmt::format("{}", value));
}

}  // namespace chasles
