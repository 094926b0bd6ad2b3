#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "chasles/io/mechanism_file.hpp"
#include "chasles/lie/quaternion.hpp"
#include "io/text.hpp"
#include "io/yaml/yaml_collisions.hpp"
#include "io/yaml/yaml_parts.hpp"
#include "io/yaml/yaml_visuals.hpp"

namespace chasles {
namespace {

std::string number(double value) { return std::isinf(value) ? ".inf" : to_text(value); }

template <class Range>
std::string list(const Range& values) {
  std::string text;
  for (const double value : values) text += (text.empty() ? "[" : ", ") + number(value);
  return text + "]";
}
std::string list(const Vec3& x) { return list(coordinates(x)); }

/// Roll, pitch, yaw that give the same matrix bit by bit, if some are found.
std::optional<Vec3> exact_rpy(const SO3& R) {
  const Vec3 found = rpy(R);
  const auto rounded = [](double x) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, x, std::chars_format::general, 15).ptr;
    return io::parse_number({text, end}).value_or(x);
  };
  for (const Vec3& a : {Vec3{rounded(found.x), rounded(found.y), rounded(found.z)}, found})
    if (rotation_from_rpy(a.x, a.y, a.z) == R) return a;
  return std::nullopt;
}

/// "xyz: .., rpy: .." or with the matrix, whichever is exact.
std::string pose(const SE3& C) {
  std::string text = "xyz: " + list(C.r);
  if (C.R == SO3{}) return text;
  if (const std::optional<Vec3> a = exact_rpy(C.R)) return text + ", rpy: " + list(*a);
  const Mat3 columns = transpose(C.R.matrix());  // its columns are the rows
  return text + fmt::format(", matrix: [{}, {}, {}]", list(columns.c0), list(columns.c1),
                            list(columns.c2));
}

std::string map(const std::string& entries) { return fmt::format("{{{}}}", entries); }

const char* name_of(DescribedIn in) {
  return in == DescribedIn::world ? "world" : in == DescribedIn::parent ? "parent" : "body";
}

/// Lines "key: value", each after the same indentation.
class Lines {
 public:
  Lines(std::string& out, int indent) : out_(out), indent_(static_cast<std::size_t>(indent), ' ') {}
  void operator()(const std::string& key, const std::string& value) {
    out_ += indent_ + key + ": " + value + "\n";
  }
  void item(const std::string& value) { out_ += indent_ + "  - " + value + "\n"; }
  void heading(const std::string& key) { out_ += indent_ + key + ":\n"; }

 private:
  std::string& out_;
  std::string indent_;
};

void write_geometry(Lines& line, const JointGeometry& geometry, JointType type) {
  const auto axes = [&](const Vec3& axis, const std::optional<Vec3>& x_axis) {
    line("axis", list(axis));
    if (x_axis) line("x_axis", list(*x_axis));
  };
  if (const auto* frames = std::get_if<FramesGeometry>(&geometry)) {
    line.heading("frames");
    line("  parent", map(pose(frames->parent)));
    line("  child", map(pose(frames->child)));
    axes(frames->axis, frames->x_axis);
    return;
  }
  const auto& given = std::get<AxisGeometry>(geometry);
  const JointTypeInfo& info = joint_type_info(type);
  if (info.takes_axis) axes(given.axis, given.x_axis);
  if (info.takes_point) line("point", list(given.point));
  line("in", name_of(given.in));
}

std::string limits_text(const JointLimits& limits) {
  std::string text;
  const auto add = [&](const char* key, const std::optional<double>& value) {
    if (value) text += (text.empty() ? "" : ", ") + std::string(key) + ": " + number(*value);
  };
  add("lower", limits.lower);
  add("upper", limits.upper);
  add("velocity", limits.velocity);
  add("effort", limits.effort);
  return map(text);
}

template <class JointOrLoop>
void write_screws(Lines& line, const JointOrLoop& joint) {
  if (joint.type != JointType::custom) return;
  line.heading("screws");
  for (const ScrewData& screw : joint.screws)
    line.item(fmt::format("{{axis: {}, point: {}, pitch: {}}}", list(screw.axis), list(screw.point),
                          number(screw.pitch)));
  line("parameterization", joint.parameterization == Parameterization::sum ? "sum" : "product");
}

void write_joint(std::string& out, const Joint& joint) {
  out += "    joint:\n";
  Lines line(out, 6);
  if (!joint.name.empty()) line("name", io::yaml_word(joint.name));
  line("type", std::string(joint_type_info(joint.type).name));
  write_geometry(line, joint.geometry, joint.type);
  if (joint_type_info(joint.type).takes_pitch) line("pitch", number(joint.pitch));
  if (joint.group == FloatingGroup::so3xr3) line("group", "so3xr3");
  write_screws(line, joint);
  if (joint.limits) line("limits", limits_text(*joint.limits));
  if (const JointDynamics& d = joint.dynamics; d.acts() || !d.rest.empty())
    line("dynamics",
         fmt::format("{{damping: {}, friction: {}{}{}}}", io::polynomial_text(d.damping, d.drag),
                     number(d.friction),
                     d.stiffness != 0 || d.stiffening != std::array<double, 2>{}
                         ? ", stiffness: " + io::polynomial_text(d.stiffness, d.stiffening)
                         : "",
                     d.rest.empty() ? "" : ", rest: " + list(d.rest)));
  if (joint.mimic)
    line("mimic",
         fmt::format("{{joint: {}, multiplier: {}, offset: {}}}", io::yaml_word(joint.mimic->joint),
                     number(joint.mimic->multiplier), number(joint.mimic->offset)));
  if (joint.rotor)
    line("rotor", fmt::format("{{inertia: {}, ratio: {}}}", number(joint.rotor->inertia),
                              number(joint.rotor->ratio)));
  if (joint.armature != 0) line("armature", number(joint.armature));
}

void write_inertia(std::string& out, const Body& body) {
  if (!body.inertia) return;
  Lines line(out, 4);
  const BodyInertia& I = *body.inertia;
  const Sym3& t = I.tensor;
  line("inertia", fmt::format("{{mass: {}, com: {}, about: {}, tensor: {}{}}}", number(I.mass),
                              list(I.com), I.about_com ? "com" : "frame",
                              list(std::array{t.xx, t.xy, t.xz, t.yy, t.yz, t.zz}),
                              I.physical ? "" : ", physical: false"));
}
void write_body(std::string& out, const Body& body, const Appearance& appearance) {
  out += "  - name: " + io::yaml_word(body.name) + "\n";
  Lines line(out, 4);
  line("parent", io::yaml_word(body.parent));
  write_joint(out, body.joint);
  if (std::holds_alternative<AxisGeometry>(body.joint.geometry) &&
      (body.pose.C != SE3{} || body.pose.in != DescribedIn::world))
    line("pose", map(pose(body.pose.C) + ", in: " + name_of(body.pose.in)));
  write_inertia(out, body);
  out += io::visuals_text(appearance, body.name, [](const SE3& C) { return pose(C); });
}

void write_loop(std::string& out, const Loop& loop) {
  out += "  - name: " + io::yaml_word(loop.name) + "\n";
  Lines line(out, 4);
  line("type", std::string(joint_type_info(loop.type).name));
  line("bodies",
       fmt::format("[{}, {}]", io::yaml_word(loop.bodies[0]), io::yaml_word(loop.bodies[1])));
  write_geometry(line, loop.geometry, loop.type);
  if (joint_type_info(loop.type).takes_pitch) line("pitch", number(loop.pitch));
  write_screws(line, loop);
}

std::string function_text(const CurveData& f) {
  std::string text, entries;
  for (const double c : f.polynomial) entries += (entries.empty() ? "" : ", ") + number(c);
  if (!f.polynomial.empty()) text += ", polynomial: [" + entries + "]";
  entries.clear();
  for (const Curve::Point& p : f.table)
    entries += fmt::format("{}[{}, {}]", entries.empty() ? "" : ", ", number(p[0]), number(p[1]));
  if (f.table.empty()) return text;
  static constexpr const char* ends[] = {"", ", ends: clamped", ", ends: periodic"};
  return text + ", table: [" + entries + "]" + ends[static_cast<std::size_t>(f.ends)];
}
/// A coefficient, or a map.
std::string term_text(const Coupling::Term& term) {
  const std::string more =
      (term.coordinate == 0 ? "" : fmt::format(", coordinate: {}", term.coordinate)) +
      function_text(term.function);
  return more.empty() ? number(term.coefficient)
                      : "{coefficient: " + number(term.coefficient) + more + "}";
}

/// Terms of one joint stand together, so that no key comes twice.
void write_coupling(std::string& out, const Coupling& coupling) {
  out += "  - name: " + io::yaml_word(coupling.name) + "\n";
  Lines line(out, 4);
  std::vector<std::string> joints;
  for (const Coupling::Term& term : coupling.terms)
    if (std::find(joints.begin(), joints.end(), term.joint) == joints.end())
      joints.push_back(term.joint);
  std::string entries;
  for (const std::string& joint : joints) {
    std::string terms;
    int count = 0;
    for (const Coupling::Term& term : coupling.terms) {
      if (term.joint != joint) continue;
      terms += (count++ == 0 ? "" : ", ") + term_text(term);
    }
    entries += (entries.empty() ? "" : ", ") + io::yaml_word(joint) + ": " +
               (count > 1 ? "[" + terms + "]" : terms);
  }
  line("joints", map(entries));
  if (coupling.offset != 0 || std::signbit(coupling.offset))
    line("offset", number(coupling.offset));
}

}  // namespace

std::string write_yaml(const Mechanism& mechanism) {
  if (mechanism.bodies.empty())
    throw Error("mechanism '" + mechanism.name +
                "' has no bodies, so no file can describe it; give it one");
  std::string out = "chasles: 1\n";
  if (!mechanism.name.empty()) out += "name: " + io::yaml_word(mechanism.name) + "\n";
  out += "gravity: " + list(mechanism.gravity) + "\nbodies:\n";
  for (const Body& body : mechanism.bodies) write_body(out, body, mechanism.appearance);
  if (!mechanism.loops.empty()) out += "loops:\n";
  for (const Loop& loop : mechanism.loops) write_loop(out, loop);
  if (!mechanism.couplings.empty()) out += "couplings:\n";
  for (const Coupling& coupling : mechanism.couplings) write_coupling(out, coupling);
  out += io::write_constraints(mechanism);
  if (!mechanism.frames.empty()) out += "frames:\n";
  for (const FrameDescription& frame : mechanism.frames)
    out += fmt::format("  - {{name: {}, body: {}, pose: {{{}}}}}\n", io::yaml_word(frame.name),
                       io::yaml_word(frame.body), pose(frame.pose));
  out += io::collisions_text(mechanism.collisions, [](const SE3& C) { return pose(C); });
  return out + io::write_tendons(mechanism) + io::write_actuators_and_keyframes(mechanism);
}

}  // namespace chasles
