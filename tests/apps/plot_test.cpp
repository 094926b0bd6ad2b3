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

TEST_F(ProgramPlot, bad_input_is_refused) {
  const std::string csv = write("run.csv", "t [s],energy [J]\n0,1\n1,-2\n").string();
  expect_bad_input("plot " + csv + " enrgy", {"run.csv: has no quantity 'enrgy'", "'energy'?"});
  expect_bad_input("plot " + csv, {"QUANTITY is required"});
  expect_bad_input("plot " + csv + " energy -o plot.png", {"plots are written as .svg"});
  expect_bad_input("plot none.csv energy", {"none.csv: there is no such recorded run"});
  expect_bad_input("plot run.xml energy", {"ends in .csv or .json"});
  expect_bad_input("plot " + write("empty.csv", "").string() + " q", {"empty.csv: has no header"});
  expect_bad_input("plot " + write("short.csv", "t,q\n").string() + " q", {"has no samples"});
  expect_bad_input("plot " + write("low.csv", "t,q\n0,-1\n").string() + " q --log",
                   {"low.csv: no value of 'q' is positive"});
}

}  // namespace
}  // namespace chasles
