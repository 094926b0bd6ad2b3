#include "chasles/io/run_file.hpp"

#include <cmath>

#include "chasles/version.hpp"
#include "io/runs/run_text.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

void append(std::string& text, double x) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

class RunFile : public Recorder {
 public:
  RunFile(const std::filesystem::path& path, OutputFile::Paths inputs)
      : file_(path, inputs, OutputFile::Unfinished::kept) {}

 protected:
  /// Writes what `text_` holds, and clears it.
  void flush() {
    file_.write(text_);
    text_.clear();
  }
  void finish() {
    flush();
    file_.commit();
  }
  std::string text_;

 private:
  OutputFile file_;
};

class CsvFile : public RunFile {
 public:
  using RunFile::RunFile;
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    const auto add = [&](const std::vector<std::string>& names) {
      for (const std::string& name : names) {
        if (!text_.empty()) text_ += ',';
        text_ += csv_field(name);
      }
    };
    add(csv_names(scenario.model));
    for (const Quantity& q : quantities) add(csv_names(q, scenario.model));
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
  void end(const Summary&) override { finish(); }
};

class JsonFile : public RunFile {
 public:
  JsonFile(const std::filesystem::path& path, OutputFile::Paths inputs) : RunFile(path, inputs) {
    if (inputs.empty() || is_standard_stream(inputs[0]) || is_stream(path)) return;
    std::error_code error;
    scenario_ =
        std::filesystem::proximate(inputs[0], std::filesystem::absolute(path).parent_path(), error)
            .string();
  }
  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    const Model& model = scenario.model;
    const auto texts = [&](const std::vector<std::string>& list) {
      for (std::size_t i = 0; i < list.size(); ++i)
        text_.append(i > 0 ? ", " : "").append(json_text(list[i]));
    };
    text_ = "{\"chasles\": 1, \"version\": " + json_text(version()) +
            ",\n\"name\": " + json_text(scenario.name) + ", \"model\": " + json_text(model.name());
    if (!scenario_.empty()) text_ += ",\n\"scenario\": " + json_text(scenario_);
    text_ += ",\n\"joints\": [";
    for (const ModelJoint& joint : model.joints()) {
      text_ += text_.ends_with('[') ? "\n" : ",\n";
      text_ += " {\"name\": " + json_text(joint.name) +
               ", \"type\": " + json_text(joint_type_info(joint.type).name) +
               ", \"q_index\": " + std::to_string(joint.q_index) + ", \"q_units\": [";
      texts(q_units(joint));
      text_ += "], \"v_index\": " + std::to_string(joint.v_index) + ", \"v_units\": [";
      texts(v_units(joint));
      text_ += "]}";
    }
    text_ += "],\n\"quantities\": [";
    for (const Quantity& q : quantities) {
      text_ += text_.ends_with('[') ? "\n" : ",\n";
      text_ += " {\"name\": " + json_text(q.name) + ", \"unit\": " + json_text(q.unit) + "}";
    }
    text_ += "],\n\"samples\": [";
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
      value(sample.quantities[i], sample.values[i]);
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
    if (const std::vector<double>& memory = summary.checkpoint.memory; !memory.empty()) {
      text_ += ",\n \"memory\": ";
      list(Eigen::Map<const Eigen::VectorXd>(memory.data(),
                                             static_cast<Eigen::Index>(memory.size())));
    }
    names("momentum_changed_by", summary.momentum_causes);
    names("angular_momentum_com_changed_by", summary.spin_causes);
    violations(summary.violations);
    events(summary.events);
    text_ += "\n}}\n";
    finish();
  }

 private:
  void names(const char* key, const std::vector<std::string>& list) {
    text_ += std::string(",\n \"") + key + "\": [";
    for (std::size_t i = 0; i < list.size(); ++i) text_ += (i > 0 ? ", " : "") + json_text(list[i]);
    text_ += ']';
  }
  void events(const std::vector<Happened>& list) {
    text_ += ",\n \"events\": [";
    for (const Happened& event : list) {
      text_ += (&event == list.data() ? "\n" : ",\n");
      text_ += "  {\"name\": " + json_text(event.name) + ", \"t\": ";
      number(event.t);
      text_ += '}';
    }
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
  void matrix(const Eigen::Ref<const Eigen::MatrixXd>& x) {
    text_ += '[';
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      if (i > 0) text_ += ", ";
      list(x.row(i).transpose());
    }
    text_ += ']';
  }
  void value(const Quantity& quantity, const Eigen::MatrixXd& x) {
    if (quantity.shape == Quantity::Shape::number) return number(x(0, 0));
    if (quantity.shape == Quantity::Shape::list) return list(x.col(0));
    if (quantity.shape == Quantity::Shape::matrix) return matrix(x);
    for (std::size_t k = 0; k < quantity.parts.size(); ++k) {
      text_.append(k > 0 ? ", \"" : "{\"").append(quantity.parts[k]).append("\": ");
      matrix(Quantity::part(x, quantity.parts.size(), k));
    }
    text_ += '}';
  }
  bool first_ = true;
  std::string scenario_;  // its file, as seen from the folder of this one
};

}  // namespace

}  // namespace io

std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        OutputFile::Paths inputs) {
  const std::string extension = path.extension().string();
  if (extension == ".json") return std::make_unique<io::JsonFile>(path, inputs);
  if (extension == ".csv" || is_stream(path)) return std::make_unique<io::CsvFile>(path, inputs);
  throw Error(path.string() + ": runs are written as .csv or .json; choose one of these endings");
}

}  // namespace chasles
