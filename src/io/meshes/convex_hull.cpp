#include "io/meshes/convex_hull.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <unordered_map>

namespace chasles::io {
namespace {

struct Facet {
  std::array<int, 3> corners;
  std::array<int, 3> neighbors{};  // across the edge from corner k to corner k + 1
  Vec3 normal{};
  double offset = 0;           // normal . p = offset in the plane
  std::vector<int> outside{};  // points that see the facet
  bool removed = false;
};

class Quickhull {
 public:
  explicit Quickhull(const std::vector<Vec3>& points) : points_(points) {
    Vec3 low = at(0), high = low;
    for (const Vec3& p : points)
      for (int k = 0; k < 3; ++k)
        low[k] = std::min(low[k], p[k]), high[k] = std::max(high[k], p[k]);
    extent_ = norm(high - low);
    near_ = 1e-12 * extent_;
  }

  /// @returns false if a horizon was not a simple loop
  bool grow() {
    start();
    for (std::size_t f = 0; f < facets_.size(); ++f)
      while (!facets_[f].removed && !facets_[f].outside.empty())
        if (!add_point(static_cast<int>(f))) return false;
    return true;
  }
  std::vector<std::array<int, 3>> faces() const {
    std::vector<std::array<int, 3>> faces;
    for (const Facet& facet : facets_)
      if (!facet.removed) faces.push_back(facet.corners);
    return faces;
  }
  double extent() const { return extent_; }

 private:
  struct Edge {
    int from, to, beyond, side;  // the unseen facet, and which of its edges this is
  };
  const Vec3& at(int k) const { return points_[static_cast<std::size_t>(k)]; }
  Facet& facet(int k) { return facets_[static_cast<std::size_t>(k)]; }
  double above(const Facet& facet, int point) const {
    return dot(facet.normal, at(point)) - facet.offset;
  }
  template <class Distance>
  int farthest(const Distance& distance) const {
    int best = 0;
    double most = -1;
    for (int k = 0; k < static_cast<int>(points_.size()); ++k)
      if (const double d = distance(at(k)); d > most) most = d, best = k;
    return best;
  }
  int add_facet(int a, int b, int c) {
    Facet facet{{a, b, c}};
    const Vec3 n = cross(at(b) - at(a), at(c) - at(a));
    const double length = norm(n);
    if (length > 0) facet.normal = (1 / length) * n;
    facet.offset = dot(facet.normal, (1.0 / 3) * (at(a) + at(b) + at(c)));
    facets_.push_back(std::move(facet));
    return static_cast<int>(facets_.size()) - 1;
  }

  /// A large tetrahedron.
  void start() {
    const Vec3 any = at(0);
    const int a = farthest([&](const Vec3& p) { return norm(p - any); });
    const int b = farthest([&](const Vec3& p) { return norm(p - at(a)); });
    const Vec3 line = at(b) - at(a);
    const int c = farthest([&](const Vec3& p) { return norm(cross(line, p - at(a))); });
    const Vec3 n = cross(line, at(c) - at(a));
    const int d = farthest([&](const Vec3& p) { return std::abs(dot(n, p - at(a))); });
    const double height = dot(n, at(d) - at(a));
    // Narrower than the digits of coordinates, the points have no direction n: heights over it are rounding.
    if (!(norm(n) > 1e-6 * extent_ * norm(line)) || !(std::abs(height) > 1e-9 * extent_ * norm(n)))
      throw Error("its points are in a plane, so it has no volume");
    // Each facet is opposite to one of a, b, c, d.
    add_facet(b, c, d), facet(0).neighbors = {3, 1, 2};
    add_facet(a, d, c), facet(1).neighbors = {2, 0, 3};
    add_facet(a, b, d), facet(2).neighbors = {3, 0, 1};
    add_facet(a, c, b), facet(3).neighbors = {1, 0, 2};
    orient_start();
    for (int k = 0; k < static_cast<int>(points_.size()); ++k) give_to(k, 0);
  }
  /// Makes the corners counterclockwise from outside.
  void orient_start() {
    const Vec3 middle = 0.25 * (at(facet(0).corners[0]) + at(facet(0).corners[1]) +
                                at(facet(0).corners[2]) + at(facet(1).corners[0]));
    for (Facet& f : facets_) {
      if (dot(f.normal, middle) < f.offset) continue;
      std::swap(f.corners[1], f.corners[2]);
      std::swap(f.neighbors[0], f.neighbors[2]);
      f.normal = -f.normal, f.offset = -f.offset;
    }
  }
  /// Assigns a point to the first facet from index `first` on that it is outside of.
  void give_to(int point, std::size_t first) {
    for (std::size_t f = first; f < facets_.size(); ++f)
      if (!facets_[f].removed && above(facets_[f], point) > near_)
        return facets_[f].outside.push_back(point);
  }

  bool add_point(int seed) {
    const Facet& from = facet(seed);
    const int p =
        *std::ranges::max_element(from.outside, {}, [&](int k) { return above(from, k); });
    std::vector<int> seen{seed};
    std::vector<Edge> horizon;
    facet(seed).removed = true;
    for (std::size_t i = 0; i < seen.size(); ++i)
      for (std::size_t k = 0; k < 3; ++k) {
        const Facet& here = facet(seen[i]);
        const int beyond = here.neighbors[k];
        if (facet(beyond).removed) continue;
        if (above(facet(beyond), p) > near_) {
          facet(beyond).removed = true;
          seen.push_back(beyond);
        } else {
          horizon.push_back({here.corners[k], here.corners[(k + 1) % 3], beyond, 0});
        }
      }
    // An edge towards a facet that was found to be seen later is inside.
    std::erase_if(horizon, [&](const Edge& e) { return facet(e.beyond).removed; });
    return replace(p, seen, horizon);
  }
  bool replace(int p, const std::vector<int>& seen, std::vector<Edge>& horizon) {
    std::unordered_map<int, int> by_start;  // first corner of an edge: its new facet
    const std::size_t first = facets_.size();
    for (Edge& e : horizon) {
      const std::array<int, 3>& c = facet(e.beyond).corners;
      while (e.side < 3 && c[static_cast<std::size_t>(e.side)] != e.to) ++e.side;
      if (e.side == 3) return false;
      const int fresh = add_facet(e.from, e.to, p);
      if (!by_start.emplace(e.from, fresh).second) return false;
      facet(fresh).neighbors[0] = e.beyond;
      facet(e.beyond).neighbors[static_cast<std::size_t>(e.side)] = fresh;
    }
    for (const Edge& e : horizon) {
      const auto next = by_start.find(e.to);
      if (next == by_start.end()) return false;
      const int here = by_start.at(e.from);
      facet(here).neighbors[1] = next->second;
      facet(next->second).neighbors[2] = here;
    }
    for (const int f : seen) {
      for (const int k : facet(f).outside)
        if (k != p) give_to(k, first);
      facet(f).outside = {};
    }
    return true;
  }

  const std::vector<Vec3>& points_;
  double extent_ = 0, near_ = 0;
  std::vector<Facet> facets_;
};

}  // namespace

TriangleMesh convex_hull(const std::vector<Vec3>& points) {
  if (points.size() < 4) throw Error("has fewer than four points, so it has no volume");
  std::vector<Vec3> used = points;
  double displacement = 1e-10;
  for (unsigned attempt = 0; attempt < 12; ++attempt, displacement *= 3) {
    Quickhull hull(used);
    if (hull.grow()) return {used, hull.faces()};
    std::mt19937 random(attempt);
    std::uniform_real_distribution<double> about(-displacement * hull.extent(),
                                                 displacement * hull.extent());
    used = points;
    for (Vec3& p : used) p += Vec3{about(random), about(random), about(random)};
  }
  throw Error("its convex hull cannot be computed; give inertia=\"exact\", or fewer points");
}

}  // namespace chasles::io
