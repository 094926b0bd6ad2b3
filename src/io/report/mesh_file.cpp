#include "io/report/mesh_file.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <sstream>

namespace chasles::io {
namespace {

constexpr std::uintmax_t largest_mesh = 64 << 20;  // bytes

std::string read_bytes(const std::filesystem::path& path) {
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(path, error);
  if (error || !std::filesystem::is_regular_file(path, error)) throw Error("there is no such file");
  if (size > largest_mesh)
    throw Error("has " + std::to_string(size >> 20U) + " MB; at most " +
                std::to_string(largest_mesh >> 20U) + " are read");
  std::ifstream file(path, std::ios::binary);
  std::string bytes(size, '\0');
  if (!file.read(bytes.data(), static_cast<std::streamsize>(size))) throw Error("cannot be read");
  return bytes;
}

/// Binary STL: 80 header bytes, the number of triangles, and for each its normal, vertices and two bytes.
bool is_binary_stl(const std::string& bytes) {
  std::uint32_t count = 0;
  if (bytes.size() < 84) return false;
  std::memcpy(&count, bytes.data() + 80, 4);
  return bytes.size() == 84 + 50 * static_cast<std::size_t>(count);
}
Triangles read_binary_stl(const std::string& bytes) {
  Triangles mesh;
  const std::size_t count = (bytes.size() - 84) / 50;
  mesh.xyz.resize(9 * count);
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(mesh.xyz.data() + 9 * i, bytes.data() + 84 + 50 * i + 12, 36);
  return mesh;
}

Triangles read_text_stl(const std::string& bytes) {
  Triangles mesh;
  std::istringstream words(bytes);
  for (std::string word; words >> word;) {
    if (word != "vertex") continue;
    for (int k = 0; k < 3; ++k) {
      float x = 0;
      if (!(words >> x)) throw Error("a vertex has no three numbers");
      mesh.xyz.push_back(x);
    }
  }
  if (mesh.xyz.size() % 9 != 0) throw Error("a triangle has no three corners");
  return mesh;
}

/// "7/1/3": the seventh vertex; "-1": the last one so far.
std::size_t vertex_index(const std::string& word, std::size_t count) {
  const long i = std::strtol(word.c_str(), nullptr, 10);
  const long index = i < 0 ? static_cast<long>(count) + i : i - 1;
  if (index < 0 || index >= static_cast<long>(count))
    throw Error("a face has corner " + quote(word) + "; there are " + std::to_string(count));
  return static_cast<std::size_t>(index);
}
Triangles read_obj(const std::string& bytes) {
  Triangles mesh;
  std::vector<std::array<float, 3>> vertices;
  std::istringstream lines(bytes);
  std::vector<std::size_t> face;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "v") {
      std::array<float, 3> p{};
      if (!(words >> p[0] >> p[1] >> p[2])) throw Error("a vertex has no three numbers");
      vertices.push_back(p);
    } else if (word == "f") {
      face.clear();
      while (words >> word) face.push_back(vertex_index(word, vertices.size()));
      for (std::size_t k = 2; k < face.size(); ++k)
        for (const std::size_t corner : {face[0], face[k - 1], face[k]})
          mesh.xyz.insert(mesh.xyz.end(), vertices[corner].begin(), vertices[corner].end());
    }
  }
  return mesh;
}

}  // namespace

Triangles read_mesh(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  if (ending != ".stl" && ending != ".obj")
    throw Error("meshes are read from .stl and .obj, not from " + quote(ending));
  const std::string bytes = read_bytes(path);
  Triangles mesh = ending == ".obj"       ? read_obj(bytes)
                   : is_binary_stl(bytes) ? read_binary_stl(bytes)
                                          : read_text_stl(bytes);
  if (mesh.xyz.empty()) throw Error("has no triangles");
  if (!std::ranges::all_of(mesh.xyz, [](float x) { return std::isfinite(x); }))
    throw Error("has coordinates that are not finite numbers");
  return mesh;
}

}  // namespace chasles::io
