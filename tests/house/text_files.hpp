/// The files of the project as text, for tests that read them. Paths start in the root.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace house {

inline std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error("there is no file " + file.string());
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Files below a folder, or the file itself, whose names end with one of the endings; sorted.
inline std::vector<std::string> files_in(const std::vector<std::string_view>& tops,
                                         const std::vector<std::string_view>& endings) {
  namespace fs = std::filesystem;
  std::vector<std::string> files;
  const auto add = [&](const fs::path& path) {
    for (const std::string_view ending : endings)
      if (path.string().ends_with(ending)) return files.push_back(path.generic_string());
  };
  for (const fs::path top : tops)
    if (fs::is_directory(top)) {
      for (const auto& entry : fs::recursive_directory_iterator(top))
        if (entry.is_regular_file()) add(entry.path());
    } else if (fs::exists(top)) {
      add(top);
    }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace house
