/// Published problems: all agree, the document is the output of the program, and wrong numbers do not pass.
#include "chasles/io/verification.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/errors.hpp"

namespace chasles {
namespace verification_test {

namespace fs = std::filesystem;
const fs::path folder = "examples/verification";

/// Words of a text. CPU times, and numbers that differ from machine to machine in their last digits, need a
/// comparison of their own.
std::vector<std::string> words(const std::string& text) {
  std::string spaced;
  for (const char c : text) spaced += c == '|' || c == ',' ? ' ' : c;
  std::istringstream in(spaced);
  std::vector<std::string> list;
  for (std::string word; in >> word; list.push_back(word))
    if (word.ends_with('.') || word.ends_with(';')) word.pop_back();
  return list;
}
bool same(const std::string& a, const std::string& b) {
  if (a == b) return true;
  char *end_a = nullptr, *end_b = nullptr;
  const double x = std::strtod(a.c_str(), &end_a), y = std::strtod(b.c_str(), &end_b);
  if (*end_a != 0 || *end_b != 0) return false;
  const bool digits = x <= 16 && y <= 16 && x == std::floor(x) && y == std::floor(y);
  return std::abs(x - y) < 1e-7 * (1 + std::abs(x)) || (digits && std::abs(x - y) <= 2) ||
         (std::abs(x) < 1e-5 && std::abs(y) < 1e-5);
}
std::string text_of(const fs::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}
/// Without the column of CPU times.
std::string without_cpu(const std::string& text) {
  std::istringstream in(text);
  std::string out;
  for (std::string line; std::getline(in, line); out += line + "\n") {
    const auto last = line.rfind("| agrees |");
    if (last == line.npos || !line.starts_with("| [")) continue;
    line.erase(line.rfind('|', last - 1), last - line.rfind('|', last - 1));
  }
  for (const auto& [from, to] : {std::pair<std::string, std::string>{" CPU [s] |", ""},
                                 {"|---|---|---|---|---|\n", "|---|---|---|---|\n"}})
    if (const auto at = out.find(from); at != out.npos) out.replace(at, from.size(), to);
  return out;
}

TEST(Verification, published_problems_agree_and_the_document_says_so) {
  std::vector<Verification> results;
  for (const std::string& name : problem_names(folder)) {
    results.push_back(verify(find_problem(folder, name)));
    const Verification& r = results.back();
    EXPECT_TRUE(r.passed) << name;
    EXPECT_FALSE(r.problem.source.empty()) << name;
    for (const VerifiedValue& value : r.values)
      EXPECT_LE(value.difference, value.tolerance) << name << ": " << value.quantity;
  }
  EXPECT_GE(results.size(), 25U);
  const auto document = words(without_cpu(text_of("docs/verification.md"))),
             computed = words(verification_markdown(results, false));
  ASSERT_EQ(document.size(), computed.size()) << "run ./run verify -o docs/verification.md";
  for (std::size_t i = 0; i < computed.size(); ++i)
    ASSERT_TRUE(same(document[i], computed[i]))
        << document[i] << " is " << computed[i] << "; run ./run verify -o docs/verification.md";
  const std::string page = verification_html(results);
  EXPECT_NE(page.find("Whipple bicycle: agrees"), page.npos);
}

class VerificationFile : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(place);
    std::ofstream(place / "rod.yaml")
        << "chasles: 1\nname: rod\nbodies:\n"
           "  - name: rod\n"
           "    joint: {name: pivot, type: revolute, axis: [0, 1, 0]}\n"
           "    inertia: {mass: 2, com: [0, 0, -0.5]}\n";
    std::ofstream(place / "swing.yaml") << "chasles: 1\nmodel: rod.yaml\nduration: 1\n"
                                           "initial: {v: {pivot: 1}}\nrecord: {every: 0.5}\n";
  }
  void TearDown() override { fs::remove_all(place); }
  VerificationProblem problem(const std::string& value, const std::string& of = "scenario: swing") {
    const fs::path path = place / "problem.yaml";
    std::ofstream(path) << "chasles: 1\nproblem: a rod\nsource: here\n" + of +
                               ".yaml\npublished:\n  - " + value + "\n";
    return read_problem(path);
  }
  const fs::path place =
      fs::temp_directory_path() / ("chasles_verification_" + std::to_string(getpid()));
};

/// A pendulum of 1 m: M = 0.5, energy 0.25 - 9.81.
TEST_F(VerificationFile, wrong_numbers_disagree) {
  const std::string energy = "{quantity: energy, at: 1, tolerance: 1e-8, value: ";
  const Verification good = verify(problem(energy + "-9.56}"));
  EXPECT_TRUE(good.passed);
  EXPECT_GT(good.values[0].digits, 9);
  EXPECT_GE(good.methods.size(), 3U);
  const Verification bad = verify(problem(energy + "-9.5600001}"));
  EXPECT_FALSE(bad.passed);
  EXPECT_NEAR(bad.values[0].difference, 1e-7, 1e-9);
  // The estimate of the error must not exceed the tolerance, either.
  const Verification rough = verify(
      problem("{quantity: \"q:pivot\", at: 1, tolerance: 1e-13, value: " +
              to_text(verify(problem("{quantity: \"q:pivot\", at: 1, tolerance: 1, value: 0, set: "
                                     "[\"integrator={method: bs32, tolerance: 1e-4}\"]}"))
                          .values[0]
                          .computed[0]) +
              ", set: [\"integrator={method: bs32, tolerance: 1e-4}\"]}"));
  EXPECT_LT(rough.values[0].difference, 1e-14);
  EXPECT_FALSE(rough.passed);
}

/// omega^2 = m g l / I of the rod: 19.62.
TEST_F(VerificationFile, eigenvalues_and_critical_parameters) {
  const double omega = std::sqrt(19.62);
  const std::string at_rest = "set: [\"initial.v.pivot=0\"]";
  EXPECT_TRUE(
      verify(problem("{quantity: eigenvalues, " + at_rest + ", value: [[0, " + to_text(omega) +
                     "], [0, -" + to_text(omega) + "]], tolerance: 1e-12}"))
          .passed);
  // Hanging it is stable, upright it is not: the stiffness is zero at a right angle.
  // Damped, so that real parts are negative where it is stable.
  const std::string damped =
      "set: [initial.v.pivot=0, \"forces=[{type: joint_friction, joint: pivot, viscous: 0.1}]\"]";
  const Verification root =
      verify(problem("{quantity: critical, " + damped +
                     ", parameter: initial.q.pivot, between: [1.1, 2], value: "
                     "1.5707963267948966, tolerance: 1e-6}"));
  EXPECT_NEAR(root.values[0].computed[0], M_PI / 2, 1e-6);
}

TEST_F(VerificationFile, states_of_models) {
  EXPECT_TRUE(verify(problem("{quantity: gravity, state: {q: pivot=0.3}, value: " +
                                 to_text(9.81 * std::sin(0.3)) + ", tolerance: 1e-14}",
                             "model: rod"))
                  .passed);
}

TEST_F(VerificationFile, mistakes_are_named) {
  EXPECT_SAYS(find_problem(folder, "heavy_topp"), "no problem", "heavy_topp", "heavy_top");
  EXPECT_SAYS(problem_names(place / "none"), "no problems", "examples/verification");
  const auto verified = [&](const std::string& value) { return verify(problem(value)); };
  EXPECT_SAYS(verified("{quantity: energy, at: 0.3, value: 1, tolerance: 1}"), "problem: energy",
              "no sample at t = 0.3", "record.every");
  EXPECT_SAYS(verified("{quantity: energy, entries: [2], value: 1, tolerance: 1}"), "entry 2 of 1");
  EXPECT_SAYS(verified("{quantity: energy, value: [1, 2], tolerance: 1}"), "1 numbers", "entries");
  EXPECT_SAYS(verified("{quantity: \"summary:energy_drft\", value: 1, tolerance: 1}"),
              "energy_drft", "energy_drift");
  EXPECT_SAYS(verified("{quantity: energi, value: 1, tolerance: 1}"), "energi", "energy");
  EXPECT_SAYS(verified("{quantity: eigenvalues, value: [1], tolerance: 1}"), "pairs");
  EXPECT_SAYS(verified("{quantity: critical, parameter: initial.q.pivot, between: [0.1, 0.2], "
                       "value: 1, tolerance: 1}"),
              "change its sign");
  EXPECT_SAYS(problem("{quantity: energy, value: 1, tolerance: 0}"), "problem.yaml:6", "positive");
  EXPECT_SAYS(problem("{quantity: energy, value: 1}"), "tolerance");
  EXPECT_SAYS(problem("{quantity: energy, value: 1, tolerance: 1, att: 3}"), "att", "at");
  EXPECT_SAYS(problem("{quantity: energy, value: [], tolerance: 1}"), "value");
  EXPECT_SAYS(problem("{quantity: energy, between: [1, 2], value: 1, tolerance: 1}"), "critical");
  EXPECT_SAYS(problem("{quantity: energy, entries: [0.5], value: 1, tolerance: 1}"), "0.5",
              "index");
  EXPECT_SAYS(problem("{quantity: energy, at: 1, value: 1, tolerance: 1}", "model: rod"),
              "no time");
  EXPECT_SAYS(problem("{quantity: energy, state: {q: pivot=1}, value: 1, tolerance: 1}"), "state");
}

}  // namespace verification_test
}  // namespace chasles
