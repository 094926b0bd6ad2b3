/// The lists `actuators` and `keyframes` of a mechanism.
#include <fmt/format.h>

#include <algorithm>

#include "io/yaml/yaml_parts.hpp"

namespace chasles::io {
namespace {

std::vector<double> one_or_more(const Fields& fields, const Value& value, std::string_view key) {
  if (value.kind != Value::Kind::list) return {fields.to_number(value, key)};
  std::vector<double> list;
  for (const Value& item : value.items) list.push_back(fields.to_number(item, key));
  return list;
}

const Value* map_of(const Fields& fields, std::string_view key, const char* example) {
  const Value* map = fields.find(key);
  if (map != nullptr && map->kind != Value::Kind::map)
    fields.refuse(*map, std::string(key) + " is not a map; give " + example);
  return map;
}

std::vector<JointValues> read_values(const Fields& fields, std::string_view key) {
  std::vector<JointValues> list;
  const Value* map = map_of(fields, key, "numbers by joint, {hip: 0.3}");
  for (std::size_t i = 0; map != nullptr && i < map->keys.size(); ++i)
    list.push_back({map->keys[i].text, one_or_more(fields, map->items[i], key)});
  return list;
}

Keyframe read_keyframe(const std::string& name, const Value& value) {
  const Fields fields(name, value, "keyframe", {"name", "time", "q", "v", "control"});
  Keyframe key{.name = fields.text("name"), .time = fields.number("time", 0, dimensions::time)};
  key.q = read_values(fields, "q"), key.v = read_values(fields, "v");
  const Value* control = map_of(fields, "control", "numbers by actuator, {hip: 0.3}");
  for (std::size_t i = 0; control != nullptr && i < control->keys.size(); ++i)
    key.control.push_back({control->keys[i].text, fields.to_number(control->items[i], "control")});
  key.where = fields.where();
  return key;
}

Actuator::Term read_actuator_term(const Fields& fields, const std::string& joint,
                                  const Value& value) {
  if (value.kind != Value::Kind::map) return {joint, fields.to_number(value, "joints")};
  const Fields term(fields.file(), value, fields.what() + ", joint " + quote(joint),
                    {"coefficient", "coordinate"});
  const double coordinate = term.number("coordinate", 0);
  if (!(coordinate >= 0 && coordinate < 16) || coordinate != static_cast<int>(coordinate))
    term.refuse(term.require("coordinate"),
                "coordinate " + to_text(coordinate) + ": give 0, 1, ..");
  return {joint, term.number("coefficient", 1), static_cast<int>(coordinate)};
}

Actuator read_actuator(const std::string& name, const Value& value) {
  const Fields fields(name, value, "actuator",
                      {"name", "joints", "frame", "wrench", "tendon", "gain", "bias",
                       "control_range", "force_range"});
  Actuator actuator{.name = fields.text("name"), .terms = read_terms(fields)};
  actuator.frame = fields.text("frame", "");
  actuator.tendon = fields.text("tendon", "");
  const auto fill = [&](const char* key, auto& out) {
    if (!fields.has(key)) return;
    const auto x = fields.numbers(key, out.size());
    std::copy(x.begin(), x.end(), out.begin());
  };
  fill("wrench", actuator.wrench);
  fill("gain", actuator.gain);
  fill("bias", actuator.bias);
  const auto range = [&](const char* key, std::optional<Actuator::Range>& out) {
    if (fields.has(key)) fill(key, out.emplace());
  };
  range("control_range", actuator.control_range);
  range("force_range", actuator.force_range);
  actuator.where = fields.where();
  return actuator;
}

template <class List>
std::string list_text(const List& list) {
  std::string text;
  for (const double x : list) text += (text.empty() ? "" : ", ") + to_text(x);
  return "[" + text + "]";
}
std::string values_text(const std::vector<JointValues>& list) {
  std::string text;
  for (const auto& [joint, values] : list)
    text += (text.empty() ? "" : ", ") + yaml_word(joint) + ": " +
            (values.size() == 1 ? to_text(values[0]) : list_text(values));
  return "{" + text + "}";
}

}  // namespace

std::vector<Actuator::Term> read_terms(const Fields& fields) {
  std::vector<Actuator::Term> list;
  const Value* joints = map_of(fields, "joints", "{joint: coefficient}");
  for (std::size_t i = 0; joints != nullptr && i < joints->keys.size(); ++i) {
    const std::string& joint = joints->keys[i].text;
    const Value& terms = joints->items[i];
    if (terms.kind == Value::Kind::list)
      for (const Value& term : terms.items) list.push_back(read_actuator_term(fields, joint, term));
    else
      list.push_back(read_actuator_term(fields, joint, terms));
  }
  return list;
}

/// Terms of one joint stand together, so that no key comes twice.
std::string terms_text(const std::vector<Actuator::Term>& terms) {
  std::string text;
  std::vector<std::string> done;
  for (const Actuator::Term& first : terms) {
    if (std::find(done.begin(), done.end(), first.joint) != done.end()) continue;
    done.push_back(first.joint);
    std::string of_joint;
    for (const Actuator::Term& term : terms)
      if (term.joint == first.joint)
        of_joint += (of_joint.empty() ? "" : ", ") +
                    fmt::format("{{coefficient: {}, coordinate: {}}}", to_text(term.coefficient),
                                term.coordinate);
    text += (text.empty() ? "" : ", ") + yaml_word(first.joint) + ": [" + of_joint + "]";
  }
  return "{" + text + "}";
}

void read_actuators_and_keyframes(const Fields& file, Mechanism& mechanism) {
  for (const Value& value : file.list("actuators"))
    mechanism.actuators.push_back(read_actuator(file.file(), value));
  for (const Value& value : file.list("keyframes"))
    mechanism.keyframes.push_back(read_keyframe(file.file(), value));
}

std::string write_actuators_and_keyframes(const Mechanism& mechanism) {
  std::string out;
  if (!mechanism.actuators.empty()) out += "actuators:\n";
  for (const Actuator& a : mechanism.actuators) {
    out += "  - name: " + yaml_word(a.name) + "\n";
    if (!a.terms.empty()) out += "    joints: " + terms_text(a.terms) + "\n";
    if (!a.frame.empty())
      out += "    frame: " + yaml_word(a.frame) + "\n    wrench: " + list_text(a.wrench) + "\n";
    if (!a.tendon.empty()) out += "    tendon: " + yaml_word(a.tendon) + "\n";
    out += "    gain: " + list_text(a.gain) + "\n    bias: " + list_text(a.bias) + "\n";
    if (a.control_range) out += "    control_range: " + list_text(*a.control_range) + "\n";
    if (a.force_range) out += "    force_range: " + list_text(*a.force_range) + "\n";
  }
  if (!mechanism.keyframes.empty()) out += "keyframes:\n";
  for (const Keyframe& key : mechanism.keyframes) {
    out += "  - name: " + yaml_word(key.name) + "\n";
    if (key.time != 0) out += "    time: " + to_text(key.time) + "\n";
    if (!key.q.empty()) out += "    q: " + values_text(key.q) + "\n";
    if (!key.v.empty()) out += "    v: " + values_text(key.v) + "\n";
    std::string control;
    for (const ActuatorControl& one : key.control)
      control +=
          (control.empty() ? "" : ", ") + yaml_word(one.actuator) + ": " + to_text(one.value);
    if (!control.empty()) out += "    control: {" + control + "}\n";
  }
  return out;
}

}  // namespace chasles::io
