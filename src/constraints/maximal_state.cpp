#include "chasles/constraints/maximal_state.hpp"

#include "constraints/maximal_bodies.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// A floating joint on ground, and the body that it carries.
struct FreeBody {
  const ModelJoint& joint;
  const Link& link;
  Frame frame;  // the link frame, in the tree model
};

/// Calls each(body) for all joints of the model in maximal coordinates.
template <class Each>
void for_bodies(const Model& tree, const Model& maximal, const Each& each) {
  for (const ModelJoint& joint : maximal.joints()) {
    require_floating_on_ground(maximal, joint);
    const auto link =
        static_cast<std::size_t>(link_of_v(maximal)[static_cast<std::size_t>(joint.v_index)]);
    const ModelBody& body = maximal.bodies()[static_cast<std::size_t>(joint.child)];
    each(FreeBody{joint, tree_links(maximal)[link],
                  tree.frame(body.name).at(inverse(body.frame.offset))});
  }
}

/// (1), (2): T with C = P T, or P (R, Q r).
void put_pose(const FreeBody& body, const SE3& C, VectorRef q) {
  const SE3 T = inverse(body.link.P) * C;
  put_rotation(T.R.normalized(), q.data() + body.joint.q_index);
  const Vec3 r = inverse_times(body.link.Q, T.r);  // Q = 1 on SE(3)
  for (int k = 0; k < 3; ++k) q[body.joint.q_index + 4 + k] = r[k];
}

}  // namespace

void maximal_configuration(const PositionKinematics& kin, const Model& maximal, VectorRef q) {
  require_size("q", q, maximal.nq());
  for_bodies(kin.model(), maximal,
             [&](const FreeBody& body) { put_pose(body, pose(kin, body.frame), q); });
}

void maximal_state(const VelocityKinematics& kin, const Model& maximal, VectorRef q, VectorRef v) {
  maximal_configuration(kin, maximal, q);
  require_size("v", v, maximal.nv());
  for_bodies(kin.model(), maximal, [&](const FreeBody& body) {
    const bool direct = links::has_position_axes(body.link);
    const Twist V = twist(kin, body.frame, direct ? Representation::mixed : Representation::body);
    for (int k = 0; k < 3; ++k) {
      v[body.joint.v_index + k] = V.w[k];
      v[body.joint.v_index + 3 + k] = V.v[k];
    }
  });
}

}  // namespace chasles
