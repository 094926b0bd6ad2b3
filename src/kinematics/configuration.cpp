/// The configuration manifold: steps, differences, and validation of input.
#include "chasles/kinematics/kinematics.hpp"
#include "chasles/lie/quaternion.hpp"
#include "model/groups.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

/// Calls on_group(group, link) for Lie groups, on_numbers(link) where q is a vector.
template <class OnGroup, class OnNumbers>
void for_links(const Model& model, const OnGroup& on_group, const OnNumbers& on_numbers) {
  for (const Link& link : tree_links(model)) {
    const JointGroup& group = group_of(link.motion);
    if (group.flat)
      on_numbers(link);
    else
      on_group(group, link);
  }
}

}  // namespace

void plus(const Model& model, ConstVectorRef q, ConstVectorRef dv, VectorRef out) {
  require_size("q", q, model.nq());
  require_size("dv", dv, model.nv());
  require_size("out", out, model.nq());
  for_links(
      model,
      [&](const JointGroup& group, const Link& link) {
        group.plus(q.data() + link.q_index, dv.data() + link.v_index, out.data() + link.q_index);
      },
      [&](const Link& link) {
        for (int k = 0; k < link.nv; ++k)
          out[link.q_index + k] = q[link.q_index + k] + dv[link.v_index + k];
      });
}

void minus(const Model& model, ConstVectorRef q1, ConstVectorRef q0, VectorRef out) {
  require_size("q1", q1, model.nq());
  require_size("q0", q0, model.nq());
  require_size("out", out, model.nv());
  for_links(
      model,
      [&](const JointGroup& group, const Link& link) {
        group.minus(q1.data() + link.q_index, q0.data() + link.q_index, out.data() + link.v_index);
      },
      [&](const Link& link) {
        for (int k = 0; k < link.nv; ++k)
          out[link.v_index + k] = q1[link.q_index + k] - q0[link.q_index + k];
      });
}

Vector checked_configuration(const Model& model, ConstVectorRef q) {
  require_size("q", q, model.nq());
  Vector out = q;
  for (const ModelJoint& joint : model.joints()) {
    for (int k = 0; k < joint.nq; ++k)
      if (!std::isfinite(q[joint.q_index + k]))
        throw Error("joint '" + joint.name + "': q = " + to_text(q[joint.q_index + k]) +
                    " is not finite");
  }
  for_groups(model, [&](const JointGroup&, const Link& link) {
    double* p = out.data() + link.q_index;
    const Quaternion given{p[0], p[1], p[2], p[3]};
    try {
      lie::rotation(given);
    } catch (const Error& e) {
      throw Error("joint '" + model.joint_of_v(link.v_index).name + "': " + e.what());
    }
    // Quaternions within rounding of unit length stay unchanged, so that a restarted run is bitwise the same.
    if (std::abs(norm(given) - 1) <= 16 * std::numeric_limits<double>::epsilon()) return;
    const Quaternion unit = normalized(given);
    p[0] = unit.w, p[1] = unit.x, p[2] = unit.y, p[3] = unit.z;
  });
  return out;
}

}  // namespace chasles
