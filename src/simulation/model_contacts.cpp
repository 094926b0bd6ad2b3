#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "chasles/kinematics/kinematics.hpp"
#include "chasles/simulation/shape_contact.hpp"

namespace chasles {
namespace {

/// Names of shapes in messages and quantities, unique.
std::vector<std::string> shape_labels(const std::vector<CollisionShape>& shapes) {
  std::vector<std::string> labels;
  std::set<std::string> used;
  for (const CollisionShape& shape : shapes) {
    const std::string name = shape.name.empty() ? shape.body : shape.name;
    std::string label = name;
    for (int k = 2; !used.insert(label).second; ++k) label = name + "_" + std::to_string(k);
    labels.push_back(label);
  }
  return labels;
}

/// Diagonal of the box around the shapes of moving bodies at q = 0; 1 m if that is a point.
double extent_of(const Model& model, const std::vector<CollisionShape>& shapes) {
  PositionKinematics kin(model);
  forward_kinematics(model, model.neutral(), kin);
  Vec3 low{HUGE_VAL, HUGE_VAL, HUGE_VAL}, high = -low;
  for (const CollisionShape& shape : shapes) {
    const Frame frame = model.frame(shape.body);
    if (frame.link < 0 || shape.kind == CollisionShape::plane) continue;
    const Vec3 c = pose(kin, frame) * shape.pose.r;
    const bool box = shape.kind == CollisionShape::box;
    const double around = shape.kind == CollisionShape::sphere ? shape.size.x
                          : box || shape.kind == CollisionShape::ellipsoid
                              ? (box ? 0.5 : 1) * norm(shape.size)
                              : shape.size.x + 0.5 * shape.size.y;
    for (int k = 0; k < 3; ++k)
      low[k] = std::min(low[k], c[k] - around), high[k] = std::max(high[k], c[k] + around);
  }
  const double length = norm(high - low);
  return length > 0 && std::isfinite(length) ? length : 1;
}

ContactLaw law_of(const Model& model, const ModelContactOptions& options, double extent) {
  ContactLaw law{.exponent = options.exponent,
                 .velocity = options.velocity,
                 .angular_velocity = options.angular_velocity};
  const double weight = norm(model.gravity());
  const double g = weight > 0 ? weight : 9.81, depth = 1e-3 * extent;
  if (options.stiffness)
    law.stiffness = options.stiffness;
  else if (model.mass() > 0)
    law.stiffness = model.mass() * g / std::pow(depth, options.exponent);
  law.dissipation = options.dissipation.value_or(std::sqrt(1 / (1.5 * g * depth)));
  return law;
}

/// "box and mesh (12), ..."
std::string kinds_text(const std::map<std::string, int>& kinds) {
  std::string text;
  for (const auto& [kind, count] : kinds)
    text += (text.empty() ? "" : ", ") + kind + " (" + std::to_string(count) + ")";
  return text;
}

}  // namespace

ModelContacts model_contacts(const Model& model, const Mechanism& described,
                             const ModelContactOptions& options) {
  Mechanism mechanism = described;
  if (options.floor) {
    if (!std::isfinite(*options.floor))
      throw Error("floor " + to_text(*options.floor) + " is not a height; give a number [m]");
    const bool taken = std::ranges::any_of(mechanism.collisions.shapes,
                                           [](const auto& s) { return s.name == "floor"; });
    mechanism.collisions.shapes.push_back({.kind = CollisionShape::plane,
                                           .name = taken ? "" : "floor",
                                           .body = std::string(ground),
                                           .pose = {{}, {0, 0, *options.floor}},
                                           .friction = 0,
                                           .layers = ~0U,
                                           .touches = ~0U});
  }
  const std::vector<CollisionShape>& shapes = mechanism.collisions.shapes;
  const std::vector<std::string> labels = shape_labels(shapes);
  const ContactLaw law = law_of(model, options, extent_of(model, shapes));
  const auto grounds = std::count_if(shapes.begin(), shapes.end(), [&](const CollisionShape& s) {
    return model.frame(s.body).link < 0;
  });
  ModelContacts out;
  std::map<std::string, int> without;
  for (const CollidingShapes& pair : colliding_pairs(mechanism)) {
    const CollisionShape &a = shapes[static_cast<std::size_t>(pair.a)],
                         &b = shapes[static_cast<std::size_t>(pair.b)];
    if (!has_contact(a.kind, b.kind)) {
      const auto names = std::minmax({collision_kind_name(a.kind), collision_kind_name(b.kind)});
      ++without[std::string(names.first) + " and " + std::string(names.second)];
      continue;
    }
    const auto &first = labels[static_cast<std::size_t>(pair.a)],
               &second = labels[static_cast<std::size_t>(pair.b)];
    const bool a_fixed = model.frame(a.body).link < 0, b_fixed = model.frame(b.body).link < 0;
    // On the only shape of ground a contact has the name of the shape that moves.
    std::string name =
        grounds == 1 && (a_fixed || b_fixed) ? (a_fixed ? second : first) : first + "/" + second;
    ShapeContact contact{std::move(name), a, b, law, pair.margin};
    contact.law.friction = options.friction.value_or(pair.friction);
    contact.law.torsional_friction = options.torsional_friction.value_or(pair.torsional_friction);
    contact.law.rolling_friction = options.rolling_friction.value_or(pair.rolling_friction);
    out.list.push_back(std::move(contact));
  }
  if (!without.empty())
    out.notes.push_back("pairs of collision shapes without contact forces: " + kinds_text(without) +
                        "; use spheres and capsules where they matter");
  if (out.list.empty())
    throw Error("the model has no collision shapes that can touch each other" +
                (shapes.empty() ? "; give it `collisions`, or list contacts in the scenario"
                 : without.empty()
                     ? "; give a floor, or list contacts in the scenario"
                     : ", only " + kinds_text(without) + "; list contacts in the scenario"));
  return out;
}

}  // namespace chasles
