/// docs/contracts.md is complete and true: every header that promises one of its contracts stands in the table of that
/// contract, promises it indeed, and every test that is named exists and uses what the header declares.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "house/text_files.hpp"

namespace contracts_test {

using Names = std::set<std::string>;

/// A heading of the page, and the words by which a header promises it.
struct Contract {
  std::string heading;
  std::vector<std::string_view> words;
};
const std::vector<Contract> contracts{
    {"No allocation",
     {"no call allocates", "ot allocate", "othing here allocates", "no step allocates",
      "none of them allocates", "llocates nothing", "no other call allocates", "none allocates",
      "llocates only"}},
    {"Threads",
     {"per thread", "between threads", "by threads", "hreads can share", "number of threads"}},
    {"Work", {" O(n", " O(depth", " O(sqrt"}},
    {"Numbers that are not finite",
     {"not finite", "on-finite", "ot a number", "is NaN", "all NaN", "to NaN", "or NaN",
      "returned NaN"}},
};

/// Comments of a header, with the lines of one as one.
std::string comments_of(const std::string& file) {
  std::string out;
  for (const std::string& line : house::lines_of(house::text_of(file)))
    if (const std::size_t slashes = line.find("//"); slashes != std::string::npos)
      out += " " + line.substr(std::min(line.find_first_not_of("/ ", slashes), line.size()));
  return out;
}

bool promises(const std::string& header, const Contract& contract) {
  const std::string comments = comments_of(header);
  return std::any_of(contract.words.begin(), contract.words.end(),
                     [&](std::string_view word) { return comments.find(word) != comments.npos; });
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Types of a header, and functions outside of them.
Names declared_in(const std::string& header) {
  Names names;
  std::string last;
  for (const std::string& whole : house::lines_of(house::text_of(header))) {
    const std::string line = whole.substr(0, whole.find("//"));
    for (std::size_t i = 0; i < line.size();) {
      std::size_t end = i;
      while (end < line.size() && is_word(line[end])) ++end;
      if (end == i) {
        ++i;
        continue;
      }
      const std::string word = line.substr(i, end - i);
      const bool function = line[0] != ' ' && end < line.size() && line[end] == '(';
      if (last == "class" || last == "struct" || last == "using" || function) names.insert(word);
      last = word;
      i = end;
    }
  }
  return names;
}

/// Does a file, or what it includes of the tests, name one of these?
bool uses(const std::string& file, const Names& names) {
  const std::string text = house::text_of(file);
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_word(text[end])) ++end;
    if (end > i && names.contains(text.substr(i, end - i))) return true;
    i = std::max(end, i + 1);
  }
  for (const std::string& line : house::lines_of(text)) {
    if (!line.starts_with("#include \"")) continue;
    const std::string included = "tests/" + line.substr(10, line.rfind('"') - 10);
    if (std::filesystem::exists(included) && uses(included, names)) return true;
  }
  return false;
}

/// "folder.Suite.case" and the file that has it.
std::map<std::string, std::string> registered_tests() {
  std::map<std::string, std::string> tests;
  for (const std::string& file : house::files_in({"tests"}, {".cpp"})) {
    const std::string folder = std::filesystem::path(file).parent_path().filename();
    const std::string text = house::text_of(file);
    for (std::size_t i = text.find("TEST"); i != text.npos; i = text.find("TEST", i + 4)) {
      if (i > 0 && text[i - 1] != '\n' && text[i - 1] != '_') continue;
      const std::size_t open = text.find('(', i), comma = text.find(',', i),
                        close = text.find(')', i);
      if (!(open < comma && comma < close)) continue;
      const std::size_t name = text.find_first_not_of(" \n", comma + 1);
      tests[folder + "." + text.substr(open + 1, comma - open - 1) + "." +
            text.substr(name, close - name)] = file;
    }
  }
  return tests;
}

/// The words between backquotes.
std::vector<std::string> in_backquotes(std::string_view cell) {
  std::vector<std::string> out;
  for (std::size_t i = cell.find('`'); i != cell.npos;) {
    const std::size_t end = cell.find('`', i + 1);
    if (end == cell.npos) break;
    out.emplace_back(cell.substr(i + 1, end - i - 1));
    i = cell.find('`', end + 1);
  }
  return out;
}

struct Line {
  std::vector<std::string> headers, tests;
};
/// The table below a heading.
std::vector<Line> table(const std::string& heading) {
  std::vector<Line> out;
  bool here = false;
  for (const std::string& line : house::lines_of(house::text_of("docs/contracts.md"))) {
    if (line.starts_with("## ")) here = line.substr(3) == heading;
    if (!here || !line.starts_with("| `")) continue;
    const std::size_t bar = line.find('|', 2);
    out.push_back({in_backquotes(line.substr(0, bar)), in_backquotes(line.substr(bar))});
  }
  return out;
}

TEST(Contracts, tests_that_are_named_exist_and_use_what_the_header_declares) {
  const std::map<std::string, std::string> tests = registered_tests();
  EXPECT_GT(tests.size(), 1000u);
  for (const Contract& contract : contracts) {
    const std::vector<Line> lines = table(contract.heading);
    EXPECT_FALSE(lines.empty()) << contract.heading;
    for (const Line& line : lines) {
      EXPECT_FALSE(line.tests.empty()) << contract.heading << ": " << line.headers.at(0);
      for (const std::string& test : line.tests)
        EXPECT_TRUE(tests.contains(test)) << "docs/contracts.md: there is no test " << test;
      for (const std::string& header : line.headers) {
        const Names names = declared_in("include/chasles/" + header);
        EXPECT_TRUE(std::any_of(line.tests.begin(), line.tests.end(),
                                [&](const std::string& test) {
                                  return tests.contains(test) && uses(tests.at(test), names);
                                }))
            << contract.heading << ": no test of the line uses anything of " << header;
      }
    }
  }
}

TEST(Contracts, stand_where_they_are_promised) {
  for (const Contract& contract : contracts) {
    Names listed, promised;
    for (const Line& line : table(contract.heading))
      for (const std::string& header : line.headers)
        EXPECT_TRUE(listed.insert(header).second) << contract.heading << ": twice " << header;
    for (const std::string& header : house::files_in({"include/chasles"}, {".hpp"}))
      if (promises(header, contract))
        promised.insert(header.substr(std::string("include/chasles/").size()));
    for (const std::string& header : promised)
      EXPECT_TRUE(listed.contains(header))
          << header << " promises \"" << contract.heading
          << "\": name in docs/contracts.md the test that holds it";
    for (const std::string& header : listed)
      EXPECT_TRUE(promised.contains(header)) << header << " does not promise \"" << contract.heading
                                             << "\" any more: take it out of docs/contracts.md";
  }
}

}  // namespace contracts_test
