#include "io/runs/run_reader.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <limits>

#include "io/json/json_stream.hpp"
#include "io/runs/run_text.hpp"

namespace chasles::io {
namespace {

using Cell = RunVisitor::Cell;
constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t most_numbers = largest_line / sizeof(double);  // of one sample

/// Whether a quantity has entries of joints, which share a plot: "tau" of "tau:elbow".
bool is_of_joints(std::string_view base) {
  return std::ranges::any_of(quantity_list(), [&](const QuantityInfo& row) {
    return row.name == base && row.argument == Argument::optional_joint;
  });
}
/// "pose:hand" of "pose:hand[0][3] [m]", "q" of "q:elbow [rad]".
std::string group_of(const std::string& label) {
  std::string name = label.substr(0, label.rfind(" ["));
  if (const auto colon = name.find(':');
      colon != name.npos && is_of_joints(std::string_view(name).substr(0, colon)))
    return name.substr(0, colon);
  while (name.ends_with(']') && name.rfind('[') != name.npos) name.resize(name.rfind('['));
  return name;
}

class CsvRun {
 public:
  CsvRun(std::istream& in, const std::string& name, RunVisitor& visitor)
      : in_(in, name), name_(name), visitor_(visitor) {}

  bool read() {
    if (!next_line()) throw Error(name_ + ": has no header; is it a run that was recorded as CSV?");
    check_text(line_.empty() ? " x" : line_, name_);
    labels_ = split_csv(line_);
    std::vector<RunColumn> columns;
    for (const std::string& label : labels_) columns.push_back({group_of(label), label});
    columns[0].group = "t";
    cells_ = visitor_.begin(columns, {1, 0});
    cells_.resize(columns.size(), cells_.empty() ? Cell::any : Cell::skip);
    cells_[0] = Cell::finite;
    std::vector<double> numbers(columns.size(), gap);
    while (next_line()) {
      if (line_.empty()) continue;
      read_numbers(numbers);
      if (!visitor_.sample(numbers, {number_, 0})) return false;
      visitor_.after_sample(in_.count());
    }
    return true;
  }

 private:
  /// The next complete line; an incomplete one was being written when the program was killed.
  bool next_line() {
    if (!in_.line(line_)) return false;
    if (line_.ends_with('\r')) line_.pop_back();
    ++number_;
    return true;
  }
  void read_numbers(std::vector<double>& numbers) {
    const std::vector<std::string> texts = split_csv(line_);
    if (texts.size() != labels_.size())
      fail(name_, {number_, 0},
           "has " + std::to_string(texts.size()) + " cells; the header has " +
               std::to_string(labels_.size()));
    for (std::size_t i = 0; i < numbers.size(); ++i)
      if (cells_[i] != Cell::skip) numbers[i] = number(i, texts[i]);
  }
  double number(std::size_t i, const std::string& text) const {
    const auto first = text.find_first_not_of(" \t"), last = text.find_last_not_of(" \t");
    const bool empty = first == text.npos;
    const std::optional<double> x =
        empty ? gap : parse_number(std::string_view(text).substr(first, last - first + 1));
    if (x && (cells_[i] == Cell::any || std::isfinite(*x))) return *x;
    fail(name_, {number_, 0},
         "column " + quote(labels_[i]) + ": " + quote(text) + " is not a " +
             (cells_[i] == Cell::finite ? "finite number" : "number"));
  }

  ByteSource in_;
  const std::string& name_;
  RunVisitor& visitor_;
  std::vector<std::string> labels_;
  std::vector<Cell> cells_;
  std::string line_;
  int number_ = 0;
};

class JsonRun {
 public:
  JsonRun(std::istream& in, const std::string& name, RunVisitor& visitor)
      : json_(in, name), visitor_(visitor) {}

  bool read() {
    try {
      json_.object([&](const std::string& key) { entry(key); });
      json_.end();
    } catch (const Enough&) {
      return false;
    } catch (const Error&) {
      if (!json_.ended()) throw;  // else it was being written when the program was killed
      return false;
    }
    return true;
  }

 private:
  struct Enough {};
  using Joint = RunJoint;
  struct Named {
    std::string name, unit;
    std::vector<std::string> labels{};  // of its entries, if they are those of joints
  };

  void entry(const std::string& key) {
    if (key == "name")
      visitor_.name(json_.text());
    else if (key == "scenario")
      visitor_.scenario(json_.text());
    else if (key == "joints")
      json_.array([&] { joint(); });
    else if (key == "quantities")
      json_.array([&] { quantity(); });
    else if (key == "samples")
      json_.array([&] { sample(); });
    else if (key == "summary")
      json_.object([&](const std::string& which) { summary(which); });
    else
      json_.skip();
  }
  std::vector<std::string> texts() {
    std::vector<std::string> list;
    json_.array([&] { list.push_back(json_.text()); });
    return list;
  }
  void joint() {
    Joint joint;
    const LineColumn at = json_.next_place();
    json_.object([&](const std::string& key) {
      if (key == "q_units") return void(joint.q_units = texts());
      if (key == "v_units") return void(joint.v_units = texts());
      if (key == "name") return void(joint.name = json_.text());
      if (key == "type") return void(joint.type = json_.text());
      if (key == "group") return void(joint.group = json_.text());
      json_.skip();
    });
    visitor_.joint(joints_.size(), joint, at);
    joints_.push_back(std::move(joint));
  }
  void quantity() {
    Named named;
    json_.object([&](const std::string& key) {
      if (key == "name") return void(named.name = json_.text());
      if (key == "unit") return void(named.unit = json_.text());
      if (key == "labels") return void(named.labels = texts());
      json_.skip();
    });
    quantities_.push_back(std::move(named));
  }

  /// All numbers of a value of any shape; for the first sample also their names: "pose:hand[0][3]".
  void numbers(const std::string& name, std::vector<double>& out, int depth = 0) {
    if (depth > deepest_nesting)
      json_.refuse("nested deeper than " + std::to_string(deepest_nesting) + " levels");
    const char c = json_.peek();
    if (c == '[') {
      int i = 0;
      json_.array([&] {
        numbers(begun_ ? name : name + "[" + std::to_string(i) + "]", out, depth + 1);
        ++i;
      });
    } else if (c == '{') {
      json_.object([&](const std::string& key) {
        numbers(begun_ ? name : name + "." + key, out, depth + 1);
      });
    } else {
      if (out.size() >= most_numbers) json_.refuse("the sample has too many numbers");
      if (c == '-' || (c >= '0' && c <= '9'))
        out.push_back(json_.number());
      else  // null, or not a number
        json_.skip(), out.push_back(gap);
      if (!begun_) names_.push_back(name);
    }
  }
  void finite_numbers(std::vector<double>& out) {
    json_.array([&] {
      if (out.size() >= most_numbers) json_.refuse("a list has too many numbers");
      out.push_back(json_.number());
    });
  }

  void sample() {
    const LineColumn at = json_.next_place();
    bool has_t = false, others = false;
    row_.assign(1, 0), q_.clear(), v_.clear(), more_.clear();
    json_.object([&](const std::string& key) {
      if (key == "t") {
        row_[0] = json_.number();
        has_t = true;
        return;
      }
      if (key == "q") return finite_numbers(q_);
      if (key == "v") return finite_numbers(v_);
      const std::size_t first = more_.size();
      numbers(key, more_);
      if (!begun_) groups_.resize(more_.size(), key);
      others =
          others || more_.size() > groups_.size() ||
          (more_.size() > first && (groups_[first] != key || groups_[more_.size() - 1] != key));
    });
    if (!has_t) fail(json_.name(), at, "the sample has no t");
    if (!begun_) begin(at);
    for (const auto* list : {&q_, &v_, &more_}) row_.insert(row_.end(), list->begin(), list->end());
    if (others || q_.size() != q_count_ || v_.size() != v_count_ || row_.size() != columns_)
      fail(json_.name(), at, "the sample has other numbers than the first");
    if (!visitor_.sample(row_, {at.line, 0})) throw Enough();
    visitor_.after_sample(json_.count());
  }

  void begin(LineColumn at) {
    std::vector<RunColumn> columns{{"t", "t [s]"}};
    add_coordinates("q", q_.size(), &Joint::q_units, columns);
    add_coordinates("v", v_.size(), &Joint::v_units, columns);
    for (std::size_t i = 0; i < more_.size(); ++i) columns.push_back(column(i));
    columns_ = columns.size(), q_count_ = q_.size(), v_count_ = v_.size();
    visitor_.begin(columns, at);
    begun_ = true;
  }
  /// The column of entry i of `more_`.
  RunColumn column(std::size_t i) const {
    for (const Named& known : quantities_) {
      if (known.name != groups_[i]) continue;
      const auto first = std::ranges::find(groups_, groups_[i]) - groups_.begin();
      const auto count = std::ranges::count(groups_, groups_[i]);
      if (known.labels.size() == static_cast<std::size_t>(count)) {
        const std::string& label = known.labels[i - static_cast<std::size_t>(first)];
        return {group_of(label), label};
      }
      return {groups_[i], names_[i] + " [" + known.unit + "]"};
    }
    return {groups_[i], names_[i]};
  }
  /// With the names and units of the joints, if the file has them for all entries.
  void add_coordinates(const std::string& letter, std::size_t count,
                       std::vector<std::string> Joint::*units, std::vector<RunColumn>& columns) {
    std::vector<RunColumn> named;
    for (const Joint& joint : joints_)
      for (std::size_t k = 0; k < (joint.*units).size(); ++k) {
        std::string label = letter + ":" + joint.name;
        if ((joint.*units).size() > 1) label.append("[").append(std::to_string(k)).append("]");
        named.push_back({letter, label + " [" + (joint.*units)[k] + "]"});
      }
    for (std::size_t k = 0; k < count; ++k)
      columns.push_back(named.size() == count
                            ? named[k]
                            : RunColumn{letter, letter + "[" + std::to_string(k) + "]"});
  }

  /// Texts, numbers and lists of numbers.
  void summary(const std::string& key) {
    const char c = json_.peek();
    std::vector<double> list;
    if (c == '"') return visitor_.summary(key, json_.text());
    if (c == '-' || (c >= '0' && c <= '9')) {
      list.push_back(json_.number());
    } else if ((key == "memory" || key == "joints_q") && c == '[') {
      finite_numbers(list);
    } else {
      return json_.skip();
    }
    visitor_.summary(key, list);
  }

  JsonStream json_;
  RunVisitor& visitor_;
  std::vector<Joint> joints_;
  std::vector<Named> quantities_;
  bool begun_ = false;
  std::size_t columns_ = 0, q_count_ = 0, v_count_ = 0;
  std::vector<double> row_, q_, v_, more_;
  std::vector<std::string> names_, groups_;  // of `more_`, in the first sample
};

}  // namespace

bool read_run(std::istream& in, const std::string& name, RunFormat format, RunVisitor& visitor) {
  require_known(format, RunFormat::json, "format of runs");
  return format == RunFormat::csv ? CsvRun(in, name, visitor).read()
                                  : JsonRun(in, name, visitor).read();
}

bool read_run(const std::filesystem::path& path, RunVisitor& visitor) {
  const std::string name = input_name(path), extension = path.extension().string();
  if (is_standard_stream(path)) return read_run(std::cin, name, RunFormat::csv, visitor);
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(name + ": is a directory; give a run");
  if (extension != ".csv" && extension != ".json")
    throw Error(name + ": a recorded run ends in .csv or .json");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": there is no such recorded run");
  return read_run(file, name, extension == ".csv" ? RunFormat::csv : RunFormat::json, visitor);
}

}  // namespace chasles::io
