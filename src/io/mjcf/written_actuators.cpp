#include "io/mjcf/written_actuators.hpp"

#include <algorithm>

#include "io/mjcf/written_text.hpp"

namespace chasles::io::mjcf {
namespace {

/// Whether it depends on the position or the velocity.
bool is_affine(const std::array<double, 3>& law) { return law[1] != 0 || law[2] != 0; }

/// What MJCF cannot say about an actuator; empty if it can.
std::string obstacle(const Mechanism& m, const Actuator& actuator) {
  for (const auto& range : {actuator.control_range, actuator.force_range})
    if (range && !((*range)[0] < (*range)[1]))
      return "a range of MJCF has two ends, and one of its ranges is a single value";
  for (const Actuator::Term& term : actuator.terms) {
    const auto body = std::ranges::find(
        m.bodies, term.joint, [](const Body& b) -> const std::string& { return b.joint.name; });
    if (body == m.bodies.end() || coordinate_kinds(body->joint).size() != 1)
      return "MJCF drives single coordinates of hinges and slides alone";
  }
  return "";
}

std::string law_attributes(const Actuator& actuator) {
  const auto& [gain, bias] = std::pair(actuator.gain, actuator.bias);
  std::string text;
  if (is_affine(gain)) text += " gaintype=\"affine\"";
  if (gain != std::array<double, 3>{1, 0, 0}) text += " gainprm=\"" + numbers_text(gain) + '"';
  if (bias != std::array<double, 3>{})
    text += " biastype=\"affine\" biasprm=\"" + numbers_text(bias) + '"';
  if (actuator.control_range) text += " ctrlrange=\"" + numbers_text(*actuator.control_range) + '"';
  if (actuator.force_range) text += " forcerange=\"" + numbers_text(*actuator.force_range) + '"';
  return text;
}

const JointValues* values_of(const std::vector<JointValues>& list, const std::string& joint) {
  const auto found = std::ranges::find(list, joint, &JointValues::joint);
  return found == list.end() ? nullptr : &*found;
}
SO3 rotation_of(const std::vector<double>& q) {
  return rotation(normalized(Quaternion{q[0], q[1], q[2], q[3]}));
}
void append(std::vector<double>& to, std::initializer_list<double> more) {
  to.insert(to.end(), more);
}
void append(std::vector<double>& to, const SO3& R) {
  const Quaternion q = quaternion(R);
  append(to, {q.w, q.x, q.y, q.z});
}

}  // namespace

WrittenActuators write_actuators(const Mechanism& m,
                                 const std::function<std::string(const std::string&)>& site_of,
                                 std::unordered_set<std::string>& tendon_names,
                                 const std::function<void(const std::string&)>& warn) {
  WrittenActuators out;
  for (const Actuator& actuator : m.actuators) {
    if (const std::string why = obstacle(m, actuator); !why.empty()) {
      warn("actuator '" + actuator.name + "' is not written: " + why);
      continue;
    }
    std::string target;
    const auto& w = actuator.wrench;
    if (!actuator.frame.empty()) {
      target = attribute("site", site_of(actuator.frame)) + " gear=\"" +
               numbers_text(std::array{w[3], w[4], w[5], w[0], w[1], w[2]}) + '"';
    } else if (!actuator.tendon.empty()) {
      target = attribute("tendon", actuator.tendon);
    } else if (actuator.terms.size() == 1) {
      target = attribute("joint", actuator.terms[0].joint) + " gear=\"" +
               to_text(actuator.terms[0].coefficient) + '"';
    } else {
      const std::string tendon = WrittenNames::fresh(tendon_names, actuator.name);
      out.tendons += "    <fixed" + attribute("name", tendon) + ">\n";
      for (const Actuator::Term& term : actuator.terms)
        out.tendons += "      <joint" + attribute("joint", term.joint) + " coef=\"" +
                       to_text(term.coefficient) + "\"/>\n";
      out.tendons += "    </fixed>\n";
      target = attribute("tendon", tendon);
    }
    out.elements += "    <general" + attribute("name", actuator.name) + target +
                    law_attributes(actuator) + "/>\n";
    out.names.push_back(actuator.name);
  }
  return out;
}

std::string write_keyframes(const Mechanism& m, const std::vector<WrittenJoint>& joints,
                            const std::vector<std::string>& controls) {
  std::string text;
  for (const Keyframe& key : m.keyframes) {
    std::vector<double> qpos, qvel, ctrl;
    for (const auto& [name, type, A, group] : joints) {
      const JointValues *q = values_of(key.q, name), *v = values_of(key.v, name);
      if (type == JointType::floating) {
        const bool is_apart = group == FloatingGroup::so3xr3;
        SE3 C = A;
        if (q != nullptr) {
          const Vec3 r{q->values[4], q->values[5], q->values[6]};
          C = A * SE3{rotation_of(q->values), r};
          if (is_apart) C.r = A.r + r;
        }
        append(qpos, {C.r.x, C.r.y, C.r.z});
        append(qpos, C.R);
        const auto rates = v == nullptr ? std::vector<double>(6) : v->values;
        const Vec3 v_r{rates[3], rates[4], rates[5]}, r_dot = is_apart ? v_r : C.R * v_r;
        append(qvel, {r_dot.x, r_dot.y, r_dot.z, rates[0], rates[1], rates[2]});
      } else if (type == JointType::spherical) {
        append(qpos, q == nullptr ? SO3{} : rotation_of(q->values));
        const auto rates = v == nullptr ? std::vector<double>(3) : v->values;
        append(qvel, {rates[0], rates[1], rates[2]});
      } else {
        append(qpos, {q == nullptr ? 0 : q->values[0]});
        append(qvel, {v == nullptr ? 0 : v->values[0]});
      }
    }
    for (const std::string& name : controls) {
      const auto found = std::ranges::find(key.control, name, &ActuatorControl::actuator);
      ctrl.push_back(found == key.control.end() ? 0 : found->value);
    }
    const auto list = [](const char* name, const std::vector<double>& numbers, bool is_needed) {
      return is_needed ? std::string(" ") + name + "=\"" + numbers_text(numbers) + '"' : "";
    };
    text += "    <key" + attribute("name", key.name) +
            (key.time == 0 ? "" : " time=\"" + to_text(key.time) + '"') +
            list("qpos", qpos, !key.q.empty()) + list("qvel", qvel, !key.v.empty()) +
            list("ctrl", ctrl, !ctrl.empty() && !key.control.empty()) + "/>\n";
  }
  return text;
}

}  // namespace chasles::io::mjcf
