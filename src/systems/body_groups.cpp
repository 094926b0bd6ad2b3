#include "chasles/systems/body_groups.hpp"

#include <algorithm>

#include "chasles/systems/constrained_system.hpp"
#include "constraints/cut_joint.hpp"
#include "constraints/maximal_bodies.hpp"
#include "model/model_data.hpp"

namespace chasles {
namespace {

constexpr double slow = 0.1;

/// Of a point of a body: speed and size of the acceleration.
struct PointMotion {
  double u, w;
};

PointMotion point_motion(const AccelerationKinematics& kin, int link, const Vec3& p) {
  const auto i = static_cast<std::size_t>(link);
  const Twist &V = kin.V_h()[i], &A = kin.A_h()[i];
  const Vec3 d = p - kin.C()[i].r;
  return {norm(V.v + cross(V.w, d)), norm(A.v + cross(A.w, d) + cross(V.w, cross(V.w, d)))};
}

bool hardly_moves(const PointMotion& a, const PointMotion& b) {
  return a.u <= slow * b.u && a.w <= slow * b.w && b.u + b.w > 0;
}

}  // namespace

std::map<std::string, BodyGroup> groups_beside_slow_bodies(const Model& maximal,
                                                           const State& start) {
  require_size("q", start.q, maximal.nq());
  require_size("v", start.v, maximal.nv());
  for (const ModelJoint& joint : maximal.joints()) require_floating_on_ground(maximal, joint);
  std::map<std::string, BodyGroup> groups;
  Vector a(maximal.nv());
  AccelerationKinematics kin(maximal);
  try {
    ConstrainedSystem system(maximal, {}, start.q);
    system.set(start.t, system.assembled(), start.v);
    system.acceleration(a);
    forward_kinematics(maximal, system.assembled(), start.v, a, kin);
  } catch (const Error&) {
    return groups;  // what is wrong with this start, a run from it says
  }
  std::vector<const ModelJoint*> carriers(kin.C().size());  // by link
  for (const ModelJoint& joint : maximal.joints())
    carriers[static_cast<std::size_t>(
        link_of_v(maximal)[static_cast<std::size_t>(joint.v_index)])] = &joint;
  const auto choose = [&](const Frame& slower, const Frame& faster) {
    if (slower.link < 0 || faster.link < 0) return;
    const auto i = static_cast<std::size_t>(faster.link);
    const ModelJoint& joint = *carriers[i];
    const Vec3& p = kin.C()[i].r;
    if (joint.group == FloatingGroup::so3xr3 &&
        hardly_moves(point_motion(kin, slower.link, p), point_motion(kin, faster.link, p)))
      groups.emplace(maximal.bodies()[static_cast<std::size_t>(joint.child)].name, BodyGroup::se3);
  };
  for (const ModelLoop& loop : maximal.loops()) {
    if (!CutJoint(loop).is_subgroup()) continue;
    choose(loop.from, loop.to);
    choose(loop.to, loop.from);
  }
  return groups;
}

}  // namespace chasles
