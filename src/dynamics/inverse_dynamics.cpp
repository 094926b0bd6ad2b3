#include "chasles/dynamics/inverse_dynamics.hpp"

#include "dynamics/kernel_memory.hpp"

namespace chasles {

InverseDynamics::InverseDynamics(const Model& model)
    : tau(Eigen::VectorXd::Zero(model.nv())), zero(tau), work(model) {
  work.memory().reserve(kernels::inverse_dynamics);
}

const Eigen::VectorXd& inverse_dynamics(const Model& model, ConstVectorRef q, ConstVectorRef v,
                                        ConstVectorRef a, InverseDynamics& out,
                                        AppliedWrenches applied) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  require_size("v", static_cast<std::size_t>(v.size()), model.nv());
  require_size("a", static_cast<std::size_t>(a.size()), model.nv());
  out.work.memory().run(kernels::inverse_dynamics, model, q, v.data(), a.data(), out.tau.data(),
                        applied);
  return out.tau;
}

const Eigen::VectorXd& bias(const Model& model, ConstVectorRef q, ConstVectorRef v,
                            InverseDynamics& out) {
  require_size("q", static_cast<std::size_t>(q.size()), model.nq());
  require_size("v", static_cast<std::size_t>(v.size()), model.nv());
  out.work.memory().run(kernels::inverse_dynamics, model, q, v.data(), nullptr, out.tau.data());
  return out.tau;
}

const Eigen::VectorXd& gravity_forces(const Model& model, ConstVectorRef q, InverseDynamics& out) {
  return bias(model, q, out.zero, out);
}

}  // namespace chasles
