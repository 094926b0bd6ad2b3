/// Colors of OBJ meshes: materials in .mtl files beside them.
#pragma once

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// Gives the materials of the mesh the colors (Kd, and d or Tr) of the libraries that the bytes of an .obj name. What
/// cannot be had, and what is not shown, such as textures, becomes a note of the mesh.
void read_obj_colors(const std::string& obj, const std::filesystem::path& folder,
                     TriangleMesh& mesh);

}  // namespace chasles::io
