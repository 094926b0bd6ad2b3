#include <algorithm>
#include <cmath>

#include "chasles/suggest.hpp"
#include "io/mjcf/actuators.hpp"
#include "simulation/tendon_length.hpp"

namespace chasles::io::mjcf {
namespace {

class TendonReader {
 public:
  TendonReader(const BeforeTendons& before, FixedTendons& fixed, Mechanism& out)
      : joints_(before.joints),
        defaults_(before.defaults),
        compiler_(before.compiler),
        flags_(before.flags),
        geoms_(before.geoms),
        fixed_(fixed),
        out_(out) {}

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
      if (is_fixed && !tendon.acts() && !tendon.range) continue;
      if (is_fixed ? !tendon.terms.empty() : tendon.points.size() > 1)
        out_.tendons.push_back(std::move(tendon));
      else
        e.warn(is_fixed ? "is not read: it has no joints"
                        : "is not read: it has fewer than two sites");
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
  void read_path(const Element& e, Tendon& tendon) {
    double weight = 1;
    for (const Element& inner : e.children()) {
      if (inner.tag() == "pulley") {
        const double divisor = inner.number("divisor");
        if (!(divisor > 0)) inner.refuse("divisor " + to_text(divisor) + " is not positive");
        if (!tendon.points.empty()) end_branch(inner, tendon.points.back());
        weight = 1 / divisor;
      } else if (inner.tag() == "geom") {
        read_wrap(inner.of("tendon " + quote(tendon.name)), tendon);
      } else if (inner.tag() == "site") {
        tendon.points.push_back({require_site(inner), weight});
      }
    }
    if (!tendon.points.empty()) tendon.points.back().weight = 1;  // of no segment
  }
  static void end_branch(const Element& e, Tendon::Point& last) {
    if (last.wrap) e.refuse("follows a geom; there is no site behind that");
    last.weight = 0;
  }
  void read_wrap(const Element& e, Tendon& tendon) {
    const std::string name = e.text("geom");
    const auto found = geoms_.find(name);
    if (found == geoms_.end() || found->second.body.empty())
      e.refuse("there is no geom " + quote(name));
    const auto& [body, shape] = found->second;
    const bool is_sphere = shape.kind == GeomShape::sphere;
    if (!is_sphere && shape.kind != GeomShape::cylinder)
      e.refuse("the geom " + quote(name) + " is a " + std::string(name_of(shape.kind)) +
               "; tendons wrap around spheres and cylinders");
    if (tendon.points.empty() || tendon.points.back().weight == 0 || tendon.points.back().wrap)
      e.refuse("the geom " + quote(name) + " is not between two sites");
    Tendon::Wrap wrap{{}, is_sphere ? Tendon::Wrap::sphere : Tendon::Wrap::cylinder, shape.size.x};
    if (e.has("sidesite")) wrap.side = require_site(e, "sidesite");
    if (!wrap.side.empty() && is_inside(wrap.side, body, shape))
      return e.warn("is read as straight past the geom " + quote(name) + ": its sidesite " +
                    quote(wrap.side) +
                    " is inside, so that the tendon would run along the inner surface");
    if (!(wrap.radius > 0)) return;
    wrap.frame = frame_of(name, body, shape.pose);
    tendon.points.back().wrap = std::move(wrap);
  }
  bool is_inside(const std::string& site, const std::string& body, const GeomShape& shape) const {
    const auto frame = std::ranges::find(out_.frames, site, &FrameDescription::name);
    if (frame == out_.frames.end() || frame->body != body) return false;
    const Vec3 at = inverse(shape.pose) * frame->pose.r;
    const double r = shape.kind == GeomShape::sphere ? norm(at) : std::hypot(at.x, at.y);
    return r < shape.size.x;
  }
  /// A frame at a geom, made when it is used first.
  std::string frame_of(const std::string& geom, const std::string& body, const SE3& pose) {
    const auto made = frames_.find(geom);
    if (made != frames_.end()) return made->second;
    std::string name = geom;
    const auto is_taken = [&] {
      return name == ground || find_body(out_, name) >= 0 ||
             std::ranges::find(out_.frames, name, &FrameDescription::name) != out_.frames.end();
    };
    if (is_taken()) name += "_geom";
    while (is_taken()) name += '_';
    out_.frames.push_back({name, body, pose});
    return frames_[geom] = name;
  }
  std::string require_site(const Element& e, const char* attribute = "site") const {
    const std::string name = e.text(attribute);
    std::vector<std::string_view> known;
    for (const FrameDescription& frame : out_.frames) {
      if (frame.name == name) return name;
      known.push_back(frame.name);
    }
    e.refuse("there is no site " + quote(name) + did_you_mean(name, known));
  }

  void read_spring(const Setting& s, double offset, Tendon& tendon) const {
    const Coefficients stiffness =
                           flags_.spring ? read_coefficients(s, "stiffness") : Coefficients{},
                       damping = flags_.damper ? read_damping(s) : Coefficients{};
    tendon.stiffness = stiffness.linear, tendon.stiffening = stiffness.more;
    tendon.damping = damping.linear, tendon.drag = damping.more;
    if (flags_.frictionloss) tendon.friction = s.number("frictionloss", 0);
    const std::string limited = s.text("limited", "auto");
    const bool is_limited =
        limited == "true" ||
        (limited == "auto" && compiler_of(s.element(), compiler_).autolimits && s.has("range"));
    if (!flags_.limit || !is_limited) return read_rest(s, offset, tendon);
    if (!s.has("range")) s.element().refuse("is limited, but has no range; give two numbers");
    const auto range = s.of("range").numbers("range", 2, 2);
    tendon.range = {range[0] - offset, range[1] - offset};
    read_rest(s, offset, tendon);
  }
  static void read_rest(const Setting& s, double offset, Tendon& tendon) {
    tendon.rest.fill(std::nan(""));
    if (!s.has("springlength")) return;
    const auto given = s.of("springlength").numbers("springlength", 1, 2);
    if (given[0] == -1 && (given.size() == 1 || given[1] == -1)) return;
    tendon.rest = {given.front() - offset, given.back() - offset};
  }

  const std::vector<NamedJoint>& joints_;
  const Defaults& defaults_;
  const Compiler& compiler_;
  const Flags& flags_;
  const WrapGeoms& geoms_;
  std::map<std::string, std::string> frames_;  // of geoms
  FixedTendons& fixed_;
  Mechanism& out_;
  Names names_;
};

}  // namespace

void list_wrapped_geoms(const Element& section, WrapGeoms& geoms) {
  for (const Element& tendon : section.children())
    for (const Element& e : tendon.children())
      if (e.tag() == "geom" && e.has("geom")) geoms[e.text("geom")];
}

void read_tendons(const Element& section, const BeforeTendons& before, FixedTendons& tendons,
                  Mechanism& out) {
  TendonReader(before, tendons, out).read(section);
}

void shift_cables(const std::vector<std::pair<std::size_t, double>>& cables, Mechanism& mechanism) {
  if (cables.empty()) return;
  const ReferenceGeometry g = reference_geometry(mechanism);
  const auto place = [&](const ConstraintPoint& at) {
    const auto frame = std::ranges::find(mechanism.frames, at.body, &FrameDescription::name);
    const int body = find_body(mechanism, frame == mechanism.frames.end() ? at.body : frame->body);
    const SE3 A = body < 0 ? SE3{} : g.A[static_cast<std::size_t>(body)];
    return frame == mechanism.frames.end() ? A * at.point : A * (frame->pose * at.point);
  };
  for (const auto& [number, offset] : cables) {
    auto& cable = std::get<CableElement>(mechanism.constraints[number].data);
    double length = offset;
    for (std::size_t i = 0; i + 1 < cable.points.size(); ++i)
      length += norm(place(cable.points[i + 1]) - place(cable.points[i]));
    cable.length = length;
  }
}

void relax_tendons(const std::vector<NamedJoint>& joints, Mechanism& mechanism) {
  if (mechanism.tendons.empty()) return;
  Mechanism plain = mechanism;
  plain.tendons.clear(), plain.actuators.clear(), plain.keyframes.clear(), plain.loops.clear();
  plain.couplings.clear(), plain.constraints.clear(), plain.collisions = {};
  const Model model = compile(plain);
  Vector q = model.neutral();
  for (const NamedJoint& joint : joints)
    if (is_one_dof(joint)) q[model.joint(joint.name).q_index] = joint.rest;
  PositionKinematics kin(model);
  forward_kinematics(model, q, kin);
  for (Tendon& tendon : mechanism.tendons) {
    const bool is_open = std::isnan(tendon.rest[0]);
    if (is_open) tendon.rest = {};
    if (!is_open && !tendon.acts() && !tendon.range) continue;
    try {
      const forces::TendonLength length(model, tendon,
                                        describe(tendon.where, "tendon", tendon.name));
      if (is_open) tendon.rest.fill(length.value(kin));
    } catch (const Error&) {  // of constant length
      tendon.stiffness = tendon.damping = tendon.friction = 0;
      tendon.stiffening = tendon.drag = {}, tendon.range.reset();
    }
  }
}

}  // namespace chasles::io::mjcf
