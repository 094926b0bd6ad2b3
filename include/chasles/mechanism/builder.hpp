/// Builds mechanisms in C++: one call per body, followed by its properties.
///
///     using namespace chasles;
///     Mechanism m = MechanismBuilder("arm")
///         .body("upper", ground, joints::revolute({0, 1, 0}, {0, 0, 0.3}))
///             .inertia(2.0, {0, 0, 0.5}, Sym3::diagonal(0.02, 0.02, 0.01))
///         .body("lower", "upper", joints::revolute({0, 1, 0}, {0, 0, 0.7}))
///             .pose({{}, {0, 0, 0.7}})
///         .frame("tip", "lower", {{}, {0, 0, 0.4}})
///         .build();
///
/// Without a pose the body frame is the world frame at q = 0, as in a CAD assembly.
#pragma once

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

/// Joints by their axis, a point on it and, where the type needs it, a perpendicular direction (x_axis).
namespace joints {
/// A joint of any type, given by an axis.
Joint of(JointType type, const Vec3& axis, const Vec3& point = {},
         DescribedIn in = DescribedIn::world);
Joint revolute(const Vec3& axis, const Vec3& point = {}, DescribedIn in = DescribedIn::world);
Joint prismatic(const Vec3& axis, DescribedIn in = DescribedIn::world);
/// @param pitch  [m/rad]
Joint helical(const Vec3& axis, const Vec3& point, double pitch,
              DescribedIn in = DescribedIn::world);
Joint spherical(const Vec3& point = {}, DescribedIn in = DescribedIn::world);
Joint floating(FloatingGroup group = FloatingGroup::se3);
Joint fixed();
/// A joint of any type between two frames, S_{i-1,i} on the parent and S_{i,i} on the body: the Sheth-Uicker convention,
/// with any axis; the frames of Denavit and Hartenberg are a special case.
/// @paper 000 (91)
/// @paper 003 Remark 3, section 2.2, (3)
Joint between(JointType type, const SE3& on_parent, const SE3& on_body,
              const Vec3& axis = {0, 0, 1});
/// A joint with any screws, given in the frame `in`.
Joint custom(std::vector<ScrewData> screws,
             Parameterization parameterization = Parameterization::product,
             DescribedIn in = DescribedIn::world);
/// The one-dof joint with the unit screw X = (w; v), given in the frame `in`: revolute (w . v = 0), helical, or
/// prismatic (w = 0). The coordinate is the angle about it or the distance along it. Pitches below 1e-9 m are zero.
/// @throws Error if X is not a unit screw: |w| = 1, or w = 0 and |v| = 1, to the accuracy of six decimals
/// @paper 003 (5), (7), (12)
/// @paper 000 (94)
Joint of_screw(const Twist& X, DescribedIn in = DescribedIn::world);
/// A constant velocity (homokinetic) joint of two shafts along `axis` at q = 0 that meet in `point`. The motion is a
/// rotation about an axis across the shaft, in the plane of symmetry of both, R = exp(q_1 x + q_2 y): no rotation about
/// the shaft is lost. If the shafts turn about fixed axes at any angle, R_out = exp(n) R_in with a constant n, so that
/// both turn equally, unlike with a universal joint. A custom joint of two screws in coordinates of the first kind.
/// @param x  the direction of x, perpendicular to the axis; zero: any
/// @throws Error naming the axis or direction
/// @paper 003 Table 2
Joint constant_velocity(const Vec3& axis, const Vec3& point = {},
                        DescribedIn in = DescribedIn::world, const Vec3& x = {});
}  // namespace joints

class MechanismBuilder {
 public:
  explicit MechanismBuilder(std::string name) { mechanism_.name = std::move(name); }

  /// [m/s^2]; default (0, 0, -9.81).
  MechanismBuilder& gravity(const Vec3& g);
  /// Adds a body, with its parent (or `ground`) and its joint. The following calls refer to it.
  MechanismBuilder& body(std::string name, std::string_view parent, Joint joint);

  /// The name of the joint; default: that of the body.
  MechanismBuilder& joint_name(std::string name);
  /// The second axis of a universal joint, or the x direction of a planar or translational joint.
  MechanismBuilder& x_axis(const Vec3& x);
  MechanismBuilder& limits(double lower, double upper);
  /// The largest absolute velocity and effort.
  MechanismBuilder& velocity_effort_limits(double velocity, double effort);
  /// Damping and dry friction.
  MechanismBuilder& dynamics(double damping, double friction);
  /// A spring, relaxed at `rest`: JointDynamics::stiffness, by entries of q.
  MechanismBuilder& spring(double stiffness, std::vector<double> rest = {});
  /// The reflected inertia of its motor, Joint::armature [kg m^2] or [kg].
  MechanismBuilder& armature(double inertia);
  /// The rotor of a motor that drives the joint through a gear, with its gyroscopic reaction.
  MechanismBuilder& rotor(const Rotor& rotor);
  /// The pose of the body frame at q = 0: in the world (A_i) or in the parent (B_i).
  /// @throws Error after joints::between, whose frames determine the pose
  /// @paper 003 (11)
  MechanismBuilder& pose(const SE3& C, DescribedIn in = DescribedIn::world);
  /// [kg], [m], [kg m^2]; the tensor is about the center of mass, in the axes of the body.
  MechanismBuilder& inertia(double mass, const Vec3& com, const Sym3& tensor);

  MechanismBuilder& frame(std::string name, std::string body, const SE3& pose);
  MechanismBuilder& loop(Loop loop);
  MechanismBuilder& coupling(Coupling coupling);

  /// The checked description.
  /// @throws Error naming the element, the value and the remedy
  Mechanism build() const;

 private:
  Body& last();
  Mechanism mechanism_;
};

}  // namespace CHASLES_API
