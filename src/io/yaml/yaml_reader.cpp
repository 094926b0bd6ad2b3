#include <cmath>

#include "chasles/io/mechanism_file.hpp"
#include "io/yaml/coordinate_dimensions.hpp"
#include "io/yaml/renamed_keys.hpp"
#include "io/yaml/yaml_collisions.hpp"
#include "io/yaml/yaml_parts.hpp"
#include "io/yaml/yaml_visuals.hpp"

namespace chasles {
namespace io {
namespace {

JointType read_type(const Fields& joint) {
  if (const auto given = read_given(joint)) {
    const std::string_view name = joint_type_info(given->type).name;
    if (given->screws.empty() && joint.has("type") && joint.text("type") != name)
      joint.refuse(joint.require("type"), "type " + quote(joint.text("type")) +
                                              ", but the screw is that of a " + std::string(name) +
                                              " joint; leave the type out");
    return given->type;
  }
  const std::vector<std::string_view> names = joint_type_names();
  joint.require("type");
  return *joint_type(names[joint.choice("type", names, 0)]);
}

std::optional<Vec3> read_x_axis(const Fields& joint) {
  if (!joint.has("x_axis")) return std::nullopt;
  return joint.vec3("x_axis");
}

SE3 read_joint_frame(const Fields& frames, std::string_view key) {
  const std::string what = frames.what() + ", " + std::string(key);
  return read_pose(
      {frames.file(), frames.require(key), what, {"xyz", "rpy", "quaternion", "matrix"}});
}

void refuse_keys(const Fields& fields, Fields::Keys keys, const std::string& why) {
  for (const std::string_view key : keys)
    if (fields.has(key)) fields.refuse(fields.require(key), std::string(key) + ": " + why);
}

/// The geometry of a joint or a loop. Between frames every type may have axes, which then rotate the joint
/// frame; otherwise only those its type uses.
JointGeometry read_geometry(const Fields& joint, JointType type) {
  const JointTypeInfo& info = joint_type_info(type);
  if (const auto given = read_given(joint)) {
    refuse_keys(joint, {"frames", "pitch"}, "the joint is given already; leave it out");
    if (given->screws.empty())
      refuse_keys(joint, {"axis", "point", "x_axis"},
                  "the joint is given by its screw already; leave it out");
    return given->geometry;
  }
  if (info.takes_axis) joint.require("axis");
  if (joint.has("frames")) {
    refuse_keys(joint, {"point", "in"}, "the joint is given by frames already; leave it out");
    const Fields frames(joint.file(), joint.require("frames"), joint.what() + ", frames",
                        {"parent", "child"});
    return FramesGeometry{read_joint_frame(frames, "parent"), read_joint_frame(frames, "child"),
                          joint.vec3("axis", {0, 0, 1}), read_x_axis(joint)};
  }
  const std::string has_none = "a " + std::string(info.name) + " joint has none; leave it out";
  if (!info.takes_axis) refuse_keys(joint, {"axis", "x_axis"}, has_none);
  if (!info.takes_point) refuse_keys(joint, {"point"}, has_none);
  return AxisGeometry{joint.vec3("axis", {0, 0, 1}), joint.vec3("point", {}, dimensions::length),
                      read_x_axis(joint), read_in(joint)};
}

double read_pitch(const Fields& joint, JointType type) {
  const JointTypeInfo& info = joint_type_info(type);
  if (const auto given = read_given(joint)) return given->pitch;
  if (info.takes_pitch) return joint.number("pitch", dimensions::pitch);
  refuse_keys(joint, {"pitch"},
              "a " + std::string(info.name) + " joint has none; use helical or leave it out");
  return 0;
}

ScrewData read_screw(const Fields& joint, const Value& value) {
  const Fields screw(joint.file(), value, joint.what() + ", screw",
                     {"axis", "point", "pitch", "screw"});
  if (const auto given = read_given(screw)) {
    refuse_keys(screw, {"axis", "point", "pitch"}, "the screw is given already; leave it out");
    const auto& [axis, point, x_axis, in] = std::get<AxisGeometry>(given->geometry);
    const bool translates = given->type == JointType::prismatic;
    return {axis, point, translates ? std::numeric_limits<double>::infinity() : given->pitch};
  }
  ScrewData data{screw.vec3("axis"), screw.vec3("point", {}, dimensions::length), 0};
  const Value* pitch = screw.find("pitch");
  const bool infinite = pitch != nullptr && pitch->kind == Value::Kind::scalar &&
                        (pitch->text == ".inf" || pitch->text == "inf");
  data.pitch = infinite ? std::numeric_limits<double>::infinity()
                        : screw.number("pitch", 0, dimensions::pitch);
  if (max_abs(data.axis) == 0)
    screw.refuse(screw.require("axis"), "axis (0, 0, 0) has no direction; give a nonzero axis");
  return data;
}

/// The screws of a custom joint or loop, and how they make a motion.
template <class JointOrLoop>
void read_screws(const Fields& fields, JointOrLoop& joint) {
  if (const auto given = read_given(fields)) {
    refuse_keys(fields, {"screws", "parameterization"}, "the joint is given already; leave it out");
    joint.screws = given->screws;
    joint.parameterization = given->parameterization;
    return;
  }
  if (joint.type == JointType::custom)
    fields.require("screws");
  else
    refuse_keys(fields, {"screws", "parameterization"}, "only custom joints have it");
  for (const Value& screw : fields.list("screws"))
    joint.screws.push_back(read_screw(fields, screw));
  static constexpr std::string_view kinds[] = {"product", "sum"};
  joint.parameterization =
      static_cast<Parameterization>(fields.choice("parameterization", kinds, 0));
}

Joint read_joint(const Fields& body) {
  const Value* value = body.find("joint");
  if (value == nullptr) return {};
  const Fields fields(
      body.file(), *value, "joint",
      {"name", "type", "axis", "point", "in", "pitch", "frames", "x_axis", "screw", "screws",
       "parameterization", "group", "limits", "dynamics", "mimic", "rotor", "armature"},
      "joint of " + body.what());
  Joint joint;
  joint.name = fields.text("name", "");
  joint.type = read_type(fields);
  joint.geometry = read_geometry(fields, joint.type);
  joint.pitch = read_pitch(fields, joint.type);
  read_screws(fields, joint);
  if (joint.type != JointType::floating)
    refuse_keys(fields, {"group"}, "only floating joints have it");
  static constexpr std::string_view groups[] = {"se3", "so3xr3"};
  joint.group = static_cast<FloatingGroup>(fields.choice("group", groups, 0));
  joint.limits = read_limits(fields, joint);
  joint.dynamics = read_dynamics(fields, joint);
  joint.mimic = read_mimic(fields, joint);
  joint.rotor = read_rotor(fields);
  joint.armature = fields.number("armature", 0, dimensions::any);
  return joint;
}

BodyPose read_body_pose(const Fields& body, const Joint& joint) {
  const Value* value = body.find("pose");
  if (value == nullptr) return {};
  if (std::holds_alternative<FramesGeometry>(joint.geometry))
    body.refuse(*value, "pose: it follows from the frames of the joint; leave one of them out");
  const Fields pose(body.file(), *value, body.what() + ", pose",
                    {"xyz", "rpy", "quaternion", "matrix", "in"});
  const DescribedIn in = read_in(pose);
  if (in == DescribedIn::body)
    pose.refuse(pose.require("in"), "a pose is given in world or parent");
  return {read_pose(pose), in};
}

Body read_body(const std::string& name, const Value& value, const ReadOptions& options,
               Appearance& appearance) {
  const Fields fields(name, value, "body",
                      {"name", "parent", "joint", "pose", "inertia", "visuals"});
  Body body;
  body.name = fields.text("name");
  body.parent = fields.text("parent", ground);
  body.joint = read_joint(fields);
  body.pose = read_body_pose(fields, body.joint);
  body.inertia = read_inertia(fields);
  read_visuals(fields, options, appearance);
  body.where = fields.where();
  return body;
}

Loop read_loop(const std::string& name, const Value& value) {
  const Fields fields(name, value, "loop",
                      {"name", "type", "bodies", "axis", "point", "in", "pitch", "frames", "x_axis",
                       "screw", "screws", "parameterization"});
  Loop loop;
  loop.name = fields.text("name");
  loop.type = read_type(fields);
  fields.require("bodies");
  const std::vector<Value>& bodies = fields.list("bodies");
  if (bodies.size() != 2 || bodies[0].kind != Value::Kind::scalar ||
      bodies[1].kind != Value::Kind::scalar)
    fields.refuse(fields.require("bodies"), "bodies is not two names; give [one, other]");
  loop.bodies = {bodies[0].text, bodies[1].text};
  loop.geometry = read_geometry(fields, loop.type);
  loop.pitch = read_pitch(fields, loop.type);
  read_screws(fields, loop);
  loop.where = fields.where();
  return loop;
}

/// The function of a term: `polynomial: [c_0, c_1, ...]` or `table: [[x, y], ...]` with `ends`.
CurveData read_function(const Fields& fields) {
  static constexpr std::string_view ends[] = {"natural", "clamped", "periodic"};
  CurveData f;
  if (const Value* list = fields.find("polynomial")) {
    if (list->kind != Value::Kind::list || list->items.empty())
      fields.refuse(*list, "polynomial is not a list of numbers; give [c_0, c_1, ...]");
    for (const Value& c : list->items) f.polynomial.push_back(fields.to_number(c, "polynomial"));
  }
  if (const Value* list = fields.find("table")) {
    if (list->kind != Value::Kind::list || list->items.empty())
      fields.refuse(*list, "table is not a list of points; give [[x, y], ...]");
    for (const Value& point : list->items) {
      const std::vector<double> xy = fields.to_numbers(point, "a point of the table", 2);
      f.table.push_back({xy[0], xy[1]});
    }
  } else if (const Value* given = fields.find("ends")) {
    fields.refuse(*given, "ends are those of a table, and there is none; leave it out");
  }
  f.ends = static_cast<Curve::Ends>(fields.choice("ends", ends, 0));
  return f;
}

/// One coordinate of a joint in a coupling: its coefficient, or a map with its coordinate and its function.
Coupling::Term read_term(const Fields& coupling, const std::string& joint, const Value& value) {
  const std::string key = "coefficient of '" + joint + "'";
  if (value.kind != Value::Kind::map)
    return {joint, coupling.to_number(value, key, dimensions::any), 0, {}};
  const Fields fields(coupling.file(), value, coupling.what() + ", '" + joint + "'",
                      {"coefficient", "coordinate", "polynomial", "table", "ends"});
  const double coordinate = fields.number("coordinate", 0);
  if (!(coordinate >= 0 && coordinate < 6) || coordinate != std::floor(coordinate))
    fields.refuse(fields.require("coordinate"), "coordinate " + to_text(coordinate) +
                                                    " is not one of a joint; give 0, 1, ..., as in "
                                                    "the names of q");
  return {joint, fields.number("coefficient", dimensions::any), static_cast<int>(coordinate),
          read_function(fields)};
}

Coupling read_coupling(const std::string& name, const Value& value, const Mechanism& mechanism) {
  const Fields fields(name, value, "coupling",
                      {"name", "joints", "offset", "gear", "rack", "belt"});
  Coupling coupling;
  coupling.name = fields.text("name");
  coupling.offset = fields.number("offset", 0, dimensions::any);
  coupling.where = fields.where();
  if (read_gear(fields, mechanism, coupling)) return coupling;
  const Value& joints = fields.require("joints");
  if (joints.kind != Value::Kind::map)
    fields.refuse(joints, "joints is not a map; give {joint: coefficient, ...}");
  for (std::size_t i = 0; i < joints.keys.size(); ++i) {
    const std::string& joint = joints.keys[i].text;
    const Value& terms = joints.items[i];
    if (terms.kind == Value::Kind::list)
      for (const Value& term : terms.items)
        coupling.terms.push_back(read_term(fields, joint, term));
    else
      coupling.terms.push_back(read_term(fields, joint, terms));
  }
  return coupling;
}

FrameDescription read_frame(const std::string& name, const Value& value) {
  const Fields fields(name, value, "frame", {"name", "body", "pose"});
  FrameDescription frame;
  frame.name = fields.text("name");
  frame.body = fields.text("body");
  if (const Value* pose = fields.find("pose"))
    frame.pose =
        read_pose({name, *pose, fields.what() + ", pose", {"xyz", "rpy", "quaternion", "matrix"}});
  frame.where = fields.where();
  return frame;
}

}  // namespace

std::optional<JointLimits> read_limits(const Fields& joint, const Joint& of) {
  const Value* value = joint.find("limits");
  if (value == nullptr) return std::nullopt;
  const Fields fields(joint.file(), *value, joint.what() + ", limits",
                      {"lower", "upper", "velocity", "effort"});
  const auto limit = [&](const char* key, const Dimension& wanted) {
    return fields.has(key) ? std::optional(fields.number(key, wanted)) : std::nullopt;
  };
  const CoordinateDimensions d = dimensions_of(coordinate_kinds(of));
  return JointLimits{limit("lower", d.q), limit("upper", d.q), limit("velocity", d.v),
                     limit("effort", d.force)};
}

JointDynamics read_dynamics(const Fields& joint, const Joint& of) {
  const Value* value = joint.find("dynamics");
  if (value == nullptr) return {};
  const Fields fields(joint.file(), *value, joint.what() + ", dynamics",
                      {"damping", "friction", "stiffness", "rest"});
  const std::vector<CoordinateKind> kinds = coordinate_kinds(of);
  const CoordinateDimensions d = dimensions_of(kinds);
  JointDynamics dynamics;
  dynamics.friction = fields.number("friction", 0, d.force);
  read_polynomial(fields, "damping", d.damping(), dynamics.damping, dynamics.drag);
  read_polynomial(fields, "stiffness", d.stiffness(), dynamics.stiffness, dynamics.stiffening);
  const Value* rest = fields.find("rest");
  if (rest == nullptr) return dynamics;
  std::vector<Dimension> wanted;
  for (const CoordinateKind kind : kinds)
    wanted.insert(wanted.end(), static_cast<std::size_t>(coordinate_kind_info(kind).nq),
                  dimensions_of(kind).q);
  if (rest->kind == Value::Kind::scalar && wanted.size() == 1)
    dynamics.rest = {fields.to_number(*rest, "rest", wanted[0])};
  else
    dynamics.rest = fields.to_numbers(*rest, "rest", wanted);
  return dynamics;
}

void check_version(const Fields& file) {
  if (!file.has("chasles"))
    file.refuse(file.value(),
                "the version of the format is missing; begin the file with 'chasles: 1'");
  if (const double version = file.number("chasles"); version != 1)
    file.refuse(file.require("chasles"),
                "version " + to_text(version) + " of the format; this program reads version 1");
}

std::optional<Mimic> read_mimic(const Fields& joint, const Joint& of) {
  const Value* value = joint.find("mimic");
  if (value == nullptr) return std::nullopt;
  const Fields fields(joint.file(), *value, joint.what() + ", mimic",
                      {"joint", "multiplier", "offset"});
  return Mimic{fields.text("joint"), fields.number("multiplier", 1, dimensions::any),
               fields.number("offset", 0, dimensions_of(coordinate_kinds(of)).q)};
}

std::optional<Rotor> read_rotor(const Fields& joint) {
  const Value* value = joint.find("rotor");
  if (value == nullptr) return std::nullopt;
  const Fields fields(joint.file(), *value, joint.what() + ", rotor", {"inertia", "ratio"});
  return Rotor{fields.number("inertia", dimensions::inertia),
               fields.number("ratio", dimensions::any)};
}

std::optional<BodyInertia> read_inertia(const Fields& body) {
  const Value* value = body.find("inertia");
  if (value == nullptr) return std::nullopt;
  const Fields fields(body.file(), *value, body.what() + ", inertia",
                      {"mass", "com", "about", "tensor", "physical"});
  BodyInertia inertia{.mass = fields.number("mass", dimensions::mass),
                      .com = fields.vec3("com", {}, dimensions::length),
                      .tensor = {}};
  if (fields.has("tensor")) {
    const auto t = fields.numbers("tensor", 6, dimensions::inertia);
    inertia.tensor = {t[0], t[1], t[2], t[3], t[4], t[5]};
  }
  static constexpr std::string_view points[] = {"com", "frame"};
  inertia.about_com = fields.choice("about", points, 0) == 0;
  inertia.physical = fields.boolean("physical", true);
  return inertia;
}

namespace {

/// The vector along which things fall; its size alone does not say where down is.
Vec3 read_gravity(const Fields& file, const Vec3& otherwise) {
  const Value* given = file.find("gravity");
  if (given != nullptr && given->kind == Value::Kind::scalar)
    if (const auto size = given->quoted ? std::nullopt : parse_expression(given->text))
      file.refuse(*given, "gravity is the number " + quote(given->text) +
                              "; give the vector along which things fall, three numbers: [0, 0, " +
                              to_text(-std::abs(*size)) + "] if z is up");
  return file.vec3("gravity", otherwise, dimensions::acceleration);
}

}  // namespace
}  // namespace io

Mechanism read_yaml(std::string_view text, const std::string& name, const ReadOptions& options) {
  using namespace io;
  Value document = parse_yaml(text, name);
  use_present_names(document, name, options.warnings);
  const Fields file(name, document, "mechanism",
                    {"chasles", "name", "gravity", "bodies", "dh", "mdh", "loops", "couplings",
                     "frames", "tendons", "actuators", "keyframes", "collisions", "constraints"});
  check_version(file);
  Mechanism mechanism;
  mechanism.name = file.text("name", "");
  mechanism.gravity = read_gravity(file, mechanism.gravity);
  read_dh(file, mechanism);
  for (const Value& body : file.list("bodies"))
    mechanism.bodies.push_back(read_body(name, body, options, mechanism.appearance));
  if (mechanism.bodies.empty()) file.refuse(document, "has no bodies; give a list of them");
  for (const Value& loop : file.list("loops")) mechanism.loops.push_back(read_loop(name, loop));
  for (const Value& coupling : file.list("couplings"))
    mechanism.couplings.push_back(read_coupling(name, coupling, mechanism));
  mechanism.constraints = read_constraints(file);
  for (const Value& frame : file.list("frames"))
    mechanism.frames.push_back(read_frame(name, frame));
  read_tendons(file, mechanism);
  read_actuators_and_keyframes(file, mechanism);
  read_collisions(file, mechanism);
  return mechanism;
}

}  // namespace chasles
