#include <algorithm>

#include "chasles/io/plot.hpp"
#include "chasles/suggest.hpp"
#include "io/runs/run_reader.hpp"

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

/// Keeps the columns of the quantities.
class ColumnKeeper : public RunVisitor {
 public:
  ColumnKeeper(const std::string& name, std::span<const std::string> quantities)
      : name_(name), quantities_(quantities) {}

  std::vector<Cell> begin(std::span<const RunColumn> columns, LineColumn) override {
    std::vector<std::string> headers;
    std::vector<RunColumns::Column> all;
    for (const RunColumn& column : columns) {
      headers.push_back(column.label);
      all.push_back(column_of(column.label));
    }
    chosen_ = choose(headers, all, name_, quantities_);
    run_.time = all[0];
    std::vector<Cell> cells(all.size(), Cell::skip);
    for (const std::size_t i : chosen_) {
      run_.columns.push_back(all[i]);
      cells[i] = Cell::any;
    }
    return cells;
  }
  bool sample(std::span<const double> numbers, LineColumn) override {
    run_.time.values.push_back(numbers[0]);
    for (std::size_t k = 0; k < chosen_.size(); ++k)
      run_.columns[k].values.push_back(numbers[chosen_[k]]);
    return true;
  }
  RunColumns run() && {
    if (run_.time.values.empty()) throw Error(name_ + ": has no samples");
    return std::move(run_);
  }

 private:
  const std::string& name_;
  std::span<const std::string> quantities_;
  std::vector<std::size_t> chosen_;
  RunColumns run_;
};

}  // namespace
}  // namespace io

RunColumns read_columns(std::istream& in, const std::string& name,
                        std::span<const std::string> quantities) {
  io::ColumnKeeper keeper(name, quantities);
  io::read_run(in, name, RunFormat::csv, keeper);
  return std::move(keeper).run();
}

RunColumns read_columns(const std::filesystem::path& path,
                        std::span<const std::string> quantities) {
  const std::string name = io::input_name(path);
  io::ColumnKeeper keeper(name, quantities);
  io::read_run(path, keeper);
  return std::move(keeper).run();
}

}  // namespace chasles
