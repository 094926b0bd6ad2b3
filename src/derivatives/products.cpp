#include "chasles/derivatives/products.hpp"

#include <array>

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "math/not_computed.hpp"

namespace chasles {

/// Runs a product kernel; for forward dynamics, forward_dynamics first.
class ProductRun {
 public:
  /// Results that a call writes while it still reads its arguments.
  template <std::size_t N>
  using Results = std::array<const double*, N>;

  template <class Products, std::size_t N>
  ProductRun(Products& out, const Results<N>& results, const Model& model, ConstVectorRef q,
             ConstVectorRef v, ConstVectorRef u, const char* name, AppliedWrenches applied)
      : model_(model), memory_(detail::Access::memory(out.work_, model)) {
    require_size("q", q, memory_.tree.nq);
    require_size("v", v, memory_.tree.nv);
    require_size(name, u, memory_.tree.nv);
    pass_.tree = &memory_.tree;
    pass_.q = apart(q, results), pass_.v = apart(v, results), pass_.force = apart(u, results);
    pass_.group = memory_.group.data();
    pass_.work = memory_.scratch.data();
    pass_.zero = memory_.zero.data();
    memory_.scratch.check_quaternions(model, pass_.q);
    if (!applied.empty()) memory_.set_wrenches(model, applied.data(), applied.size(), pass_);
    if (!memory_.group.empty())
      fill_group(model, memory_.tree, pass_.q, pass_.v, 1, 0, memory_.group.data());
  }
  static void reserve(Workspace& work, const Model& model, bool forward) {
    Workspace::Memory& memory = detail::Access::memory(work, model);
    memory.scratch.reserve(kernels::product_kernels().work(forward, memory.tree), memory.tree);
  }

  template <std::size_t N>
  void direction(const Results<N>& results, ConstVectorRef dq, ConstVectorRef dv, ConstVectorRef du,
                 const char* name) {
    require_size("dq", dq, memory_.tree.nv);
    require_size("dv", dv, memory_.tree.nv);
    require_size(name, du, memory_.tree.nv);
    pass_.dq = apart(dq, results), pass_.dv = apart(dv, results), pass_.du = apart(du, results);
  }
  template <std::size_t N>
  void weights(const Results<N>& results, ConstVectorRef lambda) {
    require_size("lambda", lambda, memory_.tree.nv);
    pass_.lambda = apart(lambda, results);
  }
  void inverse(InverseDynamicsProducts& out) {
    pass_.out = out.tau_.data(), pass_.product = out.dtau_.data();
    pass_.grad_q = out.grad_q_.data(), pass_.grad_v = out.grad_v_.data(),
    pass_.on_u = out.grad_a_.data();
    run(pass_.lambda ? kernels::product_kernels().inverse_transposed
                     : kernels::product_kernels().inverse);
  }
  void forward(ForwardDynamicsProducts& out) {
    pass_.keep_factors = true;
    pass_.out = out.a_.data();
    if (const int link = memory_.table.run(kernels::forward_dynamics, pass_); link >= 0)
      memory_.throw_failed(model_, link, pass_.q, {});
    pass_.force = out.a_.data();
    pass_.out = out.room_.data();
    pass_.product = pass_.lambda ? out.room_.data() : out.da_.data();
    pass_.grad_q = out.grad_q_.data(), pass_.grad_v = out.grad_v_.data(),
    pass_.on_u = out.grad_tau_.data();
    run(pass_.lambda ? kernels::product_kernels().forward_transposed
                     : kernels::product_kernels().forward);
  }

 private:
  /// Arguments that alias a result are copied (overlap.hpp).
  template <std::size_t N>
  const double* apart(ConstVectorRef x, const Results<N>& results) {
    bool own = false;
    for (const double* result : results)
      own |= begins_in(x.data(), result, static_cast<std::size_t>(memory_.tree.nv));
    if (!own) [[likely]]
      return x.data();
    return copies_.emplace_back(x).data();
  }
  void run(kernels::ProductKernels::Run kernel) {
    if (!memory_.group.empty())
      fill_group_partials(model_, memory_.tree, pass_.q, pass_.v, pass_.force, 1, 0,
                          memory_.group.data());
    kernel(pass_);
  }

  const Model& model_;
  Workspace::Memory& memory_;
  kernels::ProductPass pass_{};
  std::vector<Vector> copies_;
};

InverseDynamicsProducts::InverseDynamicsProducts(const Model& model) : work_(model) {
  ProductRun::reserve(work_, model, false);
  for (Vector* x : {&tau_, &dtau_, &grad_q_, &grad_v_, &grad_a_})
    *x = not_computed<Vector>(model.nv());
}
ForwardDynamicsProducts::ForwardDynamicsProducts(const Model& model) : work_(model) {
  ProductRun::reserve(work_, model, true);
  for (Vector* x : {&a_, &da_, &grad_q_, &grad_v_, &grad_tau_, &room_})
    *x = not_computed<Vector>(model.nv());
}

const Vector& d_inverse_dynamics_times(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                       ConstVectorRef a, ConstVectorRef dq, ConstVectorRef dv,
                                       ConstVectorRef da, InverseDynamicsProducts& out,
                                       AppliedWrenches applied) {
  const std::array results{out.tau().data(), out.dtau().data()};
  ProductRun run(out, results, model, q, v, a, "a", applied);
  run.direction(results, dq, dv, da, "da");
  run.inverse(out);
  return out.dtau();
}
const InverseDynamicsProducts& d_inverse_dynamics_transposed_times(
    const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef a, ConstVectorRef lambda,
    InverseDynamicsProducts& out, AppliedWrenches applied) {
  const std::array results{out.tau().data(), out.grad_q().data(), out.grad_v().data(),
                           out.grad_a().data()};
  ProductRun run(out, results, model, q, v, a, "a", applied);
  run.weights(results, lambda);
  run.inverse(out);
  return out;
}
const Vector& d_forward_dynamics_times(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                       ConstVectorRef tau, ConstVectorRef dq, ConstVectorRef dv,
                                       ConstVectorRef dtau, ForwardDynamicsProducts& out,
                                       AppliedWrenches applied) {
  const std::array results{out.a().data(), out.da().data()};
  ProductRun run(out, results, model, q, v, tau, "tau", applied);
  run.direction(results, dq, dv, dtau, "dtau");
  run.forward(out);
  return out.da();
}
const ForwardDynamicsProducts& d_forward_dynamics_transposed_times(
    const Model& model, ConstVectorRef q, ConstVectorRef v, ConstVectorRef tau,
    ConstVectorRef lambda, ForwardDynamicsProducts& out, AppliedWrenches applied) {
  const std::array results{out.a().data(), out.grad_q().data(), out.grad_v().data(),
                           out.grad_tau().data()};
  ProductRun run(out, results, model, q, v, tau, "tau", applied);
  run.weights(results, lambda);
  run.forward(out);
  return out;
}

}  // namespace chasles
