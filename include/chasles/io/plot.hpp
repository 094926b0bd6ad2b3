/// Plots of recorded runs as SVG, drawn here: a browser, a text processor and a web page show them.
///
///     std::ifstream file("run.csv");
///     const RunColumns run = read_columns(file, "run.csv", {{"q", "energy"}});
///     std::ofstream("plot.svg") << plot_svg(run, {.title = "fall"});
///
/// Curves of one unit share a panel; panels lie one below the other over the same time.
#pragma once

#include <filesystem>
#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "chasles/error.hpp"
#include "chasles/export.hpp"

namespace chasles CHASLES_API {

/// Columns of a table over its first one.
struct RunColumns {
  struct Column {
    std::string name, unit;  // "q:elbow", "rad"; no unit: empty
    std::vector<double> values{};
  };
  Column time;
  std::vector<Column> columns;  // each as long as time; what is not finite is a gap
};

/// Reads the columns that are asked for from a run, .csv or .json, or any CSV that has a header and
/// numbers. A quantity is a column, a beginning of columns (`q`: `q:elbow`, ..; `pose:hand`:
/// `pose:hand[0][3]`, ..) or a pattern with * and ?. An empty cell is a gap. A last line that was not
/// written to its end is not read.
/// @param name  of the text in messages
/// @throws Error naming the line and the cell, or the quantity that is not there, with the nearest
RunColumns read_columns(std::istream& in, const std::string& name,
                        std::span<const std::string> quantities);
RunColumns read_columns(const std::filesystem::path& path, std::span<const std::string> quantities);

struct PlotOptions {
  std::string title{};
  bool logarithmic = false;  // values that are not positive are gaps
};

/// At most this many curves can be told apart.
inline constexpr std::size_t most_curves = 24;

/// The drawing, some 900 x 400 pixels and more for every further panel. Of many samples the first, the
/// last, the smallest and the largest of each pixel are drawn: no peak is lost, however long the run.
/// @throws Error if there are no samples, no or too many columns, or nothing positive for a logarithm
std::string plot_svg(const RunColumns& run, const PlotOptions& options = {});

}  // namespace CHASLES_API
