#include <cmath>
#include <unordered_map>

#include "chasles/io/mechanism_file.hpp"
#include "io/sdf/frames.hpp"
#include "io/writers/simple_joints.hpp"
#include "io/writers/xml_numbers.hpp"

namespace chasles {
namespace io::sdf {
namespace {

struct WrittenType {
  JointType type;
  const char* name;
};
constexpr WrittenType written_types[] = {
    {JointType::revolute, "revolute"},   {JointType::prismatic, "prismatic"},
    {JointType::helical, "screw"},       {JointType::spherical, "ball"},
    {JointType::universal, "universal"}, {JointType::fixed, "fixed"}};
constexpr JointType joint_types[] = {JointType::revolute,  JointType::prismatic, JointType::helical,
                                     JointType::spherical, JointType::universal, JointType::fixed,
                                     JointType::floating};
constexpr FormatJoints format_joints{"SDF", joint_types, {joint_types, 6}};

const char* written_type(JointType type) {
  for (const WrittenType& row : written_types)
    if (row.type == type) return row.name;
  throw Error("this joint type is not one of SDF");  // simple_joints leaves none
}
std::string element(const char* tag, const std::string& text) {
  return std::string("<") + tag + '>' + text + "</" + tag + '>';
}
std::string element(const char* tag, double x) { return element(tag, to_text(x + 0)); }
std::string pose_element(const SE3& C, const std::string& relative_to) {
  const Quaternion q = quaternion(C.R);
  return "<pose relative_to=\"" + xml_text(relative_to) + "\" rotation_format=\"quat_xyzw\">" +
         numbers_text(std::array{C.r.x, C.r.y, C.r.z, q.x, q.y, q.z, q.w}) + "</pose>";
}
std::string axis_element(const char* tag, const Vec3& axis, const std::string& more) {
  return std::string("<") + tag + "><xyz expressed_in=\"" + model_frame + "\">" +
         numbers_text(axis) + "</xyz>" + more + "</" + tag + '>';
}
std::string limits_text(const Joint& joint) {
  if (!joint.limits) return "";
  std::string text;
  const auto& [lower, upper, velocity, effort] = *joint.limits;
  if (lower) text += element("lower", *lower);
  if (upper) text += element("upper", *upper);
  if (effort) text += element("effort", *effort);
  if (velocity) text += element("velocity", *velocity);
  return text.empty() ? "" : element("limit", text);
}
/// @param k  the axis of the joint
std::string dynamics_text(const Joint& joint, std::size_t k) {
  const JointDynamics& d = joint.dynamics;
  const std::vector<double>& rest = d.rest;
  if (!d.acts()) return "";
  std::string text = element("damping", d.damping) + element("friction", d.friction);
  if (d.stiffness != 0)
    text += element("spring_reference", k < rest.size() ? rest[k] : 0) +
            element("spring_stiffness", d.stiffness);
  return element("dynamics", text);
}

constexpr CollisionShape::Kind sdf_kinds[] = {CollisionShape::plane,    CollisionShape::sphere,
                                              CollisionShape::capsule,  CollisionShape::box,
                                              CollisionShape::cylinder, CollisionShape::ellipsoid};
constexpr FormatShapes sdf_shapes{sdf_kinds, true, false};

std::string size_elements(const CollisionShape& shape) {
  const Vec3& s = shape.size;
  switch (shape.kind) {
    case CollisionShape::plane:
      return element("normal", "0 0 1");
    case CollisionShape::box:
      return element("size", numbers_text(s));
    case CollisionShape::ellipsoid:
      return element("radii", numbers_text(s));
    case CollisionShape::sphere:
      return element("radius", s.x);
    default:
      return element("radius", s.x) + element("length", s.y);
  }
}
std::string collision_element(const CollisionShape& shape, const std::string& name) {
  const Quaternion q = quaternion(shape.pose.R);
  const Vec3& r = shape.pose.r;
  const std::string pose = "<pose rotation_format=\"quat_xyzw\">" +
                           numbers_text(std::array{r.x, r.y, r.z, q.x, q.y, q.z, q.w}) + "</pose>",
                    mu = element("mu", shape.friction);
  return "<collision name=\"" + xml_text(name) + "\">" + pose +
         element("geometry", element(std::string(collision_kind_name(shape.kind)).c_str(),
                                     size_elements(shape))) +
         (shape.friction == 1 ? "" : element("surface", element("friction", element("ode", mu)))) +
         "</collision>";
}

class SdfWriter {
 public:
  SdfWriter(const Mechanism& mechanism, std::vector<std::string>* warnings)
      : simple_(simple_joints(mechanism, format_joints)),
        mechanism_(simple_.mechanism),
        warnings_(warnings) {}

  std::string write() {
    give_names();
    const bool in_world = mechanism_.gravity != Vec3{0, 0, -9.81};
    out_ = "<?xml version=\"1.0\"?>\n<sdf version=\"1.11\">\n";
    if (in_world)
      out_ += "<world name=\"world_of_model\">\n  " +
              element("gravity", numbers_text(mechanism_.gravity)) + '\n';
    out_ += "<model name=\"" + xml_text(allowed(mechanism_.name, "mechanism")) + "\">\n";
    for (const Body& body : mechanism_.bodies) link(body);
    for (const Body& body : mechanism_.bodies) joint(body);
    for (const Loop& loop : mechanism_.loops) loop_joint(loop);
    for (const FrameDescription& frame : mechanism_.frames) {
      // A frame of the world is attached to nothing that moves: to a link of its own.
      if (frame.body == ground)
        ground_frame(frame);
      else
        line("<frame name=\"" + xml_text(frames_.at(frame.name)) + "\" attached_to=\"" +
             xml_text(links_.at(frame.body)) + "\">" +
             pose_element(frame.pose, links_.at(frame.body)) + "</frame>");
    }
    for (const Coupling& coupling : mechanism_.couplings)
      warn("coupling '" + coupling.name + "' is not written: SDF has mimic joints alone");
    for (const ConstraintElement& element : mechanism_.constraints)
      warn("constraint '" + element.name +
           "' is not written: SDF has no rods, cables, guides and rolling; keep the mechanism in "
           "YAML");
    for (const Tendon& tendon : mechanism_.tendons)
      warn("tendon '" + tendon.name + "' is not written: SDF has none; keep the mechanism in YAML");
    out_ += "</model>\n";
    return out_ + (in_world ? "</world>\n" : "") + "</sdf>\n";
  }

 private:
  void warn(const std::string& message) {
    if (warnings_ != nullptr) warnings_->push_back(message);
  }
  void line(const std::string& text) { out_ += "  " + text + '\n'; }

  /// A name that SDF allows: `world` and names with `__` at the begin are its own, `::` separates models.
  static std::string allowed(std::string name, const std::string& otherwise) {
    if (name.empty()) return otherwise;
    for (auto at = name.find(scope_mark); at != name.npos; at = name.find(scope_mark)) {
      name[at] = '_';
      name.erase(at + 1, 1);
    }
    return name == "world" || name.starts_with("__") ? "a_" + name : name;
  }
  std::string fresh(const std::string& name) {
    return WrittenNames::fresh(taken_, allowed(name, "unnamed"));
  }
  /// Links, frames and joints have names of one kind in SDF.
  void give_names() {
    for (const Body& body : mechanism_.bodies) links_.emplace(body.name, fresh(body.name));
    for (const FrameDescription& frame : mechanism_.frames)
      frames_.emplace(frame.name, fresh(frame.name));
    for (const Body& body : mechanism_.bodies) {
      const bool is_taken = taken_.contains(allowed(body.joint.name, ""));
      joints_.emplace(body.joint.name, fresh(body.joint.name + (is_taken ? "_joint" : "")));
    }
  }

  void link(const Body& body) {
    const BodyInertia inertia = body.inertia.value_or(BodyInertia{});
    const Sym3 I = tensor_about_com(inertia);
    if (!(inertia.mass > 0)) massless_.push_back(body.name);
    line("<link name=\"" + xml_text(links_.at(body.name)) + "\">" +
         pose_element(body.pose.C, model_frame));
    line("  <inertial>" +
         element("pose", numbers_text(std::array{inertia.com.x, inertia.com.y, inertia.com.z, 0.0,
                                                 0.0, 0.0})) +
         element("mass", inertia.mass) +
         element("inertia", element("ixx", I.xx) + element("ixy", I.xy) + element("ixz", I.xz) +
                                element("iyy", I.yy) + element("iyz", I.yz) +
                                element("izz", I.zz)) +
         "</inertial>");
    std::unordered_set<std::string> names;
    for (const CollisionShape& shape : mechanism_.collisions.shapes)
      if (shape.body == body.name && sdf_shapes.contains(shape))
        line("  " + collision_element(
                        shape, WrittenNames::fresh(names, allowed(shape.name, "collision"))));
    line("</link>");
  }
  std::string end(const std::string& body) const {
    return body == ground ? "world" : xml_text(links_.at(body));
  }
  void begin_joint(const std::string& name, JointType type, const std::string& parent,
                   const std::string& child, const Vec3& point) {
    line("<joint name=\"" + xml_text(name) + "\" type=\"" + written_type(type) + "\">" +
         pose_element({{}, point}, model_frame));
    line("  " + element("parent", end(parent)) + element("child", end(child)));
  }
  void geometry(JointType type, const Vec3& z, const Vec3& x, double pitch,
                const std::string& properties, const std::string& properties2) {
    if (joint_type_info(type).takes_axis) line("  " + axis_element("axis", z, properties));
    if (type == JointType::universal) line("  " + axis_element("axis2", x, properties2));
    if (type == JointType::helical) line("  " + element("screw_thread_pitch", 2 * M_PI * pitch));
  }

  void joint(const Body& body) {
    const Joint& joint = body.joint;
    if (joint.type == JointType::floating) return check_floating(body);
    const auto& given = std::get<AxisGeometry>(joint.geometry);
    begin_joint(joints_.at(joint.name), joint.type, body.parent, body.name, given.point);
    std::string more = limits_text(joint) + dynamics_text(joint, 0);
    if (joint.mimic)
      more += "<mimic joint=\"" + xml_text(joints_.at(joint.mimic->joint)) + "\" axis=\"axis\">" +
              element("multiplier", joint.mimic->multiplier) +
              element("offset", joint.mimic->offset) + element("reference", 0.0) + "</mimic>";
    geometry(joint.type, given.axis, given.x_axis.value_or(Vec3{}), joint.pitch, more,
             dynamics_text(joint, 1));
    if (joint.type == JointType::spherical && joint.dynamics.acts())
      warn("joint '" + joint.name +
           "': damping, friction and stiffness are not written: a ball joint of SDF has none");
    if (joint.dynamics.is_progressive())
      warn("joint '" + joint.name +
           "': the quadratic and cubic terms of its spring and damper are not written: SDF has "
           "none");
    if (joint.rotor) warn(rotor_is_reflected("SDF", joint.name));
    const bool one_axis = joint.type == JointType::revolute || joint.type == JointType::prismatic;
    if (const double armature = reflected_inertia(joint); armature != 0 && !one_axis) {
      warn("joint '" + joint.name +
           "': the armature is not written: SDF has those of revolute and prismatic joints");
    } else if (armature != 0) {
      line("  " + element("drake:rotor_inertia", armature) + element("drake:gear_ratio", 1.0));
      rotors_ = true;
    }
    line("</joint>");
  }
  /// A link without a joint floats in the world.
  void check_floating(const Body& body) {
    if (body.parent != ground)
      throw Error(describe(body.where, "joint", body.joint.name) +
                  ": SDF has no floating joints but links without a joint, which float in the "
                  "world; keep the mechanism in YAML");
    if (body.joint.group == FloatingGroup::so3xr3)
      warn("joint '" + body.joint.name +
           "': the group of a floating joint, so3xr3, is not written");
  }

  SE3 pose_of(const std::string& body) const {
    return body == ground
               ? SE3{}
               : mechanism_.bodies[static_cast<std::size_t>(find_body(mechanism_, body))].pose.C;
  }
  bool floats(const std::string& body) const {
    return body != ground &&
           mechanism_.bodies[static_cast<std::size_t>(find_body(mechanism_, body))].joint.type ==
               JointType::floating;
  }
  /// A second joint on a link: the loop must be closed in the configuration of the file.
  void loop_joint(const Loop& loop) {
    const auto& frames = std::get<FramesGeometry>(loop.geometry);
    const SE3 J = pose_of(loop.bodies[0]) * frames.parent,
              K = pose_of(loop.bodies[1]) * frames.child;
    const Vec3 z = J.R.matrix().c2, x = K.R.matrix().c0;
    const auto near = [](const Vec3& a, const Vec3& b) { return max_abs(a - b) < 1e-12; };
    const bool axes_differ = loop.type != JointType::spherical && !near(z, K.R.matrix().c2);
    const bool angle_differs = loop.type != JointType::spherical &&
                               loop.type != JointType::revolute && !near(J.R.matrix().c0, x);
    if (!near(J.r, K.r) || axes_differ || angle_differs)
      return warn("loop '" + loop.name +
                  "' is not written: it is open at q = 0, where a joint of SDF is closed; give it "
                  "by an axis in a configuration that is closed");
    std::string parent = loop.bodies[0], child = loop.bodies[1];
    if (child == ground || (floats(child) && !floats(parent))) std::swap(parent, child);
    if (floats(child))
      warn("loop '" + loop.name + "' is read as the joint of '" + child +
           "', which has no other in SDF");
    begin_joint(fresh(loop.name), loop.type, parent, child, J.r);
    geometry(loop.type, z, x, loop.pitch, "", "");
    line("</joint>");
  }
  void ground_frame(const FrameDescription& frame) {
    warn("frame '" + frame.name + "' of the ground is not written: frames of SDF are in a model");
  }

  const SimpleJoints simple_;
  const Mechanism& mechanism_;
  std::vector<std::string>* warnings_;
  std::unordered_set<std::string> taken_;
  std::unordered_map<std::string, std::string> links_, joints_, frames_;  // names in the file
  std::vector<std::string> massless_;
  bool rotors_ = false;
  std::string out_;
};

}  // namespace
}  // namespace io::sdf

std::string write_sdf(const Mechanism& mechanism, std::vector<std::string>* warnings) {
  check(mechanism);
  if (mechanism.bodies.empty()) throw Error("SDF needs a link; the mechanism has no body");
  io::warn_of_unwritten(mechanism, "SDF", io::sdf::sdf_shapes, warnings);
  return io::sdf::SdfWriter(mechanism, warnings).write();
}

}  // namespace chasles
