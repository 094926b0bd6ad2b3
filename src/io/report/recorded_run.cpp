#include <fmt/format.h>

#include <algorithm>
#include <fstream>

#include "chasles/io/report.hpp"
#include "io/json/json_stream.hpp"
#include "io/runs/run_text.hpp"

namespace chasles {
namespace io {
namespace {

std::ifstream open(const std::filesystem::path& path) {
  const std::string name = path.string();
  if (path.extension() != ".json")
    throw Error(name + ": reports are made of runs in .json; record it with -o RUN.json");
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    throw Error(name + ": is a directory; give a run");
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(name + ": there is no such recorded run");
  return file;
}

class RunReader {
 public:
  RunReader(std::istream& in, const std::string& name, ReportRun& run)
      : json_(in, name), run_(run) {}

  void read() {
    try {
      json_.object([&](const std::string& key) {
        if (key == "name")
          run_.name = json_.text();
        else if (key == "joints")
          joints();
        else if (key == "quantities")
          quantities();
        else if (key == "samples")
          json_.array([&] { sample(); });
        else if (key == "summary")
          summary();
        else
          json_.skip();
      });
      json_.end();
    } catch (const Error&) {
      if (!json_.ended() || run_.t.empty()) throw;
      run_.warnings.push_back(json_.name() + ": was not written to its end");
    }
    if (run_.t.empty()) throw Error(json_.name() + ": has no samples");
  }

 private:
  struct Joint {
    std::string name;
    std::vector<std::string> q_units, v_units;
  };
  struct Value {
    std::string name, unit;
  };

  std::vector<std::string> texts() {
    std::vector<std::string> list;
    json_.array([&] { list.push_back(json_.text()); });
    return list;
  }
  void joints() {
    json_.array([&] {
      Joint joint;
      json_.object([&](const std::string& key) {
        if (key == "name")
          joint.name = json_.text();
        else if (key == "q_units")
          joint.q_units = texts();
        else if (key == "v_units")
          joint.v_units = texts();
        else
          json_.skip();
      });
      joints_.push_back(std::move(joint));
    });
  }
  void quantities() {
    json_.array([&] {
      Value value;
      json_.object([&](const std::string& key) {
        if (key == "name")
          value.name = json_.text();
        else if (key == "unit")
          value.unit = json_.text();
        else
          json_.skip();
      });
      quantities_.push_back(std::move(value));
    });
  }

  /// All numbers of a value, whatever its shape, with their names: "pose:hand[0][3]".
  void numbers(const std::string& name, std::vector<std::pair<std::string, double>>& out) {
    const char c = json_.peek();
    if (c == '[') {
      int i = 0;
      json_.array([&] { numbers(fmt::format("{}[{}]", name, i++), out); });
    } else if (c == '{') {
      json_.object([&](const std::string& key) { numbers(name + "." + key, out); });
    } else if (c == 'n') {
      json_.skip();
      out.emplace_back(name, std::numeric_limits<double>::quiet_NaN());
    } else {
      out.emplace_back(name, json_.number());
    }
  }
  void sample() {
    const LineColumn at = json_.next_place();
    std::vector<std::pair<std::string, double>> t, q, v, more;
    std::vector<std::string> groups;
    json_.object([&](const std::string& key) {
      if (key == "t") return numbers(key, t);
      if (key == "q") return numbers(key, q);
      if (key == "v") return numbers(key, v);
      const std::size_t before = more.size();
      numbers(key, more);
      if (more.size() - before > 64) more.resize(before);  // too many to be plotted
      groups.resize(more.size(), key);
    });
    if (t.size() != 1) fail(json_.name(), at, "the sample has no t");
    if (run_.t.empty()) label(q.size(), v.size(), more, groups);
    if (q.size() + v.size() + more.size() != run_.columns.size())
      fail(json_.name(), at, "the sample has other numbers than the first");
    run_.t.push_back(t[0].second);
    for (const auto* list : {&q, &v, &more})
      for (const auto& [name, x] : *list) run_.table.push_back(x);
  }
  void label(std::size_t nq, std::size_t nv, const auto& more,
             const std::vector<std::string>& groups) {
    add("q", nq, &Joint::q_units);
    add("v", nv, &Joint::v_units);
    for (std::size_t i = 0; i < more.size(); ++i) {
      const auto known = std::ranges::find(quantities_, groups[i], &Value::name);
      run_.columns.push_back({groups[i], known == quantities_.end()
                                             ? more[i].first
                                             : more[i].first + " [" + known->unit + "]"});
    }
  }
  void add(const std::string& letter, std::size_t count, std::vector<std::string> Joint::*units) {
    const std::size_t before = run_.columns.size();
    for (const Joint& joint : joints_)
      for (std::size_t k = 0; k < (joint.*units).size(); ++k)
        run_.columns.push_back(
            {letter, letter + ":" + joint.name +
                         ((joint.*units).size() > 1 ? fmt::format("[{}]", k) : std::string()) +
                         " [" + (joint.*units)[k] + "]"});
    if (run_.columns.size() - before != count)
      throw Error(fmt::format("{}: {} has {} numbers; the joints have {}", json_.name(), letter,
                              count, run_.columns.size() - before));
  }
  /// Numbers and texts are facts, lists are what the summary names.
  void summary() {
    json_.object([&](const std::string& key) {
      const char c = json_.peek();
      if (c == '"')
        run_.facts.emplace_back(key, json_.text());
      else if (c == '-' || (c >= '0' && c <= '9'))
        run_.facts.emplace_back(key, fmt::format("{:.6g}", json_.number()));
      else
        json_.skip();
    });
  }

  JsonStream json_;
  ReportRun& run_;
  std::vector<Joint> joints_;
  std::vector<Value> quantities_;
};

}  // namespace
}  // namespace io

ReportRun read_report_run(const std::filesystem::path& path, const Model& model) {
  ReportRun run;
  std::ifstream file = io::open(path);
  io::RunReader(file, path.string(), run).read();
  if (!model) return run;
  const std::vector<std::string> names = io::csv_names(model);
  for (std::size_t i = 1; i < names.size(); ++i)
    if (i > run.columns.size() || run.columns[i - 1].label != names[i])
      throw Error(path.string() + ": is not a run of this model: it has no " + io::quote(names[i]));
  run.model = model;
  return run;
}

std::optional<std::filesystem::path> recorded_scenario(const std::filesystem::path& path) {
  std::ifstream file = io::open(path);
  io::JsonStream json(file, path.string());
  std::optional<std::filesystem::path> found;
  struct Enough {};
  try {
    json.object([&](const std::string& key) {
      if (key == "scenario") found = path.parent_path() / json.text();
      if (key == "scenario" || key == "samples") throw Enough();
      json.skip();
    });
  } catch (const Enough&) {
  }
  return found;
}

}  // namespace chasles
