/// Queries about links, shared by the algorithms of dynamics.
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles::dynamics {

/// Calls each(link, index, first, last): the link has the entries first <= k < last of v.
template <class Each>
void for_links(const Model& model, const Each& each) {
  for (std::size_t i = 0; i < tree_links(model).size(); ++i) {
    const Link& link = tree_links(model)[i];
    each(link, i, static_cast<std::size_t>(link.v_index),
         static_cast<std::size_t>(link.v_index + link.nv));
  }
}
template <class Each>
void for_links_inward(const Model& model, const Each& each) {
  for (std::size_t i = tree_links(model).size(); i-- > 0;) {
    const Link& link = tree_links(model)[i];
    each(link, i, static_cast<std::size_t>(link.v_index),
         static_cast<std::size_t>(link.v_index + link.nv));
  }
}
/// Calls each(link, index) for a link, its parent and so on to ground.
template <class Each>
void for_links_inward_from(const Model& model, std::size_t i, const Each& each) {
  for (int l = static_cast<int>(i); l >= 0;
       l = tree_links(model)[static_cast<std::size_t>(l)].parent)
    each(tree_links(model)[static_cast<std::size_t>(l)], static_cast<std::size_t>(l));
}
/// The parent as an index; only for links with a parent link.
inline std::size_t parent_of(const Link& link) { return static_cast<std::size_t>(link.parent); }

/// Column k (in v) of the body-fixed screws.
inline Twist screw_of_v(const Model& model, const Link& link, const Vector& q, std::size_t k) {
  return links::screw_of(model, link, q.data() + link.q_index, static_cast<int>(k) - link.v_index);
}

/// Reference point of algorithms in world axes: close to the mechanism wherever it is, to limit cancellation;
/// and a pose relative to that point.
inline Vec3 reference_point(const PositionKinematics& kin) {
  return kin.C().empty() ? Vec3{} : kin.C()[0].r;
}
inline SE3 about(const Vec3& reference_point, const SE3& C) { return {C.R, C.r - reference_point}; }

/// sum of I_a v^2 / 2, the kinetic energy of armatures.
inline double armature_energy(const Model& model, const double* v) {
  double sum = 0;
  for (const Link& link : tree_links(model))
    for (int k = link.v_index; link.armature != 0 && k < link.v_index + link.nv; ++k)
      sum += link.armature * v[k] * v[k];
  return sum / 2;
}
/// x += I_a a, the forces that accelerate armatures.
inline void add_armature_forces(const Model& model, const double* a, double* x) {
  for (const Link& link : tree_links(model))
    for (int k = link.v_index; link.armature != 0 && k < link.v_index + link.nv; ++k)
      x[k] += link.armature * a[k];
}
/// M += diag(I_a).
template <class M>
void add_armatures(const Model& model, M& matrix) {
  for (const Link& link : tree_links(model))
    for (int k = link.v_index; link.armature != 0 && k < link.v_index + link.nv; ++k)
      matrix(k, k) += link.armature;
}

/// C += I_a w~ / 2 for joints with an angular velocity w: the connection (closed_form.hpp (7)) of armatures.
template <class M>
void add_armature_connection(const Model& model, const double* v, M& C) {
  for (const Link& link : tree_links(model)) {
    if (link.armature == 0 || link.nq == link.nv) continue;  // no quaternion
    for (int i = 0; i < 3; ++i) {
      const int j = link.v_index + (i + 1) % 3, k = link.v_index + (i + 2) % 3;
      const double half = link.armature / 2 * v[link.v_index + i];
      C(k, j) += half, C(j, k) -= half;
    }
  }
}

/// Whether b is link a or one of its descendants.
inline bool carries(const Model& model, int a, int b) {
  return a <= b && b < tree_links(model)[static_cast<std::size_t>(a)].end;
}

/// Offsets of the consecutive matrices D of the links, followed by their total size.
inline std::vector<int> square_offsets(const Model& model) {
  std::vector<int> offsets{0};
  for (const Link& link : tree_links(model)) offsets.push_back(offsets.back() + link.nv * link.nv);
  return offsets;
}

/// The common message of all algorithms, preceded by `before`.
[[noreturn]] inline void throw_singular(const Model& model, int v_index,
                                        const std::string& before = {}) {
  const ModelJoint& joint = model.joint_of_v(v_index);
  throw SingularError(before + "the mass matrix is singular: joint '" + joint.name +
                      "' has no inertia of its own about its axis, so its acceleration is not "
                      "determined; give body '" +
                      model.bodies()[static_cast<std::size_t>(joint.child)].name +
                      "', or what it carries, mass or inertia about the axis, or fix the joint");
}

/// Pivots below this fraction of the diagonal of M count as zero: articulated-body.md. In a chain of n equal
/// bodies the smallest is about 3 / n^3 of it, which must not be flagged as singular.
inline constexpr double singular = 1e-13;

}  // namespace chasles::dynamics
