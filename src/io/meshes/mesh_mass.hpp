/// Mass properties of triangle meshes at unit density. With the triangle (a, b, c) of a surface and an apex o,
///
///     volume of the pyramid       V = (a - o) . ((b - o) x (c - o)) / 6                            (1)
///     first moment about o        V (a + b + c - 3 o) / 4                                          (2)
///     second moments about o      V / 20 (s s^T + a a^T + b b^T + c c^T),   s = a + b + c,         (3)
///
/// in (3) all from o. For a closed surface whose triangles are counterclockwise from outside, the signed sums over all
/// triangles are the moments of the enclosed volume, whatever o is (divergence theorem). For a shell V is the
/// area of the triangle, and (2), (3) have 3 and 12 in place of 4 and 20.
#pragma once

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// Mass properties at unit density.
struct MeshMass {
  double measure = 0;  // volume [m^3]; of a shell its area [m^2]
  Vec3 center{};
  Sym3 tensor{};  // about the center
};

/// Of the enclosed volume. Cavities are surfaces of opposite orientation. For an open surface the result depends on the
/// apex: the center has it at the centroid of the surface, volume and tensor have it at this center.
MeshMass solid_mass(const TriangleMesh& mesh);
/// Of the surface.
MeshMass shell_mass(const TriangleMesh& mesh);
/// The same with pyramids that all count as positive: MuJoCo's `legacy`. Equal to the enclosed volume if the mesh is
/// star-shaped from both apices.
MeshMass pyramid_mass(const TriangleMesh& mesh);

/// Why a surface does not enclose a volume: edges with one triangle only, edges whose two triangles have opposite
/// orientation.
struct SurfaceDefect {
  std::string text{};         // empty: it encloses one
  bool inconsistent = false;  // orientations
};
SurfaceDefect surface_defect(const TriangleMesh& mesh);

}  // namespace chasles::io
