#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/screws/screw.hpp"
#include "io/urdf/loops.hpp"
#include "io/urdf/xml.hpp"
#include "io/writers/simple_joints.hpp"
#include "io/writers/xml_numbers.hpp"

namespace chasles {
namespace io {
namespace {

constexpr double eps = std::numeric_limits<double>::epsilon();

std::string triple(const Vec3& x) {
  return to_text(x.x + 0) + ' ' + to_text(x.y + 0) + ' ' + to_text(x.z + 0);
}
std::string origin_element(const SE3& C) {
  if (C == SE3{}) return "";
  std::string text = "    <origin xyz=\"" + triple(C.r) + '"';
  if (C.R != SO3{}) text += " rpy=\"" + triple(rpy(C.R)) + '"';
  return text + "/>\n";
}

/// A joint of URDF with one coordinate, in the world at q = 0.
struct Move {
  enum Kind { turn, slide } kind;
  Vec3 axis, point;
  bool follows = false;  // prismatic, coupled to the preceding revolute joint by `pitch` [m/rad]
  double pitch = 0;
  std::string name{};
  std::optional<Mimic> mimic{};
};
bool has_one_coordinate(const std::vector<Move>& moves) {
  return std::count_if(moves.begin(), moves.end(), [](const Move& m) { return !m.follows; }) == 1;
}

Vec3 direction_of(ElementaryMotion motion) {
  switch (motion) {
    case ElementaryMotion::rotation_x:
    case ElementaryMotion::translation_x:
      return {1, 0, 0};
    case ElementaryMotion::translation_y:
      return {0, 1, 0};
    default:
      return {0, 0, 1};
  }
}

/// Of loops; joints of the tree are written by their motions.
constexpr JointType urdf_loops[] = {JointType::revolute, JointType::prismatic, JointType::universal,
                                    JointType::spherical, JointType::fixed};
constexpr FormatJoints urdf_joints{"URDF", {}, urdf_loops};

constexpr CollisionShape::Kind urdf_kinds[] = {CollisionShape::box, CollisionShape::sphere,
                                               CollisionShape::cylinder, CollisionShape::capsule};
constexpr FormatShapes urdf_shapes{urdf_kinds, false, true};

std::string collision_element(const CollisionShape& shape) {
  const Vec3& s = shape.size;
  std::string size;
  if (shape.kind == CollisionShape::box)
    size = " size=\"" + triple(s) + '"';
  else
    size = " radius=\"" + to_text(s.x) + '"';
  if (shape.kind == CollisionShape::cylinder || shape.kind == CollisionShape::capsule)
    size += " length=\"" + to_text(s.y) + '"';
  return "    <collision" + (shape.name.empty() ? "" : " name=\"" + xml_text(shape.name) + '"') +
         ">\n" + origin_element(shape.pose) + "      <geometry><" +
         std::string(collision_kind_name(shape.kind)) + size + "/></geometry>\n    </collision>\n";
}

class UrdfWriter {
 public:
  UrdfWriter(const Mechanism& mechanism, std::vector<std::string>* warnings)
      : simple_(simple_joints(mechanism, urdf_joints)),
        mechanism_(simple_.mechanism),
        warnings_(warnings),
        geometry_(reference_geometry(mechanism_)) {}

  /// @param closures  receives the revolute loops as loop_closures.yaml; null: they are <constraint> elements
  std::string write(std::string* closures) {
    for (const Body& body : mechanism_.bodies) {
      links_.insert(body.name);
      joints_.insert(joint_name_of(body));
    }
    for (const FrameDescription& frame : mechanism_.frames) links_.insert(frame.name);
    out_ = "<?xml version=\"1.0\"?>\n<robot name=\"" +
           xml_text(mechanism_.name.empty() ? "mechanism" : mechanism_.name) + '"' +
           (has_armatures() ? " xmlns:drake=\"http://drake.mit.edu\"" : "") + ">\n";
    const std::vector<int> order = depth_first(mechanism_);
    const int root = root_of(order);
    root_ =
        root < 0 ? fresh(links_, "world") : mechanism_.bodies[static_cast<std::size_t>(root)].name;
    if (root < 0) link(root_, nullptr);
    at_.emplace(std::string(ground), SE3{});
    for (const int i : order) {
      const Body& body = mechanism_.bodies[static_cast<std::size_t>(i)];
      const SE3& A = geometry_.A[static_cast<std::size_t>(i)];
      if (i == root)
        link(body.name, &body);
      else
        hang(body, A, geometry_.J[static_cast<std::size_t>(i)]);
      at_.emplace(body.name, A);
    }
    for (const FrameDescription& frame : mechanism_.frames) {
      link(frame.name, nullptr);
      begin_joint(fresh(joints_, frame.name + "_fixed"), "fixed", link_name(frame.body), frame.name,
                  frame.pose);
      end_joint();
    }
    if (closures != nullptr) *closures = closures_text();
    for (const Loop& loop : mechanism_.loops) {
      if (closures != nullptr && is_closure(loop)) continue;
      const auto& frames = std::get<FramesGeometry>(loop.geometry);
      out_ += constraint_element(loop, link_name(loop.bodies[0]), frames.parent,
                                 link_name(loop.bodies[1]), frames.child);
    }
    warn_about_the_rest();
    if (warnings_ != nullptr && mechanism_.gravity != Vec3{0, 0, -9.81})
      warnings_->push_back("URDF has no gravity: " + tuple_text(coordinates(mechanism_.gravity)) +
                           " is not written");
    return out_ + "</robot>\n";
  }

 private:
  /// The frame of an end of a loop, in the world at q = 0.
  SE3 loop_end(const Loop& loop, std::size_t k) const {
    const auto& frames = std::get<FramesGeometry>(loop.geometry);
    return at_.at(loop.bodies[k]) * (k == 0 ? frames.parent : frames.child);
  }
  /// Revolute, and closed at q = 0.
  bool is_closure(const Loop& loop) const {
    if (loop.type != JointType::revolute) return false;
    const SE3 a = loop_end(loop, 0), b = loop_end(loop, 1);
    return max_abs(a.r - b.r) <= 1e-9 * std::max(1.0, max_abs(a.r)) &&
           max_abs(a.R.matrix().c2 - b.R.matrix().c2) <= 1e-9;
  }
  std::string closures_text() {
    std::string text;
    for (const Loop& loop : mechanism_.loops) {
      if (!is_closure(loop)) {
        warn("loop '" + loop.name +
             "' is written as <constraint>: loop_closures.yaml has revolute joints that are closed "
             "at q = 0");
        continue;
      }
      const SE3 at = loop_end(loop, 0);
      text += "  - {link_a: " + yaml_word(link_name(loop.bodies[0])) +
              ", link_b: " + yaml_word(link_name(loop.bodies[1])) + ", point: " + yaml_list(at.r) +
              ", axis: " + yaml_list(at.R.matrix().c2) + "}\n";
    }
    return text.empty() ? "closures: []\n" : "closures:\n" + text;
  }
  static std::string yaml_list(const Vec3& x) {
    return "[" + to_text(x.x) + ", " + to_text(x.y) + ", " + to_text(x.z) + "]";
  }
  void warn(const std::string& message) {
    if (warnings_ != nullptr) warnings_->push_back(message);
  }
  bool has_armatures() const {
    return std::any_of(mechanism_.bodies.begin(), mechanism_.bodies.end(),
                       [](const Body& body) { return reflected_inertia(body.joint) != 0; });
  }
  void warn_about_the_rest() {
    for (const Coupling& coupling : mechanism_.couplings)
      warn("coupling '" + coupling.name +
           "' is not written: URDF has mimic joints alone, of one coordinate each");
    for (const ConstraintElement& element : mechanism_.constraints)
      warn("constraint '" + element.name +
           "' is not written: URDF has no rods, cables, guides and rolling; keep the mechanism in "
           "YAML");
    for (const Tendon& tendon : mechanism_.tendons)
      warn("tendon '" + tendon.name +
           "' is not written: URDF has none; keep the mechanism in YAML");
    for (const Body& body : mechanism_.bodies) {
      if (body.joint.dynamics.stiffness != 0)
        warn("joint '" + joint_name_of(body) + "': the spring of stiffness " +
             to_text(body.joint.dynamics.stiffness) +
             " is not written: URDF has none; give it in a scenario (joint_spring_damper)");
      if (body.joint.dynamics.is_progressive())
        warn("joint '" + joint_name_of(body) +
             "': the quadratic and cubic terms of its spring and damper are not written: URDF has "
             "none");
      if (body.joint.rotor) warn(rotor_is_reflected("URDF", joint_name_of(body)));
      if (body.joint.type == JointType::floating && body.joint.group == FloatingGroup::so3xr3)
        warn("body '" + body.name +
             "': the group of its floating joint, so3xr3, is left out: URDF has none, and a reader "
             "takes se3");
    }
  }
  static std::string joint_name_of(const Body& body) {
    return body.joint.name.empty() ? body.name : body.joint.name;
  }
  static std::string text_of(const Body& body) {
    return describe(body.where, "joint", joint_name_of(body));
  }
  /// An unused name.
  static std::string fresh(std::unordered_set<std::string>& taken, std::string name) {
    while (name == ground || !taken.insert(name).second) name += '_';
    return name;
  }
  std::string link_name(const std::string& body) const { return body == ground ? root_ : body; }

  /// The only body on ground, if its frame is that of the world and never moves; else -1.
  int root_of(const std::vector<int>& order) const {
    int root = -1;
    for (const int i : order) {
      const Body& body = mechanism_.bodies[static_cast<std::size_t>(i)];
      if (body.parent != ground) continue;
      if (root >= 0 || body.joint.type != JointType::fixed ||
          geometry_.A[static_cast<std::size_t>(i)] != SE3{})
        return -1;
      root = i;
    }
    return root;
  }

  void link(const std::string& name, const Body* body) {
    std::string inner = body == nullptr || !body->inertia ? "" : inertial_element(*body->inertia);
    for (const CollisionShape& shape : mechanism_.collisions.shapes)
      if (urdf_shapes.contains(shape) && ((body != nullptr && shape.body == body->name) ||
                                          (shape.body == ground && name == root_)))
        inner += collision_element(shape);
    out_ += "  <link name=\"" + xml_text(name) + '"' +
            (inner.empty() ? "/>\n" : ">\n" + inner + "  </link>\n");
  }
  static std::string inertial_element(const BodyInertia& given) {
    const Sym3 I = tensor_about_com(given);
    std::string text = "    <inertial>\n      <origin xyz=\"" + triple(given.com) +
                       "\"/>\n      <mass value=\"" + to_text(given.mass) + "\"/>\n      <inertia";
    const std::pair<const char*, double> entries[] = {{"ixx", I.xx}, {"ixy", I.xy}, {"ixz", I.xz},
                                                      {"iyy", I.yy}, {"iyz", I.yz}, {"izz", I.zz}};
    for (const auto& [key, value] : entries)
      text += std::string(" ") + key + "=\"" + to_text(value) + '"';
    return text + "/>\n    </inertial>\n";
  }

  void begin_joint(const std::string& name, const char* type, const std::string& parent,
                   const std::string& child, const SE3& origin) {
    out_ += "  <joint name=\"" + xml_text(name) + "\" type=\"" + type + "\">\n";
    out_ += "    <parent link=\"" + xml_text(parent) + "\"/>\n    <child link=\"" +
            xml_text(child) + "\"/>\n" + origin_element(origin);
  }
  void end_joint() { out_ += "  </joint>\n"; }
  void axis_element(const Vec3& axis) { out_ += "    <axis xyz=\"" + triple(axis) + "\"/>\n"; }
  void dynamics_element(const Joint& joint) {
    const double damping = joint.dynamics.damping, friction = joint.dynamics.friction;
    if (damping != 0 || friction != 0)
      out_ += "    <dynamics damping=\"" + to_text(damping) + "\" friction=\"" + to_text(friction) +
              "\"/>\n";
  }
  /// Readers expect all four numbers if limits are mandatory; missing ones become `no_limit`.
  void limit_element(const std::optional<JointLimits>& limits, bool bounded) {
    const bool any = limits && (limits->velocity || limits->effort);
    if (!bounded && !any) return;
    const JointLimits l = limits.value_or(JointLimits{});
    out_ += "    <limit";
    if (bounded)
      out_ += " lower=\"" + to_text(l.lower.value_or(-no_limit)) + "\" upper=\"" +
              to_text(l.upper.value_or(no_limit)) + '"';
    out_ += " effort=\"" + to_text(l.effort.value_or(no_limit)) + "\" velocity=\"" +
            to_text(l.velocity.value_or(no_limit)) + "\"/>\n";
  }
  void mimic_element(const std::optional<Mimic>& mimic) {
    if (mimic)
      out_ += "    <mimic joint=\"" + xml_text(mimic->joint) + "\" multiplier=\"" +
              to_text(mimic->multiplier) + "\" offset=\"" + to_text(mimic->offset) + "\"/>\n";
  }

  /// The extension of Drake: reflected inertia, here of a rotor without gear.
  void transmission_element(const std::string& joint, double armature) {
    const std::string name = xml_text(joint);
    out_ += "  <transmission name=\"" + name +
            "_transmission\">\n    <type>transmission_interface/SimpleTransmission</type>\n"
            "    <joint name=\"" +
            name + "\"/>\n    <actuator name=\"" + name +
            "_motor\">\n      <drake:rotor_inertia value=\"" + to_text(armature) +
            "\"/>\n      <drake:gear_ratio value=\"1\"/>\n    </actuator>\n  </transmission>\n";
  }

  /// The joint and the body. The body frame is preserved: where URDF needs the frame at the joint, a massless
  /// link is inserted, and the body is fixed to it.
  void hang(const Body& body, const SE3& A, const SE3& J) {
    const Joint& joint = body.joint;
    from_ = link_name(body.parent);
    from_at_ = at_.at(body.parent);
    if (joint.type == JointType::fixed) {
      last_link(body, A, joint_name_of(body));
    } else if (joint.type == JointType::floating || joint.type == JointType::planar) {
      hang_at_frame(body, A, J);
    } else {
      chain(body, moves_of(body, J), A);
    }
  }
  /// Floating and planar joints have the frame of the link; a planar one with an axis in it, and slides
  /// along the directions that follow from that alone.
  void hang_at_frame(const Body& body, const SE3& A, const SE3& J) {
    const Joint& joint = body.joint;
    const bool planar = joint.type == JointType::planar;
    if (reflected_inertia(joint) != 0)
      throw Error(text_of(body) + ": URDF has no armature of a " +
                  (planar ? "planar" : "floating") +
                  " joint; take it out, or keep the mechanism in YAML");
    Vec3 axis{0, 0, 1};
    SE3 L = J;
    if (const Vec3 in_body = inverse(A.R) * J.R.matrix().c2;
        planar && coincide(A * joint_frame(in_body, {}, {}, text_of(body)), J))
      L = A, axis = in_body;
    if (!planar && coincide(J, A)) L = A;
    const bool here = L == A;
    const std::string child = here ? body.name : fresh(links_, body.name + "_joint");
    link(child, here ? &body : nullptr);
    begin_joint(joint_name_of(body), planar ? "planar" : "floating", from_, child, seen(L));
    if (planar) axis_element(axis);
    dynamics_element(joint);
    end_joint();
    from_ = child, from_at_ = L;
    if (!here) last_link(body, A, fresh(joints_, joint_name_of(body) + "_fixed"));
  }
  SE3 seen(const SE3& L) const {
    if (from_at_ == SE3{}) return L;
    return (inverse(from_at_) * L).normalized();
  }
  void last_link(const Body& body, const SE3& A, const std::string& joint) {
    link(body.name, &body);
    begin_joint(joint, "fixed", from_, body.name, seen(A));
    end_joint();
  }

  std::vector<Move> moves_of(const Body& body, const SE3& J) {
    const Joint& joint = body.joint;
    std::vector<Move> moves;
    const auto add = [&](bool slides, double pitch, const Vec3& axis, const Vec3& point) {
      moves.push_back({slides ? Move::slide : Move::turn, axis, point});
      if (pitch != 0) moves.push_back({Move::slide, axis, point, true, pitch});
    };
    if (joint.type == JointType::custom) {
      if (joint.parameterization == Parameterization::sum && joint.screws.size() > 1)
        throw Error(text_of(body) +
                    ": URDF has no joint that performs several screws at once; give "
                    "'parameterization: product', or keep the mechanism in YAML");
      for (const ScrewData& screw : joint.screws) {
        const bool slides = std::isinf(screw.pitch);
        add(slides, slides ? 0 : screw.pitch, J.R * lie::unit_axis(screw.axis), J * screw.point);
      }
    } else {
      for (const ElementaryMotion motion : motions_of(joint)) {
        if (motion == ElementaryMotion::none) continue;
        if (motion == ElementaryMotion::spherical)
          throw Error(text_of(body) +
                      ": URDF has no spherical joint; give a universal and a revolute joint, or "
                      "keep the mechanism in YAML");
        const bool slides = motion == ElementaryMotion::translation_x ||
                            motion == ElementaryMotion::translation_y ||
                            motion == ElementaryMotion::translation_z;
        add(slides, motion == ElementaryMotion::helical_z ? joint.pitch : 0,
            J.R * direction_of(motion), J.r);
      }
    }
    name_moves(body, moves);
    return moves;
  }
  /// A joint with one coordinate keeps its name; those of several are numbered from 1.
  void name_moves(const Body& body, std::vector<Move>& moves) {
    const std::string name = joint_name_of(body);
    const bool one = has_one_coordinate(moves);
    int number = 0;
    for (std::size_t k = 0; k < moves.size(); ++k) {
      Move& move = moves[k];
      if (!move.follows) {
        move.name = one ? name : fresh(joints_, name + "_" + std::to_string(++number));
        if (one) move.mimic = body.joint.mimic;
        continue;
      }
      const Move& turn = moves[k - 1];
      move.name = fresh(joints_, turn.name + "_slide");
      // If the revolute joint mimics another, both follow that one: not all readers support chains of mimic
      // joints.
      const Mimic led = turn.mimic.value_or(Mimic{turn.name, 1, 0});
      move.mimic = Mimic{led.joint, move.pitch * led.multiplier, move.pitch * led.offset};
    }
  }

  void chain(const Body& body, const std::vector<Move>& moves, const SE3& A) {
    const Joint& joint = body.joint;
    const bool one = has_one_coordinate(moves);
    for (std::size_t k = 0; k < moves.size(); ++k) {
      const Move& move = moves[k];
      const bool last = k + 1 == moves.size();
      SE3 L{A.R, move.point};
      if (last) L.r = near_body(move, A);
      const bool here = last && L.r == A.r;
      const std::string child =
          here ? body.name
               : fresh(links_, body.name + "_" + (last ? "joint" : std::to_string(k + 1)));
      link(child, here ? &body : nullptr);
      const auto limits = one && !move.follows ? joint.limits : std::nullopt;
      const bool bounded = move.kind == Move::slide || (limits && (limits->lower || limits->upper));
      begin_joint(move.name,
                  move.kind == Move::slide ? "prismatic"
                  : bounded                ? "revolute"
                                           : "continuous",
                  from_, child, seen(L));
      axis_element(inverse(A.R) * move.axis);
      limit_element(limits, bounded);
      if (!move.follows) dynamics_element(joint);
      mimic_element(move.mimic);
      end_joint();
      if (!move.follows && reflected_inertia(joint) != 0)
        transmission_element(move.name, reflected_inertia(joint));
      from_ = child, from_at_ = L;
      if (last && !here) last_link(body, A, fresh(joints_, joint_name_of(body) + "_fixed"));
    }
  }
  /// Origin of the last link frame: that of the body, unless the axis of rotation does not pass through it;
  /// then the nearest point on the axis.
  static Vec3 near_body(const Move& move, const SE3& A) {
    const Vec3 way = A.r - move.point;
    const double size = std::max({1e-3, max_abs(A.r), max_abs(move.point)});
    if (move.kind == Move::slide || max_abs(cross(move.axis, way)) <= 8 * eps * size) return A.r;
    return move.point + dot(move.axis, way) * move.axis;
  }

  const SimpleJoints simple_;
  const Mechanism& mechanism_;
  std::vector<std::string>* warnings_;
  const ReferenceGeometry geometry_;
  std::unordered_set<std::string> links_, joints_;
  std::unordered_map<std::string, SE3> at_;  // bodies in the world at q = 0
  std::string root_, from_;                  // the root; the parent link of the next joint
  SE3 from_at_;                              // and its pose
  std::string out_;
};

}  // namespace
}  // namespace io

std::string write_urdf(const Mechanism& mechanism, std::vector<std::string>* warnings,
                       std::string* loop_closures) {
  check(mechanism);
  io::warn_of_unwritten(mechanism, "URDF", io::urdf_shapes, warnings);
  return io::UrdfWriter(mechanism, warnings).write(loop_closures);
}

}  // namespace chasles
