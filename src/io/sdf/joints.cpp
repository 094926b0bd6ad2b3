#include "io/sdf/joints.hpp"

#include <cmath>

#include "chasles/suggest.hpp"

namespace chasles::io::sdf {
namespace {

constexpr TypeRow types[] = {
    {"revolute", JointType::revolute, 1},   {"continuous", JointType::revolute, 1},
    {"prismatic", JointType::prismatic, 1}, {"screw", JointType::helical, 1},
    {"ball", JointType::spherical, 0},      {"universal", JointType::universal, 2},
    {"revolute2", JointType::universal, 2}, {"fixed", JointType::fixed, 0}};

}  // namespace

double number_in(const Element& owner, std::string_view tag, double otherwise) {
  const std::optional<Element> e = owner.child(tag);
  return e ? e->content_number() : otherwise;
}

const TypeRow& read_type(const Element& joint) {
  const std::string name = joint.text("type");
  std::vector<std::string_view> known;
  for (const TypeRow& row : types) {
    if (row.name == name) return row;
    known.push_back(row.name);
  }
  known.push_back("gearbox");
  joint.refuse("type " + quote(name) + " is not a joint type of SDF" + choices(name, known));
}

/// SDF uses a large number for no position limit, and a negative one for no velocity or effort limit. Before
/// 1.5 an effort or velocity limit of zero, the default, also meant none.
std::optional<JointLimits> read_limits(const Element& axis, int version) {
  const std::optional<Element> limit = axis.child("limit");
  if (!limit) return std::nullopt;
  const auto number = [&](const char* tag) -> std::optional<double> {
    const std::optional<Element> e = limit->child(tag);
    if (!e) return std::nullopt;
    const std::string text = e->content();
    if (text == "inf" || text == "-inf" || text == "+inf") return std::nullopt;
    const double x = e->content_number();
    return std::abs(x) >= 1e16 ? std::nullopt : std::optional(x);
  };
  JointLimits limits{number("lower"), number("upper"), number("velocity"), number("effort")};
  for (auto* bound : {&limits.velocity, &limits.effort})
    if (*bound && (**bound < 0 || (version < 5 && **bound == 0))) *bound = std::nullopt;
  if (!limits.lower && !limits.upper && !limits.velocity && !limits.effort) return std::nullopt;
  return limits;
}

JointDynamics read_dynamics(const Element& axis) {
  const std::optional<Element> e = axis.child("dynamics");
  if (!e) return {};
  JointDynamics dynamics{number_in(*e, "damping", 0), number_in(*e, "friction", 0),
                         number_in(*e, "spring_stiffness", 0)};
  if (const double rest = number_in(*e, "spring_reference", 0);
      dynamics.stiffness != 0 && rest != 0)
    dynamics.rest = {rest};
  return dynamics;
}

/// q = multiplier (q_joint - reference) + offset.
std::optional<Mimic> read_mimic(const Element& axis) {
  const std::optional<Element> e = axis.child("mimic");
  if (!e) return std::nullopt;
  const double multiplier = number_in(*e, "multiplier", 1);
  return Mimic{e->text("joint"), multiplier,
               number_in(*e, "offset", 0) - multiplier * number_in(*e, "reference", 0)};
}

/// Drake extension: a rotor that rotates `gear_ratio` times as far as the joint.
double read_armature(const Element& joint, JointType type) {
  const std::optional<Element> e = joint.child("drake:rotor_inertia");
  if (!e || e->content_number() == 0) return 0;
  if (type != JointType::revolute && type != JointType::prismatic) {
    e->warn("a rotor of a joint that does not have one coordinate is not kept");
    return 0;
  }
  const double n = number_in(joint, "drake:gear_ratio", 1);
  return n * n * e->content_number();
}

/// [m/rad]. The older element is in radians per meter, and left-handed.
double read_pitch(const Element& e) {
  if (const auto pitch = e.child("screw_thread_pitch")) return pitch->content_number() / (2 * M_PI);
  if (const auto pitch = e.child("thread_pitch")) {
    const double x = pitch->content_number();
    if (x == 0) pitch->refuse("thread_pitch is 0; give radians per meter");
    return -1 / x;
  }
  return 1 / (2 * M_PI);  // the default of SDF: one meter per revolution
}
}  // namespace chasles::io::sdf
