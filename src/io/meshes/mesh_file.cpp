#include "io/meshes/mesh_file.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>

#include "io/meshes/mesh_materials.hpp"
#include "io/meshes/mesh_scene.hpp"
#include "io/meshes/polygon.hpp"

namespace chasles::io {
namespace {

constexpr std::uintmax_t largest_mesh = 64 << 20;  // bytes

std::string mesh_bytes(const std::filesystem::path& path) {
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

/// Words between white space; a line ends a list of words if `in_line` is requested.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  /// The next word; empty at the end of the text, or of the line.
  std::string_view next(bool in_line = false) {
    const auto begin = text_.find_first_not_of(in_line ? " \t\r" : " \t\r\n", at_);
    if (begin == text_.npos || text_[begin] == '\n') return at_ = std::min(begin, text_.size()), "";
    at_ = std::min(text_.find_first_of(" \t\r\n", begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  Vec3 vertex() {
    Vec3 p;
    for (int k = 0; k < 3; ++k) {
      std::string_view word = next(true);
      if (word.starts_with('+')) word.remove_prefix(1);
      double x = 0;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), x);
      if (word.empty() || error != std::errc{} || end != word.data() + word.size())
        throw Error("a vertex has no three numbers");
      p[k] = static_cast<double>(static_cast<float>(x));
    }
    if (!is_finite(p)) throw Error("has coordinates that are not finite numbers");
    return p;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
};

/// Triangles of separate corners, with equal corners as one vertex.
class Corners {
 public:
  void add(const Vec3& p) {
    const auto [found, fresh] =
        index_.emplace(std::array{p.x, p.y, p.z}, static_cast<int>(mesh_.vertices.size()));
    if (fresh) mesh_.vertices.push_back(p);
    corners_.push_back(found->second);
  }
  TriangleMesh finish() {
    if (corners_.size() % 3 != 0) throw Error("a triangle has no three corners");
    for (std::size_t i = 0; i < corners_.size(); i += 3)
      mesh_.faces.push_back({corners_[i], corners_[i + 1], corners_[i + 2]});
    return std::move(mesh_);
  }

 private:
  std::map<std::array<double, 3>, int> index_;
  std::vector<int> corners_;
  TriangleMesh mesh_;
};

template <class T>
T number_at(const std::string& bytes, std::size_t at) {
  T x;
  std::memcpy(&x, bytes.data() + at, sizeof x);
  return x;
}
Vec3 float_vertex_at(const std::string& bytes, std::size_t at) {
  const auto x = [&](std::size_t k) {
    return static_cast<double>(number_at<float>(bytes, at + 4 * k));
  };
  const Vec3 p{x(0), x(1), x(2)};
  if (!is_finite(p)) throw Error("has coordinates that are not finite numbers");
  return p;
}

/// Binary STL: 80 header bytes, the number of triangles, and for each its normal, vertices and two bytes.
bool is_binary_stl(const std::string& bytes) {
  return bytes.size() >= 84 &&
         bytes.size() == 84 + 50 * static_cast<std::size_t>(number_at<std::uint32_t>(bytes, 80));
}
TriangleMesh read_binary_stl(const std::string& bytes) {
  Corners corners;
  for (std::size_t at = 84; at < bytes.size(); at += 50)
    for (std::size_t k = 1; k <= 3; ++k) corners.add(float_vertex_at(bytes, at + 12 * k));
  return corners.finish();
}
TriangleMesh read_text_stl(const std::string& bytes) {
  Corners corners;
  Words words(bytes);
  for (std::string_view word = words.next(); !word.empty(); word = words.next())
    if (word == "vertex") corners.add(words.vertex());
  return corners.finish();
}

/// "7/1/3": the seventh vertex; "-1": the last one so far.
int vertex_index(std::string_view word, std::size_t count) {
  long long i = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, i);
  if (error != std::errc{} || (stop != end && *stop != '/'))
    throw Error("a face has corner " + quote(word) + ", which is not the index of a vertex");
  const long long index = i < 0 ? static_cast<long long>(count) + i : i - 1;
  if (index < 0 || index >= static_cast<long long>(count))
    throw Error("a face has corner " + quote(word) + "; there are " + std::to_string(count));
  return static_cast<int>(index);
}
/// A quadrilateral, whose corners need not be in a plane, is divided along its shorter diagonal.
void add_polygon(const std::vector<int>& corners, ObjectsOfFile objects, TriangleMesh& mesh) {
  const auto way = [&](std::size_t i, std::size_t k) {
    const auto at = [&](std::size_t j) {
      return mesh.vertices[static_cast<std::size_t>(corners[j])];
    };
    return norm(at(i) - at(k));
  };
  if (corners.size() == 4 && way(1, 3) <= way(0, 2)) {
    mesh.faces.push_back({corners[0], corners[1], corners[3]});
    mesh.faces.push_back({corners[1], corners[2], corners[3]});
  } else if (objects == ObjectsOfFile::first) {
    divide_as_mujoco(corners, mesh);
  } else {
    divide_as_fan(corners, mesh);
  }
}

TriangleMesh read_obj(const std::string& bytes, ObjectsOfFile objects) {
  TriangleMesh mesh;
  Words words(bytes);
  std::vector<int> face;
  bool further = false;  // objects after the first one with faces
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == "v") {
      mesh.vertices.push_back(words.vertex());
    } else if (word == "o" || word == "g") {
      further = objects == ObjectsOfFile::first && !mesh.faces.empty();
    } else if (word == "f" && !further) {
      face.clear();
      for (word = words.next(true); !word.empty(); word = words.next(true))
        face.push_back(vertex_index(word, mesh.vertices.size()));
      add_polygon(face, objects, mesh);
    } else if (word == "usemtl") {
      mesh.materials.push_back({mesh.faces.size(), std::string(words.next(true))});
    }
    words.skip_line();
  }
  return mesh;
}

/// Four counts (vertices, normals, texture coordinates, faces), then the numbers of each.
TriangleMesh read_msh(const std::string& bytes) {
  if (bytes.size() < 16) throw Error("has no header of four counts");
  std::array<std::size_t, 4> n{};
  for (std::size_t k = 0; k < 4; ++k) {
    const auto count = number_at<std::int32_t>(bytes, 4 * k);
    if (count < 0) throw Error("the count " + std::to_string(count) + " is negative");
    n[k] = static_cast<std::size_t>(count);
  }
  const std::size_t size = 16 + 12 * (n[0] + n[1] + n[3]) + 8 * n[2];
  if (bytes.size() != size)
    throw Error("has " + std::to_string(bytes.size()) + " bytes; its counts need " +
                std::to_string(size));
  TriangleMesh mesh;
  for (std::size_t i = 0; i < n[0]; ++i)
    mesh.vertices.push_back(float_vertex_at(bytes, 16 + 12 * i));
  const std::size_t faces = size - 12 * n[3];
  for (std::size_t i = 0; i < n[3]; ++i) {
    const auto corner = [&](std::size_t k) {
      return static_cast<int>(number_at<std::int32_t>(bytes, faces + 12 * i + 4 * k));
    };
    mesh.faces.push_back({corner(0), corner(1), corner(2)});
  }
  return mesh;
}

/// In lower case.
std::string known_ending(std::string_view given) {
  std::string ending(given);
  std::ranges::transform(ending, ending.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
  });
  if (ending != ".stl" && ending != ".obj" && ending != ".msh" && !is_scene(ending))
    throw Error("meshes are read from .stl, .obj, .msh, .dae, .gltf and .glb, not from " +
                quote(ending));
  return ending;
}

}  // namespace

void check_mesh(const TriangleMesh& mesh) {
  if (!std::ranges::all_of(mesh.vertices, [](const Vec3& p) { return is_finite(p); }))
    throw Error("has coordinates that are not finite numbers");
  const auto count = static_cast<long long>(mesh.vertices.size());
  for (const auto& face : mesh.faces)
    for (const int corner : face)
      if (corner < 0 || corner >= count)
        throw Error("a face has corner " + std::to_string(corner) + "; there are " +
                    std::to_string(count) + " vertices, counted from 0");
}

TriangleMesh parse_mesh(const std::string& bytes, std::string_view ending, ObjectsOfFile objects) {
  const std::string known = known_ending(ending);
  TriangleMesh mesh = known == ".obj"        ? read_obj(bytes, objects)
                      : known == ".msh"      ? read_msh(bytes)
                      : is_scene(known)      ? read_scene(bytes, known)
                      : is_binary_stl(bytes) ? read_binary_stl(bytes)
                                             : read_text_stl(bytes);
  const bool points = known == ".obj" || known == ".msh";  // may be alone: their hull is meant
  if (mesh.faces.empty() && (!points || mesh.vertices.empty())) throw Error("has no triangles");
  check_mesh(mesh);
  return mesh;
}

TriangleMesh read_mesh(const std::filesystem::path& path, std::string_view given,
                       ObjectsOfFile objects) {
  const std::string ending =
      known_ending(given.empty() ? path.extension().string() : std::string(given));
  const std::string bytes = mesh_bytes(path);
  TriangleMesh mesh =
      ending == ".gltf" ? read_scene_file(path) : parse_mesh(bytes, ending, objects);
  if (ending == ".obj") read_obj_colors(bytes, path.parent_path(), mesh);
  check_mesh(mesh);
  return mesh;
}

}  // namespace chasles::io
