#include "chasles/io/run_file.hpp"

#include <charconv>
#include <fstream>

#include "chasles/version.hpp"
#include "io/json/json_write.hpp"
#include "io/runs/run_text.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

/// A CSV cell; may be inf or nan.
void append_cell(std::string& text, double x) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
}

/// Writes a run from its beginning, or continues an interrupted one: then the header and the sample it
/// continues from are already there.
class RunFile : public Recorder {
 public:
  RunFile(const std::filesystem::path& path, const RunFileOptions& options)
      : file_(path, options.inputs, OutputFile::Unfinished::kept, bytes_of(options)),
        after_(options.after),
        temporary_(options.temporary) {}

 protected:
  /// Writes what `text_` holds, and clears it.
  void flush() {
    file_.write(text_);
    text_.clear();
  }
  /// Writes the header of the file.
  /// @throws Error if it continues a file with a different header
  void write_head() {
    if (!after_) return flush();
    std::string there(text_.size(), '\0');
    std::ifstream file(file_.name(), std::ios::binary);
    if (!file.read(there.data(), static_cast<std::streamsize>(there.size())) || there != text_)
      throw Error(file_.name() +
                  ": was recorded by another scenario, model or version, or with other quantities: "
                  "this run cannot go on there");
    text_.clear();
  }
  /// Whether a sample is to be written: not if it was written before the interruption.
  bool is_new(const Sample& sample) const { return !after_ || sample.state.t > after_->state.t; }
  bool goes_on() const { return after_ != nullptr; }
  void finish() {
    flush();
    if (temporary_)
      file_.discard();
    else
      file_.commit();
  }
  std::string text_;

 private:
  static std::optional<std::uint64_t> bytes_of(const RunFileOptions& options) {
    if (options.after == nullptr) return std::nullopt;
    return options.after->bytes;
  }
  OutputFile file_;
  const CutRun* after_;
  bool temporary_;
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
    write_head();
  }
  void sample(const Sample& sample) override {
    if (!is_new(sample)) return;
    append_cell(text_, sample.state.t);
    const auto add = [&](double x) { text_ += ',', append_cell(text_, x); };
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
  JsonFile(const std::filesystem::path& path, const RunFileOptions& options)
      : RunFile(path, options), first_(!goes_on()), path_(path) {}

  void begin(const Scenario& scenario, std::span<const Quantity> quantities) override {
    const Model& model = scenario.model;
    text_ = "{\"chasles\": 1, \"version\": " + json_text(version()) +
            ",\n\"name\": " + json_text(scenario.name) + ", \"model\": " + json_text(model.name());
    if (const std::string file = scenario_file(scenario); !file.empty())
      text_ += ",\n\"scenario\": " + json_text(file);
    text_ += ",\n\"joints\": " + json_list(model.joints(), joint_json) + ",\n\"quantities\": " +
             json_list(quantities,
                       [&](const Quantity& q) {
                         return "\n {\"name\": " + json_text(q.name) +
                                ", \"unit\": " + json_text(q.unit) +
                                (q.of_joints || q.unit.find(", ") != q.unit.npos
                                     ? ", \"labels\": " + json_texts(csv_names(q, model), ", ")
                                     : "") +
                                "}";
                       }) +
             ",\n\"samples\": [";
    write_head();
  }
  void sample(const Sample& sample) override {
    if (!is_new(sample)) return;
    text_ += first_ ? "\n{\"t\": " : ",\n{\"t\": ";
    first_ = false;
    append_json(text_, sample.state.t);
    text_ += ", \"q\": " + json_numbers(sample.state.q, ", ") +
             ", \"v\": " + json_numbers(sample.state.v, ", ");
    for (std::size_t i = 0; i < sample.values.size(); ++i)
      text_ += ", " + json_text(sample.quantities[i].name) + ": " +
               value_json(sample.quantities[i], sample.values[i]);
    text_ += '}';
    flush();
  }
  void end(const Summary& summary) override {
    text_ += "\n],\n\"summary\": {\n \"method\": " + json_text(summary.method) +
             ",\n \"finished\": " + (summary.finished ? "true" : "false");
    const auto entry = [this](std::string_view key, const std::string& value) {
      text_.append(",\n ").append(json_text(key)).append(": ").append(value);
    };
    for (const auto& [key, value] : summary.entries()) entry(key, json_number(value));
    if (const std::vector<double>& memory = summary.checkpoint.memory; !memory.empty())
      entry("memory", json_numbers(memory, ", "));
    if (summary.joints_q.size() > 0) entry("joints_q", json_numbers(summary.joints_q, ", "));
    entry("momentum_changed_by", json_texts(summary.momentum_causes, ", "));
    entry("angular_momentum_com_changed_by", json_texts(summary.spin_causes, ", "));
    entry("violations", json_list(summary.violations, violation_json));
    entry("events", json_list(summary.events, [](const EventRecord& event) {
            return "\n  {\"name\": " + json_text(event.name) + ", \"t\": " + json_number(event.t) +
                   "}";
          }));
    text_ += "\n}}\n";
    finish();
  }

 private:
  static std::string joint_json(const ModelJoint& joint) {
    return "\n {\"name\": " + json_text(joint.name) +
           ", \"type\": " + json_text(joint_type_info(joint.type).name) +
           (joint.type == JointType::floating ? ", \"group\": " + json_text(group_name(joint))
                                              : "") +
           ", \"q_index\": " + std::to_string(joint.q_index) +
           ", \"q_units\": " + json_texts(q_units(joint), ", ") +
           ", \"v_index\": " + std::to_string(joint.v_index) +
           ", \"v_units\": " + json_texts(v_units(joint), ", ") + "}";
  }
  static std::string violation_json(const Violation& v) {
    return "\n  {\"joint\": " + json_text(v.joint) + ", \"kind\": " + json_text(v.name()) +
           ", \"unit\": " + json_text(v.unit) + ", \"bound\": " + json_number(v.bound) +
           ", \"count\": " + std::to_string(v.count) + ", \"first\": " + json_number(v.first) +
           ", \"worst\": " + json_number(v.worst) +
           ", \"worst_time\": " + json_number(v.worst_time) + "}";
  }
  static std::string matrix_json(const Eigen::Ref<const Eigen::MatrixXd>& x) {
    std::string text = "[";
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      const Eigen::VectorXd row = x.row(i);
      text += (i > 0 ? ", " : "") + json_numbers(row, ", ");
    }
    return text + "]";
  }
  static std::string value_json(const Quantity& quantity, const Eigen::MatrixXd& x) {
    if (quantity.shape == Quantity::Shape::number) return json_number(x(0, 0));
    if (quantity.shape == Quantity::Shape::list)
      return json_numbers(std::span(x.data(), static_cast<std::size_t>(x.rows())), ", ");
    if (quantity.shape == Quantity::Shape::matrix) return matrix_json(x);
    std::string text;
    for (std::size_t k = 0; k < quantity.parts.size(); ++k)
      text += (k > 0 ? ", " : "{") + json_text(quantity.parts[k]) + ": " +
              matrix_json(Quantity::part(x, quantity.parts.size(), k));
    return text + "}";
  }
  /// The path of the scenario relative to the folder of this file; empty: none.
  std::string scenario_file(const Scenario& scenario) const {
    if (scenario.file.empty() || is_standard_stream(scenario.file) || is_stream(path_)) return {};
    std::error_code error;
    const auto folder = std::filesystem::absolute(path_).parent_path();
    return std::filesystem::proximate(scenario.file, folder, error).string();
  }
  bool first_;
  std::filesystem::path path_;
};

}  // namespace

}  // namespace io

std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        OutputFile::Paths inputs) {
  return make_run_file(path, RunFileOptions{inputs});
}

std::unique_ptr<Recorder> make_run_file(const std::filesystem::path& path,
                                        const RunFileOptions& options) {
  if (path.empty()) throw Error("the path of the run is empty; give a file .csv or .json");
  const std::string extension = path.extension().string();
  if (extension == ".json") return std::make_unique<io::JsonFile>(path, options);
  if (extension == ".csv" || is_stream(path)) return std::make_unique<io::CsvFile>(path, options);
  throw Error(path.string() + ": runs are written as .csv or .json; choose one of these endings");
}

}  // namespace chasles
