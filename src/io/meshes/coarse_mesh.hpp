/// Meshes with fewer triangles, for pictures.
#pragma once

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// Vertices in one cell of a grid become their mean, and triangles with two corners in one cell vanish; the grid is the
/// finest of a sequence for which at most `most` are left. Materials are kept. A mesh with few triangles is as it was.
TriangleMesh coarser(const TriangleMesh& mesh, std::size_t most);

}  // namespace chasles::io
