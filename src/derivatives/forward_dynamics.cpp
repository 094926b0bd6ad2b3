#include "chasles/derivatives/forward_dynamics.hpp"

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "math/not_computed.hpp"

namespace chasles {

ForwardDynamicsDerivatives::ForwardDynamicsDerivatives(const Model& model)
    : work_(model), a_(not_computed<Vector>(model.nv())) {
  Workspace::Memory& memory = detail::Access::memory(work_, model);
  memory.reserve(kernels::forward_dynamics);
  memory.reserve(kernels::d_forward_dynamics);
  all_ = not_computed<RowMatrix>(Eigen::Index{3} * model.nv(), model.nv());
}

const ForwardDynamicsDerivatives& d_forward_dynamics(const Model& model, ConstVectorRef q,
                                                     ConstVectorRef v, ConstVectorRef tau,
                                                     ForwardDynamicsDerivatives& out,
                                                     AppliedWrenches applied) {
  Workspace::Memory& memory = detail::Access::memory(out.work_, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  require_size("tau", tau, memory.tree.nv);
  // Results are written while these are still being read.
  if (begins_in(q, out.a_) || begins_in(v, out.a_)) [[unlikely]]
    return d_forward_dynamics(model, Vector(q), Vector(v), Vector(tau), out, applied);
  memory.run(kernels::forward_dynamics, model, q, v.data(), tau.data(), out.a_.data(), applied,
             {.keep_factors = true});
  memory.run(kernels::d_forward_dynamics, model, q, v.data(), out.a_.data(), out.all_.data(),
             applied, {.keep_factors = true});
  return out;
}

}  // namespace chasles
