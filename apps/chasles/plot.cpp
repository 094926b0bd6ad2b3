/// chasles plot: quantities of a recorded run over time, or over each other, as SVG, PDF or PNG.
#include <fmt/format.h>

#include <charconv>
#include <chasles/io/plot.hpp>
#include <filesystem>

#include "child.hpp"
#include "commands.hpp"
#include "output.hpp"

namespace {

struct PlotArguments {
  std::string run, out, title, width, font, font_size;
  std::vector<std::string> quantities, more;
  bool logarithmic = false, phase = false;
};

chasles::RunColumns read(const std::string& run, const PlotArguments& options) {
  chasles::RunColumns columns = chasles::read_columns(run, options.quantities);
  return options.phase ? over_column(std::move(columns), 0) : columns;
}
/// The name of a run in legends and titles.
std::string name_of(const std::string& run) {
  return run == "-" ? "standard input" : std::filesystem::path(run).stem().string();
}
/// Beside the run: run.csv is plotted as run.svg. Standard input is plotted to standard output.
std::string output_of(const PlotArguments& options) {
  if (!options.out.empty() || options.run == "-") return options.out;
  return std::filesystem::path(options.run).replace_extension(".svg").string();
}

/// "86mm", "3.4in", "86": a number in one of these units, the first of which may be left out.
struct Unit {
  const char* name;
  double size;
};
double length_of(const std::string& option, const std::string& text, const char* usual,
                 std::initializer_list<Unit> units) {
  if (text.empty()) return 0;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error == std::errc{} && number != 0)
    for (const Unit& unit : units)
      if (std::string_view(rest, end) == unit.name || rest == end) return number * unit.size;
  std::string names;
  for (const Unit& unit : units)
    names += (names.empty() ? "" : ", ") + std::string(usual) + unit.name;
  throw chasles::Error("plot: " + option + " '" + text + "' is not a length; write it as " + names);
}

/// An SVG as PDF or PNG, by the program of librsvg: it embeds the fonts, in all alphabets.
std::string converted(const std::string& svg, const std::string& ending) {
  if (!find_program({"rsvg-convert"}))
    throw std::runtime_error("plots become " + ending +
                             " by rsvg-convert, which is not installed (on Debian: apt-get install "
                             "librsvg2-bin); write -o PLOT.svg instead");
  std::vector<std::string> words{"rsvg-convert", "--format", ending};
  if (ending == "png") words.insert(words.end(), {"--dpi-x", "300", "--dpi-y", "300"});
  Child program(words, 0, 1);
  const auto end = Child::Clock::now() + std::chrono::minutes(2);
  program.write(svg, end);
  program.end_input();
  std::string out;
  for (std::string part; !(part = program.read(end)).empty();) out += part;
  if (program.wait(end) != 0 || out.empty())
    throw std::runtime_error("rsvg-convert could not convert the plot; write -o PLOT.svg instead");
  return out;
}

void plot(const PlotArguments& options) {
  require_ending(options.out, {".svg", ".pdf", ".png"}, "plots are written as .svg, .pdf or .png");
  const double width =
      length_of("--width", options.width, "86", {{"mm", 1}, {"cm", 10}, {"in", 25.4}});
  const double font_size = length_of("--font-size", options.font_size, "8", {{"pt", 1}});
  std::string svg;
  std::vector<std::filesystem::path> inputs{options.run};
  chasles::RunColumns run = read(options.run, options);
  for (const std::string& more : options.more) {
    append_run(run, name_of(options.run), read(more, options), name_of(more));
    inputs.emplace_back(more);
  }
  const std::string title = !options.title.empty() ? options.title
                            : options.run == "-"   ? ""
                                                   : name_of(options.run);
  try {
    svg = plot_svg(run, {.title = title,
                         .logarithmic = options.logarithmic,
                         .width = width,
                         .font = options.font,
                         .font_size = font_size});
  } catch (const chasles::Error& error) {
    throw chasles::Error(options.run + ": " + error.what());
  }
  const std::string out = output_of(options);
  const std::string ending = std::filesystem::path(out).extension().string();
  const bool other =
      !out.empty() && !chasles::is_stream(out) && (ending == ".pdf" || ending == ".png");
  write_output(other ? converted(svg, ending.substr(1)) : svg, out, inputs);
  if (options.out.empty() && !out.empty()) fmt::print("plot in {}\n", out);
}

}  // namespace

void add_plot(Command program) {
  const Command command =
      program.add_command("plot", "Draw quantities of recorded runs over time, as SVG, PDF or PNG");
  const auto options = std::make_shared<PlotArguments>();
  command
      .add_option("RUN", options->run,
                  "File of simulate -o, .csv or .json, or - for CSV on standard input")
      .required();
  command
      .add_option("QUANTITY", options->quantities,
                  "Columns: by name (q:elbow), by beginning (q, pose:hand) or with * and ?")
      .required();
  command.add_option(
      "-o,--output", options->out,
      "PLOT.svg, PLOT.pdf or PLOT.png, or - for SVG on standard output; default: beside "
      "the run, RUN.svg");
  command.add_option("--title", options->title, "Above the plot; default: the name of the file");
  command.add_option("--width", options->width,
                     "Of the plot in print, such as 86mm (one column), 8.6cm or 3.4in");
  command.add_option("--font", options->font, "Family of its texts, such as 'Times New Roman'");
  command.add_option("--font-size", options->font_size, "Of its texts, such as 8pt");
  command
      .add_option("--with", options->more,
                  "Another run in the same figure, with the same quantities; may be given again")
      .one_at_a_time();
  command.add_flag("--phase", options->phase,
                   "Over the first of the quantities instead of time: a phase plot");
  command.add_flag("--log", options->logarithmic,
                   "Logarithmic axes; values that are not positive are left out");
  command.footer(
      "Curves of one unit share a panel; --phase takes the first quantity as x:\n"
      "  chasles plot run.csv q:elbow v:elbow --phase\n"
      "Cells that are empty, nan or inf are gaps.\n"
      "  chasles plot run.csv q energy 'twist:hand*' -o run.svg\n"
      "  chasles plot run.json energy --width 86mm --font-size 8pt -o energy.pdf");
  command.callback([=] { plot(*options); });
}
