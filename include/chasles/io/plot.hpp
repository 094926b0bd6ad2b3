/// Plots of recorded runs as SVG, without external tools.
///
///     std::ifstream file("run.csv");
///     const RunColumns run = read_columns(file, "run.csv", {{"q", "energy"}});
///     std::ofstream("plot.svg") << plot_svg(run, {.title = "fall"});
///
/// Curves of the same unit share a panel; panels are stacked over the same time axis.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "chasles/error.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Columns of a table over its first column.
struct RunColumns {
  struct Column {
    std::string name, unit;  // "q:elbow", "rad"; no unit: empty
    std::vector<double> values{};
    std::vector<double> at{};  // abscissas of the values; empty: those of the table
  };
  Column time;
  std::vector<Column> columns;  // each as long as time; non-finite values are gaps
};

/// Reads the requested columns from a run, .csv or .json, or any CSV with a header and numbers. A quantity is a column,
/// a prefix of columns (`q`: `q:elbow`, ..; `pose:hand`: `pose:hand[0][3]`, ..) or a pattern with * and ?. An empty
/// cell is a gap. An incomplete last line is ignored.
/// @param name  name of the text in messages
/// @throws Error naming the line and the cell, or the unknown quantity, with the nearest name
RunColumns read_columns(std::istream& in, const std::string& name,
                        std::span<const std::string> quantities);
RunColumns read_columns(const std::filesystem::path& path, std::span<const std::string> quantities);

/// The table over another of its columns instead of the first: phase plots.
/// @param x  index in `columns`
/// @throws Error if there is no such column, or no other
RunColumns over_column(RunColumns run, std::size_t x);
/// Appends the columns of another table with their own abscissas; the name of each begins with that of its run.
/// @throws Error if the abscissas have different names or units
void append_run(RunColumns& run, const std::string& name, RunColumns other,
                const std::string& other_name);

struct PlotOptions {
  std::string title{};
  bool logarithmic = false;  // nonpositive values are gaps
  /// Of the whole plot, 30 to 2000 [mm]; 0: as much as 640 pixels of curves and the legend take. Where the legend would
  /// take more than a third of it, it stands above its panel.
  double width = 0;
  std::string font{};    // a family of fonts; empty: Helvetica, Arial or the like
  double font_size = 0;  // 3 to 72 [pt]; 0: 9, or 8 if there is a width
};

/// The largest number of distinguishable curves.
inline constexpr std::size_t most_curves = 24;

/// The plot, by default about 900 x 400 pixels plus the height of further panels. Long runs are decimated to the first, last,
/// smallest and largest sample of each pixel, so that no peak is lost.
/// @throws Error if there are no samples, no or too many columns, or no positive values for a logarithmic plot;
///         for a width or font size out of bounds, and for a font that is not a name
std::string plot_svg(const RunColumns& run, const PlotOptions& options = {});

}  // namespace CHASLES_API
