/// The name of a joint: as given, or that of its body.
#pragma once

#include "chasles/mechanism/mechanism.hpp"

namespace chasles {

inline const std::string& joint_name(const Body& body) {
  return body.joint.name.empty() ? body.name : body.joint.name;
}

}  // namespace chasles
