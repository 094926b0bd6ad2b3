#pragma once

#include "chasles/mechanism/keyframe.hpp"
#include "chasles/model/model.hpp"

namespace chasles CHASLES_API {

struct KeyframeState {
  Vector q, v;
};
/// q and v of a keyframe, in the order of a model; joints that it does not name are neutral and at rest.
/// @throws Error naming a joint that the model does not have, or a wrong number of values
KeyframeState keyframe_state(const Model& model, const Keyframe& keyframe);

/// The keyframe to start from if a joint is beyond its limits at q: `home`, or the first; null if none is, or the model
/// has no keyframes.
/// @param model  of the mechanism; @param q  nq; @param joint  receives the joint, unless null
const Keyframe* keyframe_within_limits(const Mechanism& mechanism, const Model& model,
                                       ConstVectorRef q, const ModelJoint** joint = nullptr);

}  // namespace CHASLES_API
