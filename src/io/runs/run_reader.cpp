#include <cmath>
#include <fstream>

#include "chasles/io/run_file.hpp"
#include "io/runs/run_text.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

/// The numbers of a line, in order; whatever is between them is skipped. Stops after `count`.
bool scan_numbers(std::string_view line, std::size_t count, std::vector<double>& out) {
  out.clear();
  const char* const end = line.data() + line.size();
  const char* at = line.data();
  while (out.size() < count && at < end) {
    const bool starts = (*at >= '0' && *at <= '9') || *at == '-';
    double x = 0;
    const auto [stop, error] = std::from_chars(at, end, x);
    if (starts && error == std::errc{}) {
      out.push_back(x);
      at = stop;
    } else {
      ++at;
    }
  }
  return out.size() == count;
}

bool is_json_sample(std::string_view line) { return line.starts_with("{\"t\": "); }

class RunReader {
 public:
  RunReader(const std::filesystem::path& path, const Model& model)
      : name_(path.string()), model_(model), file_(path), json_(path.extension() == ".json") {
    if (!json_ && path.extension() != ".csv")
      throw Error(name_ + ": a recorded run ends in .csv or .json");
    if (!file_) throw Error(name_ + ": there is no such recorded run");
    if (!json_) check_header();
  }

  State find(std::optional<double> at) {
    State found;
    bool any = false;
    double first = 0, last = 0;
    while (next()) {
      if (!any) first = numbers_[0];
      last = numbers_[0];
      any = true;
      if (!at || std::abs(last - *at) <= 1e-9 * std::max(1.0, std::abs(*at))) found = state();
      if (at && found.q.size() > 0) break;
    }
    if (!any) throw Error(name_ + ": has no samples");
    if (found.q.size() == 0 && at)
      throw Error(name_ + ": has no sample at t = " + to_text(*at) + "; it has times from " +
                  to_text(first) + " to " + to_text(last));
    return found;
  }

 private:
  void check_header() {
    std::string header;
    std::getline(file_, header);
    ++line_;
    const std::string expected = csv_header(model_);
    if (header != expected && !header.starts_with(expected + ","))
      fail(name_, {1, 0},
           "is not a run of this model: its header does not begin with " + quote(expected));
  }
  bool next() {
    const auto count = static_cast<std::size_t>(1 + model_.nq() + model_.nv());
    for (std::string line; std::getline(file_, line);) {
      ++line_;
      if (line.empty() || (json_ && !is_json_sample(line))) continue;
      if (!scan_numbers(line, count, numbers_))
        fail(name_, {line_, 0},
             "has " + std::to_string(numbers_.size()) + " numbers; a state of the model has " +
                 std::to_string(count));
      if (json_) check_sizes(line);
      return true;
    }
    return false;
  }
  void check_sizes(const std::string& line) const {
    const auto list = line.substr(0, line.find(']'));
    const auto commas = std::count(list.begin(), list.end(), ',');  // one before "q", then q
    if (commas != std::max(1, model_.nq()))
      fail(name_, {line_, 0},
           "is not a state of this model: q has another size than " + std::to_string(model_.nq()));
  }
  State state() const {
    const double* x = numbers_.data();
    State s{x[0], Eigen::Map<const Eigen::VectorXd>(x + 1, model_.nq()),
            Eigen::Map<const Eigen::VectorXd>(x + 1 + model_.nq(), model_.nv())};
    try {
      checked_configuration(model_, s.q);
    } catch (const Error& error) {
      fail(name_, {line_, 0}, error.what());
    }
    return s;
  }

  std::string name_;
  const Model& model_;
  std::ifstream file_;
  bool json_;
  int line_ = 0;
  std::vector<double> numbers_;
};

}  // namespace
}  // namespace io

State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at) {
  return io::RunReader(path, model).find(at);
}

}  // namespace chasles
