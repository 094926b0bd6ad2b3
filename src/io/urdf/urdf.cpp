#include <unordered_map>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"
#include "io/formats/format.hpp"
#include "io/urdf/collisions.hpp"
#include "io/urdf/loops.hpp"
#include "io/urdf/xml.hpp"

namespace chasles {
namespace io {
namespace {

constexpr const char* root_joint = "root_joint";

/// A link or a joint of the file.
struct Named {
  std::string name;
  Element element;
};

std::string in_degrees(double angle) {
  return to_text(angle) + " rad is " + to_short_text(angle / (2 * M_PI)) +
         " turns; if it is meant in degrees, write " + to_text(angle * M_PI / 180);
}

/// x, y, z, w.
SO3 rotation_of(const Element& e, const std::vector<double>& x) {
  try {
    return rotation(normalized(Quaternion{x[3], x[0], x[1], x[2]}));
  } catch (const Error& error) {
    e.refuse(error.what());
  }
}

}  // namespace

SE3 read_origin(const Element& owner, std::string_view tag) {
  const std::optional<Element> origin = owner.child(tag);
  if (!origin) return {};
  if (origin->has("quat_xyzw")) {
    if (origin->has("rpy")) origin->refuse("rpy and quat_xyzw are both given; give one");
    return {rotation_of(*origin, origin->numbers("quat_xyzw", 4, 4)), origin->vec3("xyz", {})};
  }
  const Vec3 a = origin->vec3("rpy", {});
  for (const double angle : coordinates(a))
    if (std::abs(angle) > 6.4) {  // more than a revolution, rounded up
      origin->warn("rpy " + in_degrees(angle));
      break;
    }
  return {rotation_from_rpy(a.x, a.y, a.z), origin->vec3("xyz", {})};
}

namespace {

/// Other readers take the first of several.
std::optional<Element> first_inertial(const Element& link) {
  std::optional<Element> found;
  for (const Element& e : link.children()) {
    if (e.tag() != "inertial") continue;
    if (found)
      e.warn("has two <inertial> elements; the first counts");
    else
      found.emplace(e);
  }
  return found;
}

std::optional<BodyInertia> read_inertia(const Element& link) {
  const std::optional<Element> inertial = first_inertial(link);
  if (!inertial) return std::nullopt;
  const std::optional<Element> mass = inertial->child("mass"), tensor = inertial->child("inertia");
  if (!mass) {
    inertial->warn("<inertial> has no <mass>; the link is read as massless");
    return std::nullopt;
  }
  const SE3 origin = read_origin(*inertial);
  Sym3 I{};
  if (tensor)
    I = {tensor->number("ixx"), tensor->number("ixy"), tensor->number("ixz"),
         tensor->number("iyy"), tensor->number("iyz"), tensor->number("izz")};
  else
    inertial->warn("<inertial> has no <inertia>; the link is read as a point with a mass");
  BodyInertia inertia{
      .mass = mass->number("value"), .com = origin.r, .tensor = rotate(origin.R.matrix(), I)};
  accept_inertia(inertia, *inertial);
  return inertia;
}

struct TypeRow {
  std::string_view name;
  JointType type;
};
constexpr TypeRow types[] = {
    {"revolute", JointType::revolute},   {"continuous", JointType::revolute},
    {"prismatic", JointType::prismatic}, {"fixed", JointType::fixed},
    {"floating", JointType::floating},   {"planar", JointType::planar},
};

JointType read_type(const Element& joint) {
  const std::string name = joint.text("type");
  std::vector<std::string_view> known;
  for (const TypeRow& row : types) {
    if (row.name == name) return row.type;
    known.push_back(row.name);
  }
  joint.refuse("type " + quote(name) + " is not a joint type of URDF" + choices(name, known));
}

std::optional<JointLimits> read_limits(const Element& joint) {
  const std::string type = joint.text("type");
  const bool bounded = type == "revolute" || type == "prismatic";
  const std::optional<Element> limit = joint.child("limit");
  if (type == "fixed") return std::nullopt;  // exporters write zeros there
  if (limit && !bounded && type != "continuous") {
    limit->warn("limits of a " + type + " joint, which has several coordinates, are not kept");
    return std::nullopt;
  }
  if (!limit) {
    if (bounded) joint.warn("a " + type + " joint has no <limit>; it is read as unlimited");
    return std::nullopt;
  }
  const auto value = [&](const char* attribute) {
    return limit->has(attribute) ? std::optional(limit->number(attribute)) : std::nullopt;
  };
  JointLimits limits{value("lower"), value("upper"), value("velocity"), value("effort")};
  if (bounded) {  // the defaults of URDF
    limits.lower = limits.lower.value_or(0);
    limits.upper = limits.upper.value_or(0);
  } else if (type == "continuous" && (limits.lower || limits.upper)) {
    limit->warn("a continuous joint has no lower and upper limits; they are not kept");
    limits.lower = limits.upper = std::nullopt;
  }
  if (limits.lower && limits.upper && *limits.lower > *limits.upper) {
    limit->warn("the lower limit " + to_text(*limits.lower) + " is above the upper limit " +
                to_text(*limits.upper) + "; both are read as none");
    limits.lower = limits.upper = std::nullopt;
  }
  // A revolute joint with limits far beyond two revolutions is taken as unlimited.
  if (type == "revolute")
    for (const double angle : {limits.lower.value_or(0), limits.upper.value_or(0)})
      if (std::abs(angle) > 4 * M_PI + 0.1 && std::abs(angle) <= 2160) {
        limit->warn("the limit " + in_degrees(angle));
        break;
      }
  const auto drop = [&](const char* name, std::optional<double>& bound, bool allow_zero) {
    if (!bound || *bound > 0 || (allow_zero && *bound == 0)) return;
    limit->warn(std::string(name) + " " + to_text(*bound) + " is read as no limit");
    bound = std::nullopt;
  };
  drop("velocity", limits.velocity, false);  // exporters write zero for unknown
  drop("effort", limits.effort, true);       // zero: a joint without motor
  for (auto* bound : {&limits.lower, &limits.upper, &limits.velocity, &limits.effort})
    if (*bound && std::abs(**bound) >= no_limit) *bound = std::nullopt;
  return limits;
}

JointDynamics read_dynamics(const Element& joint) {
  const std::optional<Element> dynamics = joint.child("dynamics");
  const std::string type = joint.text("type");
  if (!dynamics || type == "fixed") return {};
  const JointDynamics read{dynamics->number("damping", 0), dynamics->number("friction", 0)};
  if (type == "floating" && (read.damping != 0 || read.friction != 0)) {
    dynamics->warn("damping and friction of a floating joint are not kept");
    return {};
  }
  return read;
}

std::optional<Mimic> read_mimic(const Element& joint) {
  const std::optional<Element> mimic = joint.child("mimic");
  if (!mimic) return std::nullopt;
  if (joint.text("type") == "fixed") {
    mimic->warn("a fixed joint mimics nothing; this is not kept");
    return std::nullopt;
  }
  return Mimic{mimic->text("joint"), mimic->number("multiplier", 1), mimic->number("offset", 0)};
}

Joint read_joint(const Named& named) {
  const Element& e = named.element;
  Joint joint;
  joint.name = named.name;
  joint.type = read_type(e);
  FramesGeometry geometry{.parent = read_origin(e), .child = {}};
  const std::optional<Element> axis = e.child("axis");
  if (joint_type_info(joint.type).takes_axis)
    geometry.axis = axis ? axis->vec3("xyz", {1, 0, 0}) : Vec3{1, 0, 0};
  joint.geometry = geometry;
  joint.limits = read_limits(e);
  joint.dynamics = read_dynamics(e);
  joint.mimic = read_mimic(e);
  return joint;
}

class Reader {
 public:
  Reader(const Element& robot, const ReadOptions& options) : robot_(robot), options_(options) {}

  Mechanism read() {
    check_format(urdf_format, robot_);
    collect();
    Mechanism mechanism;
    if (robot_.has("name")) mechanism.name = robot_.text("name");
    mechanism.bodies.push_back(root_body(find_root()));
    for (const Named& joint : joints_) {
      const Named& link = *link_of(joint, "child");
      Body body = read_link(link);
      body.parent = link_of(joint, "parent")->name;
      body.joint = read_joint(joint);
      check_mimic(joint, body.joint);
      take_armature(joint, body.joint);
      body.where = joint.element.where();
      mechanism.bodies.push_back(std::move(body));
    }
    for (const auto& [joint, armature] : armatures_)
      robot_.warn("the rotor of joint " + quote(joint) + ", which does not exist, is not kept");
    read_loops(mechanism);
    return mechanism;
  }

 private:
  void collect() {
    for (const Element& e : robot_.children()) {
      if (e.tag() == "transmission") read_armature(e);
      if (e.tag() != "link" && e.tag() != "joint") continue;
      const bool is_link = e.tag() == "link";
      const std::string kind(e.tag()), name = e.of("a " + kind).text("name");
      const Element named = e.of(kind + " " + quote(name));
      auto& list = is_link ? links_ : joints_;
      const auto [other, fresh] = (is_link ? link_index_ : joint_index_).emplace(name, list.size());
      if (!fresh)
        named.refuse("the name is used twice, first in line " +
                     std::to_string(list[other->second].element.line()));
      list.push_back({name, named});
    }
    if (links_.empty()) robot_.refuse("has no links; give at least one");
    if (const auto found = link_index_.find(std::string(ground)); found != link_index_.end()) {
      Named& link = links_[found->second];
      link.name = beside_ground(link.name, [&](const auto& n) { return link_index_.contains(n); });
      link.element.warn("ground is the world here; the link is called " + quote(link.name));
    }
  }

  void read_loops(Mechanism& mechanism) const {
    for (const Element& plain : robot_.children()) {
      if (plain.tag() != "constraint") continue;
      const std::string name = plain.of("a constraint").text("name");
      const Element e = plain.of("constraint " + quote(name));
      Loop loop = read_constraint(e);
      loop.bodies[0] = link_at(e, "parent")->name;
      loop.bodies[1] = link_at(e, "child")->name;
      mechanism.loops.push_back(std::move(loop));
    }
    read_loop_closures(options_, mechanism);
  }

  /// Drake extension: a rotor that rotates `gear_ratio` times as far as the joint, of which Drake takes the reflected
  /// inertia; without a ratio, by the reduction of the transmission.
  void read_armature(const Element& plain) {
    const Element e = plain.of(
        "transmission" + (plain.has("name") ? " " + quote(plain.text("name")) : std::string()));
    for (const Element& actuator : e.children()) {
      if (actuator.tag() != "actuator") continue;
      const std::optional<Element> inertia = actuator.child("drake:rotor_inertia"),
                                   ratio = actuator.child("drake:gear_ratio"),
                                   reduction = actuator.child("mechanicalReduction");
      if (!inertia || inertia->number("value") == 0) continue;
      const Element driven = e.require("joint");
      const std::string joint = driven.text("name");
      double n = 1;
      if (ratio)
        n = ratio->number("value");
      else if (reduction)
        n = reduction->content_number();
      else if (const auto of_joint = driven.child("mechanicalReduction"))
        n = of_joint->content_number();
      if (!armatures_.emplace(joint, n * n * inertia->number("value")).second)
        actuator.refuse("joint " + quote(joint) + " has a rotor already; give one");
    }
  }

  /// Other readers take a joint that follows a missing one as independent.
  void check_mimic(const Named& named, Joint& joint) const {
    if (!joint.mimic || joint_index_.contains(joint.mimic->joint)) return;
    std::vector<std::string_view> names;
    for (const Named& other : joints_) names.push_back(other.name);
    named.element.warn("mimics the joint " + quote(joint.mimic->joint) +
                       ", which does not exist; this is not kept" +
                       did_you_mean(joint.mimic->joint, names));
    joint.mimic = std::nullopt;
  }

  void take_armature(const Named& named, Joint& joint) {
    const auto found = armatures_.extract(named.name);
    if (found.empty()) return;
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic)
      joint.armature = found.mapped();
    else
      named.element.warn("a rotor of a joint that does not have one coordinate is not kept");
  }

  const Named* link_of(const Named& joint, const char* end) const {
    return link_at(joint.element, end);
  }
  const Named* link_at(const Element& owner, const char* end) const {
    const Element element = owner.require(end);
    const std::string name = element.text("link");
    const auto found = link_index_.find(name);
    if (found == link_index_.end()) {
      std::vector<std::string_view> names;
      for (const Named& link : links_) names.push_back(link.name);
      element.refuse("the " + std::string(end) + " link " + quote(name) + " does not exist" +
                     did_you_mean(name, names));
    }
    return &links_[found->second];
  }

  /// The only link that is not a child.
  const Named& find_root() const {
    std::unordered_map<const Named*, const Named*> joint_above;
    for (const Named& joint : joints_) {
      link_of(joint, "parent");  // must exist before its absence looks like a missing root
      const Named* child = link_of(joint, "child");
      const auto [other, fresh] = joint_above.emplace(child, &joint);
      if (!fresh)
        joint.element.refuse("its child " + quote(child->name) + " is the child of joint " +
                             quote(other->second->name) + " already; a link has one parent");
    }
    std::vector<const Named*> roots;
    for (const Named& link : links_)
      if (!joint_above.contains(&link)) roots.push_back(&link);
    if (roots.empty())
      robot_.refuse(
          "every link is the child of a joint, so the joints form a cycle and there is "
          "no root; remove the joint that closes it");
    if (roots.size() > 1) {
      std::string names;
      for (std::size_t i = 0; i < std::min<std::size_t>(roots.size(), 5); ++i)
        names += (i == 0 ? "" : ", ") + quote(roots[i]->name);
      roots[1]->element.refuse(std::to_string(roots.size()) +
                               " links have no parent and so would be roots: " + names +
                               (roots.size() > 5 ? ", ..." : "") + "; join them to one tree");
    }
    return *roots[0];
  }

  Body read_link(const Named& link) const {
    Body body;
    body.name = link.name;
    body.inertia = io::read_inertia(link.element);
    return body;
  }

  Body root_body(const Named& link) const {
    Body body = read_link(link);
    body.where = link.element.where();
    body.joint.geometry = FramesGeometry{};
    body.joint.name = root_joint;
    if (options_.floating_base) {
      body.joint.type = JointType::floating;
      if (const auto taken = joint_index_.find(root_joint); taken != joint_index_.end())
        joints_[taken->second].element.refuse("the floating base has this name; rename the joint");
    }
    while (joint_index_.contains(body.joint.name)) body.joint.name += '_';
    return body;
  }

  const Element& robot_;
  const ReadOptions& options_;
  std::vector<Named> links_, joints_;
  std::unordered_map<std::string, double> armatures_;  // by joint
  std::unordered_map<std::string, std::size_t> link_index_, joint_index_;
};

}  // namespace
}  // namespace io

Mechanism read_urdf(std::string_view text, const std::string& name, const ReadOptions& options) {
  using namespace io;
  const XmlText xml(text, name, "robot");
  Report report(name, options.warnings);
  const Element robot(report, xml.root("robot", "URDF"), "robot");
  Mechanism mechanism = Reader(robot, options).read();
  read_urdf_collisions(robot, mechanism);
  std::vector<Body> parents_first;
  for (const int i : depth_first(mechanism))
    parents_first.push_back(std::move(mechanism.bodies[static_cast<std::size_t>(i)]));
  mechanism.bodies = std::move(parents_first);
  return mechanism;
}

}  // namespace chasles
