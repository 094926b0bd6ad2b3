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

/// What kernels ask about links whose motion they do not know, of the state in one of the lanes: Pass::group.
template <class Real>
void fill_group(const Model& model, const kernels::Tree<Real>& tree, const Real* q, const Real* v,
                int lanes, int lane, Real* group) {
  for (std::size_t i = 0; i < tree.links.size(); ++i) {
    const Link& link = model.links()[i];
    if (!given_as_data(link.motion)) continue;
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
  }
}

/// One state.
struct Workspace::Memory {
  const kernels::KernelTable<double>& table = kernels::single_kernels();
  kernels::Tree<double> tree;
  KernelScratch<double> scratch;
  std::vector<double> group;
  std::vector<kernels::PlaceConstants<double>> places;  // of applied wrenches
  std::vector<Wrench> W;
  std::unique_ptr<PositionKinematics> kin;

  explicit Memory(const Model& model)
      : tree(model.links(), model.gravity()), group(static_cast<std::size_t>(tree.group_size)) {}

  void reserve(kernels::Algorithm algorithm) {
    if (algorithm == kernels::mass_matrix) tree.list_entries();
    scratch.reserve(table, algorithm, tree);
  }

  /// Runs a kernel at (q, v) with sizes checked before; v and force may be null where not read.
  /// Inlined, so that the span of wrenches, mostly empty, does not go by way of memory.
  /// @throws SingularError naming the joint
  [[gnu::always_inline]] void run(kernels::Algorithm algorithm, const Model& model,
                                  ConstVectorRef q, const double* v, const double* force,
                                  double* out, AppliedWrenches applied = {}) {
    if (!group.empty()) fill_group(model, tree, q.data(), v, 1, 0, group.data());
    kernels::Pass<double> pass{.tree = &tree,
                               .q = q.data(),
                               .v = v,
                               .force = force,
                               .wrench = nullptr,
                               .group = group.data(),
                               .work = scratch.data(),
                               .out = out};
    if (!applied.empty()) [[unlikely]]
      set_wrenches(model, applied.data(), applied.size(), pass);
    if (const int link = table.run[algorithm](pass); link >= 0) [[unlikely]]
      throw_singular(model, link, q.allFinite());
  }

  /// @throws Error if a place is not of this model
  [[gnu::noinline]] void set_wrenches(const Model& model, const AppliedWrench* first,
                                      std::size_t count, kernels::Pass<double>& pass) {
    places.clear();
    W.clear();
    for (const AppliedWrench& a : AppliedWrenches(first, count)) {
      if (a.place.link >= static_cast<int>(tree.links.size()))
        throw Error("a wrench is applied to link " + std::to_string(a.place.link) +
                    ", but model '" + model.name() + "' has " + std::to_string(tree.links.size()) +
                    "; take places from the same model");
      places.push_back(
          kernels::place_constants<double>(a.place.link, a.place.offset, a.representation));
      W.push_back(a.W);
    }
    static_assert(sizeof(Wrench) == 6 * sizeof(double));
    pass.wrench = &W.data()->t.x;
    pass.places = places.data();
    pass.place_count = static_cast<int>(places.size());
  }

  const double* link_wrenches(const Model& model, ConstVectorRef at, AppliedWrenches applied);
  [[noreturn]] static void throw_singular(const Model& model, int link, bool finite);
};

}  // namespace chasles
