#include <algorithm>
#include <cmath>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "chasles/suggest.hpp"
#include "io/formats/format.hpp"
#include "io/mjcf/actuators.hpp"
#include "io/mjcf/collision.hpp"
#include "io/mjcf/document.hpp"
#include "io/mjcf/meshes.hpp"
#include "io/mjcf/names.hpp"
#include "io/mjcf/visuals.hpp"

namespace chasles {
namespace io::mjcf {
namespace {

constexpr const char* expand =
    " save the model as MuJoCo 3 compiles it (compile MODEL.xml OUT.xml, with "
    "<compiler saveinertial=\"true\"/>) and give that";

class Reader {
 public:
  /// @param folder      of the file, for meshes
  /// @param appearance  whether what is seen is read as well
  Reader(const Element& top, const Compiler& compiler, Mechanism& out, std::filesystem::path folder,
         bool appearance)
      : top_(top),
        out_(out),
        folder_(std::move(folder)),
        compiler_(compiler),
        appearance_(appearance) {}

  void read() {
    check_format(mjcf_format, top_);
    if (top_.has("model")) out_.name = top_.text("model");
    for (const Element& e : top_.children()) {
      if (e.tag() == "option")
        flags_ = read_flags(e, flags_), out_.gravity = e.vec3("gravity", out_.gravity);
      if (e.tag() == "default") defaults_.read(e);
      if (e.tag() == "extension")
        for (const Element& plugin : e.children())
          if (plugin.has("plugin"))
            plugin.of("plugin " + quote(plugin.text("plugin")))
                .warn("is not known here; its forces are not kept");
    }
    if (!flags_.gravity) out_.gravity = {};
    list_meshes();
    for (const Element& e : top_.children())
      if (e.tag() == "contact") collisions_.add_names(e);
    out_.collisions.neighbors = !flags_.filterparent;
    for (const Element& e : top_.children()) {
      if (e.tag() == "tendon") list_wrapped_geoms(e, wrapped_);
      if (e.tag() == "worldbody") collect_names(e);
      if (e.tag() == "option" && flags_.passive()) warn_changes_of(Setting(e), "mujoco");
    }
    for (const Element& e : top_.children())
      if (e.tag() == "equality")
        for (const Element& inner : e.children()) equalities_.give(inner);
    for (const Element& e : top_.children())
      if (e.tag() == "worldbody") read_children(e, std::string(ground), "");
    for (const Element& e : top_.children())
      if (e.tag() == "tendon")
        read_tendons(e, {types_, defaults_, compiler_, flags_, wrapped_}, tendons_, out_);
    for (const Element& e : top_.children())
      if (e.tag() == "equality")
        for (const Element& inner : e.children()) read_equality(inner);
    for (const Element& e : top_.children())
      if (e.tag() == "contact" && flags_.contact)
        collisions_.add_contact(
            e, defaults_,
            [&](const Element& inner, const char* attribute) {
              return body_named(inner, attribute);
            },
            out_.collisions);
    rename_sites();
    relax_tendons(types_, out_);
    shift_cables(cables_, out_);
    scale_inertias(out_, compiler_);
    add_armatures(top_, defaults_, out_);
    apply_spring_dampers(out_, spring_dampers_, flags_);
    read_actuators_and_keyframes();
  }

 private:
  void list_meshes() {
    const auto meshes = std::make_shared<Meshes>(compiler_, folder_);
    for (const Element& e : top_.children())
      if (e.tag() == "asset") {
        meshes->add(e, defaults_);
        if (appearance_) visuals_.list_materials(e, defaults_);
      }
    meshes_ = meshes;
  }
  /// The settings of the model that an element comes from, with the meshes of all of them.
  Compiler with_meshes(const Element& e) const {
    Compiler compiler = compiler_of(e, compiler_);
    compiler.meshes = meshes_;
    return compiler;
  }
  static void warn_changes_of(const Setting& s, std::string_view parent) {
    warn_changes(mjcf_format, *find_row(mjcf_format, parent, s.element().tag()), s.element(),
                 [&](const char* attribute) { return s.given(attribute); });
  }

  void read_actuators_and_keyframes() {
    ActuatorReader actuators(defaults_, compiler_, types_, tendons_, renamed_sites_, out_);
    Names keyframes;
    for (const Element& e : top_.children()) {
      if (e.tag() == "actuator") actuators.collect(e);
      if (e.tag() == "keyframe")
        for (const Element& key : e.children()) keyframes.give(key.of("a keyframe"));
    }
    for (const Element& e : top_.children())
      if (e.tag() == "actuator") actuators.read(e);
    for (const Element& e : top_.children())
      if (e.tag() == "keyframe") read_keyframes(e, types_, actuators.controls(), keyframes, out_);
    actuators.apply_joint_ranges(top_);
    actuators.apply_damping_ratios(top_);
    actuators.apply_tendon_gears();
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
      else if (e.tag() == "composite")
        e.refuse("<composite" + (e.has("prefix") ? " prefix=" + quote(e.text("prefix")) : "") +
                 "> is not read, as MuJoCo 4 has none; write its bodies (<replicate>), or" +
                 std::string(expand));
      else if (e.tag() == "geom")
        read_geom(e, body, inherited);
    }
  }

  /// A shape for contacts, for tendons that wrap around it, and to be seen.
  void read_geom(const Element& e, const std::string& body, const std::string& inherited) {
    const Setting geom = defaults_.of(e.of("body " + quote(body)), inherited);
    if (e.has("name") && wrapped_.contains(e.text("name")))
      wrapped_[e.text("name")] = WrapGeom{body, read_shape(geom, with_meshes(e))};
    if (flags_.contact) collisions_.add_geom(geom, body, with_meshes(e), out_.collisions);
    if (appearance_ && body != ground)
      visuals_.add_geom(geom, body, with_meshes(e), out_.appearance);
  }

  void read_site(const Element& e, const std::string& body, const std::string& inherited) {
    if (!e.has("name")) return;
    const std::string name = e.text("name");
    const Setting site = defaults_.of(e.of("site " + quote(name)), inherited);
    SE3 pose = read_pose(site, compiler_);
    if (site.has("fromto")) {
      const auto p = site.of("fromto").numbers("fromto", 6, 6);
      pose.r = frame_around(e) * (0.5 * Vec3{p[0] + p[3], p[1] + p[4], p[2] + p[5]});
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
      for (Tendon& tendon : out_.tendons)
        for (Tendon::Point& point : tendon.points)
          for (std::string* used : {&point.frame, point.wrap ? &point.wrap->side : nullptr})
            if (used != nullptr && *used == frame.name) *used = name;
      for (ConstraintElement& element : out_.constraints)
        if (auto* cable = std::get_if<CableElement>(&element.data))
          for (ConstraintPoint& point : cable->points)
            if (point.body == frame.name) point.body = name;
      renamed_sites_[frame.name] = name;
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
    if (out_.bodies.back().joint.type == JointType::floating)
      types_.back().pose = out_.bodies.back().pose.C;
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
      if (last) body.inertia = read_inertia(e, defaults_, inherited, with_meshes(e));
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
    const SE3 frame = frame_around(e);
    if (joint_type_info(joint.type).takes_axis) geometry.axis = frame.R * s.vec3("axis", {0, 0, 1});
    if (joint.type != JointType::floating) geometry.point = frame * s.vec3("pos", {});
    joint.geometry = geometry;
    read_forces(s, joint);
    if (flags_.limit) read_limits(s, compiler_of(e, compiler_), joint);
    const Compiler& compiler = compiler_of(e, compiler_);
    const auto angle_or_distance = [&](const char* attribute) {
      const double x = s.number(attribute, 0);
      return joint.type == JointType::revolute ? compiler.radians(x) : x;
    };
    NamedJoint named{joint.name, joint.type, angle_or_distance("ref")};
    if (joint_type_info(joint.type).takes_axis)
      named.rest = angle_or_distance("springref") - named.ref;
    if (!spring_dampers_.empty() && spring_dampers_.back().joint == joint.name)
      spring_dampers_.back().rest = named.rest;
    const JointDynamics& d = joint.dynamics;
    if ((d.stiffness != 0 || d.stiffening != std::array<double, 2>{}) && named.rest != 0)
      joint.dynamics.rest = {named.rest};
    if (joint_type_info(joint.type).takes_axis)
      named.force_range = actuator_force_range(s, compiler);
    if (const auto& range = named.force_range) {
      if (!joint.limits) joint.limits.emplace();
      joint.limits->effort = std::max(std::abs((*range)[0]), std::abs((*range)[1]));
    }
    named.group = joint.group;
    types_.push_back(std::move(named));
    return joint;
  }

  void read_forces(const Setting& s, Joint& joint) {
    if (s.element().tag() == "freejoint") return;
    const Coefficients damping = flags_.damper ? read_damping(s) : Coefficients{},
                       stiffness =
                           flags_.spring ? read_coefficients(s, "stiffness") : Coefficients{};
    JointDynamics dynamics{damping.linear, flags_.frictionloss ? s.number("frictionloss", 0) : 0,
                           stiffness.linear};
    dynamics.stiffening = stiffness.more, dynamics.drag = damping.more;
    if (joint.type == JointType::spherical && dynamics.is_progressive()) {
      s.element().warn(
          "of the stiffness and damping of a ball joint only the linear terms are kept");
      dynamics.stiffening = dynamics.drag = {};
    }
    const bool is_free = joint.type == JointType::floating;
    if (is_free && dynamics.acts())
      s.element().warn("stiffness, damping and frictionloss of a floating joint are not kept");
    else
      joint.dynamics = dynamics;
    warn_changes(mjcf_format, *find_row(mjcf_format, "body", "joint"), s.element(),
                 [&](const std::string& name) {
                   return flags_.spring ? s.given(name.c_str()) : std::nullopt;
                 });
    joint.armature = s.number("armature", 0);
    // In MuJoCo the linear velocity of a free joint is that of its position, as on SO(3) x R^3.
    if (is_free && joint.armature != 0) joint.group = FloatingGroup::so3xr3;
    if (!s.has("springdamper")) return;
    const auto given = s.of("springdamper").numbers("springdamper", 2, 2);
    if (!(given[0] > 0 && given[1] > 0)) return;
    if (is_free) return s.element().warn("springdamper of a floating joint is not kept");
    if (flags_.passive()) spring_dampers_.push_back({joint.name, given[0], given[1], s.element()});
  }

  void read_equality(const Element& plain) {
    const std::string kind(plain.tag());
    const std::string name = equalities_.of(plain, kind + std::to_string(++equality_));
    if (!flags_.equality) return;
    const Element e = plain.of("equality " + quote(name));
    if (defaults_.of(e, "", "equality").text("active", "true") == "false")
      return e.warn("is not active and not read");
    if (kind == "joint") return read_coupling(e, name);
    if (kind == "tendon") return read_tendon_coupling(e, name);
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
    Coupling coupling{name, {{first, 1}}, a[0], e.where()};
    const bool is_linear = a[2] == 0 && a[3] == 0 && a[4] == 0;
    if (e.has("joint2") && !is_linear)
      coupling.terms.push_back(
          {joint_named(e, "joint2"), -1, 0, {.polynomial = {0, a[1], a[2], a[3], a[4]}}});
    else if (e.has("joint2") && a[1] != 0)
      coupling.terms.push_back({joint_named(e, "joint2"), -a[1]});
    out_.couplings.push_back(std::move(coupling));
  }

  /// A spatial tendon of constant length, by a_0 longer than in the pose of the file.
  void read_cable(const Element& e, const std::string& name, double offset) {
    const std::string tendon = e.text("tendon1");
    const auto found = std::ranges::find(out_.tendons, tendon, &Tendon::name);
    if (found == out_.tendons.end())
      return e.warn("is not read: the length of tendon " + quote(tendon) + " is not known");
    CableElement cable;
    for (const Tendon::Point& point : found->points) {
      if (point.wrap || point.weight != 1)
        return e.warn("is not read: tendon " + quote(tendon) +
                      " has pulleys or wraps around geoms; only straight ones are kept");
      cable.points.push_back({point.frame});
    }
    out_.constraints.push_back({name, std::move(cable), e.where()});
    if (offset != 0) cables_.push_back({out_.constraints.size() - 1, offset});
  }

  /// l_1 = a_0 + a_1 l_2 + ... for the lengths of fixed tendons, relative to the pose of the file.
  void read_tendon_coupling(const Element& e, const std::string& name) {
    std::vector<double> a{0, 1};
    if (e.has("polycoef")) a = e.numbers("polycoef", 1, 5);
    a.resize(5);
    const bool both = e.has("tendon2") && a[1] != 0;
    if (!both && !tendons_.contains(e.text("tendon1"))) return read_cable(e, name, a[0]);
    const auto first = tendons_.find(e.text("tendon1")),
               second = both ? tendons_.find(e.text("tendon2")) : first;
    if (a[2] != 0 || a[3] != 0 || a[4] != 0 || first == tendons_.end() || second == tendons_.end())
      return e.warn("is not read: only fixed tendons, constant and slope of polycoef can be kept");
    Coupling coupling{name, {}, a[0], e.where()};
    for (const Actuator::Term& term : first->second.terms)
      coupling.terms.push_back({term.joint, term.coefficient});
    for (const Actuator::Term& term : both ? second->second.terms : std::vector<Actuator::Term>{})
      coupling.terms.push_back({term.joint, -a[1] * term.coefficient});
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
  std::filesystem::path folder_;
  const Compiler& compiler_;  // of the main model
  std::shared_ptr<const Meshes> meshes_;
  Flags flags_;
  CollisionReader collisions_;
  bool appearance_;
  VisualReader visuals_;
  Defaults defaults_;
  std::string called_ground_;  // new name of a body named `ground`
  Names bodies_, joints_, equalities_;
  int equality_ = 0;
  std::vector<NamedJoint> types_;  // in file order
  FixedTendons tendons_;
  std::map<std::string, std::string> renamed_sites_;
  WrapGeoms wrapped_;
  std::vector<std::pair<std::size_t, double>>
      cables_;  // constraints with an offset of their length
  std::vector<SpringDamper> spring_dampers_;
};

}  // namespace
}  // namespace io::mjcf

Mechanism read_mjcf(std::string_view text, const std::string& name, const ReadOptions& options) {
  using namespace io;
  if (options.floating_base)
    throw Error(name +
                ": MJCF says itself what floats, by <freejoint/>; leave out --floating-base");
  mjcf::Document document(text, name, options);
  const Element top(document.report(), document.root(), "mujoco");
  Mechanism mechanism;
  mjcf::Reader(top, document.compiler(), mechanism, options.folder, options.appearance).read();
  if (mechanism.bodies.empty()) {
    top.warn("has no bodies; the world alone is read, as the massless body 'world'");
    Body& world = mechanism.bodies.emplace_back();
    world.name = world.joint.name = "world", world.where = top.where();
  }
  return mechanism;
}

}  // namespace chasles
