#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chasles/io/plot.hpp"
#include "io/plot/axis.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

constexpr std::size_t longest_name = 34;  // characters of a legend

/// Lengths of a plot in pixels, 96 per inch. At the usual font size `em` is 1.
struct Layout {
  double em = 1, plot_width = 640, panel_height = 280, left = 70, top = 46, gap = 46, bottom = 50;
  double width = 0;           // of everything
  double entry = 0;           // of the longest entry of a legend
  bool legend_above = false;  // in rows above the panel; otherwise beside it

  /// @param longest  characters of the longest name
  Layout(const PlotOptions& options, std::size_t longest) {
    const double points = options.font_size > 0 ? options.font_size : options.width > 0 ? 8 : 9;
    em = points / 9;
    for (double* length : {&plot_width, &panel_height, &left, &top, &gap, &bottom}) *length *= em;
    const double beside = em * (46 + 7.2 * static_cast<double>(longest) + 12);
    entry = em * (43 + 7.2 * static_cast<double>(longest));
    width = left + plot_width + beside;
    if (options.width <= 0) return;
    width = options.width * 96 / 25.4;
    legend_above = beside > width / 3;
    plot_width = width - left - (legend_above ? 14 * em : beside);
    if (plot_width < 60 * em)
      throw Error(fmt::format(
          "a plot {:g} mm wide has no room for curves beside texts of {:g} pt; give more "
          "--width, or a smaller --font-size",
          options.width, points));
    panel_height = std::clamp(0.62 * plot_width, 100 * em, 280 * em);
  }
  int x_ticks() const { return std::clamp(static_cast<int>(plot_width / (80 * em)), 2, 8); }
  int y_ticks() const { return std::clamp(static_cast<int>(panel_height / (46 * em)), 2, 6); }
  /// Entries of a legend side by side, and the rows that they take above a panel.
  std::size_t entries_per_row() const {
    return std::max<std::size_t>(1, static_cast<std::size_t>((width - left) / entry));
  }
  double legend_height(std::size_t entries) const {
    const std::size_t per_row = entries_per_row();
    return legend_above ? 17 * em * static_cast<double>((entries + per_row - 1) / per_row) : 0;
  }
  /// Characters of a name that there is room for.
  static std::size_t name_length(const PlotOptions& options) {
    if (options.width <= 0) return longest_name;
    const double points = options.font_size > 0 ? options.font_size : 8;
    const double room = (options.width * 96 / 25.4 - 70 * points / 9) / (points / 9) - 43;
    return static_cast<std::size_t>(std::clamp(room / 7.2, 8.0, static_cast<double>(longest_name)));
  }
};

/// Bounds of the options of a plot.
void check(const PlotOptions& options) {
  if (options.width != 0 && !(options.width >= 30 && options.width <= 2000))
    throw Error(fmt::format("a plot cannot be {:g} mm wide; give --width from 30 to 2000 mm",
                            options.width));
  if (options.font_size != 0 && !(options.font_size >= 3 && options.font_size <= 72))
    throw Error(fmt::format("texts of a plot cannot have {:g} pt; give --font-size from 3 to 72 pt",
                            options.font_size));
  for (const char c : options.font) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && std::isalnum(byte) == 0 &&
        std::string_view(" -_,").find(c) == std::string_view::npos)
      throw Error("--font '" + options.font +
                  "' is not the name of a font; give one such as 'Times New Roman'");
  }
}

/// Dark enough for white paper and distinguishable with color blindness; then dashes.
constexpr const char* colors[] = {"#0b61a4", "#c8500a", "#00795c", "#8a3ea0",
                                  "#8c6d00", "#b3123f", "#3a3a3a", "#0089a8"};
constexpr std::pair<double, double> dashes[] = {{0, 0}, {7, 4}, {2, 3}};  // length, space
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
std::string shortened(const std::string& name, std::size_t most) {
  const std::size_t count = characters(name);
  if (count <= most) return name;
  const std::size_t head = most / 2, tail = most - head - 1;
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
  Drawing(const RunColumns& run, const PlotOptions& options)
      : run_(run),
        options_(options),
        most_characters_(Layout::name_length(options)),
        to_(options, longest(run, most_characters_)) {
    for (std::size_t k = 0; k < run.columns.size(); ++k) {
      const Column& column = run.columns[k];
      auto panel = std::find_if(panels_.begin(), panels_.end(),
                                [&](const Panel& p) { return p.unit == column.unit; });
      if (panel == panels_.end()) panel = panels_.insert(panel, {column.unit});
      panel->curves.push_back({&column, panel->curves.size()});
    }
    double first = HUGE_VAL, last = -HUGE_VAL;
    for (const Column& column : run.columns)
      for (const double x : column.at.empty() ? run.time.values : column.at)
        if (std::isfinite(x)) first = std::min(first, x), last = std::max(last, x);
    if (!(first <= last)) first = last = 0;
    time_ = linear_axis(first, last, to_.x_ticks(), false);
  }

  std::string draw() {
    double height = to_.top + static_cast<double>(panels_.size()) * (to_.panel_height + to_.gap) -
                    to_.gap + to_.bottom;
    for (const Panel& panel : panels_) height += to_.legend_height(panel.curves.size());
    out_ = head(height);
    if (!options_.title.empty())
      text(to_.left + to_.plot_width / 2, 22 * to_.em, "middle", options_.title,
           fmt::format(" font-size=\"{:g}\"", 15 * to_.em));
    double y = to_.top;
    for (const Panel& panel : panels_) {
      y += to_.legend_height(panel.curves.size());
      draw(panel, y, &panel == &panels_.back());
      y += to_.panel_height + to_.gap;
    }
    return out_ + "</svg>\n";
  }

 private:
  static std::size_t longest(const RunColumns& run, std::size_t most) {
    std::size_t found = 0;
    for (const Column& column : run.columns)
      found = std::max(found, characters(shortened(column.name, most)));
    return found;
  }
  /// Lengths in the file are pixels; a width that was asked for is one in print.
  std::string head(double height) const {
    const std::string size =
        options_.width > 0
            ? fmt::format("width=\"{:g}mm\" height=\"{:.2f}mm\" viewBox=\"0 0 {:.2f} {:.2f}\"",
                          options_.width, height * 25.4 / 96, to_.width, height)
            : fmt::format("width=\"{0:.0f}\" height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\"",
                          to_.width, height);
    const std::string font = options_.font.empty() ? "" : escape(options_.font) + ", ";
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" {} font-family=\"{}Helvetica, Arial, "
        "sans-serif\" font-size=\"{:g}\"{}>\n<rect width=\"100%\" height=\"100%\" "
        "fill=\"#ffffff\"/>\n",
        size, font, 12 * to_.em, to_.em == 1 ? "" : fmt::format(" stroke-width=\"{:g}\"", to_.em));
  }
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
      return options_.logarithmic ? logarithmic_axis(low, high, to_.y_ticks() + 1)
                                  : linear_axis(low, high, to_.y_ticks(), true);
    if (options_.logarithmic)
      throw Error("no value of '" + panel.curves[0].column->name +
                  "' is positive, so none has a logarithm; leave out --log");
    return linear_axis(-1, 1, to_.y_ticks(), false);
  }

  void draw(const Panel& panel, double y, bool last) {
    const Axis axis = axis_of(panel);
    const double em = to_.em, left = to_.left, plot_width = to_.plot_width;
    const double base = y + to_.panel_height;
    for (const Tick& tick : axis.ticks) {
      const double at = base - to_.panel_height * axis.fraction(tick.value);
      line(left, at, left + plot_width, at, "#e2e2e2");
      text(left - 7 * em, at + 4 * em, "end", tick.text);
    }
    for (const Tick& tick : time_.ticks) {
      const double at = left + plot_width * time_.fraction(tick.value);
      line(at, y, at, base, "#e2e2e2");
      if (last) text(at, base + 18 * em, "middle", tick.text);
    }
    out_ += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"none\" stroke=\"#555555\"/>\n",
        left, y, plot_width, to_.panel_height);
    std::string heading = panel.unit.empty() ? "" : "[" + panel.unit + "]";
    if (!axis.note.empty()) heading = (heading.empty() ? "" : heading + " ") + axis.note;
    text(left - 36 * em, y - to_.legend_height(panel.curves.size()) - 8 * em, "start", heading);
    if (last) {
      const std::string unit = run_.time.unit.empty() ? "" : " [" + run_.time.unit + "]";
      text(left + plot_width / 2, base + 38 * em, "middle",
           run_.time.name + unit + (time_.note.empty() ? "" : " " + time_.note));
    }
    for (const Curve& curve : panel.curves) draw(curve, axis, base);
    for (std::size_t k = 0; k < panel.curves.size(); ++k) draw_legend(panel, k, y);
  }
  /// Entry k: in rows above a panel that begins at y, or in a column beside it.
  void draw_legend(const Panel& panel, std::size_t k, double y) {
    const auto number = [](std::size_t n) { return static_cast<double>(n); };
    const std::size_t per_row = to_.entries_per_row(), count = panel.curves.size();
    if (to_.legend_above)
      return legend(panel.curves[k], to_.left + to_.entry * number(k % per_row),
                    y - to_.legend_height(count) + 17 * to_.em * number(k / per_row) + 5 * to_.em);
    const double apart = std::min(20 * to_.em, to_.panel_height / number(count));
    legend(panel.curves[k], to_.left + to_.plot_width + 12 * to_.em,
           y + 12 * to_.em + apart * number(k));
  }

  std::string stroke(const Curve& curve) const {
    const auto& [length, space] = dashes[curve.style / std::size(colors) % std::size(dashes)];
    return fmt::format("stroke=\"{}\"{}", colors[curve.style % std::size(colors)],
                       length == 0 ? ""
                                   : fmt::format(" stroke-dasharray=\"{:g} {:g}\"", length * to_.em,
                                                 space * to_.em));
  }
  void legend(const Curve& curve, double x, double y) {
    const double em = to_.em;
    const Column& column = *curve.column;
    const bool empty = std::none_of(column.values.begin(), column.values.end(),
                                    [&](double value) { return shows(value); });
    out_ += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke-width=\"{:g}\" "
        "{}/>\n",
        x, y, x + 24 * em, y, 2 * em, stroke(curve));
    out_ += fmt::format("<g><title>{}</title>\n", escape(column.name));
    text(x + 31 * em, y + 4 * em, "start",
         shortened(column.name, most_characters_) + (empty ? " (no values)" : ""));
    out_ += "</g>\n";
  }

  void draw(const Curve& curve, const Axis& axis, double base) {
    const std::vector<double>& values = curve.column->values;
    std::string path, dots;
    std::vector<std::pair<double, double>> points;  // of one stretch without gaps, in pixels
    const auto flush = [&] {
      if (points.size() == 1)
        dots += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"{:g}\" fill=\"{}\"/>\n",
                            points[0].first, points[0].second, 2.5 * to_.em,
                            colors[curve.style % std::size(colors)]);
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
      points.emplace_back(to_.left + to_.plot_width * time_.fraction(at[i]),
                          base - to_.panel_height * axis.fraction(values[i]));
    }
    flush();
    if (!path.empty())
      out_ += fmt::format(
          "<path fill=\"none\" stroke-width=\"{:g}\" stroke-linejoin=\"round\" {} d=\"{}\"/>\n",
          1.5 * to_.em, stroke(curve), path);
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
  const std::size_t most_characters_;  // of names in legends
  const Layout to_;
  std::vector<Panel> panels_;
  Axis time_;
  std::string out_;
};

}  // namespace
}  // namespace io

std::string plot_svg(const RunColumns& run, const PlotOptions& options) {
  io::check(options);
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
