/// Every key of model and scenario files whose value is a number has its unit in the reference.
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "house/text_files.hpp"

namespace key_units_test {

using house::text_of;

/// Keys that the readers read as numbers or vectors.
std::set<std::string> number_keys() {
  std::set<std::string> keys;
  const std::regex read("\\b(?:number|vec3|positive|given|whole)\\(\\s*\"([a-z_]+)\"");
  for (const char* folder : {"src/io/yaml", "src/io/runs"})
    for (const auto& file : std::filesystem::directory_iterator(folder)) {
      const std::string text = text_of(file.path().string());
      for (std::sregex_iterator it(text.begin(), text.end(), read), end; it != end; ++it)
        keys.insert((*it)[1]);
    }
  keys.erase("chasles");  // the version
  return keys;
}
/// Rows of tables, and paragraphs.
std::vector<std::string> passages() {
  std::vector<std::string> list{""};
  for (const char* name :
       {"docs/model-files.md", "docs/scenario-files.md", "docs/contact.md", "docs/control.md"}) {
    std::istringstream lines(text_of(name));
    for (std::string line; std::getline(lines, line);)
      if (line.empty() || line.starts_with("|"))
        list.push_back(line);
      else
        list.back() += line + "\n";
  }
  return list;
}

TEST(Keys, of_numbers_have_units_in_the_reference) {
  const std::set<std::string> keys = number_keys();
  EXPECT_GT(keys.size(), 60U);
  const std::regex unit("\\[(?:1|rad|m|kg|s|N|Hz|W|J)\\b[^\\]]*\\](?!\\()");
  std::set<std::string> without = keys;
  for (const std::string& passage : passages()) {
    if (!std::regex_search(passage, unit)) continue;
    std::erase_if(without, [&](const std::string& key) {
      return std::regex_search(passage, std::regex("[`{, ]" + key + "[`}, :]"));
    });
  }
  for (const std::string& key : without)
    ADD_FAILURE() << "the reference does not give the unit of '" << key << "', such as [m] or [1]";
}

}  // namespace key_units_test
