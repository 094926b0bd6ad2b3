#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/suggest.hpp"
#include "io/formats/format.hpp"
#include "io/sdf/frames.hpp"

namespace chasles {
namespace io::sdf {
namespace {

std::string not_read(const std::string& what) {
  return what + " is not read; write the model without it (gz sdf -p MODEL.sdf) and give that";
}

bool is_true(const Element& owner, std::string_view tag) {
  const std::optional<Element> e = owner.child(tag);
  return e && is_neutral(e->content(), "true 1");
}
double number_in(const Element& owner, std::string_view tag, double otherwise) {
  const std::optional<Element> e = owner.child(tag);
  return e ? e->content_number() : otherwise;
}

/// SDF default: a link without inertial has 1 kg and 1 kg m^2; so have omitted parts of an inertial.
BodyInertia read_inertia(const Element& link, int version) {
  BodyInertia inertia{.mass = 1, .com = {}, .tensor = Sym3::diagonal(1, 1, 1)};
  const std::optional<Element> e = link.child("inertial");
  if (!e) {
    link.warn("has no <inertial>; by the rule of SDF it gets 1 kg and 1 kg m^2");
    return inertia;
  }
  if (e->has("auto") && e->text("auto") == "true")
    e->refuse("masses from collision shapes are not computed; give mass and inertia");
  const SE3 pose = read_pose(*e, version).C;
  inertia.mass = number_in(*e, "mass", 1);
  inertia.com = pose.r;
  if (const std::optional<Element> I = e->child("inertia")) {
    inertia.tensor = {number_in(*I, "ixx", 1), number_in(*I, "ixy", 0), number_in(*I, "ixz", 0),
                      number_in(*I, "iyy", 1), number_in(*I, "iyz", 0), number_in(*I, "izz", 1)};
  }
  inertia.tensor = rotate(pose.R.matrix(), inertia.tensor);
  accept_inertia(inertia, *e);
  return inertia;
}

struct TypeRow {
  std::string_view name;
  JointType type;
  int axes;
};
constexpr TypeRow types[] = {
    {"revolute", JointType::revolute, 1},   {"continuous", JointType::revolute, 1},
    {"prismatic", JointType::prismatic, 1}, {"screw", JointType::helical, 1},
    {"ball", JointType::spherical, 0},      {"universal", JointType::universal, 2},
    {"revolute2", JointType::universal, 2}, {"fixed", JointType::fixed, 0}};

const TypeRow& read_type(const Element& joint) {
  const std::string name = joint.text("type");
  std::vector<std::string_view> known;
  for (const TypeRow& row : types) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  joint.refuse("type " + quote(name) +
               (name == "gearbox" ? " is not read; give its joints and a mimic of one of them"
                                  : " is not a joint type of SDF" + choices(name, known)));
}

/// SDF uses a large number for no position limit, and a negative one for no velocity or effort limit. Before
/// 1.5 an effort or velocity limit of zero, the default, also meant none.
std::optional<JointLimits> read_limits(const Element& axis, int version) {
  const std::optional<Element> limit = axis.child("limit");
  if (!limit) return std::nullopt;
  const auto number = [&](const char* tag) -> std::optional<double> {
    const std::optional<Element> e = limit->child(tag);
    if (!e) return std::nullopt;
    const std::string text = e->content();
    if (text == "inf" || text == "-inf" || text == "+inf") return std::nullopt;
    const double x = e->content_number();
    return std::abs(x) >= 1e16 ? std::nullopt : std::optional(x);
  };
  JointLimits limits{number("lower"), number("upper"), number("velocity"), number("effort")};
  for (auto* bound : {&limits.velocity, &limits.effort})
    if (*bound && (**bound < 0 || (version < 5 && **bound == 0))) *bound = std::nullopt;
  if (!limits.lower && !limits.upper && !limits.velocity && !limits.effort) return std::nullopt;
  return limits;
}

JointDynamics read_dynamics(const Element& axis) {
  const std::optional<Element> e = axis.child("dynamics");
  if (!e) return {};
  return {number_in(*e, "damping", 0), number_in(*e, "friction", 0)};
}

/// q = multiplier (q_joint - reference) + offset.
std::optional<Mimic> read_mimic(const Element& axis) {
  const std::optional<Element> e = axis.child("mimic");
  if (!e) return std::nullopt;
  const double multiplier = number_in(*e, "multiplier", 1);
  return Mimic{e->text("joint"), multiplier,
               number_in(*e, "offset", 0) - multiplier * number_in(*e, "reference", 0)};
}

/// Drake extension: a rotor that rotates `gear_ratio` times as far as the joint.
std::optional<Rotor> read_rotor(const Element& joint, JointType type) {
  const std::optional<Element> e = joint.child("drake:rotor_inertia");
  if (!e || e->content_number() == 0) return std::nullopt;
  if (type != JointType::revolute && type != JointType::prismatic) {
    e->warn("a rotor of a joint that does not have one coordinate is not kept");
    return std::nullopt;
  }
  return Rotor{e->content_number(), number_in(joint, "drake:gear_ratio", 1)};
}

class Reader {
 public:
  Reader(const Element& model, int version, Mechanism& out)
      : model_(model), version_(version), out_(out) {}

  void read() {
    out_.name = model_.text("name");
    fixed_ = is_true(model_, "static");
    collect();
    place_model();
    for (const auto& [name, e] : joints_) read_joint(name, e);
    for (std::size_t i = 0; i < out_.bodies.size(); ++i)
      if (!hung_.contains(links_[i].first))
        hang_root(links_[i].first, links_[i].second, out_.bodies[i]);
    for (const auto& [name, e] : frames_) read_frame(name, e);
    std::vector<Body> parents_first;
    for (const int i : depth_first(out_))
      parents_first.push_back(std::move(out_.bodies[static_cast<std::size_t>(i)]));
    out_.bodies = std::move(parents_first);
  }

 private:
  void collect() {
    for (const Element& plain : model_.children()) {
      const std::string kind(plain.tag());
      if (kind == "model" || kind == "include")
        plain.refuse(not_read("a <" + kind + "> in a model"));
      if (kind != "link" && kind != "joint" && kind != "frame") continue;
      const std::string name = plain.of("a " + kind).text("name");
      const Element e = plain.of(kind + " " + quote(name));
      if (kind == "link") {
        names_.add(name, e, read_pose(e, version_), model_frame, "");
        add_link(name, e);
      } else if (kind == "joint") {
        names_.add(name, e, read_pose(e, version_), e.require("child").content(),
                   e.require("child").content());
        joints_.emplace_back(name, e);
      } else {
        const std::string to = e.raw("attached_to").empty() ? model_frame : e.text("attached_to");
        names_.add(name, e, read_pose(e, version_), to, to);
        frames_.emplace_back(name, e);
      }
    }
    if (out_.bodies.empty()) model_.refuse("has no links; give at least one");
    const std::string canonical = model_.raw("canonical_link");
    names_.set_canonical(canonical.empty() ? links_[0].first : canonical);
  }
  /// The pose of a model is that of its placement frame, if it has one.
  void place_model() {
    const GivenPose given = read_pose(model_, version_);
    if (!given.relative_to.empty() && given.relative_to != "world")
      model_.warn("its pose relative to " + quote(given.relative_to) +
                  " is read as one in the world");
    placed_ = given.C;
    if (!model_.raw("placement_frame").empty())
      placed_ = placed_ * inverse(names_.resolve(model_.text("placement_frame"), model_));
  }
  void add_link(const std::string& name, const Element& e) {
    Body body;
    body.name = ours(name);
    body.inertia = read_inertia(e, version_);
    body.where = e.where();
    if (body.name != name)
      e.warn("ground is the world here; the link is called " + quote(body.name));
    links_.emplace_back(name, e);
    out_.bodies.push_back(std::move(body));
  }

  /// The name of a link or frame in Chasles: `ground` is the world, and names of SDF are unique.
  std::string ours(const std::string& name) const {
    return beside_ground(name, [&](const std::string& other) {
      const auto all = model_.children();
      return std::any_of(all.begin(), all.end(),
                         [&](const Element& e) { return e.raw("name") == other; });
    });
  }
  SE3 in_world(const std::string& name, const Element& asker) {
    return placed_ * names_.resolve(name, asker);
  }
  /// The link at an end of a joint; empty: the world.
  std::string end_of(const Element& joint, const char* end) {
    const Element e = joint.require(end);
    const std::string name = e.content();
    return name == "world" ? "" : names_.link_of(name, e);
  }

  /// In axes of the model before 1.5, of the joint since, unless 1.5 and 1.6 say `use_parent_model_frame` or
  /// 1.7 and later `expressed_in`.
  Vec3 read_axis(const Element& axis, const std::string& joint) {
    const std::optional<Element> xyz = axis.child("xyz");
    std::vector<double> x{0, 0, 1};
    if (xyz) x = xyz->content_numbers(3, 3);
    std::string in = version_ < 5 ? model_frame : joint;
    if (axis.child("use_parent_model_frame")) {
      if (version_ > 6)
        axis.warn("use_parent_model_frame is not obeyed from version 1.7 on; write expressed_in");
      else if (is_true(axis, "use_parent_model_frame"))
        in = model_frame;
    }
    if (xyz && !xyz->raw("expressed_in").empty()) in = xyz->text("expressed_in");
    return in_world(in, axis).R * Vec3{x[0], x[1], x[2]};
  }

  void read_joint(const std::string& name, const Element& e) {
    const TypeRow& row = read_type(e);
    const std::string parent = end_of(e, "parent"), child = end_of(e, "child");
    if (child.empty()) e.refuse("the world is nobody's child; exchange parent and child");
    if (parent == child) e.refuse("both ends are on " + quote(child) + "; name two links");
    const SE3 J = in_world(name, e);
    Joint joint;
    joint.name = name;
    joint.type = row.type;
    AxisGeometry geometry{.point = J.r, .in = DescribedIn::world};
    if (row.axes > 0) {
      const Element axis = e.require("axis");
      geometry.axis = read_axis(axis, name);
      joint.dynamics = read_dynamics(axis);
      if (row.axes == 1) {
        joint.limits = read_limits(axis, version_);
        joint.mimic = read_mimic(axis);
      } else if (read_limits(axis, version_) || read_limits(e.require("axis2"), version_)) {
        e.warn("limits of a " + std::string(row.name) +
               " joint, which has several coordinates, are not kept");
      }
    }
    if (row.axes == 2) {
      const Element second = e.require("axis2");
      geometry.x_axis = read_axis(second, name);
      const JointDynamics d = read_dynamics(second);
      if (d.damping != joint.dynamics.damping || d.friction != joint.dynamics.friction)
        second.warn("damping and friction of both axes are those of the first");
    }
    if (row.type == JointType::helical) joint.pitch = read_pitch(e);
    if (row.name == "continuous" && joint.limits) joint.limits->lower = joint.limits->upper = {};
    joint.geometry = geometry;
    joint.rotor = read_rotor(e, joint.type);
    const SE3 A = in_world(child, e);
    const std::string above = parent.empty() ? std::string(ground) : ours(parent);
    if (hung_.insert(child).second) {
      Body& body = out_.bodies[static_cast<std::size_t>(find_body(out_, ours(child)))];
      body.parent = above;
      body.joint = std::move(joint);
      body.pose = {A, DescribedIn::world};
      body.where = e.where();
    } else {
      close(joint, above, ours(child), e);
    }
  }
  /// [m/rad]. The older element is in radians per meter, and left-handed.
  static double read_pitch(const Element& e) {
    if (const auto pitch = e.child("screw_thread_pitch"))
      return pitch->content_number() / (2 * M_PI);
    if (const auto pitch = e.child("thread_pitch")) {
      const double x = pitch->content_number();
      if (x == 0) pitch->refuse("thread_pitch is 0; give radians per meter");
      return -1 / x;
    }
    return 1 / (2 * M_PI);  // the default of SDF: one meter per revolution
  }
  /// A second joint on a link closes a loop.
  void close(const Joint& joint, const std::string& parent, const std::string& child,
             const Element& e) {
    if (joint.dynamics.damping != 0 || joint.dynamics.friction != 0 || joint.limits ||
        joint.mimic || joint.rotor)
      e.warn("closes a loop: its limits, dynamics, mimic and rotor are not kept");
    out_.loops.push_back({.name = joint.name,
                          .bodies = {parent, child},
                          .type = joint.type,
                          .geometry = joint.geometry,
                          .pitch = joint.pitch,
                          .where = e.where()});
  }

  /// Links without a joint are fixed in a static model, and floating in others.
  void hang_root(const std::string& link, const Element& e, Body& body) {
    body.joint.type = fixed_ ? JointType::fixed : JointType::floating;
    body.joint.geometry = AxisGeometry{.point = {}, .in = DescribedIn::body};
    body.joint.name = roots_++ == 0 ? "root_joint" : body.name + "_root";
    const auto taken = [&](const std::string& name) {
      return std::any_of(joints_.begin(), joints_.end(),
                         [&](const auto& joint) { return joint.first == name; });
    };
    while (taken(body.joint.name)) body.joint.name += '_';
    body.pose = {in_world(link, e), DescribedIn::world};
  }
  void read_frame(const std::string& name, const Element& e) {
    const std::string link = names_.link_of(name, e);
    out_.frames.push_back(
        {ours(name), ours(link), inverse(in_world(link, e)) * in_world(name, e), e.where()});
  }

  const Element& model_;
  int version_;  // 1.VERSION
  Mechanism& out_;
  SE3 placed_;          // the model in the world
  bool fixed_ = false;  // <static>
  Frames names_;
  std::vector<std::pair<std::string, Element>> links_, joints_, frames_;
  std::unordered_set<std::string> hung_;
  int roots_ = 0;
};

/// Gravity of a world; before 1.6 it was in <physics>.
Vec3 read_gravity(const Element& world, int version) {
  std::optional<Element> e = world.child("gravity");
  for (const Element& physics : world.children())
    if (const auto inner = physics.child("gravity"); physics.tag() == "physics" && inner) {
      if (version < 6)
        e.emplace(*inner);
      else
        inner->warn(
            "<gravity> in <physics> is not obeyed from version 1.6 on; write it in <world>");
    }
  if (!e) return {0, 0, -9.8};  // the default of SDF
  const auto g = e->content_numbers(3, 3);
  return {g[0], g[1], g[2]};
}

/// The models of the file, in worlds or by themselves.
std::vector<Element> models_of(const Element& top, int version, Mechanism& out) {
  std::vector<Element> models;
  for (const Element& e : top.children()) {
    if (e.tag() == "model") models.push_back(e);
    if (e.tag() != "world") continue;
    out.gravity = read_gravity(e, version);
    for (const Element& inner : e.children()) {
      if (inner.tag() == "model") models.push_back(inner);
      if (inner.tag() == "include") inner.refuse(not_read("<include>"));
      if (inner.tag() == "joint") inner.refuse("joints of a world are not read; give one model");
    }
  }
  return models;
}

}  // namespace
}  // namespace io::sdf

Mechanism read_sdf(std::string_view text, const std::string& name, const ReadOptions& options) {
  using namespace io;
  if (options.floating_base)
    throw Error(
        name +
        ": SDF says itself what floats: every link that no joint holds, unless the model is "
        "static; leave out --floating-base");
  const XmlText xml(text, name, "sdf");
  Report report(name, options.warnings);
  const bool old = std::string_view(xml.root().Name()) == "gazebo";  // up to 1.2
  const Element top(report, xml.root(old ? "gazebo" : "sdf", "SDF"), "sdf");
  const int version = sdf::read_version(top);
  check_format(sdf_format, top);
  Mechanism mechanism;
  const std::vector<Element> models = sdf::models_of(top, version, mechanism);
  if (models.size() != 1)
    top.refuse("has " + std::to_string(models.size()) + " models; give a file with one");
  const Element model = models[0].of("model " + quote(models[0].text("name")));
  sdf::Reader(model, version, mechanism).read();
  return mechanism;
}

}  // namespace chasles
