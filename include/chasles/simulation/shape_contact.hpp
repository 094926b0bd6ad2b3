/// Contact of collision shapes (mechanism/collision.hpp), with the force law of contact.hpp.
///
///     Mechanism robot = read_mechanism("arm.yaml");
///     robot.collisions.shapes.push_back(
///         {.kind = CollisionShape::sphere, .body = robot.bodies.back().name, .size = {0.02, 0, 0}});
///     Model model = compile(robot);
///     ModelContacts contacts = model_contacts(model, robot, {.floor = 0.0});
///     for (const ShapeContact& pair : contacts.list) forces.add(shape_contact(model, pair));
///
/// Against a plane with unit normal n, a convex shape with center c and support function h has one point of contact,
///
///     x = h(n) - n . (c - p),     P = c - grad h(n)                                            (1)
///
///     sphere      h = radius                             capsule, box    spheres at its ends, points at its corners
///     ellipsoid   h = |D n|, D = diag(semiaxes)          cylinder        two discs
///     disc        h = radius (sqrt(|n x axis|^2 + e^2) - e)
///
/// With e = 0 the point of a disc is the lowest one of its rim; e = 0.01 makes it move smoothly through the disc while
/// the disc tilts by about e, and dx/dt = -n . u at P remains exact. Pairs of spheres and capsules, and a sphere and a
/// box, touch at the nearest points of their cores (centers, axes, the box). Derivation: docs/theory/contact.md.
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"
#include "chasles/simulation/contact.hpp"

namespace chasles CHASLES_API {

/// Two shapes that may touch; one of them may be a plane.
struct ShapeContact {
  std::string name;  // for messages and for contact:NAME
  CollisionShape a, b;
  ContactLaw law{};
  double margin = 0;  // [m]: the force begins at this distance
};

/// Whether the contact of two kinds has a closed form: any with a plane, spheres and capsules with each other, a sphere
/// with a box.
bool has_contact(CollisionShape::Kind a, CollisionShape::Kind b);

/// The contact as a force; `internal` if neither body is ground.
/// @throws Error naming the contact and the mistake: an unknown body, bodies that move together, kinds without closed
///         form, numbers out of range
Force shape_contact(const Model& model, const ShapeContact& contact);

struct ModelContactOptions {
  /// Not given: the stiffness at which one point bears the weight of the mechanism with a penetration of a thousandth of
  /// its extent L, the diagonal of the box around its shapes at q = 0; gravity as in the model, 9.81 m/s^2 if zero.
  std::optional<double> stiffness{};
  /// Not given: half of critical damping at this load, sqrt(1 / (1.5 g L / 1000)).
  std::optional<double> dissipation{};
  double exponent = 1.5, velocity = 1e-3;  // as in ContactLaw
  // Not given: those of the shapes.
  std::optional<double> friction{}, torsional_friction{}, rolling_friction{};
  double angular_velocity = 1e-2;
  std::optional<double> floor{};  // height of an additional plane z = floor of ground [m]
};

struct ModelContacts {
  std::vector<ShapeContact> list{};
  std::vector<std::string>
      notes{};  // pairs of shapes that may touch but have no closed form: one sentence
};
/// All contacts of the collision shapes of a mechanism.
/// @throws Error likewise, and if there are no shapes that can touch
ModelContacts model_contacts(const Model& model, const Mechanism& mechanism,
                             const ModelContactOptions& options = {});

}  // namespace CHASLES_API
