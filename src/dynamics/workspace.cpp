#include <cmath>

#include "chasles/state_error.hpp"
#include "dynamics/kernel_memory.hpp"
#include "dynamics/links.hpp"
#include "model/model_data.hpp"

namespace chasles {

Workspace::Workspace(const Model& model) : model_(model), memory_(ValuePtr<Memory>::make(model)) {}

void Workspace::Memory::throw_failed(const Model& model, int link, const double* q,
                                     const std::string& state) {
  for (const ModelJoint& joint : model.joints())
    for (int k = joint.q_index; k < joint.q_index + joint.nq; ++k)
      if (!std::isfinite(q[k]))
        throw StateError(state + "q[" + std::to_string(k) + "], of joint '" + joint.name +
                         "', is not finite");
  for (const Link& at : tree_links(model))
    if (const double* p = q + at.q_index;
        has_quaternion(at.motion) && p[0] == 0 && p[1] == 0 && p[2] == 0 && p[3] == 0)
      throw_zero_quaternion(model, at.q_index, state);
  dynamics::throw_singular(model, tree_links(model)[static_cast<std::size_t>(link)].v_index, state);
}

}  // namespace chasles
