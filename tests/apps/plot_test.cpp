/// chasles plot: what simulate records is drawn; the drawing itself is tested in tests/io.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace chasles {
namespace {

using ProgramPlot = Program;

TEST_F(ProgramPlot, draws_what_simulate_recorded) {
  const fs::path csv = folder / "swing <1>.csv", svg = folder / "plot.svg";
  ASSERT_EQ(
      run("simulate examples/tutorial/reach.yaml --duration 1 -o '" + csv.string() + "'").code, 0);
  const std::string base = "plot '" + csv.string() + "' ";
  Outcome o = run(base + "q 'pose:hand[2][3]' -o " + svg.string());
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out + o.err, "");
  const std::string drawn = text(svg);
  for (const char* part : {"swing &lt;1&gt;", ">q:shoulder<", ">q:elbow<", ">pose:hand[2][3]<",
                           ">[rad]<", ">[m]<", ">t [s]<", "</svg>"})
    EXPECT_NE(drawn.find(part), std::string::npos) << part;
  EXPECT_EQ(run(base + "q 'pose:hand[2][3]' -o -").out, drawn);
  o = run("plot - q --title mine <'" + csv.string() + "'");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find(">mine<"), std::string::npos);
  EXPECT_EQ(run(base + "'v*' --log").code, 0);
}

TEST_F(ProgramPlot, writes_beside_the_run) {
  const std::string csv =
      write("fall.csv", "t [s],z [m],v [m/s]\n0,1,0\n1,0.5,-1\n2,-1,-2\n").string();
  const Outcome o = run("plot " + csv + " z");
  EXPECT_EQ(o.code, 0) << o.err;
  EXPECT_EQ(o.out, "plot in " + (folder / "fall.svg").string() + "\n");
  EXPECT_NE(text(folder / "fall.svg").find(">z<"), std::string::npos);
}

/// The numbers of the path of the first curve, in pixels.
std::vector<double> path_of(const std::string& svg) {
  const auto at = svg.find(" d=\"M");
  std::vector<double> list;
  if (at == svg.npos) return list;
  std::string text = svg.substr(at + 5, svg.find('"', at + 4) - at - 5);
  for (char& c : text)
    if (c == 'L') c = ' ';
  std::istringstream in(text);
  for (double x = 0; in >> x;) list.push_back(x);
  return list;
}

TEST_F(ProgramPlot, phase_and_several_runs) {
  // A square in the plane of x and y, whose corners are at the edges of the axes.
  const std::string csv =
      write("a.csv", "t [s],x [m],y [m]\n0,0,0\n1,1,0\n2,1,1\n3,0,1\n4,0,0\n").string();
  const Outcome o = run("plot " + csv + " x y --phase -o -");
  ASSERT_EQ(o.code, 0) << o.err;
  EXPECT_NE(o.out.find(">x [m]<"), std::string::npos);
  const std::vector<double> p = path_of(o.out);
  ASSERT_EQ(p.size(), 10U) << o.out;
  EXPECT_EQ(p[0], p[6]);  // x of the first and the last but one corner
  EXPECT_EQ(p[2], p[4]);
  EXPECT_LT(p[0], p[2]);
  EXPECT_EQ(p[1], p[3]);
  EXPECT_GT(p[1], p[5]);  // up is less in SVG
  EXPECT_EQ(p[8], p[0]);
  const std::string other = write("b.csv", "t [s],x [m]\n0,5\n10,7\n").string();
  const std::string both = run("plot " + csv + " x --with " + other + " -o -").out;
  for (const char* part : {">a: x<", ">b: x<", ">10<"})
    EXPECT_NE(both.find(part), std::string::npos) << part;
  expect_bad_input("plot " + csv + " x --phase", {"needs a column for x and another"});
  expect_bad_input("plot " + csv + " x y --phase --with " + other, {"b.csv: has no quantity 'y'"});
  const std::string hours = write("c.csv", "t [h],x [m]\n0,5\n").string();
  expect_bad_input("plot " + csv + " x --with " + hours, {"'c' is over t [h]", "'a' over t [s]"});
}

/// The page of a PDF in points, from its MediaBox.
std::pair<double, double> page_of(const std::string& pdf) {
  const auto at = pdf.find("/MediaBox");
  if (at == pdf.npos) return {0, 0};
  std::istringstream in(pdf.substr(pdf.find('[', at) + 1));
  double left = 0, bottom = 0, width = 0, height = 0;
  in >> left >> bottom >> width >> height;
  return {width, height};
}

// Where rsvg-convert is not installed, it says so; where it is, the PDF has the width that was asked for.
TEST_F(ProgramPlot, writes_pdf_and_png_by_librsvg) {
  const std::string csv = write("run.csv", "t [s],x [m]\n0,0\n1,1\n2,0\n").string();
  const std::string pdf = (folder / "x.pdf").string(), png = (folder / "x.png").string();
  const std::string base = "plot " + csv + " x --width 86mm --font-size 8pt -o ";
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "";
  setenv("PATH", "/nowhere", 1);
  const Outcome none = run(base + pdf);
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(none.code, 1);
  EXPECT_NE(none.err.find("apt-get install librsvg2-bin"), std::string::npos) << none.err;
  EXPECT_FALSE(fs::exists(pdf));
  if (std::system("command -v rsvg-convert >/dev/null") != 0) return;
  ASSERT_EQ(run(base + pdf).code, 0);
  EXPECT_TRUE(text(pdf).starts_with("%PDF-"));
  EXPECT_NEAR(page_of(text(pdf)).first, 86 / 25.4 * 72, 0.5);
  ASSERT_EQ(run(base + png).code, 0);
  const std::string picture = text(png);
  EXPECT_TRUE(picture.starts_with("\x89PNG"));
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(picture.at(i)); };
  EXPECT_EQ(byte(18) * 256 + byte(19), 1016);  // 86 mm at 300 dots per inch
}

TEST_F(ProgramPlot, width_is_a_length) {
  const std::string csv = write("run.csv", "t [s],x [m]\n0,0\n1,1\n").string();
  for (const char* width : {"86mm", "8.6cm", "86"})
    EXPECT_NE(run("plot " + csv + " x -o - --width " + width).out.find("width=\"86mm\""),
              std::string::npos);
  EXPECT_NE(run("plot " + csv + " x -o - --width 2in").out.find("width=\"50.8mm\""),
            std::string::npos);
  expect_bad_input("plot " + csv + " x --width 86px", {"--width '86px' is not a length", "86mm"});
  expect_bad_input("plot " + csv + " x --width 0mm", {"--width '0mm' is not a length"});
  expect_bad_input("plot " + csv + " x --width=-86mm", {"give --width from 30"});
  expect_bad_input("plot " + csv + " x --font-size 8mm", {"--font-size '8mm'", "write it as 8pt"});
  expect_bad_input("plot " + csv + " x --font-size 0", {"--font-size '0'", "write it as 8pt"});
}

TEST_F(ProgramPlot, bad_input_is_refused) {
  const std::string csv = write("run.csv", "t [s],energy [J]\n0,1\n1,-2\n").string();
  expect_bad_input("plot " + csv + " enrgy", {"run.csv: has no quantity 'enrgy'", "'energy'?"});
  expect_bad_input("plot " + csv, {"QUANTITY is required"});
  expect_bad_input("plot " + csv + " energy -o plot.gif",
                   {"plots are written as .svg, .pdf or .png"});
  expect_bad_input("plot none.csv energy", {"none.csv: there is no such recorded run"});
  expect_bad_input("plot run.xml energy", {"ends in .csv or .json"});
  expect_bad_input("plot " + write("empty.csv", "").string() + " q", {"empty.csv: has no header"});
  expect_bad_input("plot " + write("short.csv", "t,q\n").string() + " q", {"has no samples"});
  expect_bad_input("plot " + write("low.csv", "t,q\n0,-1\n").string() + " q --log",
                   {"low.csv: no value of 'q' is positive"});
}

}  // namespace
}  // namespace chasles
