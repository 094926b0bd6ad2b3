#include "io/meshes/polygon.hpp"

#include <cmath>
#include <limits>

namespace chasles::io {
namespace {

struct Point {
  double x, y;
};
double cross(const Point& a, const Point& b) { return a.x * b.y - a.y * b.x; }
Point operator-(const Point& a, const Point& b) { return {a.x - b.x, a.y - b.y}; }

bool is_within(const Point& p, const std::array<Point, 3>& triangle) {
  bool inside = false;
  for (std::size_t i = 0, j = 2; i < 3; j = i++) {
    const Point &a = triangle[i], &b = triangle[j];
    if ((a.y > p.y) != (b.y > p.y) && p.x < (b.x - a.x) * (p.y - a.y) / (b.y - a.y) + a.x)
      inside = !inside;
  }
  return inside;
}

/// The two axes that the first corner with a visible area is seen along best.
std::array<int, 2> axes_of(const std::vector<int>& corners, const TriangleMesh& mesh) {
  constexpr double least = std::numeric_limits<double>::epsilon();
  const std::size_t n = corners.size();
  for (std::size_t k = 0; k < n; ++k) {
    const auto [a, b, c] = mesh.corners({corners[k], corners[(k + 1) % n], corners[(k + 2) % n]});
    const Vec3 area = lie::cross(b - a, c - b);
    const double x = std::abs(area.x), y = std::abs(area.y), z = std::abs(area.z);
    if (!(x > least || y > least || z > least)) continue;
    if (x > y && x > z) return {1, 2};
    return {0, z > x && z > y ? 1 : 2};
  }
  return {1, 2};
}

}  // namespace

void divide_as_fan(const std::vector<int>& corners, TriangleMesh& mesh) {
  for (std::size_t k = 2; k < corners.size(); ++k)
    mesh.faces.push_back({corners[0], corners[k - 1], corners[k]});
}

void divide_as_mujoco(std::vector<int> corners, TriangleMesh& mesh) {
  constexpr std::size_t most = 1000;  // ears take a time like the third power
  if (corners.size() < 5 || corners.size() > most) return divide_as_fan(corners, mesh);
  const auto [x, y] = axes_of(corners, mesh);
  const auto point = [&, x = x, y = y](int corner) {
    const Vec3& p = mesh.vertices[static_cast<std::size_t>(corner)];
    return Point{p[x], p[y]};
  };
  std::size_t at = 0, tries = corners.size();
  while (corners.size() > 3 && tries > 0) {
    const std::size_t n = corners.size();
    at %= n, --tries;
    const auto corner = [&](std::size_t k) { return corners[(at + k) % n]; };
    const std::array<Point, 3> ear{point(corner(0)), point(corner(1)), point(corner(2))};
    const double turn = cross(ear[1] - ear[0], ear[2] - ear[1]), area = cross(ear[0], ear[1]) / 2;
    bool is_ear = !(turn * area < 0);
    for (std::size_t k = 3; k < n && is_ear; ++k) is_ear = !is_within(point(corner(k)), ear);
    if (!is_ear) {
      ++at;
      continue;
    }
    mesh.faces.push_back({corner(0), corner(1), corner(2)});
    corners.erase(corners.begin() + static_cast<std::ptrdiff_t>((at + 1) % n));
    tries = corners.size() + 1;
  }
  if (corners.size() == 3) mesh.faces.push_back({corners[0], corners[1], corners[2]});
}

}  // namespace chasles::io
