/// Force elements between bodies and in joints: bushings, springs by tables, tendons, drag.
#pragma once

#include <array>

#include "chasles/export.hpp"
#include "chasles/simulation/forces.hpp"

namespace chasles CHASLES_API {

/// Stiffness and damping in all six directions between a frame on body a and one on body b. With the pose of b
/// relative to a, in axes of a: rotation vector phi = log R, position x,
///
///     xi = (phi; x),    Q = preload - stiffness xi - damping xi',    U = xi^T stiffness xi / 2 - preload . xi      (1)
///     torque dexp_phi^-T Q_phi and force Q_x on b at its frame, in axes of a; the opposite wrench on a            (2)
///
/// so that the elastic force has a potential for rotations of any size below half a turn, where log ends. For small
/// angles phi is the vector of angles about the axes of a, and (2) is Q itself.
struct Bushing {
  BodyPoint a, b;
  SO3 axes_a{}, axes_b{};  // of the two frames, in their bodies
  /// By rows, order (rotation; translation): N m/rad, N/rad, N m/m, N/m. Symmetric, without negative eigenvalues.
  std::array<double, 36> stiffness{}, damping{};
  std::array<double, 6> preload{};  // torque and force on b at xi = 0 [N m, N]
};
Force bushing(const Model& model, const Bushing& bushing);

/// Interpolation of a table of forces by position.
enum class TableInterpolation : unsigned char {
  linear,  // between neighbors
  cubic    // piecewise cubic without overshoot (Fritsch and Carlson): monotone where the table is
};
/// Q = f(q) - damping v in a joint with one coordinate, f by a table; beyond its ends along the tangent there.
/// U = -integral of f, 0 at the entry with the least energy.
/// @param positions  increasing [rad] or [m], at least two
/// @param forces     as many [N m] or [N]
Force joint_spring_table(const Model& model, std::string_view joint, std::vector<double> positions,
                         std::vector<double> forces, double damping = 0,
                         TableInterpolation interpolation = TableInterpolation::linear);

/// The terms of higher order of the spring and damper of a joint with one coordinate (JointDynamics::stiffening, drag).
/// @throws Error naming the joint with another number of coordinates, or a damping that would drive it
Force joint_progressive(const Model& model, std::string_view joint);
/// Spring, damper and friction of a tendon, (3) of mechanism/tendon.hpp.
/// @throws Error naming the tendon and a joint or frame that the model does not have
Force tendon_force(const Model& model, const Tendon& tendon);

/// F = -(viscous + quadratic |u|) u on a point of a body that moves with velocity u relative to a uniform wind. With
/// the density rho of the medium, drag coefficient c_d and area A, quadratic = rho c_d A / 2.
struct Drag {
  double viscous = 0;    // [N s/m]
  double quadratic = 0;  // [N s^2/m^2]
  Vec3 wind{};           // [m/s]
};
Force point_drag(const Model& model, const BodyPoint& at, const Drag& drag);

}  // namespace CHASLES_API
