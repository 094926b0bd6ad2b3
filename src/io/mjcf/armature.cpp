#include <algorithm>

#include "chasles/suggest.hpp"
#include "io/mjcf/settings.hpp"

namespace chasles::io::mjcf {
namespace {

/// Joints whose coordinates add up to the length of a fixed tendon, with their coefficients.
using Terms = std::map<std::string, double>;

class Armatures {
 public:
  Armatures(const Element& top, const Defaults& defaults, Mechanism& out)
      : top_(top), defaults_(defaults), out_(out) {}

  void add() {
    each("tendon", [&](const Element& e) { read_tendon(e); });
    each("actuator", [&](const Element& e) { read_actuator(e); });
  }

 private:
  template <class Each>
  void each(std::string_view section, const Each& f) const {
    for (const Element& part : top_.children())
      if (part.tag() == section)
        for (const Element& e : part.children()) {
          std::string name(e.tag());
          if (e.has("name")) name.append(" ").append(quote(e.text("name")));
          f(e.of(name));
        }
  }

  void read_tendon(const Element& e) {
    const Setting s = defaults_.of(e, "", "tendon");
    const double armature = s.number("armature", 0);
    if (e.tag() != "fixed") {
      if (armature != 0) refuse_to_keep(e);
      return;
    }
    Terms terms;
    for (const Element& joint : e.children())
      if (joint.tag() == "joint" && joint.has("joint"))
        terms[joint.text("joint")] += joint.number("coef", 0);
    std::erase_if(terms, [](const auto& term) { return term.second == 0; });
    add(e, armature, terms);
    if (e.has("name")) tendons_[e.text("name")] = std::move(terms);
  }

  void read_actuator(const Element& e) {
    // All actuators share one set of defaults.
    static constexpr std::string_view tags[] = {"general",  "motor",    "position", "velocity",
                                                "damper",   "cylinder", "muscle",   "intvelocity",
                                                "adhesion", "dcmotor"};
    const auto setting = [&](const char* attribute) {
      if (Setting own = defaults_.of(e, ""); own.has(attribute)) return own;
      for (const std::string_view tag : tags)
        if (Setting shared = defaults_.of(e, "", tag); shared.has(attribute)) return shared;
      return defaults_.of(e, "");
    };
    const double armature = setting("armature").number("armature", 0);
    if (armature == 0) return;
    const Setting geared = setting("gear");
    const double gear = geared.has("gear") ? geared.of("gear").numbers("gear", 1, 6)[0] : 1.0;
    if (e.has("joint")) return add(e, armature, {{e.text("joint"), gear}});
    if (e.has("jointinparent")) return add(e, armature, {{e.text("jointinparent"), gear}});
    const auto tendon = e.has("tendon") ? tendons_.find(e.text("tendon")) : tendons_.end();
    if (tendon == tendons_.end()) return refuse_to_keep(e);
    Terms terms = tendon->second;
    for (auto& [joint, coefficient] : terms) coefficient *= gear;
    add(e, armature, terms);
  }

  /// M += c^T I c: on the diagonal if c has one entry.
  void add(const Element& e, double armature, const Terms& terms) {
    if (armature == 0 || terms.empty()) return;
    Joint& joint = joint_named(e, terms.begin()->first);
    if (terms.size() > 1 || coordinate_kinds(joint).size() != 1 ||
        !coordinate_kind_info(coordinate_kinds(joint)[0]).is_scalar)
      return refuse_to_keep(e);
    const double c = terms.begin()->second;
    joint.armature += c * c * armature;
  }
  static void refuse_to_keep(const Element& e) {
    e.warn(
        "its armature is not kept: it is not that of one joint; give a body on ground with this "
        "inertia and a coupling in YAML (docs/model-files.md)");
  }
  Joint& joint_named(const Element& e, const std::string& name) {
    std::vector<std::string_view> known;
    for (Body& body : out_.bodies) {
      if (body.joint.name == name) return body.joint;
      known.push_back(body.joint.name);
    }
    e.refuse("there is no joint " + quote(name) + did_you_mean(name, known));
  }

  const Element& top_;
  const Defaults& defaults_;
  Mechanism& out_;
  std::map<std::string, Terms> tendons_;  // fixed ones
};

}  // namespace

void add_armatures(const Element& top, const Defaults& defaults, Mechanism& mechanism) {
  Armatures(top, defaults, mechanism).add();
}

}  // namespace chasles::io::mjcf
