#include "chasles/dynamics/forward_dynamics.hpp"

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "math/not_computed.hpp"

namespace chasles {

ForwardDynamics::ForwardDynamics(const Model& model)
    : a(not_computed<Vector>(model.nv())), work(model) {
  detail::Access::memory(work, model).reserve(kernels::forward_dynamics);
}

const Vector& forward_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef tau, ForwardDynamics& out, AppliedWrenches applied) {
  Workspace::Memory& memory = detail::Access::memory(out.work, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  require_size("tau", tau, memory.tree.nv);
  out.a.resize(memory.tree.nv);
  memory.run(kernels::forward_dynamics, model, q, v.data(), tau.data(), out.a.data(), applied);
  return out.a;
}

}  // namespace chasles
