#include "chasles/kinematics/joint_entries.hpp"

namespace chasles {

void require_joint(const Model& model, const ModelJoint& joint) {
  const std::vector<ModelJoint>& all = model.joints();
  if (std::less_equal<>()(all.data(), &joint) && std::less<>()(&joint, all.data() + all.size()))
    return;
  const ModelJoint& known = model.joint(joint.name);
  if (known.q_index != joint.q_index || known.v_index != joint.v_index || known.nq != joint.nq ||
      known.nv != joint.nv)
    throw Error("joint '" + joint.name + "' with v[" + std::to_string(joint.v_index) +
                "] is not one of model '" + model.name() +
                "'; take joints from the model they are used with");
}

}  // namespace chasles
