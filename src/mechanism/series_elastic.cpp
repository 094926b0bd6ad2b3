#include "chasles/mechanism/series_elastic.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "chasles/suggest.hpp"
#include "mechanism/joint_name.hpp"

namespace chasles {
namespace {

std::string described(const SeriesElasticDrive& drive) {
  return "series elastic drive of joint '" + drive.joint + "'";
}

void check_numbers(const SeriesElasticDrive& drive) {
  const auto require = [&](bool good, const char* name, double value, const char* wanted) {
    if (!good || !std::isfinite(value))
      throw Error(described(drive) + ": " + name + " is " + to_text(value) + "; it must be " +
                  wanted);
  };
  require(drive.stiffness > 0, "stiffness", drive.stiffness, "positive");
  require(drive.motor_inertia > 0, "motor_inertia", drive.motor_inertia, "positive");
  require(drive.ratio != 0, "ratio", drive.ratio, "a number other than 0");
  require(drive.reflected_inertia() > 0, "ratio^2 motor_inertia", drive.reflected_inertia(),
          "positive and finite");
  require(drive.damping >= 0, "damping", drive.damping, "0 or more");
  require(drive.motor_damping >= 0, "motor_damping", drive.motor_damping, "0 or more");
}

/// The index of the body of the joint.
std::size_t driven_body(const Mechanism& mechanism, const SeriesElasticDrive& drive) {
  const auto body = std::ranges::find_if(
      mechanism.bodies, [&](const Body& b) { return joint_name(b) == drive.joint; });
  if (body == mechanism.bodies.end()) {
    std::vector<std::string_view> known;
    for (const Body& b : mechanism.bodies) known.push_back(joint_name(b));
    throw Error(described(drive) + ": there is no such joint" + did_you_mean(drive.joint, known));
  }
  const auto kinds = coordinate_kinds(body->joint);
  if (kinds.size() != 1 || !coordinate_kind_info(kinds[0]).is_scalar)
    throw Error(described(drive) +
                ": the joint does not have exactly one coordinate; drive others by several joints");
  if (body->joint.mimic)
    throw Error(described(drive) + ": the joint mimics '" + body->joint.mimic->joint +
                "'; drive that one");
  if (body->joint.rotor)
    throw Error(described(drive) + ": the joint has a rotor, whose gear is rigid; leave out one");
  return static_cast<std::size_t>(body - mechanism.bodies.begin());
}

std::vector<std::size_t> driven_bodies(const Mechanism& mechanism,
                                       const std::vector<SeriesElasticDrive>& drives) {
  std::vector<std::size_t> list;
  std::set<std::string_view> seen;
  for (const SeriesElasticDrive& drive : drives) {
    check_numbers(drive);
    list.push_back(driven_body(mechanism, drive));
    if (!seen.insert(drive.joint).second) throw Error(described(drive) + ": it is given twice");
  }
  return list;
}

/// The motor as a body without mass, like the driven one.
Body motor_of(const Body& driven, const SeriesElasticDrive& drive) {
  Body motor = driven;
  motor.name = drive.motor();
  motor.inertia.reset();
  Joint& joint = motor.joint;
  joint.name.clear();
  joint.armature = drive.reflected_inertia();
  joint.dynamics = {.damping = drive.motor_damping};
  if (joint.limits) joint.limits->lower.reset(), joint.limits->upper.reset();
  return motor;
}

}  // namespace

Mechanism with_series_elastic_drives(const Mechanism& mechanism,
                                     const std::vector<SeriesElasticDrive>& drives) {
  const std::vector<std::size_t> driven = driven_bodies(mechanism, drives);
  Mechanism result = mechanism;
  for (std::size_t i = 0; i < drives.size(); ++i) {
    const SeriesElasticDrive& drive = drives[i];
    const std::string name = drive.joint, motor = drive.motor();
    result.bodies.push_back(motor_of(mechanism.bodies[driven[i]], drive));
    if (auto& limits = result.bodies[driven[i]].joint.limits) limits->effort.reset();
    result.tendons.push_back({.name = name + "_spring",
                              .terms = {{.joint = motor}, {.joint = name, .coefficient = -1}},
                              .stiffness = drive.stiffness,
                              .damping = drive.damping});
    for (Actuator& actuator : result.actuators)
      for (Actuator::Term& term : actuator.terms)
        if (term.joint == name) term.joint = motor;
    for (Keyframe& key : result.keyframes)
      for (std::vector<JointValues>* list : {&key.q, &key.v}) {
        const auto at = std::ranges::find(*list, name, &JointValues::joint);
        if (at != list->end()) list->push_back({motor, at->values});
      }
  }
  check(result);
  return result;
}

Mechanism with_rigid_drives(const Mechanism& mechanism,
                            const std::vector<SeriesElasticDrive>& drives) {
  const std::vector<std::size_t> driven = driven_bodies(mechanism, drives);
  Mechanism result = mechanism;
  for (std::size_t i = 0; i < drives.size(); ++i)
    result.bodies[driven[i]].joint.armature += drives[i].reflected_inertia();
  return result;
}

}  // namespace chasles
