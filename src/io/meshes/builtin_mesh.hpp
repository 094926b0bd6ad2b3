/// Meshes that MuJoCo generates from parameters (`builtin` of <mesh>), of unit size about the origin.
///
///     sphere        subdivisions         icosahedron, each subdivision splits a triangle into four
///     hemisphere    resolution           z >= 0; resolution + 1 rings, ring k has 4 k vertices
///     cone          n radius             hull of a unit n-gon at z = -1 and one of the given radius at z = 1
///     supersphere   resolution e n       x = c(v, n) c(u, e),  y = c(v, n) s(u, e),  z = s(v, n)
///     supertorus    resolution r s t     x = (1 + r c(v, s)) c(u, t),  y = (1 + r c(v, s)) s(u, t),  z = r s(v, s)
///
/// with c(a, m) = sign(cos a) |cos a|^m and s(a, m) likewise.
#pragma once

#include <span>

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// @throws Error for an unknown kind, with the known ones, and for parameters that are missing or out of range
TriangleMesh builtin_mesh(const std::string& kind, std::span<const double> parameters);

}  // namespace chasles::io
