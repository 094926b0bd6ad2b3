#include "io/meshes/builtin_mesh.hpp"

#include <cmath>
#include <map>

#include "chasles/suggest.hpp"

namespace chasles::io {
namespace {

using Parameters = std::span<const double>;

int whole(double x, int least, int most, const char* name) {
  if (!(x >= least && x <= most && x == std::floor(x)))
    throw Error(std::string(name) + " " + to_text(x) + " is not a whole number from " +
                std::to_string(least) + " to " + std::to_string(most));
  return static_cast<int>(x);
}
void require_range(double x, double least, double most, const char* name) {
  if (!(x >= least && x <= most))
    throw Error(std::string(name) + " " + to_text(x) + " is not between " + to_text(least) +
                " and " + to_text(most));
}
Vec3 unit(const Vec3& p) { return (1 / norm(p)) * p; }

/// The triangles of a convex polyhedron with all edges of length 2: triples of vertices at this distance.
TriangleMesh icosahedron() {
  const double g = (1 + std::sqrt(5.0)) / 2;
  TriangleMesh mesh;
  for (const double one : {-1.0, 1.0})
    for (const double golden : {-g, g})
      for (int k = 0; k < 3; ++k) {
        Vec3 p;
        p[k] = one, p[(k + 1) % 3] = golden;
        mesh.vertices.push_back(p);
      }
  const auto joined = [&](int a, int b) {
    return std::abs(norm(mesh.vertices[static_cast<std::size_t>(a)] -
                         mesh.vertices[static_cast<std::size_t>(b)]) -
                    2) < 1e-9;
  };
  for (int a = 0; a < 12; ++a)
    for (int b = a + 1; b < 12; ++b)
      for (int c = b + 1; c < 12; ++c) {
        if (!joined(a, b) || !joined(b, c) || !joined(a, c)) continue;
        const auto [p, q, r] = mesh.corners({a, b, c});
        const bool outward = dot(p, cross(q, r)) > 0;
        mesh.faces.push_back({a, outward ? b : c, outward ? c : b});
      }
  for (Vec3& p : mesh.vertices) p = unit(p);
  return mesh;
}
TriangleMesh sphere(Parameters given) {
  TriangleMesh mesh = icosahedron();
  for (int left = whole(given[0], 0, 7, "subdivision"); left > 0; --left) {
    std::map<std::pair<int, int>, int> middles;
    const auto middle = [&](int a, int b) {
      const auto [found, fresh] =
          middles.emplace(std::minmax(a, b), static_cast<int>(mesh.vertices.size()));
      if (fresh)
        mesh.vertices.push_back(unit(mesh.vertices[static_cast<std::size_t>(a)] +
                                     mesh.vertices[static_cast<std::size_t>(b)]));
      return found->second;
    };
    std::vector<std::array<int, 3>> faces;
    for (const auto& [a, b, c] : mesh.faces) {
      const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const auto& face : {std::array{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}})
        faces.push_back(face);
    }
    mesh.faces = std::move(faces);
  }
  return mesh;
}

/// Each quarter of ring k is divided evenly along the chord between two axes, then projected to the sphere.
TriangleMesh hemisphere(Parameters given) {
  const int rings = whole(given[0], 0, 100, "resolution") + 1;
  TriangleMesh mesh;
  mesh.vertices.push_back({0, 0, 1});
  const Vec3 axes[] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}};
  const auto first = [](int ring) { return 1 + 2 * ring * (ring - 1); };
  for (int ring = 1; ring <= rings; ++ring)
    for (int k = 0; k < 4 * ring; ++k) {
      const double part = double(k % ring) / ring, z = double(rings - ring) / rings;
      const Vec3 chord =
          (1 - part) * axes[k / ring] + part * axes[k / ring % 4 == 3 ? 0 : k / ring + 1];
      mesh.vertices.push_back(unit((1 - z) * chord + Vec3{0, 0, z}));
    }
  const auto vertex = [&](int ring, int k) { return ring == 0 ? 0 : first(ring) + k % (4 * ring); };
  for (int ring = 1; ring <= rings; ++ring)
    for (int quarter = 0; quarter < 4; ++quarter)
      for (int k = 0; k < ring; ++k) {
        const int outer = quarter * ring + k, inner = quarter * (ring - 1) + k;
        mesh.faces.push_back(
            {vertex(ring - 1, inner), vertex(ring, outer), vertex(ring, outer + 1)});
        if (k + 1 < ring)
          mesh.faces.push_back(
              {vertex(ring - 1, inner), vertex(ring, outer + 1), vertex(ring - 1, inner + 1)});
      }
  const int center = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back({});
  for (int k = 0; k < 4 * rings; ++k)
    mesh.faces.push_back({vertex(rings, k), center, vertex(rings, k + 1)});
  return mesh;
}

/// Only points; MuJoCo takes their hull.
TriangleMesh cone(Parameters given) {
  const int n = whole(given[0], 3, 10000, "nvert");
  require_range(given[1], 0, 1, "radius");
  TriangleMesh mesh;
  for (const double z : {-1.0, 1.0})
    for (int k = 0; k < n; ++k) {
      const double a = 2 * M_PI * k / n, r = z < 0 ? 1 : given[1];
      mesh.vertices.push_back({r * std::cos(a), r * std::sin(a), z});
      if (r == 0) break;
    }
  return mesh;
}

double power_of(double x, double m) { return std::copysign(std::pow(std::abs(x), m), x); }

/// Triangles of a grid of vertices, index(i, j) for i from 0 to rows; closed in j.
template <class Index>
void add_grid(TriangleMesh& mesh, int rows, int columns, const Index& index) {
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      const int a = index(i, j), b = index(i, (j + 1) % columns),
                c = index(i + 1, (j + 1) % columns), d = index(i + 1, j);
      mesh.faces.push_back({a, b, d});
      mesh.faces.push_back({b, c, d});
    }
}
TriangleMesh supersphere(Parameters given) {
  const int n = whole(given[0], 3, 1000, "resolution");
  require_range(given[1], 0, 100, "e"), require_range(given[2], 0, 100, "n");
  TriangleMesh mesh;
  mesh.vertices.push_back({0, 0, -1});
  for (int i = 1; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double v = -M_PI / 2 + i * M_PI / n, u = -M_PI + 2 * M_PI * j / n;
      const double r = power_of(std::cos(v), given[2]);
      mesh.vertices.push_back({r * power_of(std::cos(u), given[1]),
                               r * power_of(std::sin(u), given[1]),
                               power_of(std::sin(v), given[2])});
    }
  const int top = static_cast<int>(mesh.vertices.size());
  mesh.vertices.push_back({0, 0, 1});
  const auto index = [&](int ring, int j) { return 1 + ring * n + j; };
  for (int j = 0; j < n; ++j) {
    mesh.faces.push_back({0, index(0, (j + 1) % n), index(0, j)});
    mesh.faces.push_back({index(n - 2, j), index(n - 2, (j + 1) % n), top});
  }
  add_grid(mesh, n - 2, n, index);
  return mesh;
}
TriangleMesh supertorus(Parameters given) {
  const int n = whole(given[0], 3, 1000, "resolution");
  require_range(given[1], 1e-9, 1, "radius");
  require_range(given[2], 1e-9, 100, "s"), require_range(given[3], 1e-9, 100, "t");
  TriangleMesh mesh;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) {
      const double v = 2 * M_PI * i / n, u = 2 * M_PI * j / n;
      const double r = 1 + given[1] * power_of(std::cos(v), given[2]);
      mesh.vertices.push_back({r * power_of(std::cos(u), given[3]),
                               r * power_of(std::sin(u), given[3]),
                               given[1] * power_of(std::sin(v), given[2])});
    }
  add_grid(mesh, n, n, [n](int i, int j) { return i % n * n + j; });
  return mesh;
}

}  // namespace

TriangleMesh builtin_mesh(const std::string& kind, std::span<const double> parameters) {
  static constexpr struct {
    std::string_view name;
    std::size_t count;
    TriangleMesh (*make)(Parameters);
  } kinds[] = {{"sphere", 1, sphere},
               {"hemisphere", 1, hemisphere},
               {"cone", 2, cone},
               {"supersphere", 3, supersphere},
               {"supertorus", 4, supertorus}};
  std::vector<std::string_view> known;
  for (const auto& row : kinds) {
    known.push_back(row.name);
    if (row.name != kind) continue;
    if (parameters.size() != row.count)
      throw Error("builtin " + quote(kind) + " has " + std::to_string(row.count) +
                  " parameters; params has " + std::to_string(parameters.size()));
    return row.make(parameters);
  }
  throw Error("builtin " + quote(kind) + " is not generated here" + choices(kind, known));
}

}  // namespace chasles::io
