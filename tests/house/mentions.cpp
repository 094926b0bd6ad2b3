/// What documents and comments name is there: files, sections, links, and names of code between backquotes.
///
/// - A file is named by the end of its path: `so3.hpp`, lie/so3.hpp and include/chasles/lie/so3.hpp are the same; * stands
///   for anything. "FILE.md, section N" and links to FILE.md#heading are a heading of that file.
/// - `name`, `name(..)` and name() are an identifier of the code or a key of an example; `Type::member` is one in a file
///   that declares Type, or that defines the member outside of it. Words in capitals are placeholders.
/// - What is not ours (a program, a symbol of a formula) stands in foreign_names.txt, and must be needed there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "house/text_files.hpp"

namespace mentions_test {

using Names = std::set<std::string, std::less<>>;

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
bool is_path(char c) { return is_word(c) || c == '/' || c == '.' || c == '-' || c == '*'; }

/// Pieces of a text that are made of such characters.
template <class Of>
std::vector<std::string> pieces(std::string_view text, Of of) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t begin = i;
    while (i < text.size() && of(text[i])) ++i;
    if (i > begin) found.emplace_back(text.substr(begin, i - begin));
  }
  return found;
}

bool is_source(std::string_view file) {
  return file.ends_with(".hpp") || file.ends_with(".cpp") || file.ends_with(".inl");
}

/// A source in two: its comments, where lines of one comment are one line, and the rest.
struct QuantitySource {
  std::string comments, code;
};
QuantitySource parts(const std::string& text) {
  QuantitySource out;
  for (const std::string& line : house::lines_of(text)) {
    const std::size_t slashes = line.find("//");
    out.code += line.substr(0, slashes) + "\n";
    if (slashes == std::string::npos) continue;
    const bool alone = line.find_first_not_of(' ') == slashes;
    const std::size_t begin = line.find_first_not_of('/', slashes);
    out.comments += (alone ? " " : "\n") + (begin == std::string::npos ? "" : line.substr(begin));
  }
  return out;
}

/// A document without its blocks of code, which other tests run.
std::string prose(const std::string& text) {
  std::string out;
  bool block = false;
  for (const std::string& line : house::lines_of(text)) {
    if (line.starts_with("```"))
      block = !block;
    else if (!block)
      out += line + " ";
  }
  return out;
}

/// "## 3. A heading" -> "3-a-heading", as forges link to it.
std::string anchor(std::string_view heading) {
  std::string out;
  for (const char c : heading.substr(std::min(heading.find_first_not_of("# "), heading.size()))) {
    if (c == ' ')
      out += '-';
    else if (is_word(c) || c == '-')
      out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return out;
}

bool matches(std::string_view text, std::string_view pattern) {
  if (pattern.empty()) return text.empty();
  if (pattern[0] == '*')
    return matches(text, pattern.substr(1)) || (!text.empty() && matches(text.substr(1), pattern));
  return !text.empty() && text[0] == pattern[0] && matches(text.substr(1), pattern.substr(1));
}

/// The project: its files, its identifiers, and where types are declared.
struct Project {
  std::vector<std::string> files;
  std::map<std::string, Names, std::less<>> words;  // of the code of a file
  Names known;                                      // all of them
  std::map<std::string, Names, std::less<>> declared_in, headings;

  Project();
  void read_headings(const std::string& file);
  void read_words(const std::string& file);
  bool has_file(std::string_view end) const {
    return std::any_of(files.begin(), files.end(), [&](const std::string& file) {
      if (file == end) return true;
      if (end.find('*') != end.npos) return matches(file, "*/" + std::string(end));
      return file.size() > end.size() && file.ends_with(end) &&
             file[file.size() - end.size() - 1] == '/';
    });
  }
  bool has_heading(std::string_view end, std::string_view start) const {
    for (const auto& [file, list] : headings)
      if (file == end || file.ends_with("/" + std::string(end)))
        for (const std::string& heading : list)
          if (heading == start || heading.starts_with(std::string(start) + "-")) return true;
    return false;
  }
  bool has_member(const std::string& type, const std::string& member) const {
    const auto files_of_type = declared_in.find(type);
    if (files_of_type == declared_in.end()) return false;
    return std::any_of(files_of_type->second.begin(), files_of_type->second.end(),
                       [&](const std::string& file) { return words.at(file).contains(member); });
  }
};

Project::Project() {
  for (const auto& entry : std::filesystem::directory_iterator(".")) {
    const std::string name = entry.path().filename();
    if (name == "build" || name == ".git") continue;
    for (const std::string& file : house::files_in({name}, {""})) files.push_back(file);
  }
  for (const std::string& file : files)
    if (file.ends_with(".md"))
      read_headings(file);
    else
      read_words(file);
}

void Project::read_headings(const std::string& file) {
  for (const std::string& line : house::lines_of(house::text_of(file))) {
    const std::size_t name = line.find("<a name=\"");
    if (line.starts_with("#"))
      headings[file].insert(anchor(line));
    else if (name != std::string::npos)
      headings[file].insert(pieces(line.substr(name + 9), is_path).at(0));
  }
}

void Project::read_words(const std::string& file) {
  static const std::vector<std::string_view> data{".js",   ".yaml", ".urdf", ".cmake",
                                                  ".bash", ".json", ".txt",  ".py"};
  const bool coded = is_source(file) ||
                     std::any_of(data.begin(), data.end(),
                                 [&](std::string_view ending) { return file.ends_with(ending); });
  if (!coded || file.starts_with("tests/house/")) return;
  const std::string text = house::text_of(file);
  const std::vector<std::string> tokens =
      pieces(is_source(file) ? parts(text).code : text, is_word);
  static const Names keywords{"class", "struct", "namespace", "using"};
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    words[file].insert(tokens[i]);
    known.insert(tokens[i]);
    if (i > 0 && keywords.contains(tokens[i - 1])) declared_in[tokens[i]].insert(file);
  }
}

const Project& project() {
  static const Project the_project;
  return the_project;
}

/// Words with capitals only, such as NAME, NAME_1 and NAME.hpp, stand for others.
bool is_placeholder(std::string_view word) {
  const std::string_view head = word.substr(0, word.find_first_of("_."));
  return head.size() > 1 &&
         std::all_of(head.begin(), head.end(), [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// What is wrong with a name of code; empty: nothing.
bool is_known(const std::string& name) {
  if (name.empty() || is_placeholder(name)) return true;
  const std::size_t colons = name.rfind("::");
  if (colons == std::string::npos) {
    const std::string word = name.substr(0, name.find(':'));  // of quantities, `pose:hand`
    return project().known.contains(word);
  }
  const std::string type = name.substr(0, colons), member = name.substr(colons + 2);
  const std::size_t scope = type.rfind("::");
  return type == "std" || type.starts_with("std::") || type.starts_with("Eigen") ||
         project().has_member(scope == std::string::npos ? type : type.substr(scope + 2), member);
}

/// The name in `name` or `name(..)`; empty: it is something else, such as a suffix of names, `_b`.
std::string name_in(std::string_view quoted) {
  std::size_t end = 0;
  while (end < quoted.size() && (is_word(quoted[end]) || quoted[end] == ':')) ++end;
  if (end == 0 || !std::isalpha(static_cast<unsigned char>(quoted[0])) || quoted[end - 1] == '_')
    return "";
  if (end < quoted.size() && !(quoted[end] == '(' && quoted.back() == ')')) return "";
  return std::string(quoted.substr(0, end));
}

void names_of_code(std::string_view text, const std::string& file, Names& wrong) {
  for (std::size_t i = text.find('`'); i != text.npos; i = text.find('`', i + 1)) {
    const std::size_t end = text.find('`', i + 1);
    if (end == text.npos) break;
    const bool formula = i > 0 && text[i - 1] == '$';
    const std::string name = formula ? "" : name_in(text.substr(i + 1, end - i - 1));
    if (!is_known(name)) wrong.insert(file + ": `" + name + "`");
    i = end;
  }
  for (std::size_t i = text.find("()"); i != text.npos; i = text.find("()", i + 2)) {
    std::size_t begin = i;
    while (begin > 0 && (is_word(text[begin - 1]) || text[begin - 1] == ':')) --begin;
    const std::string name(text.substr(begin, i - begin));
    if (!is_known(name)) wrong.insert(file + ": `" + name + "`");
  }
}

void files_and_sections(std::string_view text, const std::string& file, Names& wrong) {
  static const std::vector<std::string_view> endings{".hpp",  ".cpp",   ".inl", ".md",
                                                     ".bash", ".cmake", ".py",  ".js"};
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t begin = i;
    while (i < text.size() && is_path(text[i])) ++i;
    std::string_view path = text.substr(begin, i - begin);
    while (path.starts_with("../") || path.starts_with("./"))
      path.remove_prefix(path.find('/') + 1);
    while (path.ends_with('.')) path.remove_suffix(1);
    const bool named = std::any_of(endings.begin(), endings.end(), [&](std::string_view ending) {
      return path.size() > ending.size() && path.ends_with(ending);
    });
    const bool example = path.starts_with("examples/") && path.find('.') != path.npos;
    if (!(named || example) || is_placeholder(path.substr(path.rfind('/') + 1))) continue;
    if (!project().has_file(path)) wrong.insert(file + ": `" + std::string(path) + "`");
    const std::string_view after = text.substr(i, 24);
    if (!path.ends_with(".md")) continue;
    if (after.starts_with('#')) {
      const std::string heading = pieces(text.substr(i + 1, 100), is_path).at(0);
      if (!project().has_heading(path, heading))
        wrong.insert(file + ": `" + std::string(path) + "#" + heading + "`");
    } else if (after.starts_with(", section ")) {
      const std::string number = pieces(after.substr(10), is_word).at(0);
      if (!project().has_heading(path, number))
        wrong.insert(file + ": `" + std::string(path) + "` section " + number);
    }
  }
}

/// Links within a document.
void own_headings(std::string_view text, const std::string& file, Names& wrong) {
  for (std::size_t i = text.find("](#"); i != text.npos; i = text.find("](#", i + 3)) {
    const std::string heading = pieces(text.substr(i + 3, 100), is_path).at(0);
    if (!project().has_heading(file, heading)) wrong.insert(file + ": `#" + heading + "`");
  }
}

/// All that documents and comments name and that is not there.
Names wrong_mentions() {
  Names wrong;
  for (const std::string& file :
       house::files_in({"README.md", "CONTRIBUTING.md", "SECURITY.md", "VERSIONING.md", "docs",
                        "include", "src", "apps", "studies", "examples", "bench", "tests"},
                       {".md", ".hpp", ".cpp", ".inl"})) {
    const std::string text = house::text_of(file);
    if (is_source(file)) {
      const std::string comments = parts(text).comments;
      files_and_sections(comments, file, wrong);
      if (file.starts_with("include/")) names_of_code(comments, file, wrong);
    } else {
      files_and_sections(prose(text), file, wrong);
      own_headings(prose(text), file, wrong);
      names_of_code(prose(text), file, wrong);
    }
  }
  return wrong;
}

TEST(Mentions, are_there) {
  Names foreign, needed;
  for (const std::string& line : house::lines_of(house::text_of("tests/house/foreign_names.txt")))
    if (!line.starts_with('#') && !line.empty()) foreign.insert(line.substr(0, line.find(' ')));
  for (const std::string& wrong : wrong_mentions()) {
    const std::size_t quote = wrong.find('`') + 1;
    const std::string name = wrong.substr(quote, wrong.find('`', quote) - quote);
    if (foreign.contains(name))
      needed.insert(name);
    else
      ADD_FAILURE() << wrong << " is not in the project";
  }
  EXPECT_EQ(needed, foreign) << "foreign_names.txt has what nothing names";
}

TEST(Mentions, the_check_finds_what_is_missing) {
  EXPECT_TRUE(is_known("inverse_dynamics"));
  EXPECT_TRUE(is_known("Model::nv"));
  EXPECT_TRUE(is_known("pose:hand"));
  EXPECT_TRUE(is_known("std::span"));
  EXPECT_FALSE(is_known("inverse_dinamics"));
  EXPECT_FALSE(is_known("Model::inverse_dinamics"));
  EXPECT_FALSE(is_known("Modle::nv"));
  Names wrong;
  files_and_sections(
      "See so3.hpp, lie/so3.hpp; docs/theory/loops.md, section 1. isa/*_products.cpp", "a", wrong);
  EXPECT_TRUE(wrong.empty()) << *wrong.begin();
  files_and_sections(
      "so4.hpp lei/so3.hpp docs/theory/loops.md, section 99, notation.md#no-such-heading)", "a",
      wrong);
  EXPECT_EQ(wrong.size(), 4);
  wrong.clear();
  names_of_code("`plus(q, dv)` and minus() and `x + y` and `no_such_name` and no_such_function()",
                "a", wrong);
  EXPECT_EQ(wrong.size(), 2);
}

}  // namespace mentions_test
