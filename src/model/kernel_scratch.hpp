/// Scratch memory of kernels, and the external joint data they read (Pass::group).
#pragma once

#include <cassert>
#include <cstring>

#include "kernels/tables.hpp"
#include "model/link_motion.hpp"
#include "model/model_data.hpp"

namespace chasles {

struct alignas(64) CacheLine {
  std::byte bytes[64];
};

/// For the joint whose quaternion is at this index of q.
[[noreturn, gnu::noinline]] inline void throw_zero_quaternion(const Model& model, int at,
                                                              const std::string& state = {}) {
  std::string name;
  for (const ModelJoint& joint : model.joints())
    if (at >= joint.q_index && at < joint.q_index + joint.nq) name = joint.name;
  throw Error(state + "the quaternion of joint '" + name +
              "' is zero, so it is not a rotation; (1, 0, 0, 0) is the identity");
}

/// Scratch for the kernels of `table` for a tree.
template <class Real>
class KernelScratch {
 public:
  /// @throws Error if a matrix is too large
  void reserve(const kernels::KernelTable<Real>& table, kernels::Algorithm algorithm,
               const kernels::Trees& trees) {
    trees.prepare<Real>(algorithm);
    reserve(table, algorithm, trees.of<Real>());
  }
  /// For a tree with its index lists built.
  void reserve(const kernels::KernelTable<Real>& table, kernels::Algorithm algorithm,
               const kernels::Tree<Real>& tree) {
    reserve(table.work(algorithm, tree), tree);
  }
  void reserve(std::size_t bytes, const kernels::Tree<Real>& tree) {
    const std::size_t lines = bytes / sizeof(CacheLine) + 1;
    if (lines <= lines_.size()) return;
    quaternions_.clear();
    for (const auto& link : tree.links)
      if (has_quaternion(link.motion)) quaternions_.push_back(link.q);
    lines_.resize(lines);  // last, so that nothing counts as reserved if an allocation fails
  }
  /// @throws Error naming the joint whose quaternion is zero and cannot be normalized
  void check_quaternions(const Model& model, const double* q) const {
    for (const int at : quaternions_)
      if (q[at] == 0 && q[at + 1] == 0 && q[at + 2] == 0 && q[at + 3] == 0) [[unlikely]]
        throw_zero_quaternion(model, at);
  }
  /// The same for states in lanes: the index in q of such a quaternion, or -1.
  template <class Number>
  int zero_quaternion(const Number* q, int lanes) const {
    for (const int at : quaternions_)
      for (int l = 0; l < lanes; ++l) {
        const Number* p = q + at * lanes + l;
        if (p[0] == 0 && p[lanes] == 0 && p[2 * lanes] == 0 && p[3 * lanes] == 0) [[unlikely]]
          return at;
      }
    return -1;
  }
  /// In debug builds: checks that there is room for the algorithm, and fills it with NaN at every call, so
  /// that reads before writes are detected.
  void begin([[maybe_unused]] const kernels::KernelTable<Real>& table,
             [[maybe_unused]] kernels::Algorithm algorithm,
             [[maybe_unused]] const kernels::Tree<Real>& tree) {
#ifndef NDEBUG
    assert(table.work(algorithm, tree) < lines_.size() * sizeof(CacheLine));
#endif
    poison();
  }
  void poison() {
#ifndef NDEBUG
    std::memset(static_cast<void*>(lines_.data()), 0xff, lines_.size() * sizeof(CacheLine));
#endif
  }
  Real* data() { return reinterpret_cast<Real*>(lines_.data()); }

 private:
  std::vector<CacheLine> lines_;
  std::vector<int>
      quaternions_;  // indices in q of the quaternions of spherical and floating joints
};

/// Fills Pass::group, the data of custom joints, for the state in one of the lanes.
template <class Real>
void fill_group(const Model& model, const kernels::Tree<Real>& tree, const Real* q, const Real* v,
                int lanes, int lane, Real* group) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree_links(model)[i];
    if (!given_as_data(link.motion)) continue;
    double q_i[7], v_i[6];
    const double zero[6] = {};
    for (int k = 0; k < link.nq; ++k)
      q_i[k] = static_cast<double>(q[(link.q_index + k) * lanes + lane]);
    for (int k = 0; k < link.nv; ++k)
      v_i[k] = v ? static_cast<double>(v[(link.v_index + k) * lanes + lane]) : 0;
    Real* out = group + tree.links[i].group * lanes + lane;
    const auto put = [&](const Vec3& a) {
      for (int k = 0; k < 3; ++k, out += lanes) *out = static_cast<Real>(a[k]);
    };
    const SE3 T = links::group_motion(model, link, q_i);
    for (int k = 0; k < 3; ++k) put(T.R.matrix().column(k));
    put(T.r);
    const Twist rate = links::group_acceleration(model, link, q_i, v_i, zero);
    put(rate.w), put(rate.v);
    for (int k = 0; k < link.nv; ++k) {
      const Twist X = links::screw_of(model, link, q_i, k);
      put(X.w), put(X.v);
    }
    for (int k = 0; k < link.nv; ++k) {
      const Twist X_rate = v ? links::screw_rate(model, link, q_i, v_i, k) : Twist{};
      put(X_rate.w), put(X_rate.v);
    }
  }
}

/// Adds the data that derivatives need, at accelerations a (null: zero); after fill_group.
template <class Real>
void fill_group_partials(const Model& model, const kernels::Tree<Real>& tree, const Real* q,
                         const Real* v, const Real* a, int lanes, int lane, Real* group) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = tree_links(model)[i];
    if (!given_as_data(link.motion)) continue;
    const int n = link.nv;
    double q_i[7], v_i[6], a_i[6];
    for (int k = 0; k < link.nq; ++k)
      q_i[k] = static_cast<double>(q[(link.q_index + k) * lanes + lane]);
    for (int k = 0; k < n; ++k) {
      v_i[k] = static_cast<double>(v[(link.v_index + k) * lanes + lane]);
      a_i[k] = a ? static_cast<double>(a[(link.v_index + k) * lanes + lane]) : 0;
    }
    Real* out = group + (tree.links[i].group + 18 + 12 * n) * lanes + lane;
    const auto put = [&](const Twist& X) {
      for (int k = 0; k < 3; ++k, out += lanes) *out = static_cast<Real>(X.w[k]);
      for (int k = 0; k < 3; ++k, out += lanes) *out = static_cast<Real>(X.v[k]);
    };
    for (int k = 0; k < n; ++k)
      for (int l = 0; l < n; ++l) {
        double unit[6] = {};
        unit[l] = 1;
        put(links::screw_rate(model, link, q_i, unit, k));
      }
    for (int l = 0; l < n; ++l) put(links::d_group_acceleration(model, link, q_i, v_i, a_i, l));
  }
}

}  // namespace chasles
