#include "chasles/mechanism/rotor.hpp"

#include <algorithm>

#include "mechanism/joint_name.hpp"
#include "mechanism/rotor_parts.hpp"

namespace chasles {
namespace {

template <class Chosen>
Mechanism with_rotors_as_bodies(const Mechanism& mechanism, const Chosen& chosen) {
  if (std::ranges::none_of(mechanism.bodies, chosen)) return mechanism;
  check(mechanism);
  const ReferenceGeometry geometry = reference_geometry(mechanism);
  Mechanism result = mechanism;
  for (std::size_t i = 0; i < mechanism.bodies.size(); ++i) {
    const Body& driven = mechanism.bodies[i];
    if (!chosen(driven)) continue;
    const auto [inertia, ratio] = *driven.joint.rotor;
    const std::string name = joint_name(driven), rotor = name + "_rotor";
    Body body = driven;
    body.name = rotor;
    body.joint = {};
    body.joint.type = JointType::revolute;
    body.joint.geometry = driven.joint.geometry;
    body.inertia.emplace();
    body.inertia->physical = false;  // bodies without mass have no inertia
    body.inertia->tensor =
        disc(inertia, inverse_times(geometry.A[i].R, geometry.J[i].R * Vec3{0, 0, 1}));
    result.bodies[i].joint.rotor.reset();
    result.bodies.push_back(std::move(body));
    result.couplings.push_back({.name = name + "_gear",
                                .terms = {{.joint = rotor}, {.joint = name, .coefficient = -ratio}},
                                .where = driven.where});
  }
  return result;
}

}  // namespace

Mechanism with_rotors(const Mechanism& mechanism) {
  return with_rotors_as_bodies(mechanism,
                               [](const Body& body) { return body.joint.rotor.has_value(); });
}

Mechanism with_sliding_rotors(const Mechanism& mechanism) {
  return with_rotors_as_bodies(mechanism, [](const Body& body) {
    return body.joint.rotor.has_value() && !turns_like_rotor(body.joint);
  });
}

}  // namespace chasles
