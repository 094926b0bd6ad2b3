/// chasles render, as far as it goes without a browser; pictures and films are looked at in tests/viewer.
#include <gtest/gtest.h>

#include "support/program.hpp"

namespace chasles {
namespace {

using ProgramRender = Program;

TEST_F(ProgramRender, says_what_is_missing_without_chromium) {
  const char* path = std::getenv("PATH");
  const std::string before = path != nullptr ? path : "", png = (folder / "a.png").string();
  setenv("PATH", "/nowhere", 1);
  const Outcome o = run("render examples/tutorial/arm.urdf -o " + png);
  setenv("PATH", before.c_str(), 1);
  EXPECT_EQ(o.code, 1);
  EXPECT_NE(o.err.find("apt-get install chromium"), std::string::npos) << o.err;
  EXPECT_EQ(std::count(o.err.begin(), o.err.end(), '\n'), 1);
  EXPECT_FALSE(fs::exists(png));
}

TEST_F(ProgramRender, bad_input_is_refused_before_the_browser_starts) {
  const std::string out = " -o " + (folder / "a.png").string(),
                    film = " -o " + (folder / "a.webm").string(),
                    arm = "render examples/tutorial/arm.urdf";
  expect_bad_input(arm + " -o a.gif", {"a.gif: pictures are written as .png, films as .webm"});
  expect_bad_input(arm + " -o -", {"pictures are written as .png"});
  expect_bad_input("render none.json" + out, {"none.json: there is no such file"});
  expect_bad_input("render none.html" + out, {"none.html: there is no such file"});
  for (const char* size : {"8x8", "1280", "axb", "1280x720x3", "9999x10", "-100x100"})
    expect_bad_input(arm + out + " --size=" + size, {"--size", "1280x720"});
  for (const char* camera : {"aside", "1,2", "1,2,3,4", "nan,1,2", "1,2,3,", "inf,0,0"})
    expect_bad_input(arm + out + " --camera=" + camera, {"--camera", "x,y,z"});
  expect_bad_input(arm + out + " --camera=1,2,3,1,2,3", {"--camera '1,2,3,1,2,3'", "looks at"});
  // What the run needs is at fault, not the run.
  const std::string recorded = (folder / "run.json").string();
  run("simulate examples/scenarios/tumble.yaml --duration 1 -o " + recorded);
  expect_bad_input("render " + recorded + out + " --model none.yaml", {"none.yaml"});
  expect_bad_input(arm + film, {"is a model, which does not move", "chasles simulate"});
  expect_bad_input(arm + out + " --at 1", {"is a model, which does not move"});
  expect_bad_input(arm + film + " --at 1", {"--at and --page are for pictures"});
  expect_bad_input(arm + out + " --from 1", {"are for films"});
  expect_bad_input(arm + film + " --speed=0", {"--speed 0"});
  expect_bad_input(arm + film + " --fps nan", {"--fps 'nan'", "finite number"});
  expect_bad_input(arm + out + " --model x.yaml", {"--model is for recorded runs"});
}

}  // namespace
}  // namespace chasles
