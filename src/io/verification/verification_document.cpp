/// Results of verification as Markdown and HTML.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chasles/io/verification.hpp"
#include "io/text.hpp"

namespace chasles {
namespace io {
namespace {

/// Numbers with the digits that the tolerance leaves, and two more.
std::string list_text(const std::vector<double>& numbers, double tolerance) {
  std::string text;
  for (const double x : numbers) {
    const double digits = std::log10(std::max(std::abs(x), tolerance) / tolerance);
    const int count = std::clamp(static_cast<int>(std::ceil(digits)) + 2, 2, 16);
    text += (text.empty() ? "" : ", ") + fmt::format("{:.{}g}", x, count);
  }
  return text;
}
std::string digits_text(const VerifiedValue& value) {
  const bool zero = std::ranges::all_of(value.published, [](double x) { return x == 0; });
  return zero ? "-" : fmt::format("{:.0f}", std::floor(value.digits));
}
std::string verdict(bool good) { return good ? "agrees" : "DISAGREES"; }

std::string overview(std::span<const Verification> results) {
  std::size_t passed = 0, values = 0;
  for (const Verification& result : results)
    passed += result.passed, values += result.values.size();
  return fmt::format("{} of {} problems agree, with {} published values.", passed, results.size(),
                     values);
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : "; ") + word;
  return text;
}

std::string markdown_word(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
  return out;
}

}  // namespace
}  // namespace io

std::string verification_markdown(std::span<const Verification> results, bool cpu) {
  std::string text =
      "# Verification\n\n"
      "Published problems, recomputed by `chasles verify`; this page is its output, "
      "`./run verify -o docs/verification.md`, and a test compares it. Each problem is a file of "
      "[examples/verification](../examples/verification) with its model, its scenario, the "
      "published numbers, their "
      "sources and tolerances; another problem needs other files only "
      "([keys](../include/chasles/io/verification.hpp)).\n\n"
      "A run is repeated with a tenth of its tolerance and by a method of another family; the "
      "largest difference "
      "is the error estimate. A value agrees if the difference from the published one and the "
      "error "
      "estimate are at most the tolerance, which says how accurate the published number is. Digits "
      "are "
      "those in agreement, relative to the largest number of a list. Units are SI.\n\n";
  text += io::overview(results) + "\n\n";
  text += std::string("| problem | values | fewest digits |") + (cpu ? " CPU [s] |" : "") +
          " verdict |\n|---|---|---|" + (cpu ? "---|" : "") + "---|\n";
  for (const Verification& r : results) {
    const VerifiedValue* fewest = nullptr;
    for (const VerifiedValue& value : r.values)
      if (io::digits_text(value) != "-" && (fewest == nullptr || value.digits < fewest->digits))
        fewest = &value;
    text += fmt::format("| [{}](#{}) | {} | {} |{} {} |\n", r.problem.title, r.problem.name,
                        r.values.size(), fewest != nullptr ? io::digits_text(*fewest) : "-",
                        cpu ? fmt::format(" {:.2f} |", r.cpu_seconds) : "", io::verdict(r.passed));
  }
  for (const Verification& r : results) {
    text += fmt::format("\n## {}\n\n**{}.** {}", r.problem.name, r.problem.title, r.problem.source);
    if (!r.problem.note.empty()) text += " " + r.problem.note;
    text += "\n";
    if (!r.methods.empty()) text += "\nMethods: " + io::joined(r.methods) + ".\n";
    text +=
        "\n| quantity | published | computed | difference | tolerance | error estimate | digits | "
        "source |\n|---|---|---|---|---|---|---|---|\n";
    for (const VerifiedValue& v : r.values)
      text += fmt::format("| {}{} | {} | {} | {:.1e}{} | {:.0e} | {:.0e} | {} | {} |\n",
                          io::markdown_word(v.quantity), v.note.empty() ? "" : " (" + v.note + ")",
                          io::list_text(v.published, v.tolerance),
                          io::list_text(v.computed, v.tolerance), v.difference,
                          v.agrees ? "" : " DISAGREES", v.tolerance, v.error, io::digits_text(v),
                          v.source == r.problem.source ? "" : v.source);
  }
  return text;
}

std::string verification_html(std::span<const Verification> results) {
  std::string text =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>Verification</title>"
      "<style>body{font:14px sans-serif;margin:2em;max-width:80em}table{border-collapse:collapse}"
      "td,th{border:1px solid #ccc;padding:.2em .5em;text-align:left;overflow-wrap:anywhere}"
      ".no{background:#fcc}</style></head><body><h1>Verification</h1><p>" +
      io::overview(results) + "</p>\n";
  for (const Verification& r : results) {
    text += fmt::format("<h2 id=\"{}\">{}: {}</h2><p>{} {}</p><p>{} {:.2f} s of CPU time.</p>\n",
                        io::xml_text(r.problem.name), io::xml_text(r.problem.title),
                        io::verdict(r.passed), io::xml_text(r.problem.source),
                        io::xml_text(r.problem.note), io::xml_text(io::joined(r.methods)),
                        r.cpu_seconds);
    text +=
        "<table><tr><th>quantity</th><th>published</th><th>computed</th><th>difference</th>"
        "<th>tolerance</th><th>error estimate</th><th>digits</th><th>source</th></tr>\n";
    for (const VerifiedValue& v : r.values)
      text += fmt::format(
          "<tr{}><td>{} {}</td><td>{}</td><td>{}</td><td>{:.1e}</td><td>{:.0e}</td>"
          "<td>{:.0e}</td><td>{}</td><td>{}</td></tr>\n",
          v.agrees ? "" : " class=\"no\"", io::xml_text(v.quantity), io::xml_text(v.note),
          io::list_text(v.published, v.tolerance), io::list_text(v.computed, v.tolerance),
          v.difference, v.tolerance, v.error, io::digits_text(v), io::xml_text(v.source));
    text += "</table>\n";
  }
  return text + "</body></html>\n";
}

}  // namespace chasles
