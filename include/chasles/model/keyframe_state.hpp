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

}  // namespace CHASLES_API
