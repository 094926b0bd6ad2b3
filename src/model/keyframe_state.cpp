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

const Keyframe* keyframe_within_limits(const Mechanism& mechanism, const Model& model,
                                       ConstVectorRef q, const ModelJoint** joint) {
  if (mechanism.keyframes.empty()) return nullptr;
  const Keyframe* best = &mechanism.keyframes.front();
  for (const Keyframe& key : mechanism.keyframes)
    if (key.name == "home") best = &key;
  for (const ModelJoint& one : model.joints()) {
    if (!one.limits || one.nq != 1) continue;
    const auto& [lower, upper, velocity, effort] = *one.limits;
    const double x = q[one.q_index];
    if (!(lower && x < *lower) && !(upper && x > *upper)) continue;
    if (joint != nullptr) *joint = &one;
    return best;
  }
  return nullptr;
}

}  // namespace chasles
