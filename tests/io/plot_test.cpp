/// Plots of runs: which columns are chosen, and that the drawing shows what they hold.
#include "chasles/io/plot.hpp"

#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <sstream>

#include "io/plot/axis.hpp"
#include "support/errors.hpp"

namespace {

using namespace chasles;

RunColumns read_text(const std::string& text, const std::vector<std::string>& quantities) {
  std::istringstream in(text);
  return read_columns(in, "run.csv", quantities);
}
std::vector<std::string> names(const RunColumns& run) {
  std::vector<std::string> list;
  for (const auto& column : run.columns) list.push_back(column.name);
  return list;
}
using Names = std::vector<std::string>;

const std::string run_text =
    "t [s],q:elbow [rad],q:slide [m],v:elbow [rad/s],energy [J],\"pose:hand, left[0][3] "
    "[m]\",mass\n"
    "0,1,2,3,4,5,6\n0.5,1.5,,nan,inf,-5,6\n1,2,3,4,5,6,7\n";

TEST(Plot, columns_are_chosen_by_name_by_beginning_and_by_pattern) {
  const RunColumns q = read_text(run_text, {"q"});
  EXPECT_EQ(names(q), (Names{"q:elbow", "q:slide"}));
  EXPECT_EQ(q.columns[0].unit, "rad");
  EXPECT_EQ(q.columns[1].unit, "m");
  EXPECT_EQ(q.time.name, "t");
  EXPECT_EQ(q.time.unit, "s");
  EXPECT_EQ(q.time.values, (std::vector<double>{0, 0.5, 1}));
  EXPECT_EQ(q.columns[0].values, (std::vector<double>{1, 1.5, 2}));
  EXPECT_TRUE(std::isnan(q.columns[1].values[1]));
  EXPECT_EQ(names(read_text(run_text, {"energy", "q:elbow"})), (Names{"energy", "q:elbow"}));
  EXPECT_EQ(names(read_text(run_text, {"*:elbow", "q"})), (Names{"q:elbow", "v:elbow", "q:slide"}));
  EXPECT_EQ(names(read_text(run_text, {"pose"})), (Names{"pose:hand, left[0][3]"}));
  EXPECT_EQ(names(read_text(run_text, {"pose:hand, left"})), (Names{"pose:hand, left[0][3]"}));
  EXPECT_EQ(names(read_text(run_text, {"q:slide [m]"})), (Names{"q:slide"}));
  EXPECT_EQ(names(read_text(run_text, {"?:s*e"})), (Names{"q:slide"}));
  EXPECT_EQ(read_text(run_text, {"mass"}).columns[0].unit, "");
}

TEST(Plot, what_is_not_there_is_named_with_the_nearest) {
  EXPECT_SAYS(read_text(run_text, {"enregy"}),
              "run.csv: has no quantity 'enregy'; did you mean 'energy'?");
  EXPECT_SAYS(read_text(run_text, {"q:elbwo"}), "did you mean 'q:elbow'?");
  EXPECT_SAYS(read_text(run_text, {"gyroscope"}), "; it has q, v, energy, pose or mass");
  EXPECT_SAYS(read_text(run_text, {"t"}), "has no quantity 't'");  // it is the axis
  EXPECT_SAYS(read_text(run_text, {"ener"}), "has no quantity 'ener'");
  EXPECT_SAYS(read_text("", {"q"}), "run.csv: has no header");
  EXPECT_SAYS(read_text("t,q\n", {"q"}), "run.csv: has no samples");
  EXPECT_SAYS(read_text("t,q\n1,2", {"q"}), "run.csv: has no samples");  // the line does not end
  EXPECT_SAYS(read_text("t,q\n1,2,3\n", {"q"}), "run.csv:2: has 3 cells; the header has 2");
  EXPECT_SAYS(read_text("t,q\n0,1\n1,x\n", {"q"}), "run.csv:3: column 'q': 'x' is not a number");
  EXPECT_SAYS(read_text("t,q\nnan,1\n", {"q"}), "run.csv:2: column 't': 'nan' is not a finite");
  EXPECT_SAYS(read_text("t,\xff\n0,1\n", {"q"}), "is not text");
  EXPECT_SAYS(read_columns(std::filesystem::path("none.csv"), {}), "none.csv: there is no such");
  EXPECT_SAYS(read_columns(std::filesystem::path("docs"), {}), "docs: is a directory");
}

/// An SVG as its elements: it must be XML.
struct Svg {
  tinyxml2::XMLDocument document;
  explicit Svg(const std::string& text) {
    EXPECT_EQ(document.Parse(text.c_str()), tinyxml2::XML_SUCCESS) << document.ErrorStr();
  }
  template <class Each>
  void each(const char* tag, const Each& f) const {
    const std::function<void(const tinyxml2::XMLElement*)> walk =
        [&](const tinyxml2::XMLElement* e) {
          for (; e != nullptr; e = e->NextSiblingElement()) {
            if (std::string(e->Name()) == tag) f(*e);
            walk(e->FirstChildElement());
          }
        };
    walk(document.RootElement());
  }
  Names texts() const {
    Names list;
    each("text", [&](const auto& e) { list.push_back(e.GetText() == nullptr ? "" : e.GetText()); });
    return list;
  }
  /// The points of each curve, stretch by stretch.
  using Points = std::vector<std::pair<double, double>>;
  std::vector<std::vector<Points>> curves() const {
    std::vector<std::vector<Points>> all;
    each("path", [&](const auto& e) {
      std::string d = e.Attribute("d");
      std::vector<Points> stretches;
      for (char& c : d)
        if (c == 'L') c = ' ';
      std::istringstream in(d);
      for (std::string word; in >> word;) {
        if (word[0] == 'M') stretches.emplace_back(), word.erase(0, 1);
        double y = 0;
        in >> y;
        stretches.back().emplace_back(std::stod(word), y);
      }
      all.push_back(stretches);
    });
    return all;
  }
};
bool has(const Names& texts, const std::string& text) {
  return std::find(texts.begin(), texts.end(), text) != texts.end();
}

RunColumns made(std::vector<double> t, std::vector<double> y, std::string name = "y",
                std::string unit = "m") {
  return {{"t", "s", std::move(t)}, {{std::move(name), std::move(unit), std::move(y)}}};
}

TEST(Plot, points_lie_where_the_ticks_say) {
  const Svg svg(plot_svg(made({0, 1, 2}, {0, 10, 4}), {.title = "a <b> & \"c\""}));
  const Names texts = svg.texts();
  for (const char* text : {"a <b> & \"c\"", "t [s]", "[m]", "y", "0", "2", "10"})
    EXPECT_TRUE(has(texts, text)) << text;
  std::map<std::string, double> y_of;  // of the texts left of the axis
  svg.each("text", [&](const auto& e) {
    if (e.Attribute("text-anchor", "end") != nullptr && e.GetText() != nullptr)
      y_of[e.GetText()] = e.DoubleAttribute("y") - 4;
  });
  const auto curves = svg.curves();
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].size(), 1u);
  ASSERT_EQ(curves[0][0].size(), 3u);
  EXPECT_NEAR(curves[0][0][0].second, y_of.at("0"), 0.06);
  EXPECT_NEAR(curves[0][0][1].second, y_of.at("10"), 0.06);
  EXPECT_NEAR(curves[0][0][2].second, y_of.at("4"), 0.06);
  EXPECT_NEAR(curves[0][0][1].first * 2, curves[0][0][0].first + curves[0][0][2].first, 0.02);
}

/// Width and height in millimeters, and the size of texts in points, of the printed picture.
struct Print {
  double width, height, points;
  explicit Print(const Svg& svg) {
    const tinyxml2::XMLElement& root = *svg.document.RootElement();
    width = std::stod(root.Attribute("width")), height = std::stod(root.Attribute("height"));
    EXPECT_TRUE(std::string(root.Attribute("width")).ends_with("mm"));
    double left = 0, top = 0, pixels = 0, high = 0;
    std::istringstream(root.Attribute("viewBox")) >> left >> top >> pixels >> high;
    EXPECT_NEAR(high / pixels, height / width, 1e-4);
    points = root.DoubleAttribute("font-size") / pixels * width / 25.4 * 72;
  }
};

TEST(Plot, has_the_width_and_the_font_of_a_column) {
  RunColumns run = made({0, 1, 2}, {0, 10, 4});
  for (const char* name : {"q:elbow", "q:a_joint_with_a_long_name_that_is_cut", "v:x"})
    run.columns.push_back({name, "m", {1, 2, 3}});
  for (const double width : {86.0, 178.0, 40.0})
    for (const double size : {0.0, 6.0, 10.0}) {
      if (width < 50 && size > 6) continue;
      const Svg svg(plot_svg(run, {.width = width, .font = "Times New Roman", .font_size = size}));
      const Print print(svg);
      EXPECT_NEAR(print.width, width, 1e-9);
      EXPECT_NEAR(print.points, size > 0 ? size : 8, 0.01);
      svg.each("rect", [&](const auto& e) {  // of the panel
        if (e.Attribute("fill", "none") == nullptr) return;
        if (width > 50) {  // narrower panels keep a least height
          EXPECT_LT(e.DoubleAttribute("height"), e.DoubleAttribute("width"));
        }
        EXPECT_LT(e.DoubleAttribute("x") + e.DoubleAttribute("width"), width * 96 / 25.4);
      });
      const double most = width * 96 / 25.4;
      svg.each("text", [&](const auto& e) {
        const double x = e.DoubleAttribute("x");
        EXPECT_TRUE(x > 0 && x < most) << e.GetText();
      });
      for (const auto& stretch : svg.curves())
        for (const auto& points : stretch)
          for (const auto& [x, y] : points) EXPECT_TRUE(x > 0 && x < most);
      svg.each("svg", [&](const auto& e) {
        EXPECT_TRUE(std::string(e.Attribute("font-family")).starts_with("Times New Roman, "));
      });
    }
  const RunColumns one = made({0, 1}, {0, 1});
  EXPECT_SAYS(plot_svg(one, {.width = 5}), "give --width from 30 to 2000 mm");
  EXPECT_SAYS(plot_svg(one, {.width = NAN}), "--width");
  EXPECT_SAYS(plot_svg(one, {.font_size = 100}), "--font-size from 3 to 72 pt");
  EXPECT_SAYS(plot_svg(one, {.width = 40, .font_size = 20}), "no room for curves");
  EXPECT_SAYS(plot_svg(one, {.font = "a\" onload=\"x"}), "is not the name of a font");
}

TEST(Plot, units_have_panels_gaps_are_gaps_and_single_points_are_dots) {
  const double nan = std::nan("");
  RunColumns run = made({0, 1, 2, 3, 4, 5}, {1, 2, nan, 4, nan, 6});
  run.columns.push_back({"<&>", "rad", {nan, nan, nan, nan, nan, HUGE_VAL}});
  run.columns.push_back({"z", "m", {0, 0, 0, 0, 0, 0}});
  const Svg svg(plot_svg(run));
  const auto curves = svg.curves();
  ASSERT_EQ(curves.size(), 2u);
  ASSERT_EQ(curves[0].size(), 1u);
  EXPECT_EQ(curves[0][0].size(), 2u);
  EXPECT_EQ(curves[1][0].size(), 6u);
  int dots = 0, frames = 0;
  svg.each("circle", [&](const auto&) { ++dots; });
  svg.each("rect", [&](const auto&) { ++frames; });
  EXPECT_EQ(dots, 2);
  EXPECT_EQ(frames, 3);  // the paper and two panels
  EXPECT_TRUE(has(svg.texts(), "<&> (no values)"));
  EXPECT_TRUE(has(svg.texts(), "[rad]"));
}

TEST(Plot, a_million_samples_keep_every_peak) {
  std::vector<double> t, y;
  for (int i = 0; i < 1'000'000; ++i) t.push_back(1e-3 * i), y.push_back(std::sin(0.01 * i));
  y[123'456] = 7, y[654'321] = -5;
  const std::string text = plot_svg(made(t, y));
  EXPECT_LT(text.size(), 200'000u);
  const auto points = Svg(text).curves().at(0).at(0);
  const auto by_y = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto high = std::min_element(points.begin(), points.end(), by_y),
             low = std::max_element(points.begin(), points.end(), by_y);
  const double x0 = points.front().first, width = points.back().first - x0;
  EXPECT_NEAR((high->first - x0) / width, 0.123456, 1e-3);
  EXPECT_NEAR((low->first - x0) / width, 0.654321, 1e-3);
  const auto above = std::count_if(points.begin(), points.end(),
                                   [&](const auto& p) { return p.second < high->second + 20; });
  EXPECT_EQ(above, 1);
}

TEST(Plot, one_row_constants_and_extremes_have_axes) {
  for (const auto& y : std::vector<std::vector<double>>{{3},
                                                        {0, 0},
                                                        {5, 5},
                                                        {1e300, -1e300},
                                                        {1e-300, 2e-300},
                                                        {1e15, 1e15 + 1},
                                                        {-1e9, 1e9},
                                                        {1.7e308, -1.7e308},
                                                        {5e-324, 0}}) {
    std::vector<double> t;
    for (std::size_t i = 0; i < y.size(); ++i) t.push_back(static_cast<double>(i));
    const std::string text = plot_svg(made(t, y));
    EXPECT_EQ(text.find("nan"), text.npos) << text;
    EXPECT_EQ(text.find("\"inf"), text.npos) << text;
    const Svg svg(text);
    int ticks = 0;
    svg.each("line", [&](const auto&) { ++ticks; });
    EXPECT_GE(ticks, 5) << y[0];
    EXPECT_LE(ticks, 30) << y[0];
  }
}

TEST(Plot, logarithms_leave_out_what_is_not_positive) {
  const RunColumns run = made({0, 1, 2, 3}, {1e-8, 0, 1e-4, 1e-2});
  const Svg svg(plot_svg(run, {.logarithmic = true}));
  const auto curves = svg.curves();
  ASSERT_EQ(curves.size(), 1u);
  ASSERT_EQ(curves[0].size(), 1u);
  EXPECT_TRUE(has(svg.texts(), "1e-8"));
  EXPECT_TRUE(has(svg.texts(), "1e-2"));
  EXPECT_SAYS(plot_svg(made({0, 1}, {0, -1}), {.logarithmic = true}),
              "no value of 'y' is positive");
}

TEST(Plot, what_cannot_be_told_apart_is_refused) {
  RunColumns run = made({0}, {0});
  for (int i = 0; i < 24; ++i) run.columns.push_back(run.columns[0]);
  EXPECT_SAYS(plot_svg(run), "25 curves cannot be told apart; name at most 24");
  run.columns.resize(24);
  EXPECT_NO_THROW(plot_svg(run));
  EXPECT_SAYS(plot_svg({{"t", "s", {0}}, {}}), "nothing to plot");
  EXPECT_SAYS(plot_svg(made({0, 1}, {0})), "'y' has 1 values at 2 times");
}

TEST(PlotAxis, ticks_are_round_and_told_apart) {
  using io::linear_axis;
  const auto texts = [](const io::Axis& axis) {
    Names list;
    for (const io::Tick& tick : axis.ticks) list.push_back(tick.text);
    return list;
  };
  EXPECT_EQ(texts(linear_axis(0, 10, 5, false)), (Names{"0", "2", "4", "6", "8", "10"}));
  EXPECT_EQ(texts(linear_axis(-0.3, 0.2, 5, false)),
            (Names{"-0.3", "-0.2", "-0.1", "0.0", "0.1", "0.2"}));
  const io::Axis small = linear_axis(0, 4e-8, 4, false);
  EXPECT_EQ(texts(small), (Names{"0", "1", "2", "3", "4"}));
  EXPECT_NE(small.note.find("1e-8"), std::string::npos);
  // Energy that is kept to 1e-8: differences from a round number.
  const io::Axis kept = linear_axis(61.2700000001, 61.2700000101, 5, false);
  EXPECT_NE(kept.note.find("+ 61.27"), std::string::npos) << kept.note;
  std::vector<std::string> t = texts(kept);
  EXPECT_GE(t.size(), 4u);
  std::sort(t.begin(), t.end());
  EXPECT_EQ(std::unique(t.begin(), t.end()), t.end());
  for (const std::string& text : t) EXPECT_LT(text.size(), 6u);
}

}  // namespace
