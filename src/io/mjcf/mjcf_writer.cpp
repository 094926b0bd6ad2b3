#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "chasles/io/mechanism_file.hpp"
#include "io/mjcf/written_actuators.hpp"
#include "io/mjcf/written_collisions.hpp"
#include "io/mjcf/written_text.hpp"
#include "io/writers/simple_joints.hpp"

namespace chasles {
namespace io::mjcf {
namespace {

constexpr JointType joint_types[] = {JointType::revolute, JointType::prismatic,
                                     JointType::spherical, JointType::floating, JointType::fixed};
constexpr JointType loop_types[] = {JointType::revolute, JointType::spherical, JointType::fixed};
constexpr FormatJoints format_joints{"MJCF", joint_types, loop_types};

/// In place of a limit that is not given: beyond any motion, as a range has two ends.
constexpr double unlimited = 1e30;

class MjcfWriter {
 public:
  MjcfWriter(const Mechanism& mechanism, std::vector<std::string>* warnings)
      : simple_(simple_joints(mechanism, format_joints)),
        mechanism_(simple_.mechanism),
        named_(named_bodies(mechanism_)),
        warnings_(warnings),
        collisions_(mechanism_, geom_names_, [this](const std::string& text) { warn(text); }) {
    for (std::size_t i = 0; i < mechanism_.bodies.size(); ++i) {
      const Body& body = mechanism_.bodies[i];
      index_.emplace(body.name, i);
      children_[body.parent].push_back(i);
      taken_.insert(body.name);
    }
    if (const auto found = index_.find("world"); found != index_.end())
      called_world_ = WrittenNames::fresh(taken_, "world_");
  }

  std::string write() {
    out_ = "<mujoco" + (mechanism_.name.empty() ? "" : attribute("model", mechanism_.name)) +
           ">\n  <compiler angle=\"radian\"/>\n  <option gravity=\"" +
           numbers_text(mechanism_.gravity) + '"' +
           (mechanism_.collisions.neighbors ? "><flag filterparent=\"disable\"/></option>" : "/>") +
           "\n  <worldbody>\n";
    for (const Loop& loop : mechanism_.loops) add_loop(loop);
    for (const Tendon& tendon : mechanism_.tendons) tendon_names_.insert(tendon.name);
    for (const Tendon& tendon : mechanism_.tendons) add_tendon(tendon);
    for (const ConstraintElement& element : mechanism_.constraints) add_constraint(element);
    for (const Body& body : mechanism_.bodies) add_mimic(body);
    for (const Coupling& coupling : mechanism_.couplings) add_coupling(coupling);
    const WrittenActuators actuators = write_actuators(
        mechanism_, [this](const std::string& frame) { return site_of(frame); }, tendon_names_,
        [this](const std::string& text) { warn(text); });
    tendons_ += actuators.tendons;
    sites(std::string(ground), 2);
    bodies();
    out_ += "  </worldbody>\n";
    section("contact",
            collisions_.contact([this](const std::string& body) { return body_name(body); }));
    section("equality", equalities_);
    section("tendon", tendons_);
    section("actuator", actuators.elements);
    section("keyframe", write_keyframes(mechanism_, joints_, actuators.names));
    return out_ + "</mujoco>\n";
  }

 private:
  void section(const char* tag, const std::string& elements) {
    if (!elements.empty())
      out_ += std::string("  <") + tag + ">\n" + elements + "  </" + tag + ">\n";
  }
  void warn(const std::string& message) {
    if (warnings_ != nullptr) warnings_->push_back(message);
  }
  void line(int depth, const std::string& text) {
    out_ += std::string(static_cast<std::size_t>(2 * depth), ' ') + text + '\n';
  }
  std::string body_name(const std::string& name) const {
    return name == ground ? "world" : name == "world" ? called_world_ : name;
  }
  const SE3& pose_of(const std::string& body) const {
    static const SE3 identity;
    return body == ground ? identity : mechanism_.bodies[index_.at(body)].pose.C;
  }

  /// Several joints of one body: the massless bodies between them, which nothing else names, have its frame and are left
  /// out. MuJoCo refuses massless bodies, and joints that turn after a ball joint.
  bool is_folded(const Body& body) const {
    const bool is_own = simple_.inserted.contains(body.name);
    const JointType type = body.joint.type;
    if (type == JointType::floating || (!is_own && type == JointType::spherical)) return false;
    if (!is_own && (has_inertia(body) || named_.contains(body.name) || type == JointType::fixed))
      return false;
    const auto found = children_.find(body.name);
    if (found == children_.end() || found->second.size() != 1) return false;
    const Body& child = mechanism_.bodies[found->second[0]];
    return coincide(child.pose.C, body.pose.C) && child.joint.type != JointType::fixed &&
           child.joint.type != JointType::floating;
  }
  /// Bodies that other parts than joints name.
  static std::unordered_set<std::string> named_bodies(const Mechanism& m) {
    std::unordered_set<std::string> names;
    for (const FrameDescription& frame : m.frames) names.insert(frame.body);
    for (const Loop& loop : m.loops) names.insert(loop.bodies.begin(), loop.bodies.end());
    for (const Actuator& actuator : m.actuators) names.insert(actuator.frame);
    for (const CollisionShape& shape : m.collisions.shapes) names.insert(shape.body);
    for (const auto& pair : m.collisions.excluded) names.insert(pair.begin(), pair.end());
    for (const Tendon& tendon : m.tendons)
      for (const Tendon::Point& point : tendon.points) {
        names.insert(point.frame);
        if (point.wrap) names.insert({point.wrap->frame, point.wrap->side});
      }
    for (const ConstraintElement& element : m.constraints)
      if (const auto* cable = std::get_if<CableElement>(&element.data))
        for (const ConstraintPoint& point : cable->points) names.insert(point.body);
    return names;
  }

  /// Iterative: chains of bodies may exceed the stack.
  void bodies() {
    struct Open {
      const std::vector<std::size_t>* children;
      std::size_t next;
      bool folded;
    };
    static const std::vector<std::size_t> none;
    const auto below = [&](const std::string& name) {
      const auto found = children_.find(name);
      return found == children_.end() ? &none : &found->second;
    };
    std::vector<Open> open{{below(std::string(ground)), 0, true}};
    std::vector<const Body*> folded;  // their joints come first
    int depth = 2;
    while (!open.empty()) {
      Open& at = open.back();
      if (at.next == at.children->size()) {
        if (!at.folded) line(--depth, "</body>");
        open.pop_back();
        continue;
      }
      const Body& body = mechanism_.bodies[(*at.children)[at.next++]];
      const bool is_between = is_folded(body);
      folded.push_back(&body);
      if (!is_between) {
        begin_body(body, folded, depth++);
        folded.clear();
      }
      open.push_back({below(body.name), 0, is_between});
    }
  }
  void begin_body(const Body& body, const std::vector<const Body*>& joints, int depth) {
    const SE3 above = pose_of(joints.front()->parent);
    line(depth, "<body" + attribute("name", body_name(body.name)) +
                    pose_attributes(above == SE3{} ? body.pose.C : inverse(above) * body.pose.C) +
                    ">");
    for (const Body* with : joints) joint_element(*with, body.pose.C, depth + 1);
    if (has_inertia(body)) {
      line(depth + 1, inertial_element(*body.inertia));
    } else if (body.joint.type != JointType::fixed && !carries_mass(body)) {
      warn("body '" + body.name +
           "' moves and has no mass, which MuJoCo refuses; give it a small one");
    }
    sites(body.name, depth + 1);
  }
  static bool has_inertia(const Body& body) {
    return body.inertia && (body.inertia->mass != 0 || body.inertia->tensor != Sym3{});
  }
  /// A diagonal tensor is written as such: MuJoCo accepts zeros there alone.
  static std::string inertial_element(const BodyInertia& inertia) {
    const Sym3 I = tensor_about_com(inertia);
    const bool diagonal = I.xy == 0 && I.xz == 0 && I.yz == 0;
    return "<inertial pos=\"" + numbers_text(inertia.com) + "\" mass=\"" + to_text(inertia.mass) +
           (diagonal ? "\" diaginertia=\"" + numbers_text(std::array{I.xx, I.yy, I.zz})
                     : "\" fullinertia=\"" +
                           numbers_text(std::array{I.xx, I.yy, I.zz, I.xy, I.xz, I.yz})) +
           "\"/>";
  }
  /// Whether a body that is fixed to it has a mass.
  bool carries_mass(const Body& body) const {
    const auto found = children_.find(body.name);
    if (found == children_.end()) return false;
    return std::any_of(found->second.begin(), found->second.end(), [&](std::size_t i) {
      const Body& child = mechanism_.bodies[i];
      return child.joint.type == JointType::fixed && child.inertia && child.inertia->mass > 0;
    });
  }

  void joint_element(const Body& body, const SE3& A, int depth) {
    const Joint& joint = body.joint;
    if (joint.type == JointType::fixed) return;
    joints_.push_back({joint.name, joint.type, body.pose.C, joint.group});
    if (joint.type == JointType::floating) {
      if (body.parent != ground)
        throw Error(describe(body.where, "joint", joint.name) +
                    ": MJCF has floating joints on the world alone; keep the mechanism in YAML");
      if (joint.armature != 0)  // which puts it on SO(3) x R^3 there, too
        return line(depth, "<joint" + attribute("name", joint.name) + " type=\"free\" armature=\"" +
                               to_text(joint.armature) + "\"/>");
      if (joint.group == FloatingGroup::so3xr3)
        warn("joint '" + joint.name + "': the group of a floating joint, so3xr3, is not written");
      return line(depth, "<freejoint" + attribute("name", joint.name) + "/>");
    }
    const auto& geometry = std::get<AxisGeometry>(joint.geometry);
    const bool is_ball = joint.type == JointType::spherical;
    std::string text = "<joint" + attribute("name", joint.name) + " type=\"" +
                       (is_ball                              ? "ball"
                        : joint.type == JointType::prismatic ? "slide"
                                                             : "hinge") +
                       '"';
    if (joint.type != JointType::prismatic)
      text += " pos=\"" + numbers_text(inverse(A) * geometry.point) + '"';
    if (!is_ball) text += " axis=\"" + numbers_text(inverse(A.R) * geometry.axis) + '"';
    line(depth, text + limits(joint) + dynamics(joint) + "/>");
  }
  std::string limits(const Joint& joint) {
    if (!joint.limits) return "";
    const JointLimits& l = *joint.limits;
    if (l.velocity)
      warn("joint '" + joint.name + "': the limit of velocity is not written: MJCF has none");
    std::string text;
    if (l.effort && *l.effort > 0 && may_clamp(joint.name, *l.effort))
      text = " actuatorfrcrange=\"" + numbers_text(std::array{-*l.effort, *l.effort}) + '"';
    else if (l.effort)
      warn("joint '" + joint.name +
           "': the limit of effort is not written: in MJCF it would clamp what acts here; give "
           "its actuators a force_range");
    if (!l.lower && !l.upper) return text;
    if (l.lower && l.upper && !(*l.lower < *l.upper)) {
      warn("joint '" + joint.name +
           "': limits that leave one position are not written: a range of "
           "MJCF has two ends");
      return text;
    }
    return " limited=\"true\" range=\"" +
           numbers_text(std::array{l.lower.value_or(-unlimited), l.upper.value_or(unlimited)}) +
           '"' + text;
  }
  /// Limits of effort are reported here and clamp in MJCF: whether the actuators stay within one by themselves.
  bool may_clamp(const std::string& joint, double effort) const {
    const auto acts = [&](const Actuator::Term& term) { return term.joint == joint; };
    int count = 0;
    for (const Actuator& actuator : mechanism_.actuators) {
      if (actuator.terms.empty()) return false;  // on frames and tendons, which may move any joint
      if (std::ranges::none_of(actuator.terms, acts)) continue;
      if (++count > 1 || actuator.terms.size() > 1 || !actuator.force_range) return false;
      const auto& [lower, upper] = *actuator.force_range;
      const double most =
          std::max(std::abs(lower), std::abs(upper)) * std::abs(actuator.terms[0].coefficient);
      if (most > effort * (1 + 1e-12)) return false;
    }
    return true;
  }
  std::string dynamics(const Joint& joint) {
    std::string text;
    text += coefficients("damping", joint.dynamics.damping, joint.dynamics.drag);
    if (joint.dynamics.friction != 0)
      text += " frictionloss=\"" + to_text(joint.dynamics.friction) + '"';
    text += spring(joint);
    if (joint.rotor) warn(rotor_is_reflected("MJCF", joint.name));
    if (const double armature = reflected_inertia(joint); armature != 0)
      text += " armature=\"" + to_text(armature) + '"';
    return text;
  }
  static std::string coefficients(const char* name, double linear,
                                  const std::array<double, 2>& more) {
    if (more == std::array<double, 2>{})
      return linear == 0 ? "" : std::string(" ") + name + "=\"" + to_text(linear) + '"';
    return std::string(" ") + name + "=\"" + numbers_text(std::array{linear, more[0], more[1]}) +
           '"';
  }
  std::string spring(const Joint& joint) {
    const std::vector<double>& rest = joint.dynamics.rest;
    const std::string text =
        coefficients("stiffness", joint.dynamics.stiffness, joint.dynamics.stiffening);
    if (text.empty()) return "";
    if (rest.size() == 1) return text + " springref=\"" + to_text(rest[0]) + '"';
    if (!rest.empty() && std::abs(rest[0]) != 1)
      warn("joint '" + joint.name +
           "': the rest position of its spring is not written: that of a ball joint of MJCF is "
           "q = 0");
    return text;
  }
  /// The sites of a body, and the geoms.
  void sites(const std::string& body, int depth) {
    for (const FrameDescription& frame : mechanism_.frames)
      if (frame.body == body)
        line(depth, "<site" + attribute("name", frame.name) + pose_attributes(frame.pose) + "/>");
    for (const auto& [name, at, point] : loop_sites_)
      if (at == body)
        line(depth, "<site" + attribute("name", name) + pose_attributes({{}, point}) + "/>");
    for (const auto& [name, at, pose, wrap] : wrap_geoms_)
      if (at == body)
        line(depth,
             "<geom" + attribute("name", name) + " type=\"" +
                 (wrap.shape == Tendon::Wrap::sphere
                      ? "sphere\" size=\"" + to_text(wrap.radius)
                      : "cylinder\" size=\"" + to_text(wrap.radius) + " " + to_text(wrap.radius)) +
                 '"' + pose_attributes(pose) + " mass=\"0\" contype=\"0\" conaffinity=\"0\"/>");
    for (const std::string& geom : collisions_.geoms_of(body)) line(depth, geom);
  }

  void equality(const std::string& text) { equalities_ += "    <" + text + "/>\n"; }
  /// A weld for a fixed loop; a point for a spherical one, two points on the axis for a revolute one.
  void add_loop(const Loop& loop) {
    const auto& [first, second, axis, x_axis] = std::get<FramesGeometry>(loop.geometry);
    if (loop.type == JointType::fixed) {
      const SE3 C = first * inverse(second);
      const Quaternion q = quaternion(C.R);
      return equality("weld" + attribute("name", loop.name) + ends(loop) + " relpose=\"" +
                      numbers_text(std::array{C.r.x, C.r.y, C.r.z, q.w, q.x, q.y, q.z}) + '"');
    }
    connect(loop, loop.name, {});
    if (loop.type == JointType::revolute) connect(loop, loop.name + "_axis", {0, 0, 1});
  }
  std::string ends(const Loop& loop) const {
    return attribute("body1", body_name(loop.bodies[0])) +
           attribute("body2", body_name(loop.bodies[1]));
  }
  /// Two points coincide: in the configuration of the file, or those of two sites.
  void connect(const Loop& loop, const std::string& name, const Vec3& point) {
    const auto& frames = std::get<FramesGeometry>(loop.geometry);
    const Vec3 a = frames.parent * point, b = frames.child * point;
    const Vec3 gap = pose_of(loop.bodies[0]) * a - pose_of(loop.bodies[1]) * b;
    if (loop.bodies[0] != ground && max_abs(gap) <= 1e-15 * std::max(1.0, max_abs(a)))
      return equality("connect" + attribute("name", name) + ends(loop) + " anchor=\"" +
                      numbers_text(a) + '"');
    std::string sites[2];
    for (const int k : {0, 1}) {
      const auto i = static_cast<std::size_t>(k);
      sites[i] = WrittenNames::fresh(taken_, name + "_" + std::to_string(k + 1));
      loop_sites_.push_back({sites[i], loop.bodies[i], k == 0 ? a : b});
    }
    equality("connect" + attribute("name", name) + attribute("site1", sites[0]) +
             attribute("site2", sites[1]));
  }
  void add_mimic(const Body& body) {
    if (!body.joint.mimic) return;
    const auto& [joint, multiplier, offset] = *body.joint.mimic;
    equality("joint" + attribute("name", body.joint.name + "_mimic") +
             attribute("joint1", body.joint.name) + attribute("joint2", joint) + " polycoef=\"" +
             numbers_text(std::array{offset, multiplier, 0.0, 0.0, 0.0}) + '"');
  }
  /// c_1 q_1 + c_2 f(q_2) = offset as q_1 = (offset - c_2 f(q_2)) / c_1 for a polynomial f of degree 4 at most, and linear
  /// relations of more joints as a fixed tendon of constant length.
  void add_coupling(const Coupling& coupling) {
    std::vector<Coupling::Term> terms = coupling.terms;
    const auto is_linear = [](const Coupling::Term& term) { return term.function == CurveData{}; };
    const auto known = [](const Coupling::Term& term) {
      return term.function.table.empty() && term.function.polynomial.size() <= 5;
    };
    if (terms.size() == 2 && !is_linear(terms[0])) std::swap(terms[0], terms[1]);
    if (terms.size() > 2 && std::ranges::all_of(terms, is_linear)) return add_sum(coupling);
    if (terms.size() > 2 || !is_linear(terms[0]) || !known(terms.back()))
      return warn("coupling '" + coupling.name +
                  "' is not written: MJCF relates a joint to a polynomial of degree 4 of another "
                  "one, or several joints linearly; keep the mechanism in YAML");
    const double c = terms[0].coefficient;
    std::array<double, 5> a{};
    if (terms.size() == 2) {
      if (is_linear(terms[1]))
        a[1] = 1;
      else
        std::ranges::copy(terms[1].function.polynomial, a.begin());
      for (double& x : a) x *= -terms[1].coefficient / c;
    }
    a[0] += coupling.offset / c;
    equality("joint" + attribute("name", coupling.name) + attribute("joint1", terms[0].joint) +
             (terms.size() == 2 ? attribute("joint2", terms[1].joint) : "") + " polycoef=\"" +
             numbers_text(a) + '"');
  }
  void add_sum(const Coupling& coupling) {
    const std::string name = WrittenNames::fresh(tendon_names_, coupling.name);
    tendons_ += "    <fixed" + attribute("name", name) + ">\n";
    for (const Coupling::Term& term : coupling.terms)
      tendons_ += "      <joint" + attribute("joint", term.joint) + " coef=\"" +
                  to_text(term.coefficient) + "\"/>\n";
    tendons_ += "    </fixed>\n";
    equality("tendon" + attribute("name", coupling.name) + attribute("tendon1", name) +
             " polycoef=\"" + numbers_text(std::array{coupling.offset, 0.0, 0.0, 0.0, 0.0}) + '"');
  }

  /// The frame of a point, or a new site at the origin of its body.
  std::string site_of(const std::string& name) {
    if (name != ground && !index_.contains(name)) return name;
    loop_sites_.push_back({WrittenNames::fresh(taken_, name + "_origin"), name, {}});
    return loop_sites_.back().name;
  }
  /// A shape for a tendon to wrap around, which touches nothing and has no mass.
  std::string geom_of(const Tendon::Wrap& wrap) {
    const auto frame = std::ranges::find(mechanism_.frames, wrap.frame, &FrameDescription::name);
    const bool own = frame == mechanism_.frames.end();
    wrap_geoms_.push_back({WrittenNames::fresh(geom_names_, wrap.frame + "_wrap"),
                           own ? wrap.frame : frame->body, own ? SE3{} : frame->pose, wrap});
    return wrap_geoms_.back().name;
  }
  /// Rods and cables are tendons of constant length.
  void add_constraint(const ConstraintElement& element) {
    const auto* cable = std::get_if<CableElement>(&element.data);
    if (cable == nullptr)
      return warn(
          "constraint '" + element.name +
          "' is not written: MJCF has no points on planes, lines and curves, and no rolling; "
          "keep the mechanism in YAML");
    double offset = 0;
    if (cable->length) {
      std::vector<Vec3> at;
      for (const ConstraintPoint& p : cable->points) at.push_back(in_world(p));
      offset = *cable->length;
      for (std::size_t i = 0; i + 1 < at.size(); ++i) offset -= norm(at[i + 1] - at[i]);
    }
    const std::string name = WrittenNames::fresh(tendon_names_, element.name);
    tendons_ += "    <spatial" + attribute("name", name) + ">\n";
    for (const ConstraintPoint& p : cable->points) {
      const auto [body, pose] = on_body(p);
      loop_sites_.push_back({WrittenNames::fresh(taken_, element.name + "_point"), body, pose.r});
      tendons_ += "      <site" + attribute("site", loop_sites_.back().name) + "/>\n";
    }
    tendons_ += "    </spatial>\n";
    equality("tendon" + attribute("name", element.name) + attribute("tendon1", name) +
             " polycoef=\"" + numbers_text(std::array{offset, 0.0, 0.0, 0.0, 0.0}) + '"');
  }
  std::pair<std::string, SE3> on_body(const ConstraintPoint& p) const {
    const auto frame = std::ranges::find(mechanism_.frames, p.body, &FrameDescription::name);
    if (frame == mechanism_.frames.end()) return {p.body, SE3{SO3{}, p.point}};
    return {frame->body, frame->pose * SE3{SO3{}, p.point}};
  }
  Vec3 in_world(const ConstraintPoint& p) const {
    const auto [body, pose] = on_body(p);
    return pose_of(body) * pose.r;
  }
  void add_tendon(const Tendon& t) {
    const char* kind = t.points.empty() ? "fixed" : "spatial";
    tendons_ += std::string("    <") + kind + attribute("name", t.name) +
                coefficients("stiffness", t.stiffness, t.stiffening) +
                coefficients("damping", t.damping, t.drag) +
                (t.friction == 0 ? "" : " frictionloss=\"" + to_text(t.friction) + '"') +
                (t.range ? " limited=\"true\" range=\"" + numbers_text(*t.range) + '"' : "") +
                " springlength=\"" + numbers_text(t.rest) + "\">\n";
    const auto line = [&](const std::string& text) { tendons_ += "      <" + text + "/>\n"; };
    for (const Actuator::Term& term : t.terms)
      line("joint" + attribute("joint", term.joint) + " coef=\"" + to_text(term.coefficient) + '"');
    double weight = 1;  // of the branch
    bool is_begun = false;
    for (std::size_t i = 0; i + 1 < t.points.size(); ++i) {
      const auto& [frame, own, wrap] = t.points[i];
      if (own == 0) {
        is_begun = false;
        continue;
      }
      if (!is_begun || own != weight) {
        if (i > 0 || own != 1) line("pulley divisor=\"" + to_text(1 / own) + '"');
        line("site" + attribute("site", site_of(frame)));
      }
      weight = own, is_begun = true;
      if (wrap)
        line("geom" + attribute("geom", geom_of(*wrap)) +
             (wrap->side.empty() ? "" : attribute("sidesite", site_of(wrap->side))));
      line("site" + attribute("site", site_of(t.points[i + 1].frame)));
    }
    tendons_ += std::string("    </") + kind + ">\n";
  }

  struct LoopSite {
    std::string name, body;
    Vec3 point;
  };
  const SimpleJoints simple_;
  const Mechanism& mechanism_;
  const std::unordered_set<std::string> named_;
  std::vector<std::string>* warnings_;
  std::unordered_map<std::string, std::size_t> index_;
  std::unordered_map<std::string, std::vector<std::size_t>> children_;
  std::unordered_set<std::string> taken_;
  std::string called_world_;  // new name of a body named `world`
  std::vector<LoopSite> loop_sites_;
  struct WrapGeom {
    std::string name, body;
    SE3 pose;
    Tendon::Wrap wrap;
  };
  std::vector<WrapGeom> wrap_geoms_;
  std::unordered_set<std::string> tendon_names_, geom_names_;
  const WrittenCollisions collisions_;
  std::vector<WrittenJoint> joints_;  // in the order of the file
  std::string out_, equalities_, tendons_;
};

}  // namespace
}  // namespace io::mjcf

std::string write_mjcf(const Mechanism& mechanism, std::vector<std::string>* warnings) {
  check(mechanism);
  if (mechanism.bodies.empty()) throw Error("MJCF needs a body; the mechanism has none");
  io::warn_of_visuals(mechanism, "MJCF", warnings);
  return io::mjcf::MjcfWriter(mechanism, warnings).write();
}

}  // namespace chasles
