#include "io/meshes/mesh_mass.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "chasles/screws/inertia.hpp"

namespace chasles::io {
namespace {

/// Sums of (1), (2) and (3) about an apex.
struct Moments {
  double measure = 0;
  Vec3 first{};
  Sym3 second{};  // xx, xy, xz, yy, yz, zz of the integral of p p^T
};

Sym3 square(const Vec3& p) {
  return {p.x * p.x, p.x * p.y, p.x * p.z, p.y * p.y, p.y * p.z, p.z * p.z};
}
/// @param dimensions  of what a triangle stands for: 3: a pyramid, 2: itself
/// @param measure     of the triangle with corners a, b, c from the apex
template <class Measure>
Moments moments(const TriangleMesh& mesh, const Vec3& apex, int dimensions,
                const Measure& measure) {
  const double n = dimensions + 1, n2 = n * (n + 1);
  Moments sum;
  for (const auto& face : mesh.faces) {
    auto [a, b, c] = mesh.corners(face);
    a -= apex, b -= apex, c -= apex;
    const double V = measure(a, b, c);
    const Vec3 s = a + b + c;
    sum.measure += V;
    sum.first += (V / n) * s;
    sum.second = sum.second + (V / n2) * (square(s) + square(a) + square(b) + square(c));
  }
  return sum;
}
double pyramid(const Vec3& a, const Vec3& b, const Vec3& c) { return dot(a, cross(b, c)) / 6; }
double positive_pyramid(const Vec3& a, const Vec3& b, const Vec3& c) {
  return std::abs(pyramid(a, b, c));
}
double area(const Vec3& a, const Vec3& b, const Vec3& c) { return norm(cross(b - a, c - a)) / 2; }

/// From moments about an apex near the center, or at it.
MeshMass mass_of(const Moments& m, const Vec3& apex) {
  if (m.measure == 0) return {0, apex, {}};
  const Vec3 way = (1 / m.measure) * m.first;
  const Sym3& P = m.second;
  const Sym3 I{P.yy + P.zz, -P.xy, -P.xz, P.xx + P.zz, -P.yz, P.xx + P.yy};
  return {m.measure, apex + way, I - lie::parallel_axis(m.first, way)};
}
/// Centroid of the surface; an apex near the mesh keeps rounding small.
Vec3 surface_center(const TriangleMesh& mesh) {
  const Vec3 near = mesh.vertices.empty() ? Vec3{} : mesh.vertices.front();
  return mass_of(moments(mesh, near, 2, area), near).center;
}
/// The center with the apex at the centroid of the surface, then volume and tensor with the apex at this center.
template <class Measure>
MeshMass pyramids_mass(const TriangleMesh& mesh, const Measure& measure) {
  const Vec3 apex = surface_center(mesh);
  const Moments first = moments(mesh, apex, 3, measure);
  double reach = 0;
  for (const Vec3& p : mesh.vertices) reach = std::max(reach, max_abs(p - apex));
  // A volume below the rounding of its pyramids is not one, and its center would be anywhere.
  const double surface = moments(mesh, apex, 2, area).measure;
  if (!(std::abs(first.measure) > 1e-13 * surface * reach)) return {0, apex, {}};
  const Vec3 center = mass_of(first, apex).center;
  Moments m = moments(mesh, center, 3, measure);
  m.first = {};
  return mass_of(m, center);
}

}  // namespace

MeshMass solid_mass(const TriangleMesh& mesh) { return pyramids_mass(mesh, pyramid); }

MeshMass shell_mass(const TriangleMesh& mesh) {
  const Vec3 apex = surface_center(mesh);
  return mass_of(moments(mesh, apex, 2, area), apex);
}

MeshMass pyramid_mass(const TriangleMesh& mesh) { return pyramids_mass(mesh, positive_pyramid); }

SurfaceDefect surface_defect(const TriangleMesh& mesh) {
  // Vertices at the same point count as one.
  std::map<std::array<double, 3>, int> points;
  std::vector<int> same;
  for (const Vec3& p : mesh.vertices)
    same.push_back(
        points.emplace(std::array{p.x, p.y, p.z}, static_cast<int>(points.size())).first->second);
  std::map<std::pair<int, int>, int> edges;  // from, to: how often
  for (const auto& face : mesh.faces)
    for (std::size_t k = 0; k < 3; ++k) {
      const int from = same[static_cast<std::size_t>(face[k])],
                to = same[static_cast<std::size_t>(face[(k + 1) % 3])];
      if (from != to) ++edges[{from, to}];
    }
  int open = 0, inconsistent = 0;
  for (const auto& [edge, count] : edges) {
    const auto back = edges.find({edge.second, edge.first});
    const int returns = back == edges.end() ? 0 : back->second;
    if (count == returns) continue;
    if (returns == 0 && count == 1) ++open;
    if (count > returns && count > 1) ++inconsistent;
  }
  if (inconsistent > 0)
    return {
        "at " + std::to_string(inconsistent) + " edges its triangles have opposite orientations",
        true};
  if (open > 0) return {"it is open at " + std::to_string(open) + " edges"};
  return {};
}

}  // namespace chasles::io
