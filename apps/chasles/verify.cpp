/// chasles verify: published problems, our values beside the published ones.
#include <fmt/format.h>

#include <algorithm>
#include <chasles/io/verification.hpp>
#include <cstdio>
#include <filesystem>

#include "commands.hpp"
#include "output.hpp"

namespace {

using namespace chasles;
namespace fs = std::filesystem;

/// The bundled problems: in the source tree that the program was built in, or where it is installed.
fs::path find_problems() {
  const fs::path here = fs::read_symlink("/proc/self/exe").parent_path();
  for (const fs::path& path :
       {here / "../../../examples/verification", here / CHASLES_DATA / "examples/verification",
        fs::path("examples/verification")})
    if (fs::exists(path)) return path;
  throw Error("verify: the bundled problems are not found from " + here.string() +
              "; give their folder, --problems examples/verification");
}

void print(const Verification& r) {
  fmt::print("{:<28} {} ({:.2f} s)\n", r.problem.name, r.passed ? "agrees" : "DISAGREES",
             r.cpu_seconds);
  for (const VerifiedValue& v : r.values) {
    fmt::print("  {:<44} difference {:.1e}, error {:.0e}, tolerance {:.0e}{}\n", v.quantity,
               v.difference, v.error, v.tolerance, v.agrees ? "" : "  DISAGREES");
    if (v.agrees) continue;
    for (std::size_t k = 0; k < v.published.size(); ++k)
      fmt::print("    published {:<24.17g} computed {:.17g}\n", v.published[k], v.computed[k]);
  }
  std::fflush(stdout);  // the next one may take long
}

struct VerifyOptions {
  std::vector<std::string> names;
  std::string out, folder;
  bool list = false;
};

void verify_problems(const VerifyOptions& options) {
  require_ending(options.out, {".html", ".md"}, "verification is written as .html or .md");
  const fs::path folder = options.folder.empty() ? find_problems() : fs::path(options.folder);
  const std::vector<std::string> names =
      options.names.empty() ? problem_names(folder) : options.names;
  std::vector<VerificationProblem> problems;
  for (const std::string& name : names)
    if (std::ranges::find(problems, name, &VerificationProblem::name) == problems.end())
      problems.push_back(find_problem(folder, name));
  if (options.list) {
    for (const VerificationProblem& p : problems) fmt::print("{:<28} {}\n", p.name, p.title);
    return;
  }
  const bool quiet = !options.out.empty() && is_standard_output(options.out);
  std::vector<Verification> results;
  std::size_t passed = 0;
  std::string failed;
  for (const VerificationProblem& problem : problems) {
    results.push_back(verify(problem));
    passed += results.back().passed;
    if (!results.back().passed) failed += " " + problem.name;
    if (!quiet) print(results.back());
  }
  if (!options.out.empty()) {
    const bool html = options.out.ends_with(".html");
    write_output(html ? verification_html(results) : verification_markdown(results), options.out);
  }
  if (!quiet)
    fmt::print("\n{} of {} problems agree with their published values\n", passed, results.size());
  if (!failed.empty()) throw std::runtime_error("verify: these disagree:" + failed);
}

}  // namespace

void add_verify(Command program) {
  const Command command = program.add_command(
      "verify", "Published problems: our values, with their errors, beside the published ones");
  const auto options = std::make_shared<VerifyOptions>();
  command.add_option("PROBLEM", options->names, "Names of problems; without them, all");
  command.add_option(
      "-o,--output", options->out,
      "Also write the tables: VERIFY.html, VERIFY.md, or - for standard output (.md)");
  command.add_option("--problems", options->folder,
                     "Folder with other problems than the bundled ones (docs/verification.md)");
  command.add_flag("--list", options->list, "Name the problems and do not compute them");
  command.callback([=] { verify_problems(*options); });
}
