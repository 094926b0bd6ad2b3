#include "chasles/io/run_file.hpp"

#include <cmath>
#include <fstream>

#include "io/runs/run_text.hpp"

namespace chasles {
namespace io {
namespace {

void append(std::string& text, double x) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

class RunFile : public Recorder {
 public:
  explicit RunFile(const std::filesystem::path& path) : name_(path.string()), file_(path) {
    if (!file_) throw Error(name_ + ": cannot be written");
  }

 protected:
  /// Writes what `text_` holds, and clears it.
  void flush(bool to_disk = false) {
    file_ << text_;
    if (to_disk) file_.flush();
    if (!file_) throw std::runtime_error(name_ + ": writing failed; is the disk full?");
    text_.clear();
  }
  std::string text_;

 private:
  std::string name_;
  std::ofstream file_;
};

class CsvFile : public RunFile {
 public:
  using RunFile::RunFile;
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    text_ = csv_header(scenario.model);
    for (const Quantity& q : quantities)
      for (int i = 0; i < q.rows; ++i)
        for (int j = 0; j < q.columns; ++j)
          text_ += ',' + csv_field(q.name + (q.rows > 1 ? subscript(i) : "") +
                                   (q.columns > 1 ? subscript(j) : ""));
    text_ += '\n';
    flush();
  }
  void sample(const Sample& sample) override {
    append(text_, sample.state.t);
    const auto add = [&](double x) { text_ += ',', append(text_, x); };
    for (const double x : sample.state.q) add(x);
    for (const double x : sample.state.v) add(x);
    for (const Matrix& value : sample.values)
      for (Eigen::Index i = 0; i < value.rows(); ++i)
        for (Eigen::Index j = 0; j < value.cols(); ++j) add(value(i, j));
    text_ += '\n';
    flush();
  }
  void end(const Summary&) override { flush(true); }
};

class JsonFile : public RunFile {
 public:
  using RunFile::RunFile;
  void begin(const Scenario&, std::span<const Quantity>) override {
    text_ = "{\"samples\": [";
    flush();
  }
  void sample(const Sample& sample) override {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += "{\"t\": ";
    number(sample.state.t);
    text_ += ", \"q\": ";
    list(sample.state.q);
    text_ += ", \"v\": ";
    list(sample.state.v);
    for (std::size_t i = 0; i < sample.values.size(); ++i) {
      text_ += ", " + json_text(sample.quantities[i].name) + ": ";
      value(sample.quantities[i].shape, sample.values[i]);
    }
    text_ += '}';
    flush();
  }
  void end(const Summary& summary) override {
    text_ += "\n],\n\"summary\": {\n \"method\": " + json_text(summary.method) +
             ",\n \"finished\": " + (summary.finished ? "true" : "false");
    for (const auto& [key, entry] : summary.entries()) {
      text_ += ",\n \"" + key + "\": ";
      number(entry);
    }
    names("momentum_changed_by", summary.momentum_causes);
    names("angular_momentum_com_changed_by", summary.spin_causes);
    violations(summary.violations);
    text_ += "\n}}\n";
    flush(true);
  }

 private:
  void names(const char* key, const std::vector<std::string>& list) {
    text_ += std::string(",\n \"") + key + "\": [";
    for (std::size_t i = 0; i < list.size(); ++i) text_ += (i > 0 ? ", " : "") + json_text(list[i]);
    text_ += ']';
  }
  void violations(const std::vector<Violation>& list) {
    text_ += ",\n \"violations\": [";
    for (const Violation& v : list) {
      text_ += (&v == list.data() ? "\n" : ",\n");
      text_ += "  {\"joint\": " + json_text(v.joint) + ", \"kind\": \"" + std::string(v.name()) +
               "\", \"unit\": \"" + std::string(v.unit) + '"';
      const std::pair<const char*, double> entries[] = {{"bound", v.bound},
                                                        {"count", static_cast<double>(v.count)},
                                                        {"first", v.first},
                                                        {"worst", v.worst},
                                                        {"worst_time", v.worst_time}};
      for (const auto& [key, value] : entries) {
        text_ += std::string(", \"") + key + "\": ";
        number(value);
      }
      text_ += '}';
    }
    text_ += ']';
  }
  /// JSON has no inf and nan.
  void number(double x) { std::isfinite(x) ? append(text_, x) : void(text_ += "null"); }
  void list(const Eigen::Ref<const Eigen::VectorXd>& x) {
    text_ += '[';
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      if (i > 0) text_ += ", ";
      number(x[i]);
    }
    text_ += ']';
  }
  void value(Quantity::Shape shape, const Eigen::MatrixXd& x) {
    if (shape == Quantity::Shape::number) return number(x(0, 0));
    if (shape == Quantity::Shape::list) return list(x.col(0));
    text_ += '[';
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      if (i > 0) text_ += ", ";
      list(x.row(i).transpose());
    }
    text_ += ']';
  }
  bool first_ = true;
};

}  // namespace

std::string subscript(int i) { return std::string("[").append(std::to_string(i)).append("]"); }

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv_header(const Model& model) {
  std::string header = "t";
  const auto add = [&](const char* letter, const ModelJoint& joint, int count) {
    for (int k = 0; k < count; ++k)
      header += ',' + csv_field(letter + joint.name + (count > 1 ? subscript(k) : ""));
  };
  for (const ModelJoint& joint : model.joints()) add("q:", joint, joint.nq);
  for (const ModelJoint& joint : model.joints()) add("v:", joint, joint.nv);
  return header;
}

std::string json_text(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    const auto byte = static_cast<unsigned char>(c);
    constexpr const char* digits = "0123456789abcdef";
    if (byte < 0x20)
      quoted += std::string("\\u00") + digits[byte >> 4U] + digits[byte & 15U];
    else
      quoted += c;
  }
  return quoted + "\"";
}

}  // namespace io

std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".csv") return std::make_unique<io::CsvFile>(path);
  if (extension == ".json") return std::make_unique<io::JsonFile>(path);
  throw Error(path.string() + ": runs are written as .csv or .json; choose one of these endings");
}

}  // namespace chasles
