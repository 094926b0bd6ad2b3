#include <algorithm>
#include <cmath>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"
#include "io/formats/format.hpp"
#include "io/mjcf/names.hpp"
#include "io/mjcf/settings.hpp"

namespace chasles {
namespace io::mjcf {
namespace {

constexpr const char* expand =
    "; save the model as MuJoCo compiles it (compile MODEL.xml OUT.xml) and give that";

struct NamedJoint {
  std::string name;
  JointType type;
};

class Reader {
 public:
  Reader(const Element& top, Mechanism& out) : top_(top), out_(out) {}

  void read() {
    check_format(mjcf_format, top_);
    if (top_.has("model")) out_.name = top_.text("model");
    for (const Element& e : top_.children()) {
      if (e.tag() == "compiler") read_compiler(e, compiler_);
      if (e.tag() == "option")
        flags_ = read_flags(e, flags_), out_.gravity = e.vec3("gravity", out_.gravity);
      if (e.tag() == "default") defaults_.read(e);
      if (e.tag() == "include" || e.tag() == "extension")
        e.refuse("<" + std::string(e.tag()) + "> is not read" + expand);
    }
    if (!flags_.gravity) out_.gravity = {};
    for (const Element& e : top_.children()) {
      if (e.tag() == "worldbody") collect_names(e);
      if (e.tag() == "option" && flags_.passive()) warn_changes_of(Setting(e), "mujoco");
    }
    for (const Element& e : top_.children())
      if (e.tag() == "equality")
        for (const Element& inner : e.children()) equalities_.give(inner);
    for (const Element& e : top_.children())
      if (e.tag() == "worldbody") read_children(e, std::string(ground), "");
    for (const Element& e : top_.children())
      if (e.tag() == "equality")
        for (const Element& inner : e.children()) read_equality(inner);
    rename_sites();
    scale_inertias(out_, compiler_);
    apply_spring_dampers(out_, spring_dampers_, armatures_, flags_);
  }

 private:
  static void warn_changes_of(const Setting& s, std::string_view parent) {
    warn_changes(mjcf_format, *find_row(mjcf_format, parent, s.element().tag()), s.element(),
                 [&](const char* attribute) { return s.given(attribute); });
  }

  /// Generated names must not collide with names later in the file.
  void collect_names(const Element& parent) {
    for (const Element& e : parent.children()) {
      if (e.tag() == "joint" || e.tag() == "freejoint") joints_.give(e.of("a joint"));
      if (e.tag() != "body") continue;
      bodies_.give(e.of("a body"));
      collect_names(e);
    }
  }

  /// Bodies and sites in a body or in the world.
  void read_children(const Element& parent, const std::string& body, const std::string& inherited) {
    for (const Element& e : parent.children()) {
      if (e.tag() == "body")
        read_body(e, body, inherited);
      else if (e.tag() == "site")
        read_site(e, body, inherited);
      else if (e.tag() == "frame" || e.tag() == "composite" || e.tag() == "replicate" ||
               e.tag() == "flexcomp" || e.tag() == "attach" || e.tag() == "include")
        e.refuse("<" + std::string(e.tag()) + "> is not read" + expand);
    }
  }

  void read_site(const Element& e, const std::string& body, const std::string& inherited) {
    if (!e.has("name")) return;
    const std::string name = e.text("name");
    const Setting site = defaults_.of(e.of("site " + quote(name)), inherited);
    SE3 pose = read_pose(site, compiler_);
    if (site.has("fromto")) {
      const auto p = site.of("fromto").numbers("fromto", 6, 6);
      pose.r = 0.5 * Vec3{p[0] + p[3], p[1] + p[4], p[2] + p[5]};
    }
    out_.frames.push_back({name, body, pose, e.where()});
  }

  /// Frames and bodies share one namespace in Chasles.
  void rename_sites() {
    for (FrameDescription& frame : out_.frames) {
      if (!bodies_.contains(frame.name) && frame.name != ground) continue;
      const std::string name = bodies_.fresh(frame.name + "_site");
      top_.warn("the site " + quote(frame.name) + " has the name of a body; it is called " +
                quote(name));
      frame.name = name;
    }
  }

  void read_body(const Element& plain, const std::string& parent, const std::string& inherited) {
    std::string name =
        bodies_.of(plain.of("a body"), "body" + std::to_string(out_.bodies.size() + 1));
    if (name == ground) {
      name = bodies_.fresh(name + "_");
      plain.of("body " + quote(ground))
          .warn("ground is the world here; the body is called " + quote(name));
      called_ground_ = name;
    }
    const Element e = plain.of("body " + quote(name));
    if (name == "world") e.refuse("the name is that of the world; rename the body");
    if (e.has("childclass")) defaults_.require_class(e, e.text("childclass"));
    const std::string below = e.has("childclass") ? e.text("childclass") : inherited;
    if (flags_.passive()) warn_changes_of(Setting(e), "body");

    std::vector<Joint> joints;
    for (const Element& j : e.children())
      if (j.tag() == "joint" || j.tag() == "freejoint")
        joints.push_back(read_joint(j, name, below, parent));
    if (joints.empty()) {
      joints.emplace_back().name = joints_.fresh(name);
      joints[0].geometry = AxisGeometry{.point = {}, .in = DescribedIn::body};
    }
    hang(e, name, parent, std::move(joints), below);
    read_children(e, name, below);
  }

  /// Several joints of a body form a chain, each in the axes of the body, with massless bodies between them.
  void hang(const Element& e, const std::string& name, std::string parent,
            std::vector<Joint> joints, const std::string& inherited) {
    BodyPose pose{read_pose(Setting(e), compiler_), DescribedIn::parent};
    for (std::size_t k = 0; k < joints.size(); ++k) {
      const bool last = k + 1 == joints.size();
      Body body{.name = last ? name : bodies_.fresh(name + "_" + std::to_string(k + 1)),
                .parent = parent,
                .joint = std::move(joints[k]),
                .pose = pose,
                .inertia = {},
                .where = e.where()};
      if (last) body.inertia = read_inertia(e, defaults_, inherited, compiler_);
      pose = {SE3{}, DescribedIn::parent};
      parent = body.name;
      out_.bodies.push_back(std::move(body));
    }
  }

  Joint read_joint(const Element& plain, const std::string& body, const std::string& inherited,
                   const std::string& parent) {
    Joint joint;
    joint.name = joints_.of(plain.of("a joint of body " + quote(body)), body + "_joint");
    const Element e = plain.of("joint " + quote(joint.name));
    // Joint defaults do not apply to freejoint.
    const Setting s = e.tag() == "freejoint" ? Setting(e) : defaults_.of(e, inherited);
    static constexpr std::string_view types[] = {"free", "ball", "slide", "hinge"};
    const std::string type = e.tag() == "freejoint" ? "free" : s.text("type", "hinge");
    const auto found = std::find(std::begin(types), std::end(types), type);
    if (found == std::end(types))
      s.of("type").refuse("type " + quote(type) + " is not a joint type of MJCF" +
                          choices(type, types));
    constexpr JointType ours[] = {JointType::floating, JointType::spherical, JointType::prismatic,
                                  JointType::revolute};
    joint.type = ours[found - std::begin(types)];
    if (joint.type == JointType::floating && parent != ground)
      e.refuse("a floating joint is for bodies of the world; " + quote(body) + " hangs on " +
               quote(parent));
    AxisGeometry geometry{.point = {}, .in = DescribedIn::body};
    if (joint_type_info(joint.type).takes_axis) geometry.axis = s.vec3("axis", {0, 0, 1});
    if (joint.type != JointType::floating) geometry.point = s.vec3("pos", {});
    joint.geometry = geometry;
    read_forces(s, joint);
    read_limits(s, joint);
    types_.push_back({joint.name, joint.type});
    return joint;
  }

  void read_forces(const Setting& s, Joint& joint) {
    if (s.element().tag() == "freejoint") return;
    const double damping = flags_.damper ? read_damping(s) : 0,
                 friction = flags_.frictionloss ? s.number("frictionloss", 0) : 0;
    const bool is_free = joint.type == JointType::floating;
    if (is_free && (damping != 0 || friction != 0))
      s.element().warn("damping and frictionloss of a floating joint are not kept");
    else
      joint.dynamics = {damping, friction};
    warn_changes(mjcf_format, *find_row(mjcf_format, "body", "joint"), s.element(),
                 [&](const std::string& name) {
                   const bool of_spring = name == "stiffness" || name == "springyield";
                   return of_spring && !flags_.spring ? std::nullopt : s.given(name.c_str());
                 });
    if (const double armature = s.number("armature", 0); armature != 0)
      armatures_.emplace(joint.name, armature);
    if (!s.has("springdamper")) return;
    const auto given = s.of("springdamper").numbers("springdamper", 2, 2);
    if (!(given[0] > 0 && given[1] > 0)) return;
    if (is_free) return s.element().warn("springdamper of a floating joint is not kept");
    if (flags_.passive()) spring_dampers_.push_back({joint.name, given[0], given[1], s.element()});
  }
  /// a v + b v |v| + c v^3; only a is used.
  static double read_damping(const Setting& s) {
    if (!s.has("damping")) return 0;
    const auto given = s.of("damping").numbers("damping", 1, 3);
    if (std::any_of(given.begin() + 1, given.end(), [](double x) { return x != 0; }))
      s.element().warn(
          "of damping " + quote(s.of("damping").text("damping")) +
          " only the term with v is kept, not those with v |v| and v^3: give them in a "
          "scenario");
    return given[0];
  }

  /// Chasles has q = 0 in the pose of the file, MJCF q = ref.
  void read_limits(const Setting& s, Joint& joint) {
    if (!flags_.limit) return;
    const std::string limited = s.text("limited", "auto");
    static constexpr std::string_view words[] = {"false", "true", "auto"};
    if (std::find(std::begin(words), std::end(words), limited) == std::end(words))
      s.of("limited").refuse("limited " + quote(limited) + " is not known" +
                             choices(limited, words));
    const bool auto_on = limited == "auto" && compiler_.autolimits && s.has("range");
    if (joint.type == JointType::floating || !(limited == "true" || auto_on)) return;
    if (joint.type == JointType::spherical)
      return s.element().warn(
          "the range of a ball joint, which has several coordinates, is not kept");
    if (!s.has("range")) s.element().refuse("is limited, but has no range; give two numbers");
    const auto range = s.of("range").numbers("range", 2, 2);
    const double ref = s.number("ref", 0);
    const auto value = [&](double x) {
      return joint.type == JointType::revolute ? compiler_.radians(x - ref) : x - ref;
    };
    joint.limits = JointLimits{value(range[0]), value(range[1]), {}, {}};
  }

  void read_equality(const Element& plain) {
    const std::string kind(plain.tag());
    const std::string name = equalities_.of(plain, kind + std::to_string(++equality_));
    if (!flags_.equality) return;
    const Element e = plain.of("equality " + quote(name));
    if (defaults_.of(e, "", "equality").text("active", "true") == "false")
      return e.warn("is not active and not read");
    if (kind == "joint") return read_coupling(e, name);
    if (kind == "connect" || kind == "weld") read_loop(e, name, kind == "weld");
  }

  std::string joint_named(const Element& e, const char* attribute) const {
    std::string name = e.text(attribute);
    std::vector<std::string_view> known;
    for (const NamedJoint& joint : types_) {
      known.push_back(joint.name);
      if (joint.name != name) continue;
      if (joint.type != JointType::revolute && joint.type != JointType::prismatic)
        e.refuse("joint " + quote(name) + " does not have one coordinate");
      return name;
    }
    e.refuse("there is no joint " + quote(name) + did_you_mean(name, known));
  }
  /// q_1 = a_0 + a_1 q_2 + ..., relative to the pose of the file.
  void read_coupling(const Element& e, const std::string& name) {
    std::vector<double> a{0, 1};
    if (e.has("polycoef")) a = e.numbers("polycoef", 1, 5);
    a.resize(5);
    const std::string first = joint_named(e, "joint1");
    if (a[2] != 0 || a[3] != 0 || a[4] != 0)
      return e.warn("only constant and slope of polycoef can be kept; it is not read");
    Coupling coupling{name, {{first, 1}}, a[0], e.where()};
    if (e.has("joint2") && a[1] != 0) coupling.terms.push_back({joint_named(e, "joint2"), -a[1]});
    out_.couplings.push_back(std::move(coupling));
  }

  std::string body_named(const Element& e, const char* attribute) const {
    std::string name = e.has(attribute) ? e.text(attribute) : "world";
    if (name == "world") return std::string(ground);
    if (name == ground && !called_ground_.empty()) return called_ground_;
    if (find_body(out_, name) >= 0) return name;
    std::vector<std::string_view> known{"world"};
    for (const Body& body : out_.bodies) known.push_back(body.name);
    e.refuse("there is no body " + quote(name) + did_you_mean(name, known));
  }
  const FrameDescription& site_named(const Element& e, const char* attribute) const {
    const std::string name = e.text(attribute);
    std::vector<std::string_view> known;
    for (const FrameDescription& frame : out_.frames) {
      if (frame.name == name) return frame;
      known.push_back(frame.name);
    }
    e.refuse("there is no site " + quote(name) + did_you_mean(name, known));
  }
  /// Closed in the pose of the file, or as given by two sites or a relative pose.
  void read_loop(const Element& e, const std::string& name, bool welds) {
    Loop loop{.name = name,
              .bodies = {},
              .type = welds ? JointType::fixed : JointType::spherical,
              .where = e.where()};
    if (e.has("site1")) {
      const FrameDescription &a = site_named(e, "site1"), &b = site_named(e, "site2");
      loop.bodies = {a.body, b.body};
      loop.geometry = FramesGeometry{a.pose, b.pose};
    } else {
      if (!e.has("body1")) e.refuse("the attribute body1 is missing");
      loop.bodies = {body_named(e, "body1"), body_named(e, "body2")};
      AxisGeometry geometry{.point = {}, .in = DescribedIn::parent};
      if (!welds) {
        if (!e.has("anchor")) e.refuse("the attribute anchor is missing");
        geometry.point = e.vec3("anchor", {});
      }
      loop.geometry = geometry;
      if (welds && e.has("relpose")) {
        const auto x = e.numbers("relpose", 7, 7);
        if (x[3] != 0 || x[4] != 0 || x[5] != 0 || x[6] != 0)
          loop.geometry = FramesGeometry{
              {rotation(normalized(Quaternion{x[3], x[4], x[5], x[6]})), {x[0], x[1], x[2]}}, {}};
      }
    }
    out_.loops.push_back(std::move(loop));
  }

  const Element& top_;
  Mechanism& out_;
  Compiler compiler_;
  Flags flags_;
  Defaults defaults_;
  std::string called_ground_;  // new name of a body named `ground`
  Names bodies_, joints_, equalities_;
  int equality_ = 0;
  std::vector<NamedJoint> types_;
  std::vector<SpringDamper> spring_dampers_;
  std::map<std::string, double> armatures_;  // by joint
};

}  // namespace
}  // namespace io::mjcf

Mechanism read_mjcf(std::string_view text, const std::string& name, const ReadOptions& options) {
  using namespace io;
  if (options.floating_base)
    throw Error(name +
                ": MJCF says itself what floats, by <freejoint/>; leave out --floating-base");
  const XmlText xml(text, name, "mujoco");
  Report report(name, options.warnings);
  const Element top(report, xml.root("mujoco", "MJCF"), "mujoco");
  Mechanism mechanism;
  mjcf::Reader(top, mechanism).read();
  if (mechanism.bodies.empty()) top.refuse("has no bodies; give at least one in <worldbody>");
  return mechanism;
}

}  // namespace chasles
