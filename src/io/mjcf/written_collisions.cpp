#include "io/mjcf/written_collisions.hpp"

#include <algorithm>
#include <limits>

#include "io/mjcf/written_text.hpp"

namespace chasles::io::mjcf {
namespace {

/// The size of a geom: radii, and half lengths.
std::vector<double> size_of(const CollisionShape& shape) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case CollisionShape::sphere:
      return {s.x};
    case CollisionShape::capsule:
    case CollisionShape::cylinder:
      return {s.x, s.y / 2};
    case CollisionShape::box:
      return {s.x / 2, s.y / 2, s.z / 2};
    case CollisionShape::ellipsoid:
      return {s.x, s.y, s.z};
    case CollisionShape::plane:
      return {0, 0, 1};  // without end; the spacing of its grid in pictures
    case CollisionShape::mesh:
      break;
  }
  return {};
}

bool moves(const Mechanism& m, std::string body) {
  while (body != ground) {
    const Body& at = m.bodies[static_cast<std::size_t>(find_body(m, body))];
    if (at.joint.type != JointType::fixed) return true;
    body = at.parent;
  }
  return false;
}

/// What MJCF cannot say about a shape; empty if it can.
std::string obstacle(const Mechanism& m, const CollisionShape& shape) {
  constexpr unsigned most = std::numeric_limits<int>::max();
  const std::vector<double> size = size_of(shape);
  if (shape.kind == CollisionShape::mesh) return "the file of its mesh is not known";
  if (shape.kind == CollisionShape::plane)
    return moves(m, shape.body) ? "a plane of MJCF is on a body that does not move" : "";
  if (std::ranges::any_of(size, [](double x) { return !(x > 0); }))
    return "a geom of MJCF has positive sizes";
  if (shape.layers > most || shape.touches > most)
    return "contype and conaffinity of MJCF have 31 bits";
  return "";
}

std::string friction_of(const CollisionShape& shape) {
  if (shape.rolling_friction > 0)
    return " condim=\"6\" friction=\"" +
           numbers_text(
               std::array{shape.friction, shape.torsional_friction, shape.rolling_friction}) +
           '"';
  if (shape.torsional_friction > 0)
    return " condim=\"4\" friction=\"" +
           numbers_text(std::array{shape.friction, shape.torsional_friction}) + '"';
  return shape.friction == 1 ? "" : " friction=\"" + to_text(shape.friction) + '"';
}
std::string bits(const char* name, unsigned value) {
  return value == 1 ? "" : std::string(" ") + name + "=\"" + std::to_string(value) + '"';
}

}  // namespace

WrittenCollisions::WrittenCollisions(const Mechanism& m, std::unordered_set<std::string>& names,
                                     const std::function<void(const std::string&)>& warn)
    : mechanism_(m) {
  std::vector<std::string> left_out, reasons;
  for (const CollisionShape& shape : m.collisions.shapes) {
    if (const std::string why = obstacle(m, shape); !why.empty()) {
      left_out.push_back(shape.name.empty() ? "of body '" + shape.body + "'"
                                            : "'" + shape.name + "'");
      reasons.push_back(why);
      continue;
    }
    std::string name;
    if (!shape.name.empty()) name = names_[shape.name] = WrittenNames::fresh(names, shape.name);
    geoms_[shape.body].push_back(
        "<geom" + (name.empty() ? "" : attribute("name", name)) + " type=\"" +
        std::string(collision_kind_name(shape.kind)) + "\" size=\"" + numbers_text(size_of(shape)) +
        '"' + pose_attributes(shape.pose) + " mass=\"0\"" + bits("contype", shape.layers) +
        bits("conaffinity", shape.touches) + friction_of(shape) +
        (shape.margin == 0 ? "" : " margin=\"" + to_text(shape.margin) + '"') + "/>");
  }
  // One line for each reason.
  for (std::size_t i = 0; i < reasons.size(); ++i) {
    if (std::find(reasons.begin(), reasons.begin() + static_cast<std::ptrdiff_t>(i), reasons[i]) !=
        reasons.begin() + static_cast<std::ptrdiff_t>(i))
      continue;
    const auto count = std::count(reasons.begin(), reasons.end(), reasons[i]);
    warn("collision shape " + left_out[i] +
         (count == 1 ? " is" : " and " + std::to_string(count - 1) + " more are") +
         " not written: " + reasons[i]);
  }
}

const std::vector<std::string>& WrittenCollisions::geoms_of(const std::string& body) const {
  static const std::vector<std::string> none;
  const auto found = geoms_.find(body);
  return found == geoms_.end() ? none : found->second;
}

std::string WrittenCollisions::contact(
    const std::function<std::string(const std::string&)>& body_name) const {
  std::string text;
  for (const CollisionPair& pair : mechanism_.collisions.pairs) {
    const auto first = names_.find(pair.shapes[0]), second = names_.find(pair.shapes[1]);
    if (first == names_.end() || second == names_.end()) continue;  // of a shape that is named
    text += "    <pair" + attribute("geom1", first->second) + attribute("geom2", second->second) +
            (pair.friction
                 ? " friction=\"" + numbers_text(std::array{*pair.friction, *pair.friction}) + '"'
                 : "") +
            (pair.margin ? " margin=\"" + to_text(*pair.margin) + '"' : "") + "/>\n";
  }
  for (const auto& [first, second] : mechanism_.collisions.excluded)
    text += "    <exclude" + attribute("body1", body_name(first)) +
            attribute("body2", body_name(second)) + "/>\n";
  return text;
}

}  // namespace chasles::io::mjcf
