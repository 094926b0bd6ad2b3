#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/suggest.hpp"
#include "io/sdf/auto_inertia.hpp"
#include "io/sdf/collisions.hpp"
#include "io/sdf/joints.hpp"
#include "io/sdf/model.hpp"

namespace chasles {
namespace io::sdf {
namespace {

/// SDF default: a link without inertial has 1 kg and 1 kg m^2; so have omitted parts of an inertial.
BodyInertia read_inertia(const Element& link, int version) {
  BodyInertia inertia{.mass = 1, .com = {}, .tensor = Sym3::diagonal(1, 1, 1)};
  const std::optional<Element> e = link.child("inertial");
  if (!e) {
    link.warn("has no <inertial>; by the rule of SDF it gets 1 kg and 1 kg m^2");
    return inertia;
  }
  if (e->raw("auto") == "true" || e->raw("auto") == "1") {
    if (const auto of_shapes = inertia_of_shapes(link, *e, version)) return *of_shapes;
    link.warn("has no collision shape with a volume; by the rule of SDF it gets 1 kg and 1 kg m^2");
    return inertia;
  }
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

/// Sets of bodies that joints connect: a joint within a set closes a loop.
class Sets {
 public:
  /// @returns false if both are in one set already
  bool join(int a, int b) {
    a = find(a), b = find(b);
    if (a == b) return false;
    up_[static_cast<std::size_t>(a)] = b;
    return true;
  }
  int add() {
    up_.push_back(static_cast<int>(up_.size()));
    return up_.back();
  }

 private:
  int find(int a) {
    for (int* up = &up_[static_cast<std::size_t>(a)]; *up != a;
         up = &up_[static_cast<std::size_t>(a)])
      a = *up = up_[static_cast<std::size_t>(*up)];
    return a;
  }
  std::vector<int> up_;
};

/// The mechanism of a model and of those nested in it, whose links, joints and frames are called NESTED::NAME.
class Assembly {
 public:
  /// @param only  the name of a model that is the only one, so that its name is left out; or empty
  Assembly(Mechanism& out, const std::string& only) : out_(out) {
    if (!only.empty()) left_out_ = only + scope_mark;
    sets_.add();  // ground
  }

  void add(Model& top) {
    visit(top, "", SE3{}, false);
    rename_ground();
    for (const Scope& scope : scopes_)
      for (const Member& link : scope.model->links)
        read_sdf_collisions(link.element, body_name(indices_.at(scope.prefix + link.name)),
                            link.source.version(), out_);
    for (Scope& scope : scopes_)
      for (const Member& joint : scope.model->joints)
        joint_names_.insert(called(scope, joint.name));
    for (Scope& scope : scopes_)
      for (const Member& joint : scope.model->joints) read_joint(scope, joint);
    for (Scope& scope : scopes_) {
      for (const Member& link : scope.model->links) hang_root(scope, link);
      for (const Member& frame : scope.model->frames) read_frame(scope, frame);
    }
    for (const auto& [scope, gearbox] : gearboxes_) couple(*scope, *gearbox);
    std::vector<Body> parents_first;
    for (const int i : depth_first(out_))
      parents_first.push_back(std::move(out_.bodies[static_cast<std::size_t>(i)]));
    out_.bodies = std::move(parents_first);
  }

 private:
  /// A model, with its place among the others.
  struct Scope {
    Model* model;
    std::string prefix;  // "NESTED::INNER::"
    SE3 placed;          // in the world
    bool is_static;
  };

  /// Inner models before outer ones, so that links hang on the joints of their own model.
  void visit(Model& model, const std::string& prefix, const SE3& placed, bool is_static) {
    for (const Member& link : model.links) add_link(prefix + link.name, link);
    for (Model::Nested& inner : model.nested) {
      const Element& asker = inner.element;
      visit(*inner.model, prefix + inner.name + scope_mark,
            placed * model.names.resolve(inner.name, asker), is_static || inner.is_static);
    }
    for (const Member& frame : model.frames) taken_.insert(shown(prefix + frame.name));
    scopes_.push_back({&model, prefix, placed, is_static});
  }
  void add_link(const std::string& name, const Member& link) {
    indices_.emplace(name, static_cast<int>(out_.bodies.size()));
    taken_.insert(shown(name));
    Body& body = out_.bodies.emplace_back();
    body.name = shown(name);
    body.inertia = read_inertia(link.element, link.source.version());
    body.where = link.element.where();
    sets_.add();
  }
  std::string shown(const std::string& name) const {
    return name.starts_with(left_out_) ? name.substr(left_out_.size()) : name;
  }
  std::string called(const Scope& scope, const std::string& name) const {
    return shown(scope.prefix + name);
  }
  void rename_ground() {
    for (const Scope& scope : scopes_)
      for (const Member& link : scope.model->links) {
        Body& body = out_.bodies[static_cast<std::size_t>(indices_.at(scope.prefix + link.name))];
        if (body.name != ground) continue;
        body.name = fresh(body.name + "_");
        link.element.warn("ground is the world here; the link is called " + quote(body.name));
      }
  }
  /// A name for a body or frame that is beside those of the file.
  std::string fresh(std::string name) {
    while (name == ground || !taken_.insert(name).second) name += '_';
    return name;
  }

  static SE3 in_world(Scope& scope, const std::string& name, const Element& asker) {
    return scope.placed * scope.model->names.resolve(name, asker);
  }
  /// The link at an end of a joint, by its index; -1: the world.
  int end_of(const Scope& scope, const Member& joint, const char* end) const {
    const Element e = joint.element.require(end);
    const std::string name = joint.source.name(e.content());
    const std::string link = name == "world" ? name : scope.model->names.link_of(name, e);
    return link == "world" ? -1 : indices_.at(scope.prefix + link);
  }
  std::string body_name(int index) const {
    return index < 0 ? std::string(ground) : out_.bodies[static_cast<std::size_t>(index)].name;
  }

  /// In axes of the model before 1.5, of the joint since, unless 1.5 and 1.6 say `use_parent_model_frame` or
  /// 1.7 and later `expressed_in`.
  static Vec3 read_axis(Scope& scope, const Element& axis, const Member& joint) {
    const int version = joint.source.version();
    const std::optional<Element> xyz = axis.child("xyz");
    std::vector<double> x{0, 0, 1};
    if (xyz) x = xyz->content_numbers(3, 3);
    std::string in = version < 5 ? joint.source.self : joint.name;
    if (axis.child("use_parent_model_frame")) {
      if (version > 6)
        axis.warn("use_parent_model_frame is not obeyed from version 1.7 on; write expressed_in");
      else if (is_true(axis, "use_parent_model_frame"))
        in = joint.source.self;
    }
    if (xyz && !xyz->raw("expressed_in").empty()) in = joint.source.name(xyz->text("expressed_in"));
    return in_world(scope, in, axis).R * Vec3{x[0], x[1], x[2]};
  }

  Joint joint_of_type(Scope& scope, const Member& member, const TypeRow& row) {
    const Element& e = member.element;
    const int version = member.source.version();
    Joint joint;
    joint.name = called(scope, member.name);
    joint.type = row.type;
    AxisGeometry geometry{.point = in_world(scope, member.name, e).r, .in = DescribedIn::world};
    if (row.axes > 0) {
      const Element axis = e.require("axis");
      geometry.axis = read_axis(scope, axis, member);
      joint.dynamics = read_dynamics(axis);
      if (row.axes == 1) {
        joint.limits = read_limits(axis, version);
        joint.mimic = read_mimic(axis);
        if (joint.mimic) joint.mimic->joint = called(scope, joint.mimic->joint);
      } else if (read_limits(axis, version) || read_limits(e.require("axis2"), version)) {
        e.warn("limits of a " + std::string(row.name) +
               " joint, which has several coordinates, are not kept");
      }
    }
    if (row.axes == 2) {
      const Element second = e.require("axis2");
      geometry.x_axis = read_axis(scope, second, member);
      const JointDynamics d = read_dynamics(second);
      JointDynamics& first = joint.dynamics;
      if (d.damping != first.damping || d.friction != first.friction ||
          d.stiffness != first.stiffness)
        second.warn("damping, friction and spring_stiffness of both axes are those of the first");
      if (!first.rest.empty() || !d.rest.empty())
        first.rest = {first.rest.empty() ? 0 : first.rest[0], d.rest.empty() ? 0 : d.rest[0]};
    }
    if (row.type == JointType::helical) joint.pitch = read_pitch(e);
    if (row.name == "continuous" && joint.limits) joint.limits->lower = joint.limits->upper = {};
    joint.geometry = geometry;
    joint.armature = read_armature(e, joint.type);
    return joint;
  }
  void read_joint(Scope& scope, const Member& member) {
    const Element& e = member.element;
    if (e.text("type") == "gearbox") {
      gearboxes_.emplace_back(&scope, &member);
      return;
    }
    const TypeRow& row = read_type(e);
    const int parent = end_of(scope, member, "parent"), child = end_of(scope, member, "child");
    if (child < 0) e.refuse("the world cannot be a child; exchange parent and child");
    if (parent == child)
      e.refuse("both ends are on " + quote(body_name(child)) + "; name two links");
    Joint joint = joint_of_type(scope, member, row);
    if (scope.is_static && joint.type != JointType::fixed) {
      e.warn("a joint of a static model does not move");
      joint = Joint{joint.name, JointType::fixed, AxisGeometry{.point = {}}};
    }
    const SE3 A = link_pose(scope, member);
    Body& body = out_.bodies[static_cast<std::size_t>(child)];
    if (hung_.contains(child) || !sets_.join(parent + 1, child + 1))
      return close(std::move(joint), body_name(parent), body.name, A, e);
    hung_.insert(child);
    body.parent = body_name(parent);
    body.joint = std::move(joint);
    body.pose = {A, DescribedIn::world};
    body.where = e.where();
  }
  /// The pose of the link that is the child of a joint.
  static SE3 link_pose(Scope& scope, const Member& joint) {
    const Element e = joint.element.require("child");
    return in_world(scope, scope.model->names.link_of(joint.source.name(e.content()), e), e);
  }

  /// A second joint on a link closes a loop. A loop has equations alone: if its joint has limits, damping, friction,
  /// a mimic or a rotor, a massless body hangs on the joint, and the loop fixes it to the link.
  void close(Joint joint, const std::string& parent, const std::string& child, const SE3& A,
             const Element& e) {
    const bool is_plain =
        !joint.dynamics.acts() && !joint.limits && !joint.mimic && joint.armature == 0;
    Loop loop{.name = joint.name,
              .bodies = {parent, child},
              .type = joint.type,
              .geometry = joint.geometry,
              .pitch = joint.pitch,
              .where = e.where()};
    if (!is_plain) {
      Body end;
      end.name = fresh(joint.name + "_end");
      end.parent = parent;
      end.pose = {A, DescribedIn::world};
      end.joint = std::move(joint);
      end.where = e.where();
      loop.bodies[0] = end.name;
      loop.name += "_closure";  // in maximal coordinates the joint is a loop, too
      loop.type = JointType::fixed;
      loop.geometry = AxisGeometry{.point = {}, .in = DescribedIn::body};
      loop.pitch = 0;
      out_.bodies.push_back(std::move(end));
    }
    out_.loops.push_back(std::move(loop));
  }

  /// Links without a joint are fixed in a static model, and floating in others.
  void hang_root(Scope& scope, const Member& link) {
    const int index = indices_.at(scope.prefix + link.name);
    Body& body = out_.bodies[static_cast<std::size_t>(index)];
    if (hung_.contains(index)) return;
    body.joint.type = scope.is_static ? JointType::fixed : JointType::floating;
    body.joint.geometry = AxisGeometry{.point = {}, .in = DescribedIn::body};
    body.joint.name = roots_++ == 0 ? "root_joint" : body.name + "_root";
    while (!joint_names_.insert(body.joint.name).second) body.joint.name += '_';
    body.pose = {in_world(scope, link.name, link.element), DescribedIn::world};
  }

  void read_frame(Scope& scope, const Member& frame) {
    const Element& e = frame.element;
    const std::string link = scope.model->names.link_of(frame.name, e);
    const bool is_world = link == "world";
    const SE3 A = is_world ? SE3{} : in_world(scope, link, e);
    const std::string name = called(scope, frame.name);
    out_.frames.push_back(
        {name == ground ? fresh(name + "_") : name,
         is_world ? std::string(ground) : body_name(indices_.at(scope.prefix + link)),
         inverse(A) * in_world(scope, frame.name, e), e.where()});
  }

  /// theta_2 = -ratio theta_1: the angles of parent and child of the gearbox relative to its reference body, about
  /// `axis` and `axis2`.
  void couple(Scope& scope, const Member& member) {
    const Element& e = member.element;
    if (scope.is_static) return;
    const Element reference = e.require("gearbox_reference_body");
    const std::string name = reference.content();
    const std::string link =
        name == "world" ? name : scope.model->names.link_of(member.source.name(name), reference);
    const int body = link == "world" ? -1 : indices_.at(scope.prefix + link);
    const Element axis = e.require("axis"), second = e.child("axis2").value_or(axis);
    Coupling coupling{called(scope, member.name), {}, 0, e.where()};
    coupling.terms.push_back(
        term(e, end_of(scope, member, "child"), body, read_axis(scope, second, member), 1));
    coupling.terms.push_back(term(e, end_of(scope, member, "parent"), body,
                                  read_axis(scope, axis, member),
                                  number_in(e, "gearbox_ratio", 1)));
    out_.couplings.push_back(std::move(coupling));
  }
  /// The angle of a link relative to a reference body, by the revolute joint between them.
  Coupling::Term term(const Element& e, int link, int reference, const Vec3& axis,
                      double coefficient) const {
    const std::string one = body_name(link), other = body_name(reference);
    for (const Body& body : out_.bodies) {
      const bool forward = body.name == one && body.parent == other;
      const bool backward = body.name == other && body.parent == one;
      if (!(forward || backward) || body.joint.type != JointType::revolute) continue;
      const Vec3& own = std::get<AxisGeometry>(body.joint.geometry).axis;
      const double along = dot(own, axis) / (norm(own) * norm(axis));
      if (!(std::abs(std::abs(along) - 1) < 1e-6))
        e.refuse("the axis of the gearbox is not that of joint " + quote(body.joint.name));
      return {body.joint.name, coefficient * (forward ? 1 : -1) * (along > 0 ? 1 : -1)};
    }
    e.refuse("there is no revolute joint between " + quote(one) + " and " + quote(other) +
             ", whose angle the gearbox transmits");
  }

  Mechanism& out_;
  std::string left_out_;
  std::vector<Scope> scopes_;
  std::unordered_map<std::string, int> indices_;         // of bodies, by the whole name
  std::unordered_set<std::string> taken_, joint_names_;  // of bodies and frames; of joints
  std::unordered_set<int> hung_;
  Sets sets_;  // ground, then bodies
  std::vector<std::pair<Scope*, const Member*>> gearboxes_;
  int roots_ = 0;
};

/// Keeps one model of several.
void choose(Model& top, const std::string& name, const Element& asker) {
  std::vector<std::string_view> known;
  for (Model::Nested& inner : top.nested) {
    if (inner.name != name) {
      known.push_back(inner.name);
      continue;
    }
    Model::Nested kept = std::move(inner);
    top.nested.clear();
    top.nested.push_back(std::move(kept));
    if (!top.joints.empty() || !top.frames.empty())
      asker.warn("joints and frames of the world are not read, as one model is chosen");
    top.joints.clear(), top.frames.clear();
    return;
  }
  asker.refuse("there is no model " + quote(name) + did_you_mean(name, known));
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
  sdf::Documents documents(text, name, options);
  const Element& top = documents.main().top;
  Mechanism mechanism;
  for (const Element& e : top.children())
    if (e.tag() == "world") {
      mechanism.gravity = sdf::read_gravity(e, documents.main().version);
      mechanism.name = e.raw("name");
    }
  sdf::Model all(documents, top, documents.main(), 0);
  if (!options.model.empty()) sdf::choose(all, options.model, top);
  if (top.children().empty()) top.refuse("has no models; give at least one");
  // The name of the only model is left out, unless it tells names of the model from those of the world.
  const bool is_alone = all.nested.size() == 1 && all.joints.empty() && all.frames.empty();
  const std::string only = is_alone ? all.nested[0].name : "";
  if (!only.empty()) mechanism.name = only;
  sdf::Assembly(mechanism, only).add(all);
  if (mechanism.bodies.empty()) top.warn("has no links; the mechanism has no bodies");
  return mechanism;
}

}  // namespace chasles
