#include "chasles/mechanism/collision.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <unordered_map>

#include "chasles/mechanism/mechanism.hpp"
#include "chasles/suggest.hpp"

namespace chasles {
namespace {

constexpr std::string_view collision_names[] = {"plane",    "sphere",    "capsule", "box",
                                                "cylinder", "ellipsoid", "mesh"};
/// Number of entries of `size` that are lengths.
constexpr int size_counts[] = {0, 1, 2, 3, 2, 3, 0};

std::string shape_name(const CollisionShape& shape) {
  return shape.name.empty() ? "of body '" + shape.body + "'" : "'" + shape.name + "'";
}
[[noreturn]] void refuse_shape(const CollisionShape& shape, const std::string& message) {
  throw Error((shape.where.empty() ? "" : shape.where + ": ") + "collision shape " +
              shape_name(shape) + ": " + message);
}

/// Bodies by name, with what moves together.
class MovingGroups {
 public:
  explicit MovingGroups(const Mechanism& m) : mechanism_(m), heavy_(m.bodies.size()) {
    for (std::size_t i = 0; i < m.bodies.size(); ++i)
      index_.emplace(m.bodies[i].name, static_cast<int>(i));
    for (std::size_t i = 0; i < m.bodies.size(); ++i)
      if (m.bodies[i].inertia) mark(static_cast<int>(i));
    for (const CollisionShape& shape : m.collisions.shapes) mark(find(shape.body));
  }
  int find(const std::string& name) const {
    const auto found = index_.find(name);
    return found == index_.end() ? -1 : found->second;
  }
  /// The first of the bodies that are fixed to each other; -1: ground.
  int root(int body) const {
    while (body >= 0 && joint(body).type == JointType::fixed) body = parent(body);
    return body;
  }
  /// The group on the other side of the joint above, beyond groups without mass and shapes.
  int above(int root_body) const {
    int up = root(parent(root_body));
    while (up >= 0 && !heavy_[static_cast<std::size_t>(up)]) up = root(parent(up));
    return up;
  }

 private:
  const Joint& joint(int body) const {
    return mechanism_.bodies[static_cast<std::size_t>(body)].joint;
  }
  int parent(int body) const {
    return find(mechanism_.bodies[static_cast<std::size_t>(body)].parent);
  }
  void mark(int body) {
    if (body = root(body); body >= 0) heavy_[static_cast<std::size_t>(body)] = true;
  }
  const Mechanism& mechanism_;
  std::unordered_map<std::string, int> index_;
  std::vector<bool> heavy_;
};

using Shapes = std::vector<CollisionShape>;

CollidingShapes combined(const Shapes& shapes, int i, int j) {
  const CollisionShape &a = shapes[static_cast<std::size_t>(i)],
                       &b = shapes[static_cast<std::size_t>(j)];
  return {i,
          j,
          std::max(a.friction, b.friction),
          std::max(a.margin, b.margin),
          std::max(a.torsional_friction, b.torsional_friction),
          std::max(a.rolling_friction, b.rolling_friction)};
}
int shape_named(const Shapes& shapes, const CollisionPair& pair, const std::string& name) {
  std::vector<std::string_view> known;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    if (!name.empty() && shapes[i].name == name) return static_cast<int>(i);
    known.push_back(shapes[i].name);
  }
  throw Error((pair.where.empty() ? "" : pair.where + ": ") +
              "collision pair: there is no shape '" + name + "'" + did_you_mean(name, known));
}

}  // namespace

std::string_view collision_kind_name(CollisionShape::Kind kind) {
  require_known(kind, CollisionShape::mesh, "kind of collision shape");
  return collision_names[static_cast<std::size_t>(kind)];
}

void check_collisions(const Mechanism& mechanism) {
  std::vector<std::string_view> bodies{ground};
  for (const Body& body : mechanism.bodies) bodies.push_back(body.name);
  const std::set<std::string_view> known(bodies.begin(), bodies.end());
  std::set<std::string_view> names;
  for (const CollisionShape& shape : mechanism.collisions.shapes) {
    require_known(shape.kind, CollisionShape::mesh, "kind of collision shape");
    if (!known.contains(shape.body))
      refuse_shape(shape,
                   "there is no body '" + shape.body + "'" + did_you_mean(shape.body, bodies));
    if (!shape.name.empty() && !names.insert(shape.name).second)
      refuse_shape(shape, "there is another one of this name");
    for (int k = 0; k < size_counts[static_cast<std::size_t>(shape.kind)]; ++k)
      if (!(shape.size[k] >= 0 && std::isfinite(shape.size[k])))
        refuse_shape(shape, "size " + to_text(shape.size[k]) + " is not a length; give 0 or more");
    for (const auto& [what, x] : {std::pair{"friction", shape.friction},
                                  {"margin", shape.margin},
                                  {"torsional_friction", shape.torsional_friction},
                                  {"rolling_friction", shape.rolling_friction}})
      if (!(x >= 0 && std::isfinite(x)))
        refuse_shape(shape,
                     std::string(what) + " " + to_text(x) + " is out of range; give 0 or more");
    if (!is_finite(shape.pose.r)) refuse_shape(shape, "its position is not finite");
  }
  for (const auto& pair : mechanism.collisions.excluded)
    for (const std::string& body : pair)
      if (!known.contains(body))
        throw Error("excluded collision: there is no body '" + body + "'" +
                    did_you_mean(body, bodies));
}

std::vector<CollidingShapes> colliding_pairs(const Mechanism& mechanism) {
  check_collisions(mechanism);
  const Collisions& all = mechanism.collisions;
  const MovingGroups groups(mechanism);
  std::vector<CollidingShapes> found;
  std::set<std::pair<int, int>> listed;
  for (const CollisionPair& pair : all.pairs) {
    CollidingShapes shapes = combined(all.shapes, shape_named(all.shapes, pair, pair.shapes[0]),
                                      shape_named(all.shapes, pair, pair.shapes[1]));
    if (pair.friction) shapes.friction = *pair.friction;
    if (pair.margin) shapes.margin = *pair.margin;
    listed.insert(std::minmax(shapes.a, shapes.b));
    found.push_back(shapes);
  }
  std::set<std::pair<int, int>> excluded;
  for (const auto& [a, b] : all.excluded)
    excluded.insert(std::minmax(groups.find(a), groups.find(b)));
  struct Place {
    int body, root, above;
  };
  std::vector<Place> places;
  for (const CollisionShape& shape : all.shapes) {
    const int body = groups.find(shape.body), root = groups.root(body);
    places.push_back({body, root, root < 0 ? -1 : groups.above(root)});
  }
  const int n = static_cast<int>(all.shapes.size());
  for (int i = 0; i < n; ++i)
    for (int j = i + 1; j < n; ++j) {
      const auto &a = all.shapes[static_cast<std::size_t>(i)],
                 &b = all.shapes[static_cast<std::size_t>(j)];
      const Place &p = places[static_cast<std::size_t>(i)],
                  &q = places[static_cast<std::size_t>(j)];
      if (p.root == q.root || ((a.layers & b.touches) | (b.layers & a.touches)) == 0) continue;
      const bool on_ground = p.root < 0 || q.root < 0;
      if (!all.neighbors && !on_ground && (p.above == q.root || q.above == p.root)) continue;
      if (excluded.contains(std::minmax(p.body, q.body)) || listed.contains({i, j})) continue;
      found.push_back(combined(all.shapes, i, j));
    }
  return found;
}

}  // namespace chasles
