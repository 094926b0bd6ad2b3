/// Triangles in files: STL, binary and text, and OBJ.
#pragma once

#include <array>
#include <filesystem>
#include <vector>

#include "io/text.hpp"

namespace chasles::io {

inline constexpr std::size_t most_triangles = 100000;  // of a mesh that is shown as it is

/// Nine coordinates of every triangle.
struct Triangles {
  std::vector<float> xyz;
  std::size_t count() const { return xyz.size() / 9; }
};

/// @throws Error saying what is wrong with it, without its name
Triangles read_mesh(const std::filesystem::path& path);

}  // namespace chasles::io
