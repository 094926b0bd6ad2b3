#include <algorithm>
#include <cmath>
#include <fstream>

#include "chasles/io/run_file.hpp"
#include "io/json/json_stream.hpp"
#include "io/runs/run_text.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

/// The samples of a run, one after the other.
class Samples {
 public:
  virtual ~Samples() = default;
  /// Calls take(place, numbers) with t, q and v of each sample until it returns false.
  using Take = std::function<bool(LineColumn place, std::span<const double> numbers)>;
  virtual void each(const Take& take) = 0;
};

class CsvSamples : public Samples {
 public:
  CsvSamples(std::istream& in, const std::string& name, const Model& model)
      : in_(in), name_(name), names_(csv_names(model)) {}

  void each(const Take& take) override {
    read_header();
    std::vector<double> numbers(names_.size());
    while (next_line()) {
      if (line_.empty()) continue;
      read_numbers(numbers);
      if (!take({number_, 0}, numbers)) return;
    }
  }

 private:
  /// The next line that ends; one that does not was being written when the program was killed.
  bool next_line() {
    if (!std::getline(in_, line_) || in_.eof()) return false;
    if (line_.ends_with('\r')) line_.pop_back();
    ++number_;
    return true;
  }
  void read_header() {
    if (!next_line()) throw Error(name_ + ": has no header; is it a recorded run?");
    cells_ = split_csv(line_);
    for (std::size_t i = 0; i < names_.size(); ++i)
      if (i >= cells_.size() || cells_[i] != names_[i])
        fail(name_, {1, 0},
             "is not a run of this model: column " + std::to_string(i + 1) + " is " +
                 (i < cells_.size() ? quote(cells_[i]) : "missing") + ", not " + quote(names_[i]));
    columns_ = cells_.size();
  }
  void read_numbers(std::vector<double>& numbers) {
    cells_ = split_csv(line_);
    if (cells_.size() != columns_)
      fail(name_, {number_, 0},
           "has " + std::to_string(cells_.size()) + " cells; the header has " +
               std::to_string(columns_));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::optional<double> x = parse_number(cells_[i]);
      if (!x || !std::isfinite(*x))
        fail(name_, {number_, 0},
             "column " + quote(names_[i]) + ": " + quote(cells_[i]) + " is not a finite number");
      numbers[i] = *x;
    }
  }

  std::istream& in_;
  const std::string& name_;
  const std::vector<std::string> names_;
  std::string line_;
  std::vector<std::string> cells_;
  std::size_t columns_ = 0;
  int number_ = 0;
};

class JsonSamples : public Samples {
 public:
  JsonSamples(std::istream& in, const std::string& name, const Model& model)
      : json_(in, name), model_(model), nq_(model.nq()), nv_(model.nv()) {}

  void each(const Take& take) override {
    try {
      json_.object([&](const std::string& key) {
        if (key == "samples")
          json_.array([&] {
            if (!sample(take)) throw Enough();
          });
        else if (key == "joints")
          joints();
        else
          json_.skip();
      });
      json_.end();
    } catch (const Enough&) {
    } catch (const Error&) {
      if (!json_.ended()) throw;  // else it was being written when the program was killed
    }
  }

 private:
  struct Enough {};

  void joints() {
    std::size_t i = 0;
    const auto& known = model_.joints();
    json_.array([&] {
      json_.object([&](const std::string& key) {
        if (key != "name") return json_.skip();
        const LineColumn at = json_.next_place();
        const std::string name = json_.text();
        if (i >= known.size() || name != known[i].name)
          fail(json_.name(), at,
               "is not a run of this model: joint " + std::to_string(i + 1) + " is " + quote(name) +
                   ", not " + (i < known.size() ? quote(known[i].name) : "there"));
      });
      ++i;
    });
  }
  bool sample(const Take& take) {
    const LineColumn at = json_.next_place();
    numbers_.assign(static_cast<std::size_t>(1 + nq_ + nv_), 0);
    bool t = false, q = false, v = false;
    json_.object([&](const std::string& key) {
      if (key == "t")
        numbers_[0] = json_.number(), t = true;
      else if (key == "q")
        list("q", 1, nq_), q = true;
      else if (key == "v")
        list("v", 1 + nq_, nv_), v = true;
      else
        json_.skip();
    });
    if (!t || !q || !v)
      fail(json_.name(), at, std::string("the sample has no ") + (!t ? "t" : !q ? "q" : "v"));
    return take({at.line, 0}, numbers_);
  }
  void list(const char* key, int first, int count) {
    const LineColumn at = json_.next_place();
    int i = 0;
    json_.array([&] {
      const double x = json_.number();
      if (i < count) numbers_[static_cast<std::size_t>(first + i)] = x;
      ++i;
    });
    if (i != count)
      fail(json_.name(), at,
           "is not a run of this model: " + std::string(key) + " has " + std::to_string(i) +
               " numbers; a state of the model has " + std::to_string(count));
  }

  JsonStream json_;
  const Model& model_;
  int nq_, nv_;
  std::vector<double> numbers_;
};

State find(Samples& samples, const std::string& name, const Model& model,
           std::optional<double> at) {
  bool any = false;
  double first = 0, last = 0;
  LineColumn place;
  std::vector<double> found;
  samples.each([&](LineColumn here, std::span<const double> x) {
    if (!any) first = x[0];
    last = x[0];
    any = true;
    const bool wanted = !at || std::abs(last - *at) <= 1e-9 * std::max(1.0, std::abs(*at));
    if (wanted) found.assign(x.begin(), x.end()), place = here;
    return !(at && wanted);
  });
  if (!any) throw Error(name + ": has no samples");
  if (found.empty())
    throw Error(name + ": has no sample at t = " + to_text(*at) + "; it has times from " +
                to_text(first) + " to " + to_text(last));
  const double* x = found.data();
  State state{x[0], Eigen::Map<const Eigen::VectorXd>(x + 1, model.nq()),
              Eigen::Map<const Eigen::VectorXd>(x + 1 + model.nq(), model.nv())};
  try {
    checked_configuration(model, state.q);
  } catch (const Error& error) {
    fail(name, place, error.what());
  }
  return state;
}

}  // namespace
}  // namespace io

State read_recorded_state(std::istream& in, const std::string& name, RunFormat format,
                          const Model& model, std::optional<double> at) {
  using namespace io;
  if (format == RunFormat::csv) {
    CsvSamples samples(in, name, model);
    return find(samples, name, model, at);
  }
  JsonSamples samples(in, name, model);
  return find(samples, name, model, at);
}

State read_recorded_state(const std::filesystem::path& path, const Model& model,
                          std::optional<double> at) {
  const std::string name = path.string(), extension = path.extension().string();
  if (extension != ".csv" && extension != ".json")
    throw Error(name + ": a recorded run ends in .csv or .json");
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(name + ": is a directory; give a run");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": there is no such recorded run");
  return read_recorded_state(file, name, extension == ".csv" ? RunFormat::csv : RunFormat::json,
                             model, at);
}

}  // namespace chasles
