#include "chasles/mechanism/rotor.hpp"

#include <algorithm>

#include "mechanism/joint_name.hpp"

namespace chasles {

Mechanism with_rotors(const Mechanism& mechanism) {
  const auto has_rotor = [](const Body& body) { return body.joint.rotor.has_value(); };
  if (std::ranges::none_of(mechanism.bodies, has_rotor)) return mechanism;
  check(mechanism);
  const ReferenceGeometry geometry = reference_geometry(mechanism);
  Mechanism result = mechanism;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& driven = mechanism.bodies[i];
    if (!has_rotor(driven)) continue;
    const auto [inertia, ratio] = *driven.joint.rotor;
    const std::string name = joint_name(driven), rotor = name + "_rotor";
    Body body = driven;
    body.name = rotor;
    body.joint = {};
    body.joint.type = JointType::revolute;
    body.joint.geometry = driven.joint.geometry;
    const Vec3 a = inverse_times(geometry.A[i].R, geometry.J[i].R * Vec3{0, 0, 1});
    const double half = inertia / 2;
    body.inertia.emplace();
    body.inertia->physical = false;  // bodies without mass have no inertia
    body.inertia->tensor = {half * (1 + a.x * a.x), half * a.x * a.y, half * a.x * a.z,
                            half * (1 + a.y * a.y), half * a.y * a.z, half * (1 + a.z * a.z)};
    result.bodies[i].joint.rotor.reset();
    result.bodies.push_back(std::move(body));
    result.couplings.push_back({.name = name + "_gear",
                                .terms = {{.joint = rotor}, {.joint = name, .coefficient = -ratio}},
                                .where = driven.where});
  }
  return result;
}

}  // namespace chasles
