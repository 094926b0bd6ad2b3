#include "io/meshes/mesh_materials.hpp"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

namespace chasles::io {
namespace {

using Color = std::array<double, 4>;

constexpr std::uintmax_t largest_library = 4 << 20;  // bytes

/// The rest of a line without the white space around it: names of files may have spaces.
std::string rest_of(std::istringstream& line) {
  std::string text;
  std::getline(line >> std::ws, text);
  const auto last = text.find_last_not_of(" \t\r");
  return text.substr(0, last == text.npos ? 0 : last + 1);
}

std::string library_text(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || !std::filesystem::is_regular_file(path, error)) throw Error("there is no such file");
  if (size > largest_library)
    throw Error("has " + std::to_string(size >> 20U) + " MB; at most " +
                std::to_string(largest_library >> 20U) + " are read");
  std::ifstream file(path, std::ios::binary);
  std::string text(size, '\0');
  if (!file.read(text.data(), static_cast<std::streamsize>(size))) throw Error("cannot be read");
  return text;
}

/// The colors of a library by the names of their materials.
void read_library(const std::string& text, std::map<std::string, Color>& colors, bool& textured) {
  std::istringstream lines(text);
  Color* color = nullptr;
  for (std::string one; std::getline(lines, one);) {
    std::istringstream line(one);
    std::string key;
    line >> key;
    const auto fraction = [&](double& out) {
      double x = 0;
      if (line >> x && std::isfinite(x)) out = std::clamp(x, 0.0, 1.0);
    };
    if (key == "newmtl") {
      color = &(colors[rest_of(line)] = {0.8, 0.8, 0.8, 1});
    } else if (color != nullptr && key == "Kd") {
      for (std::size_t k = 0; k < 3; ++k) fraction((*color)[k]);
    } else if (color != nullptr && key == "d") {
      fraction((*color)[3]);
    } else if (color != nullptr && key == "Tr") {
      double through = 0;
      fraction(through);
      (*color)[3] = 1 - through;
    } else if (key == "map_Kd") {
      textured = true;
    }
  }
}

}  // namespace

void read_obj_colors(const std::string& obj, const std::filesystem::path& folder,
                     TriangleMesh& mesh) {
  if (mesh.materials.empty()) return;
  std::map<std::string, Color> colors;
  std::istringstream lines(obj);
  bool textured = false;
  for (std::string one; std::getline(lines, one);) {
    if (!one.starts_with("mtllib")) continue;
    std::istringstream line(one.substr(6));
    const std::string name = rest_of(line);
    try {
      read_library(library_text(folder / name), colors, textured);
    } catch (const Error& error) {
      mesh.notes.push_back({std::string("colors of meshes are left out: ") + error.what(), name});
    }
  }
  if (textured) mesh.notes.push_back({std::string(textures_left_out)});
  for (MeshMaterial& material : mesh.materials)
    if (const auto found = colors.find(material.name); found != colors.end())
      material.color = found->second;
}

}  // namespace chasles::io
