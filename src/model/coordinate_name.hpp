/// Names of single coordinates for messages: "joint 'elbow'", "joint 'base', component 5 of 6 (linear y)".
#pragma once

#include <string>

#include "chasles/model/model.hpp"

namespace chasles {

/// @param v  entry of v
inline std::string coordinate_name(const Model& model, int v) {
  const ModelJoint& joint = model.joint_of_v(v);
  std::string name = "joint '" + joint.name + "'";
  if (joint.nv == 1) return name;
  const int k = v - joint.v_index;
  name += ", component " + std::to_string(k + 1) + " of " + std::to_string(joint.nv);
  const JointCoordinate& c = joint.coordinate_of_v(v);
  if (c.is_scalar()) return name;  // coordinates are in the order of the screws
  return name + (c.is_angular() ? " (angular " : " (linear ") + "xyz"[v - c.v_index] + ")";
}
/// @param q  entry of q; quaternions are (w, x, y, z)
inline std::string position_name(const Model& model, int q) {
  for (const ModelJoint& joint : model.joints()) {
    const int k = q - joint.q_index;
    if (k < 0 || k >= joint.nq) continue;
    if (joint.nq == 1) return "joint '" + joint.name + "'";
    std::string name = "joint '" + joint.name + "', component " + std::to_string(k + 1) + " of " +
                       std::to_string(joint.nq);
    const JointCoordinate& c = joint.coordinate_of_q(q);
    if (c.is_scalar()) return name;
    const char letter = (c.nq == 4 ? "wxyz" : "xyz")[q - c.q_index];
    return name + " (" + std::string(coordinate_kind_info(c.kind).name) + " " + letter + ")";
  }
  return "entry " + std::to_string(q) + " of q";
}

}  // namespace chasles
