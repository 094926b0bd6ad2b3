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
  if (joint.nq == joint.nv) return name;  // its coordinates are in the order of its screws
  return name + (k < 3 ? " (angular " : " (linear ") + "xyz"[k % 3] + ")";
}
/// @param q  entry of q; of a quaternion (w, x, y, z) comes first
inline std::string position_name(const Model& model, int q) {
  for (const ModelJoint& joint : model.joints()) {
    const int k = q - joint.q_index;
    if (k < 0 || k >= joint.nq) continue;
    if (joint.nq == joint.nv) return coordinate_name(model, joint.v_index + k);
    return "joint '" + joint.name + "', component " + std::to_string(k + 1) + " of " +
           std::to_string(joint.nq) + (k < 4 ? " (quaternion " : " (position ") +
           (k < 4 ? "wxyz"[k] : "xyz"[(k - 4) % 3]) + ")";
  }
  return "entry " + std::to_string(q) + " of q";
}

}  // namespace chasles
