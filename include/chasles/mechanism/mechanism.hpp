/// The description of a mechanism: bodies with their joints, loops, frames, gravity. Numbers are kept as given;
/// `compile` (model/model.hpp) turns it into a Model for computations.
///
///     Mechanism m = MechanismBuilder("pendulum")
///         .body("arm", ground, joints::revolute({0, 1, 0}, {0, 0, 2}))
///             .inertia(1.5, {0, 0, 1}, Sym3::diagonal(0.1, 0.1, 0.01))
///         .frame("tip", "arm", {{}, {0, 0, 0.5}})
///         .build();                                            // mechanism/builder.hpp
#pragma once

#include <string>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/math/curve.hpp"
#include "chasles/mechanism/actuator.hpp"
#include "chasles/mechanism/appearance.hpp"
#include "chasles/mechanism/collision.hpp"
#include "chasles/mechanism/constraint_element.hpp"
#include "chasles/mechanism/joint.hpp"
#include "chasles/mechanism/keyframe.hpp"
#include "chasles/mechanism/tendon.hpp"
#include "chasles/screws/inertia.hpp"

namespace chasles CHASLES_API {

inline constexpr std::string_view ground = "ground";

/// The pose of the body frame at q = 0. With FramesGeometry it follows from the joint frames.
struct BodyPose {
  SE3 C;                                // A_i (world) or B_i (parent)
  DescribedIn in = DescribedIn::world;  // world or parent
};

struct BodyInertia {
  double mass = 0;        // [kg]
  Vec3 com;               // in the body frame [m]
  Sym3 tensor;            // in the axes of the body frame [kg m^2]
  bool about_com = true;  // false: about the origin of the body frame
  bool physical = true;   // false: skips the check that a body can have it
};

struct Body {
  std::string name;
  std::string parent{ground};
  Joint joint;
  BodyPose pose{};
  std::optional<BodyInertia> inertia{};  // none: massless
  std::string where{};                   // "file:line" for messages, if read from a file
};

/// A frame fixed to a body: a tool, a sensor, a foot.
struct FrameDescription {
  std::string name, body;
  SE3 pose;  // in the body frame
  std::string where{};
};

/// A joint that closes a kinematic loop between two bodies of the tree; the first is its parent, the second its child.
/// Given by an axis, it is closed at q = 0; given by two frames, where they coincide.
struct Loop {
  std::string name;
  std::array<std::string, 2> bodies;
  JointType type = JointType::revolute;
  JointGeometry geometry{};
  double pitch = 0;
  std::vector<ScrewData> screws{};  // custom
  Parameterization parameterization = Parameterization::product;
  std::string where{};
};

/// A relation between scalar joint coordinates: gears, racks, differentials; with functions: cams, noncircular gears.
///
///     c_1 f_1(q_1) + c_2 f_2(q_2) + ... = offset,      f_k(q) = q unless given
struct Coupling {
  struct Term {
    std::string joint;
    double coefficient = 1;
    int coordinate = 0;    // index, for joints with several
    CurveData function{};  // f: a polynomial, or a spline through points
  };
  std::string name;
  std::vector<Term> terms;
  double offset = 0;
  std::string where{};
};

struct Mechanism {
  std::string name;
  Vec3 gravity{0, 0, -9.81};  // [m/s^2]
  std::vector<Body> bodies{};
  std::vector<FrameDescription> frames{};
  std::vector<Loop> loops{};
  std::vector<Coupling> couplings{};
  std::vector<ConstraintElement> constraints{};
  std::vector<Actuator> actuators{};
  std::vector<Keyframe> keyframes{};
  std::vector<Tendon> tendons{};
  Collisions collisions{};  // used by runs if asked for: simulation/shape_contact.hpp
  Appearance appearance{};  // if requested: ReadOptions::appearance
};

/// The joint of a loop, between its bodies.
Joint joint_of(const Loop& loop);

/// Index of a body by name, or -1; also -1 for `ground`.
int find_body(const Mechanism& mechanism, std::string_view name);

/// The bodies in depth-first order: parents first, children in the order of the description.
/// @throws Error naming the body: no name, two of one name, an unknown parent, a cycle
std::vector<int> depth_first(const Mechanism& mechanism);

/// The geometry implied by a description, for each body in the order of `mechanism.bodies`.
struct ReferenceGeometry {
  std::vector<SE3> A;  // body frames in the world at q = 0
  std::vector<SE3> J;  // joint frames in the world at q = 0: z on the axis, origin on the point;
                       // spherical and floating joints have the axes of the body, custom joints the
                       // frame their screws are given in
};
/// @throws Error naming the body and the value: zero axis, non-finite numbers, ...
ReferenceGeometry reference_geometry(const Mechanism& mechanism);

/// The joint frame of a geometry, relative to the frame of its data: z along the axis, x along x_axis
/// (orthogonalized), origin at the point.
/// @param what  begins the message of an Error: "joint 'j1'"
SE3 joint_frame(const Vec3& axis, const Vec3& point, const std::optional<Vec3>& x_axis,
                const std::string& what);

/// Checks everything that does not depend on geometry: names, references, numbers, inertias.
/// @throws Error naming the element, its source location, the value and the remedy
void check(const Mechanism& mechanism);

/// "file:12: body 'arm'" or "body 'arm'".
std::string describe(const std::string& where, std::string_view kind, const std::string& name);

}  // namespace CHASLES_API
