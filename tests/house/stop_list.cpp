/// Words and shapes of stop_list.txt do not stand in the project: in folders of stop_list_allowed.txt at most as often as
/// it says there, which may only become less. With CHASLES_STOP_LIST=lower in the environment the test writes the numbers
/// that it finds, where they are lower.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "house/text_files.hpp"

namespace stop_list_test {

struct Token {
  std::string_view text;
  std::size_t at;
  bool joined;  // with the one before it, by nothing but space and marks of comments
};

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)); }
bool is_capital(char c) { return std::isupper(static_cast<unsigned char>(c)); }

/// Words; names are split at their capitals and underscores.
std::vector<Token> tokens_of(std::string_view text) {
  std::vector<Token> out;
  std::size_t last = 0;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_letter(text[end]) &&
           !(end > i && is_capital(text[end]) && !is_capital(text[end - 1])))
      ++end;
    if (end == i) {
      ++i;
      continue;
    }
    const std::string_view gap = text.substr(last, i - last);
    out.push_back(
        {text.substr(i, end - i), i, !gap.empty() && gap.find_first_not_of(" \n/*#>") == gap.npos});
    last = i = end;
  }
  return out;
}

using Shape = std::vector<std::string>;

bool fits(std::string_view word, std::string_view pattern) {
  if (pattern == "WORD") return true;
  const bool open = pattern.ends_with('*');
  if (open) pattern.remove_suffix(1);
  if (word.size() < pattern.size() || (!open && word.size() > pattern.size())) return false;
  if (is_capital(pattern[0])) return word.starts_with(pattern);
  return std::equal(pattern.begin(), pattern.end(), word.begin(), [](char p, char c) {
    return p == std::tolower(static_cast<unsigned char>(c));
  });
}

bool stands_at(const std::vector<Token>& tokens, std::size_t i, const Shape& shape) {
  if (i + shape.size() > tokens.size()) return false;
  for (std::size_t k = 0; k < shape.size(); ++k)
    if (!fits(tokens[i + k].text, shape[k]) || (k > 0 && !tokens[i + k].joined)) return false;
  return true;
}

struct Rule {
  Shape shape;
  std::string remedy;
  std::vector<Shape> allowed;
};

bool breaks(const std::vector<Token>& tokens, std::size_t i, const Rule& rule) {
  return stands_at(tokens, i, rule.shape) &&
         std::none_of(rule.allowed.begin(), rule.allowed.end(), [&](const Shape& shape) {
           return stands_at(tokens, i, shape) || (i > 0 && stands_at(tokens, i - 1, shape));
         });
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) {
    const std::size_t begin = part.find_first_not_of(' '), end = part.find_last_not_of(' ');
    if (begin != std::string::npos) out.push_back(part.substr(begin, end - begin + 1));
  }
  return out;
}

std::vector<Rule> rules_of(const std::string& list) {
  std::vector<Rule> rules;
  for (const std::string& line : house::lines_of(list)) {
    if (line.starts_with('#') || line.empty()) continue;
    const std::vector<std::string> fields = split(line, '|');
    if (fields.size() < 2) throw std::runtime_error("stop_list.txt: no remedy: " + line);
    rules.push_back({split(fields[0], ' '), fields[1], {}});
    if (fields.size() > 2)
      for (const std::string& shape : split(fields[2], ','))
        rules.back().allowed.push_back(split(shape, ' '));
  }
  return rules;
}

/// "FILE:LINE: the words -> remedy" for all that a text has.
std::vector<std::string> hits_in(const std::string& text, const std::string& file,
                                 const std::vector<Rule>& rules) {
  std::vector<std::string> hits;
  const std::vector<Token> tokens = tokens_of(text);
  for (std::size_t i = 0; i < tokens.size(); ++i)
    for (const Rule& rule : rules) {
      if (!breaks(tokens, i, rule)) continue;
      const Token& last = tokens[i + rule.shape.size() - 1];
      const std::size_t end = last.at + last.text.size();
      hits.push_back(
          file + ":" +
          std::to_string(1 + std::count(text.begin(),
                                        text.begin() + static_cast<std::ptrdiff_t>(tokens[i].at),
                                        '\n')) +
          ": \"" + text.substr(tokens[i].at, end - tokens[i].at) + "\": " + rule.remedy);
    }
  return hits;
}

/// include/chasles/lie, src/model, docs, ...; "." for files of the root.
std::string folder_of(const std::string& file) {
  std::string folder = std::filesystem::path(file).parent_path().generic_string();
  const int depth = folder.starts_with("include/") ? 3 : 2;
  std::size_t end = 0;
  for (int k = 0; k < depth && end != folder.npos; ++k) end = folder.find('/', end + (k > 0));
  folder = folder.substr(0, end);
  return folder.empty() ? "." : folder;
}

using Hits = std::map<std::string, std::vector<std::string>>;
Hits hits_by_folder() {
  const std::vector<Rule> rules = rules_of(house::text_of("tests/house/stop_list.txt"));
  Hits hits;
  for (const std::string& file :
       house::files_in({"README.md", "CONTRIBUTING.md", "SECURITY.md", "VERSIONING.md",
                        "CMakeLists.txt", "run", "test", "apps", "bench", "cmake", "docs",
                        "examples", "include", "src", "studies", "tests", "tools", "viewer"},
                       {".md", ".hpp", ".cpp", ".inl", ".cmake", ".txt", ".bash", ".js", ".css",
                        ".html", ".yaml", "run", "test"})) {
    if (file.find("/stop_list") != file.npos || file.starts_with("tests/fuzz/corpus/")) continue;
    for (const std::string& hit : hits_in(house::text_of(file), file, rules))
      hits[folder_of(file)].push_back(hit);
  }
  return hits;
}

TEST(StopList, words_do_not_come_back) {
  const std::string path = "tests/house/stop_list_allowed.txt";
  std::map<std::string, std::size_t> allowed;
  std::string head, lower;
  for (const std::string& line : house::lines_of(house::text_of(path))) {
    if (line.starts_with('#')) {
      head += line + "\n";
      continue;
    }
    const std::vector<std::string> fields = split(line, ' ');
    if (fields.size() == 2) allowed[fields[0]] = std::stoul(fields[1]);
  }
  const Hits hits = hits_by_folder();
  for (const auto& [folder, list] : hits) {
    const std::size_t limit = allowed.contains(folder) ? allowed.at(folder) : 0;
    if (list.size() <= limit) continue;
    std::string all;
    for (const std::string& hit : list) all += "\n  " + hit;
    ADD_FAILURE() << folder << " has " << list.size() << " where " << limit
                  << " are allowed:" << all;
  }
  for (const auto& [folder, limit] : allowed) {
    const std::size_t found = hits.contains(folder) ? hits.at(folder).size() : 0;
    if (found < limit) std::cout << path << ": " << folder << " may become " << found << "\n";
    if (std::min(found, limit) > 0)
      lower += folder + " " + std::to_string(std::min(found, limit)) + "\n";
  }
  const char* wish = std::getenv("CHASLES_STOP_LIST");
  if (wish != nullptr && wish == std::string_view("lower")) std::ofstream(path) << head << lower;
}

TEST(StopList, the_check_finds_shapes) {
  const std::vector<Rule> rules = rules_of(
      "linearis* | linearize\nis no WORD | is not a | there is no, is no longer\nWho WORD | If "
      "you\n");
  const auto count = [&](const std::string& text) { return hits_in(text, "a", rules).size(); };
  EXPECT_EQ(count("a Linearised step, TreeLinearisation, linearise_all"), 3u);
  EXPECT_EQ(count("linear, linearized, the linear is"), 0u);
  EXPECT_EQ(count("This is no error. There is no error; it is no longer so."), 1u);
  EXPECT_EQ(count("/// what is\n/// no rotation"), 1u);
  EXPECT_EQ(count("that is; no rotation"), 0u);
  EXPECT_EQ(count("Who steps must; those who step"), 1u);
  EXPECT_EQ(folder_of("include/chasles/lie/so3.hpp"), "include/chasles/lie");
  EXPECT_EQ(folder_of("src/io/yaml/reader.cpp"), "src/io");
  EXPECT_EQ(folder_of("docs/notation.md"), "docs");
  EXPECT_EQ(folder_of("README.md"), ".");
}

}  // namespace stop_list_test
