#include "chasles/model/keyframe_state.hpp"

namespace chasles {
namespace {

void copy_values(const std::vector<JointValues>& list, bool is_q, const Model& model,
                 const std::string& what, Vector& out) {
  for (const auto& [name, values] : list) {
    const ModelJoint& joint = model.joint(name);
    const int count = is_q ? joint.nq : joint.nv;
    if (values.size() != static_cast<std::size_t>(count))
      throw Error(what + ": " + (is_q ? "q" : "v") + " of joint '" + name + "' has " +
                  std::to_string(values.size()) + " entries; give " + std::to_string(count));
    for (int k = 0; k < count; ++k)
      out[(is_q ? joint.q_index : joint.v_index) + k] = values[static_cast<std::size_t>(k)];
  }
}

}  // namespace

KeyframeState keyframe_state(const Model& model, const Keyframe& keyframe) {
  const std::string what = describe(keyframe.where, "keyframe", keyframe.name);
  KeyframeState state{model.neutral(), Vector(model.nv())};
  copy_values(keyframe.q, true, model, what, state.q);
  copy_values(keyframe.v, false, model, what, state.v);
  return state;
}

}  // namespace chasles
