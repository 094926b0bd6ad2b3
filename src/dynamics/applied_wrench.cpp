#include "chasles/dynamics/applied_wrench.hpp"

namespace chasles {

void add_link_wrenches(const Model& model, const PositionKinematics& kin, AppliedWrenches applied,
                       std::span<Wrench> W) {
  require_model("the kinematics", kin.model(), model);
  require_size("W", W.size(), static_cast<int>(model.links().size()));
  for (const AppliedWrench& a : applied) {
    const Place& place = a.place;
    require_place(place, model);
    lie::require_known(a.representation);
    if (place.link < 0) continue;
    const auto i = static_cast<std::size_t>(place.link);
    const Wrench W_b = lie::to_body(a.W, pose(kin, place), a.representation);
    W[i] += lie::Ad_inv_dual(place.offset, W_b);
  }
}

}  // namespace chasles
