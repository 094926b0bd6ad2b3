/// Mechanisms in files: native YAML (JSON is a subset of it), URDF, MJCF and SDF.
///
///     Mechanism arm = read_mechanism("arm.yaml");
///     Model model = compile(arm);
///     std::ofstream("copy.yaml") << write_yaml(arm);
///
/// Readers only parse; consistency is checked by `compile` or `check`. Both throw an Error that begins with the source
/// location: `arm.yaml:12:5: joint 'j1': ...`. Nothing is ignored silently: an unknown key is an error that suggests
/// the nearest known one. Limits against malicious input: 16 MB, 64 levels of nesting, 2 million YAML indicators.
///
/// YAML, lengths in meters, angles in radians (`pi/2`, `-pi`, `1/3`, `2*pi/3` are valid numbers):
///
///     chasles: 1                     version of the format
///     name: arm                      optional
///     gravity: [0, 0, -9.81]         optional
///     bodies:
///       - name: upper
///         parent: ground             optional: ground
///         joint:                     optional: fixed
///           name: shoulder           optional: the name of the body
///           type: revolute           see mechanism/joint.hpp
///           axis: [0, 0, 1]          required where the type has an axis
///           point: [0, 0, 0]         a point on the axis; optional: the origin
///           x_axis: [1, 0, 0]        optional; second axis of a universal joint, x of a planar joint
///           in: world                world, parent or body; optional: world
///           frames: {parent: POSE, child: POSE}   instead of point and in: S_{i-1,i}, S_{i,i}
///           pitch: 0.01              helical, planar_helical [m/rad]
///           screws: [{axis: [0, 0, 1], point: [0, 0, 0], pitch: 0}]   custom; pitch .inf: prismatic
///           parameterization: product   custom: product or sum; optional: product
///           limits: {lower: -1, upper: 1, velocity: 2, effort: 10}    each optional
///           dynamics: {damping: 0.1, friction: 0.5, stiffness: 2, rest: 0.3}   each optional
///           mimic: {joint: other, multiplier: 1, offset: 0}
///           armature: 0.64                            reflected inertia of its motor
///           rotor: {inertia: 1e-4, ratio: 80}         of a motor behind a gear
///         pose: {xyz: [0, 0, 0], rpy: [0, 0, 0], in: world}   or parent; optional: A_i = I
///         inertia: {mass: 1, com: [0, 0, 0], about: com, tensor: [xx, xy, xz, yy, yz, zz]}
///                                    about: com or frame; physical: false skips the check
///     loops:
///       - {name: closure, type: revolute, bodies: [upper, ground], axis: .., point: .., in: world}
///                                    a joint between two bodies, with the keys of its type; `in:`
///                                    parent and body are the first and the second body. Given by
///                                    an axis or screws it is closed at q = 0; given by frames,
///                                    where the frames coincide
///     couplings:                     c_1 q_1 + c_2 q_2 + ... = offset
///       - {name: gear, joints: {motor: 1, wheel: -2}, offset: 0}
///                                    for a joint with several coordinates, instead of a coefficient:
///                                    {coefficient: 1, coordinate: 2}, counted from 0, or a list,
///                                    a function of the coordinate: {coefficient: -1,
///                                    polynomial: [c_0, c_1, ..]} or table: [[q, f], ..] with
///                                    ends: natural, clamped or periodic
///     constraints:                   mechanism/constraint_element.hpp
///       - {type: distance, name: rod, a: {body: upper, point: [0, 0, 1]}, b: {body: ground}, length: 0.3}
///       - {type: cable, points: [{body: upper}, {body: ground}]}     others: point_on_plane, point_on_line,
///                                    point_on_curve, rolling
///     frames:
///       - {name: tool, body: upper, pose: {xyz: [0, 0, 0.1]}}
///     tendons:                       mechanism/tendon.hpp; or joints: {shoulder: 1, elbow: -1} instead of points
///       - {name: cable, points: [tool, ground], stiffness: 800, damping: 2, rest: 0.5, friction: 1, range: [0, 1]}
///                                    a point may be {frame: tool, weight: 1, wrap: {frame: .., shape: cylinder,
///                                    radius: 0.1, side: ..}}; stiffness and damping may be lists, of coefficients
///     actuators:                     mechanism/actuator.hpp; or {frame: .., wrench: [6 numbers]} instead of joints
///       - {name: servo, joints: {shoulder: 1}, gain: [80, 0, 0], bias: [0, -80, -4], control_range: [-1, 1],
///          force_range: [-9, 9]}
///     keyframes:                     named states, by joint; control by actuator
///       - {name: home, time: 0, q: {shoulder: 0.5}, v: {shoulder: 0}, control: {servo: 0.5}}
///     collisions:                    shapes for contacts (mechanism/collision.hpp)
///       shapes: [{body: upper, shape: sphere, radius: 0.1, pose: POSE, friction: 1, margin: 0}]
///       pairs, excluded, neighbors   optional
///
/// A POSE has `xyz` and one of `rpy: [roll, pitch, yaw]`, `quaternion: [w, x, y, z]`,
/// `matrix: [[..], [..], [..]]` (rows); missing parts are zero.
///
/// Serial arms may be given by tables instead of, or before, `bodies`. Each row is a body whose parent is the row
/// before it; `theta` (revolute) or `d` (prismatic) is its value at q = 0:
///
///     dh:     standard, the frame at the end of the link:  Rz(theta) Tz(d) Tx(a) Rx(alpha)
///     mdh:    modified (Craig), the frame at the joint:    Rx(alpha) Tx(a) Rz(theta) Tz(d)
///       - {name: link1, type: revolute, a: 0, alpha: pi/2, d: 0.4, theta: 0}
///
/// Optional in a row: `type` (revolute, prismatic, fixed; default revolute), `a`, `alpha`, `d`, `theta` (0), `offset`
/// (added to the joint variable), `joint` (its name), `parent` (default: the body before), `limits`, `dynamics`,
/// `mimic`, `inertia` (in the frame of the row).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "chasles/export.hpp"
#include "chasles/mechanism/mechanism.hpp"

namespace chasles CHASLES_API {

struct ReadOptions {
  /// URDF only: connects the root link to ground by a floating joint named `root_joint`.
  bool floating_base = false;
  /// Receives warnings, each with its source location; null: discarded.
  std::vector<std::string>* warnings = nullptr;
  /// URDF and MJCF: also reads what is seen, <visual> elements and geoms, into Mechanism::appearance; `visuals` of YAML
  /// are read always.
  bool appearance = false;
  /// Folder of files that a text names (<include>, meshes of MJCF); read_mechanism sets it to that of the model file.
  /// Empty: a text from elsewhere; files that it names are refused.
  std::filesystem::path folder{};
  /// Files outside of `folder` may be read: absolute paths, and paths with enough `..`.
  bool allow_outside = false;
  /// SDF only: the model to read of a file with several; empty: all of them.
  std::string model{};
  /// Folders of packages, for package://NAME/PATH; first of all places where they are looked for.
  std::vector<std::pair<std::string, std::filesystem::path>> packages{};
};

/// Reads a mechanism from a file: .yaml, .yml and .json are YAML, .urdf, .xml, .sdf and .mjcf XML; other names, and
/// `-` (standard input), are recognized by their first character. XML is recognized by its root element: robot URDF,
/// mujoco MJCF, sdf SDF. A .xacro file is expanded by the program xacro.
/// @throws Error naming the file, the location and the remedy
Mechanism read_mechanism(const std::filesystem::path& path, const ReadOptions& options = {});

/// @param name  name of the text in messages
Mechanism read_yaml(std::string_view text, const std::string& name,
                    const ReadOptions& options = {});

/// Every link becomes a body. The root is connected to ground by a fixed joint, or by a floating one, `root_joint`;
/// the others follow depth first, in the order of the joints in the file. Limits, damping, friction and mimic are
/// kept (except for fixed joints), and so are the rotors of Drake's transmissions, as armatures. A physically
/// impossible inertia is used, with a warning. Further warnings: elements that affect the mechanics but are not
/// supported, unknown elements and attributes, and angles that must be degrees (docs/model-files.md, "What is kept";
/// likewise for MJCF and SDF).
Mechanism read_urdf(std::string_view text, const std::string& name,
                    const ReadOptions& options = {});

/// MuJoCo models: bodies with hinge, slide, ball and free joints (several joints of a body become massless bodies
/// between), inertias given or computed from geoms, default classes, sites as frames; equality constraints of joints
/// become couplings, connect and weld become loops. q = 0 is the configuration of the file. Actuators without internal
/// state and keyframes are kept; stiffness, armature and tendons are not, with a warning. Files that it includes or
/// attaches are read from ReadOptions::folder.
Mechanism read_mjcf(std::string_view text, const std::string& name,
                    const ReadOptions& options = {});

/// Gazebo models, SDF 1.2 to 1.12, by the rules of their version: one <model>, with poses relative to any frame. A
/// link without a joint gets a floating one, `root_joint`, unless the model is static; a second joint on a link closes
/// a loop.
Mechanism read_sdf(std::string_view text, const std::string& name, const ReadOptions& options = {});

/// Reads back as the same mechanism, bit for bit, except that a rotation farther from orthogonal than 16 units of
/// rounding is orthonormalized on reading.
/// @throws Error if it has no bodies, which the format cannot express
std::string write_yaml(const Mechanism& mechanism);

/// The same mechanism in URDF. Bodies keep their names and frames, inertias, limits, damping, friction and mimic;
/// named frames become links. Joints that URDF lacks become chains of one-dof joints with massless links between them:
/// `NAME_1`, `NAME_2`, ..; a helical joint becomes a revolute joint and a prismatic one, `NAME_slide`, that mimics it.
/// A body whose frame is not on its axis is fixed to a link there. The root link is `world`, unless a body is fixed
/// at the pose of the world.
/// Loops become <constraint> elements.
/// @param warnings  receives what URDF cannot express: gravity other than 9.81 m/s^2 downward, actuators, keyframes,
///                  couplings, tendons, constraints
/// @param loop_closures  receives the revolute loops that are closed at q = 0 as the text of a file loop_closures.yaml beside
///                  the URDF, which then has no elements for them; null: all are elements
/// @throws Error naming what URDF cannot express, and the remedy: spherical joints, custom joints with
///         `parameterization: sum`
std::string write_urdf(const Mechanism& mechanism, std::vector<std::string>* warnings = nullptr,
                       std::string* loop_closures = nullptr);

/// The same mechanism in MJCF, with the same q, v and body frames. Joints that MJCF lacks become several joints of one
/// body, `NAME_1`, `NAME_2`, ..; a helical joint becomes a hinge and a slide, `NAME_slide`, coupled by an equality.
/// Loops become welds and connections, two of them for a revolute one; mimic relations and couplings of two joints
/// become equalities; named frames become sites.
/// @param warnings  receives what MJCF cannot express
/// @throws Error naming a floating joint that is not on ground, or a custom joint with `parameterization: sum`
std::string write_mjcf(const Mechanism& mechanism, std::vector<std::string>* warnings = nullptr);

/// The same mechanism in SDF 1.11, likewise: joints that SDF lacks become chains with massless links between them. Loops
/// become second joints of a link; they must be closed at q = 0. Floating joints lose their names.
/// @param warnings  receives what SDF cannot express
/// @throws Error as write_mjcf
std::string write_sdf(const Mechanism& mechanism, std::vector<std::string>* warnings = nullptr);

}  // namespace CHASLES_API
