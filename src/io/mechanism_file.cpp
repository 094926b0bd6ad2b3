#include "chasles/io/mechanism_file.hpp"

#include "io/text.hpp"

namespace chasles {
namespace {

bool is_urdf(const std::filesystem::path& path, std::string_view text) {
  const std::string extension = path.extension().string();
  if (extension == ".yaml" || extension == ".yml" || extension == ".json") return false;
  if (extension == ".urdf" || extension == ".xml") return true;
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text[first] == '<';
}

}  // namespace

Mechanism read_mechanism(const std::filesystem::path& path, const ReadOptions& options) {
  const std::string name = io::input_name(path);
  const std::string text = io::read_file(path);
  if (is_urdf(path, text)) return read_urdf(text, name, options);
  if (options.floating_base)
    throw Error(name +
                ": a floating base can be added to URDF only; in YAML give the first body a "
                "joint of type free");
  return read_yaml(text, name);
}

}  // namespace chasles
