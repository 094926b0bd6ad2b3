#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chasles/io/plot.hpp"
#include "io/plot/axis.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

constexpr double plot_width = 640, panel_height = 280, left = 70, top = 46, gap = 46, bottom = 50;
constexpr std::size_t longest_name = 34;  // characters of a legend

/// Dark enough for white paper and distinguishable with color blindness; then dashes.
constexpr const char* colors[] = {"#0b61a4", "#c8500a", "#00795c", "#8a3ea0",
                                  "#8c6d00", "#b3123f", "#3a3a3a", "#0089a8"};
constexpr const char* dashes[] = {"", "7 4", "2 3"};
static_assert(std::size(colors) * std::size(dashes) == most_curves);

/// Text of a picture: one line of it.
std::string escape(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return xml_text(text);
}

bool begins_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }
std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}
/// Shortens a name, preserving its end.
std::string shortened(const std::string& name) {
  const std::size_t count = characters(name);
  if (count <= longest_name) return name;
  const std::size_t head = longest_name / 2, tail = longest_name - head - 1;
  std::string out;
  std::size_t k = 0;
  for (const char c : name) {
    k += begins_character(c) ? 1 : 0;
    if (k <= head || k > count - tail)
      out += c;
    else if (k == head + 1 && begins_character(c))
      out += "\u2026";
  }
  return out;
}

using Column = RunColumns::Column;
struct Curve {
  const Column* column;
  std::size_t style;
};
struct Panel {
  std::string unit;
  std::vector<Curve> curves{};
};

class Drawing {
 public:
  Drawing(const RunColumns& run, const PlotOptions& options) : run_(run), options_(options) {
    for (std::size_t k = 0; k < run.columns.size(); ++k) {
      const Column& column = run.columns[k];
      auto panel = std::find_if(panels_.begin(), panels_.end(),
                                [&](const Panel& p) { return p.unit == column.unit; });
      if (panel == panels_.end()) panel = panels_.insert(panel, {column.unit});
      panel->curves.push_back({&column, panel->curves.size()});
      longest_ = std::max(longest_, characters(shortened(column.name)));
    }
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (const Column& column : run.columns)
      for (const double x : column.at.empty() ? run.time.values : column.at)
        if (std::isfinite(x)) first = std::min(first, x), last = std::max(last, x);
    if (!(first <= last)) first = last = 0;
    time_ = linear_axis(first, last, 8, false);
  }

  std::string draw() {
    const double width = left + plot_width + 46 + 7.2 * static_cast<double>(longest_) + 12;
    const double height =
        top + static_cast<double>(panels_.size()) * (panel_height + gap) - gap + bottom;
    out_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "viewBox=\"0 0 {0:.0f} {1:.0f}\" font-family=\"Helvetica, Arial, sans-serif\" "
        "font-size=\"12\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        width, height);
    if (!options_.title.empty())
      text(left + plot_width / 2, 22, "middle", options_.title, " font-size=\"15\"");
    double y = top;
    for (const Panel& panel : panels_) {
      draw(panel, y, &panel == &panels_.back());
      y += panel_height + gap;
    }
    return out_ + "</svg>\n";
  }

 private:
  void text(double x, double y, const char* anchor, std::string_view what,
            std::string_view more = "") {
    out_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y,
                        anchor, more, escape(std::string(what)));
  }
  void line(double x1, double y1, double x2, double y2, const char* color) {
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"{}\"/>\n", x1, y1,
        x2, y2, color);
  }

  bool shows(double value) const {
    return std::isfinite(value) && (!options_.logarithmic || value > 0);
  }
  Axis axis_of(const Panel& panel) const {
    double low = HUGE_VAL, high = -HUGE_VAL;
    for (const Curve& curve : panel.curves)
      for (const double value : curve.column->values)
        if (shows(value)) low = std::min(low, value), high = std::max(high, value);
    if (low <= high)
      return options_.logarithmic ? logarithmic_axis(low, high, 7)
                                  : linear_axis(low, high, 6, true);
    if (options_.logarithmic)
      throw Error("no value of '" + panel.curves[0].column->name +
                  "' is positive, so none has a logarithm; leave out --log");
    return linear_axis(-1, 1, 6, false);
  }

  void draw(const Panel& panel, double y, bool last) {
    const Axis axis = axis_of(panel);
    const double base = y + panel_height;
    for (const Tick& tick : axis.ticks) {
      const double at = base - panel_height * axis.fraction(tick.value);
      line(left, at, left + plot_width, at, "#e2e2e2");
      text(left - 7, at + 4, "end", tick.text);
    }
    for (const Tick& tick : time_.ticks) {
      const double at = left + plot_width * time_.fraction(tick.value);
      line(at, y, at, base, "#e2e2e2");
      if (last) text(at, base + 18, "middle", tick.text);
    }
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#555555\"/>\n",
        left, y, plot_width, panel_height);
    std::string heading = panel.unit.empty() ? "" : "[" + panel.unit + "]";
    if (!axis.note.empty()) heading = (heading.empty() ? "" : heading + " ") + axis.note;
    text(left - 36, y - 8, "start", heading);
    if (last) {
      const std::string unit = run_.time.unit.empty() ? "" : " [" + run_.time.unit + "]";
      text(left + plot_width / 2, base + 38, "middle",
           run_.time.name + unit + (time_.note.empty() ? "" : " " + time_.note));
    }
    for (const Curve& curve : panel.curves) draw(curve, axis, base);
    double row = y + 12;
    for (const Curve& curve : panel.curves) legend(curve, row), row += rows_apart(panel);
  }
  static double rows_apart(const Panel& panel) {
    return std::min(20.0, panel_height / static_cast<double>(panel.curves.size()));
  }

  static std::string stroke(const Curve& curve) {
    const char* dash = dashes[curve.style / std::size(colors) % std::size(dashes)];
    return fmt::format("stroke=\"{}\"{}", colors[curve.style % std::size(colors)],
                       *dash == 0 ? "" : fmt::format(" stroke-dasharray=\"{}\"", dash));
  }
  void legend(const Curve& curve, double y) {
    const double x = left + plot_width + 12;
    const Column& column = *curve.column;
    const bool empty = std::none_of(column.values.begin(), column.values.end(),
                                    [&](double value) { return shows(value); });
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"2\" {}/>\n",
        x, y, x + 24, y, stroke(curve));
    out_ += fmt::format("<g><title>{}</title>\n", escape(column.name));
    text(x + 31, y + 4, "start", shortened(column.name) + (empty ? " (no values)" : ""));
    out_ += "</g>\n";
  }

  void draw(const Curve& curve, const Axis& axis, double base) {
    const std::vector<double>& values = curve.column->values;
    std::string path, dots;
    std::vector<std::pair<double, double>> points;  // of one stretch without gaps, in pixels
    const auto flush = [&] {
      if (points.size() == 1)
        dots +=
            fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"2.5\" fill=\"{}\"/>\n",
                        points[0].first, points[0].second, colors[curve.style % std::size(colors)]);
      else
        append(path, points);
      points.clear();
    };
    const std::vector<double>& at = curve.column->at.empty() ? run_.time.values : curve.column->at;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!shows(values[i]) || !std::isfinite(at[i])) {
        flush();
        continue;
      }
      points.emplace_back(left + plot_width * time_.fraction(at[i]),
                          base - panel_height * axis.fraction(values[i]));
    }
    flush();
    if (!path.empty())
      out_ += fmt::format(
          "<path fill=\"none\" stroke-width=\"1.5\" stroke-linejoin=\"round\" {} d=\"{}\"/>\n",
          stroke(curve), path);
    out_ += dots;
  }
  /// One contiguous part of a curve. Of the points in one half of a pixel column only the first, last,
  /// highest and lowest are drawn, in order.
  static void append(std::string& path, const std::vector<std::pair<double, double>>& points) {
    bool first = true;
    const auto add = [&](std::size_t i) {
      path += fmt::format("{}{:.2f} {:.2f}", first ? 'M' : 'L', points[i].first, points[i].second);
      first = false;
    };
    for (std::size_t i = 0; i < points.size();) {
      const double bin = std::floor(2 * points[i].first);
      std::size_t end = i + 1, low = i, high = i;
      for (; end < points.size() && std::floor(2 * points[end].first) == bin; ++end) {
        if (points[end].second < points[low].second) low = end;
        if (points[end].second > points[high].second) high = end;
      }
      std::size_t kept[] = {i, std::min(low, high), std::max(low, high), end - 1};
      for (std::size_t k = 0; k < 4; ++k)
        if (k == 0 || kept[k] != kept[k - 1]) add(kept[k]);
      i = end;
    }
  }

  const RunColumns& run_;
  const PlotOptions& options_;
  std::vector<Panel> panels_;
  std::size_t longest_ = 0;
  Axis time_;
  std::string out_;
};

}  // namespace
}  // namespace io

std::string plot_svg(const RunColumns& run, const PlotOptions& options) {
  if (run.columns.empty()) throw Error("there is nothing to plot; name a quantity");
  if (run.time.values.empty()) throw Error("there are no samples to plot");
  if (run.columns.size() > most_curves)
    throw Error(std::to_string(run.columns.size()) + " curves cannot be told apart; name at most " +
                std::to_string(most_curves) + " columns, such as '" + run.columns[0].name + "'");
  for (const RunColumns::Column& column : run.columns)
    if (const std::size_t count = column.at.empty() ? run.time.values.size() : column.at.size();
        column.values.size() != count)
      throw Error("'" + column.name + "' has " + std::to_string(column.values.size()) +
                  " values at " + std::to_string(count) + " times");
  return io::Drawing(run, options).draw();
}

RunColumns over_column(RunColumns run, std::size_t x) {
  if (x >= run.columns.size() || run.columns.size() < 2)
    throw Error("a phase plot needs a column for x and another for y; here are " +
                std::to_string(run.columns.size()) + ", name two, such as q:elbow v:elbow");
  run.time = std::move(run.columns[x]);
  run.columns.erase(run.columns.begin() + static_cast<std::ptrdiff_t>(x));
  return run;
}

void append_run(RunColumns& run, const std::string& name, RunColumns other,
                const std::string& other_name) {
  if (run.time.name != other.time.name || run.time.unit != other.time.unit)
    throw Error("'" + other_name + "' is over " + other.time.name + " [" + other.time.unit +
                "], '" + name + "' over " + run.time.name + " [" + run.time.unit +
                "]; plot them apart");
  const auto label = [](const std::string& of, RunColumns::Column& column) {
    if (!column.name.starts_with(of + ": ")) column.name = of + ": " + column.name;
  };
  for (RunColumns::Column& column : run.columns)
    if (column.at.empty()) label(name, column);
  for (RunColumns::Column& column : other.columns) {
    label(other_name, column);
    column.at = other.time.values;
    run.columns.push_back(std::move(column));
  }
}

}  // namespace chasles
