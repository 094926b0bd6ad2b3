#include "chasles/dynamics/applied_wrench.hpp"

#include "model/model_data.hpp"

namespace chasles {

void add_link_wrenches(const Model& model, const PositionKinematics& kin, AppliedWrenches applied,
                       std::span<Wrench> W) {
  require_model("the kinematics", kin.model(), model);
  require_size("W", W.size(), static_cast<int>(tree_links(model).size()));
  for (const AppliedWrench& a : applied) {
    const Frame& frame = a.frame;
    require_frame(frame, model);
    lie::require_known(a.representation);
    if (frame.link < 0) continue;
    const auto i = static_cast<std::size_t>(frame.link);
    const Wrench W_b = lie::to_body(a.W, pose(kin, frame), a.representation);
    W[i] += lie::Ad_inv_dual(frame.offset, W_b);
  }
}

}  // namespace chasles
