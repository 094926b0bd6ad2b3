/// Triangles of a polygon of an OBJ file.
#pragma once

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// Divides a polygon of more than four corners by clipping ears in the plane of two axes, so that concave polygons keep
/// their shape.
///
/// This is how MuJoCo divides polygons, and masses depend on it if the corners are not in a plane. The orientation of the
/// polygon is not computed there: each ear takes the sign of the triangle of its first edge and the origin. Where that is
/// wrong, triangles are missing; they are missing here, too.
void divide_as_mujoco(std::vector<int> corners, TriangleMesh& mesh);

/// Divides a polygon into triangles with its first corner.
void divide_as_fan(const std::vector<int>& corners, TriangleMesh& mesh);

}  // namespace chasles::io
