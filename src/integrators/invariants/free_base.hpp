/// The base of a mechanism on one floating joint, for momentum form and invariant projection.
#pragma once

#include "chasles/systems/model_system.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {

/// On SE(3) the entries of v of the base are its body-fixed twist, and those of M v its body-fixed momentum. On
/// SO(3) x R^3 the linear parts of both are in world axes, and A rotates them; A = 1 for SE(3).
class FreeBase {
 public:
  /// @throws Error naming the model, if it is not one tree on one floating joint without armature
  FreeBase(const Model& model, std::string_view what) : model_(model) {
    const std::vector<Link>& links = tree_links(model);
    if (links.empty() || links[0].nv != 6 || group_of(links[0].motion).nq != 7 ||
        links[0].parent >= 0 || links[0].end != static_cast<int>(links.size()))
      throw Error(std::string(what) + ": the mechanism '" + model.name() +
                  "' must be one tree on one floating joint");
    if (links[0].armature != 0)
      throw Error(std::string(what) + ": the armature of joint '" + model.joint_of_v(0).name +
                  "' is on ground, so that momentum is not conserved; leave out the armature, or " +
                  std::string(what));
  }
  /// The frame of the base link in the world.
  SE3 pose(ConstVectorRef q) const { return links::pose_in_parent(model_, link(), q.data()); }
  SO3 A(ConstVectorRef q) const {
    return links::has_position_axes(link()) ? inverse(link().Q) * rotation_of(q.data()) : SO3{};
  }
  /// Moves the base to another pose with the same body-fixed twist.
  void move(const SE3& C, VectorRef q, VectorRef v) const {
    const SO3 before = A(q);
    const SE3 T = inverse(link().P) * C;
    put_rotation_near(q.data(), T.R, q.data());
    put(inverse_times(link().Q, T.r), q.data() + 4);
    put(A(q) * inverse_times(before, vec3_at(v.data() + 3)), v.data() + 3);
  }

 private:
  const Link& link() const { return tree_links(model_)[0]; }
  Model model_;
};

}  // namespace chasles
