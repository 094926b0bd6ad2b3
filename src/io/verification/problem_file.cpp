/// Files of published problems: io/verification.hpp.
#include <algorithm>

#include "chasles/io/verification.hpp"
#include "chasles/suggest.hpp"
#include "io/yaml/yaml_parts.hpp"

namespace chasles {
namespace io {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> words(const Fields& fields, std::string_view key) {
  std::vector<std::string> list;
  for (const Value& item : fields.list(key)) {
    if (item.kind != Value::Kind::scalar)
      fields.refuse(item, std::string(key) + ": give a list of words");
    list.push_back(item.text);
  }
  return list;
}

/// A number, a list of numbers, or a list of pairs, one after the other.
void read_numbers(const Fields& fields, const Value& value, std::string_view key,
                  std::vector<double>& out) {
  if (value.kind == Value::Kind::list)
    for (const Value& item : value.items) read_numbers(fields, item, key, out);
  else
    out.push_back(fields.to_number(value, key));
}

std::vector<std::string> read_quantities(const Fields& fields) {
  const Value& value = fields.require("quantity");
  if (value.kind != Value::Kind::list) return {fields.text("quantity")};
  return words(fields, "quantity");
}

void read_state(const Fields& fields, PublishedValue& out) {
  if (!fields.has("state")) return;
  const Fields state(fields.file(), fields.require("state"), "state", {"q", "v", "a", "tau"});
  for (const char* key : {"q", "v", "a", "tau"})
    if (state.has(key)) out.state[key] = state.text(key);
}

void read_root(const Fields& fields, PublishedValue& out) {
  const bool critical = out.quantities[0] == "critical";
  if (!critical && (fields.has("parameter") || fields.has("between")))
    fields.refuse(fields.value(), "parameter and between are those of quantity: critical");
  if (!critical) return;
  out.parameter = fields.text("parameter");
  const std::vector<double> ends = fields.numbers("between", 2);
  if (!(ends[0] < ends[1]))
    fields.refuse(fields.require("between"), "between: give two increasing numbers");
  out.between = {ends[0], ends[1]};
}

PublishedValue read_value(const std::string& file, const Value& value, const std::string& source) {
  const Fields fields(file, value, "published value",
                      {"quantity", "at", "entries", "reduce", "value", "tolerance", "source",
                       "note", "set", "state", "joints", "independent", "parameter", "between"});
  PublishedValue out;
  out.quantities = read_quantities(fields);
  if (out.quantities.empty()) fields.refuse(value, "quantity: give a name such as position:tip");
  if (fields.has("at")) out.at = fields.number("at", dimensions::time);
  if (fields.has("entries")) {
    std::vector<double> entries;
    read_numbers(fields, fields.require("entries"), "entries", entries);
    for (const double k : entries) {
      if (!(k >= 0 && k == std::floor(k) && k < 1e6))
        fields.refuse(fields.require("entries"),
                      "entries: " + to_text(k) + " is not an index; they count from 0");
      out.entries.push_back(static_cast<int>(k));
    }
  }
  static constexpr std::string_view reductions[] = {"none", "absolute_sum"};
  out.absolute_sum = fields.choice("reduce", reductions, 0) == 1;
  read_numbers(fields, fields.require("value"), "value", out.value);
  if (out.value.empty()) fields.refuse(fields.require("value"), "value: give a number or a list");
  out.tolerance = fields.number("tolerance");
  if (!(out.tolerance > 0))
    fields.refuse(fields.require("tolerance"), "tolerance " + to_text(out.tolerance) +
                                                   " is not positive; give an absolute error");
  out.source = fields.text("source", source);
  out.note = fields.text("note", "");
  out.changes = words(fields, "set");
  read_state(fields, out);
  out.joints = words(fields, "joints");
  out.independent = words(fields, "independent");
  read_root(fields, out);
  return out;
}

}  // namespace
}  // namespace io

VerificationProblem read_problem(const std::filesystem::path& path) {
  const std::string name = io::input_name(path), text = io::read_file(path);
  const io::Value document = io::parse_yaml(text, name);
  const io::Fields file(name, document, "problem",
                        {"chasles", "problem", "source", "note", "scenario", "model", "published"});
  io::check_version(file);
  VerificationProblem out;
  out.name = path.stem().string(), out.file = path;
  out.title = file.text("problem"), out.source = file.text("source");
  out.note = file.text("note", "");
  out.is_model = file.has("model");
  if (out.is_model == file.has("scenario"))
    file.refuse(document, "give either scenario, for runs, or model, for states");
  out.scenario = path.parent_path() / file.text(out.is_model ? "model" : "scenario");
  for (const io::Value& value : file.list("published")) {
    out.published.push_back(io::read_value(name, value, out.source));
    if (out.is_model && out.published.back().at)
      file.refuse(value, "at: a model at a state has no time; give a scenario");
    if (!out.is_model && !out.published.back().state.empty())
      file.refuse(value, "state: a scenario has its own; give a model");
  }
  if (out.published.empty()) file.refuse(document, "published: give at least one value");
  return out;
}

std::vector<std::string> problem_names(const std::filesystem::path& folder) {
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  if (names.empty())
    throw Error("there are no problems (.yaml) in the folder " + io::quote(folder.string()) +
                "; name another one, such as examples/verification");
  std::ranges::sort(names);
  return names;
}

VerificationProblem find_problem(const std::filesystem::path& folder, const std::string& name) {
  const std::vector<std::string> names = problem_names(folder);
  if (std::ranges::find(names, name) == names.end()) {
    const std::vector<std::string_view> known(names.begin(), names.end());
    throw Error("there is no problem " + io::quote(name) + choices(name, known));
  }
  return read_problem(folder / (name + ".yaml"));
}

}  // namespace chasles
