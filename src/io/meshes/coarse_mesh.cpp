#include "io/meshes/coarse_mesh.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

namespace chasles::io {
namespace {

/// Of a grid of n cells along the longest edge of the box around the mesh.
TriangleMesh clustered(const TriangleMesh& mesh, const Vec3& low, double cell) {
  TriangleMesh out;
  std::unordered_map<std::uint64_t, int> cells;
  std::vector<int> of(mesh.vertices.size());
  std::vector<double> counts;
  for (std::size_t i = 0; i < of.size(); ++i) {
    std::uint64_t key = 0;
    for (int k = 0; k < 3; ++k)
      key = key << 21U | static_cast<std::uint64_t>((mesh.vertices[i][k] - low[k]) / cell);
    const auto [found, fresh] = cells.emplace(key, static_cast<int>(out.vertices.size()));
    if (fresh) out.vertices.emplace_back(), counts.push_back(0);
    const auto c = static_cast<std::size_t>(of[i] = found->second);
    out.vertices[c] += mesh.vertices[i], counts[c] += 1;
  }
  for (std::size_t c = 0; c < counts.size(); ++c)
    out.vertices[c] = (1 / counts[c]) * out.vertices[c];
  std::set<std::array<int, 3>> known;  // corners from the least one on: faces that coincide are one
  auto material = mesh.materials.begin();
  for (std::size_t f = 0; f < mesh.faces.size(); ++f) {
    for (; material != mesh.materials.end() && material->first_face <= f; ++material) {
      out.materials.push_back(*material);
      out.materials.back().first_face = out.faces.size();
    }
    std::array<int, 3> face{};
    for (std::size_t k = 0; k < 3; ++k) face[k] = of[static_cast<std::size_t>(mesh.faces[f][k])];
    if (face[0] == face[1] || face[1] == face[2] || face[2] == face[0]) continue;
    std::rotate(face.begin(), std::ranges::min_element(face), face.end());
    if (known.insert(face).second) out.faces.push_back(face);
  }
  return out;
}

}  // namespace

TriangleMesh coarser(const TriangleMesh& mesh, std::size_t most) {
  if (mesh.faces.size() <= most) return mesh;
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = -1.0 * low;
  for (const Vec3& p : mesh.vertices)
    for (int k = 0; k < 3; ++k) low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
  const Vec3 size = high - low;
  const double edge = std::max({size.x, size.y, size.z});
  for (int n = 1024; n > 1; n = n * 4 / 5) {
    TriangleMesh out = clustered(mesh, low, edge / n);
    if (out.faces.size() > most) continue;
    out.notes = mesh.notes;
    return out;
  }
  return {};
}

}  // namespace chasles::io
