/// The lists of CONTRIBUTING.md, "Adding", are complete: the files in them exist, and a file that begins an
/// entry names every row of the table that the list is about.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "chasles/integrators/integrator.hpp"
#include "chasles/io/scenario_file.hpp"
#include "chasles/mechanism/joint.hpp"
#include "chasles/simulation/quantity.hpp"

namespace adding_test {

namespace fs = std::filesystem;
using Names = std::vector<std::string>;

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}
bool names_word(const std::string& text, const std::string& word) {
  const auto is_part = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
    const auto end = at + word.size();
    if ((at == 0 || !is_part(text[at - 1])) && (end == text.size() || !is_part(text[end])))
      return true;
  }
  return false;
}

/// The sections of CONTRIBUTING.md that begin with "### ", by their titles.
std::map<std::string, std::string> sections() {
  std::map<std::string, std::string> list;
  std::istringstream lines(text_of("CONTRIBUTING.md"));
  std::string title;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) title = line.starts_with("### ") ? line.substr(4) : "";
    if (!title.empty()) list[title] += line + "\n";
  }
  return list;
}
/// The files that begin an entry: "1. `FILE`: ..." or "- `FILE`: ...".
Names first_files(const std::string& section) {
  Names files;
  const std::regex entry("(?:^|\n)(?:-|[0-9]\\.) `([^`]+)`:");
  for (std::sregex_iterator it(section.begin(), section.end(), entry), end; it != end; ++it)
    files.push_back((*it)[1]);
  return files;
}

Names strings(const auto& list) {
  Names names;
  for (const auto& name : list) names.emplace_back(name);
  return names;
}
Names methods() {
  Names names;
  for (const chasles::MethodInfo& info : chasles::methods()) names.emplace_back(info.name);
  return names;
}
Names quantities() {
  Names names;
  for (const chasles::QuantityInfo& row : chasles::quantity_list()) names.emplace_back(row.name);
  return names;
}
/// A row by its function, add_NAME or read_NAME, or as users write it: NAME, or upper-case.
bool names_row(const std::string& text, const std::string& name) {
  std::string bare = name;
  for (const std::string_view prefix : {"add_", "read_"})
    if (name.starts_with(prefix)) bare = name.substr(prefix.size());
  std::string upper = bare;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return names_word(text, name) || names_word(text, bare) || names_word(text, upper);
}
/// Functions add_NAME of commands.hpp.
Names commands() {
  Names names;
  const std::string all = text_of("apps/chasles/commands.hpp");
  const std::string text = all.substr(all.find("all_commands"));
  const std::regex adds("(add_[a-z]+)");
  for (std::sregex_iterator it(text.begin(), text.end(), adds), end; it != end; ++it)
    names.push_back((*it)[1]);
  return names;
}
/// Functions read_NAME of mechanism_file.hpp.
Names formats() {
  Names names;
  const std::string text = text_of("include/chasles/io/mechanism_file.hpp");
  const std::regex reads("Mechanism (read_[a-z]+)\\(");
  for (std::sregex_iterator it(text.begin(), text.end(), reads), end; it != end; ++it)
    if ((*it)[1] != "read_mechanism") names.push_back((*it)[1]);
  return names;
}

TEST(Adding, lists_are_complete) {
  const std::map<std::string, std::string> text = sections();
  const std::map<std::string, Names> tables{
      {"A joint type", strings(chasles::joint_type_names())},
      {"An integrator", methods()},
      {"A quantity", quantities()},
      {"A force", strings(chasles::force_type_names())},
      {"A command", commands()},
      {"A file format", formats()},
  };
  for (const auto& [title, names] : tables) {
    ASSERT_TRUE(text.contains(title)) << "CONTRIBUTING.md has no section " << title;
    ASSERT_GE(names.size(), 3u) << title;
    const Names files = first_files(text.at(title));
    EXPECT_GE(files.size(), 1u) << title;
    for (const std::string& file : files) {
      ASSERT_TRUE(fs::is_regular_file(file)) << title << ": " << file;
      const std::string content = text_of(file);
      for (const std::string& name : names)
        EXPECT_TRUE(names_row(content, name))
            << title << ": " << file << " does not have " << name << ", as CONTRIBUTING.md says";
    }
  }
}

/// All paths in backticks of the sections exist.
TEST(Adding, files_exist) {
  const std::regex path("`((?:include|src|apps|tests|docs|examples|bench|tools|cmake)/[^` ]+)`");
  int found = 0;
  for (const auto& [title, section] : sections())
    for (std::sregex_iterator it(section.begin(), section.end(), path), end; it != end;
         ++it, ++found)
      EXPECT_TRUE(fs::exists((*it)[1].str())) << title << ": " << (*it)[1];
  EXPECT_GT(found, 20);
}

TEST(Adding, finds_what_is_missing) {
  EXPECT_TRUE(names_word("a mk4, b", "mk4"));
  EXPECT_FALSE(names_word("a mk45 b", "mk4"));
  EXPECT_FALSE(names_word("a tmk4", "mk4"));
  EXPECT_EQ(first_files("1. `a.cpp`: x\n- `b.md`: y\n- see `c.md`\n"), (Names{"a.cpp", "b.md"}));
}

}  // namespace adding_test
