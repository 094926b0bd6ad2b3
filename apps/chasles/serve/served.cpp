#include "served.hpp"

#include <fmt/format.h>

#include <charconv>
#include <chasles/io/report.hpp>
#include <chasles/io/scenario_file.hpp>
#include <chasles/version.hpp>
#include <cmath>
#include <fstream>
#include <sstream>

#include "json.hpp"
#include "viewer_page.hpp"

using namespace chasles;

namespace {

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(file.string() + ": there is no such file, or it cannot be read");
  std::ostringstream all;
  all << in.rdbuf();
  return all.str();
}

double number_of(const LocalServer::Request& request, const std::string& key) {
  const auto found = request.values.find(key);
  if (found == request.values.end()) throw Error("'" + request.path + "' needs a " + key);
  double x = 0;
  const char* end = found->second.data() + found->second.size();
  const auto [rest, error] = std::from_chars(found->second.data(), end, x);
  if (error != std::errc{} || rest != end || !std::isfinite(x))
    throw Error(key + " '" + found->second + "' is not a finite number");
  return x;
}
double number_within(const LocalServer::Request& request, const std::string& key, double least,
                     double most) {
  const double x = number_of(request, key);
  if (!(x >= least && x <= most))
    throw Error(fmt::format("{} {:g} is not within {:g} and {:g}", key, x, least, most));
  return x;
}

/// Text that a script of the page may contain: no end of it, no comment.
std::string in_script(std::string text) {
  for (std::size_t at = 0; (at = text.find('<', at)) != text.npos; at += 6)
    text.replace(at, 1, "\\u003c");
  return text;
}

/// The page of viewer/, which may ask its own server.
std::string live_page(const std::string& title) {
  std::string page(viewer_page());
  const auto replace = [&](std::string_view what, const std::string& by) {
    const auto at = page.find(what);
    if (at == page.npos) throw std::logic_error("the page lacks " + std::string(what));
    page.replace(at, what.size(), by);
  };
  replace("default-src 'none';", "default-src 'none'; connect-src 'self';");
  const Json data{{"kind", "live"}, {"title", title}, {"version", version()}};
  replace("CHASLES_DATA", in_script(data.dump(0)));
  return page;
}

}  // namespace

Served::Served(std::string path, bool paused) : path_(std::move(path)), paused_(paused) {
  const std::lock_guard lock(mutex_);
  load();
}

std::string Served::failure() const {
  const std::lock_guard lock(mutex_);
  return failure_;
}

Served::Stamps Served::stamps_of(const std::vector<std::filesystem::path>& files) {
  Stamps out;
  for (const std::filesystem::path& file : files) {
    std::error_code missing, ignored;
    const auto time = std::filesystem::last_write_time(file, missing);
    out[file] = {missing ? std::filesystem::file_time_type{} : time,
                 std::filesystem::file_size(file, ignored)};
  }
  return out;
}

void Served::watch() {
  const std::lock_guard lock(mutex_);
  if (stamps_of(files_) == stamps_) return;
  changes_.clear();  // the file is what counts
  load();
}

/// Reads the file, as the user left it. The run that is shown goes on until there is another one.
void Served::load() {
  std::vector<std::string> warnings;
  std::vector<std::filesystem::path> files;
  const Stamps before = stamps_of({path_});
  std::string failure;
  try {
    text_ = content_of(path_);
    std::vector<ScenarioNumber> numbers = scenario_numbers(text_, path_);
    const Scenario scenario = read_scenario(path_, &warnings, &files, {});
    numbers_ = std::move(numbers);
    auto next = std::make_unique<LiveRun>(scenario, std::nullopt, number_ + 1, board_);
    run_ = std::move(next);
    ++number_;
    appearance_ = scenario.appearance;
    describe(warnings);
    go_on();
  } catch (const std::exception& error) {
    failure = error.what();
  }
  if (!failure.empty()) files.insert(files.end(), files_.begin(), files_.end());
  if (std::ranges::find(files, std::filesystem::path(path_)) == files.end())
    files.emplace_back(path_);
  files_ = std::move(files);
  stamps_ = stamps_of(files_);
  if (stamps_[path_] != before.at(path_)) stamps_.erase(path_);  // written meanwhile: read it again
  failure_ = failure;
  if (!failure.empty()) {
    fmt::print(stderr, "chasles: {}\n", failure);
    if (run_) run_->pause(true);
  }
  board_.write(board_.text());
}

/// As the page has set it.
void Served::go_on() {
  run_->set_speed(speed_);
  run_->pause(paused_);
}

void Served::describe(const std::vector<std::string>& warnings) {
  std::vector<std::string> notes = warnings;
  notes.insert(notes.end(), appearance_.notes.begin(), appearance_.notes.end());
  model_ = write_view("CHASLES_DATA", run_->model(), appearance_, run_->state().q, notes);
}

/// The file's text with the numbers of the page.
std::string Served::changed_text() const {
  std::string text = text_;
  for (const auto& [path, value] : changes_) text = with_number(text, path_, path, value);
  return text;
}

/// Another number: the run goes on from its state, if that is not what the number is about, and if it can.
void Served::set(const std::string& path, double value) {
  with_number(text_, path_, path, value);  // the number is there
  std::map<std::string, double> changes = changes_;
  changes[path] = value;
  std::vector<std::string> texts;
  for (const auto& [key, x] : changes) texts.push_back(fmt::format("{}={}", key, x));
  const Scenario scenario = read_scenario(path_, nullptr, nullptr, texts);
  const bool start = path.starts_with("initial") || !run_;
  std::unique_ptr<LiveRun> next;
  if (!start && run_->model().nq() == scenario.model.nq() &&
      run_->model().nv() == scenario.model.nv())
    try {
      next = std::make_unique<LiveRun>(scenario, run_->state(), number_, board_);
    } catch (const Error&) {  // it cannot go on from there
    }
  if (!next) next = std::make_unique<LiveRun>(scenario, std::nullopt, number_, board_);
  run_ = std::move(next);
  go_on();
  changes_ = std::move(changes);
}

void Served::command(const LocalServer::Request& request) {
  const std::lock_guard lock(mutex_);
  if (request.path == "set") {
    const auto path = request.values.find("path");
    if (path == request.values.end()) throw Error("'set' needs a path");
    return set(path->second, number_of(request, "value"));
  }
  if (!run_) throw Error("there is no run: " + failure_);
  if (request.path == "pause" || request.path == "go") {
    paused_ = request.path == "pause";
    return run_->pause(paused_);
  }
  if (request.path == "step") {
    const double seconds = number_within(request, "seconds", 1e-9, 10);
    paused_ = true;
    return run_->step(seconds);
  }
  if (request.path == "restart") return run_->restart();
  if (request.path == "speed") {
    speed_ = number_within(request, "factor", 1e-6, 1e3);
    return run_->set_speed(speed_);
  }
  if (request.path == "release") return run_->pull({});
  if (request.path != "pull") throw Error("'" + request.path + "' is not a command");
  const auto three = [&](const char* name) {
    const auto one = [&](const char* axis) {
      return number_within(request, std::string(name) + axis, -1e9, 1e9);
    };
    return Vec3{one("x"), one("y"), one("z")};
  };
  const auto bodies = static_cast<double>(run_->model().bodies().size());
  const double body = number_within(request, "body", 0, bodies - 1);
  const double factor =
      request.values.contains("factor") ? number_within(request, "factor", 1e-6, 1e6) : 1;
  run_->pull(
      {static_cast<int>(body), three("point"), three("target"), factor * run_->usual_stiffness()});
}

LocalServer::Answer Served::events() const {
  return {.events = [this, count = std::uint64_t{0}]() mutable {
    const std::uint64_t before = count;
    std::string state = board_.wait(count, std::chrono::seconds(1));
    if (count == before && before != 0) return std::string();
    const std::lock_guard lock(mutex_);
    std::string head = Json{{"number", number_}, {"failure", failure_}}.dump(0);
    std::erase(head, '\n');
    return head + "\n" + state;
  }};
}

LocalServer::Answer Served::answer(const LocalServer::Request& request) {
  const bool get = request.method == "GET";
  if (get && request.path.empty()) {
    const std::string title = std::filesystem::path(path_).filename().string();
    return {.type = "text/html; charset=utf-8", .text = live_page(title)};
  }
  if (get && request.path == "events") return events();
  const auto as_json = [](std::string text) {
    return LocalServer::Answer{.type = "application/json", .text = std::move(text)};
  };
  if (get && request.path == "model") {
    const std::lock_guard lock(mutex_);
    if (!run_) return {.status = 404, .text = failure_};
    return as_json(model_);
  }
  if (get && request.path == "numbers") {
    const std::lock_guard lock(mutex_);
    Json list = Json::array();
    for (const ScenarioNumber& number : numbers_) {
      const auto changed = changes_.find(number.path);
      list.push_back({{"path", number.path},
                      {"file", number.value},
                      {"value", changed != changes_.end() ? changed->second : number.value}});
    }
    return as_json(list.dump(0));
  }
  if (get && request.path == "text") {
    const std::lock_guard lock(mutex_);
    return {.text = changed_text()};
  }
  if (get) return {.status = 404, .text = "there is no '" + request.path + "' here"};
  command(request);
  return {.text = "done"};
}
