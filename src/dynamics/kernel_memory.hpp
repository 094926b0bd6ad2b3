/// Between the public functions and the kernels: constants of a model, scratch, padded arguments.
#pragma once

#include <algorithm>

#include "chasles/dynamics/forward_dynamics.hpp"
#include "kernels/tree.hpp"
#include "kinematics/link_motion.hpp"

namespace chasles {

struct alignas(64) CacheLine {
  std::byte bytes[64];
};

/// Scratch that a kernel of `table` needs for a tree.
template <class Real>
class KernelScratch {
 public:
  void reserve(const kernels::KernelTable<Real>& table, kernels::Algorithm algorithm,
               const kernels::Tree<Real>& tree) {
    const std::size_t lines = table.work(algorithm, tree) / sizeof(CacheLine) + 1;
    if (lines > lines_.size()) lines_.resize(lines);
  }
  Real* data() { return reinterpret_cast<Real*>(lines_.data()); }

 private:
  std::vector<CacheLine> lines_;
};

/// What kernels ask about exponential links, of the state in one of the lanes: Pass::group.
template <class Real>
void fill_group(const Model& model, const kernels::Tree<Real>& tree, const Real* q, const Real* v,
                int lanes, int lane, Real* group) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = model.links()[i];
    if (link.motion != LinkMotion::exponential) continue;
    double q_i[6], v_i[6];
    const double zero[6] = {};
    for (int k = 0; k < link.nv; ++k) {
      q_i[k] = static_cast<double>(q[(link.q_index + k) * lanes + lane]);
      v_i[k] = v ? static_cast<double>(v[(link.v_index + k) * lanes + lane]) : 0;
    }
    Real* out = group + tree.links[i].group * lanes + lane;
    const auto put = [&](const Vec3& a) {
      for (int k = 0; k < 3; ++k, out += lanes) *out = static_cast<Real>(a[k]);
    };
    const SE3 T = kinematics::group_motion(model, link, q_i);
    for (int k = 0; k < 3; ++k) put(T.R.matrix().column(k));
    put(T.r);
    const Twist rate = kinematics::group_acceleration(model, link, q_i, v_i, zero);
    put(rate.w), put(rate.v);
    for (int k = 0; k < link.nv; ++k) {
      const Twist X = kinematics::screw_of(model, link, q_i, k);
      put(X.w), put(X.v);
    }
    for (int k = 0; k < link.nv; ++k) {
      const Twist rate_k = v ? kinematics::screw_rate(model, link, q_i, v_i, k) : Twist{};
      put(rate_k.w), put(rate_k.v);
    }
  }
}

/// One state.
struct Workspace::Memory {
  const kernels::KernelTable<double>& table = kernels::single_kernels();
  kernels::Tree<double> tree;
  KernelScratch<double> scratch;
  std::vector<double> q, group;             // q padded to a multiple of four
  std::unique_ptr<PositionKinematics> kin;  // with the first applied wrench
  std::vector<Wrench> W;

  explicit Memory(const Model& model)
      : tree(model.links(), model.gravity()),
        q(static_cast<std::size_t>(model.nq() + 3) / 4 * 4),
        group(static_cast<std::size_t>(tree.group_size)) {}

  void reserve(kernels::Algorithm algorithm) {
    const bool matrix =
        algorithm == kernels::mass_matrix || algorithm == kernels::mass_matrix_inverse;
    if (matrix || algorithm == kernels::coriolis_matrix) tree.list_entries();
    if (matrix) tree.list_blocks(table.block_width);
    scratch.reserve(table, algorithm, tree);
  }

  /// Runs a kernel at (q, v) with sizes checked before; v and force may be null where not read.
  /// @throws SingularError naming the joint
  void run(kernels::Algorithm algorithm, const Model& model, ConstVectorRef at, const double* v,
           const double* force, double* out, AppliedWrenches applied = {}) {
    std::copy_n(at.data(), at.size(), q.data());
    if (!group.empty()) fill_group(model, tree, q.data(), v, 1, 0, group.data());
    const kernels::Pass<double> pass{&tree,
                                     q.data(),
                                     v,
                                     force,
                                     applied.empty() ? nullptr : link_wrenches(model, at, applied),
                                     group.data(),
                                     scratch.data(),
                                     out};
    if (const int link = table.run[algorithm](pass); link >= 0) [[unlikely]]
      throw_singular(model, link, at.allFinite());
  }

  const double* link_wrenches(const Model& model, ConstVectorRef at, AppliedWrenches applied);
  [[noreturn]] static void throw_singular(const Model& model, int link, bool finite);
};

}  // namespace chasles
