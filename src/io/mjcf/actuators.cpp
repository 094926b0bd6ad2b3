#include "io/mjcf/actuators.hpp"

#include <algorithm>
#include <cmath>

#include "chasles/dynamics/mass_matrix.hpp"
#include "chasles/suggest.hpp"
#include "math/decompositions.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles::io::mjcf {
namespace {

constexpr std::string_view actuator_tags[] = {
    "general", "motor",  "position",    "velocity", "damper",  "intvelocity", "cylinder",
    "muscle",  "plugin", "orientation", "pid",      "dcmotor", "adhesion"};

const NamedJoint* find_joint(const std::vector<NamedJoint>& joints, const std::string& name) {
  const auto found = std::find_if(joints.begin(), joints.end(),
                                  [&](const NamedJoint& joint) { return joint.name == name; });
  return found == joints.end() ? nullptr : &*found;
}
/// Three numbers, of which later ones may be missing.
void fill(const Element& e, const char* attribute, std::array<double, 3>& out) {
  if (!e.has(attribute)) return;
  const auto x = e.numbers(attribute, 1, 20);
  for (std::size_t k = 0; k < 3 && k < x.size(); ++k) out[k] = x[k];
}

/// Of an actuator on g l, one on l: its force is g times as large.
void scale(Actuator& actuator, double g) {
  for (auto* law : {&actuator.gain, &actuator.bias})
    *law = {g * (*law)[0], g * g * (*law)[1], g * g * (*law)[2]};
  if (!actuator.force_range) return;
  auto& [lower, upper] = *actuator.force_range;
  if (!(lower <= upper)) return;  // which is refused as it was given
  if (g < 0) std::swap(lower, upper);
  lower *= g, upper *= g;
}

}  // namespace

const NamedJoint& require_joint(const Element& e, const std::vector<NamedJoint>& joints,
                                const char* attribute) {
  const std::string name = e.text(attribute);
  if (const NamedJoint* found = find_joint(joints, name)) return *found;
  std::vector<std::string_view> known;
  for (const NamedJoint& joint : joints) known.push_back(joint.name);
  e.refuse("there is no joint " + quote(name) + did_you_mean(name, known));
}
bool is_one_dof(const NamedJoint& joint) {
  return joint.type == JointType::revolute || joint.type == JointType::prismatic;
}

std::optional<Actuator::Range> actuator_force_range(const Setting& joint,
                                                    const Compiler& compiler) {
  if (!joint.has("actuatorfrcrange")) return std::nullopt;
  const std::string limited = joint.text("actuatorfrclimited", "auto");
  if (limited == "false" || (limited == "auto" && !compiler.autolimits)) return std::nullopt;
  const auto x = joint.of("actuatorfrcrange").numbers("actuatorfrcrange", 2, 2);
  return Actuator::Range{x[0], x[1]};
}

/// The parameters of an actuator, as default classes and the element set them one after another.
struct ActuatorReader::Draft {
  std::array<double, 3> gain{1, 0, 0}, bias{};
  std::array<double, 6> gear{1, 0, 0, 0, 0, 0};
  std::string gain_type = "fixed", bias_type = "none", dynamics = "none";
  std::string control_limited = "auto", force_limited = "auto";
  std::optional<Actuator::Range> control_range{}, force_range{};
  double inherit_range = 0;
  bool unknown = false;          // of a kind that is not kept
  std::string kind = "general";  // the tag that came last

  /// Gains of a class are those of its last element, and count if that is of the same kind, or general.
  bool gives_gains_to(std::string_view tag) const {
    return (kind == tag || kind == "general") && gain_type == "fixed";
  }
  bool is_position_servo() const {
    return gain_type == "fixed" && bias_type == "affine" && gain[0] == -bias[1] && gain[0] != 0;
  }
};

void ActuatorReader::apply(const Element& e, Draft& d) const {
  const auto word = [&](const char* attribute, std::string& out) {
    if (e.has(attribute)) out = e.text(attribute);
  };
  const auto range = [&](const char* attribute, std::optional<Actuator::Range>& out) {
    if (!e.has(attribute)) return;
    const auto x = e.numbers(attribute, 2, 2);
    out = {x[0], x[1]};
  };
  range("ctrlrange", d.control_range), range("forcerange", d.force_range);
  word("ctrllimited", d.control_limited), word("forcelimited", d.force_limited);
  if (e.has("gear")) {
    const auto x = e.numbers("gear", 1, 6);
    std::copy(x.begin(), x.end(), d.gear.begin());
  }
  fill(e, "gainprm", d.gain), fill(e, "biasprm", d.bias);
  word("gaintype", d.gain_type), word("biastype", d.bias_type), word("dyntype", d.dynamics);
  const std::string_view tag = e.tag();
  const bool inherits = d.gives_gains_to(tag);
  d.kind = tag;
  if (tag == "general") return;
  d.unknown = false;
  if (tag == "motor") {
    d.gain = {1, 0, 0}, d.bias = {};
    d.gain_type = "fixed", d.bias_type = "none", d.dynamics = "none";
  } else if (tag == "position") {
    const double kp = e.number("kp", inherits ? d.gain[0] : 1);
    d.gain = {kp, 0, 0}, d.bias = {0, -kp, inherits ? d.bias[2] : 0};
    if (e.has("kv")) d.bias[2] = -e.number("kv");
    if (e.has("dampratio")) d.bias[2] = e.number("dampratio");
    if (e.has("timeconst")) d.dynamics = e.number("timeconst") == 0 ? "none" : "filterexact";
    if (e.has("inheritrange")) {
      d.inherit_range = e.number("inheritrange");
      if (d.inherit_range > 0 && !e.has("ctrlrange")) d.control_range.reset();
    }
    d.gain_type = "fixed", d.bias_type = "affine";
  } else if (tag == "velocity") {
    const double kv = e.number("kv", inherits ? d.gain[0] : 1);
    d.gain = {kv, 0, 0}, d.bias = {0, 0, -kv};
    d.gain_type = "fixed", d.bias_type = "affine", d.dynamics = "none";
  } else if (tag == "damper") {
    d.gain = {0, 0, -e.number("kv", -d.gain[2])}, d.control_limited = "true";
    d.gain_type = "affine", d.bias_type = "none", d.dynamics = "none";
  } else {
    d.unknown = true;
  }
}

/// @returns whether the transmission is one that is kept
bool ActuatorReader::transmit(const Element& e, const Draft& d, Actuator& out) const {
  double offset = 0;
  if (const char* attribute = e.has("joint") ? "joint" : "jointinparent"; e.has(attribute)) {
    const NamedJoint& joint = require_joint(e, joints_, attribute);
    if (!is_one_dof(joint)) return false;
    out.terms = {{joint.name, d.gear[0]}};
    offset = d.gear[0] * joint.ref;
  } else if (e.has("tendon")) {
    const auto found = tendons_.find(e.text("tendon"));
    if (found == tendons_.end()) {
      out.tendon = e.text("tendon");
      return std::any_of(out_.tendons.begin(), out_.tendons.end(),
                         [&](const Tendon& tendon) { return tendon.name == out.tendon; });
    }
    out.terms = found->second.terms;
    for (Actuator::Term& term : out.terms) term.coefficient *= d.gear[0];
    offset = d.gear[0] * found->second.offset;
  } else if (e.has("site") && !e.has("refsite")) {
    std::string name = e.text("site");
    if (const auto renamed = sites_.find(name); renamed != sites_.end()) name = renamed->second;
    const auto frame = std::find_if(out_.frames.begin(), out_.frames.end(),
                                    [&](const FrameDescription& f) { return f.name == name; });
    if (frame == out_.frames.end()) e.refuse("there is no site " + quote(name));
    if (out.gain[2] != 0 || out.bias[2] != 0)
      e.warn(
          "its force by the velocity of the site is not kept: actuators at a frame have none here; "
          "give joint or tendon in place of site");
    out.frame = name;
    out.wrench = {d.gear[3], d.gear[4], d.gear[5], d.gear[0], d.gear[1], d.gear[2]};
  }
  out.gain[0] += out.gain[1] * offset, out.bias[0] += out.bias[1] * offset;
  return !out.terms.empty() || !out.frame.empty();
}

void ActuatorReader::set_ranges(const Element& e, const Draft& d, Actuator& out) const {
  const bool automatic = compiler_of(e, compiler_).autolimits;
  const auto limited = [&](const std::string& word, const std::optional<Actuator::Range>& range) {
    return range && (word == "true" || (word == "auto" && automatic));
  };
  const auto control_range = d.control_range ? d.control_range : inherited_range(d, out);
  if (limited(d.control_limited, control_range)) out.control_range = control_range;
  if (limited(d.force_limited, d.force_range)) out.force_range = d.force_range;
}

/// The range of the joint, for servos of position without a range of their own.
std::optional<Actuator::Range> ActuatorReader::inherited_range(const Draft& d,
                                                               const Actuator& out) const {
  if (!(d.inherit_range > 0) || !d.is_position_servo() || out.terms.size() != 1)
    return std::nullopt;
  const NamedJoint* joint = find_joint(joints_, out.terms[0].joint);
  for (const Body& body : out_.bodies) {
    const auto& limits = body.joint.limits;
    if (body.joint.name != joint->name || !limits || !limits->lower || !limits->upper) continue;
    const double middle = 0.5 * (*limits->upper + *limits->lower) + joint->ref,
                 reach = 0.5 * (*limits->upper - *limits->lower) * d.inherit_range;
    return Actuator::Range{middle - reach, middle + reach};
  }
  return std::nullopt;
}

void ActuatorReader::read(const Element& section) {
  for (const Element& plain : section.children()) {
    const auto* known = std::find(std::begin(actuator_tags), std::end(actuator_tags), plain.tag());
    if (known == std::end(actuator_tags)) continue;
    std::string target = "actuator" + std::to_string(controls_.size() + 1);
    for (const char* attribute : {"joint", "jointinparent", "tendon", "site"})
      if (plain.has(attribute)) target = plain.text(attribute);
    const std::string name = names_.of(plain.of("an actuator"), target);
    const Element e = plain.of("actuator " + quote(name));
    Draft draft;
    for (const Element& given : defaults_.elements_of(e, actuator_tags)) apply(given, draft);
    apply(e, draft);
    Actuator actuator{.name = name, .where = e.where()};
    const bool affine_gain = draft.gain_type == "affine", affine_bias = draft.bias_type == "affine";
    actuator.gain = affine_gain ? draft.gain : std::array<double, 3>{draft.gain[0], 0, 0};
    if (affine_bias) actuator.bias = draft.bias;
    const bool kept = !draft.unknown && (affine_gain || draft.gain_type == "fixed") &&
                      (affine_bias || draft.bias_type == "none") && draft.dynamics == "none" &&
                      transmit(e, draft, actuator);
    controls_.push_back(kept ? name : "");
    if (!kept) {
      e.warn(
          "is not kept: it is not a motor, servo or damper without internal state that acts on a "
          "joint with one coordinate, a tendon or a site");
      continue;
    }
    set_ranges(e, draft, actuator);
    if (!actuator.tendon.empty()) tendon_gears_[name] = draft.gear[0];
    out_.actuators.push_back(std::move(actuator));
  }
}

void ActuatorReader::apply_joint_ranges(const Element& top) {
  for (const NamedJoint& joint : joints_) {
    if (!joint.force_range) continue;
    std::vector<Actuator*> acting;
    for (Actuator& actuator : out_.actuators)
      if (std::any_of(actuator.terms.begin(), actuator.terms.end(),
                      [&](const Actuator::Term& term) { return term.joint == joint.name; }))
        acting.push_back(&actuator);
    if (acting.empty()) continue;
    const double gear = acting[0]->terms[0].coefficient;
    if (acting.size() > 1 || acting[0]->terms.size() > 1 || gear == 0) {
      top.of("joint " + quote(joint.name))
          .warn("its actuatorfrcrange is not kept, as it does not have one actuator of its own");
      continue;
    }
    Actuator::Range range{(*joint.force_range)[0] / gear, (*joint.force_range)[1] / gear};
    if (gear < 0) std::swap(range[0], range[1]);
    if (const auto& own = acting[0]->force_range)
      range = {std::max(range[0], (*own)[0]), std::min(range[1], (*own)[1])};
    if (range[0] <= range[1])
      acting[0]->force_range = range;
    else
      top.of("joint " + quote(joint.name))
          .warn("its actuatorfrcrange is not kept, as it and the forcerange of actuator " +
                quote(acting[0]->name) + " exclude each other");
  }
}

void ActuatorReader::apply_damping_ratios(const Element& top) {
  const auto has_ratio = [](const Actuator& a) {
    return a.gain[0] > 0 && a.gain[0] == -a.bias[1] && a.bias[2] > 0 && a.frame.empty();
  };
  if (std::none_of(out_.actuators.begin(), out_.actuators.end(), has_ratio)) return;
  Mechanism plain = out_;
  plain.actuators.clear(), plain.keyframes.clear();
  const Model model = compile(plain);
  if (model.nv() > most_coordinates)
    top.refuse(
        "dampratio of actuators needs the mass matrix, which is not computed for more than " +
        std::to_string(most_coordinates) + " coordinates; give kv");
  MassMatrix work(model);
  const Eigen::MatrixXd M = mass_matrix(model, model.neutral(), work);
  for (Actuator& actuator : out_.actuators) {
    if (!has_ratio(actuator)) continue;
    const Eigen::MatrixXd c = length_gradient(model, actuator);
    // c^T M^-1 c, with the Cholesky factor of M: the square of L^-1 c.
    const double inertia = 1 / solve_cholesky_half(M, c).squaredNorm();
    if (!std::isfinite(inertia))
      top.of("actuator " + quote(actuator.name))
          .refuse(
              "dampratio needs the inertia that the actuator moves, and there is none; give kv");
    actuator.bias[2] *= -2 * std::sqrt(actuator.gain[0] * inertia);
  }
}

Eigen::MatrixXd ActuatorReader::length_gradient(const Model& model,
                                                const Actuator& actuator) const {
  const auto tendon =
      std::ranges::find(model.tendons(), actuator.tendon, [](const Tendon& t) { return t.name; });
  const bool is_direct = actuator.tendon.empty() || tendon == model.tendons().end();
  const double gear = is_direct ? 1 : tendon_gears_.at(actuator.name);
  const forces::TendonLength length(
      model, is_direct ? Tendon{.name = actuator.name, .terms = actuator.terms} : *tendon,
      "actuator '" + actuator.name + "'");
  VelocityKinematics kin(model);
  Eigen::MatrixXd c(model.nv(), 1);
  for (int k = 0; k < model.nv(); ++k) {
    Vector v(model.nv());
    v[k] = gear;
    forward_kinematics(model, model.neutral(), v, kin);
    c(k, 0) = length.rate(kin);
  }
  return c;
}

void ActuatorReader::apply_tendon_gears() {
  for (Actuator& actuator : out_.actuators)
    if (const auto gear = tendon_gears_.find(actuator.name); gear != tendon_gears_.end())
      scale(actuator, gear->second);
}

}  // namespace chasles::io::mjcf
