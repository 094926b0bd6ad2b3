/// Interface between the public functions of dynamics and the kernels.
#pragma once

#include "chasles/dynamics/forward_dynamics.hpp"
#include "math/overlap.hpp"
#include "model/kernel_scratch.hpp"
#include "model/model_data.hpp"

namespace chasles {

/// Options of a matrix result: see kernels::Pass.
struct Written {
  bool zeroed = false, lower = false;
  bool keep_factors = false;  // forward dynamics: for derivatives that run next
};

/// Workspace for one state.
struct Workspace::Memory {
  const kernels::KernelTable<double>& table = kernels::single_kernels();
  const kernels::Trees& trees;
  const kernels::Tree<double>& tree = trees.of<double>();
  KernelScratch<double> scratch;
  std::vector<double> group;
  std::vector<kernels::FrameConstants<double>> frames;  // of applied wrenches
  std::vector<Wrench> W;
  Vector zero;  // nv

  explicit Memory(const Model& model)
      : trees(kernel_trees(model)),
        group(static_cast<std::size_t>(tree.group_size)),
        zero(model.nv()) {}

  void reserve(kernels::Algorithm algorithm) { scratch.reserve(table, algorithm, trees); }

  /// Runs a kernel at (q, v) with sizes already checked; v and force may be null where not read. Inlined, so
  /// that the usually empty span of wrenches stays in registers.
  /// @throws SingularError naming the joint
  [[gnu::always_inline]] void run(kernels::Algorithm algorithm, const Model& model,
                                  ConstVectorRef q, const double* v, const double* force,
                                  double* out, AppliedWrenches applied = {}, Written written = {}) {
    if (const auto size = static_cast<std::size_t>(kernels::output_size(algorithm, tree));
        !reads_first(algorithm) && (begins_in(q.data(), out, size) || begins_in(v, out, size) ||
                                    begins_in(force, out, size))) [[unlikely]]
      return run_on_copies(algorithm, model, q, v, force, out, applied, written);
    if (!(written.keep_factors && kernels::is_derivative(algorithm)))
      scratch.begin(table, algorithm, tree);
    scratch.check_quaternions(model, q.data());
    if (!group.empty()) {
      fill_group(model, tree, q.data(), v, 1, 0, group.data());
      if (kernels::is_derivative(algorithm))
        fill_group_partials(model, tree, q.data(), v, force, 1, 0, group.data());
    }
    kernels::Pass<double> pass{.tree = &tree,
                               .q = q.data(),
                               .v = v,
                               .force = force,
                               .wrench = nullptr,
                               .group = group.data(),
                               .work = scratch.data(),
                               .out = out};
    pass.zeroed = written.zeroed, pass.lower = written.lower;
    pass.keep_factors = written.keep_factors;
    if (!applied.empty()) [[unlikely]]
      set_wrenches(model, applied.data(), applied.size(), pass);
    if (const int link = table.run(algorithm, pass); link >= 0) [[unlikely]]
      throw_failed(model, link, q.data(), {});
  }

  /// Whether a kernel reads all arguments before it writes the first result. Forces of armatures are added to
  /// results of inverse dynamics.
  bool reads_first(kernels::Algorithm algorithm) const {
    return algorithm == kernels::forward_dynamics || algorithm == kernels::mass_matrix ||
           (algorithm == kernels::inverse_dynamics && tree.armatures.empty());
  }
  /// For arguments that alias results: kernels write results while they read arguments.
  [[gnu::noinline]] void run_on_copies(kernels::Algorithm algorithm, const Model& model,
                                       ConstVectorRef q, const double* v, const double* force,
                                       double* out, AppliedWrenches applied, Written written) {
    const auto copied = [&](const double* x) {
      return x ? Vector(Eigen::Map<const Eigen::VectorXd>(x, tree.nv)) : Vector();
    };
    const Vector own_q = q, own_v = copied(v), own_force = copied(force);
    run(algorithm, model, own_q, v ? own_v.data() : nullptr, force ? own_force.data() : nullptr,
        out, applied, written);
  }

  /// @throws ForeignError
  [[gnu::noinline]] void set_wrenches(const Model& model, const AppliedWrench* first,
                                      std::size_t count, kernels::Pass<double>& pass) {
    frames.clear();
    W.clear();
    for (const AppliedWrench& a : AppliedWrenches(first, count)) {
      require_frame(a.frame, model);
      frames.push_back(
          kernels::frame_constants<double>(a.frame.link, a.frame.offset, a.representation));
      W.push_back(a.W);
    }
    static_assert(sizeof(Wrench) == 6 * sizeof(double));
    pass.wrench = &W.data()->t.x;
    pass.frames = frames.data();
    pass.frame_count = static_cast<int>(frames.size());
  }

  /// Explains why a kernel failed: non-finite q, zero quaternion, or singular joint inertia. The message
  /// starts with `state`.
  [[noreturn]] static void throw_failed(const Model& model, int link, const double* q,
                                        const std::string& state);
};

}  // namespace chasles
