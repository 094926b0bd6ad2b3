#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>

#include "chasles/io/plot.hpp"
#include "chasles/suggest.hpp"
#include "io/runs/run_text.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

/// "q:elbow [rad]" as its name and its unit.
RunColumns::Column column_of(const std::string& header) {
  const auto at = header.rfind(" [");
  if (at == header.npos || !header.ends_with(']')) return {header, ""};
  return {header.substr(0, at), header.substr(at + 2, header.size() - at - 3)};
}

/// * stands for any text, ? for one character. Goes back to the last star only: linear in practice,
/// never worse than the product of both lengths.
bool matches(std::string_view pattern, std::string_view text) {
  std::size_t p = 0, t = 0, star = pattern.npos, after = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++, after = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (star != pattern.npos) {
      p = star + 1, t = ++after;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

/// Whether a column belongs to a quantity: it is the column, or what follows is an argument, an index
/// or a part.
bool belongs(const RunColumns::Column& column, const std::string& header,
             std::string_view quantity) {
  if (header == quantity || column.name == quantity) return true;
  if (quantity.find_first_of("*?") != quantity.npos) return matches(quantity, column.name);
  return column.name.starts_with(quantity) &&
         std::string_view(":[.").find(column.name[quantity.size()]) != std::string_view::npos;
}

/// The words before ':', '[' and '.', each once, for messages.
std::vector<std::string> beginnings(const std::vector<RunColumns::Column>& all) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const std::string word = all[i].name.substr(0, all[i].name.find_first_of(":[."));
    if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
  }
  return words;
}

[[noreturn]] void unknown(const std::string& name, const std::string& quantity,
                          const std::vector<RunColumns::Column>& all) {
  const std::vector<std::string> words = beginnings(all);
  std::vector<std::string_view> few(words.begin(), words.end()), known = few;
  for (std::size_t i = 1; i < all.size(); ++i) known.push_back(all[i].name);
  const std::string near = did_you_mean(quantity, known);
  if (few.size() > 20) few.resize(20);
  throw Error(name + ": has no quantity " + quote(quantity) +
              (!near.empty() ? near
               : few.empty() ? ""
                             : "; it has " + any_of(few)));
}

/// The columns of the quantities in the order of the quantities, each once.
std::vector<std::size_t> choose(const std::vector<std::string>& headers,
                                const std::vector<RunColumns::Column>& all, const std::string& name,
                                std::span<const std::string> quantities) {
  std::vector<std::size_t> chosen;
  std::vector<bool> taken(all.size());
  for (const std::string& quantity : quantities) {
    bool found = false;
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (!belongs(all[i], headers[i], quantity)) continue;
      found = true;
      if (!taken[i]) chosen.push_back(i);
      taken[i] = true;
    }
    if (!found) unknown(name, quantity, all);
  }
  return chosen;
}

double to_cell(const std::string& text, const std::string& name, int line,
               const std::string& column) {
  const auto first = text.find_first_not_of(" \t");
  if (first == text.npos) return std::numeric_limits<double>::quiet_NaN();
  const auto value =
      parse_number(std::string_view(text).substr(first, text.find_last_not_of(" \t") - first + 1));
  if (!value)
    fail(name, {line, 0}, "column " + quote(column) + ": " + quote(text) + " is not a number");
  return *value;
}

}  // namespace
}  // namespace io

RunColumns read_columns(std::istream& in, const std::string& name,
                        std::span<const std::string> quantities) {
  using namespace io;
  std::string line;
  int number = 0;
  const auto next = [&] {  // a line that does not end was being written when the program was killed
    if (!std::getline(in, line) || in.eof()) return false;
    if (line.ends_with('\r')) line.pop_back();
    ++number;
    return true;
  };
  if (!next()) throw Error(name + ": has no header; is it a run that was recorded as CSV?");
  check_text(line.empty() ? " x" : line, name);
  const std::vector<std::string> headers = split_csv(line);
  std::vector<RunColumns::Column> all;
  all.reserve(headers.size());
  for (const std::string& header : headers) all.push_back(column_of(header));
  const std::vector<std::size_t> chosen = choose(headers, all, name, quantities);
  RunColumns run{all[0], {}};
  for (const std::size_t i : chosen) run.columns.push_back(all[i]);
  while (next()) {
    if (line.empty()) continue;
    const std::vector<std::string> cells = split_csv(line);
    if (cells.size() != headers.size())
      fail(name, {number, 0},
           "has " + std::to_string(cells.size()) + " cells; the header has " +
               std::to_string(headers.size()));
    const double t = to_cell(cells[0], name, number, headers[0]);
    if (!std::isfinite(t))
      fail(name, {number, 0},
           "column " + quote(headers[0]) + ": " + quote(cells[0]) + " is not a finite number");
    run.time.values.push_back(t);
    for (std::size_t k = 0; k < chosen.size(); ++k)
      run.columns[k].values.push_back(to_cell(cells[chosen[k]], name, number, headers[chosen[k]]));
  }
  if (run.time.values.empty()) throw Error(name + ": has no samples");
  return run;
}

RunColumns read_columns(const std::filesystem::path& path,
                        std::span<const std::string> quantities) {
  const std::string name = io::input_name(path);
  if (io::is_standard_stream(path)) return read_columns(std::cin, name, quantities);
  std::error_code error;
  if (!std::filesystem::exists(path, error)) throw Error(name + ": there is no such file");
  if (std::filesystem::is_directory(path, error))
    throw Error(name + ": is a directory; give a run");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": cannot be opened for reading");
  return read_columns(file, name, quantities);
}

}  // namespace chasles
