#include "chasles/dynamics/applied_wrench.hpp"

namespace chasles {

void add_link_wrenches(const Model& model, const PositionKinematics& kin, AppliedWrenches applied,
                       std::span<Wrench> W) {
  require_size("W", W.size(), static_cast<int>(model.links().size()));
  for (const AppliedWrench& a : applied) {
    const Place& place = a.place;
    if (place.link < 0) continue;
    const auto i = static_cast<std::size_t>(place.link);
    if (i >= W.size())
      throw Error("a wrench is applied to link " + std::to_string(place.link) + ", but model '" +
                  model.name() + "' has " + std::to_string(W.size()) +
                  "; take places from the same model");
    const Wrench W_b = lie::to_body(a.W, pose(kin, place), a.representation);
    W[i] += lie::Ad_inv_dual(place.offset, W_b);
  }
}

}  // namespace chasles
