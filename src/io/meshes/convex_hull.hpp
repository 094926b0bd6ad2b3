/// Convex hull of points in space, by quickhull (Barber, Dobkin & Huhdanpaa 1996): the hull grows by the farthest
/// point outside of a facet, which replaces the facets it sees by a cone from their horizon to the point.
///
///                p                 f: facets seen from p, removed
///               /|\                h: horizon, edges between seen and unseen facets
///          h---/-+-\---h           new: a triangle (from, to, p) for each edge of the horizon
///           \  f | f  /
#pragma once

#include "io/meshes/mesh_file.hpp"

namespace chasles::io {

/// Points within 1e-12 of the extent of all points from the hull's surface may be left out. If rounding makes a horizon
/// that is not a simple loop, which nearly coplanar points can do, points are displaced at random by 1e-10 of the extent
/// and more, with fixed seeds.
/// @returns triangles, counterclockwise from outside, and all vertices
/// @throws Error if the points are in a plane
TriangleMesh convex_hull(const std::vector<Vec3>& points);

}  // namespace chasles::io
