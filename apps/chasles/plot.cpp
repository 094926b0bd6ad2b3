/// chasles plot: quantities of a recorded run over time, or over each other, as SVG.
#include <fmt/format.h>

#include <chasles/io/plot.hpp>
#include <filesystem>

#include "commands.hpp"
#include "output.hpp"

namespace {

struct PlotArguments {
  std::string run, out, title;
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

void plot(const PlotArguments& options) {
  require_ending(options.out, {".svg"}, "plots are written as .svg");
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
    svg = plot_svg(run, {.title = title, .logarithmic = options.logarithmic});
  } catch (const chasles::Error& error) {
    throw chasles::Error(options.run + ": " + error.what());
  }
  const std::string out = output_of(options);
  write_output(svg, out, inputs);
  if (options.out.empty() && !out.empty()) fmt::print("plot in {}\n", out);
}

}  // namespace

void add_plot(Command program) {
  const Command command =
      program.add_command("plot", "Draw quantities of a recorded run over time, as SVG");
  const auto options = std::make_shared<PlotArguments>();
  command
      .add_option("RUN", options->run,
                  "File of simulate -o, .csv or .json, or - for CSV on standard input")
      .required();
  command
      .add_option("QUANTITY", options->quantities,
                  "Columns: by name (q:elbow), by beginning (q, pose:hand) or with * and ?")
      .required();
  command.add_option("-o,--output", options->out,
                     "SVG file, or - for standard output; default: beside the run, RUN.svg");
  command.add_option("--title", options->title, "Above the plot; default: the name of the file");
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
      "  chasles plot run.csv q energy 'twist:hand*' -o run.svg");
  command.callback([=] { plot(*options); });
}
