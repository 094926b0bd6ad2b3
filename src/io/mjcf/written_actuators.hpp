/// Elements <actuator> and <keyframe> of MJCF, and the fixed tendons of actuators that drive several joints.
#pragma once

#include <functional>
#include <unordered_set>

#include "chasles/mechanism/mechanism.hpp"

namespace chasles::io::mjcf {

struct WrittenActuators {
  std::string elements, tendons;
  std::vector<std::string> names;  // in the order of `ctrl`
};

/// @param m             with joints that MJCF has
/// @param site_of       the site of a frame or body
/// @param tendon_names  those in use
/// @param warn          receives what MJCF cannot say
WrittenActuators write_actuators(const Mechanism& m,
                                 const std::function<std::string(const std::string&)>& site_of,
                                 std::unordered_set<std::string>& tendon_names,
                                 const std::function<void(const std::string&)>& warn);

/// A joint of the file.
struct WrittenJoint {
  std::string name;
  JointType type;
  SE3 pose;  // of its body in the world at q = 0
  FloatingGroup group = FloatingGroup::se3;
};

/// The states by joint as `qpos` and `qvel`, the inverse of read_keyframes.
/// @param joints  in the order of the file
std::string write_keyframes(const Mechanism& m, const std::vector<WrittenJoint>& joints,
                            const std::vector<std::string>& controls);

}  // namespace chasles::io::mjcf
