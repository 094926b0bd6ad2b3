/// Named states of a mechanism, by joint: where a robot stands, is folded, or starts.
///
///     Mechanism arm = read_mechanism("arm.yaml");
///     arm.keyframes.push_back({.name = "home", .q = {{"shoulder", {0.3}}}});
///     KeyframeState start = keyframe_state(compile(arm), find_keyframe(arm, "home"));   // model/keyframe_state.hpp
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "chasles/export.hpp"

namespace chasles CHASLES_API {

struct Mechanism;

/// Entries of q or v of one joint.
struct JointValues {
  std::string joint;
  std::vector<double> values;
};
/// The control of one actuator (mechanism/actuator.hpp).
struct ActuatorControl {
  std::string actuator;
  double value = 0;
};
struct Keyframe {
  std::string name;
  double time = 0;                         // [s]
  std::vector<JointValues> q{}, v{};       // joints not named are neutral, and at rest
  std::vector<ActuatorControl> control{};  // actuators not named have control 0
  std::string where{};                     // "file:line", if read from a file
};

/// @throws Error naming the keyframe, with the names that exist
const Keyframe& find_keyframe(const Mechanism& mechanism, std::string_view name);

}  // namespace CHASLES_API
