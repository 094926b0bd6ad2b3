/// chasles plot: quantities of a recorded run over time, as SVG.
#include <chasles/io/plot.hpp>
#include <filesystem>

#include "commands.hpp"
#include "output.hpp"

namespace {

struct PlotArguments {
  std::string run, out, title;
  std::vector<std::string> quantities;
  bool logarithmic = false;
};

void plot(const PlotArguments& options) {
  require_ending(options.out, {".svg"}, "plots are written as .svg");
  const std::filesystem::path path = options.run;
  const chasles::RunColumns run = chasles::read_columns(path, options.quantities);
  const std::string title = !options.title.empty() ? options.title
                            : options.run == "-"   ? ""
                                                   : path.stem().string();
  std::string svg;
  try {
    svg = plot_svg(run, {.title = title, .logarithmic = options.logarithmic});
  } catch (const chasles::Error& error) {
    throw chasles::Error(options.run + ": " + error.what());
  }
  const std::filesystem::path inputs[] = {path};
  write_output(svg, options.out, inputs);
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
                     "SVG file, or - for standard output, the default");
  command.add_option("--title", options->title, "Above the plot; default: the name of the file");
  command.add_flag("--log", options->logarithmic,
                   "Logarithmic axes; values that are not positive are left out");
  command.footer(
      "Curves of one unit share a panel. Cells that are empty, nan or inf are gaps.\n"
      "  chasles plot run.csv q energy 'twist:hand*' -o run.svg");
  command.callback([=] { plot(*options); });
}
