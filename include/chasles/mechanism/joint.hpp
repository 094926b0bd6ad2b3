/// Joints as data. A joint type is one row of a table: the sequence of elementary motions in the joint frame J, whose
/// z axis is the joint axis. Algorithms see these motions, never the type
/// (docs/adr/0002-joints-as-a-closed-set-of-data.md). To add a type, add a row, and its name to JointType.
///
/// Rz: rotation about z, Tz: translation along z, Hz: helical motion about z; likewise for x and y.
///
///     type            motions in J, in this order        q                 003 Table 1
///     revolute        Rz                                 angle             R
///     prismatic       Tz                                 distance          P
///     helical         Hz                                 angle             H_p
///     cylindrical     Rz, Tz                             angle, distance   SO(2) x R
///     universal       Rz, Rx                             2 angles          -
///     spherical       SO(3)                              quaternion        SO(3)
///     planar          Tx, Ty, Rz                         x, y, angle       SE(2)
///     translation2    Tx, Ty                             x, y              R^2
///     translation3    Tx, Ty, Tz                         x, y, z           R^3
///     planar_helical  Tx, Ty, Hz                         x, y, angle       H_p x R^2
///     schoenflies     Tx, Ty, Tz, Rz                     x, y, z, angle    SE(2) x R
///     telescoping     SO(3), Tz                          quaternion, distance  SO(3) x R
///     floating        SE(3)                              quaternion, xyz   SE(3)
///     floating, group: so3xr3  SO(3) x R^3               quaternion, xyz   SO(3) x R^3
///     fixed           none                               -
///     custom          product or exponential of screws   one per screw
///
/// The velocity of a joint is dq/dt where q is a vector. Spherical, telescoping and floating joints have q on a Lie
/// group: unit quaternion (w, x, y, z), and distance or position; their velocity is the body-fixed twist, (w) or
/// (w; v), in the axes of the body, or of the joint frame on the body if the joint is given by two frames. A floating
/// joint may be defined on SO(3) x R^3 instead: its velocity is (w; rd), w the same and rd the time derivative of the
/// position; position and rd are in the axes of the parent body (of the world, if the parent is ground).
///
/// The kind of each entry of q (angle, distance, part of a quaternion or position) follows from the motions:
/// `coordinate_kinds` gives the list that units, springs, limits and names are based on.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/lie/se3.hpp"

namespace chasles CHASLES_API {

/// @paper 003 section 2.1, Table 2
enum class JointType : unsigned char {
  revolute,
  prismatic,
  helical,
  cylindrical,
  universal,
  spherical,
  planar,
  translation2,
  translation3,
  planar_helical,
  schoenflies,
  telescoping,
  floating,
  fixed,
  custom
};

/// An elementary motion in the joint frame.
enum class ElementaryMotion : unsigned char {
  none,
  rotation_z,
  translation_z,
  helical_z,
  rotation_x,
  translation_x,
  translation_y,
  spherical,
  floating_se3,
  floating_so3xr3
};

/// Kinds of joint coordinates.
///
///     kind         entries of q          entries of v                          units
///     angle        1                     its rate                              rad, rad/s
///     distance     1                     its rate                              m, m/s
///     quaternion   4, (w, x, y, z)       3, the angular velocity               1, rad/s
///     position     3                     3, the linear velocity                m, m/s
enum class CoordinateKind : unsigned char { angle, distance, quaternion, position };

/// A row of this table.
struct CoordinateKindInfo {
  std::string_view name;
  int nq, nv;
  bool is_scalar;   // one entry of q, whose time derivative is the entry of v
  bool is_angular;  // v is an angular velocity
  std::string_view q_unit, v_unit, force_unit;
};
const CoordinateKindInfo& coordinate_kind_info(CoordinateKind kind);

/// A row of the table of joint types.
struct JointTypeInfo {
  JointType type;
  std::string_view name;                    // in files
  std::array<ElementaryMotion, 4> motions;  // none: end of the list
  bool takes_axis, takes_point, takes_pitch;
};

/// The row of a type.
const JointTypeInfo& joint_type_info(JointType type);
struct Joint;
/// The motions of a joint: those of its type; for a floating joint those of its group.
std::array<ElementaryMotion, 4> motions_of(const Joint& joint);
/// The coordinates of a joint, in the order of q and v.
std::vector<CoordinateKind> coordinate_kinds(const Joint& joint);
/// The type with this name in files; none if unknown.
std::optional<JointType> joint_type(std::string_view name);
/// All names, for messages.
std::vector<std::string_view> joint_type_names();

/// The frame in which the data of a joint or a pose are given, at q = 0.
enum class DescribedIn : unsigned char { world, parent, body };

/// A joint given by its axis: Y_i (world), bar X_i (parent) or iX_i (body) of papers 000, 003.
struct AxisGeometry {
  Vec3 axis{0, 0, 1};  // direction, any length
  Vec3 point;          // a point on the axis [m]
  std::optional<Vec3>
      x_axis{};  // universal: the second axis; planar and translational: the direction of x.
                 // Default: any direction perpendicular to the axis.
  DescribedIn in = DescribedIn::world;
};
/// A joint given by two frames: S_{i-1,i} on the parent and S_{i,i} on the body, which coincide at q = 0, and the axis
/// in these frames (Z_i).
struct FramesGeometry {
  SE3 parent, child;
  Vec3 axis{0, 0, 1};
  std::optional<Vec3> x_axis{};
};
using JointGeometry = std::variant<AxisGeometry, FramesGeometry>;

/// A screw of a custom joint, in the frame of its geometry.
struct ScrewData {
  Vec3 axis{0, 0, 1}, point;
  double pitch = 0;  // [m/rad]; infinity: translation
};
/// Canonical coordinates of a custom joint (003, Remark 4).
/// @paper 003 Remark 4
enum class Parameterization : unsigned char {
  product,  // second kind: exp(Z_1 q_1) exp(Z_2 q_2) ...
  sum       // first kind:  exp(Z_1 q_1 + Z_2 q_2 + ...)
};

/// The Lie group of a floating joint.
enum class FloatingGroup : unsigned char { se3, so3xr3 };

/// Limits of one-dof joints: enforced by inverse kinematics, only reported by simulation by default.
struct JointLimits {
  std::optional<double> lower, upper;      // [rad] or [m]
  std::optional<double> velocity, effort;  // absolute values [rad/s] or [m/s]; [N m] or [N]
};
/// Spring, damping and friction of a joint, per coordinate: Q = -stiffness x - damping v - friction sign(v), where x is
/// the deviation from `rest`: q - rest, or log(rest^-1 q) for a quaternion. A joint of one coordinate may have more terms,
/// Q -= k_2 x^2 + k_3 x^3 + d_2 v |v| + d_3 v^3. Every run applies it (simulation/forces.hpp regularizes the sign); not
/// for floating joints.
struct JointDynamics {
  double damping = 0;                  // [N m s/rad] or [N s/m]
  double friction = 0;                 // [N m] or [N]
  double stiffness = 0;                // [N m/rad] or [N/m]
  std::vector<double> rest{};          // where the spring is relaxed, by entries of q; empty: q = 0
  std::array<double, 2> stiffening{};  // k_2 [N m/rad^2, N/m^2], k_3 [N m/rad^3, N/m^3]
  std::array<double, 2> drag{};        // d_2 [N m s^2/rad^2, ..], d_3 [N m s^3/rad^3, ..]

  /// Whether the joint has any of them.
  bool acts() const { return damping != 0 || friction != 0 || stiffness != 0 || is_progressive(); }
  bool is_progressive() const {
    return stiffening != std::array<double, 2>{} || drag != std::array<double, 2>{};
  }
};
/// q = multiplier q_joint + offset, both joints with one coordinate. A constraint equation of closed mechanisms
/// (ConstraintOptions::mimic); where it is not enforced, runs report violations.
struct Mimic {
  std::string joint;
  double multiplier = 1, offset = 0;
};

/// The rotor of a motor that drives a joint through a gear, rotating `ratio` times as far about the same axis; a
/// separate body of the model (mechanism/rotor.hpp). For one-dof joints.
struct Rotor {
  double inertia = 0;  // about its axis [kg m^2]
  double ratio = 1;    // [1] or [rad/m]; negative: opposite direction
};

/// A joint. Its armature I_a is the inertia of its motor seen through the gear, ratio^2 times the inertia of the rotor:
/// kinetic energy I_a v^2 / 2 for every entry of its velocity, so that M has I_a more on the diagonal, and nothing else
/// changes. It has no weight, no momentum and no gyroscopic reaction (`Rotor` has these). For every joint type.
struct Joint {
  std::string name;  // empty: the name of the body
  JointType type = JointType::fixed;
  JointGeometry geometry{};
  double pitch = 0;                 // helical, planar_helical [m/rad]
  std::vector<ScrewData> screws{};  // custom
  Parameterization parameterization = Parameterization::product;
  FloatingGroup group = FloatingGroup::se3;  // floating
  std::optional<JointLimits> limits{};
  JointDynamics dynamics{};
  std::optional<Mimic> mimic{};
  std::optional<Rotor> rotor{};
  double armature = 0;  // reflected inertia of its motor, see below [kg m^2] or [kg]
};

}  // namespace CHASLES_API
