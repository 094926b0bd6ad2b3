/// Compliant contact with Coulomb friction.
///
///     forces.add(contact(model, {.name = "ball", .balls = {"ball", {Vec3{}}, 0.1},
///                                .law = {.stiffness = 1e5, .dissipation = 0.2, .friction = 0.6}}));
///     forces.add(contact(model, {.name = "feet", .balls = {"foot", box_corners({0.2, 0.1, 0.05})}}));
///
/// The contact geometry is a set of balls of one radius on a body (radius 0: points) against a plane or a sphere
/// of another body or of ground. With the outward unit normal n of that surface and the penetration depth x, each
/// ball bears (Hunt & Crossley 1975)
///
///     f_n = stiffness x^exponent (1 + 3/2 dissipation x'),     0 if that is negative          (1)
///     f_t = -friction f_n v_t / sqrt(|v_t|^2 + velocity^2)                                    (2)
///
/// at its deepest point P, where v_t is the sliding velocity, and the torque
///
///     t = -f_n (torsional_friction w_n n / sqrt(w_n^2 + angular_velocity^2)
///               + rolling_friction w_t / sqrt(|w_t|^2 + angular_velocity^2))                   (3)
///
/// against the relative angular velocity w = w_n n + w_t; the other body bears the opposite force and torque at the same
/// point. U = stiffness x^(exponent + 1) / (exponent + 1); the rest of (1), (2) and (3) is dissipated power.
/// Derivation: docs/theory/contact.md.
#pragma once

#include <optional>

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

/// Balls on a body or frame, in its coordinates [m].
struct ContactBalls {
  std::string body;
  std::vector<Vec3> points{};  // centers
  double radius = 0;           // of each; 0: points
};
/// The corners of a box with its edges along the axes. [m]
std::vector<Vec3> box_corners(const Vec3& size, const Vec3& center = {});

/// The surface that the balls touch, on a body, frame or ground, in its coordinates [m].
struct ContactSurface {
  enum Kind : unsigned char { plane, sphere } kind = plane;
  std::string body = std::string(ground);
  Vec3 point{};          // of the plane; the center of the sphere
  Vec3 normal{0, 0, 1};  // outward normal of the plane, of any length
  double radius = 0;     // of the sphere
};

struct ContactLaw {
  /// [N/m^exponent]; not given: bears the weight of the mechanism (at 9.81 m/s^2) with a penetration of 1 mm.
  std::optional<double> stiffness{};
  double exponent = 1.5;  // Hertz: 3/2; 1: a linear spring
  double dissipation =
      0;                // [s/m]: at low speed v the coefficient of restitution is 1 - dissipation v
  double friction = 0;  // coefficient
  double velocity =
      1e-3;  // [m/s] regularization: friction reaches sqrt(1/2) of its full value here
  /// [m] coefficients of the torques against spinning about the normal and against rolling: the radius of a patch of
  /// contact times a coefficient, and the distance by which the normal force is ahead.
  double torsional_friction = 0, rolling_friction = 0;
  double angular_velocity = 1e-2;  // [rad/s] regularization of both torques, likewise
};

struct Contact {
  std::string name;  // for messages and for contact:NAME
  ContactBalls balls;
  ContactSurface against{};
  ContactLaw law{};
};

/// The contact as a force; `internal` if neither body is ground. Runs end steps where contact begins and ends.
/// @throws Error naming the contact and the mistake: an unknown body, bodies that move together, no points, a
///         normal of length zero, numbers out of range
Force contact(const Model& model, const Contact& contact);

/// The contact with this name.
/// @throws Error with the nearest known name
const ContactQuery& contact_named(const Forces& forces, std::string_view name);

}  // namespace CHASLES_API
