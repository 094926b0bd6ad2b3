#include "chasles/lie/quaternion.hpp"
#include "io/mjcf/actuators.hpp"

namespace chasles::io::mjcf {
namespace {

std::size_t position_count(JointType type) {
  return type == JointType::floating ? 7 : type == JointType::spherical ? 4 : 1;
}
std::size_t velocity_count(JointType type) {
  return type == JointType::floating ? 6 : type == JointType::spherical ? 3 : 1;
}

/// The numbers of an attribute; empty if it is missing or has another size, with a warning.
std::vector<double> numbers_of(const Element& e, const char* attribute, std::size_t count) {
  if (!e.has(attribute)) return {};
  constexpr std::size_t most = 1'000'000;
  std::vector<double> x = e.numbers(attribute, 1, most);
  if (x.size() == count) return x;
  e.warn(std::string(attribute) + " has " + std::to_string(x.size()) + " numbers, the model " +
         std::to_string(count) + "; it is not kept");
  return {};
}

SO3 rotation_of(const double* x) {
  const Quaternion q{x[0], x[1], x[2], x[3]};
  const bool zero = x[0] == 0 && x[1] == 0 && x[2] == 0 && x[3] == 0;
  return zero ? SO3{} : rotation(normalized(q));
}
std::vector<double> quaternion_list(const SO3& R) {
  const Quaternion q = quaternion(R);
  return {q.w, q.x, q.y, q.z};
}

/// The pose of a free body in the world.
SE3 free_pose(const double* qpos) { return {rotation_of(qpos + 3), {qpos[0], qpos[1], qpos[2]}}; }

std::vector<double> position_of(const NamedJoint& joint, const double* qpos) {
  if (joint.type == JointType::spherical) return quaternion_list(rotation_of(qpos));
  if (joint.type != JointType::floating) return {qpos[0] - joint.ref};
  const SE3 C = free_pose(qpos);
  SE3 Q = inverse(joint.pose) * C;
  if (joint.group == FloatingGroup::so3xr3) Q.r = C.r - joint.pose.r;
  std::vector<double> q = quaternion_list(Q.R);
  q.insert(q.end(), {Q.r.x, Q.r.y, Q.r.z});
  return q;
}
/// @param R  of a free body in the world
std::vector<double> velocity_of(const NamedJoint& joint, const double* qvel, const SO3& R) {
  if (joint.type == JointType::spherical) return {qvel[0], qvel[1], qvel[2]};
  if (joint.type != JointType::floating) return {qvel[0]};
  const Vec3 rdot{qvel[0], qvel[1], qvel[2]},
      v = joint.group == FloatingGroup::so3xr3 ? rdot : inverse(R) * rdot;
  return {qvel[3], qvel[4], qvel[5], v.x, v.y, v.z};
}

}  // namespace

void read_keyframes(const Element& section, const std::vector<NamedJoint>& joints,
                    const std::vector<std::string>& controls, Names& names, Mechanism& out) {
  std::size_t nq = 0, nv = 0;
  for (const NamedJoint& joint : joints)
    nq += position_count(joint.type), nv += velocity_count(joint.type);
  for (const Element& plain : section.children()) {
    if (plain.tag() != "key") continue;
    const std::string name =
        names.of(plain.of("a keyframe"), "key" + std::to_string(out.keyframes.size()));
    const Element e = plain.of("keyframe " + quote(name));
    Keyframe key{.name = name, .time = e.number("time", 0), .where = e.where()};
    const auto qpos = numbers_of(e, "qpos", nq), qvel = numbers_of(e, "qvel", nv),
               ctrl = numbers_of(e, "ctrl", controls.size());
    std::size_t at_q = 0, at_v = 0;
    for (const NamedJoint& joint : joints) {
      if (!qpos.empty()) key.q.push_back({joint.name, position_of(joint, &qpos[at_q])});
      const bool floats = joint.type == JointType::floating;
      const SO3 R = floats && !qpos.empty() ? free_pose(&qpos[at_q]).R : joint.pose.R;
      if (!qvel.empty()) key.v.push_back({joint.name, velocity_of(joint, &qvel[at_v], R)});
      at_q += position_count(joint.type), at_v += velocity_count(joint.type);
    }
    for (std::size_t i = 0; i < ctrl.size(); ++i)
      if (!controls[i].empty()) key.control.push_back({controls[i], ctrl[i]});
    out.keyframes.push_back(std::move(key));
  }
}

}  // namespace chasles::io::mjcf
