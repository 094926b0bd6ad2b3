/// chasles-reproduce WHAT [DIRECTORY]: called by `chasles reproduce`, which has checked WHAT.
#include <chasles/error.hpp>
#include <iterator>
#include <string>

#include "guarded.hpp"
#include "report.hpp"
#include "studies.hpp"

namespace {

constexpr void (*reports[])(const std::string& directory) = {
    report_rcm, report_park_chung, report_se3_vs_so3xr3, report_linearized, report_costs};
static_assert(std::size(reports) == std::size(known_studies));

int run(int argc, char** argv) {
  if (argc < 2) throw chasles::Error("chasles-reproduce is called by chasles reproduce WHAT");
  const std::string what = argv[1], directory = argc > 2 ? argv[2] : "";
  for (std::size_t i = 0; i < std::size(reports); ++i)
    if (what == known_studies[i].name || what == "all") reports[i](directory);
  return done;
}

}  // namespace

int main(int argc, char** argv) {
  return guarded([&] { return run(argc, argv); });
}
