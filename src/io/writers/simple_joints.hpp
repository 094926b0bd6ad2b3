/// A mechanism in the joints of a file format: joints that the format lacks become chains of joints that it has.
#pragma once

#include <span>
#include <unordered_set>

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io {

/// The joint types of a format.
struct FormatJoints {
  std::string_view format;  // for messages: "SDF"
  std::span<const JointType>
      joints;  // of trees: at least revolute, prismatic, spherical, floating, fixed; empty: joints are kept as they are
  std::span<const JointType> loops;  // of loops; fixed is needed
};

struct SimpleJoints {
  Mechanism mechanism;
  /// Massless bodies that were inserted. Those between the joints of a chain have the frame of the body at its end.
  std::unordered_set<std::string> inserted;
  std::vector<std::string> warnings;
};

/// The same mechanism, with every pose and axis in the world at q = 0.
///
/// - A joint with several coordinates becomes joints NAME_1, NAME_2, .. with one each (SO(3) counts as one), a helical
///   one a revolute joint and a prismatic one that mimics it, NAME_slide, unless the format has these types.
/// - A spherical or floating joint whose axes are not those of its body moves a body NAME_joint, to which the body is
///   fixed.
/// - A loop of a type that the format lacks becomes a joint of a body LOOP_end, which is fixed to the other body.
/// - A coupling of two coordinates becomes a mimic of one of them, where that joint has none.
/// @throws Error naming a joint that performs several screws at once (`parameterization: sum`)
SimpleJoints simple_joints(const Mechanism& mechanism, const FormatJoints& format);

/// Inertia that its motor adds to a joint: the armature, and that of a rotor behind its gear.
inline double reflected_inertia(const Joint& joint) {
  return joint.armature +
         (joint.rotor ? joint.rotor->inertia * joint.rotor->ratio * joint.rotor->ratio : 0);
}
/// The warning for a rotor in a format that has reflected inertias only.
inline std::string rotor_is_reflected(const std::string& format, const std::string& joint) {
  return "joint '" + joint + "': " + format +
         " has no rotors: this one is written as armature, which has no gyroscopic torque";
}

/// What a format can say about collision shapes.
struct FormatShapes {
  std::span<const CollisionShape::Kind> kinds;
  bool has_friction;  // coefficients of sliding friction
  bool has_ground;    // shapes on ground
  bool contains(const CollisionShape& shape) const;
};
/// A warning for visuals, which are written to YAML only.
void warn_of_visuals(const Mechanism& mechanism, const std::string& format,
                     std::vector<std::string>* warnings);
/// Warnings for parts that the format cannot say: actuators, keyframes, visuals, collision shapes of other kinds, and
/// their contact properties.
void warn_of_unwritten(const Mechanism& mechanism, const std::string& format,
                       const FormatShapes& shapes, std::vector<std::string>* warnings);

/// Whether two frames are equal up to rounding.
bool coincide(const SE3& a, const SE3& b);

/// The frames of a loop on its two bodies, which coincide where it is closed: z along the axis.
/// @param A  the poses of the two bodies at q = 0, where a loop given by an axis is closed
struct LoopFrames {
  SE3 first, second;
};
LoopFrames loop_frames(const Loop& loop, const SE3& A_first, const SE3& A_second);

}  // namespace chasles::io
