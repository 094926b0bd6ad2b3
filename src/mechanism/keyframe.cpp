#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "chasles/mechanism/mechanism.hpp"
#include "chasles/suggest.hpp"
#include "mechanism/joint_name.hpp"
#include "mechanism/named_parts.hpp"

namespace chasles {
namespace {

using JointsByName = std::unordered_map<std::string_view, const Joint*>;

JointsByName joints_by_name(const Mechanism& mechanism) {
  JointsByName joints;
  for (const Body& body : mechanism.bodies) joints.emplace(joint_name(body), &body.joint);
  return joints;
}
template <class Map>
std::vector<std::string_view> keys_of(const Map& map) {
  std::vector<std::string_view> names;
  for (const auto& entry : map) names.push_back(entry.first);
  return names;
}
template <class Parts>
std::vector<std::string_view> names_of(const Parts& parts) {
  std::vector<std::string_view> names;
  for (const auto& part : parts) names.push_back(part.name);
  return names;
}

void require_unique(std::unordered_set<std::string_view>& seen, const std::string& name,
                    const std::string& what) {
  if (name.empty()) throw Error(what + ": has no name; give it one");
  if (!seen.insert(name).second) throw Error(what + ": the name is used twice");
}

const Joint& joint_named(const JointsByName& joints, const std::string& name,
                         const std::string& what) {
  const auto found = joints.find(name);
  if (found == joints.end())
    throw Error(what + ": there is no joint '" + name + "'" + did_you_mean(name, keys_of(joints)));
  return *found->second;
}

/// The numbers of entries of q and v.
std::pair<std::size_t, std::size_t> sizes_of(const Joint& joint) {
  int nq = 0, nv = 0;
  for (const CoordinateKind kind : coordinate_kinds(joint))
    nq += coordinate_kind_info(kind).nq, nv += coordinate_kind_info(kind).nv;
  return {static_cast<std::size_t>(nq), static_cast<std::size_t>(nv)};
}

void check_values(const std::vector<JointValues>& list, bool is_q, const JointsByName& joints,
                  const std::string& what) {
  std::unordered_set<std::string_view> seen;
  for (const auto& [name, values] : list) {
    const Joint& joint = joint_named(joints, name, what);
    if (!seen.insert(name).second)
      throw Error(what + ": joint '" + name + "' is given twice; give it once");
    const auto [nq, nv] = sizes_of(joint);
    if (values.size() != (is_q ? nq : nv))
      throw Error(what + ": " + (is_q ? "q" : "v") + " of joint '" + name + "' has " +
                  std::to_string(values.size()) + " entries; give " +
                  std::to_string(is_q ? nq : nv));
    for (const double x : values)
      if (!std::isfinite(x))
        throw Error(what + ": joint '" + name + "': " + to_text(x) + " is not finite");
  }
}

void check_range(const std::optional<Actuator::Range>& range, const char* name,
                 const std::string& what) {
  if (!range) return;
  const auto [lower, upper] = *range;
  const std::string text =
      what + ": " + name + " [" + to_text(lower) + ", " + to_text(upper) + "] is ";
  if (!(lower <= upper)) throw Error(text + "empty; give the lower bound first");
  if (!std::isfinite(lower) || !std::isfinite(upper))
    throw Error(text + "not finite; give two numbers, or none for no bounds");
}

void check_terms(const std::vector<Actuator::Term>& terms, const JointsByName& joints,
                 const std::string& what) {
  for (const Actuator::Term& term : terms) {
    const auto kinds = coordinate_kinds(joint_named(joints, term.joint, what));
    const bool good = term.coordinate >= 0 && term.coordinate < static_cast<int>(kinds.size()) &&
                      std::all_of(kinds.begin(), kinds.end(), [](CoordinateKind kind) {
                        return coordinate_kind_info(kind).is_scalar;
                      });
    if (!good)
      throw Error(what + ": joint '" + term.joint + "' has no coordinate " +
                  std::to_string(term.coordinate) + " that it could drive");
    if (!std::isfinite(term.coefficient))
      throw Error(what + ": the coefficient of joint '" + term.joint + "' is not finite");
  }
}

void require_frame_named(const Mechanism& mechanism, const std::string& name,
                         const std::string& what) {
  if (find_body(mechanism, name) >= 0) return;
  const std::vector<std::string_view> known = names_of(mechanism.frames);
  if (std::find(known.begin(), known.end(), name) == known.end())
    throw Error(what + ": there is no body or frame '" + name + "'" + did_you_mean(name, known));
}

void check_tendon(const Mechanism& mechanism, const Tendon& tendon, const JointsByName& joints,
                  const std::string& what) {
  if (tendon.terms.empty() == tendon.points.empty())
    throw Error(what + ": give the joints that its length is made of, or its points");
  check_terms(tendon.terms, joints, what);
  if (tendon.points.size() == 1)
    throw Error(what + ": has one point, '" + tendon.points[0].frame + "'; give two or more");
  check_weights(tendon, what);
  for (const auto& [frame, weight, wrap] : tendon.points) {
    if (frame != ground) require_frame_named(mechanism, frame, what);
    if (!wrap) continue;
    if (&frame == &tendon.points.back().frame)
      throw Error(what + ": there is no segment after '" + frame + "' that could wrap around '" +
                  wrap->frame + "'; give it to the point before");
    if (weight == 0)
      throw Error(what + ": the segment after '" + frame + "' has the weight 0, so that '" +
                  wrap->frame + "' changes nothing; leave out weight or wrap");
    if (wrap->frame != ground) require_frame_named(mechanism, wrap->frame, what);
    if (!wrap->side.empty() && wrap->side != ground)
      require_frame_named(mechanism, wrap->side, what);
    require_known(wrap->shape, Tendon::Wrap::cylinder, ("shape of " + what).c_str());
    if (!(wrap->radius > 0 && std::isfinite(wrap->radius)))
      throw Error(what + ": the radius " + to_text(wrap->radius) +
                  " that it wraps around is not positive");
  }
  check_spring(tendon, what);
  if (tendon.range && !((*tendon.range)[0] <= (*tendon.range)[1] &&
                        std::isfinite((*tendon.range)[0]) && std::isfinite((*tendon.range)[1])))
    throw Error(what + ": range [" + to_text((*tendon.range)[0]) + ", " +
                to_text((*tendon.range)[1]) +
                "] is not a range of lengths; give the least length first");
}

void check_actuator(const Mechanism& mechanism, const Actuator& actuator,
                    const JointsByName& joints, const std::string& what) {
  if (actuator.terms.empty() + actuator.frame.empty() + actuator.tendon.empty() != 2)
    throw Error(what + ": give the joints that it drives, the frame of its wrench, or its tendon");
  check_terms(actuator.terms, joints, what);
  if (!actuator.frame.empty()) require_frame_named(mechanism, actuator.frame, what);
  const std::vector<std::string_view> tendons = names_of(mechanism.tendons);
  if (!actuator.tendon.empty() &&
      std::find(tendons.begin(), tendons.end(), actuator.tendon) == tendons.end())
    throw Error(what + ": there is no tendon '" + actuator.tendon + "'" +
                did_you_mean(actuator.tendon, tendons));
  bool finite = true;
  for (const double x : actuator.gain) finite = finite && std::isfinite(x);
  for (const double x : actuator.bias) finite = finite && std::isfinite(x);
  for (const double x : actuator.wrench) finite = finite && std::isfinite(x);
  if (!finite) throw Error(what + ": its gain, bias or wrench is not finite");
  check_range(actuator.control_range, "control_range", what);
  check_range(actuator.force_range, "force_range", what);
}

}  // namespace

void check_weights(const Tendon& tendon, const std::string& what) {
  for (const auto& [frame, weight, wrap] : tendon.points)
    if (!(weight >= 0 && std::isfinite(weight)))
      throw Error(what + ": the weight " + to_text(weight) + " of the segment at '" + frame +
                  "' is not a weight; give a finite number, 0 or more");
  if (!tendon.points.empty() && tendon.points.back().weight != 1)
    throw Error(what + ": there is no segment after '" + tendon.points.back().frame +
                "' that the weight " + to_text(tendon.points.back().weight) +
                " could be of; give it to the point before");
}

void check_spring(const Tendon& tendon, const std::string& what) {
  for (const auto& [name, value] : {std::pair{"stiffness", tendon.stiffness},
                                    {"damping", tendon.damping},
                                    {"friction", tendon.friction}})
    if (!(value >= 0 && std::isfinite(value)))
      throw Error(what + ": " + name + " " + to_text(value) +
                  " would drive the joints; give a finite number, 0 or more");
  check_polynomials(tendon.damping, tendon.stiffening, tendon.drag, what);
  const auto [least, largest] = tendon.rest;
  if (!(least <= largest && std::isfinite(least) && std::isfinite(largest)))
    throw Error(what + ": rest [" + to_text(least) + ", " + to_text(largest) +
                "] is not a range of lengths; give the least length first");
}

bool resists(double damping, const std::array<double, 2>& drag) {
  const auto [b, c] = drag;  // damping + b s + c s^2 for the speeds s
  return c >= 0 && (b >= 0 || (c > 0 && b * b <= 4 * damping * c));
}
void check_polynomials(double damping, const std::array<double, 2>& stiffening,
                       const std::array<double, 2>& drag, const std::string& what) {
  for (const double x : stiffening)
    if (!std::isfinite(x)) throw Error(what + ": stiffness " + to_text(x) + " is not finite");
  for (const double x : drag)
    if (!std::isfinite(x)) throw Error(what + ": damping " + to_text(x) + " is not finite");
  if (!resists(damping, drag))
    throw Error(what + ": damping [" + to_text(damping) + ", " + to_text(drag[0]) + ", " +
                to_text(drag[1]) +
                "] would drive it at some velocity; give a polynomial that is never negative");
}

void check_tendons(const Mechanism& mechanism) {
  if (mechanism.tendons.empty()) return;
  const JointsByName joints = joints_by_name(mechanism);
  std::unordered_set<std::string_view> names;
  for (const Tendon& tendon : mechanism.tendons) {
    const std::string what = describe(tendon.where, "tendon", tendon.name);
    require_unique(names, tendon.name, what);
    check_tendon(mechanism, tendon, joints, what);
  }
}

void check_actuators(const Mechanism& mechanism) {
  if (mechanism.actuators.empty()) return;
  const JointsByName joints = joints_by_name(mechanism);
  std::unordered_set<std::string_view> names;
  for (const Actuator& actuator : mechanism.actuators) {
    const std::string what = describe(actuator.where, "actuator", actuator.name);
    require_unique(names, actuator.name, what);
    check_actuator(mechanism, actuator, joints, what);
  }
}

void check_keyframes(const Mechanism& mechanism) {
  if (mechanism.keyframes.empty()) return;
  const JointsByName joints = joints_by_name(mechanism);
  const std::vector<std::string_view> actuators = names_of(mechanism.actuators);
  std::unordered_set<std::string_view> names;
  for (const Keyframe& key : mechanism.keyframes) {
    const std::string what = describe(key.where, "keyframe", key.name);
    require_unique(names, key.name, what);
    if (!std::isfinite(key.time)) throw Error(what + ": the time is not finite");
    check_values(key.q, true, joints, what);
    check_values(key.v, false, joints, what);
    for (const ActuatorControl& one : key.control) {
      if (std::find(actuators.begin(), actuators.end(), one.actuator) == actuators.end())
        throw Error(what + ": there is no actuator '" + one.actuator + "'" +
                    did_you_mean(one.actuator, actuators));
      if (!std::isfinite(one.value))
        throw Error(what + ": the control of '" + one.actuator + "' is not finite");
    }
  }
}

const Keyframe& find_keyframe(const Mechanism& mechanism, std::string_view name) {
  for (const Keyframe& key : mechanism.keyframes)
    if (key.name == name) return key;
  std::string known;
  for (const Keyframe& key : mechanism.keyframes)
    known += (known.empty() ? "'" : ", '") + key.name + "'";
  throw Error("there is no keyframe '" + std::string(name) + "'; " +
              (known.empty() ? "the model has none" : "the model has " + known));
}

const Actuator& find_actuator(const Mechanism& mechanism, std::string_view name) {
  for (const Actuator& actuator : mechanism.actuators)
    if (actuator.name == name) return actuator;
  throw Error("there is no actuator '" + std::string(name) + "'" +
              (mechanism.actuators.empty() ? "; the model has none"
                                           : did_you_mean(name, names_of(mechanism.actuators))));
}

}  // namespace chasles
