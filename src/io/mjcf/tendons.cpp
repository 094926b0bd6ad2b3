#include <algorithm>
#include <cmath>

#include "chasles/suggest.hpp"
#include "io/mjcf/actuators.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles::io::mjcf {
namespace {

class TendonReader {
 public:
  TendonReader(const std::vector<NamedJoint>& joints, const Defaults& defaults, const Flags& flags,
               FixedTendons& fixed, Mechanism& out)
      : joints_(joints), defaults_(defaults), flags_(flags), fixed_(fixed), out_(out) {}

  void read(const Element& section) {
    for (const Element& e : section.children()) names_.give(e.of("a tendon"));
    for (const Element& plain : section.children()) {
      if (plain.tag() != "fixed" && plain.tag() != "spatial") continue;
      const bool is_fixed = plain.tag() == "fixed";
      Tendon tendon{.name = names_.of(plain.of("a tendon"),
                                      "tendon" + std::to_string(out_.tendons.size() + 1)),
                    .where = plain.where()};
      const Element e = plain.of("tendon " + quote(tendon.name));
      const Setting s = defaults_.of(e, "", "tendon");
      double offset = 0;
      if (is_fixed)
        offset = read_joints(e, tendon);
      else
        read_path(e, tendon);
      read_spring(s, offset, tendon);
      if (is_fixed && tendon.stiffness == 0 && tendon.damping == 0) continue;
      if (is_fixed ? !tendon.terms.empty() : tendon.points.size() > 1)
        out_.tendons.push_back(std::move(tendon));
    }
  }

 private:
  /// @returns MuJoCo's length at q = 0
  double read_joints(const Element& e, Tendon& tendon) {
    FixedTendon fixed;
    for (const Element& inner : e.children()) {
      if (inner.tag() != "joint") continue;
      const NamedJoint& joint = require_joint(inner, joints_, "joint");
      if (!is_one_dof(joint))
        inner.refuse("joint " + quote(joint.name) + " does not have one coordinate");
      const double coefficient = inner.number("coef");
      fixed.terms.push_back({joint.name, coefficient});
      fixed.offset += coefficient * joint.ref;
    }
    tendon.terms = fixed.terms;
    if (!fixed_.emplace(tendon.name, fixed).second)
      e.refuse("the name " + quote(tendon.name) + " is used twice");
    return fixed.offset;
  }

  /// Straight from site to site; a pulley ends a branch and begins the next, whose length is divided.
  void read_path(const Element& e, Tendon& tendon) const {
    double weight = 1;
    for (const Element& inner : e.children()) {
      if (inner.tag() == "pulley") {
        const double divisor = inner.number("divisor");
        if (!(divisor > 0)) inner.refuse("divisor " + to_text(divisor) + " is not positive");
        if (!tendon.points.empty()) tendon.points.back().weight = 0;
        weight = 1 / divisor;
      } else if (inner.tag() == "geom") {
        e.warn("is read as straight between its sites: it does not wrap around the geom " +
               quote(inner.has("geom") ? inner.text("geom") : ""));
      } else if (inner.tag() == "site") {
        tendon.points.push_back({require_site(inner), weight});
      }
    }
  }
  std::string require_site(const Element& e) const {
    const std::string name = e.text("site");
    std::vector<std::string_view> known;
    for (const FrameDescription& frame : out_.frames) {
      if (frame.name == name) return name;
      known.push_back(frame.name);
    }
    e.refuse("there is no site " + quote(name) + did_you_mean(name, known));
  }

  void read_spring(const Setting& s, double offset, Tendon& tendon) const {
    if (flags_.spring) tendon.stiffness = read_coefficient(s, "stiffness");
    if (flags_.damper) tendon.damping = read_coefficient(s, "damping");
    if (flags_.frictionloss && s.number("frictionloss", 0) != 0)
      s.element().warn("frictionloss of a tendon is not kept: give it as a force in a scenario");
    if (flags_.limit && s.has("range") && s.text("limited", "auto") != "false")
      s.element().warn("the range of a tendon is not kept");
    tendon.rest.fill(std::nan(""));
    if (!s.has("springlength")) return;
    const auto given = s.of("springlength").numbers("springlength", 1, 2);
    if (given[0] == -1 && (given.size() == 1 || given[1] == -1)) return;
    tendon.rest = {given.front() - offset, given.back() - offset};
  }

  const std::vector<NamedJoint>& joints_;
  const Defaults& defaults_;
  const Flags& flags_;
  FixedTendons& fixed_;
  Mechanism& out_;
  Names names_;
};

}  // namespace

void read_tendons(const Element& section, const std::vector<NamedJoint>& joints,
                  const Defaults& defaults, const Flags& flags, FixedTendons& tendons,
                  Mechanism& out) {
  TendonReader(joints, defaults, flags, tendons, out).read(section);
}

void relax_tendons(const std::vector<NamedJoint>& joints, Mechanism& mechanism) {
  const auto is_open = [](const Tendon& tendon) { return std::isnan(tendon.rest[0]); };
  if (std::none_of(mechanism.tendons.begin(), mechanism.tendons.end(), is_open)) return;
  Mechanism plain = mechanism;
  plain.tendons.clear(), plain.actuators.clear(), plain.keyframes.clear(), plain.loops.clear();
  plain.couplings.clear(), plain.collisions = {};
  const Model model = compile(plain);
  Vector q = model.neutral();
  for (const NamedJoint& joint : joints)
    if (is_one_dof(joint)) q[model.joint(joint.name).q_index] = joint.rest;
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  for (Tendon& tendon : mechanism.tendons)
    if (is_open(tendon)) {
      tendon.rest = {};
      try {
        tendon.rest.fill(
            forces::TendonLength(model, tendon, describe(tendon.where, "tendon", tendon.name))
                .value(kin));
      } catch (const Error&) {  // of constant length
        tendon.stiffness = tendon.damping = 0;
      }
    }
}

}  // namespace chasles::io::mjcf
