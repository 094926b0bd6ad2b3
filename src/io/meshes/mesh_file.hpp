/// Triangle meshes in files: STL (binary and text), OBJ, the binary MSH of MuJoCo, and, where assimp is installed,
/// COLLADA and glTF.
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chasles/lie/se3.hpp"
#include "io/text.hpp"

namespace chasles::io {

/// What faces look like, from one of them on.
struct MeshMaterial {
  std::size_t first_face = 0;
  std::string name{};
  std::optional<std::array<double, 4>> color{};  // red, green, blue, opacity, as on a screen
};

/// A part of a file that is left out.
struct MeshNote {
  std::string what;    // "colors of meshes are left out: there is no such file"
  std::string file{};  // beside the mesh, that it is about; empty: none
};

inline constexpr std::string_view textures_left_out = "textures of meshes are not shown";

/// Vertices and triangles. Seen from outside, the corners of a triangle are in counterclockwise order.
struct TriangleMesh {
  std::vector<Vec3> vertices{};
  std::vector<std::array<int, 3>> faces{};  // indices of vertices; empty: only points
  std::vector<MeshMaterial> materials{};    // in the order of faces; empty: of no color
  std::vector<MeshNote> notes{};            // on colors

  std::array<Vec3, 3> corners(const std::array<int, 3>& face) const {
    const auto at = [&](int k) { return vertices[static_cast<std::size_t>(k)]; };
    return {at(face[0]), at(face[1]), at(face[2])};
  }
};

/// Checks that all coordinates are finite and all corners of faces exist.
/// @throws Error with the mistake, without the name of the mesh
void check_mesh(const TriangleMesh& mesh);

/// Of an OBJ with several objects, `o` or `g`: all, or the first one that has faces, as MuJoCo reads them.
enum class ObjectsOfFile : unsigned char { all, first };

/// The mesh in the bytes of a file. Coordinates have the precision of float.
/// @param ending  ".stl", ".obj", ".msh", ".dae", ".gltf" or ".glb" in any case
/// @throws Error with the mistake
TriangleMesh parse_mesh(const std::string& bytes, std::string_view ending,
                        ObjectsOfFile objects = ObjectsOfFile::all);
/// The mesh in a file, with the colors of the .mtl files that an .obj names.
/// @param ending  one of those; empty: that of the path
/// @throws Error with the mistake, without the name of the file
TriangleMesh read_mesh(const std::filesystem::path& path, std::string_view ending = "",
                       ObjectsOfFile objects = ObjectsOfFile::all);

}  // namespace chasles::io
