#include "output.hpp"

#include <algorithm>
#include <chasles/error.hpp>

void require_ending(const std::string& path, std::initializer_list<std::string_view> endings,
                    const std::string& message) {
  if (path.empty() || chasles::is_stream(path)) return;
  const std::string ending = std::filesystem::path(path).extension().string();
  if (std::find(endings.begin(), endings.end(), ending) == endings.end())
    throw chasles::Error(path + ": " + message + "; choose this ending");
}

void write_output(std::string_view text, const std::string& path,
                  chasles::OutputFile::Paths inputs) {
  chasles::OutputFile file(path.empty() ? "-" : path, inputs);
  file.write(text);
  file.commit();
}
