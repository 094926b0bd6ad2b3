/// chasles render: a picture or a film of a run, drawn by chromium without a window.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chasles/io/report.hpp>
#include <chasles/io/scenario_file.hpp>
#include <chasles/simulation/simulation.hpp>
#include <cmath>
#include <cstdlib>

#include "browser.hpp"
#include "catch_interrupt.hpp"
#include "commands.hpp"
#include "interrupted.hpp"
#include "output.hpp"
#include "shown_run.hpp"
#include "simulate/progress.hpp"
#include "viewer_page.hpp"

namespace {

using namespace chasles;
using Clock = Browser::Clock;

struct RenderOptions {
  std::string run, out, model, size = "1280x720", camera;
  std::optional<double> at, from, to, speed;
  double rate = 30, limit = 900;
  bool page = false;
};

struct Size {
  int width = 0, height = 0;
};
/// "1280x720"; even, since films have one color for two by two pixels.
Size size_of(const std::string& text) {
  Size size;
  const char* end = text.data() + text.size();
  const auto first = std::from_chars(text.data(), end, size.width);
  const bool both = first.ec == std::errc{} && first.ptr != end && *first.ptr == 'x';
  const auto last = both ? std::from_chars(first.ptr + 1, end, size.height) : first;
  const auto good = [](int n) { return n >= 16 && n <= 4096; };
  if (!both || last.ec != std::errc{} || last.ptr != end || !good(size.width) || !good(size.height))
    throw Error("render: --size '" + text +
                "' is not a size; write 1280x720, each from 16 to 4096");
  return {size.width / 2 * 2, size.height / 2 * 2};
}

/// A view by name, or where the camera is, and the point it looks at, as JavaScript.
std::string camera_of(const std::string& text) {
  constexpr std::string_view views[] = {"front", "back", "left", "right", "top", "corner"};
  if (text.empty()) return "null";
  if (std::ranges::find(views, text) != std::end(views)) return "'" + text + "'";
  std::vector<double> numbers;
  const char *at = text.data(), *end = at + text.size();
  for (double x = 0; at != end;) {
    const auto [rest, error] = std::from_chars(at, end, x);
    if (error != std::errc{} || !std::isfinite(x) || (rest != end && *rest != ',')) break;
    numbers.push_back(x);
    at = rest == end ? end : rest + 1;
  }
  if (at != end || text.back() == ',' || (numbers.size() != 3 && numbers.size() != 6))
    throw Error("render: --camera '" + text +
                "' is not a view; give front, back, left, right, top, corner, or x,y,z of the "
                "camera, and x,y,z of the point it looks at");
  if (numbers.size() == 6 && std::equal(numbers.begin(), numbers.begin() + 3, numbers.begin() + 3))
    throw Error("render: --camera '" + text +
                "' is at the point that it looks at; move one of them");
  return fmt::format("[{}]", fmt::join(numbers, ","));
}

std::string from_base64(std::string_view text) {
  std::string out;
  unsigned bits = 0, count = 0;
  for (const char c : text) {
    const auto value = c >= 'A' && c <= 'Z'   ? c - 'A'
                       : c >= 'a' && c <= 'z' ? c - 'a' + 26
                       : c >= '0' && c <= '9' ? c - '0' + 52
                       : c == '+'             ? 62
                       : c == '/'             ? 63
                                              : -1;
    if (value < 0) break;  // the end
    bits = bits << 6U | static_cast<unsigned>(value);
    if ((count += 6) >= 8) out += static_cast<char>(bits >> (count -= 8) & 255U);
  }
  return out;
}

/// The run of a scenario, up to what is shown of it.
ReportRun simulated(Scenario scenario, const std::string& path, double until) {
  scenario.duration = std::clamp(until - scenario.start.t, 1e-9, scenario.duration);
  ReportRun run;
  ReportRecorder recorder(run);
  Progress progress(scenario.start.t, scenario.start.t + scenario.duration);
  try {
    Simulation simulation(scenario);
    simulation.run(recorder, [&](double t) {
      progress.reached(t);
      return interrupted == 0;
    });
  } catch (const RunError& error) {  // what came before is shown
    progress.clear();
    fmt::print(stderr, "warning: {}: {}\n", path, error.what());
  } catch (const Error& error) {
    throw Error(path + ": " + error.what());
  }
  return run;
}

bool has_ending(const std::string& path, std::initializer_list<const char*> endings) {
  const std::string ending = std::filesystem::path(path).extension().string();
  return std::ranges::any_of(endings, [&](const char* one) { return ending == one; });
}

bool is_recorded_run(const std::string& path) try {
  read_report_run(path);
  return true;
} catch (const Error&) {
  return false;
}

/// Within the run, or a sentence.
double time_within(const char* option, std::optional<double> t, double otherwise, double start,
                   double end) {
  if (!t) return otherwise;
  const double room = 1e-9 * (1 + std::abs(end));
  if (!(*t >= start - room && *t <= end + room))
    throw Error(
        fmt::format("render: {} {:g}: the run is from {:g} to {:g} s", option, *t, start, end));
  return std::clamp(*t, start, end);
}

/// A file that is not a page: a recorded run, else a scenario, which is simulated, else a model, which is at rest.
std::string page_of(const RenderOptions& options, bool film,
                    std::vector<std::filesystem::path>& inputs) {
  if (has_ending(options.run, {".csv"})) {
    const ReportRun run = read_shown_run(options.run, options.model, inputs);
    return write_report(viewer_page(), {&run, 1});
  }
  if (has_ending(options.run, {".json"})) try {
      const ReportRun run = read_shown_run(options.run, options.model, inputs);
      return write_report(viewer_page(), {&run, 1});
    } catch (const Error&) {
      inputs.clear();
      if (is_recorded_run(options.run)) throw;  // its scenario, or --model, is at fault
      try {                                     // scenarios and models may be .json, too
        read_scenario_or_mechanism(options.run, {});
      } catch (const Error&) {
        inputs.clear();
        throw;
      }
    }
  if (!options.model.empty())
    throw Error("render: --model is for recorded runs, .json or .csv; " + options.run + " is none");
  ModelInput input;
  input.path = options.run;
  const Subject subject = read_subject(input, {}, {.appearance = true});
  inputs = subject.inputs;
  if (subject.is_scenario) {
    // Before the run, which takes a while.
    const double start = subject.scenario.start.t, end = start + subject.scenario.duration;
    time_within("--at", options.at, start, start, end);
    time_within("--from", options.from, start, start, end);
    time_within("--to", options.to, end, start, end);
    const double until = film ? options.to.value_or(HUGE_VAL) : options.at.value_or(HUGE_VAL);
    const ReportRun run = simulated(subject.scenario, options.run, until);
    return write_report(viewer_page(), {&run, 1});
  }
  if (film || options.at)
    throw Error(options.run +
                ": is a model, which does not move; record a run of it, chasles simulate " +
                options.run + " -o run.json, or write a picture, -o PICTURE.png, without --at");
  const Appearance& appearance = subject.scenario.appearance;
  std::vector<std::string> warnings = appearance.notes;
  const Vector q = first_configuration(subject, warnings);
  return write_view(viewer_page(), subject.model, appearance, q, warnings);
}

/// A page in a folder of its own, which is removed with this object.
class TemporaryPage {
 public:
  explicit TemporaryPage(const std::string& text) {
    std::string folder = (std::filesystem::temp_directory_path() / "chasles_page_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr)
      throw std::runtime_error("there is no folder for temporary files: " + folder);
    folder_ = folder;
    OutputFile file(path());
    file.write(text);
    file.commit();
  }
  ~TemporaryPage() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  TemporaryPage(const TemporaryPage&) = delete;
  TemporaryPage& operator=(const TemporaryPage&) = delete;
  std::filesystem::path path() const { return folder_ / "page.html"; }

 private:
  std::filesystem::path folder_;
};

/// 1, 2 or 5 times a power of ten that is at least x.
double round_up(double x) {
  const double power = std::pow(10, std::floor(std::log10(x)));
  for (const double digit : {1.0, 2.0, 5.0})
    if (digit * power >= 0.999 * x) return digit * power;
  return 10 * power;
}
/// Real time for runs of 3 to 30 s; others take up to 15 s, or some 5 s.
double fitting_speed(double length) {
  if (length > 30) return round_up(length / 15);
  return length > 0 && length < 3 ? round_up(length / 6) : 1;
}

/// Frame by frame, until the film is whole, interrupted, or out of time.
std::string filmed(Browser& browser, const RenderOptions& options, Clock::time_point end) {
  if (browser.number("chasles.page.player ? 1 : 0", end) == 0)
    throw Error(options.run + ": is a mechanism at rest; films are of runs");
  const double start = browser.number("chasles.page.player.start", end),
               last = browser.number("chasles.page.player.end", end),
               from = time_within("--from", options.from, start, start, last),
               to = time_within("--to", options.to, last, start, last);
  if (!(to > from))
    throw Error(fmt::format("render: a film from {:g} to {:g} s has no length", from, to));
  const double speed = options.speed.value_or(fitting_speed(to - from));
  const double exact = std::ceil((to - from) / speed * options.rate - 1e-6);
  if (!(exact < 100'000))
    throw Error(fmt::format(
        "render: a film of {:.0f} frames is too long; give a higher --speed, or --from and --to",
        exact));
  const int count = static_cast<int>(exact) + 1;
  const double bits =
      0.12 * browser.number("chasles.film.width * chasles.film.height", end) * options.rate;
  browser.text(fmt::format("chasles.film.begin({}, {:.0f})", options.rate, std::max(bits, 2e5)),
               end);
  Progress progress(from, to);
  for (int k = 0; k < count; ++k) {
    const double t = std::min(from + k * speed / options.rate, to);
    try {
      browser.text(fmt::format("chasles.film.frame({})", t), end);
    } catch (const std::exception& error) {
      progress.clear();
      if (Clock::now() < end) throw;
      throw std::runtime_error(fmt::format(
          "{} was not finished within {:g} s: {} of {} frames; give a smaller --size, a higher "
          "--speed, or a larger --time-limit",
          options.out, options.limit, k, count));
    }
    progress.reached(t);
    if (interrupted != 0) throw Interrupted(interrupted);
  }
  progress.clear();
  const int pieces = static_cast<int>(browser.number("chasles.film.end()", end));
  std::string out;
  for (int i = 0; i < pieces; ++i)
    out += from_base64(browser.text(fmt::format("chasles.film.piece({})", i), end));
  fmt::print(stderr,
             "{}: {} frames at {:g} frames per second, {:g} s of the run at {:g} times its speed\n",
             options.out, count, options.rate, to - from, speed);
  return out;
}

std::string pictured(Browser& browser, const RenderOptions& options, Clock::time_point end) {
  std::string at = "null";
  if (browser.number("chasles.page.player ? 1 : 0", end) > 0) {
    const double start = browser.number("chasles.page.player.start", end),
                 last = browser.number("chasles.page.player.end", end);
    at = fmt::format("{}", time_within("--at", options.at, start, start, last));
  } else if (options.at) {
    throw Error(options.run + ": is a mechanism at rest, which has no time; leave out --at");
  }
  if (!options.page) return from_base64(browser.text("chasles.film.picture(" + at + ")", end));
  if (at != "null")
    browser.text("void (chasles.page.player.play(false), chasles.page.player.seek(" + at + "))",
                 end);
  browser.text(
      "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(''))))",
      end);
  return from_base64(browser.screenshot(end));
}

void require_options(const RenderOptions& options, bool film) {
  const auto refuse = [](const std::string& why) { throw Error("render: " + why); };
  if (film && (options.at || options.page))
    refuse("--at and --page are for pictures, -o PICTURE.png");
  if (!film && (options.from || options.to || options.speed))
    refuse("--from, --to and --speed are for films, -o FILM.webm");
  for (const auto& [name, x, most] :
       {std::tuple{"--speed", options.speed.value_or(1), 1e9},
        std::tuple{"--fps", options.rate, 240.0}, std::tuple{"--time-limit", options.limit, 1e6}})
    if (!(x > 0 && x <= most))
      refuse(fmt::format("{} {:g} is not within 0 and {:g}", name, x, most));
}

void render(const RenderOptions& options) {
  if (options.out == "-" || !has_ending(options.out, {".png", ".webm"}))
    throw Error(options.out + ": pictures are written as .png, films as .webm; choose this ending");
  const bool film = has_ending(options.out, {".webm"});
  require_options(options, film);
  const Size size = size_of(options.size);
  const std::string camera = camera_of(options.camera);
  const CatchInterrupt guard;
  std::vector<std::filesystem::path> inputs;
  std::optional<TemporaryPage> made;
  if (has_ending(options.run, {".html"})) {
    inputs.emplace_back(options.run);
    if (!std::filesystem::is_regular_file(options.run))
      throw Error(options.run + ": there is no such file");
  } else {
    made.emplace(page_of(options, film, inputs));
  }
  if (interrupted != 0) throw Interrupted(interrupted);
  OutputFile file(options.out, inputs);  // says early that it cannot be written
  const auto end = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                      std::chrono::duration<double>(options.limit));
  Browser browser(size.width, size.height, end);
  try {
    browser.open(made ? made->path() : std::filesystem::path(options.run), end);
    if (!options.page)
      browser.text(
          fmt::format("void (chasles.film = new Film(chasles.page, {{width: {}, height: {}, "
                      "camera: {}}}))",
                      size.width, size.height, camera),
          end);
    file.write(film ? filmed(browser, options, end) : pictured(browser, options, end));
  } catch (const Error&) {
    throw;
  } catch (const std::runtime_error& error) {
    throw std::runtime_error(options.run + ": " + error.what());
  }
  file.commit();
}

}  // namespace

void add_render(Command program) {
  const Command command =
      program.add_command("render", "Draw a run: a picture at a time, or a film, without a window");
  const auto options = std::make_shared<RenderOptions>();
  command
      .add_option("RUN", options->run,
                  "A recorded run, .json or .csv; a report or view, .html; a scenario, which is "
                  "simulated; or a model")
      .required();
  command.add_option("-o,--output", options->out, "PICTURE.png or FILM.webm").required();
  command.add_option("--at", options->at, "Time of the picture [s]; default: the start");
  command.add_option("--from", options->from, "Start of the film [s]");
  command.add_option("--to", options->to, "End of the film [s]");
  command.add_option("--speed", options->speed,
                     "Of the film; default: 1, and of runs below 3 s and beyond 30 s what makes a "
                     "film of some 5 or 15 s");
  command.add_option("--fps", options->rate, "Frames per second; default 30");
  command.add_option("--size", options->size, "Pixels, default 1280x720");
  command.add_option("--camera", options->camera,
                     "front, back, left, right, top, corner, or where it is: x,y,z, or that and "
                     "the point that it looks at: x,y,z,x,y,z [m]");
  command.add_option("--model", options->model,
                     "Scenario or model of a recorded run; default: the scenario that it names");
  command.add_flag("--page", options->page, "The picture is of the whole page, with its plots");
  command.add_option("--time-limit", options->limit, "For all of the drawing [s]; default 900");
  command.footer(
      "It is drawn by chromium, which must be installed. Where graphics are computed by the "
      "processor, a\n"
      "frame of 1280x720 takes about a second.\n"
      "  chasles render run.json -o film.webm\n"
      "  chasles render run.json --at 1.5 --camera front --size 1920x1080 -o picture.png");
  command.callback([=] { render(*options); });
}
