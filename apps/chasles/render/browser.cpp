#include "browser.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

namespace {

using nlohmann::json;

constexpr auto patience = std::chrono::minutes(2);  // for the start

/// What a page needs to be drawn by software, and nothing that reaches for the network.
std::vector<std::string> command(const std::string& program, const std::filesystem::path& folder,
                                 int width, int height) {
  std::vector<std::string> words{program,
                                 "--headless=new",
                                 "--remote-debugging-pipe",
                                 "--use-gl=angle",
                                 "--use-angle=swiftshader",
                                 "--enable-unsafe-swiftshader",
                                 "--disable-blink-features=AutomationControlled",  // smooth edges
                                 "--no-first-run",
                                 "--no-default-browser-check",
                                 "--disable-background-networking",
                                 "--disable-component-update",
                                 "--disable-default-apps",
                                 "--disable-dev-shm-usage",
                                 "--disable-extensions",
                                 "--disable-sync",
                                 "--hide-scrollbars",
                                 "--mute-audio",
                                 "--force-color-profile=srgb",
                                 fmt::format("--window-size={},{}", width, height),
                                 "--user-data-dir=" + folder.string()};
  if (geteuid() == 0) words.emplace_back("--no-sandbox");  // chromium refuses root otherwise
  words.emplace_back("about:blank");
  return words;
}

/// A file as an address: bytes other than those of names are escaped.
std::string address_of(const std::filesystem::path& file) {
  std::string out = "file://";
  for (const char c : std::filesystem::absolute(file).string()) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (byte < 0x80 && std::isalnum(byte) != 0) ||
                       std::string_view("/-_.~").find(c) != std::string_view::npos;
    out += plain ? std::string(1, c) : fmt::format("%{:02X}", byte);
  }
  return out;
}

}  // namespace

Browser::Browser(int width, int height, Clock::time_point end) {
  const auto program = find_program({"chromium", "chromium-browser", "google-chrome", "chrome"});
  if (!program)
    throw std::runtime_error(
        "pictures and films are drawn by chromium, which is not installed (on Debian: apt-get "
        "install chromium); without it, make a page by 'chasles report' and open it in any "
        "browser");
  std::string folder = (std::filesystem::temp_directory_path() / "chasles_XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr)
    throw std::runtime_error("there is no folder for temporary files: " + folder);
  folder_ = folder;
  try {
    chromium_.emplace(command(*program, folder_, width, height), 3, 4);
    const auto soon = std::min(end, Clock::now() + patience);
    const json made = json::parse(call("Target.createTarget", R"({"url":"about:blank"})", soon));
    const json attached =
        json::parse(call("Target.attachToTarget",
                         json{{"targetId", made.at("targetId")}, {"flatten", true}}.dump(), soon));
    session_ = attached.at("sessionId").get<std::string>();
    call("Emulation.setDeviceMetricsOverride",
         json{{"width", width}, {"height", height}, {"deviceScaleFactor", 1}, {"mobile", false}}
             .dump(),
         soon);
  } catch (const std::exception& error) {
    chromium_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
    if (Clock::now() >= end)
      throw std::runtime_error("chromium was not ready within the --time-limit; give a larger one");
    throw std::runtime_error(
        fmt::format("{} does not start ({}); try '{} --headless --dump-dom "
                    "about:blank', which says why",
                    *program, error.what(), *program));
  }
}

Browser::~Browser() {
  chromium_.reset();
  std::error_code ignored;
  for (int attempt = 0; attempt < 20 && std::filesystem::exists(folder_, ignored); ++attempt) {
    std::filesystem::remove_all(folder_, ignored);  // its processes may still be writing
    if (std::filesystem::exists(folder_, ignored)) usleep(50'000);
  }
}

/// Messages end with a zero; answers have the number of their question, all else is news.
std::string Browser::call(const std::string& method, const std::string& parameters,
                          Clock::time_point end) {
  json question{{"id", ++count_}, {"method", method}, {"params", json::parse(parameters)}};
  if (!session_.empty()) question["sessionId"] = session_;
  chromium_->write(question.dump() + '\0', end);
  for (;;) {
    std::size_t zero = arrived_.find('\0');
    while (zero == arrived_.npos) {
      const std::string more = chromium_->read(end);
      if (more.empty()) throw std::runtime_error("chromium has ended");
      const std::size_t from = arrived_.size();
      arrived_ += more;
      zero = arrived_.find('\0', from);
    }
    const json answer = json::parse(arrived_.substr(0, zero), nullptr, false);
    arrived_.erase(0, zero + 1);
    if (answer.is_discarded() || answer.value("id", 0) != count_) continue;
    if (answer.contains("error"))
      throw std::runtime_error(method + ": " + answer["error"].value("message", "fails"));
    return answer.value("result", json::object()).dump();
  }
}

std::string Browser::evaluate(const std::string& expression, Clock::time_point end) {
  const json parameters{
      {"expression", expression}, {"awaitPromise", true}, {"returnByValue", true}};
  const json result = json::parse(call("Runtime.evaluate", parameters.dump(), end));
  if (result.contains("exceptionDetails")) {
    const json& details = result["exceptionDetails"];
    std::string text = details.value("text", "an exception");
    if (details.contains("exception")) text = details["exception"].value("description", text);
    throw std::runtime_error(text.substr(0, text.find('\n')));
  }
  return result.at("result").value("value", json()).dump();
}

std::string Browser::text(const std::string& expression, Clock::time_point end) {
  const json value = json::parse(evaluate(expression, end));
  return value.is_string() ? value.get<std::string>() : "";
}
double Browser::number(const std::string& expression, Clock::time_point end) {
  const json value = json::parse(evaluate(expression, end));
  return value.is_number() ? value.get<double>() : 0;
}

void Browser::open(const std::filesystem::path& page, Clock::time_point end) {
  const json went =
      json::parse(call("Page.navigate", json{{"url", address_of(page) + "#play=0"}}.dump(), end));
  if (went.contains("errorText"))
    throw std::runtime_error(page.string() + ": " + went["errorText"].get<std::string>());
  while (Clock::now() < end) {
    const std::string state = text(
        "location.href === 'about:blank' || document.readyState !== 'complete' ? 'loading' : "
        "document.documentElement.dataset.ready === 'true' ? 'ready' : "
        "window.chasles ? 'failed: ' + chasles.errors.join('; ') : 'other'",
        end);
    if (state == "ready") return;
    if (state == "other")
      throw std::runtime_error(page.string() + ": is not a page of 'chasles report' or 'view'");
    if (state != "loading") throw std::runtime_error(page.string() + ": the page " + state);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  throw std::runtime_error(page.string() + ": takes too long to load");
}

std::string Browser::screenshot(Clock::time_point end) {
  const json picture = json::parse(call("Page.captureScreenshot", R"({"format":"png"})", end));
  return picture.value("data", "");
}
