#include "chasles/dynamics/inverse_dynamics.hpp"

#include "dynamics/kernel_memory.hpp"

namespace chasles {

InverseDynamics::InverseDynamics(const Model& model)
    : tau(unknown<Vector>(model.nv())), work(model) {
  work.memory(model).reserve(kernels::inverse_dynamics);
}

const Vector& inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                               ConstVectorRef a, InverseDynamics& out, AppliedWrenches applied) {
  Workspace::Memory& memory = out.work.memory(model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  require_size("a", a, memory.tree.nv);
  out.tau.resize(memory.tree.nv);
  memory.run(kernels::inverse_dynamics, model, q, v.data(), a.data(), out.tau.data(), applied);
  return out.tau;
}

const Vector& bias(const Model& model, ConstVectorRef q, ConstVectorRef v, InverseDynamics& out) {
  Workspace::Memory& memory = out.work.memory(model);
  require_size("q", q, memory.tree.nq);
  require_size("v", v, memory.tree.nv);
  out.tau.resize(memory.tree.nv);
  memory.run(kernels::inverse_dynamics, model, q, v.data(), nullptr, out.tau.data());
  return out.tau;
}

const Vector& gravity_forces(const Model& model, ConstVectorRef q, InverseDynamics& out) {
  return bias(model, q, out.work.memory(model).zero, out);
}

}  // namespace chasles
