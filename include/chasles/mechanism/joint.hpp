/// Joints as data. A joint type is one row of a table: the elementary motions that follow each
/// other in the joint frame J, whose z is the joint's axis. Algorithms see those motions, never the
/// type (docs/adr/0002-joints-as-a-closed-set-of-data.md). Adding a type is adding a row, and its
/// name to JointType.
///
///     type            motions in J, in this order        q                 003 Table 1
///     revolute        turn z                             angle             R
///     prismatic       slide z                            distance          P
///     helical         screw z                            angle             H_p
///     cylindrical     turn z, slide z                    angle, distance   SO(2) x R
///     universal       turn z, turn x                     2 angles          -
///     spherical       ball                               quaternion        SO(3)
///     planar          slide x, slide y, turn z           x, y, angle       SE(2)
///     translation2    slide x, slide y                   x, y              R^2
///     translation3    slide x, slide y, slide z          x, y, z           R^3
///     planar_helical  slide x, slide y, screw z          x, y, angle       H_p x R^2
///     schoenflies     slide x, slide y, slide z, turn z  x, y, z, angle    SE(2) x R
///     telescoping     ball, slide z                      quaternion, distance  SO(3) x R
///     floating        rigid                              quaternion, xyz   SE(3)
///     floating, group: so3xr3  direct                       quaternion, xyz   SO(3) x R^3
///     fixed           none                               -
///     custom          screws, one by one or at once      one per screw
///
/// The velocity of a joint is qdot where q is a vector. Spherical, telescoping and floating joints have q
/// on a group: unit quaternion (w, x, y, z), and distance or position; their velocity is the body-fixed twist, (w)
/// or (w; v), in the axes of the body, or of the joint frame on the body if the joint is given by
/// two frames. A floating joint may be given on SO(3) x R^3 instead: its velocity is (w; rd), w the same
/// and rd the rate of the position; position and rd are in the axes of the parent body (of the world,
/// if that is ground).
///
/// What an entry of q is, an angle, a distance or part of a quaternion, is a property of the motions:
/// `coordinate_kinds` gives the list that every unit, spring, limit and name follows from.
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

/// What coordinates of a joint are.
///
///     kind         entries of q          entries of v                          units
///     angle        1                     its rate                              rad, rad/s
///     distance     1                     its rate                              m, m/s
///     quaternion   4, (w, x, y, z)       3, the angular velocity               1, rad/s
///     position     3                     3, the linear velocity                m, m/s
enum class CoordinateKind : unsigned char { angle, distance, quaternion, position };

/// A row of the table above.
struct CoordinateKindInfo {
  std::string_view name;
  int nq, nv;
  bool is_scalar;   // one entry of q, whose rate is the entry of v
  bool is_angular;  // v is an angular velocity
  std::string_view q_unit, v_unit, force_unit;
};
const CoordinateKindInfo& coordinate_kind_info(CoordinateKind kind);

/// One row of the table.
struct JointTypeInfo {
  JointType type;
  std::string_view name;                    // in files
  std::array<ElementaryMotion, 4> motions;  // none: the end
  bool takes_axis, takes_point, takes_pitch;
};

/// The row of a type.
const JointTypeInfo& joint_type_info(JointType type);
struct Joint;
/// The motions of a joint: those of its type; of a floating joint those of its group.
std::array<ElementaryMotion, 4> motions_of(const Joint& joint);
/// The coordinates of a joint, in the order of q and v.
std::vector<CoordinateKind> coordinate_kinds(const Joint& joint);
/// The type with this name in files, if there is one.
std::optional<JointType> joint_type(std::string_view name);
/// All names, for messages.
std::vector<std::string_view> joint_type_names();

/// The frame in which the data of a joint or a pose are given, everything at q = 0.
enum class DescribedIn : unsigned char { world, parent, body };

/// The joint by its axis in space: Y_i (world), bar X_i (parent) or iX_i (body) of papers 000, 003.
struct AxisGeometry {
  Vec3 axis{0, 0, 1};  // direction, any length
  Vec3 point;          // a point on it [m]
  std::optional<Vec3>
      x_axis{};  // universal: the second axis; planar and the like: the direction of
                 // slide x. Default: some direction across the axis.
  DescribedIn in = DescribedIn::world;
};
/// The joint by two frames: S_{i-1,i} on the parent and S_{i,i} on the body, which coincide at
/// q = 0, and the axis in them (Z_i).
struct FramesGeometry {
  SE3 parent, child;
  Vec3 axis{0, 0, 1};
  std::optional<Vec3> x_axis{};
};
using JointGeometry = std::variant<AxisGeometry, FramesGeometry>;

/// A screw of a custom joint, in the frame that its geometry names.
struct ScrewData {
  Vec3 axis{0, 0, 1}, point;
  double pitch = 0;  // [m/rad]; infinity: translation
};
/// Canonical coordinates of a custom joint, Remark 4 of 003.
enum class Parameterization : unsigned char {
  product,  // second kind: exp(Z_1 q_1) exp(Z_2 q_2) ...
  sum       // first kind:  exp(Z_1 q_1 + Z_2 q_2 + ...)
};

/// The group that a floating joint moves on.
enum class FloatingGroup : unsigned char { se3, so3xr3 };

/// Of joints with one coordinate. Inverse kinematics keeps to them; a run says when they are passed.
struct JointLimits {
  std::optional<double> lower, upper;      // [rad] or [m]
  std::optional<double> velocity, effort;  // of either sign [rad/s] or [m/s]; [N m] or [N]
};
/// What a joint loses by moving, each coordinate by itself: Q = -damping v - friction sign(v). A
/// force of every run (simulation/forces.hpp makes the sign smooth); not for floating joints.
struct JointDynamics {
  double damping = 0;   // [N m s/rad] or [N s/m]
  double friction = 0;  // [N m] or [N]
};
/// q = multiplier q_joint + offset, both joints of one coordinate. Not enforced: a run says when it
/// does not hold.
struct Mimic {
  std::string joint;
  double multiplier = 1, offset = 0;
};

/// Of a motor that drives a joint through a gear, turning `ratio` times as far about the same axis; a body
/// of its own in the model (mechanism/rotor.hpp). For joints that turn or slide along one axis.
struct Rotor {
  double inertia = 0;  // about its axis [kg m^2]
  double ratio = 1;    // [1] or [rad/m]; negative: the other way round
};

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
};

}  // namespace CHASLES_API
