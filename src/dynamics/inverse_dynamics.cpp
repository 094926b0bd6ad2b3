#include "chasles/dynamics/inverse_dynamics.hpp"

#include "access.hpp"
#include "dynamics/kernel_memory.hpp"
#include "math/not_computed.hpp"

namespace chasles {

InverseDynamics::InverseDynamics(const Model& model)
    : tau(not_computed<Vector>(model.nv())), work(model) {
  detail::Access::memory(work, model).reserve(kernels::inverse_dynamics);
}

const Vector& inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef a, InverseDynamics& out, AppliedWrenches applied) {
  Workspace::Memory& memory = detail::Access::memory(out.work, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  require_size("a", a, memory.tree.nv);
  out.tau.resize(memory.tree.nv);
  memory.run(kernels::inverse_dynamics, model, q, v.data(), a.data(), out.tau.data(), applied);
  return out.tau;
}

const Vector& bias(const Model& model, ConstVectorRef q, ConstVectorRef v, InverseDynamics& out) {
  Workspace::Memory& memory = detail::Access::memory(out.work, model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  out.tau.resize(memory.tree.nv);
  memory.run(kernels::inverse_dynamics, model, q, v.data(), nullptr, out.tau.data());
  return out.tau;
}

const Vector& gravity_forces(const Model& model, ConstVectorRef q, InverseDynamics& out) {
  return bias(model, q, detail::Access::memory(out.work, model).zero, out);
}

}  // namespace chasles
